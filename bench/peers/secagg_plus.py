"""One round of Flower's SecAgg+, all parties in this process, for the table of bench/secret_sharing.c.

    python secagg_plus.py [N ...]       default: 5 30 100

Flower's own workflow and client module run on a grid that hands messages over in memory and counts them: bytes as Flower
would serialize them, seconds by who spends them. Vectors have 100 numbers. Each client has shares of its keys at as many
others as keep a round going with a tenth of the clients corrupt or gone: all of them up to 100, then about 10 log2 N. Every client
must be there four times in a round.
"""
import logging
import math
import statistics
import sys
import time
import unittest.mock

from common import header, require

WIDTH = 100


class Node:
    """A client: its state, what it sent and heard, and the seconds that it took."""

    def __init__(self, number, context):
        self.number, self.context = number, context
        self.sent = self.heard = 0
        self.seconds = 0.0


def carry(message):
    """Hands over a copy, as a network does; how many bytes that was."""
    from flwr.common.serde import recorddict_from_proto, recorddict_to_proto

    proto = recorddict_to_proto(message.content)
    message.content = recorddict_from_proto(proto)
    return proto.ByteSize()


def client_app(vector):
    """What a client trains: the same vector in each round, with a weight of 1."""
    from flwr.common import Code, FitRes, Message, Status, ndarrays_to_parameters
    from flwr.compat.common import recorddict_compat as compat

    def train(message, _context):
        result = FitRes(Status(Code.OK, ""), ndarrays_to_parameters([vector]), 1, {})
        return Message(compat.fitres_to_recorddict(result, False), reply_to=message)

    return train


class Grid:
    """Hands messages to clients at once, and counts."""

    def __init__(self, nodes, vector):
        self.nodes, self.app = nodes, client_app(vector)
        self.elsewhere = 0.0  # seconds that are not the server's

    def answer(self, message):
        from flwr.client.mod import secaggplus_mod

        node = self.nodes[message.metadata.dst_node_id]
        node.heard += carry(message)
        begin = time.perf_counter()
        reply = secaggplus_mod(message, node.context, self.app)
        node.seconds += time.perf_counter() - begin
        node.sent += carry(reply)
        return reply

    def send_and_receive(self, messages, **_):
        begin = time.perf_counter()
        replies = [self.answer(m) for m in messages]
        self.elsewhere += time.perf_counter() - begin
        return replies


def neighbours(agents):
    if agents <= 100:
        return 1.0  # all of them
    return 2 * round(5 * math.log2(agents)) + 1


def make_context(number):
    from flwr.app import Context
    from flwr.common import RecordDict

    return Context(run_id=1, node_id=number, node_config={}, state=RecordDict(), run_config={})


def run(agents):
    import numpy
    from flwr.common import ArrayRecord, ConfigRecord, FitIns, ndarrays_to_parameters
    from flwr.compat.common import recorddict_compat as compat
    from flwr.server import LegacyContext
    from flwr.server.workflow import SecAggPlusWorkflow
    from flwr.server.workflow.constant import MAIN_CONFIGS_RECORD, MAIN_PARAMS_RECORD
    from flwr.supercore.task_identity import TaskIdentity

    TaskIdentity.task_id = TaskIdentity.run_id = TaskIdentity.node_id = 1

    vector = numpy.linspace(-1, 1, WIDTH)
    nodes = {n: Node(n, make_context(n)) for n in range(1, agents + 1)}
    grid = Grid(nodes, vector)
    parameters = ndarrays_to_parameters([vector])
    strategy = unittest.mock.Mock()
    strategy.configure_fit.return_value = [
        (unittest.mock.Mock(node_id=n), FitIns(parameters, {})) for n in nodes]
    summed = []
    strategy.aggregate_fit.side_effect = lambda _r, results, _f: (summed.append(results) or None, {})
    context = LegacyContext(make_context(0), strategy=strategy)
    context.state.config_records[MAIN_CONFIGS_RECORD] = ConfigRecord({"current_round": 1})
    context.state.array_records[MAIN_PARAMS_RECORD] = compat.parameters_to_arrayrecord(
        parameters, keep_input=True)
    begin = time.perf_counter()
    SecAggPlusWorkflow(neighbours(agents), 0.67)(grid, context)
    server = time.perf_counter() - begin - grid.elsewhere
    check(summed, vector)
    return nodes.values(), server


def check(summed, vector):
    from flwr.common import parameters_to_ndarrays

    if not summed:
        sys.exit("secagg_plus.py: the round was not completed")
    got = parameters_to_ndarrays(summed[0][0][1].parameters)[0]
    if abs(got - vector).max() > 1e-2:
        sys.exit("secagg_plus.py: the sum is wrong")


def main():
    require("flwr", "Crypto", "numpy")
    logging.getLogger("flwr").setLevel(logging.ERROR)
    header("Flower's SecAgg+")
    for agents in [int(a) for a in sys.argv[1:]] or [5, 30, 100]:
        nodes, server = run(agents)
        sent = statistics.mean(n.sent for n in nodes)
        heard = statistics.mean(n.heard for n in nodes)
        each = statistics.mean(n.seconds for n in nodes)
        print(f"secagg+\tN={agents}\td={WIDTH}\tagent sends {sent:.0f} B, hears {heard:.0f} B, "
              f"{each * 1e3:.2f} ms\tserver {server * 1e3:.1f} ms", flush=True)


if __name__ == "__main__":
    main()
