#!/bin/sh
# layers_test.sh - the program is a client of the library: tools/check-layers refuses an include of a module from
# programs/ that tools/layer-exceptions does not list, and a line of that list that no include needs.
#
# Needs a POSIX shell. Prints one "ok" or "not ok" line per check; the exit status is 0 only if all are ok.
set -u
. "$(dirname "$0")/../support/frame.sh"

mkdir -p tree/tools tree/src/base tree/src/sim tree/programs/tacit/frame tree/papers tree/include tree/tests tree/bench tree/examples
cp "$root/tools/check-layers" "$root/tools/list-sources" tree/tools
printf 'tacit_module(base)\ntacit_module(sim)\n' > tree/CMakeLists.txt
verb=programs/tacit/frame/verb.c
printf '#include <tacit/study.h>\n#include "base/json.h"\n#include "frame/verb.h"\n' > tree/$verb
echo > tree/programs/tacit/frame/verb.h

layers() { tree/tools/check-layers > out 2> err; }
says() { ! layers && printf '%s\n' "$1" | cmp -s - out; }
except() { printf '# a comment\n%s\n' "$1" > tree/tools/layer-exceptions; }

check "a verb may include public headers, base/ and its own folders" layers
echo '#include "sim/run.h"' >> tree/$verb
check "but no module" says "$verb:4: #include \"sim/run.h\"   <- the program includes <tacit/...>, base/ and its own folders"
except "$verb sim/run.h: runs are not public yet"
check "unless it is an exception" layers
echo '#include "sim/run_int.h"' >> tree/$verb
check "never what a module keeps to itself" says "$verb:5: #include \"sim/run_int.h\"   <- what sim keeps to itself"
printf '#include <tacit/study.h>\n' > tree/$verb
check "an exception that is not needed must go" \
    says "tools/layer-exceptions: $verb does not include sim/run.h any more: delete the line"
except "$verb sim/run.h"
check "an exception has a reason" says "tools/layer-exceptions: \"$verb sim/run.h\" is not FILE HEADER: REASON"
rm tree/tools/layer-exceptions
echo '#include "sim/run.h"' > tree/programs/tacit/frame/verb_test.c
check "a test may look into the modules" layers

finish
