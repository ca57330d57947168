#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""read.py FILE... - print what `ktrace list --json` prints, knowing only uapi/linux/*.h

Plain and slow: it shows that the headers are enough to read a tracefile; compressed blocks need zstd's
decompressor (Debian: libzstd1). It takes the names of threads from META only, whereas ktrace also takes
them from the kernel's sched events.
"""

import ctypes
import heapq
import json
import math
import re
import struct
import sys
from bisect import bisect_right
from collections import namedtuple
from urllib.parse import unquote

ORDERS = {"<": "little", ">": "big"}
FILE_MAGIC, FILE_VERSION, FILE_BYTE_ORDER, FILE_SIZE = b"KTRACE\r\n", 1, 0x01020304, 64
SECTION_MAGIC, SECTION_SIZE, SECTION_SIZE_MAX = 0x4b545343, 64, 1 << 30
META, BLOCK, LOST, INDEX, END = range(1, 6)
SIZE_MAX = {META: 1 << 20, BLOCK: 1 << 20, LOST: 512, END: 0}
MAY_IGNORE, ZSTD = 1, 2
BLOCK_SIZE_MAX = 1 << 20
BLOCK_MAGIC, BLOCK_SIZE = 0x4b54424b, 64
RECORD_SIZE, INDEX_SIZE = 16, 48
NS, SLEPT_NS, SOFT_NS = 10**9, 10**7, 4 * 10**6
ID_PAD, ID_LOST, ID_FIRST = 0, 1, 16
TID_MASK = 0xffffff
FRAG_FIRST, FRAG_NEXT, CONTEXT, ITEMS_MAX = 1 << 25, 1 << 26, 1 << 29, 12
UNKNOWN = -1
INCOMPLETE, NO_START, BACKWARDS = FRAG_FIRST, FRAG_NEXT, 1 << 29
FLAGS = {1 << 24: "truncated", INCOMPLETE: "incomplete", NO_START: "no-start", 1 << 27: "irq",
         1 << 28: "critical", BACKWARDS: "backwards"}
REASONS = "full stopped timeout nested noring overwritten corrupt unwritten".split()
WRITERS_REASONS = 5
KINDS = "kernel", "user"
SCALARS = {"s8": "b", "u8": "B", "s16": "h", "u16": "H", "s32": "i", "u32": "I", "s64": "q",
           "u64": "Q", "x8": "B", "x16": "H", "x32": "I", "x64": "Q", "f32": "f", "f64": "d",
           "ptr": "Q", "char": "c"}
SCALAR = "|".join(SCALARS)
NAME, NUMBER = r"[\w.|+-]+", r"-?(?:0x[0-9a-f]+|[0-9]+)"
NAMES = rf"{NAME}={NUMBER}(?:,{NAME}={NUMBER})*"
FIELD = rf"(?:(string)|enum<({SCALAR})>\(({NAMES})\)|({SCALAR})(?:(\[)({NUMBER})?\])?) ({NAME});"
DESCRIPTION = rf"({NAME}:{NAME}){{((?:{FIELD})*)}}(?:@.+:[0-9]+)?"

Section = namedtuple("Section", "offset magic type flags stream crc size first_ts last_ts pos "
                     "records lost raw_size reserved")
Clock = namedtuple("Clock", "raw mono_ns real_ns boot_ns hz")
Record = namedtuple("Record", "stream ts id flags tid payload")


class Refused(Exception):
    """the file, or what follows in it, cannot be read"""


def make_crc_table():
    table = list(range(256))
    for _ in range(8):
        table = [n >> 1 ^ (n & 1) * 0x82f63b78 for n in table]
    return table


CRC_TABLE = make_crc_table()


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 0xff]
    return crc ^ 0xffffffff


def expand(frame, size):
    """the bytes of a zstd frame, None if it is not one of that size"""
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_findFrameCompressedSize.restype = zstd.ZSTD_decompress.restype = ctypes.c_size_t
    raw, length = ctypes.create_string_buffer(max(size, 1)), ctypes.c_size_t(len(frame))
    if zstd.ZSTD_findFrameCompressedSize(frame, length) != len(frame):
        return None
    got = zstd.ZSTD_decompress(raw, ctypes.c_size_t(size), frame, length)
    return raw.raw[:size] if got == size else None


def quote(data):
    """bytes as a JSON string; what is not UTF-8 becomes U+FFFD"""
    text = data if isinstance(data, str) else data.decode(errors="surrogateescape")
    text = re.sub("[\udc80-\udcff]", r"\\ufffd", json.dumps(text, ensure_ascii=False))
    return re.sub("[\x7f-\x9f]", lambda match: f"\\u{ord(match[0]):04x}", text)


def to_int(text):
    return int(text, 16 if "0x" in text else 10)


class Field:
    """a field of an event type: takes its bytes from a payload and shows them as JSON"""

    def __init__(self, order, *parts):
        self.string, enum, names, scalar, self.array, self.count, self.name = parts
        self.order, self.scalar = order, enum or scalar
        self.layout = order + SCALARS.get(self.scalar, "")
        self.size = struct.calcsize(self.layout)
        self.names = {}
        for name, value in re.findall(rf"({NAME})=({NUMBER})", names):
            self.names.setdefault(to_int(value) % (1 << 64), f'"{name}"')

    def take(self, data):
        if self.string:
            item, _, rest = data.partition(b"\0")
            return quote(item), rest
        if not self.array:
            return self.show(data[:self.size]), data[self.size:]
        if self.count:
            size = to_int(self.count) * self.size
        else:
            size = int.from_bytes(data[:4], ORDERS[self.order]) * self.size
            data = data[4:]
        return self.show_array(data[:size]), data[size:]

    def show_array(self, data):
        if self.scalar == "char":
            return quote(data.partition(b"\0")[0])
        starts = range(0, len(data) - self.size + 1, self.size)
        return "[" + ",".join(self.show(data[at:at + self.size]) for at in starts) + "]"

    def show(self, data):
        if len(data) < self.size:
            return "null"
        value, = struct.unpack(self.layout, data)
        if self.scalar == "char":
            return quote(value)
        if self.scalar[0] == "f":
            return self.show_float(data, value)
        number = f'"{value:#x}"' if self.scalar[0] in "xp" else str(value)
        return self.names.get(value % (1 << 64), number)

    def show_float(self, data, value):
        if not math.isfinite(value):
            return "null"
        digits = (6, 7, 8, 9) if self.size == 4 else (15, 16, 17)
        texts = (f"{value:.{n}g}" for n in digits)
        return next(text for text in texts if struct.pack(self.layout, float(text)) == data)


class Event:
    """an event type: what its description says"""

    def __init__(self, order, description):
        match = re.fullmatch(DESCRIPTION, re.sub(r"(?<=[{;])bytes ", "u8[] ", description))
        if not match:
            raise ValueError(description)
        self.name = match[1]
        self.fields = [Field(order, *parts) for parts in re.findall(FIELD, match[2])]

    def show(self, data):
        shown = []
        for field in self.fields:
            if not data:
                break
            text, data = field.take(data)
            shown.append(f'"{field.name}":{text}')
        return "{" + ",".join(shown) + "}"


class Stream:
    """one ring, and the sections that hold its bytes and losses"""

    def __init__(self, trace, number):
        self.trace, self.number, self.facts, self.sections = trace, number, {}, []
        self.lost = [0] * len(REASONS)
        self.end_pos, self.gap = 0, (0, 0)

    def kind(self):
        kind = self.facts.get("kind")
        return kind if kind in KINDS else "unknown"

    def records(self):
        """events and fragments; of each loss one record for each reason"""
        last_ts = 0
        for place in self.sections:
            if not place:
                self.end_pos = UNKNOWN
                continue
            section, self.trace.path, stored = place
            body = self.trace.raw_body(section, stored)
            if body is None:
                self.trace.damage(section.offset, "cannot be decompressed")
                self.end_pos = UNKNOWN
                continue
            if section.type == LOST:
                self.unknown_losses(section, body)
                yield from self.losses(section.first_ts, body, len(REASONS))
                continue
            for record in self.block_records(section, body, last_ts):
                if record.id == ID_LOST:
                    yield from self.losses(record.ts, record.payload, WRITERS_REASONS)
                elif record.id >= ID_FIRST:
                    backwards = BACKWARDS if record.ts < last_ts else 0
                    last_ts = record.ts
                    yield record._replace(flags=record.flags | backwards)

    def block_records(self, section, body, last_ts):
        unpack = self.trace.unpack
        block_size = int(self.facts.get("block", 4096))
        at = 0
        if section.pos % block_size == 0:
            at = BLOCK_SIZE
            if len(body) < at or unpack("Q24xI", body) != (section.pos, BLOCK_MAGIC):
                self.trace.damage(section.offset, "block without its header")
                return
        block_end = self.end_pos + -self.end_pos % block_size
        if self.end_pos and section.pos not in (self.end_pos, block_end):
            self.gap = last_ts, section.first_ts
        self.end_pos = section.pos + section.raw_size
        while len(body) - at >= RECORD_SIZE:
            ts, event_id, size, tid_flags = unpack("QHHI", body, at)
            at += RECORD_SIZE
            if event_id == ID_PAD:
                return
            if size > len(body) - at:
                self.trace.damage(section.offset, "impossible record")
                return
            flags = tid_flags & sum(FLAGS) & ~BACKWARDS
            payload = body[at:at + size]
            if tid_flags & CONTEXT and not flags & (FRAG_FIRST | FRAG_NEXT) and self.kind() == "kernel":
                payload = self.without_context(payload)
            yield Record(self, ts, event_id, flags, tid_flags & TID_MASK, payload)
            at += size + 7 & ~7

    def without_context(self, payload):
        items = self.trace.unpack("H", payload, len(payload) - 2)[0] if len(payload) > 1 else 0
        size = 8 * items + 2
        return payload[:-size] if 0 < items <= ITEMS_MAX and size <= len(payload) else payload

    def unknown_losses(self, section, body):
        if any(body[8 * len(REASONS):]):
            self.trace.damage(section.offset, "losses of unknown reasons")

    def losses(self, ts, body, reasons):
        for index in range(min(reasons, len(body) // 8)):
            count, = self.trace.unpack("Q", body, index * 8)
            if count > self.lost[index]:
                payload = REASONS[index], count - self.lost[index]
                self.lost[index] = count
                yield Record(self, ts, ID_LOST, 0, None, payload)


def has_gap(before, record):
    """are blocks of any stream of that kind missing between two records?"""
    streams = record.stream.trace.streams.values()
    return any(before.ts < stream.gap[1] and record.ts > stream.gap[0] for stream in streams
               if stream.kind() == record.stream.kind())


class Fragments:
    """puts records together to events"""

    def __init__(self):
        self.begun = {}

    def add(self, record):
        """all that is whole, or never will be, now that this record follows"""
        if record.id == ID_LOST:
            yield record
            return
        key = record.stream.trace, record.stream.kind(), record.tid
        is_next = record.flags & (FRAG_FIRST | FRAG_NEXT) == FRAG_NEXT
        before, total = self.begun.pop(key, (None, 0))
        if before and not (is_next and record.id == before.id and not has_gap(before, record)):
            yield before
            before = None
        if is_next and not before:
            yield record._replace(flags=record.flags | INCOMPLETE)
            return
        payload = record.payload
        if before:
            payload = before.payload + payload
        elif record.flags & FRAG_FIRST:
            total = int.from_bytes(payload[:4], ORDERS[record.stream.trace.order])
            payload = payload[4:]
        else:
            total = len(payload)
        flags = record.flags & ~(FRAG_FIRST | FRAG_NEXT)
        if len(payload) < total:
            self.begun[key] = record._replace(flags=flags | INCOMPLETE, payload=payload), total
        else:
            yield record._replace(flags=flags, payload=payload[:total])

    def rest(self):
        return (record for record, _ in self.begun.values())


class Trace:
    """one file, or the parts of a trace that is in several"""

    def __init__(self, paths):
        self.is_damaged, self.boot = False, None
        self.clocks, self.threads, self.events, self.streams = [], {0: {0: (0, "swapper")}}, {}, {}
        for path in paths:
            self.read_file(path)
        self.set_knots()

    def read_file(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.data = file.read()
        self.read_header()
        try:
            for section in self.sections():
                self.read_section(section)
        except Refused as error:
            self.damage(*error.args)

    def damage(self, offset, what):
        print(f"{self.path}: offset {offset}: {what}", file=sys.stderr)
        self.is_damaged = True

    def damaged_section(self, offset, section):
        self.damage(offset, "damaged section")
        if section and section.type == BLOCK and section.stream in self.streams:
            self.streams[section.stream].sections.append(None)

    def unpack(self, layout, data, offset=0):
        return struct.unpack_from(self.order + layout, data, offset)

    def read_header(self):
        if len(self.data) < FILE_SIZE or not self.data.startswith(FILE_MAGIC):
            raise Refused(0, "not a tracefile")
        self.order = next((order for order in ORDERS if self.data[12:16] ==
                           struct.pack(order + "I", FILE_BYTE_ORDER)), None)
        if not self.order:
            raise Refused(12, "unknown byte order")
        version, size, self.part = self.unpack("I4xII", self.data, 8)
        if (version, size) != (FILE_VERSION, FILE_SIZE):
            raise Refused(8, "another version")

    def header(self, offset):
        """the header of a section, if it can be one"""
        if len(self.data) - offset < SECTION_SIZE:
            return None
        section = Section(offset, *self.unpack("IHHIIQQQQIIII", self.data, offset))
        size_max = SIZE_MAX.get(section.type, SECTION_SIZE_MAX)
        return section if section.magic == SECTION_MAGIC and section.size <= size_max else None

    def body(self, section):
        start = section.offset + SECTION_SIZE
        return self.data[start:start + section.size]

    def raw_body(self, section, body):
        """the body as it was in the ring, None if it cannot be"""
        if not section.flags & ZSTD:
            return body
        return expand(body, section.raw_size) if section.raw_size <= BLOCK_SIZE_MAX else None

    def end(self, section):
        return section.offset + SECTION_SIZE + (section.size + 7 & ~7)

    def is_cut_off(self, section):
        return section.offset + SECTION_SIZE + section.size > len(self.data)

    def is_whole(self, section):
        if not section or self.is_cut_off(section):
            return False
        header = self.data[section.offset:section.offset + SECTION_SIZE]
        return section.crc == crc32c(header[:12] + bytes(4) + header[16:] + self.body(section))

    def sections(self):
        """the whole sections: those that the index names, or else one after the other"""
        index = self.index()
        if index is None:
            yield from self.walk()
            return
        for offset, following in zip(index, index[1:] + [self.index_offset]):
            section = self.header(offset)
            if self.is_whole(section) and offset + SECTION_SIZE + section.size <= following:
                yield section
            else:
                self.damaged_section(offset, section)

    def index(self):
        end = self.header(max(len(self.data) - SECTION_SIZE, FILE_SIZE))
        if not self.is_whole(end) or end.type != END or not end.pos:
            return None
        index = self.header(end.pos)
        if not self.is_whole(index) or index.type != INDEX or index.size % INDEX_SIZE:
            return None
        self.index_offset = end.pos
        body = self.body(index)
        offsets = [self.unpack("Q", body, at)[0] for at in range(0, index.size, INDEX_SIZE)]
        is_sound = all(before < offset and offset % 8 == 0 for before, offset in
                       zip([0] + offsets, offsets))
        return offsets if is_sound else None

    def walk(self):
        offset = FILE_SIZE
        while len(self.data) - offset >= SECTION_SIZE:
            section = self.header(offset)
            if self.is_whole(section):
                yield section
                offset = self.end(section)
                if section.type == END:
                    if offset < len(self.data):
                        self.damage(offset, "data behind the end")
                    return
                continue
            following = self.successor(section) or self.search(offset + 8)
            if not following and section and self.is_cut_off(section):
                return
            self.damaged_section(offset, section)
            offset = following or len(self.data)

    def successor(self, section):
        """where a damaged section ends, if its header makes sense"""
        if not section or self.is_cut_off(section):
            return None
        end = self.end(section)
        if len(self.data) - end < SECTION_SIZE:
            return end
        return end if self.unpack("I", self.data, end)[0] == SECTION_MAGIC else None

    def search(self, offset):
        places = range(offset, len(self.data) - SECTION_SIZE + 1, 8)
        return next((at for at in places if self.is_whole(self.header(at))), None)

    def read_section(self, section):
        flags = section.flags & ~MAY_IGNORE
        is_plain = not flags and section.raw_size == section.size
        if section.type not in (META, BLOCK, LOST, INDEX, END):
            if not section.flags & MAY_IGNORE:
                raise Refused(section.offset, "unknown section")
        elif not (is_plain or section.type == BLOCK and flags == ZSTD):
            self.damage(section.offset, "stored in an unknown way")
        elif section.type == META:
            self.read_meta(section)
        elif section.type in (BLOCK, LOST):
            if section.stream not in self.streams:
                self.damage(section.offset, "unknown stream")
            self.stream(section.stream).sections.append((section, self.path, self.body(section)))

    def stream(self, number):
        return self.streams.setdefault(number, Stream(self, number))

    def read_meta(self, section):
        for line in self.body(section).decode(errors="surrogateescape").split("\n"):
            keyword, *pairs = line.split(" ")
            values = (pair.partition("=") for pair in pairs)
            facts = {key: unquote(value, errors="surrogateescape") for key, _, value in values}
            try:
                if "\0" in line or "%00" in line:
                    raise ValueError(line)
                self.read_fact(keyword, facts)
            except (KeyError, ValueError, struct.error):
                self.damage(section.offset, f"META line that makes no sense: {keyword}")

    def read_fact(self, keyword, facts):
        if keyword == "clock":
            self.read_clock(facts)
        elif keyword == "host":
            self.boot = facts.get("boot")
        elif keyword == "stream":
            stream = self.stream(int(facts["id"]))
            stream.facts.update(facts)
            if self.part and not stream.sections:
                before = [int(count) for count in facts.get("lost", "").split(",") if count]
                stream.lost[:len(before)] = before[:len(REASONS)]
        elif keyword == "event" and facts["kind"] in KINDS:
            event = Event(self.order, facts["desc"])
            self.events.setdefault((facts["kind"], int(facts["id"])), event)
        elif keyword in ("thread", "process"):
            tid = int(facts["tid" if keyword == "thread" else "pid"])
            life = int(facts["pid"]), facts["comm"]
            self.threads.setdefault(tid, {})[int(facts["ts"])] = life

    def read_clock(self, facts):
        clock = Clock(*[int(facts.get(key, 0)) for key in Clock._fields])
        if self.part and clock in self.clocks:
            return
        if self.clocks and (clock.raw <= self.clocks[-1].raw or
                            clock.mono_ns < self.clocks[-1].mono_ns):
            raise ValueError(facts)
        self.clocks.append(clock)

    def set_knots(self):
        """what lies between two knots runs evenly: places in raw, with the time there"""
        if not self.clocks:
            self.damage(0, "no clock reading")
            self.clocks.append(Clock(0, 0, 0, 0, NS))
        first = self.clocks[0]
        self.offset = first.real_ns - first.mono_ns
        ticks = hz = first.hz or NS
        ns = NS
        self.knots = [(first.raw, first.mono_ns)]
        for before, clock in zip(self.clocks, self.clocks[1:]):
            raw, awake = clock.raw - before.raw, clock.mono_ns - before.mono_ns
            slept = clock.boot_ns - before.boot_ns - awake if before.boot_ns else 0
            ticks, ns = hz, NS
            if slept >= SLEPT_NS and awake * hz // NS + slept * hz // NS // 2 < raw:
                soft = min(awake // 8, SOFT_NS)
                asleep = before.raw + awake * hz // NS - soft * hz // NS
                self.knots.append((asleep, clock.mono_ns - soft))
                if clock.raw - awake * hz // NS > asleep:
                    self.knots.append((clock.raw - awake * hz // NS,
                                       clock.mono_ns - soft + soft // 2))
            elif awake:
                ticks, ns, hz = raw, awake, raw * NS // awake
            self.knots.append((clock.raw, clock.mono_ns))
        self.knots.append((self.knots[-1][0] + ticks, self.knots[-1][1] + ns))

    def time(self, raw):
        """ns since the epoch"""
        at = min(max(bisect_right(self.knots, (raw, math.inf)), 1), len(self.knots) - 1)
        (raw0, mono0), (raw1, mono1) = self.knots[at - 1:at + 1]
        ns = abs(raw - raw0) * (mono1 - mono0) // (raw1 - raw0)
        return self.offset + (mono0 + ns if raw >= raw0 else max(mono0 - ns, 0))

    def thread(self, tid, ts):
        """process and name of a thread at a time, as far as known"""
        lives = self.threads.get(tid, {0: (None, "")})
        starts = sorted(lives)
        return lives[starts[max(bisect_right(starts, ts) - 1, 0)]]


def show_sets(record, event):
    """the members that say what a POSIX stream leaves out: START has a set of types, FILTER two"""
    members = {"posix:posix_trace_start": ["filter"],
               "posix:posix_trace_filter": ["before", "filter"]}.get(event.name, [])
    text = ""
    if len(record.payload) != 24 + 512 * len(members):
        return text
    for at, member in enumerate(members):
        types = int.from_bytes(record.payload[24 + 512 * at:][:512], "little")
        named = [record.stream.trace.events.get(("user", 16 + bit))
                 for bit in range(1, 4096) if types >> bit & 1]
        names = ",".join('"' + e.name + '"' for e in named if e)
        text += f',"{member}":[{names}]'
    return text


def show(record):
    """the members of a JSON object from the event's name on"""
    if record.id == ID_LOST:
        reason, count = record.payload
        return f'"event":"ktrace:lost","fields":{{"reason":"{reason}","count":{count}}}'
    kind = record.stream.kind()
    event = record.stream.trace.events.get((kind, record.id))
    text = f'"event":"{event.name if event else f"{kind}:{record.id}"}"'
    flags = [f'"{name}"' for bit, name in FLAGS.items() if record.flags & bit]
    if flags:
        text += f',"flags":[{",".join(flags)}]'
    if event and not record.flags & NO_START:
        return text + f',"fields":{event.show(record.payload)}' + show_sets(record, event)
    return text + f',"bytes":"{record.payload.hex()}"'


def show_place(record):
    """the members of a JSON object that say where and by whom"""
    stream = record.stream
    text = f'"stream":{stream.number},'
    if "cpu" in stream.facts:
        text += f'"cpu":{stream.facts["cpu"]},'
    if record.id == ID_LOST:
        return text
    pid, comm = stream.trace.thread(record.tid, record.ts)
    if pid is not None:
        text += f'"pid":{pid},'
    text += f'"tid":{record.tid},'
    if comm:
        text += f'"comm":{quote(comm)},'
    return text


def events(traces):
    """all events and losses by time: when they are known to be whole, since when, what"""
    streams = [trace.streams[number].records() for trace in traces
               for number in sorted(trace.streams)]
    fragments = Fragments()
    start = now = None
    for record in heapq.merge(*streams, key=lambda record: record.stream.trace.time(record.ts)):
        now = record.stream.trace.time(record.ts)
        start = now if start is None else start
        yield from ((now, max(now - start, 0), event) for event in fragments.add(record))
    yield from ((now, now - start, event) for event in fragments.rest())


def recordings(paths):
    """the files of each trace: parts have its uuid, and a number by which they go"""
    traces = {}
    for at, path in enumerate(paths):
        try:
            with open(path, "rb") as file:
                header = file.read(FILE_SIZE)
        except OSError:
            header = b""
        order = "little" if header[12:13] == b"\4" else "big"
        part = int.from_bytes(header[20:24], order)
        traces.setdefault(header[24:40] if part else at, []).append((part, path))
    return [[path for _, path in sorted(files)] for files in traces.values()]


def main(paths):
    traces, offsets = [], {}
    status = 0
    for files in recordings(paths):
        try:
            trace = Trace(files)
        except (OSError, Refused) as error:
            print(f"{files[0]}: {error}", file=sys.stderr)
            status = 1
            continue
        if trace.boot:
            trace.offset = offsets.setdefault(trace.boot, trace.offset)
        traces.append(trace)
    for now, ns, record in events(traces):
        print(f'{{"time":"{now // NS}.{now % NS:09}","ns":{ns},'
              f'"raw":{record.ts},"trace":{traces.index(record.stream.trace)},'
              f'{show_place(record)}{show(record)}}}')
    return int(status or any(trace.is_damaged for trace in traces))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
