# papers.sh - the frame of the tests of tacit-papers (tests/support/frame.sh). Sourced before anything else.
#
# Needs TACIT_PAPERS_BIN (default: tacit-papers in PATH).
TACIT_BIN=${TACIT_PAPERS_BIN:-tacit-papers}
frame_name=tacit-papers
frame_support=$(dirname "$0")/../../tests/support
. "$frame_support/frame.sh"
export OPENBLAS_NUM_THREADS=1

has_files() { # FOLDER
    for f in figure.svg table.md curves.csv summary.json runs.jsonl; do
        [ -s "$1/$f" ] || { echo "# there is no $1/$f"; return 1; }
    done
}

# names data|none: the experiments that need data, or those that do not
names() {
    "$tacit" --format json | tr '{' '\n' | sed -n 's/.*"name":"\([^"]*\)".*"data":"\([^"]*\)".*/\1 \2/p' |
        awk -v which="$1" '(NF == 2) == (which == "data") { print $1 }'
}

: > out
: > err # from here on they are always there
