#!/bin/sh
# sheet_test: `tacit privacy sheet` of documents of every kind. What is not proved has no epsilon.
frame_support=$(dirname "$0")/../support
. "$frame_support/frame.sh"
space='"space": {"x": {"type": "float", "low": 0, "high": 1}}'
study() { # NAME REST
    printf '{"name": "%s", "direction": "maximize", "trials": 6, %s, %s}\n' "$1" "$space" "$2" > "$1.json"
}
sheet() { run 0 privacy sheet "$1.json"; }
says() { # TEXT...: the sheet has each of these
    for text; do grep -qF -- "$text" out || { echo "# lacks: $text"; return 1; }; done
}
# A number in front of which the sheet speaks of an epsilon, or "% sure".
claims() { grep -Eq 'epsilon [0-9]|% sure|^\| [0-9]+ \|.*\| [0-9.]+ \|$' out; }
silent() { ! claims; }
sections() {
    says "## Purpose" "## Who takes part" "## What leaves, and how" "## Who sees what" "## What protects it" \
        "## What is kept, and what can be erased" "## What this relies on"
}

study party '"algorithm": {"name": "dp-fts-de", "features": 20, "initial": 3, "releases": "0,2", "lengthscale": 0.2},
 "federation": {"agents": 50}, "privacy": {"epsilon": 4, "delta": 1e-5}'
check "a party's sheet" sheet party
check "... has every section" sections
check "... and the promise" says "50 parties, each with data" "every agent: epsilon " "at most 98.3 % sure" \
    "the coordinator is trusted" "| 0 | the parties' models | 176 |"
check "... and no sentence about none" test -z "$(grep 'NOT PRIVATE' out)"
run 0 privacy plan party.json --format json
plan=$(sed 's/.*"statement": "\([^"]*\)".*/\1/' out)
check "... in the library's words" sheet party
check "... all of them" grep -qF -- "$plan" out
good "with purpose and limit" privacy sheet party.json --purpose "Dosing in 50 wards" --epsilon 6 --delta 1e-5
check "... which it says" says "Dosing in 50 wards" "This party's own limit, over all studies that share its ledger: epsilon 6 at delta 1e-05"

study noise '"algorithm": {"name": "dp-fts-de", "features": 20, "releases": "0"}, "federation": {"agents": 50},
 "privacy": {"noise_multiplier": 8, "delta": 1e-5}'
check "a noise multiplier" sheet noise
check "... has its epsilon" claims
study paper '"algorithm": {"name": "dp-fts-de", "mode": "paper"}, "federation": {"agents": 50},
 "privacy": {"noise_multiplier": 1, "delta": 1e-5}'
check "the paper's mode" sheet paper
run 0 privacy plan paper.json --format json
plan=$(sed 's/.*"statement": "\([^"]*\)".*/\1/' out)
check "... again" sheet paper
check "... says what the plan says" grep -qF -- "$plan" out

study none '"algorithm": {"name": "dp-fts-de"}, "federation": {"agents": 50}, "privacy": "none"'
check "no promise" sheet none
check "... at once" says "**NOT PRIVATE: its document promises nothing.**"
check "... and no epsilon" silent
check "... but every section" sections
study relay '"algorithm": {"name": "fts"}, "federation": {"agents": 5}, "privacy": "none"'
check "a relay" sheet relay
check "... at once" says "**NOT PRIVATE: messages are handed on without noise.**" "single messages of others, without noise"
check "... and no epsilon" silent

study records '"algorithm": {"name": "gp-ei"}, "privacy": {"unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error"}'
check "records" sheet records
check "... and what protects them" says "one party with validation records" "every record: epsilon " "at most 73.2 % sure" \
    "the records that its models were trained on" "the coordinator need not be trusted"
study wards '"algorithm": {"name": "dp-fts-de"}, "federation": {"agents": 3},
 "privacy": {"unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error"}'
check "records of parties" sheet wards
check "... say so" says "3 parties with validation records" "made of values with noise alone"

study doses '"algorithm": {"name": "ldp-tgp", "epsilon": 0.5, "answers": 2}'
check "private replies" sheet doses
check "... of one user" says "every user: epsilon 1, delta 0 (pure) over 2 releases" "at most 73.2 % sure" \
    "the server need not be trusted" "| 1 | a reply | | 0.5 | 1 |"
study rows '"algorithm": {"name": "po-gp-ucb"}'
check "outsourced rows" sheet rows
check "... are the curator's" says "**NOT PRIVATE: the document promises nothing: what is promised is chosen by the curator"
check "... and no epsilon" silent
study plain '"algorithm": {"name": "gp-ei"}'
check "a plain study" sheet plain
check "... at once" says "**NOT PRIVATE: its document promises nothing: values are stored and shown as they are.**"
check "... and no epsilon" silent

for name in party none relay records wards doses rows plain; do
    good "$name as JSON" privacy sheet $name.json --format json
    check "... of $name" python3 -c '
import json, sys
j = json.load(open("out"))
assert j["study"] == sys.argv[1] and j["data_flow"] and j["who_sees_what"] and j["kept"] and j["assumptions"]
assert (j["promise"] is None) == (j["not_private"] is not None), j["promise"]
assert j["promise"] is not None or all(r["epsilon"] is None for r in j["rounds"])' $name
done
bad 2 "a sheet is Markdown (table) or JSON, and no CSV" privacy sheet party.json --format csv
bad 2 "--epsilon needs --delta, as an agent's limit does" privacy sheet party.json --epsilon 6
bad 2 "--delta is of --epsilon, which is missing" privacy sheet party.json --delta 0.1
bad 3 "nowhere.json" privacy sheet nowhere.json
study broken '"algorithm": {"name": "dp-fts-de"}, "federation": {"agents": 50}, "privacy": {"epsilon": 4}'
bad 2 "delta" privacy sheet broken.json
finish
