"""What goes wrong, as exceptions: one class for each status of tacit, with the library's sentence as the message."""

from __future__ import annotations

from typing import Dict, Type


class TacitError(Exception):
    """A call of tacit failed. The message is one sentence: which field, what was given, what is allowed."""

    status: int  #: the number of the status, as in <tacit/status.h>
    name: str  #: its name: "E_ARG"

    def __init__(self, message: str, status: int, name: str) -> None:
        super().__init__(message)
        self.status = status
        self.name = name

    def __reduce__(self) -> "tuple[object, ...]":
        return type(self), (str(self), self.status, self.name)


class InternalError(TacitError):
    """A defect in tacit."""


class ArgumentError(TacitError, ValueError):
    """Bad input: an argument, option, document or file."""


class NotFoundError(TacitError, LookupError):
    """No such study, trial or file."""


class StateError(TacitError, RuntimeError):
    """Not possible in the present state."""


class ConflictError(TacitError, RuntimeError):
    """Somebody else was first."""


class InputOutputError(TacitError):
    """The storage, a file or the network could not be reached, read or written; the same call may succeed later."""


class CorruptError(TacitError):
    """The storage is damaged or not one of tacit's."""


class BusyError(TacitError):
    """The storage stayed locked by another process; the same call may succeed later."""


class NumericError(TacitError, ArithmeticError):
    """A computation broke down."""


class OutOfMemoryError(TacitError, MemoryError):
    """Out of memory."""


class UnsupportedError(TacitError, NotImplementedError):
    """Not supported by this algorithm, store or build."""


class BudgetError(TacitError, RuntimeError):
    """The budget of trials or of privacy is spent."""


class CancelledError(TacitError):
    """Interrupted."""


BY_NAME: Dict[str, Type[TacitError]] = {
    "E_INTERNAL": InternalError,
    "E_ARG": ArgumentError,
    "E_NOT_FOUND": NotFoundError,
    "E_STATE": StateError,
    "E_CONFLICT": ConflictError,
    "E_IO": InputOutputError,
    "E_CORRUPT": CorruptError,
    "E_BUSY": BusyError,
    "E_NUMERIC": NumericError,
    "E_MEMORY": OutOfMemoryError,
    "E_UNSUPPORTED": UnsupportedError,
    "E_BUDGET": BudgetError,
    "E_CANCELLED": CancelledError,
}
