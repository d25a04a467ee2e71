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
# A number in front of which the sheet speaks of an epsilon, or how often a guess is right.
claims() { grep -Eq 'epsilon [0-9]|% of the time|epsilon so far' out; }
silent() { ! claims; }
sections() {
    says "## Purpose" "## Who takes part" "## What the document says openly" "## What leaves, and how" "## Who sees what" "## What protects it" \
        "## What is kept, and what can be erased" "## What this relies on" "## Words"
}
first() { test "$(head -n 1 out)" = "$1"; } # LINE: the first of the sheet
# What the sheet of a study that is served, or may be, says of time.
ends() { says "no time is set: nothing of a study is deleted until somebody deletes it" "remote expire"; }

study party '"algorithm": {"name": "dp-fts-de", "features": 20, "initial": 3, "releases": "0,2", "lengthscale": 0.2},
 "federation": {"agents": 50}, "privacy": {"epsilon": 4, "delta": 1e-5}'
check "a party's sheet" sheet party
check "... has every section" sections
check "... and the promise" says "50 parties, each with data" "every agent: epsilon " "right at most 98.3 % of the time" \
    "That is weak protection." "a certain hospital say" "may be right up to 100.0 % of the time" \
    "towards everybody but the coordinator and whoever runs it" "here 1 in 100000 (1e-05)" "| noise |" "times (e^epsilon) as likely" \
    "the coordinator is trusted" "| 0 | the parties' trials | 176 |" "| clip norm |"
check "... and how long" ends
check "... and no sentence about none" test -z "$(grep 'NOT PRIVATE' out)"
run 0 privacy plan party.json --format json
plan=$(sed 's/.*"statement": "\([^"]*\)".*/\1/' out)
check "... in the library's words" sheet party
check "... all of them" grep -qF -- "$plan" out
good "with purpose and limit" privacy sheet party.json --purpose "Dosing in 50 wards" --epsilon 6 --delta 1e-5
check "... which it says" says "Dosing in 50 wards" "This party's own limit, over all studies that share its ledger: epsilon 6 at delta 1e-05"

study shared '"algorithm": {"name": "dp-fts-de"}, "federation": {"agents": 50, "trustees": 5}, "privacy": {"epsilon": 4, "delta": 1e-5}'
check "with trustees" sheet shared
check "... has every section" sections
check "... and how many have to be bad" says "There are 5 trustees: any 4 of them together could open a single party's numbers; the study counts on no more than 1 that works with the coordinator; in a round 1 may be absent." \
    "This holds towards the coordinator, too" "roster is the one that the others have"
study shared3 '"algorithm": {"name": "dp-fts-de"}, "federation": {"agents": 50, "trustees": 3}, "privacy": {"epsilon": 4, "delta": 1e-5}'
check "with three" sheet shared3
check "... all must be there" says "There are 3 trustees: any 3 of them together" "in a round none may be absent."

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
check "... at once" first "**NOT PRIVATE: its document promises nothing.**"
check "... and no epsilon" silent
check "... but every section" sections
study relay '"algorithm": {"name": "fts"}, "federation": {"agents": 5}, "privacy": "none"'
check "a relay" sheet relay
check "... at once" first "**NOT PRIVATE: messages are handed on without noise.**"
check "... and to whom" says "| every other party | single messages of the others, without noise" "| coordinator to every other party |" \
    "its values can be told from them"
check "... and does not say that values stay" test -z "$(grep -E 'values (as such )?stay' out)"
check "... and no epsilon" silent

study records '"algorithm": {"name": "gp-ei"}, "privacy": {"unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error"}'
check "records" sheet records
check "... and what protects them" says "one party with validation records" "every record: epsilon " "right at most 73.2 % of the time" "That is strong protection." \
    "the records that its models were trained on" "the coordinator need not be trusted"
study wards '"algorithm": {"name": "dp-fts-de"}, "federation": {"agents": 3},
 "privacy": {"unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error"}'
check "records of parties" sheet wards
check "... say so" says "3 parties with validation records" "made of values with noise alone" \
    "| other parties | what the messages tell" "| the coordinator and its operator |" "## What each evaluation of a party costs" \
    "| the coordinator's ledger and log |" "| evaluation | what it is about | epsilon | epsilon so far |"
check "... and nothing of sums" test -z "$(grep -E 'bytes of a message|round by round|sums' out)"
check "... but how long" ends

study doses '"algorithm": {"name": "ldp-tgp", "epsilon": 0.5, "answers": 2}'
check "private replies" sheet doses
check "... of one user" says "every user: epsilon 1, delta 0 (pure) over 2 releases" "right at most 73.2 % of the time" "That is strong protection." \
    "the server need not be trusted" "| 1 | a reply | 0.5 | 1 |"
study rows '"algorithm": {"name": "po-gp-ucb"}'
check "outsourced rows" sheet rows
check "... are the curator's" first "**NOT PRIVATE: its document promises nothing. The curator chooses what is promised when the rows are released (tacit curate release --epsilon), and the curator's ledger says what that was.**"
check "... and no epsilon" silent
study plain '"algorithm": {"name": "gp-ei"}'
check "a plain study" sheet plain
check "... at once" first "**NOT PRIVATE: its document promises nothing, and values are stored and shown as they are.**"
check "... and no epsilon" silent

printf '{"name": "trade", "trials": 6, "space": {"x": {"type": "float", "low": 0, "high": 1}, "y": {"type": "float", "low": 0, "high": 1}},
 "linear": ["x + 2*y <= 2"], "objectives": {"error": "minimize", "latency": "minimize"}, "constraints": {"memory": {"max": 512}}}' > trade.json
check "several outcomes and a linear constraint" sheet trade
check "... are named" says '`x + 2*y <= 2`' "Each trial is told several values" "error, latency, memory."

# (e^eps + delta) / (1 + e^eps), which delta moves, rounded up.
study slack '"algorithm": {"name": "dp-fts-de", "vote": "no"}, "federation": {"agents": 8}, "privacy": {"epsilon": 1, "delta": 0.1}'
good "a large delta" privacy sheet slack.json --format json
check "... counts" python3 -c '
import json, math
p = json.load(open("out"))["promise"]
exact = (math.exp(p["epsilon"]) + p["delta"]) / (1 + math.exp(p["epsilon"]))
assert p["delta"] == 0.1 and exact <= p["right_at_most"] <= exact + 0.001, p
assert p["right_at_most"] > 0.755 and p["strength"] == "moderate protection", p'

for name in party none relay records wards doses rows plain trade; do
    good "$name as JSON" privacy sheet $name.json --format json
    check "... of $name" python3 -c '
import json, sys
j = json.load(open("out"))
assert j["study"] == sys.argv[1] and j["data_flow"] and j["who_sees_what"] and j["kept"] and j["assumptions"] and j["words"] and j["open"]["parameters"]
assert (j["promise"] is None) == (j["not_private"] is not None), j["promise"]
assert j["promise"] is not None or all(r["epsilon"] is None for r in j["rounds"])' $name
done
bad 2 "a sheet is Markdown (table) or JSON, and no CSV" privacy sheet party.json --format csv
bad 2 "--epsilon needs --delta, as an agent's limit does" privacy sheet party.json --epsilon 6
bad 2 "--delta is of --epsilon, which is missing" privacy sheet party.json --delta 0.1
for name in plain doses rows; do
    bad 2 "--epsilon is the limit of an agent, and study $name has no agents" privacy sheet $name.json --epsilon 3 --delta 1e-5
done
for name in none relay; do
    bad 2 "--epsilon limits what is counted, and study $name is not private: nothing in it is" \
        privacy sheet $name.json --epsilon 3 --delta 1e-5
done
bad 2 "--purpose must be one line of text, without control characters" privacy sheet party.json --purpose "a
## b"
bad 3 "nowhere.json" privacy sheet nowhere.json
study broken '"algorithm": {"name": "dp-fts-de"}, "federation": {"agents": 50}, "privacy": {"epsilon": 4}'
bad 2 "delta" privacy sheet broken.json
finish
