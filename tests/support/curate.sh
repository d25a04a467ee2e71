# curate.sh - the frame of the shell tests of `tacit curate` and `tacit model` (frame.sh). Sourced before
# anything else; needs grep, sed and awk.
. "$(dirname "$0")/../support/frame.sh"

says() { grep -q -- "$1" out; }
lacks() { ! grep -qi -- "$1" "$2"; }
