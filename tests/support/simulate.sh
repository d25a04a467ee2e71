# simulate.sh - the frame of the tests of `tacit simulate` (frame.sh). Sourced before anything else.
frame_verb=simulate
. "$(dirname "$0")/../support/frame.sh"
