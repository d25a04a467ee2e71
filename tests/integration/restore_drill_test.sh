#!/bin/sh
# restore_drill_test: tools/restore-drill, which loses a coordinator under a worker and two agents and restores its backup, comes to its
# end: all of them go on. What it measures are times of this machine, and not looked at.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell and GNU date.
#
# Needs the network.
set -u
out=$("$(dirname "$0")/../../tools/restore-drill" 1) || { echo "$out"; exit 1; }
echo "$out"
# one run: its number, five numbers, of which lost trials and counted rounds are whole and not negative
echo "$out" | awk 'NR == 2 && NF == 6 && $1 == 1 && $3 >= 0 && $4 >= 3 { good = 1 } END { exit !(good && NR == 2) }' || exit 1
echo "restore_drill_test passed"
