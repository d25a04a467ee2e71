"""What the public headers declare, in the form that cffi reads.

The headers of include/tacit are the only source: functions, structs, enumerations, numbers, and the values that
a struct begins with (TACIT_RECORDS_OPTS and its like). So the binding follows them without an edit.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple

#: In an order in which every type is declared before it is used.
HEADERS = (
    "status", "space", "document", "study", "records", "user", "worker", "algorithms", "build", "optimizer",
    "privacy", "plan", "release", "ledger", "net", "coordinator", "agent", "trustee", "tacit",
    "experimental/audit", "experimental/curator", "experimental/objective", "experimental/search",
    "experimental/fields", "experimental/simulate", "experimental/surrogate",
)  # fmt: skip

#: What a member begins with: a word of C, or a list of them for a struct inside of the struct.
Initial = Any


class Declarations(NamedTuple):
    """All that is taken from the headers."""

    cdef: str  # for ffi.cdef
    initial: Dict[str, List[Initial]]  # struct -> its first members as C writes them, from its macro
    version: str  # of the headers


def find_headers() -> Path:
    """The folder of tacit's headers: inside of the installed package, or of the source tree around it."""
    package = Path(__file__).resolve().parent
    for folder in (package / "headers", package.parent.parent / "include" / "tacit"):
        if (folder / "tacit.h").is_file():
            return folder
    raise ImportError(
        f"pytacit finds no headers of tacit: neither {package / 'headers'}, where an installation has them, "
        "nor include/tacit of a source tree around it"
    )


def read(folder: Path) -> Declarations:
    """Reads the headers of a folder."""
    texts = [plain((folder / f"{name}.h").read_text(encoding="utf-8")) for name in HEADERS]
    initial: Dict[str, List[Initial]] = {}
    begun = re.findall(r"#define (TACIT_[A-Z_]+)\s*\{\s*sizeof\((\w+)\),?(.*)\}\s*\n", "\n".join(texts))
    whole = {macro: f"{{ sizeof({struct}), {values} }}" for macro, struct, values in begun}
    for _, struct, values in begun:
        for macro in set(re.findall(r"\w+", values)) & set(whole):  # of a struct inside of this one
            values = re.sub(rf"\b{macro}\b", whole[macro], values)
        words = re.findall(r'"[^"]*"|sizeof\(\w+\)|[{}]|[^\s,{}()]+', re.sub(r"(?<!sizeof)\(\w+\)", "", values))
        initial[struct] = _members(iter(words))
    sizes = dict(re.findall(r"#define (TACIT_\w+_SIZE)\s+(\d+)", "\n".join(texts)))
    declared = "\n".join(_declared(text) for text in texts)
    for name, number in sizes.items():
        declared = declared.replace(f"[{name}]", f"[{number}]")
    version = re.search(r'#define TACIT_VERSION\s+"([^"]+)"', "\n".join(texts))
    assert version, "tacit.h has TACIT_VERSION"
    return Declarations(declared, initial, version[1])


def _members(words: Iterator[str]) -> List[Initial]:
    """The members of a struct up to its closing brace; those of a struct inside of it are a list."""
    made: List[Initial] = []
    for word in words:
        if word == "}":
            break
        made.append(_members(words) if word == "{" else word)
    return made


def plain(text: str) -> str:
    """Without comments, and with every macro on one line."""
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S).replace("\\\n", " ")


def _declared(text: str) -> str:
    statuses = re.findall(r"X\((\w+), (\d+), \d+, \"", text)
    text = re.sub(r'#ifdef __cplusplus\n(extern "C" \{|\})\n#endif\n', "", text)
    lines = (_directive(line) if line.startswith("#") else line for line in text.split("\n"))
    text = "\n".join(line for line in lines if line.strip())
    members = ", ".join(f"TACIT_{name} = {number}" for name, number in statuses)
    text = text.replace("TACIT_STATUS_LIST(TACIT_STATUS_ENUM)", members)
    return re.sub(r"\bTACIT_API\s+", "", text)


def _directive(line: str) -> str:
    """A macro that is a whole number stays, and nothing else does."""
    found = re.fullmatch(r"#define (TACIT_\w+)\s+(\d+|UINT64_MAX)\s*", line)
    if not found or found[1].endswith("_SIZE"):
        return ""
    number = "0xFFFFFFFFFFFFFFFF" if found[2] == "UINT64_MAX" else found[2]
    return f"#define {found[1]} {number}"
