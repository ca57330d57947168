#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""wire.py - protobuf messages as dictionaries, by the descriptions in messages.proto

Messages and fields that are not there are those of userspace/proto/perfetto_packets.proto.
encode("TracePacket", {"timestamp": 5}) returns bytes, decode() does the reverse. Fields without a
description are kept under "?" as list of (number, wire type, value), and written last.
"""

import os
import re
import struct

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
WIRE = {"double": FIXED64, "fixed64": FIXED64, "fixed32": FIXED32, "string": BYTES,
        "bytes": BYTES, "uint32": VARINT, "uint64": VARINT, "int32": VARINT, "int64": VARINT,
        "bool": VARINT, "float": FIXED32, "sint32": VARINT, "sint64": VARINT, "sfixed32": FIXED32,
        "sfixed64": FIXED64}


class Malformed(ValueError):
    """These bytes are no message."""


class Field:
    """A row of a message's description."""

    def __init__(self, label, kind, name, number):
        self.repeated = label == "repeated"
        self.kind = kind
        self.name = name
        self.number = int(number)
        self.wire = WIRE.get(kind, VARINT if kind.endswith(".Enum") else BYTES)


def parse_messages(text):
    """{message: {name: Field}} of a description."""
    messages = {}
    text = re.sub(r"//.*", "", text)
    for name, body in re.findall(r"message (\w+) \{([^}]*)\}", text):
        rows = re.findall(r"(optional|repeated) ([\w.]+) (\w+) = (\d+)\s*;", body)
        messages[name] = {row[2]: Field(*row) for row in rows}
    return messages


def load_messages():
    """Those of messages.proto, and of all packets."""
    here = os.path.dirname(os.path.abspath(__file__))
    known = {}
    for path in "../../userspace/proto/perfetto_packets.proto", "messages.proto":
        with open(os.path.join(here, path), encoding="ascii") as file:
            for name, fields in parse_messages(file.read()).items():
                known[name] = known.get(name, {}) | fields
    return known


MESSAGES = load_messages()
NUMBERS = {message: {field.number: field for field in fields.values()}
           for message, fields in MESSAGES.items()}


def varint(value):
    """A number, in as few bytes as it takes; negative ones take ten."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def padded(value):
    """A number below 2^28 in four bytes, as sizes are that become known later."""
    return bytes((value & 0x7f | 0x80, value >> 7 & 0x7f | 0x80, value >> 14 & 0x7f | 0x80,
                  value >> 21 & 0x7f))


def take_varint(data, at):
    """(number at AT, what is behind it)."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise Malformed("cut in a number")
        value |= (data[at] & 0x7f) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value & ((1 << 64) - 1), at
    raise Malformed("a number of more than ten bytes")


def put_value(kind, value):
    """A field's value, without what says which field it is."""
    if kind in MESSAGES:
        value = encode(kind, value)
    elif isinstance(value, str):
        value = value.encode()
    elif kind in ("double", "float"):
        return struct.pack("<d" if kind == "double" else "<f", value)
    elif kind == "fixed64":
        return struct.pack("<Q", value)
    elif kind == "fixed32":
        return struct.pack("<I", value)
    elif kind != "bytes":
        return varint(int(value))
    return varint(len(value)) + value


def put_unknown(number, wire, value):
    """A field that is not described."""
    head = varint(number << 3 | wire)
    if wire == VARINT:
        return head + varint(value)
    return head + (varint(len(value)) if wire == BYTES else b"") + value


def encode(message, values):
    """The bytes of a message."""
    out = bytearray()
    for name, value in values.items():
        if name == "?":
            continue
        field = MESSAGES[message][name]
        for one in value if field.repeated else [value]:
            out += varint(field.number << 3 | field.wire) + put_value(field.kind, one)
    for unknown in values.get("?", ()):
        out += put_unknown(*unknown)
    return bytes(out)


def walk(data):
    """(number, wire type, value) of each field; values are numbers for VARINT, else bytes."""
    at = 0
    while at < len(data):
        key, at = take_varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == VARINT:
            value, at = take_varint(data, at)
            yield number, wire, value
            continue
        if wire == BYTES:
            size, at = take_varint(data, at)
        elif wire in (FIXED64, FIXED32):
            size = 8 if wire == FIXED64 else 4
        else:
            raise Malformed(f"wire type {wire}")
        if not number or size > len(data) - at:
            raise Malformed(f"field {number} of {size} bytes is cut")
        yield number, wire, bytes(data[at:at + size])
        at += size


def take_value(kind, value):
    """What a field's bytes or number mean."""
    if kind in MESSAGES:
        return decode(kind, value)
    if kind == "string":
        return value.decode(errors="surrogateescape")
    if kind in ("double", "float"):
        return struct.unpack("<d" if kind == "double" else "<f", value)[0]
    if kind in ("fixed64", "fixed32"):
        return int.from_bytes(value, "little")
    if kind == "bool":
        return bool(value)
    if kind in ("int32", "int64") and value >> 63:
        return value - (1 << 64)
    return value


def take_packed(data):
    """Numbers that follow one another."""
    at = 0
    while at < len(data):
        value, at = take_varint(data, at)
        yield value


def decode(message, data):
    """The dictionary of a message."""
    out = {}
    for number, wire, value in walk(data):
        field = NUMBERS[message].get(number)
        if field and field.repeated and wire == BYTES and field.wire == VARINT:
            out.setdefault(field.name, []).extend(
                take_value(field.kind, one) for one in take_packed(value))
        elif not field or wire != field.wire:
            out.setdefault("?", []).append((number, wire, value))
        elif field.repeated:
            out.setdefault(field.name, []).append(take_value(field.kind, value))
        else:
            out[field.name] = take_value(field.kind, value)
    return out


def packets_of(data):
    """The packets of a trace, as bytes each."""
    for number, wire, value in walk(data):
        if number == 1 and wire == BYTES:
            yield value


def trace_of(packets):
    """A trace of packets."""
    return b"".join(put_unknown(1, BYTES, packet) for packet in packets)
