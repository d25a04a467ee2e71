#!/bin/sh
# curve_files_test.sh - results of tacit simulate in every form that was ever written (tests/fixtures/curves)
# are still drawn: so many curves of so many points, under their labels.
set -u
frame_verb=plot
. "$(dirname "$0")/../support/frame.sh"
curves=$root/tests/fixtures/curves

has_curves() { # LINES POINTS LABEL...
    grep '<polyline' out > lines
    [ "$(wc -l < lines)" -eq "$1" ] || { echo "# $(wc -l < lines) curves are drawn, not $1"; return 1; }
    awk -v n="$2" '{ sub(/^[^"]*"/, ""); sub(/".*/, ""); if (split($0, p, " ") != n) exit 1 }' lines ||
        { echo "# a curve does not have $2 points"; return 1; }
    shift 2
    for label in "$@"; do grep -q ">$label</text>" out || { echo "# nothing is called $label"; return 1; }; done
}
drawn() { # FILE LINES POINTS LABEL...
    file=$1
    shift
    good "$file is drawn" "$curves/$file" --cumulative
    check "$file: all of it" has_curves "$@"
}
drawn single.csv 1 4
drawn single-before.csv 1 4
drawn single.json 1 4
drawn reply.csv 1 4
drawn released.json 1 4
drawn federated.json 1 4
drawn federated.csv 2 4 fts,features=8 random
drawn versus.json 2 4 fts,features=8 random
drawn agents.csv 4 4 mean
drawn agents-before.csv 4 4 mean
drawn agents-labelled.csv 8 4 fts,features=8 random
drawn pulls.csv 2 100 fed-hct hct
drawn pulls.json 1 100

alike() { # FILE FILE
    run 0 "$curves/$1" && grep '<poly' out > first && run 0 "$curves/$2" && grep '<poly' out | cmp -s - first
}
check "JSON has the numbers of CSV" alike single.csv single.json
check "so has that of a comparison" alike federated.csv versus.json
check "a column more changes nothing" alike single.csv single-before.csv
check "nor one of agents" alike agents.csv agents-before.csv

finish
