# SPDX-License-Identifier: GPL-2.0
"""An instance of ftrace: its records as bytes, read from its pages

Knows the kernel's "format" files and the pages of per_cpu/cpuN/trace_pipe_raw, and nothing of ktrace.
"""
import os
import re
import struct
from collections import namedtuple

TRACING = "/sys/kernel/tracing"
PAGE = 4096
MISSED = 1 << 31
PADDING, EXTEND, STAMP = 29, 30, 31
COMMON = struct.Struct("=HBBi")
IRQ_BITS = 0x58                         # of common_flags: hard and soft interrupt, NMI

Field = namedtuple("Field", "name type offset size is_signed is_loc is_rel")


class Format:
    """One event of the kernel: its fields, and the values of a record"""

    def __init__(self, name, text):
        self.name = name
        self.id = int(re.search(r"^ID: (\d+)", text, re.M)[1])
        self.fields = {}
        for kind, offset, size, signed in re.findall(
                r"field:([^;]+);\s*offset:(\d+);\s*size:(\d+);\s*signed:(\d);", text):
            field = re.sub(r"(\[.*?\])+$", "", kind).split()[-1].lstrip("*")
            self.fields[field] = Field(field, kind, int(offset), int(size), signed == "1",
                                       "__data_loc" in kind, "__rel_loc" in kind)
        self.own = [f for f in self.fields.values() if not f.name.startswith("common_")]

    def bytes(self, field, record):
        """what a field has; of a place, what lies there; None: the record ends before

        What follows the end of a text is whatever was in memory.
        """
        end = field.offset + field.size
        if end > len(record):
            return None
        if not (field.is_loc or field.is_rel) or field.size != 4:
            data = record[field.offset:end]
            return data.split(b"\0")[0] if re.match(r"char \w+\[", field.type) else data
        loc = int.from_bytes(record[field.offset:end], "little")
        start = (loc & 0xffff) + (end if field.is_rel else 0)
        data = record[start:start + (loc >> 16)]
        return data if len(data) == loc >> 16 else None

    def values(self, record):
        """all fields: numbers, and bytes of what is larger; text up to its end"""
        values = {}
        for f in self.fields.values():
            data = self.bytes(f, record)
            if data is None:
                continue
            is_text = f.is_loc or f.is_rel or re.search(r"\bchar\b.*\[", f.type)
            if is_text and "char" in f.type:
                values[f.name] = data.split(b"\0")[0]
            elif len(data) in (1, 2, 4, 8) and "[" not in f.type:
                values[f.name] = int.from_bytes(data, "little", signed=f.is_signed)
            else:
                values[f.name] = data
        return values


def numbers_in(data):
    """which events there are; ten times as fast as records(), for a guest that is emulated"""
    numbers, words = set(), memoryview(data).cast("I")
    for page in range(0, len(words), PAGE // 4):
        at, end = page + 4, page + 4 + (words[page + 2] & 0xfffff) // 4
        while at < end:
            kind = words[at] & 31
            if 0 < kind < PADDING:
                numbers.add(words[at + 1] & 0xffff)
                at += kind + 1
            elif kind in (EXTEND, STAMP):
                at += 2
            elif kind == PADDING and not words[at] >> 5:
                break
            else:
                if not kind:
                    numbers.add(words[at + 2] & 0xffff)
                at += words[at + 1] // 4 + 1
    return numbers


def records(data):
    """time and bytes of each record of pages, in their order"""
    for at in range(0, len(data), PAGE):
        stamp, commit = struct.unpack_from("=QQ", data, at)
        if commit & MISSED:
            raise ValueError("ftrace lost events")
        pos, end = at + 16, at + 16 + (commit & 0xfffff)
        while pos < end:
            head, = struct.unpack_from("=I", data, pos)
            kind, delta = head & 31, head >> 5
            if kind in (EXTEND, STAMP):
                high, = struct.unpack_from("=I", data, pos + 4)
                # A whole stamp has 59 bits; what it lacks is that of the page.
                stamp = stamp + delta + (high << 27) if kind == EXTEND else \
                    stamp & 31 << 59 | delta + (high << 27)
                pos += 8
                continue
            size = kind * 4
            pos += 4
            if kind == PADDING or not kind:
                size, = struct.unpack_from("=I", data, pos)
                if kind == PADDING and not delta:
                    break
            stamp += delta
            if kind == PADDING:
                pos += size
            elif kind:
                yield stamp, data[pos:pos + size]
                pos += size
            else:
                yield stamp, data[pos + 4:pos + size]
                pos += size


class Instance:
    """What records beside ktrace, and is gone at the end"""

    def __init__(self, name, size_kb):
        self.path = f"{TRACING}/instances/{name}"
        os.mkdir(self.path)
        self.cpus = sorted(int(d[3:]) for d in os.listdir(f"{self.path}/per_cpu"))
        self.write("tracing_on", 0)
        self.write("buffer_size_kb", size_kb)
        self.write("trace_clock", "x86-tsc" if "x86-tsc" in self.read("trace_clock") else "global")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.write("events/enable", 0)
        os.rmdir(self.path)

    def read(self, name):
        with open(f"{self.path}/{name}", encoding="ascii") as file:
            return file.read()

    def write(self, name, value):
        with open(f"{self.path}/{name}", "w", encoding="ascii") as file:
            file.write(str(value))

    def format(self, name):
        """the text of it"""
        return self.read(f"events/{name.replace(':', '/')}/format")

    def numbers(self):
        """names of all events there are, by number"""
        names = {}
        for name in open(f"{TRACING}/available_events", encoding="ascii").read().split():
            try:
                names[int(self.read(f"events/{name.replace(':', '/')}/id"))] = name
            except FileNotFoundError:
                pass            # "ftrace:...": what tracers write
        return names

    def has(self, name):
        return os.path.exists(f"{self.path}/events/{name.replace(':', '/')}")

    def enable(self, names):
        for name in names:
            self.write(f"events/{name.replace(':', '/')}/enable", 1)

    def lost(self):
        """overwritten or not recorded"""
        return sum(int(n) for cpu in self.cpus for n in re.findall(
            r"(?:overrun|dropped events): (\d+)", self.read(f"per_cpu/cpu{cpu}/stats")))

    def drain(self, cpu, path):
        """the pages of a CPU, into a file; they are gone then"""
        fd = os.open(f"{self.path}/per_cpu/cpu{cpu}/trace_pipe_raw", os.O_RDONLY | os.O_NONBLOCK)
        try:
            with open(path, "wb") as file:
                while page := os.read(fd, PAGE):
                    file.write(page.ljust(PAGE, b"\0"))
        except BlockingIOError:
            pass
        finally:
            os.close(fd)
