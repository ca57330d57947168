#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""vms.py - compares corrected times of virtual machines with what they read of their host's clock

    vms.py EVENTS FLOW HOST_LOG LOG...

EVENTS is what ktrace list --json prints of their files, FLOW what ktrace flow --json does; the first
is the client of tests/progs/exchange, and LOGs are of tests/progs/shared_clock, in the same order.
A stamp's true time is known as exactly as the logs bound it. Prints how exactly, how many stated
intervals do not have it, how many requests are followed to a server and back, and how many messages
go back in time. The status is 1 if something is at fault.
"""
import bisect
import json
import sys

WINDOW = 200_000_000   # ns in which samples are used
RATE = 500e-6          # what clocks differ by at most within it


class Bound:
    """Bounds of a difference between two clocks, at times of one of them"""

    def __init__(self, samples, sign):
        self.samples = sorted(samples)
        self.sign = sign

    def at(self, time):
        """The tightest bound there, None = none is near"""
        first = bisect.bisect_left(self.samples, (time - WINDOW,))
        last = bisect.bisect_right(self.samples, (time + WINDOW,))
        near = [self.sign * d - RATE * abs(time - t) for t, d in self.samples[first:last]]
        return self.sign * max(near) if near else None


class Clock:
    """A guest's clock against the host's"""

    def __init__(self, own, of_host):
        # The host's time of the first was there before the guest's, and the reverse.
        self.host_low = Bound([(g, h - g) for h, g in own], 1)
        self.host_high = Bound([(g, h - g) for g, h in of_host], -1)
        self.own_high = Bound([(h, g - h) for h, g in own], -1)
        self.own_low = Bound([(h, g - h) for g, h in of_host], 1)

    def host_time(self, stamp):
        """The host's time at a stamp: earliest, latest"""
        low, high = self.host_low.at(stamp), self.host_high.at(stamp)
        return None if low is None or high is None else (stamp + low, stamp + high)

    def stamp(self, host):
        """The guest's stamp at a time of the host: earliest, latest"""
        low, high = self.own_low.at(host), self.own_high.at(host)
        return None if low is None or high is None else (host + low, host + high)


def read_logs(host_log, logs):
    """The clocks of all guests"""
    of_host = {}
    with open(host_log, encoding='ascii') as file:
        for line in file:
            number, guest, host = map(int, line.split())
            of_host.setdefault(number, []).append((guest, host))
    clocks = []
    for i, path in enumerate(logs):
        with open(path, encoding='ascii') as file:
            own = [tuple(map(int, line.split()[1:])) for line in file if line.count(' ') == 2]
        clocks.append(Clock(own, of_host.get(i + 1, [])))
    return clocks


def time_ns(event):
    """Its corrected time"""
    seconds, ns = event['time'].split('.')
    return int(seconds) * 10**9 + int(ns)


class Reference:
    """The shown times of the reference host's stamps"""

    def __init__(self, events):
        exact = {e['trace'] for e in events}
        exact -= {e['trace'] for e in events if e.get('error_ns') != 0}
        self.trace = min(exact)
        self.pairs = sorted({(e['raw'], time_ns(e)) for e in events if e['trace'] == self.trace})

    def time_of(self, stamp):
        """By the nearest event"""
        i = min(bisect.bisect_left(self.pairs, (stamp,)), len(self.pairs) - 1)
        raw, time = self.pairs[i]
        return time + stamp - raw


def check_times(events, clocks):
    """Prints how stated intervals compare with the truth; returns the number of faults"""
    reference = Reference(events)
    faults = 0
    for trace, clock in enumerate(clocks):
        nr = outside = 0
        worst = 0
        widths, truths = [0], [0]
        for e in events:
            if e['trace'] != trace or trace == reference.trace:
                continue
            host = clock.host_time(e['raw'])
            ends = host and [clocks[reference.trace].stamp(h) for h in host]
            if not ends or None in ends or e.get('error_ns') is None:
                continue
            low, high = reference.time_of(ends[0][0]), reference.time_of(ends[1][1])
            early, late = e.get('early_ns', e['error_ns']), e.get('late_ns', e['error_ns'])
            off = max(low - time_ns(e) - late, time_ns(e) - early - high)
            nr += 1
            outside += off > 0
            worst = max(worst, off)
            widths.append(early + late)
            truths.append(high - low)
        widths.sort()
        truths.sort()
        print(f'trace {trace}: {nr} times, {outside} intervals without the true one, by up to '
              f'{worst:.0f} ns; width median {widths[len(widths) // 2]}, max {widths[-1]} ns; '
              f'the truth is known to {truths[len(truths) // 2]:.0f} ns, max {truths[-1]:.0f} ns')
        faults += outside + (trace != reference.trace and nr < 100)
    return faults


def check_requests(events, messages):
    """Each request reaches a server, and its answer the client, by messages that do not go back"""
    steps = {}
    for e in events:
        if e['event'].startswith('app:'):
            steps.setdefault(e['fields']['id'], {})[e['event'][4:]] = e
    tcp = [m for m in messages if m.get('message') == 'tcp']
    back = sum(m['trip_ns'] < 0 for m in tcp)
    followed = 0
    for step in steps.values():
        if set(step) != {'request', 'work', 'answer'}:
            continue
        a, b, c = (time_ns(step[n]) for n in ('request', 'work', 'answer'))
        server = step['work']['trace']
        there = any(m['from']['machine'] == 0 and m['to']['machine'] == server and
                    a <= m['from']['ns'] and m['to']['ns'] <= b for m in tcp)
        home = any(m['from']['machine'] == server and m['to']['machine'] == 0 and
                   b <= m['from']['ns'] and m['to']['ns'] <= c for m in tcp)
        followed += a <= b <= c and there and home
    print(f'requests: {len(steps)}, {followed} followed; messages: {len(tcp)}, {back} go back')
    return len(steps) - followed + back + (not steps)


def main():
    """The command line."""
    _, events, flow, host_log, *logs = sys.argv
    with open(events, encoding='utf-8') as file:
        events = [e for e in map(json.loads, file) if e.get('event') != 'ktrace:lost']
    with open(flow, encoding='utf-8') as file:
        messages = list(map(json.loads, file))
    start = min(e['ns'] - time_ns(e) for e in events)
    # Times of messages and events count from the same begin.
    for m in messages:
        for end in 'from', 'to':
            if m.get('message') and end in m:
                m[end]['ns'] -= start
    faults = check_times(events, read_logs(host_log, logs))
    faults += check_requests(events, messages)
    sys.exit(1 if faults else 0)


main()
