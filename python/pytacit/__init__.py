"""pytacit: tacit from Python. Private, federated Bayesian optimization.

    import pytacit

    study = pytacit.create_study("oven", {"x": pytacit.FloatDistribution(-5, 5)}, "minimize", "memory:", seed=1)
    study.optimize(lambda params: (params["x"] - 2) ** 2, n_trials=25)
    print(study.best_params, study.best_value)

The words are Optuna's where the thing is the same. Failures are exceptions with one sentence (TacitError).
"""

import importlib
from types import ModuleType

from . import privacy
from ._library import has_network, lib, string
from ._prune import Prune, Pruned, RunningTrial, Verdict
from .agent import Agent, AgentRound
from .coordinator import Coordinator
from .errors import (
    ArgumentError,
    BudgetError,
    BusyError,
    CancelledError,
    ConflictError,
    CorruptError,
    InputOutputError,
    InternalError,
    NotFoundError,
    NumericError,
    OutOfMemoryError,
    StateError,
    TacitError,
    UnsupportedError,
)
from .exchange import Answer, Request
from .simulation import Curves, Simulation, read_curves, simulate
from .space import CategoricalDistribution, FloatDistribution, IntDistribution
from .study import Study, create_study, delete_study, get_all_study_names, load_study
from .trial import Importance, ParamValue, Recommendation, Trial, TrialState

#: The version of the library that is loaded.
__version__: str = string(lib.tacit_version()) or ""

#: Parts that need other packages: imported when they are named.
_PARTS = ("flower", "optuna", "sklearn")


def __getattr__(name: str) -> ModuleType:
    if name not in _PARTS:
        raise AttributeError(f"module 'pytacit' has no attribute {name!r}")
    return importlib.import_module(f".{name}", __name__)


__all__ = [
    "Agent",
    "AgentRound",
    "Answer",
    "ArgumentError",
    "BudgetError",
    "BusyError",
    "CancelledError",
    "CategoricalDistribution",
    "ConflictError",
    "Coordinator",
    "CorruptError",
    "Curves",
    "FloatDistribution",
    "Importance",
    "InputOutputError",
    "IntDistribution",
    "InternalError",
    "NotFoundError",
    "NumericError",
    "OutOfMemoryError",
    "ParamValue",
    "Prune",
    "Pruned",
    "Recommendation",
    "Request",
    "RunningTrial",
    "Simulation",
    "StateError",
    "Study",
    "TacitError",
    "Trial",
    "TrialState",
    "UnsupportedError",
    "Verdict",
    "create_study",
    "delete_study",
    "get_all_study_names",
    "has_network",
    "load_study",
    "privacy",
    "read_curves",
    "simulate",
]
