#!/bin/sh
# simulate_federated_test.sh - tacit simulate for federations, from outside: what it prints and
# writes, the privacy it reports, an end at SIGTERM, resuming after kill -9, and every kind of bad input.
#
# Needs TACIT_BIN (default: tacit in PATH), a POSIX shell, grep, sed and awk; KILL_AT (default:
# ./libkill_at.so, which the build makes) for a kill at a chosen write. Prints one "ok" or "not ok"
# line per check; the exit status is 0 only if all are ok.
set -u

preload=$(realpath "${KILL_AT:-./libkill_at.so}")
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"
. "$(dirname "$0")/../support/simulate.sh"

# bad CODE TEXT WORD...: exits with CODE, says one sentence with TEXT, adds no file
bad() { check "refused ($1): $2" leaving_nothing refused "$@"; }

says() {
    grep -qF -- "$1" out
}

# field KEY: the first number after "KEY": in out
field() {
    sed -n "s/.*\"$1\":\\(-\\{0,1\\}[0-9][-+.0-9e]*\\).*/\\1/p" out
}

# within X LOW HIGH
within() {
    awk -v x="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(x != "" && x >= low && x <= high) }'
}

: > out
: > err

# ---- the privacy that is reported

# The model on shared features: many agents take little time, and every kind of message is possible.
small="--algorithm dp-fts-de --agents 8 --rounds 6 --runs 3 --seed 1 --set own=features --set initial=10 --set features=20 --tell constants --quiet"
paper="--algorithm dp-fts-de --agents 200 --rounds 40 --runs 1 --seed 1 --set own=features --set initial=10 --set features=10 --set mode=paper
    --set sampling_rate=0.25 --set noise_multiplier=1 --set releases=all --delta 0.00294352"
good "the paper's setting, pld" $paper --format json
check "a delta above 1/N^2 is warned of" grep -q 'warning: delta 0.00294352 is above 1/N^2' err
check "in the result as well" says '"warning":"delta 0.00294352 is above 1/N^2 = 2.5e-05 for 200 agents"'
check "epsilon is 7.05" within "$(field epsilon)" 7.045 7.055
check "over 40 releases" says '"accountant":"pld","bound":"pld","releases":40'
check "the ledger has the broadcasts that left" says '"releases":40,"refusals":0'
check "each agent sent 40 messages" says '"messages":{"count":8000,'
check "of which run is said" says '"of_run":0}'
check "epsilon by round has 40 numbers, none falls" awk '
    match($0, /"by_round":\[[^]]*/) { n = split(substr($0, RSTART + 12, RLENGTH - 12), e, ",")
        bad = n != 40; for (i = 2; i <= n; i++) bad += e[i] + 0 < e[i - 1] + 0; exit bad != 0 }' out
check "a seeded run is not private" says '"privacy":{"private":false,"reason":"seeded","statement":"NOT PRIVATE: seeded.'
check "the statement says what is not protected" says 'Not protected: being on the roster, being online'
good "the paper's setting, moments" $paper --accountant moments --quiet --format json
check "where quiet silences only the other" says '"warning":"delta 0.00294352 is above 1/N^2'
check "which it does" [ ! -s err ]
check "epsilon is 9.91" within "$(field epsilon)" 9.9 9.915

good "a table" $small
check "says what was run" says "dp-fts-de on gp-family in 1 dimension: 8 agents, 6 rounds, 3 runs, seed 1"
check "by which constants" says "N_init 10, z 1, releases"
check "iteration 0 is there, after ten evaluations" grep -q '^        0           10  .* ± .*  0 ± 0 .*  0$' out
check "the last after sixteen" grep -q '^        6           16  ' out
check "they are named" grep -q '^iteration  evaluations  simple regret  *cumulative regret  *epsilon' out
check "that it is not private" says "NOT PRIVATE: seeded. If deployed: every agent: epsilon"
check "how much was sent" says "Each agent sent 6 messages, "
check "P and S are those that run" grep -q '^N_init 10, z 1, releases all, P 4, S 6.95701, ' out
good "some messages do not arrive" $small --drop 0.2
check "and are counted" grep -q '^[0-9]* of the 48 messages of the first run were lost\.$' out
good "a round that never comes" $small --set releases=6
check "releases nothing, and that is said" says "No round releases: every agent searched alone."
bad 2 "releases=6 has no round among the 6 that are planned" $small --set releases=6 --epsilon 1
good "no noise" $small --set noise_multiplier=0 --format json
check "has no guarantee" says '"if_deployed":null'
check "and says so" says "If deployed, there would be no guarantee either: no noise is added"
good "a relay" --algorithm fts --agents 5 --rounds 5 --runs 2 --quiet --format json
check "has no guarantee" says '"if_deployed":null'
check "because it hands messages on" says "messages are handed on as they are, without noise"
good "a relay's table" --algorithm fts --agents 5 --rounds 5 --runs 2 --quiet
check "has the model that runs" says "N_init 3, own gp, lengthscale usual (0.1)"
check "and no theorem" sh -c '! grep -q "Theorem 1" out'
good "what an agent alone would do" --algorithm fts --agents 5 --rounds 5 --runs 2 --quiet --set reads=0
check "reads nothing" says "and read 0, 0 bytes, in the first run."
bad 2 "schedule is for own=features, and own is gp" --algorithm fts --agents 5 --rounds 5 --runs 2 --set schedule=inverse
bad 2 "reads is for own=gp, and own is features" --algorithm fts --agents 5 --rounds 5 --runs 2 --set own=features --set reads=3
good "a relay's table with a past" --algorithm fts --set own=features --agents 5 --rounds 5 --runs 2 --quiet --past 12 --drop 1
check "has the p_1 that runs" says "N_init 3, own features, schedule sqrt, p_1 0.292893"
check "whether the theorem is about it" says "Theorem 1's condition on p_t: fails at t = 2."
check "messages of the past can be lost" says "5 of the 5 messages of the first run were lost."
check "and are not read then" says "and read 0, 0 bytes, in the first run."
good "a smaller p_1" --algorithm fts --set own=features --agents 5 --rounds 5 --runs 2 --quiet --set p1=0.1
check "fulfils the condition" says "Theorem 1's condition on p_t: holds with beta_t = 1, up to t = 5."
good "everybody alone" --algorithm ts --agents 3 --rounds 4 --runs 2 --quiet
check "nothing leaves" says "Every agent searched alone: nothing left it."

good "a promise" $small --epsilon 2 --delta 1e-3 --format json
check "is kept" within "$(field epsilon)" 1.9 2
check "at its delta" says '"delta":0.001,'
good "the default delta" $small --set releases=first --format json
check "is min(1e-5, 1/N^2)" says '"delta":1e-05,'
check "of which nobody is warned" says '"warning":null'
check "the kind of message is the one that is sent" says '"message":"mean"'
check "the objective is the one that was used" says '"noise":"gaussian","noise-scale":0.1,"lengthscale":0.03,"grid":1000,'
good "without noise" $small --set noise_multiplier=0 --format json
check "draws are sent" says '"message":"draw"'

# ---- what is chosen where nothing is said

few="--algorithm dp-fts-de --agents 4 --runs 1 --seed 1 --grid 100 --set features=10 --set lengthscale=0 --quiet"
good "as many initial points as rounds ask for" $few --rounds 9
check "is said, and the model, and the length-scale" says "N_init 4, z 1, releases all, P 1, S 2.2, own gp, lengthscale usual (0.1)"
check "and nothing that this model does not use" sh -c '! grep -q "schedule\|p_1" out'
good "fewer rounds" $few --rounds 6 --format json
check "fewer points" says '"initial":3,"trials":9,'
check "spread over all of the domain" says '"init":"domain"'
check "by agents with a process of their own" says '"own":"gp"'
good "in two dimensions" $few --rounds 6 --dim 2 --grid 10
check "the usual length-scale is longer" says "lengthscale usual (0.168)"
good "where a vote is worth its price" $few --rounds 6 --epsilon 40 --delta 0.01
check "there is one" says "lengthscale by vote"
check "which is one of two releases" says "over 2 releases"
good "the model on features" $few --rounds 6 --set own=features --format json
check "begins in sub-regions" says '"init":"region"'
good "beside it" $few --rounds 9 --versus "dp-fts-de,own=features; ts"
check "all begin with as many points" [ "$(grep -c '^   N_init 4\(,\|$\)' out)" -eq 3 ]
check "and its schedule is said" grep -q '^   N_init 4, .*own features, schedule sqrt' out

# ---- one plan, one result

base="$small --drop 0.2 --format json"
good "one thread" $base --threads 1
cp out one.json
for threads in 2 3; do
    good "$threads threads" $base --threads $threads
    cp out more.json
    check "the same bits with $threads threads" cmp one.json more.json
done
good "a single run" $base --runs 1 --threads 1
cp out one.json
good "whose agents share three threads" $base --runs 1 --threads 3
cp out more.json
check "has the same bits" cmp one.json more.json
check "some of its 48 messages are lost" within "$(field lost)" 2 20

good "written to files" $small --out r.csv --by-agent agents.csv
check "one row per iteration" [ "$(wc -l < r.csv)" -eq 8 ]
check "with a label, agents and epsilon" grep -q '^label,algorithm,objective,agents,runs,seed,iteration,.*,epsilon,delta,statement,evaluations$' r.csv
check "and evaluations from the initial points on" awk -F, '
    NR > 1 && $NF != 8 + NR { bad = 1 } END { exit bad || $NF != 16 }' r.csv
check "by agent, too" awk -F, 'NR == 1 { bad = $6 != "evaluations" } NR > 1 && $6 != $3 + 10 { bad = 1 } END { exit bad }' agents.csv
check "the last row has the statement" awk -F, 'END { exit !/NOT PRIVATE: seeded/ }' r.csv
check "by agent: runs x agents x iterations" [ "$(wc -l < agents.csv)" -eq $((1 + 3 * 8 * 7)) ]
check "whose mean over agents and runs is the curve" awk -F, '
    FNR == NR { if ($3 == 6) { sum += $4; n++ } next } $7 == 6 { d = sum / n - $8; exit !(d < 1e-12 && d > -1e-12) }' agents.csv r.csv
good "written as JSON" $small --out one.json
good "and again" $small --out two.json
check "to the same bytes" cmp one.json two.json
check "which are those on standard output" run 0 $small --format json
check "to the last" cmp one.json out
good "printed as CSV" $small --format csv
check "is the file" cmp out r.csv

# ---- only some agents act

# some OPTION...: in agents.csv and more.csv, the rows of the first three agents when all act, and when they alone do
some() {
    run 0 $small "$@" --by-agent all.csv --format json || return 1
    cp out all.json
    run 0 $small "$@" --acting 3 --by-agent more.csv --format json || return 1
    awk -F, 'NR == 1 || $2 < 3' all.csv > agents.csv
}
for releases in first 0,3 all; do
    check "three of eight agents act, releases=$releases" some --set releases=$releases --drop 0.2
    check "by the same bits" cmp agents.csv more.csv
    check "there are three of them" [ "$(wc -l < more.csv)" -eq $((1 + 3 * 3 * 7)) ]
    check "that is said" says '"agents":8,"acting":3,"runs":3,'
    sed 's/.*"messages"//' all.json > a
    sed 's/.*"messages"//' out > b
    check "messages and price are those of all" cmp a b
done
good "as many as there are" $small --acting 8 --format json
mv out some.json
good "is everybody" $small --format json
check "and the same simulation" cmp some.json out
good "a table of some" $small --acting 3 --set releases=first --versus ts
check "says how many" says "2 algorithms on gp-family in 1 dimension: 8 agents, 3 of them acting, 6 rounds, 3 runs, seed 1"
good "the messages of some" $small --acting 3 --set releases=first
check "are those of all" says "Each agent sent 1 message, "
good "a relay with a past" --algorithm fts --agents 5 --acting 2 --past 4 --rounds 2 --runs 2 --quiet
bad 2 "--acting does not go with fts, whose agents read messages of all others, unless these come from earlier studies: --past N" \
    $small --acting 3 --versus "ts; fts"
bad 2 "read messages of later rounds: acting must be 0, got 2" \
    --algorithm fts --set mode=general --agents 5 --acting 2 --past 4 --rounds 4 --runs 2 --quiet
bad 2 "--acting must be at most --agents, which is 8, not 9" $small --acting 9
bad 2 "--acting does not go with --pulls: bandits only pull" --algorithm hct --pulls 100 --acting 1
bad 2 'acting must be a whole number in [1, 16777216], got "0"' $small --acting 0
rm -f all.csv all.json some.json more.csv

# ---- several algorithms in one call

versus="ts; dp-fts-de,regions=1,noise_multiplier=0; dp-fts-de,releases=0,2; random"
good "a comparison" $small --versus "$versus" --out c.csv
check "names all of them" says "5 algorithms on gp-family"
check "an item inherits what it does not say" awk '
    /^   N_init 10, z 0, .*P 1, / { line = NR } line && NR <= line + 1 && /features 20/ { found = 1 } END { exit !found }' out
check "commas inside a value are kept" grep -q '^   N_init 10, z 1, releases 0,2, ' out
check "a column each" grep -q '^iteration  evaluations  A  *B  *C  *D  *E' out
good "who begins with fewer points" $small --versus "dp-fts-de,initial=4"
check "is not at the same number of evaluations" grep -q '^iteration  A  *B' out
good "a comparison" $small --versus "$versus" --out c.csv
check "ratios of later ones to the first" grep -q '^B / A  *1  ' out
check "three runs have no interval" grep -q '^B / A  *1  [0-9.]*  *–  *[0-9.]*$' out
check "and why is said" says "–: an interval takes 5 runs, and there are 3."
check "the file has a row for each and iteration" [ "$(wc -l < c.csv)" -eq $((1 + 5 * 7)) ]
good "a comparison as JSON" $small --versus "$versus" --format json
check "results and ratios" grep -q '^{"results":\[{"label":"dp-fts-de.*"ratios":\[{"label":"ts","over":"dp-fts-de' out
check "no interval is null" says '"low":null,"high":null,"p":'
cp out c.json
sed -n 's/.*"label":"random","algorithm"\(.*\)"messages".*/\1/p' c.json > a
good "alone" --algorithm random --agents 8 --rounds 6 --runs 3 --seed 1 --quiet --format json
sed -n 's/.*"label":"random","algorithm"\(.*\)"messages".*/\1/p' out > b
check "an algorithm does not depend on its company" cmp a b
good "five runs" $small --runs 5 --versus ts
check "have intervals" grep -q '^B / A  *1  [0-9.]*  *[0-9.]* to [0-9.]*  ' out
check "and nothing to explain" sh -c '! grep -q "^–: " out'
good "who begins with uniform points" --algorithm fts --set own=features --set initial=10 --set features=8 --agents 6 --rounds 2 --runs 3 --seed 3 --quiet \
    --versus "rgpe,own=features,features=8; taf,own=features,features=8; dp-fts-de,own=features,init=domain,features=8; ts,start=uniform; random"
check "begins with the same ones" awk '$1 == "0" && $2 == "10" && $4 == "±" { same = 1
    for (i = 3; i <= 20; i += 3) same = same && $i == $3 && $(i + 2) == $5; exit }
    END { exit !same }' out
good "promises of items" $small --epsilon 4 --delta 1e-3 --versus "dp-fts-de,epsilon=1; dp-fts-de,mode=paper" --format json
check "the second keeps its own" grep -q '"label":"dp-fts-de,epsilon=1".*"epsilon":\(1\|0.99\)' out
"$tacit" plot c.csv --out c.svg 2> err
check "plot draws every curve of a CSV" [ "$(grep -c '>dp-fts-de,regions=1,noise_multiplier=0<' c.svg)" -ge 1 ]
"$tacit" plot c.json > out 2> err
check "and of a JSON file" grep -q '>random<' out

# ---- warm start

warm="--algorithm ts --agents 3 --rounds 3 --runs 2 --objective garland --quiet"
for agent in 0 1 2; do
    for x in 0 0.5 1; do echo "$agent,$x,0.25"; done
done > rows
{ echo agent,x1,value; cat rows; } > warm.csv
good "a warm start" $warm --warm warm.csv --set init=1 --format json
check "begins with what is known" says '"initial":3,'
good "what is known is released once" --algorithm dp-fts-de --agents 3 --rounds 2 --runs 1 --objective garland --quiet \
    --warm warm.csv --set initial=1 --set features=10 --set releases=all --format json
check "rounds count from the first query" says '"releases":2,"refusals":0'
check "trials that are known are initial ones" says '"initial":3,"trials":5,'
good "a promise is for the rounds that come" --algorithm dp-fts-de --agents 3 --rounds 2 --runs 1 --objective garland --quiet \
    --warm warm.csv --set initial=1 --set features=10 --set releases=all --epsilon 2 --delta 1e-3 --format json
check "two leave, none is refused" says '"releases":2,"refusals":0'
check "and the promise is kept" within "$(field epsilon)" 1.9 2
{ cat warm.csv; echo 3,0.5,1; } > unknown.csv
bad 2 'agent must be a number from 0 to 2, got "3"' $warm --warm unknown.csv
{ echo agent,x2,value; cat rows; } > column.csv
bad 2 '"x2" is neither agent, value nor a parameter of the objective (x1)' $warm --warm column.csv
echo agent,x1,value > empty.csv
bad 2 'there is a header and no trial' $warm --warm empty.csv
bad 2 '--drop is for algorithms whose agents send messages, and ts is none of them' $warm --drop 0.1
{ echo x1,value; echo 0,1; } > without.csv
bad 2 'the header has no column "agent"' $warm --warm without.csv
{ echo agent,x1,value; echo 0,2,1; } > outside.csv
bad 2 "outside.csv: row 2" $warm --warm outside.csv
{ echo agent,x1,value; echo 0,0.5,much; } > word.csv
bad 2 'value must be a finite number, got "much"' $warm --warm word.csv
head -n 3 warm.csv > few.csv
bad 2 "all must be given as many" $warm --warm few.csv
bad 3 "absent.csv" $warm --warm absent.csv
rm rows empty.csv unknown.csv column.csv without.csv outside.csv word.csv few.csv

# ---- interrupted and resumed

long="--algorithm dp-fts-de --agents 40 --rounds 20 --runs 24 --seed 3 --set own=features --set features=30 --threads 2 --quiet --format json"
good "an undisturbed simulation" $long
cp out calm.json
env LD_PRELOAD="$preload" TACIT_KILL_AT=12 "$tacit" simulate $long --checkpoint half > out 2> err
check "killed at its twelfth write" [ $? -eq 137 ]
runs=$(($(wc -l < half) - 1))
check "killed between its runs ($runs of 24 are kept)" within "$runs" 1 23
good "the same command goes on" $long --checkpoint half
cp out resumed.json
check "as if nothing had happened" cmp calm.json resumed.json
good "and has nothing left to do" $long --checkpoint half
cp out resumed.json
check "with the same result" cmp calm.json resumed.json
bad 4 "seed, privacy, trustees, drop, past, acting, value units, warm and by-agent must be the same" $long --drop 0.1 --checkpoint half
bad 4 "half" --algorithm dp-fts-de --agents 40 --rounds 20 --runs 24 --seed 4 --checkpoint half --quiet
"$tacit" simulate $long --runs 2000 --checkpoint stop > out 2> err &
pid=$!
await test -s stop
kill -TERM $pid # as Ctrl-C; but a script's background jobs ignore SIGINT
wait $pid
check "an interruption ends with 130" [ $? -eq 130 ]
check "and says how to go on" grep -q 'tacit: interrupted; finished runs are in stop, and the same command goes on after them; a run that was not finished begins anew$' err

# ends WORD...: at SIGTERM it ends, in the middle of its first run; the checkpoint shows that it has begun
ends() {
    rm -f began ended
    (
        "$tacit" simulate "$@" --quiet --checkpoint began > out 2> err &
        echo $! > pid
        wait $!
        echo $? > ended
    ) &
    await test -s began && kill -TERM "$(cat pid)" && await test -s ended || kill -KILL "$(cat pid)"
    wait
    [ "$(cat ended)" -eq 130 ]
}
check "an endless past is interrupted" ends --algorithm fts --agents 8 --rounds 3 --runs 2 --past 1000000
check "that of one run too" ends --algorithm fts --agents 8 --rounds 3 --runs 1 --past 1000000 --threads 2
check "and endless rounds" ends --algorithm rgpe --agents 300 --rounds 10000 --runs 2
check "nothing is printed then" [ ! -s out ]
"$tacit" simulate $small --versus "random; ts" --checkpoint each > out 2> err
check "a checkpoint for each algorithm" wc -c each each.2 each.3 > /dev/null

# ---- a study document

space='"space": {"x": {"type": "float", "low": 0, "high": 1}}'
study() { # REST
    printf '{"name": "s", "direction": "maximize", "seed": 5, "trials": 14, %s, %s}\n' "$space" "$1" > s.json
}
study '"algorithm": {"name": "dp-fts-de", "features": 20}, "federation": {"agents": 6, "deadline_s": 60}, "privacy": {"epsilon": 3, "delta": 0.001}'
good "a federated study" s.json --runs 2 --quiet --format json
check "evaluations follow the initial points" says '"evaluations":[4,5,6,7,8,9,10,11,12,13,14],'
check "agents, trials and seed are the document's" says '"agents":6,"runs":2,"initial":4,"trials":14,"seed":5'
check "so is the promise" within "$(field epsilon)" 2.9 3
good "another model than the document's" s.json --runs 1 --set own=features --quiet --format json
check "begins as that model does" says '"init":"region"'
good "the command line wins" s.json --runs 2 --agents 4 --rounds 2 --set noise_multiplier=5 --quiet --format json
check "over all of it" says '"agents":4,"runs":2,"initial":3,"trials":5,'
"$tacit" optimize s.json -- true > out 2> err
check "optimize has no coordinator for it" [ $? -eq 8 ]
check "and says so" grep -q '^tacit: s is a study of 6 agents: tacit simulate runs it' err
check "and leaves no storage" [ ! -e tacit.db ]
study '"algorithm": {"name": "dp-fts-de", "features": 20}, "federation": {"agents": 6}, "privacy": {"noise_multiplier": 2}'
good "a noise multiplier" s.json --runs 2 --quiet --format json
check "is set" says '"noise_multiplier":2.0'
study '"algorithm": {"name": "dp-fts-de", "features": 20}, "federation": {"agents": 6}, "privacy": "none"'
good "no privacy, said on purpose" s.json --runs 2 --quiet --format json
check "adds no noise" says '"noise_multiplier":0.0'
study '"algorithm": "fts", "federation": {"agents": 6}, "privacy": {"epsilon": 1, "delta": 0.001}'
bad 2 "the algorithm fts promises nothing; use dp-fts-de" s.json
study '"algorithm": "dp-fts-de"'
bad 2 "algorithm dp-fts-de is for a federation of agents; one party alone may use ts" s.json
study '"algorithm": "ts", "federation": {"agents": 0}'
bad 2 "federation.agents must be a whole number" s.json
study '"algorithm": "ts", "privacy": "none"'
bad 2 '"federation" is missing' s.json

# ---- objectives

"$tacit" objectives > out 2> err
check "objectives lists families" grep -q '^gp-family ' out
check "and tables" grep -q '^table:FILE.csv ' out
"$tacit" objectives gp-family > out 2> err
check "a family in detail" grep -q '^candidates  *1000$' out

# ---- bad input

bad 2 'agents must be a whole number in [1, 16777216], got "0"' --algorithm dp-fts-de --agents 0
bad 2 'drop must be a number in [0, 1], got "1.5"' $small --drop 1.5
bad 2 '--past is for algorithms that hand messages on' $small --past 5
bad 2 'rounds must be a whole number in [1, 10000000], got "-1"' $small --rounds -1
bad 2 'epsilon must be a number in (0, 1000000], got "0"' $small --epsilon 0
bad 2 "algorithm dp-fts-de is for a federation of agents: say of how many with --agents" --algorithm dp-fts-de
bad 2 "is for a federation of agents" --algorithm ts --versus fts
bad 2 "--trials is for one party; a federation has --rounds" --algorithm ts --agents 2 --trials 5
bad 2 "delta must be below 1/N = 0.125 for 8 agents, got 0.2" $small --delta 0.2
bad 2 "the algorithm ts promises nothing; use dp-fts-de" --algorithm ts --agents 5 --epsilon 1
bad 2 "--epsilon and --set noise_multiplier must not both be given" $small --epsilon 1 --set noise_multiplier=2
bad 8 'accountant "gaussian" has no formula' $small --runs 1000000 --rounds 100000 --set sampling_rate=0.5 --accountant gaussian
bad 8 "gaussian" $small --set sampling_rate=0.5 --accountant gaussian
bad 2 'there is no algorithm "tss"; did you mean "ts"?' $small --versus "random; tss"
bad 2 "--versus has an item without a name" $small --versus "ts;;random"
bad 2 "--versus has an item without a name" $small --versus ""
bad 2 '--versus: "regions" after dp-fts-de is not OPTION=VALUE' $small --versus "dp-fts-de,regions"
bad 2 'has no option "region"' $small --versus "dp-fts-de,region=1"
bad 2 '--versus: epsilon must be a number in (0, 1000000], got "no"' $small --versus "dp-fts-de,epsilon=no"
bad 2 "--versus: dp-fts-de has epsilon and noise_multiplier" $small --versus "dp-fts-de,epsilon=1,noise_multiplier=1"
bad 2 "the algorithm ts promises nothing" $small --versus "ts,epsilon=1"
bad 2 'objectives "gp-famly"; did you mean "gp-family"?' $small --objective gp-famly
bad 3 "absent.csv" $small --objective table:absent.csv
bad 3 "--out no/such/file.csv: there is no such folder" $small --out no/such/file.csv
bad 3 "--by-agent no/such/file.csv: there is no such folder" $small --by-agent no/such/file.csv

# ---- records: every round is about its own

records="--algorithm dp-pf-pne --set protect=record --set gap=0.1 --agents 8 --rounds 200 --runs 2 --objective garland --quiet"
good "rewards are protected" $records --epsilon 1 --delta 1e-5
check "all rounds cost what one does" grep -q 'every row: epsilon \(1\|0\.9999[0-9]*\), delta 1e-05' out
check "and there were several" grep -q 'over 4 releases' out
check "no reward is in two" grep -q 'no reward is in two releases' out
good "beside agents" $records --epsilon 1 --delta 1e-5 --versus "dp-pf-pne,protect=client"
check "each says whose" grep -q 'if deployed: every row: epsilon' out
bad 2 "with protect=record, noise_multiplier must be in [0.001, 2000], got 5000" $records --set noise_multiplier=5000

# ---- trustees

printf '{"name": "w", "direction": "minimize", "trials": 8, "space": {"x": {"type": "float", "low": 0, "high": 1}},
    "algorithm": {"name": "dp-fts-de", "initial": 3}, "federation": {"agents": 8, "trustees": {"count": 6, "colluding": 2}},
    "privacy": {"epsilon": 4, "delta": 1e-3}}' > w.json
good "trustees of a document" w.json --runs 2 --quiet
check "are said" grep -q '^6 trustees add up what agents send and deal the noise: any 5 answers open a sum,$' out
check "and against whom they protect" sh -c "tr '\\n' ' ' < out | grep -q 'coordinator, up to 2 of the 6 trustees and any set of other agents'"
check "nobody is said to see vectors" sh -c '! grep -q "which sees the vectors" out'
good "others are given" w.json --runs 2 --trustees 3 --quiet
check "and said" grep -q '^3 trustees add up what agents send and deal the noise' out
good "for programs" w.json --runs 2 --trustees 3 --quiet --format json
check "with their terms and bytes" grep -q '"trustees":{"count":3,"degree":2,"colluding":1,"dealers":3,"absent":0,"noticed":0,"named":0,"noise":1.22474487139' out
good "beside a coordinator" w.json --runs 2 --quiet --versus "dp-fts-de,trustees=0; dp-fts-de,trustees=3"
check "who is trusted" grep -q 'which sees the vectors' out
check "each says against whom" grep -q '^C: the guarantee is that of a deployment, for every agent. Neighbours: all' out
bad 4 "seed, privacy, trustees, drop, past, acting, value units, warm and by-agent must be the same" $long --trustees 3 --checkpoint half

# ---- tables

printf 'x1,value_1,value_2\n0,1,2\n1,2,1\n' > two.csv
good "a table of two agents" --algorithm random --agents 2 --rounds 2 --runs 2 --objective table:two.csv --quiet
bad 2 "two.csv" --algorithm random --agents 3 --rounds 2 --runs 2 --objective table:two.csv --checkpoint new --quiet

finish
