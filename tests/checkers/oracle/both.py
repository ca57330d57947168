#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""both.py record families|tracepoints|bpf BUILD FOLDER, both.py compare FOLDER... - compare with ftrace

"record", in a guest, records tests/checkers/oracle/load with an instance of ftrace and with ktraced at the
same time. "compare", on the host, where Python is fast, compares the events between two marks, on each
CPU: both must have the same events in the same order with the same values. "families" are ktrace's own
kinds of events, "tracepoints" (-e 'tp:...') all tracepoints of the kernel that occur. Prints differences
as TAP, one line for each kind.

Two events of one kind may be exchanged only if they happened in different contexts, an interrupt
and the context it interrupted: it may come after one tracer has recorded an event, and before the other.
So may a mark, which another CPU asks for: such an event is inside for one tracer, outside for the other.
"""
import collections
import fnmatch
import heapq
import json
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path += [HERE, ROOT + "/userspace/python"]
from families import ANY, KINDS, Kernel, ids_of  # noqa: E402
from ftrace import COMMON, IRQ_BITS, TRACING, Format, Instance, numbers_in, records  # noqa: E402

MARK = "ktrace_provoke:log"
VETOED = "task:task_rename"
CODE, BEGIN, END = 0x19, 1, 2
WINDOW = 64                     # so far from its place an event may be
EXCHANGES = 4                   # so often an interrupt may come just between the tracers' looks
REFUSED = {"irq_vectors:irq_work_exit"}         # perf gives it to nobody: it would record itself
TRIES = 3
# Fields that each tracer reads for itself from what goes on meanwhile, or that the kernel does not set
VOLATILE = {
    "timer:timer_start": {"now"},               # jiffies
    "timer:timer_expire_entry": {"now"},
    "kmem:rss_stat": {"size"},                  # a sum over the CPUs' counters
    "fib:fib_table_lookup": {"gw4", "gw6"},     # not set but for a gateway of that kind
}
# A zombie may be dead for the tracer that looks later: its parent waits for it on another CPU.
ZOMBIE, DEAD = ((state).to_bytes(8, "little") for state in (0x20, 0x10))
FEW = 3                         # so many calls that begin alike get one glob
LIST_MAX = 2000                 # bytes of the list that -e takes

Row = collections.namedtuple("Row", "context value")
Window = collections.namedtuple("Window", "before inside after")    # rows, by the marks


class Failed(Exception):
    """it cannot be compared"""


# ---- record ----

def run_load(build, folder, ftrace, events, size, command=()):
    """has the load recorded; its trace is t.bin. What ktraced says"""
    modules = f"{build}/kernel/{os.uname().release}"
    command = list(command) or [f"{HERE}/load", f"{build}/progs", modules]
    if events:
        command = [f"{build}/bin/ktraced", "--backend=dev", "--all", "-b", f"{size}M", "-o",
                   f"{folder}/t.bin", "-e", ",".join(events), "--"] + command
    ftrace.write("tracing_on", 1)
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    finally:
        ftrace.write("tracing_on", 0)
    if done.returncode:
        raise Failed(f"status {done.returncode}\n{(done.stdout + done.stderr).decode()[-2000:]}")
    return done.stderr.decode()


def measure_hz():
    """ticks a second of the kernel: how far its count goes while a clock goes on"""
    def look():
        with open("/proc/timer_list", encoding="ascii") as file:
            text = file.read()
        return (int(re.search(r"now at (\d+)", text)[1]),
                max(map(int, re.findall(r"^jiffies: (\d+)", text, re.M))))
    before = look()
    time.sleep(0.5)
    after = look()
    hz = (after[1] - before[1]) * 10**9 / (after[0] - before[0])
    return min((100, 250, 300, 1000), key=lambda n: abs(n - hz))


def record(build, folder, names, events, command=()):
    """both tracers' files; again with more room where ftrace has lost some"""
    names = names + [MARK]
    for attempt in range(TRIES):
        size = 16 << attempt
        with Instance("ktrace-both", 2 * size << 10) as ftrace:
            ftrace.enable(names)
            said = run_load(build, folder, ftrace, events, size, command)
            if ftrace.lost():
                continue
            for cpu in ftrace.cpus:
                ftrace.drain(cpu, f"{folder}/{cpu}.raw")
            return {"cpus": ftrace.cpus, "said": said, "hz": measure_hz(),
                    "formats": {name: ftrace.format(name) for name in names}}
    raise Failed("ftrace loses events")


def record_families(build, folder):
    points = sorted({p for kind in KINDS.values() for p in kind[0]})
    lacking = [p for p in points if not os.path.exists(
        f"{TRACING}/events/{p.replace(':', '/')}")]
    events = sorted({kind.split(":")[0] for kind in KINDS})
    facts = record(build, folder, [p for p in points if p not in lacking and p != MARK], events)
    return facts | {"lacking": lacking}


def which_happen(build, folder):
    """the tracepoints that happen while the load runs"""
    with Instance("ktrace-which", 32 << 10) as ftrace:
        ftrace.write("events/enable", 1)
        run_load(build, folder, ftrace, [], 0)
        ftrace.write("events/enable", 0)
        names, numbers = ftrace.numbers(), set()
        for cpu in ftrace.cpus:
            ftrace.drain(cpu, f"{folder}/{cpu}.raw")
            with open(f"{folder}/{cpu}.raw", "rb") as file:
                numbers |= numbers_in(file.read())
    return sorted(names[n] for n in numbers if n in names)


def globs_of_calls(names):
    """both ends of the calls; one glob for several that begin alike"""
    by_start = collections.defaultdict(set)
    for name in names:
        call = re.sub("syscalls:sys_(enter|exit)_", "", name)
        by_start[call[:3]].add(call)
    for start, calls in sorted(by_start.items()):
        yield from [f"syscalls:*_{start}*"] if len(calls) >= FEW else \
            [f"syscalls:*_{call}" for call in sorted(calls)]


def globs(names):
    """few that match these, as the list that -e takes is short: all of a group"""
    for group in sorted({name.split(":")[0] for name in names} - {"syscalls"}):
        yield group + ":*"
    yield from globs_of_calls(n for n in names if n.startswith("syscalls:"))


def record_tracepoints(build, folder):
    with open(f"{TRACING}/available_events", encoding="ascii") as file:
        there = file.read().split()
    wanted, left_out = list(globs(which_happen(build, folder))), []
    while len(",".join("tp:" + name for name in wanted)) > LIST_MAX:
        left_out.append(wanted.pop())
    fits = re.compile("|".join(map(fnmatch.translate, wanted)))
    names = [name for name in there if fits.match(name) and name != MARK]
    facts = record(build, folder, names, ["tp:" + name for name in wanted])
    return facts | {"left_out": left_out}


def record_bpf(build, folder):
    """the tracepoint VETOED, on which a BPF program keeps perf's records back for a while"""
    with open(f"{TRACING}/events/{VETOED.replace(':', '/')}/id", encoding="ascii") as file:
        number = file.read().strip()
    log = "/sys/module/ktrace_provoke/parameters/log"
    program = f"{build}/progs/bpf_veto {number}"
    rename = "/bin/true; (echo a >/proc/self/comm); (echo b >/proc/self/comm)"
    command = ["sh", "-c", f"echo {BEGIN} >{log}; {rename}; {program} sh -c '{rename}'; {rename};"
               f"echo {END} >{log}"]
    others = [VETOED, "sched:sched_process_exec"]
    return record(build, folder, others, ["tp:" + name for name in others + [MARK]], command)


def record_into(what, build, folder):
    os.makedirs(folder, exist_ok=True)
    modules = f"{build}/kernel/{os.uname().release}"
    subprocess.run(["modprobe", "virtio_blk"], check=True)
    subprocess.run(["insmod", f"{modules}/ktrace_provoke.ko"], check=True)
    try:
        facts = {"families": record_families, "tracepoints": record_tracepoints,
                 "bpf": record_bpf}[what](build, folder)
    finally:
        subprocess.run(["rmmod", "ktrace_provoke"], check=False)
    with open("/proc/kallsyms", "rb") as source, open(f"{folder}/kallsyms", "wb") as file:
        file.write(source.read())
    with open(f"{folder}/facts.json", "w", encoding="ascii") as file:
        json.dump(facts | {"what": what}, file)


# ---- read ----

def between(rows, is_begin, is_end):
    """what lies between two marks, and next to them; None: a mark is not there"""
    begin = next((i for i, row in enumerate(rows) if is_begin(row)), None)
    end = next((i for i, row in enumerate(rows) if is_end(row)), None)
    if begin is None or end is None:
        return None
    return Window(rows[max(0, begin - WINDOW):begin], rows[begin:end + 1],
                  rows[end + 1:end + 1 + WINDOW])


def by_part(windows):
    """by part of a window: by CPU, its rows"""
    return Window(*({cpu: window[i] for cpu, window in windows.items()}
                    for i in range(len(Window._fields))))


def read_ftrace(folder, facts, formats):
    """by part and CPU: stamp, head and bytes of each record"""
    mark = next(f for f in formats.values() if f.name == MARK)
    by_cpu = {}
    for cpu in facts["cpus"]:
        with open(f"{folder}/{cpu}.raw", "rb") as file:
            rows = [(stamp, COMMON.unpack_from(data), data) for stamp, data in records(file.read())]

        def is_mark(n):
            return lambda row: row[1][0] == mark.id and mark.values(row[2])["par2"] == n

        by_cpu[cpu] = between(rows, is_mark(BEGIN), is_mark(END))
        if by_cpu[cpu] is None:
            raise Failed(f"ftrace has no mark of CPU {cpu} among {len(rows)} records")
    return by_part(by_cpu)


def read_ktrace(path, is_mark):
    """by part and CPU: the events; all that is lost, by reason, and by CPU"""
    from ktrace import Traceset
    by_cpu, lost = collections.defaultdict(list), collections.Counter()
    lost_there = collections.Counter()
    with Traceset(path) as events:
        for e in events:
            by_cpu[e.cpu].append(e)
            if e.is_lost:
                lost[e.fields["reason"]] += e.fields["count"]
                lost_there[e.cpu] += e.fields["count"]
        if events.damages:
            raise Failed(f"the trace is damaged: {events.damages}")
        for cpu, rows in by_cpu.items():
            rows = [e for e in rows if not e.is_lost]
            by_cpu[cpu] = between(rows, lambda e: is_mark(e, BEGIN), lambda e: is_mark(e, END)) or \
                Window([], [], [])
    return by_part(by_cpu), lost, lost_there


def read_missed(path):
    """what the trace says of hits without a record, by tracepoint"""
    with open(path, "rb") as file:
        lines = re.findall(rb"^missed name=(\S+) count=(\d+)$", file.read(), re.M)
    return {name.decode(): int(count) for name, count in lines}


# ---- compare ----

class Ledger:
    """what was found, by kind"""

    def __init__(self):
        self.equal = collections.Counter()
        self.faults = collections.defaultdict(list)

    def say(self, name, text):
        self.faults[name].append(text)

    def report(self, title):
        for name, texts in sorted(self.faults.items()):
            print(f"not ok - {title}: {name}: {len(texts)} differ, {self.equal[name]} are equal")
            for line in texts[:6]:
                print("#", line)
        print(f"{'not ok' if self.faults else 'ok'} - {title}: {len(+self.equal)} kinds,",
              f"{sum(self.equal.values())} events are equal")


def differences(theirs, ours):
    """pairs of places in two lists that should be equal; None where one has nothing"""
    at = [0, 0]
    while at[0] < len(theirs) and at[1] < len(ours):
        if theirs[at[0]] == ours[at[1]]:
            yield tuple(at)
            at = [at[0] + 1, at[1] + 1]
            continue
        skip = next(((i, d - i) for d in range(1, WINDOW) for i in range(d + 1)
                     if at[0] + i < len(theirs) and at[1] + d - i < len(ours) and
                     theirs[at[0] + i] == ours[at[1] + d - i]), (WINDOW, WINDOW))
        for i in range(max(skip)):
            yield (at[0] + i if i < skip[0] and at[0] + i < len(theirs) else None,
                   at[1] + i if i < skip[1] and at[1] + i < len(ours) else None)
        at = [at[0] + skip[0], at[1] + skip[1]]
    yield from ((i, None) for i in range(at[0], len(theirs)))
    yield from ((None, i) for i in range(at[1], len(ours)))


def holes(theirs, ours, are_near):
    """pairs of places if only some of theirs are missing in ours, else None"""
    pairs, at = [], 0
    for i, value in enumerate(theirs):
        is_there = at < len(ours) and value == ours[at] and are_near(i, at)
        pairs.append((i, at if is_there else None))
        at += is_there
    return pairs if at == len(ours) else None


def places(rows):
    """by context: where its rows are"""
    by_context = collections.defaultdict(list)
    for i, row in enumerate(rows):
        by_context[row.context].append(i)
    return by_context


def match(theirs, ours):
    """how many are equal; pairs of rows that are not, None for one that is not there"""
    if theirs == ours:
        return len(theirs), []
    wrong, equal, a, b = [], 0, places(theirs), places(ours)
    far = WINDOW + abs(len(theirs) - len(ours))
    for context in list(a) + [c for c in b if c not in a]:
        mine, yours = a[context], b[context]
        values = [theirs[k].value for k in mine], [ours[k].value for k in yours]

        def are_near(i, j, mine=mine, yours=yours):
            return abs(mine[i] - yours[j]) <= far

        for i, j in holes(*values, are_near) or differences(*values):
            is_equal = None not in (i, j) and values[0][i] == values[1][j] and are_near(i, j)
            i, j = None if i is None else mine[i], None if j is None else yours[j]
            if is_equal:
                equal += 1
            elif (i, j) != (None, None):
                wrong.append((None if i is None else theirs[i], None if j is None else ours[j]))
    exchanged = exchange(wrong)
    return equal + exchanged, wrong


def exchange(wrong):
    """
    takes out rows of interrupts that the other one has in another place; how many these are

    An interrupt may interrupt a softirq, and its record does not tell which of both it was.
    """
    alone = [their for their, our in wrong if our is None and their.context[1]]
    nr = 0
    for their in alone:
        pair = next((w for w in wrong if w[0] is None and w[1] == their), None)
        if pair and nr < EXCHANGES:
            wrong.remove(pair)
            wrong.remove((their, None))
            nr += 1
    return nr


def is_outside(row, rows, others):
    """whether the other tracer has this one just outside: a mark came between the two tracers' looks"""
    def at(rows, i):
        rows = [r for r in rows if not r.context[1]]
        return rows[i] if rows else None
    return (row is at(rows.inside, 0) and row == at(others.before, -1) or
            row is at(rows.inside, -1) and row == at(others.after, 0))


def compare_kind(kind, theirs, ours, ledger):
    """says what differs but hits that only ftrace has: these are returned, by CPU"""
    missing = collections.defaultdict(list)
    for cpu in sorted({c for k, c in set(theirs.inside) | set(ours.inside) if k == kind}):
        their_rows, our_rows = (Window(*(part[kind, cpu] for part in rows)) for rows in (theirs, ours))
        equal, wrong = match(their_rows.inside, our_rows.inside)
        ledger.equal[kind] += equal
        for their, our in wrong:
            if None in (their, our) and (is_outside(their, their_rows, our_rows) if their else
                                         is_outside(our, our_rows, their_rows)):
                continue
            if our is None:
                missing[cpu].append(their)
            else:
                ledger.say(kind, f"CPU {cpu}: ftrace {their}, ktrace {our}")
    return missing


def say_missing(kind, missing, ledger):
    for cpu, rows in missing.items():
        for row in rows:
            ledger.say(kind, f"CPU {cpu}: ftrace {row}, ktrace None")


def families_of_ftrace(theirs, formats, kernel):
    """by kind and CPU: rows"""
    takers = collections.defaultdict(list)
    for kind, (points, _, take) in KINDS.items():
        for point in points:
            takers[point].append((kind, take))
    rows = collections.defaultdict(list)
    stream = heapq.merge(*([(stamp, cpu, head, data) for stamp, head, data in theirs[cpu]]
                           for cpu in theirs), key=lambda row: row[0])
    for _, cpu, head, data in stream:
        form = formats[head[0]]
        values = form.values(data)
        for kind, take in takers[form.name]:
            value = take(values, kernel)
            if value is not None:
                rows[kind, cpu].append(Row((head[3], bool(head[1] & IRQ_BITS)), value))
    return rows


def families_of_ktrace(ours):
    rows = collections.defaultdict(list)
    for cpu, events in ours.items():
        for e in events:
            rows[e.name, cpu].append(Row((e.tid, "irq" in e.flags), KINDS[e.name][1](e.payload)))
    return rows


def compare_families(folder, facts, formats, ledger):
    with open(ROOT + "/uapi/linux/ktrace_events.h", encoding="ascii") as file:
        nr = ids_of(file.read())
    if nr != len(KINDS):
        raise Failed(f"{nr} kinds are declared, {len(KINDS)} compared")

    def is_mark(e, n):
        return e.name == "log:event" and KINDS[e.name][1](e.payload)[::2] == (CODE, n)

    theirs = read_ftrace(folder, facts, formats)
    ours, lost, _ = read_ktrace(f"{folder}/t.bin", is_mark)
    for reason, count in lost.items():
        ledger.say("lost", f"{count} {reason}: {facts['said']}")
    kernel = Kernel(f"{folder}/kallsyms", facts["hz"], len(facts["cpus"]))
    theirs = Window(*(families_of_ftrace(part, formats, kernel) for part in theirs))
    ours = Window(*map(families_of_ktrace, ours))
    for kind in KINDS:
        say_missing(kind, compare_kind(kind, theirs, ours, ledger), ledger)
        if not ledger.equal[kind] and kind not in ledger.faults:
            if set(KINDS[kind][0]) <= set(facts["lacking"]):
                print(f"# {kind}: this kernel has no {' '.join(KINDS[kind][0])}")
            elif kind == "sched:migrate" and len(facts["cpus"]) == 1:
                print(f"# {kind}: there is one CPU")
            else:
                ledger.say(kind, "did not happen")


def compare_tracepoints(folder, facts, formats, ledger):
    """A hit without a record must have been told: of each tracepoint, and of each CPU."""
    mark = next(f for f in formats.values() if f.name == MARK)

    def is_mark(e, n):
        return e.name == MARK and mark.values(e.payload)["par2"] == n

    theirs = read_ftrace(folder, facts, formats)
    ours, lost, lost_there = read_ktrace(f"{folder}/t.bin", is_mark)
    told, absent = read_missed(f"{folder}/t.bin"), collections.Counter()
    for name in facts.get("left_out", ()):
        print(f"# {name} is not recorded: the list would be too long")
    for reason, count in lost.items():
        if reason != "nested":
            ledger.say("lost", f"{count} {reason}: {facts['said']}")
    rows = rows_of(theirs, ours, formats)
    for name in REFUSED & {f.name for f in formats.values()}:
        print(f"# {name} cannot be recorded")
    for name in sorted({f.name for f in formats.values()} - REFUSED):
        missing = compare_kind(name, *rows, ledger)
        nr = sum(map(len, missing.values()))
        absent.update({cpu: len(missing[cpu]) for cpu in missing})
        if nr > told.get(name, 0):
            ledger.say(name, f"{nr} have no record, {told.get(name, 0)} are told")
            say_missing(name, missing, ledger)
        elif nr:
            print(f"# {name}: {ledger.equal[name]} are equal, {nr} have no record and are told")
    for cpu in facts["cpus"]:
        if absent[cpu] > lost_there[cpu]:
            ledger.say("lost", f"CPU {cpu}: {absent[cpu]} have no record, {lost_there[cpu]} are told")
    if sum(told.values()) != lost["nested"]:
        ledger.say("lost", f"{sum(told.values())} by tracepoint, {lost['nested']} by CPU")


def compare_bpf(folder, facts, formats, ledger):
    """as for others; and the program has kept back some hits, not all"""
    compare_tracepoints(folder, facts, formats, ledger)
    told = read_missed(f"{folder}/t.bin")
    if not told.get(VETOED) or not ledger.equal[VETOED]:
        ledger.say(VETOED, f"{told} are told, {ledger.equal[VETOED]} are recorded: not some of both")


def rows_by_kind(by_cpu):
    """by kind and CPU: rows, of pairs of a kind's format and a record's bytes"""
    rows = collections.defaultdict(list)
    for cpu, pairs in by_cpu.items():
        for form, data in pairs:
            rows[form.name, cpu].append(row_of(form, data))
    return rows


def rows_of(theirs, ours, formats):
    """ftrace's and ktrace's rows, by part of the window"""
    by_name = {f.name: f for f in formats.values()}
    return (Window(*(rows_by_kind({cpu: [(formats[head[0]], data) for _, head, data in records]
                                   for cpu, records in part.items()}) for part in theirs)),
            Window(*(rows_by_kind({cpu: [(by_name[e.name], e.payload) for e in events]
                                   for cpu, events in part.items()}) for part in ours)))


def value_of(form, field, data):
    value = form.bytes(field, data)
    is_state = (form.name, field.name) == ("sched:sched_switch", "prev_state")
    return ZOMBIE if is_state and value == DEAD else value


def row_of(form, data):
    number, flags, _, pid = COMMON.unpack_from(data)
    return Row((pid, flags & IRQ_BITS), (number,) + tuple(
        value_of(form, f, data) for f in form.own if f.name not in VOLATILE.get(form.name, ())))


def compare(folder):
    with open(f"{folder}/facts.json", encoding="ascii") as file:
        facts = json.load(file)
    formats = {f.id: f for f in (Format(*item) for item in facts["formats"].items())}
    ledger = Ledger()
    try:
        {"families": compare_families, "tracepoints": compare_tracepoints,
         "bpf": compare_bpf}[facts["what"]](folder, facts, formats, ledger)
    except Failed as e:
        ledger.say("all", e)
    ledger.report(facts["what"])


if __name__ == "__main__":
    if sys.argv[1:2] == ["record"] and len(sys.argv) == 5:
        try:
            record_into(*sys.argv[2:])
        except Failed as e:
            sys.exit(f"{' '.join(sys.argv)}: {e}")
    elif sys.argv[1:2] == ["compare"] and len(sys.argv) > 2:
        for name in sys.argv[2:]:
            compare(name)
    else:
        sys.exit(__doc__)
