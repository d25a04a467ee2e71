#!/bin/sh
# outcomes_test: several objectives and constraints through the program: documents, commands, ask and tell, the best, the front and
# its volume, tables, files, plots, and a coordinator. A killed run goes on with the same points.
set -eu
. "$(dirname "$0")/../support/frame.sh"

cat > trade.json <<'J'
{"name": "trade", "objectives": {"error": "minimize", "gain": "maximize"}, "constraints": {"memory": {"max": 500}},
 "trials": 12, "seed": 5, "space": {"x": {"type": "float", "low": 0, "high": 1}}, "algorithm": "sobol"}
J
cat > bound.json <<'J'
{"name": "bound", "direction": "maximize", "constraints": {"memory": {"max": 500}, "recall": {"min": 0.5}},
 "trials": 12, "seed": 5, "space": {"x": {"type": "float", "low": 0, "high": 1}}, "algorithm": "random"}
J
says() { grep -qF -- "$1" out; }
notes() { grep -qF -- "$1" err; }

# ---- a command prints an object
cat > train.sh <<'T'
#!/bin/sh
awk -v x="$1" 'BEGIN { print "epoch 3: 0.7"
    printf "{\"error\": %.17g, \"gain\": %.17g, \"memory\": %.17g, \"note\": \"ok\"}\n", (x - 0.2) ^ 2, 1 - (x - 0.7) ^ 2, 300 + 400 * x }'
T
chmod +x train.sh
good "optimize ends with the front" optimize trade.json -- ./train.sh {x}
check "by the names of its outcomes" grep -qE '^trial +state +error +gain +memory +feasible +x$' out
check "all of it feasible" sh -c '[ $(grep -c " yes " out) -eq $(($(wc -l < out) - 1)) ]'
cp out front
good "best shows the same" best trade
check "front" cmp -s out front
good "trials" trials trade
check "has those that are not feasible" grep -q ' no ' out
good "with a reference" best trade --reference gain=0,error=1
check "the volume is noted" grep -qE '^hypervolume 0\.[0-9]+, from the front to error=1, gain=0$' err
sed 's/"trade"/"aimed"/; s/"constraints"/"reference": {"gain": 0, "error": 1}, "constraints"/' trade.json > aimed.json
good "a study with a reference" optimize aimed.json --quiet -- ./train.sh {x}
good "has its volume" best aimed
check "without the option" grep -qE '^hypervolume 0\.[0-9]+, from the front to error=1, gain=0$' err
good "the option wins" best aimed --reference gain=-1,error=1
check "over that of the document" grep -qE '^hypervolume [0-9.]+, from the front to error=1, gain=-1$' err
sed 's/"gain": 0, "error": 1/"gain": 0.5, "error": 1/' aimed.json > other.json
bad 4 "reference.gain is 0.0 in the stored study but 0.5 in the one given" ask other.json
good "as JSON" best trade --reference error=1,gain=0 --format json --quiet
# The volume by hand: strips of the front in the order of its first objective.
check "one object with front and volume, which is right" python3 -c '
import json
j = json.load(open("out"))
assert set(j) == {"front", "hypervolume"}
volume, gain = 0, 0
points = [t["outcomes"] for t in j["front"]]
for i, p in enumerate(points):
    right = points[i + 1]["error"] if i + 1 < len(points) else 1
    gain = max(gain, p["gain"])
    volume += (right - p["error"]) * gain
assert abs(volume - j["hypervolume"]) < 1e-12, (volume, j["hypervolume"])
assert all(t["feasible"] and t["violation"] == 0 and t["value"] == t["outcomes"]["error"] for t in j["front"])
errors = [p["error"] for p in points]
assert errors == sorted(errors) and [p["gain"] for p in points] == sorted(p["gain"] for p in points)'
good "studies" studies
check "says how many objectives, feasible trials and points of the front" \
    grep -qE "^trade +sobol +2 objectives +12 +0 +0 +0 +12 +[0-9]+ +$(($(wc -l < front) - 1)) *$" out

bad 2 'tacit: --reference must be error=NUMBER,gain=NUMBER, got "error=1"' best trade --reference error=1
bad 2 'tacit: --reference must be error=NUMBER,gain=NUMBER, got "error=1,gain=x"' best trade --reference error=1,gain=x
bad 2 'tacit: --reference must be error=NUMBER,gain=NUMBER, got "error=1,error=2"' best trade --reference error=1,error=2
bad 8 'tacit: --by is for one objective: study trade has 2, and so a front in place of one best trial' best trade --by model

# ---- what fails
cat > short.sh <<'T'
#!/bin/sh
echo '{"error": 1, "memory": 2}'
T
chmod +x short.sh
sed 's/"trade"/"short"/' trade.json > short.json
check "a broken command is noticed" run 4 optimize short.json --quiet -- ./short.sh {x}
check "by its reason" notes 'the JSON on the last line has no "gain"'
good "and kept" trials short --state fail
check "with the trial" says 'the JSON on the last line has no "gain"'
check "none is feasible yet" run 4 best short --quiet
check "and says so" notes 'tacit: no trial of short is complete and feasible yet'

# ---- ask and tell, and the best within bounds
good "ask" ask bound.json
good "tell" tell bound 0 value=9,memory=1000,recall=1
check "shows all outcomes" grep -qE '^trial +state +value +memory +recall +feasible +x$' out
check "and that they miss a bound" grep -qE '^ +0 +COMPLETE +9 +1000 +1 +no ' out
good "ask again" ask bound
good "tell an object" tell bound 1 '{"recall": 0.25, "memory": 100, "value": 1}'
check "the best misses its bounds by least" run 4 best bound --quiet
check "which is said" notes 'tacit: no trial of bound is feasible yet; trial 1 is shown, which misses its bounds by least (violation 0.5)'
check "and shown" grep -qE '^ +1 +COMPLETE +1 +100 +0.25 +no ' out
good "ask for a third" ask bound
bad 2 'tacit: study bound is told 3 outcomes of a trial (value, memory, recall), got 1' tell bound 2 3
bad 2 'tacit: VALUE must be value=NUMBER,memory=NUMBER,recall=NUMBER, got "value=3,memory=2": recall is missing' tell bound 2 value=3,memory=2
bad 2 'got "value=3,memory=nan,recall=1": "nan" of memory is not a finite number' tell bound 2 value=3,memory=nan,recall=1
bad 2 'got "value=3,memory=2,value=4": value is given twice' tell bound 2 value=3,memory=2,value=4
bad 2 'got "value=3,mem=2,recall=1": "mem" is no outcome of the study' tell bound 2 value=3,mem=2,recall=1
bad 2 'got "value=3,7": "7" is not NAME=NUMBER' tell bound 2 value=3,7
bad 2 'got "error=1,memory=2": "memory" is no objective of the study' best trade --reference error=1,memory=2
bad 2 'tacit: VALUE.recall is missing; it must be a number' tell bound 2 '{"value": 3, "memory": 2}'
bad 2 'tacit: VALUE.m is no outcome of the study' tell bound 2 '{"value": 3, "memory": 2, "recall": 1, "m": 2}'
good "tell what is feasible" tell bound 2 value=-3,memory=500,recall=0.5 --format json
check "an object as of trials" says '"outcomes":{"value":-3.0,"memory":500.0,"recall":0.5},"feasible":true,"violation":0.0}'
good "the best" best bound --format json --quiet
check "is feasible" says '"outcomes":{"value":-3.0,"memory":500.0,"recall":0.5},"feasible":true,"violation":0.0'
bad 2 'tacit: --reference is for several objectives, and study bound has one' best bound --reference value=1
echo '{"name": "plain", "direction": "minimize", "space": {"x": {"type": "float", "low": 0, "high": 1}}}' > plain.json
good "a plain study" ask plain.json
bad 2 'tacit: VALUE must be a finite number, got "a=1"' tell plain 0 a=1

# ---- documents
refuses() { # TEXT DOCUMENT
    echo "$2" > refused.json
    bad 2 "$1" ask refused.json --storage sqlite:///none.db
}
refuses 'refused.json: objectives must have 2 to 4 members, got 1: one objective is said by "direction"' \
    "$(sed 's/, "gain": "maximize"//' trade.json)"
refuses 'refused.json: objectives must not be given with the algorithm gp-ucb, which is told one value a trial; those that are told several are ' \
    "$(sed 's/sobol/gp-ucb/' trade.json)"
sed 's/500/600/' bound.json > other.json
bad 4 'constraints.memory.max is 500.0 in the stored study but 600.0 in the one given' ask other.json
sed 's/"trials": 12/"trials": 13/' trade.json > longer.json
good "more trials are the same study" ask longer.json
"$tacit" tell trade 12 --fail "no power" > out 2> err

# ---- files there and back
for kind in csv json jsonl; do
    good "export $kind" export trade --out trials.$kind
    sed 's/"trade"/"'$kind'"/' trade.json > again.json
    good "import $kind" import again.json trials.$kind
    good "export it again" export $kind --format csv --out again.csv
    "$tacit" export trade --format csv --quiet --out was.csv > out 2> err
    check "the same outcomes" sh -c 'for f in was again; do grep COMPLETE $f.csv | cut -d, -f2-4,9-12 > $f.cut; done; cmp -s was.cut again.cut'
done
check "with columns for each" grep -q '^trial,state,value,params_x,datetime_start,datetime_complete,worker,reason,outcomes_error,outcomes_gain,outcomes_memory,feasible$' trials.csv
sed 's/"trade"/"bare"/' trade.json > bare.json
printf 'x,gain,error,memory\n0.5,1,2,3\n' > bare.csv
good "columns by bare names" import bare.json bare.csv
good "are outcomes" trials bare --format jsonl
check "in their order" says '"value":2.0,"params":{"x":0.5}'
check "all of them" says '"outcomes":{"error":2.0,"gain":1.0,"memory":3.0}'
printf 'x,value,error,memory\n0.5,1,2,3\n' > bad.csv
bad 2 'bad.csv: the header has no column for the outcome gain ("gain" or "outcomes_gain")' import bare.json bad.csv
printf 'x,gain,error,memory,outcomes_gain\n0.5,1,2,3,4\n' > bad.csv
bad 2 'bad.csv: outcomes_gain gives gain a second time' import bare.json bad.csv
printf 'x,gain,error,memory\n0.5,1,2,\n' > bad.csv
bad 2 'memory must be a finite number, got ""' import bare.json bad.csv
echo '[{"value": 1, "params": {"x": 0.5}}]' > bad.json
bad 2 'bad.json, entry 1: outcomes is missing' import bare.json bad.json

# ---- with a noisy constraint the model may recommend a trial that was told outside its bounds: others are feasible all the same
cat > noisy <<'T'
#!/bin/sh
awk -v x="$1" 'BEGIN { printf "{\"value\": %.17g, \"m\": %.17g}\n", x + 0.05 * sin(77777 * x), x - 0.5 + 0.45 * sin(99991 * x) }'
T
chmod +x noisy
for seed in 5 6; do
    echo '{"name": "noisy'$seed'", "direction": "minimize", "trials": 30, "seed": '$seed', "space": {"x": {"type": "float", "low": 0,
        "high": 1}}, "constraints": {"m": {"min": 0}}}' > noisy.json
    good "a noisy constraint" optimize noisy.json --quiet -- ./noisy {x}
    good "its best" best noisy$seed
    check "is not the least of evils" sh -c '! grep -q "is feasible yet" err'
    good "by what was told" best noisy$seed --by seen
    check "is feasible" grep -q 'COMPLETE .* yes ' out
    good "the history" plot noisy$seed
    sed -n 's/.*; best \(.*\)<.*/\1/p' out > best.of
    for kind in csv json; do
        good "export $kind" export noisy$seed --out noisy.$kind
        good "the history of the file" plot noisy.$kind --direction minimize
        check "has the same best trial" sh -c "[ -s best.of ] && sed -n 's/.*; best \(.*\)<.*/\1/p' out | cmp -s - best.of"
    done
done

# ---- plots
good "the front as a plot" plot trade --pareto --out pareto.svg
check "with axes that say what is wanted" sh -c 'grep -q "error (minimize)" pareto.svg && grep -q "gain (maximize)" pareto.svg'
check "and three kinds of trials" sh -c 'for k in dominated infeasible front; do grep -q ">$k<" pareto.svg || exit 1; done'
good "as a picture" plot trade --pareto --out pareto.png
good "the history of another outcome" plot trade --of gain --out gain.svg
check "says which" sh -c 'grep -q ">gain<" gain.svg && grep -q "sobol, maximize" gain.svg'
good "the history within bounds" plot bound --out bound.svg
check "has the best of what is feasible" sh -c 'grep -q "best -3 in trial 2" bound.svg && grep -q ">infeasible<" bound.svg'
good "the slice of what is bounded" plot bound --of memory --kind slice --out slice.svg
good "the history of what is bounded" plot bound --of memory --out memory.svg
check "says the bound and how many keep it" grep -qF "random, at most 500: 3 trials, 1 feasible" memory.svg
check "and draws it" grep -q ">bound<" memory.svg
sed 's/"trade"/"far"/; s/500/1/' trade.json > far.json
good "all out of bounds" import far.json trials.csv
good "as history" plot far --of memory --out far.svg
check "has infeasible trials alone: the word is the axis" sh -c '[ $(grep -c ">trial<" far.svg) -eq 1 ] && [ $(grep -c ">trial<" memory.svg) -eq 2 ]'
cat > oven.json <<'J'
{"name": "oven", "objectives": {"error": "minimize", "gain": "maximize"}, "constraints": {"memory": {"max": 500}}, "trials": 30, "seed": 5,
 "space": {"x": {"type": "float", "low": 0, "high": 1}, "y": {"type": "float", "low": 0, "high": 1},
           "rack": {"type": "choice", "choices": ["top", "mid"]}}, "algorithm": "random"}
J
cat > bake.sh <<'T'
#!/bin/sh
awk -v x="$1" -v y="$2" 'BEGIN { printf "{\"error\": %.17g, \"gain\": %.17g, \"memory\": %.17g}\n", (x - 0.2) ^ 2, y + 0.001 * x, 300 + 100 * x + 100 * y }'
T
chmod +x bake.sh
good "a study of three parameters" optimize oven.json --quiet -- ./bake.sh {x} {y}
for of in error:x gain:y; do
    good "importances of ${of%:*}" importances oven --of ${of%:*} --format csv
    check "are led by ${of#*:}" sh -c "sed -n 2p out | grep -q '^${of#*:},0.9'"
    good "as a picture" plot oven --kind importances --of ${of%:*} --out importances.svg
    check "that says so" grep -q "indices of a model of ${of%:*}; " importances.svg
done
"$tacit" importances oven --of error > first 2> err
good "by default" importances oven
check "it is the first" cmp -s first out
bad 2 'tacit: --of: study oven has no outcome "z"' importances oven --of z
bad 2 'tacit: --of: study oven has no outcome "z"' plot oven --contour x,y --of z
bad 8 'tacit: --contour shows the other parameters as in one trial, and study oven has 2 objectives and no best trial: name one with --at, such as one of its front' plot oven --contour x,y
good "a contour as in a trial" plot oven --contour x,y --at 3 --out contour.svg
check "says of what it is" grep -q "mean of a model of error; the rest as in trial 3: rack" contour.svg
check "and which trials have another rack" sh -c 'grep -q ">trials with other choices<" contour.svg && grep -q ">trials<" contour.svg'
good "of a constraint" plot oven --contour x,y --at 3 --of memory --out contour.svg
check "has no best trial" sh -c 'grep -q "mean of a model of memory; " contour.svg && ! grep -q ">best" contour.svg'
sed 's/"name": "oven", "objectives": {[^}]*}/"name": "hot", "direction": "minimize"/; s/500/1/' oven.json > hot.json
sed 's/"error/"value/; s/\\"error/\\"value/' bake.sh > burn.sh
chmod +x burn.sh
check "where none is feasible" run 4 optimize hot.json --quiet -- ./burn.sh {x} {y}
good "a contour" plot hot --contour x,y --out contour.svg
check "says so" sh -c 'grep -q "trial [0-9]*, the least violating" contour.svg && ! grep -q ">best" contour.svg'
good "over one and the choice" plot oven --contour x,rack --at 3 --out contour.svg
check "all trials have these choices" sh -c '! grep -q "other choices" contour.svg'
bad 2 'tacit: --pareto draws two objectives, and study bound has 1' plot bound --pareto
bad 2 'tacit: --of: study bound has no outcome "z"' plot bound --of z
bad 2 'tacit: --of is for --contour and for --kind history, slice and importances' plot trade --pareto --of gain
bad 2 'tacit: --pareto and --kind slice are two charts: ask for one' plot trade --pareto --kind slice
bad 2 'tacit: --pareto and --contour are two charts: ask for one' plot trade --pareto --contour x,y
bad 2 'tacit: --pareto is for a study: name it, not the file "trials.csv"' plot trials.csv --pareto
sed 's/"trade"/"empty"/' trade.json > empty.json
good "a study without values" ask empty.json
bad 4 'tacit: the study empty has no completed trial to draw yet' plot empty --pareto

# ---- killed at any time, it goes on with the same points
sed 's/"trade"/"killed"/; s/"sobol"/{"name": "gp-ei", "init": 4}/' trade.json > killed.json
cat > slow.sh <<'T'
#!/bin/sh
echo x >> calls
[ "$(wc -l < calls)" -ne 7 ] || kill -9 "$PPID"
exec ./train.sh "$1"
T
chmod +x slow.sh
"$tacit" optimize killed.json --quiet --storage sqlite:///whole.db -- ./train.sh {x} > out 2> err
"$tacit" optimize killed.json --quiet --storage sqlite:///killed.db -- ./slow.sh {x} > out 2> err && not_ok "it was killed" || ok "it was killed"
good "and goes on" optimize killed.json --quiet --storage sqlite:///killed.db -- ./slow.sh {x}
for s in whole killed; do
    "$tacit" export killed --storage sqlite:///$s.db --quiet 2> err | cut -d, -f1-4,9-12 > $s.csv
done
check "with the same bits" cmp -s whole.csv killed.csv

finish
