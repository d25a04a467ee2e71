#!/usr/bin/env python3
"""The hashes in src/privacy/ledger_entry_test.c, from the layout in ledger_entry.c alone."""
import hashlib
import struct


def digest(domain, data):
    return hashlib.blake2b(domain.encode() + b"\0" + data, digest_size=32).hexdigest()


def text(s):
    return struct.pack("<I", len(s.encode())) + s.encode() + b"\0"


def hash32(*start):
    return bytes(start) + bytes(32 - len(start))


entry = b"".join([
    struct.pack("<Q", 3), hash32(1, 2, 3), struct.pack("<QB", 258, 2), text("caf\u00e9"),
    struct.pack("<BdBdQ", 0, 1.5, 1, 0.25, 7), struct.pack("<d", 1e-12),
    text("gaussian-rows"), text("one is replaced by zero"), struct.pack("<B", 1), text(""),
    struct.pack("<QQdd", 1, 259, -0.5, 2.0**-20), hash32(9, 9), hash32(8)])
print("entry  ", digest("tacit ledger entry 2", entry))
print("genesis", digest("tacit ledger 1", b"main"))
print("study  ", digest("tacit study 1", b"{}"))
print("release", digest("tacit release 1", b""))
