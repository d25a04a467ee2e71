#!/usr/bin/env python3
"""The numbers in src/privacy/share_test.c, from the text of src/privacy/share.h alone: Python's integers, and ChaCha20 as RFC 8439
has its block, with the counter and the nonce of 64 bits of the first description.

Prints for each (K, t): seeds and words of one dealing of the vector below, then its sum with a second dealing and what that opens to.
"""
import hashlib
import struct

P = 2**61 - 1
VECTOR = [0, 1, -1, 5, 2**60 - 1, -(2**60 - 1), 123456789012345678, -33554432]
OTHER = [7, -1, 1, 2**40, -5, 5, 1, 33554432]


def rotate(x, n):
    return ((x << n) | (x >> (32 - n))) & 0xFFFFFFFF


def quarter(s, a, b, c, d):
    for x, y, z, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        s[x] = (s[x] + s[y]) & 0xFFFFFFFF
        s[z] = rotate(s[z] ^ s[x], n)


def block(key, counter):
    start = list(struct.unpack("<4I", b"expand 32-byte k") + struct.unpack("<8I", key))
    start += [counter & 0xFFFFFFFF, counter >> 32, 0, 0]
    s = list(start)
    for _ in range(10):
        for i in range(4):
            quarter(s, i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return struct.pack("<16I", *((x + y) & 0xFFFFFFFF for x, y in zip(s, start)))


def expand(seed, n):
    stream = b"".join(block(seed, i) for i in range((n + 3) // 4))
    return [int.from_bytes(stream[16 * j : 16 * j + 16], "little") % P for j in range(n)]


def keyed(key, data):
    return hashlib.blake2b(data, key=key, digest_size=32).digest()


def at(points, x):
    """The polynomial through the points, at x."""
    total = 0
    for i, (xi, yi) in enumerate(points):
        term = yi
        for j, (xj, _) in enumerate(points):
            if i != j:
                term = term * (x - xj) * pow(xi - xj, P - 2, P) % P
        total += term
    return total % P


def deal(K, t, secret, vector):
    root = keyed(secret, b"tacit dealing 1\0" + struct.pack("<IIQ", K, t, len(vector))
                 + struct.pack(f"<{len(vector)}q", *vector))
    seeds = [keyed(root, struct.pack("<I", k)) for k in range(t)]
    shares = [expand(s, len(vector)) for s in seeds]
    known = [[(0, v % P)] + [(k + 1, shares[k][j]) for k in range(t)] for j, v in enumerate(vector)]
    shares += [[at(f, k + 1) for f in known] for k in range(t, K)]
    return seeds, shares


for K, t in (3, 2), (5, 3), (16, 8):
    seeds, shares = deal(K, t, bytes(range(32)), VECTOR)
    everything = b"".join(seeds) + b"".join(struct.pack("<8Q", *s) for s in shares[t:])
    print(f"K = {K}, t = {t}")
    print("  first seed", seeds[0].hex())
    print("  last share", ", ".join(str(w) for w in shares[-1]))
    print("  hash of all", hashlib.blake2b(everything, digest_size=32).hexdigest())
    _, more = deal(K, t, bytes(range(1, 33)), OTHER)
    sums = [[(a + b) % P for a, b in zip(x, y)] for x, y in zip(shares, more)]
    opened = [at([(k + 1, sums[k][j]) for k in range(K - t - 1, K)], 0) for j in range(len(VECTOR))]
    assert opened == [(a + b) % P for a, b in zip(VECTOR, OTHER)]
    print("  last sum  ", ", ".join(str(w) for w in sums[-1]))
