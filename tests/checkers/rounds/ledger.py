# SPDX-License-Identifier: GPL-2.0
"""The ledger of tests/rounds: what two recordings have of the same threads at the same time

A program without a count of its own has no other witness than a second recording. Between the first and
the last event of a thread in one file, the other file must have the same events in the same order; what
is missing in one must be in its count of lost events. Threads of tests/progs/late also number their events.
"""
import bisect
import fnmatch
import json
import subprocess

LATE = "late:tick"


class Fault(Exception):
    """What a round finds wrong."""


class Thread:
    """Events of a thread in one file, in order: times, and (name, fields)."""

    def __init__(self):
        self.times = []
        self.events = []


def read(ktrace, path):
    """Returns the threads of a file, by (pid, tid), and the number of its events."""
    threads, nr = {}, 0
    with subprocess.Popen([ktrace, "list", "--json", path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as listing:
        for line in listing.stdout:
            event = json.loads(line)
            if "fields" not in event or event["event"].startswith("ktrace:"):
                continue
            nr += 1
            if "tid" not in event:
                raise Fault(f"{path}: an event of no thread: {line}")
            thread = threads.setdefault((event["pid"], event["tid"]), Thread())
            thread.times.append(event["raw"])
            thread.events.append((event["event"], tuple(event["fields"].values())))
        said = listing.stderr.read()
    if listing.returncode or said:
        raise Fault(f"{path}: ktrace list: status {listing.returncode}: {said}")
    return threads, nr


def numbered(path, threads, lost):
    """The numbers in events of tests/progs/late ascend; a gap is in the count of lost events."""
    missing = 0
    for who, thread in threads.items():
        numbers = [fields[1] for name, fields in thread.events if name == LATE]
        for before, after in zip(numbers, numbers[1:]):
            if after <= before:
                raise Fault(f"{path}: thread {who}: event {after} follows {before}")
            missing += after - before - 1
    if missing > lost:
        raise Fault(f"{path}: {missing} events are missing, {lost} were counted as lost")


def nested(path, threads):
    """In each thread, a call that ends is the last one that began, or began before the recording."""
    for who, thread in threads.items():
        calls, is_known = [], False
        for name, fields in thread.events:
            stem, _, part = name.rpartition("_")
            if part == "in" and name.startswith("pthread:"):
                calls.append(stem)
                is_known = True
            elif part == "out" and name.startswith("pthread:"):
                if calls and calls[-1] == stem:
                    calls.pop()
                elif is_known and calls:
                    raise Fault(f"{path}: thread {who}: {name}{fields} without its beginning")


def missing_in(sparse, dense):
    """How many events of dense, up to the last one of sparse, are not in sparse; None: it is no part of dense."""
    if sparse == dense[:len(sparse)]:
        return 0
    at, skipped = iter(dense), 0
    for event in sparse:
        for other in at:
            if other == event:
                break
            skipped += 1
        else:
            return None
    return skipped


def select(thread, globs):
    """The thread's events of these names."""
    chosen = Thread()
    for time, event in zip(thread.times, thread.events):
        if any(fnmatch.fnmatchcase(event[0], glob) for glob in globs):
            chosen.times.append(time)
            chosen.events.append(event)
    return chosen


def differ(full, other):
    """Compares a thread in a recording that lost nothing with the same in another one. Returns how many
    events the other lacks between its first and its last one, or None if they contradict each other."""
    low = bisect.bisect_left(other.times, full.times[0])
    high = bisect.bisect_right(other.times, full.times[-1])
    # Each recording stamps an event by itself: at the edges one of them may have an event more.
    times, events = other.times[low + 1:max(high - 1, 0)], other.events[low + 1:max(high - 1, 0)]
    if not events:
        return 0
    begin = bisect.bisect_left(full.times, times[0])
    lacks = [missing_in(events, full.events[first:]) for first in (begin - 1, begin) if first >= 0]
    return min((n for n in lacks if n is not None), default=None)


def outside(full, other, window):
    """How many events a thread has in the window that are before its first one in the other, or after its
    last one there."""
    begin, end = (bisect.bisect_left(full.times, time) for time in window)
    if not other:
        return end - begin, 0
    first = bisect.bisect_left(full.times, other.times[0])
    last = bisect.bisect_right(full.times, other.times[-1])
    return max(first - begin - 1, 0), max(end - last - 1, 0)


def windows(threads):
    """For each process, the times of its first and last event."""
    of = {}
    for (pid, _), thread in threads.items():
        begin, end = of.get(pid, (thread.times[0], thread.times[-1]))
        of[pid] = min(begin, thread.times[0]), max(end, thread.times[-1])
    return of


def compare(full, other, globs, lost):
    """full: threads of a recording that lost nothing; other: of one with only the events of globs. Returns
    the number of events in both, and how many of full are before and after those of other, see outside()."""
    missing = shared = before = after = 0
    of_process = windows(other)
    for who, thread in full.items():
        chosen = select(thread, globs)
        if not chosen.times or who[0] not in of_process:
            continue
        if who in other:
            lacks = differ(chosen, other[who])
            if lacks is None:
                raise Fault(f"thread {who}: the recordings contradict each other")
            missing += lacks
            shared += len(other[who].times)
        early, late = outside(chosen, other.get(who), of_process[who[0]])
        before, after = max(before, early), max(after, late)
    if missing > lost:
        raise Fault(f"{missing} events are in one recording only, {lost} were counted as lost")
    return shared, before, after
