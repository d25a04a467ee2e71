"""The shared libraries of tacit, loaded by cffi in ABI mode: nothing is compiled.

cffi gives up the GIL during every call. A process that was forked from one that has used tacit must not use it:
locks and connections are the parent's, so every call is refused there, and nothing of the parent's is closed.
"""

from __future__ import annotations

import json
import math
import operator
import os
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, NoReturn, Optional, Type, Union, cast

from . import _declarations, errors

try:
    import cffi
except ImportError as missing:
    raise ImportError("pytacit needs cffi: pip install cffi, or apt install python3-cffi") from missing

_declared = _declarations.read(_declarations.find_headers())
ffi: Any = cffi.FFI()
ffi.cdef(_declared.cdef)
NULL: Any = ffi.NULL


# ---- finding them

#: The folder of the package. A wheel has the libraries in lib/ of it, and the program in bin/.
PACKAGE = Path(__file__).resolve().parent
_NAMES = ("libtacit-privacy", "libtacit", "libtacit-net")


def _folder() -> Optional[Path]:
    """Where the libraries are: PYTACIT_LIBRARY_DIR, or the package. None: where the dynamic linker looks."""
    given = os.environ.get("PYTACIT_LIBRARY_DIR")
    if given:
        return Path(given).resolve()
    return PACKAGE / "lib" if (PACKAGE / "lib").is_dir() else None


def library_files() -> List[Path]:
    """The files of tacit's libraries, as far as their folder is known."""
    folder = _folder()
    return [folder / file for file in map(_file, _NAMES) if (folder / file).is_file()] if folder else []


def _file(name: str) -> str:
    return f"{name}.so.{_abi()}"


def _load() -> "tuple[Any, bool]":
    """The library through which everything is called, and whether it has the network.

    libtacit-net needs libtacit, which needs libtacit-privacy: the last one loaded gives the names of all.
    """
    folder = _folder()
    loaded: Any = None
    for name in _NAMES:
        file = _file(name)
        try:
            # Never unloaded, also at the end of the process: a server's threads may be at work in it until then.
            loaded = ffi.dlopen(str(folder / file) if folder else file, ffi.RTLD_NOW | ffi.RTLD_NODELETE)
        except OSError as why:
            if name == "libtacit-net":
                return loaded, False
            given = os.environ.get("PYTACIT_LIBRARY_DIR")
            where = f"PYTACIT_LIBRARY_DIR ({given})" if given else folder or "the folders of the dynamic linker"
            raise ImportError(
                f"pytacit finds no {file} in {where}: install tacit (make install, then ldconfig), or let "
                f"PYTACIT_LIBRARY_DIR name the folder of its libraries ({why})"
            ) from None
    return loaded, bool(loaded.tacit_net_is_built())


def _abi() -> int:
    """The number in the names of the libraries."""
    line = next(line for line in _declared.cdef.splitlines() if line.startswith("#define TACIT_ABI "))
    return int(line.split()[2])


lib, has_network = _load()
if has_network:
    lib.tacit_net_register()


def require_same_version(what: str) -> None:
    """For what is in <tacit/experimental/*.h>: its structs may differ from version to version."""
    loaded = string(lib.tacit_version())
    if loaded != _declared.version:
        raise error(
            lib.TACIT_E_UNSUPPORTED,
            f"{what} is experimental and needs libraries of the same version as pytacit: pytacit has the headers of "
            f"tacit {_declared.version}, and the libraries are of {loaded}",
        )


# ---- fork


class _Process:
    """Whether this process may use the library."""

    used = False
    forked = False


def _after_fork() -> None:
    _Process.forked = _Process.forked or _Process.used


os.register_at_fork(after_in_child=_after_fork)


def refuse_forked() -> None:
    """Raises in a process that was forked from one that has used tacit."""
    if _Process.forked:
        raise RuntimeError(
            "this process was forked from one that has used tacit, and cannot use it: start processes with "
            'multiprocessing.get_context("spawn"), or use pytacit in the children alone'
        )


def new(kind: str, initial: Any = None) -> Any:
    """Memory of a C type. Asked before anything else: cffi has a lock, which a thread may have held at the fork."""
    refuse_forked()
    return ffi.new(kind, initial)


# ---- calls

# An exception, KeyboardInterrupt above all, that Python has raised in a callback of the present call of this thread.
_escaped = threading.local()


def escape(_kind: Any, exception: Any, _traceback: Any) -> None:
    """onerror of callbacks: keeps what was raised until the call that is under way has ended."""
    _escaped.exception = exception


def has_escaped() -> bool:
    """Has something been raised in a callback that runs in this thread?"""
    return getattr(_escaped, "exception", None) is not None


def is_stopped(_user: Any) -> bool:
    """The `stop` of a call that waits: an exception that was raised in a callback ends the call."""
    return has_escaped()


def pause(_user: Any, pause_ms: int, _why: Any) -> bool:
    """The `wait` of a call that tries again: sleeps, and an interruption ends both."""
    time.sleep(pause_ms / 1000)
    return not has_escaped()


def raise_escaped() -> None:
    """Raises what was kept, once."""
    exception = getattr(_escaped, "exception", None)
    _escaped.exception = None
    if exception is not None:
        raise exception


def callback(kind: str, function: Callable[..., Any], error: Any = None, onerror: Any = escape) -> Any:
    """A function that the library calls, until the result is dropped. `error` is what it gets where Python has raised.

    A child that was forked in it must not come out of it: the library would go on twice, without its threads and locks.
    """

    def guarded(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        finally:
            if _Process.forked:
                _end_forked()

    return ffi.callback(kind, guarded, error=error, onerror=onerror)


def _end_forked() -> None:
    os.write(
        2,
        b"pytacit: a process that was forked in a function that tacit calls has left that function, and is ended: "
        b"end it there, by os._exit\n",
    )
    os._exit(1)


def call(function: Any, *arguments: Any) -> None:
    """Calls a function that returns a status and takes a tacit_error last; a failure is raised."""
    refuse_forked()
    _Process.used = True
    err = new("tacit_error *")
    try:
        status = function(*arguments, err)
    finally:  # also where an interruption comes just now: what escaped from a callback belongs to this call
        del arguments  # who keeps an exception, and this frame with it, keeps no handle open
        raise_escaped()
    if status:
        raise error(status, string(err.msg) or "")


def error(status: int, message: str) -> errors.TacitError:
    """The exception of a status."""
    name = string(lib.tacit_status_name(status)) or "E_INTERNAL"
    message = message or string(lib.tacit_status_text(status)) or "it failed"
    return errors.BY_NAME.get(name, errors.TacitError)(message, status, name)


def owned(pointer: Any, end: Callable[[Any], None], keep: Any = None) -> Any:
    """A handle that ends with its last reference; never in a forked process, where it is the parent's.

    keep: what has to live as long as the handle does. A handle that has to end after this one cannot be kept so: where
    both are garbage of one cycle, either may end first. `end` ends both then.
    """

    def finish(handle: Any, _kept: Any = keep, process: "Type[_Process]" = _Process) -> None:
        if not process.forked:
            end(handle)

    return ffi.gc(pointer, finish)


def out(function: Any, kind: str, end: Callable[[Any], None], *arguments: Any, keep: Any = None) -> Any:
    """Calls a function whose first argument is an out-pointer of a kind ("tacit_study *") and returns what it made."""
    pointer = new(f"{kind}*")
    try:
        call(function, pointer, *arguments)
    except BaseException:
        if pointer[0] != NULL:  # it was made, and then interrupted
            end(pointer[0])
        raise
    return owned(pointer[0], end, keep)


def made_text(function: Any, *arguments: Any) -> str:
    """Calls a function whose last argument is an out-pointer of a text, and returns that text."""
    pointer = new("char **")
    call(function, *arguments, pointer)
    return string(owned(pointer[0], lib.tacit_text_free)) or ""


class Handle:
    """What stands for an open handle of the library: it is neither copied nor pickled."""

    def __reduce_ex__(self, _protocol: Any) -> NoReturn:
        kind = type(self).__name__
        raise TypeError(f"{kind} cannot be copied or pickled: it is open in this process, and another opens its own")


# ---- values


def string(pointer: Any) -> Optional[str]:
    """A text of the library's; None of NULL."""
    return None if pointer == NULL else ffi.string(pointer).decode("utf-8", "replace")


def text(value: Union[str, "os.PathLike[str]", None], what: str) -> Any:
    """A text for the library; NULL of None. The caller keeps the result alive during the call."""
    if value is None:
        return NULL
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a str, got {type(value).__name__}")
    value = str.__str__(value)  # of a class of its own, too
    if "\0" in value:
        raise ValueError(f"{what} must not have a character of code 0")
    return new("char[]", _utf8(value, what))


def given(value: Union[str, "os.PathLike[str]", None], what: str) -> Any:
    """The same of an argument that must be there."""
    if value is None:
        raise TypeError(f"{what} must be a str, got None")
    return text(value, what)


def _utf8(value: str, what: str) -> bytes:
    try:
        return str.encode(value, "utf-8")
    except UnicodeEncodeError as why:
        raise ValueError(f"{what} must be Unicode text, got half of a surrogate pair at {why.start}") from None


def whole(value: Any, what: str, most: int = 2**63 - 1) -> int:
    """A whole number from 0 to `most`."""
    number = None if isinstance(value, bool) else index_of(value)
    if number is None:
        raise TypeError(f"{what} must be a whole number, got {type(value).__name__}")
    if not 0 <= number <= most:
        raise ValueError(f"{what} must be 0 or more and at most {most}, got {shown(number)}")
    return number


def index_of(value: Any) -> Optional[int]:
    """A whole number; None: it is none. Arrays have the method, and refuse."""
    try:
        return operator.index(value)
    except TypeError:
        return None


def real(value: Any, what: str) -> float:
    """A number as a double; infinite and NaN are for the library to refuse."""
    try:
        if not hasattr(value, "__float__") and not hasattr(value, "__index__"):  # float takes texts and bytes, too
            raise TypeError
        return float(value)
    except (TypeError, ValueError) as why:
        raise type(why)(f"{what} must be a number, got {type(value).__name__}") from None
    except OverflowError:
        raise ValueError(f"{what} must be a number up to 1.8e308, got {shown(value)}") from None


def milliseconds(value: Any, what: str) -> int:
    """Seconds, 0 or more and at most 10^9, as whole milliseconds; what is more than nothing is at least one."""
    seconds = real(value, what)
    if not 0 <= seconds <= 1e9:
        raise ValueError(f"{what} must be from 0 to 1e9 seconds, got {seconds:g}")
    return max(int(seconds * 1000), 1 if seconds > 0 else 0)


def flag(value: Any, what: str) -> bool:
    """True or False, and nothing that only counts as one."""
    if not isinstance(value, bool):
        raise TypeError(f"{what} must be True or False, got {type(value).__name__}")
    return value


def shown(number: Any) -> str:
    """A number as a sentence has it; Python refuses to write very long ones."""
    if isinstance(number, int) and number.bit_length() > 128:
        return f"a number of {number.bit_length()} bits"
    return str(number)


def as_json(value: Any, what: str) -> str:
    """What the library takes as JSON: dictionaries with keys that are texts, lists, texts, numbers, bool and None.

    A value that JSON does not have is refused by its name: "space.x.low".
    """
    try:
        return json.dumps(_plain(value, what))
    except RecursionError:
        raise ValueError(f"{what or 'it'} is nested too deeply, or contains itself") from None


def _plain(value: Any, where: str) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        _utf8(value, where)
        return str.__str__(value)
    if isinstance(value, Mapping):
        return _plain_members(cast("Mapping[Any, Any]", value), where)
    if isinstance(value, (list, tuple)):
        return [_plain(member, f"{where}[{i}]") for i, member in enumerate(cast("List[Any]", value))]
    whole_number = index_of(value)
    if whole_number is not None and -(2**63) <= whole_number < 2**63:
        return whole_number
    if not hasattr(value, "__float__") and not hasattr(value, "__index__"):
        raise TypeError(f"{where or 'it'} must be what JSON has: a str, number, bool, list, dict or None, got {type(value).__name__}")
    number = real(value, where)
    if not math.isfinite(number):
        raise ValueError(f"{where} must be finite, got {number}")
    return number


def _plain_members(value: "Mapping[Any, Any]", where: str) -> Dict[str, Any]:
    made: Dict[str, Any] = {}
    for key, member in value.items():
        if not isinstance(key, str):
            raise TypeError(f"{where or 'it'} must have names that are str, got {type(key).__name__}")
        _utf8(key, f"a name in {where}" if where else "a name")
        made[str(key)] = _plain(member, f"{where}.{key}" if where else key)
    return made


def struct(name: str) -> Any:
    """A struct that begins as its macro in the header says, its size set."""
    made = new(f"{name} *")
    made.size = ffi.sizeof(name)
    members = [member for member, _ in ffi.typeof(name).fields][1:]
    for member, value in zip(members, _declared.initial.get(name, [])):
        if value not in ("0", "NULL", "false"):  # which it is already
            setattr(made, member, _constant(value))
    return made


_texts: Dict[str, Any] = {}  # of macros; structs point at them


def _constant(value: _declarations.Initial) -> Any:
    if not isinstance(value, str):
        return [_constant(member) for member in value]
    if value in ("true", "false", "NULL"):
        return {"true": True, "false": False, "NULL": NULL}[value]
    if value.startswith('"'):
        return _texts.setdefault(value, text(value[1:-1], "text"))
    if value.startswith("sizeof("):
        return ffi.sizeof(value[7:-1])
    return getattr(lib, value) if value.startswith("TACIT_") else float(value) if "." in value else int(value)
