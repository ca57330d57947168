#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""mkmany.py KIND FILE - write a trace with very many or very large things, see KINDS below

An event c:last always follows.
"""

import random
import struct
import sys
import zlib

from wire import BYTES, VARINT, encode, put_unknown, trace_of

BASE = {"clock_snapshot": {"clocks": [{"clock_id": 6, "timestamp": 1000},
                                      {"clock_id": 3, "timestamp": 1000},
                                      {"clock_id": 1, "timestamp": 1000}]}}


def snapshot(*readings):
    """What clocks showed, pairs of number and ns. There are many: each is put together by hand."""
    clocks = (put_unknown(1, VARINT, clock) + put_unknown(2, VARINT, ns) for clock, ns in readings)
    return put_unknown(6, BYTES, b"".join(put_unknown(1, BYTES, clock) for clock in clocks))


def instant(name, ns, clock=6, **members):
    """An event of category c."""
    return encode("TracePacket", {
        "timestamp": ns, "timestamp_clock_id": clock, "trusted_packet_sequence_id": 1,
        "track_event": {"type": 3, "name": name, "categories": ["c"], **members}})


def bomb():
    """A packet that is 200 MiB when it is unpacked."""
    yield encode("TracePacket", {"compressed_packets": zlib.compress(bytes(200 << 20))})


def zstd_of(byte, size):
    """A frame of zstd that is so many of one byte when it is unpacked."""
    out = b"\x28\xb5\x2f\xfd\x00\x38"
    while size:
        part = min(size, 1 << 17)
        size -= part
        out += struct.pack("<I", part << 3 | 1 << 1 | (not size))[:3] + bytes([byte])
    return encode("TracePacket", {"zstd_compressed_packets": out})


def zstd_bomb():
    """A packet that is 200 MiB when it is unpacked."""
    yield zstd_of(0, 200 << 20)


def total():
    """Packets that are more than there may be, together: of fields that are no packets."""
    for _ in range(3):
        yield zstd_of(8, 40 << 20)


def texts():
    """A long text that an event has ten times, by its number."""
    text = {"iid": 1, "str": b"x" * ((4 << 20) - 100)}
    yield encode("TracePacket", {"trusted_packet_sequence_id": 1, "sequence_flags": 1,
                                 "interned_data": {"debug_annotation_string_values": [text]}})
    yield instant("long", 2000, debug_annotations=[
        {"name": "a%d" % i, "string_value_iid": 1} for i in range(10)])


def writers():
    """Many snapshots of four clocks, as each thread of a program writes them, then another clock."""
    yield from [snapshot((64, 10), (6, 1000), (3, 1000), (1, 1000))] * 200000
    yield snapshot((500, 10), (6, 1000))
    yield instant("of_clock", 2010, 500)


def snapshots():
    """More snapshots of clocks than are kept."""
    for i in range(2400):
        yield snapshot(*((128 + clock, i) for clock in range(32)))


def cut():
    """Compressed packets that end early."""
    inner = trace_of([instant("inside", 5000), random.Random(1).randbytes(5000)])
    yield encode("TracePacket", {"compressed_packets": zlib.compress(inner)[:-20]})


def backwards():
    """Snapshots that come in reverse order."""
    for i in range(100000, 0, -1):
        yield snapshot((6, 1000000 + i), (3, 500000 + i))


def clocks():
    """Clocks that are all related to one, and an event of each."""
    for i in range(5000):
        yield snapshot((1000 + i, 10 + i), (6, 5000 + i))
    for i in range(5000):
        yield instant("of_clock", 20 + i, 1000 + i)


def fields():
    """An event whose description would be more than 64 KiB."""
    yield instant("wide", 2000, debug_annotations=[
        {"name": "annotation%05d" % i, "uint_value": i} for i in range(5000)])


def kinds():
    """More kinds of events than there are numbers."""
    event = instant("kind", 2000, debug_annotations=[{"name": "n00000", "uint_value": 7}])
    for i in range(66000):
        yield event.replace(b"n00000", b"n%05d" % i)


def events():
    """Some 100 MB of events, the last one first."""
    event = instant("event", 1 << 40, debug_annotations=[
        {"name": "text", "string_value": "x" * 250}])
    stamp = encode("TracePacket", {"timestamp": 1 << 40})
    for i in range(150000, 0, -1):
        yield event.replace(stamp, put_unknown(8, VARINT, (1 << 40) + i), 1)


KINDS = {maker.__name__: maker for maker in (bomb, zstd_bomb, total, texts, snapshots, cut, backwards,
                                            clocks, fields, kinds, events, writers)}


def main(kind, path):
    """The command line."""
    with open(path, "wb") as file:
        file.write(trace_of([encode("TracePacket", BASE), *KINDS[kind](),
                             instant("last", 3000)]))


if __name__ == "__main__":
    main(*sys.argv[1:])
