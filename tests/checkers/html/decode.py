#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Decode a page of ktrace html, written from Documentation/html.md alone, and compare it.

  decode.py check PAGE KTRACE FILE...   compare with ktrace list, flow, resources; and levels with blocks
  decode.py head PAGE                   print the head
  decode.py events PAGE                 print events, a line of JSON each
  decode.py served PAGE URL             compare with ktrace serve at URL
  decode.py turns PAGE FOLDER...        compare with ktrace serve after it has read all, in the last
                                        folder, and before that, in the others, see turns.c
"""
import bisect
import collections
import html.parser
import json
import struct
import subprocess
import sys
import time
import urllib.request
import zlib
from base64 import b64decode

BINS = 1024
FLAGS = {1: "truncated", 2: "incomplete", 4: "no-start", 8: "irq", 16: "critical",
         32: "backwards"}


class Bytes:
    """LEB128 numbers one behind the other"""

    def __init__(self, data):
        self.data, self.at = data, 0

    def u(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def s(self):
        value = self.u()
        return value >> 1 ^ -(value & 1)

    def take(self, n):
        self.at += n
        assert self.at <= len(self.data), "a piece ends early"
        return self.data[self.at - n:self.at]

    def end(self):
        assert self.at == len(self.data), "bytes behind the end of a piece"


class Elements(html.parser.HTMLParser):
    """Script elements by their id, as a browser finds them"""

    def __init__(self):
        super().__init__(convert_charrefs=False)
        self.found, self.id = {}, None

    def handle_starttag(self, tag, attrs):
        if tag == "script":
            self.id = dict(attrs).get("id")
            if self.id:
                assert self.id not in self.found, f"{self.id} twice"
                self.found[self.id] = ""

    def handle_endtag(self, tag):
        self.id = None

    def handle_data(self, data):
        if self.id:
            self.found[self.id] += data


class Page:
    def __init__(self, path):
        elements = Elements()
        with open(path, encoding="utf-8") as file:
            elements.feed(file.read())
        self.elements = elements.found
        self.head = json.loads(self.elements["kt-head"])
        assert self.head["version"] == 1
        pieces = {"kt-head", *(f"kt-n{i}" for i in range(len(self.head["nodes"]))),
                  *(f"kt-b{i}" for i in range(len(self.head["blocks"])))}
        assert pieces == set(self.elements), pieces ^ set(self.elements)
        self.begin, self.start = int(self.head["begin"]), int(self.head["start"])
        self.events, self.changes, self.arrows = [], [], []
        self.states = {}    # row: state at present
        for i in range(len(self.head["blocks"])):
            self.read_block(i)

    def piece(self, name):
        return Bytes(zlib.decompress(b64decode(self.elements[name], validate=True), wbits=-15))

    def field(self, b, kind, strings):
        if kind in "ux":
            return b.u()
        if kind == "i":
            return b.s()
        if kind == "f":
            return struct.unpack("<d", b.take(8))[0]
        if kind == "g":
            return struct.unpack("<f", b.take(4))[0]
        assert kind == "j"
        return json.loads(strings[b.u()])

    def read_events(self, b, count, base):
        strings = [b.take(b.u()).decode() for _ in range(b.u())]
        times = []
        for _ in range(count):
            base += b.s()
            times.append(base)
        columns = [[b.u() for _ in range(count)] for _ in range(4)]
        size = b.u()
        end = b.at + size
        for time, kind, row, stream, flags in zip(times, *columns):
            fields = self.head["types"][kind]["fields"]
            values = [self.field(b, f["kind"], strings) for f in fields]
            self.events.append((time, kind, row - 1, stream, flags, values))
        assert b.at == end, "length of the fields"

    def read_states(self, b):
        states, row = {}, 0
        for _ in range(b.u()):
            row += b.u()
            states[row] = b.u()
        return states

    def read_block(self, i):
        b = self.piece(f"kt-b{i}")
        begin, end, first, count = self.head["blocks"][i]
        assert b.u() == count and first == len(self.events), f"block {i}: events"
        base = b.u()
        assert base == begin
        self.read_events(b, count, base)
        states = self.read_states(b)
        if i:
            assert states == {k: v for k, v in self.states.items() if v}, f"block {i}: states"
        else:
            self.changes += [(0, row, state) for row, state in states.items()]
        self.states = states
        time = base
        for _ in range(b.u()):
            time += b.s()
            row, state = b.u(), b.u()
            assert states.get(row, 0) != state, "a change that is none"
            states[row] = state
            self.changes.append((time, row, state))
            assert time <= end
        time = base
        for _ in range(b.u()):
            kind, begun, source = b.u(), base + b.s(), b.u()
            time += b.s()
            self.arrows.append((kind, begun, source, time, b.u()))
        b.end()

    def runs(self, b):
        values = []
        for _ in range(b.u()):
            value = b.u()
            values += [value] * b.u()
        assert len(values) == BINS, "runs"
        return values

    def node(self, i):
        return self.parse_node(self.piece(f"kt-n{i}"))

    def parse_node(self, b):
        events = [b.u() for _ in range(BINS)]
        lost = [b.u() for _ in range(BINS)]
        rows, row = {}, 0
        for _ in range(b.u()):
            row += b.u()
            rows[row] = self.runs(b), self.runs(b)
        b.end()
        return events, lost, rows

    def spans(self):
        """For each row (begin, end, state + 1), states that are known only"""
        spans, since = collections.defaultdict(list), {}
        for time, row, state in [*self.changes,
                                 *((self.head["span"], row, 0) for row in self.states)]:
            begun, old = since.get(row, (0, 0))
            time = max(time, begun)
            if old and time > begun:
                spans[row].append((begun, time, old))
            since[row] = (time, state)
        return spans

    def json(self, event):
        """As ktrace list --json has it"""
        time, kind, row, stream, flags, values = event
        kind, stream = self.head["types"][kind], self.head["streams"][stream]
        o = {"ns": time + self.begin - self.start, "event": kind["name"], "trace": stream["file"],
             "stream": stream["id"]}
        if stream["cpu"] is not None:
            o["cpu"] = stream["cpu"]
        if row >= 0:
            o["tid"] = self.head["rows"][row]["tid"]
        if flags:
            o["flags"] = [name for bit, name in FLAGS.items() if flags & bit]
        fields = {}
        for field, value in zip(kind["fields"], values):
            names = {int(v): name for v, name in field.get("enums", ())}
            if field["kind"] in "uix" and value in names:
                value = names[value]
            elif field["kind"] == "x":
                value = hex(value)
            elif field["kind"] in "fg" and value - value != 0:
                value = None
            fields[field["name"]] = value
        for field in kind["fields"]:
            if "extra" in field:
                o[field["name"]] = fields.pop(field["name"])
        if "bytes" not in o:
            o["fields"] = fields
        return o


def ktrace(program, command, *args):
    run = subprocess.run([program, *command.split(), *args], stdout=subprocess.PIPE, check=False,
                         env={"TZ": "UTC"})
    return [json.loads(line) for line in run.stdout.splitlines()]


def same(a, b):
    """@b of ktrace list; in @a, of the page, integers that a double does not hold are text"""
    if isinstance(a, str) and isinstance(b, int):
        return a == str(b) and abs(b) > 2**53
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, float) or isinstance(b, float):
        return a == b or struct.pack("<f", a) == struct.pack("<f", b)
    return a == b


def check_events(page, listed):
    assert len(page.events) == len(listed), (len(page.events), len(listed))
    for i, (event, line) in enumerate(zip(page.events, listed)):
        ours = page.json(event)
        if "stacks" not in line:
            ours.pop("stacks", None)
        theirs = {k: line[k] for k in line if k in ours or k in
                  ("flags", "fields", "bytes", "context", "tid", "cpu")}
        if line["event"] == "ktrace:lost":
            theirs.pop("tid", None)
        assert set(ours) == set(theirs) and all(same(ours[k], theirs[k]) for k in ours), \
            f"event {i}: {ours}\nktrace list: {theirs}"
        if event[2] >= 0 and "pid" in line and line["tid"]:
            assert page.head["rows"][event[2]].get("pid", 0) == line["pid"], (i, line)


def check_counts(page, listed):
    lost = collections.Counter()
    events = collections.Counter()
    for line in listed:
        if line["event"] == "ktrace:lost":
            lost[line["trace"], line["fields"]["reason"]] += line["fields"]["count"]
        else:
            events[line["trace"]] += 1
    head = page.head
    assert lost == {(x["file"], x["reason"]): x["count"] for x in head["loss"]}, lost
    for i, file in enumerate(head["files"]):
        assert file["events"] == events[i], file
        assert file["lost"] == sum(n for (trace, _), n in lost.items() if trace == i), file


def histogram(node, times):
    begin, end = node[:2]
    width, bins = (end - begin) // BINS, [0] * BINS
    assert width * BINS == end - begin
    for time in times[bisect.bisect_left(times, begin):bisect.bisect_left(times, end)]:
        bins[(time - begin) // width] += 1
    return bins


def shares(node, spans):
    """For each bin, how long each state lasts in it"""
    begin, end = node[:2]
    width = (end - begin) // BINS
    bins = [{} for _ in range(BINS)]
    for start, stop, state in spans:
        start, stop = max(start, begin), min(stop, end)
        while start < stop:
            i = (start - begin) // width
            upto = min(stop, begin + (i + 1) * width)
            bins[i][state] = bins[i].get(state, 0) + upto - start
            start = upto
    return bins


def winners(page, share):
    """States that a bin may show: threads that a CPU runs count together"""
    is_run = {s: page.head["states"][s - 1]["group"] == "run" for s in share}
    run = {s: ns for s, ns in share.items() if is_run[s]}
    others = {s: ns for s, ns in share.items() if not is_run[s]}
    group = run if sum(run.values()) >= max(others.values(), default=0) else others
    return [s for s, ns in group.items() if ns == max(group.values())]


def check_node(page, i, times, lost, by_row):
    node = page.head["nodes"][i]
    events, losses, rows = page.node(i)
    assert events == histogram(node, times), f"node {i}: histogram"
    assert sum(events) == node[5], f"node {i}: sum"
    assert sum(losses) == sum(n for t, n in lost if node[0] <= t < node[1]), f"node {i}: lost"
    for row, (states, counts) in rows.items():
        assert counts == [n.bit_length() for n in histogram(node, by_row[0][row])], (i, row)
        for state, share in zip(states, shares(node, by_row[1][row])):
            assert state in winners(page, share) if share else not state, (i, row, state, share)
    for row in set(by_row[0]) | set(by_row[1]):
        if row not in rows:
            assert not sum(histogram(node, by_row[0][row])), (i, row)
            assert not any(shares(node, by_row[1][row])), (i, row)


def check_levels(page):
    nodes = page.head["nodes"]
    is_lost = [t["name"] == "ktrace:lost" for t in page.head["types"]]
    times, lost, latest = [], [], 0
    by_row = collections.defaultdict(list), page.spans()
    for event in page.events:
        latest = max(latest, event[0])
        if is_lost[event[1]]:
            lost.append((latest, event[5][1]))
            continue
        times.append(latest)
        if event[2] >= 0:
            by_row[0][event[2]].append(latest)
    for i, node in enumerate(nodes):
        check_node(page, i, times, lost, by_row)
        if node[4] >= 0:
            parent = nodes[node[4]]
            part = (parent[1] - parent[0]) // 16
            assert node[1] - node[0] == part and (node[0] - parent[0]) % part == 0
            assert parent[0] <= node[0] and node[1] <= parent[1]
    has_child = {node[4] for node in nodes}
    for i, node in enumerate(nodes):
        assert node[5] <= 65536 or i in has_child, f"node {i} is a leaf of {node[5]} events"
    for begin, end, first, stop, *_ in nodes:
        inside = [i for i, b in enumerate(page.head["blocks"]) if b[0] < end and b[1] >= begin]
        assert not inside or (first <= inside[0] and inside[-1] < stop), (begin, first, stop)


def word(span):
    """What flow says, as a state of a page"""
    if span["status"] == "run":
        return span["mode"] if span["mode"] != "unknown" else "run"
    if span["status"] == "wait":
        return "wait-disk" if span["wait"] == "disk" else "wait"
    return {"unnamed": None}.get(span["status"], span["status"])


def check_flow(page, flow):
    expected = collections.Counter()
    for span in flow:
        if "status" in span and word(span):
            expected[span["machine"], span["tid"], word(span)] += span["duration_ns"]
    found = collections.Counter()
    for row, spans in page.spans().items():
        about = page.head["rows"][row]
        for begin, end, state in spans:
            if about["kind"] == "thread":
                name = page.head["states"][state - 1]["name"]
                found[about["machine"], about["tid"], name] += end - begin
    assert found == +expected, (found - expected, +expected - found)


def check_resources(page, resources):
    expected = {(r["machine"], r["kind"], r["number"], mode): ns for r in resources
                for mode, ns in r["modes"].items() if ns and mode != "unknown"}
    found = collections.Counter()
    for row, spans in page.spans().items():
        about = page.head["rows"][row]
        for begin, end, state in spans:
            state = page.head["states"][state - 1]
            if state["group"] in ("cpu", "run"):
                mode = "busy" if state["group"] == "run" else state["name"]
                found[about["machine"], about["kind"], about["number"], mode] += end - begin
    assert found == expected, (found, expected)


def check_running(page):
    """The thread that a CPU runs is the one whose row says that it runs"""
    head = page.head
    names = {r: {"user", "syscall", "run"} for r, row in enumerate(head["rows"]) if row["kind"] == "thread"}
    spans, on_cpus, runs = page.spans(), collections.Counter(), collections.Counter()
    ends = collections.Counter()    # also with interrupts, which a CPU shows
    for row, list_ in spans.items():
        for begin, end, state in list_:
            state = head["states"][state - 1]
            if state["group"] == "run" and "row" in state:
                on_cpus[state["row"]] += end - begin
                assert head["rows"][row]["kind"] == "cpu"
            elif row in names and state["name"] in names[row]:
                runs[row] += end - begin
            elif row in names and state["name"] == "exit":
                ends[row] += end - begin
    assert not runs - on_cpus and not on_cpus - runs - ends, (on_cpus - runs - ends, runs - on_cpus)


def check_rows(page):
    rows, order = page.head["rows"], page.head["order"]
    assert sorted(order) == list(range(len(rows)))
    place = {row: i for i, row in enumerate(order)}
    for i, row in enumerate(rows):
        assert row["parent"] < 0 or place[row["parent"]] < place[i], (i, row)
    for _, begun, source, ended, to in page.arrows:
        assert begun <= ended and source < len(rows) and to < len(rows)
    for _, row, state in page.changes:
        assert row < len(rows) and state <= len(page.head["states"])


def check_known(page, head, get):
    """What a server knows before it has read all is the beginning of what it knows then"""
    final = page.head
    assert 0 <= head["known"] <= head["span"] == final["span"]
    for what in "types", "streams", "states":
        assert head[what] == final[what][:len(head[what])], what
    for ours, theirs in zip(head["blocks"], final["blocks"]):
        assert ours == theirs, (ours, theirs)
    for i, (ours, theirs) in enumerate(zip(head["nodes"], final["nodes"])):
        assert ours[:2] == theirs[:2] and ours[2] == theirs[2] and ours[5] <= theirs[5], i
        check_known_node(page, i, head, Bytes(zlib.decompress(get("n", i), wbits=-15)))
    for i in range(len(head["blocks"])):
        assert get("b", i) == b64decode(page.elements[f"kt-b{i}"]), f"block {i}"


def check_known_node(page, i, head, b):
    """Bins that are over are as they will be."""
    ours, theirs = page.parse_node(b), page.node(i)
    begin, end = head["nodes"][i][:2]
    over = min(max(head["known"] - begin, 0) // ((end - begin) // BINS), BINS)
    assert sum(ours[0]) == head["nodes"][i][5], f"node {i}: sum"
    for a, c in zip(ours[:2], theirs[:2]):
        assert a[:over] == c[:over], f"node {i}"
        assert all(x <= y for x, y in zip(a, c)), f"node {i}"
    nothing = [0] * BINS, [0] * BINS
    for row in set(ours[2]) | set(theirs[2]):
        for a, c in zip(ours[2].get(row, nothing), theirs[2].get(row, nothing)):
            assert a[:over] == c[:over], f"node {i}, row {row}"


def check_whole(page, head, get):
    assert head.pop("serve") and head.pop("sql", 1) and head == page.head
    for name, text in page.elements.items():
        if name != "kt-head":
            assert get(name[3], name[4:]) == b64decode(text), name


def check_turns(page, folders):
    for folder in folders:
        def get(kind, i, folder=folder):
            with open(f"{folder}/{kind}{i}", "rb") as file:
                return file.read()
        head = json.loads(get("head", ""))
        if folder == folders[-1]:
            check_whole(page, head, get)
        else:
            check_known(page, head, get)
            print(f"{len(head['nodes'])} nodes, {len(head['blocks'])} blocks")


def check_served(page, url):
    def get(address):
        with urllib.request.urlopen(url + address) as answer:
            return answer.read()
    def page_head():
        elements = Elements()
        elements.feed(get("").decode())
        assert set(elements.found) == {"kt-head"}, set(elements.found)
        return json.loads(elements.found["kt-head"])
    while "known" in json.loads(get("head")):
        time.sleep(0.05)
    head = page_head()
    assert head == json.loads(get("head"))
    check_whole(page, head, lambda kind, i: get(f"{kind}/{i}"))
    print(f"{len(page.elements) - 1} pieces")


def main():
    what, path, *rest = sys.argv[1:]
    page = Page(path)
    if what == "head":
        print(json.dumps(page.head))
    elif what == "events":
        for event in page.events:
            print(json.dumps(page.json(event)))
    elif what == "served":
        check_served(page, rest[0])
    elif what == "turns":
        check_turns(page, rest)
    elif what == "check":
        listed = ktrace(rest[0], "list --json", *rest[1:])
        check_events(page, listed)
        check_counts(page, listed)
        check_rows(page)
        check_levels(page)
        if not {"-e", "--filter", "-p", "--since", "--until"} & set(rest):
            check_flow(page, ktrace(rest[0], "flow --json", *rest[1:]))
            # In files that know nothing of each other, a thread may be on two CPUs.
            if len(page.head["files"]) == 1:
                check_running(page)
            check_resources(page, ktrace(rest[0], "resources --json", *rest[1:])[-1]["resources"])
        print(f"{len(page.events)} events, {len(page.changes)} changes, {len(page.arrows)} arrows,"
              f" {len(page.head['nodes'])} nodes")


main()
