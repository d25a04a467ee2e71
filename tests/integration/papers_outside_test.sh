#!/bin/sh
# papers_outside_test.sh - papers/ is outside of the product: the program has no verb for it, is not linked with its
# libraries, and tools/check-layers refuses every include of it from elsewhere.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell and readelf. Prints one "ok" or "not ok" line per check;
# the exit status is 0 only if all are ok.
set -u
. "$(dirname "$0")/../support/frame.sh"
: > out
: > err

# ---- the program

bad 2 'there is no verb "reproduce"' reproduce
good "--help" --help
check "--help knows no papers" sh -c '! grep -qiE "reproduce|papers|TACIT_DATA" out'
linked_with() { readelf -d "$tacit" | grep -q "NEEDED.*\[lib$1\."; }
not_linked_with() { ! linked_with "$1"; }
check "readelf shows libraries" linked_with sodium
check "not linked with zlib" not_linked_with z
check "not linked with libsvm" not_linked_with svm

# ---- includes, in a tree of one file for each folder

mkdir -p tree/tools tree/src/base tree/src/sim tree/programs/tacit/frame tree/papers/frame tree/include tree/tests tree/bench tree/examples
cp "$root/tools/check-layers" "$root/tools/list-sources" tree/tools
printf 'tacit_module(base)\ntacit_module(sim)\n' > tree/CMakeLists.txt
echo '#include <zlib.h>
#include "base/a.h"
#include "sim/secret_int.h"
#include "papers/frame/report.h"' > tree/papers/frame/report.c
echo '#include <string.h>' > tree/src/base/a.c

layers() { tree/tools/check-layers > out 2> err; }
refuses() { # LINE FILE TEXT
    echo "$1" > "tree/$2"
    ! layers && grep -qF -- "$2:1: $1   <- $3" out && [ "$(wc -l < out)" -eq 1 ] && rm "tree/$2"
}
check "papers/ may include everything" layers
for file in src/base/b.c src/sim/b.c programs/tacit/frame/b.c bench/b.c tests/b.c examples/b.c; do
    check "$file may not include papers/" refuses '#include "papers/frame/report.h"' $file "papers/ is outside of the product"
    check "$file may not include zlib" refuses '#include <zlib.h>' $file "only papers/ may use this library"
done
check "nor libsvm" refuses '#include <libsvm/svm.h>' src/base/b.c "only papers/ may use this library"

finish
