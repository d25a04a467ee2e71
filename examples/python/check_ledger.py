#!/usr/bin/env python3
"""Computes the epsilons of an exported ledger again, with dp_accounting alone.

    tacit privacy export LEDGER --delta 1e-5 > ledger.json
    pip install dp-accounting
    python3 check_ledger.py ledger.json

For every claim of the file: the events of its unit are put together from the entries, under the relation that
they state, and compared with what the file says that they compose to. Then epsilon at the claim's delta is
computed by dp_accounting's privacy loss distributions. tacit's number must be that one, within the tolerance,
where it comes from the same kind of accountant; and must not be below it where it is a bound that is known to
be larger (Renyi divergences, filters, groups of two, noise on a grid).

Events for adding or removing a record are charged for replacing one as a group of two. An upper bound for it
follows from the curve of one step, delta'(e) <= (1 + exp(e/2)) delta(e/2); a lower one is dp_accounting's own
replace-one distribution, of one pair of neighbours. tacit's number must lie between them.

Hashes are not looked at: `tacit privacy status ledger.json` does that. Exit code 0: all claims are confirmed;
1: one is not; 2: not such a file; 3: there is no dp_accounting.
"""

import argparse
import json
import math
import sys

INTERVAL = 1e-4  # of losses, where there are many events; fewer have a finer one


class NotALedger(Exception):
    pass


def kind(event, count=1, rate=1.0, group=1):
    """The event as (mechanism, parameter, rate, group) and how often it happens."""
    name = event["dp_event"]
    if name == "SelfComposed":
        return kind(event["event"], count * event["count"], rate, group)
    if name == "PoissonSampled":
        return kind(event["event"], count, event["sampling_probability"], event.get("group_size", 1))
    if name == "Gaussian":
        return (name, event["noise_multiplier"], rate, group), count
    if name in ("Laplace", "RandomizedResponse"):
        return (name, event["epsilon"], rate, group), count
    if name == "NonPrivate":
        return (name, 0.0, 1.0, 1), count
    raise NotALedger(f'no formula for the event "{name}"')


def replaced(key):
    """What an event for adding or removing a member costs for replacing one."""
    name, parameter, rate, _ = key
    if name == "NonPrivate":
        return key
    if rate < 1:
        return (name, parameter, rate, 2)
    return (name, parameter / 2 if name == "Gaussian" else parameter * 2, 1.0, 1)


def about_agents(key):
    """What a release about an agent costs a part of it: all that it contributes may become anything."""
    name, parameter, _, _ = key
    if name == "Gaussian":
        return (name, parameter / 2, 1.0, 1)
    if name == "RandomizedResponse":
        return (name, parameter * 2, 1.0, 1)
    return ("NonPrivate", 0.0, 1.0, 1)


def charged(entry, unit):
    key, count = kind(entry["event"])
    if entry["unit"] != unit:
        return about_agents(key), count
    if unit != "agent" and entry["relation"] == "add-remove":
        return replaced(key), count
    return key, count


def events_of(entries, unit, subject):
    """All that one unit is charged for, from the entries alone."""
    sums = {}
    for entry in entries:
        mine = entry["unit"] == unit and entry["subject"] in (None, subject)
        if not mine and not (entry["unit"] == "agent" and unit != "agent"):
            continue
        key, count = charged(entry, unit)
        if count > 0:
            sums[key] = sums.get(key, 0) + count
    return sums


def composed_events(composed):
    sums = {}
    for event in composed["event"]["events"]:
        key, count = kind(event)
        if count > 0:
            sums[key] = sums.get(key, 0) + count
    return sums


def distribution(sums, relation=None):
    """dp_accounting's distribution of the privacy loss of all events."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    interval = INTERVAL if sum(sums.values()) > 100 else INTERVAL / 10
    total = None
    for (name, parameter, rate, _), count in sums.items():
        if name == "Gaussian":
            more = {} if relation is None or rate == 1 else {"neighboring_relation": relation}
            one = pld.from_gaussian_mechanism(
                parameter, sampling_prob=rate, value_discretization_interval=interval, **more
            )
        elif name == "Laplace":
            one = pld.from_laplace_mechanism(
                1 / parameter, sampling_prob=rate, value_discretization_interval=interval
            )
        elif rate == 1:
            one = pld.from_randomized_response(
                2 / (1 + math.exp(parameter)), 2, value_discretization_interval=interval
            )
        else:
            raise NotALedger("a sample of a pure mechanism has no distribution here")
        one = one.self_compose(count)
        total = one if total is None else total.compose(one)
    return total


def half(sums):
    """One of the two steps of a replacement; None where a mechanism has no middle."""
    out = {}
    for (name, parameter, rate, group), count in sums.items():
        if group == 1 and name == "RandomizedResponse":
            return None
        if group == 1:
            parameter = parameter * 2 if name == "Gaussian" else parameter / 2
        key = (name, parameter, rate, 1)
        out[key] = out.get(key, 0) + count
    return out


def group_of_two(sums, delta):
    """The least epsilon with (1 + exp(epsilon/2)) delta(epsilon/2) <= delta, by bisection."""
    one = half(sums)
    if one is None:
        return math.inf
    loss = distribution(one)
    low, high = 0.0, 1.0
    while (1 + math.exp(high)) * loss.get_delta_for_epsilon(high) > delta:
        high *= 2
        if high > 300:
            return math.inf
    for _ in range(60):
        middle = (low + high) / 2
        enough = (1 + math.exp(middle)) * loss.get_delta_for_epsilon(middle) <= delta
        low, high = (low, middle) if enough else (middle, high)
    return 2 * high


def recomputed(sums, delta):
    """Between which epsilons the claim must lie by dp_accounting's word: least and most."""
    from dp_accounting import NeighboringRelation

    if not any(group > 1 for (_, _, _, group) in sums):
        epsilon = distribution(sums).get_epsilon_for_delta(delta)
        return epsilon, epsilon
    least = distribution(sums, NeighboringRelation.REPLACE_ONE).get_epsilon_for_delta(delta)
    return least, group_of_two(sums, delta)


def pure_sum(sums):
    return sum(count * parameter for (_, parameter, _, _), count in sums.items())


def verdict(claim, sums, distance, tolerance):
    """None, or why the claim is not confirmed; and a line about it."""
    if any(name == "NonPrivate" for (name, _, _, _) in sums) or not claim["private"]:
        why = None if claim["epsilon"] is None else "an epsilon is claimed of what is not private"
        return why, "not private, and no epsilon is claimed"
    if claim["epsilon"] is None:
        return None, "no epsilon is claimed"
    ours = claim["epsilon"]
    if claim["bound"] == "pure":
        least = most = pure_sum(sums)
    else:
        least, most = recomputed(sums, claim["delta"])
    line = f"tacit {ours:.6g} ({claim['bound']}), dp_accounting {least:.6g}"
    if most != least:
        line += f" to {most:.6g}"
    slack = tolerance * max(least, 0.05)
    if ours < least - slack:
        return "it is below what dp_accounting has", line
    tight = claim["bound"] in ("pld", "gaussian", "pure") and distance == 0
    if tight and ours > most + tolerance * max(most, 0.05):
        return "it is above what dp_accounting has", line
    return None, line


def find(ledger, claim):
    for composed in ledger["composed"]:
        if composed["unit"] == claim["unit"] and composed["subject"] == claim["subject"]:
            return composed
    raise NotALedger(f"nothing is composed for the {claim['unit']} of a claim")


def check_claim(ledger, claim, tolerance):
    composed = find(ledger, claim)
    sums = events_of(ledger["entries"], claim["unit"], claim["subject"])
    if sums != composed_events(composed):
        return "its events are not those of the entries", ""
    if claim["relation"] != composed["relation"]:
        return f"its relation is {claim['relation']}, that of its events {composed['relation']}", ""
    distance = sum(entry["distance"] for entry in ledger["entries"])
    return verdict(claim, sums, distance, tolerance)


def check_file(path, tolerance):
    """How many claims are not confirmed."""
    with open(path, encoding="utf-8") as file:
        ledger = json.load(file)
    if not str(ledger.get("format", "")).startswith("tacit ledger") or "claims" not in ledger:
        raise NotALedger("it is not an export of `tacit privacy export --format json`")
    bad = 0
    for claim in ledger["claims"]:
        why, line = check_claim(ledger, claim, tolerance)
        who = claim["subject"] or f"every {claim['unit']}"
        print(f"{'ok' if why is None else 'NOT OK'}  {who}, {claim['relation']}: {line}{why or ''}")
        bad += why is not None
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", nargs="+", help="what `tacit privacy export --format json` printed")
    parser.add_argument("--tolerance", type=float, default=2e-3, help="relative difference allowed")
    options = parser.parse_args()
    try:
        import dp_accounting  # noqa: F401
    except ImportError:
        print("check_ledger: there is no dp_accounting: pip install dp-accounting", file=sys.stderr)
        return 3
    bad = 0
    for path in options.file:
        try:
            bad += check_file(path, options.tolerance)
        except (OSError, ValueError, KeyError, NotALedger) as error:
            print(f"check_ledger: {path}: {error}", file=sys.stderr)
            return 2
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
