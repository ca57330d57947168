#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""check.py - compares corrected times with the truth

    ktrace list --json ... h0 h1 ... | check.py [--reference N] [--tolerance NS] [--unknown] TRUTH

Trace number N of the list is host N of TRUTH. Without --reference, it is the host whose times all
have the error 0. Says for each host how many events it has, how many are outside their interval, how
many have none, and how wide the intervals are; for messages how many there are and how many are
received before they were sent. --unknown: events without an interval are no fault.

The status is 1 if something is at fault.
"""
import argparse
import json
import sys
from bisect import bisect_right

import truth

NEAR = 64    # packets sent again, of which one may have the byte


def interval(event):
    """Errors to the early and to the late side, None = not known"""
    error = event.get('error_ns')
    return None if error is None else (event.get('early_ns', error), event.get('late_ns', error))


def time_ns(event):
    seconds, ns = event['time'].split('.')
    return int(seconds) * 10**9 + int(ns)


class Trace:
    """The events of a host"""

    def __init__(self, host):
        self.host = host
        self.piece = {}
        self.raw = {}
        self.events = self.outside = self.unknown = self.no_truth = 0
        self.widths = []
        self.worst = 0

    def true_time(self, stream, raw):
        """Steps of the raw clock are between events of a stream."""
        piece = self.piece.get(stream, 0)
        if raw < self.raw.get(stream, 0):
            piece += 1
        piece = self.host.find_piece(piece, raw)
        if piece is None:
            return None
        self.piece[stream], self.raw[stream] = piece, raw
        return self.host.true_times(piece, raw)

    def compare(self, event, reference, tolerance):
        self.events += 1
        error, true = interval(event), self.true_time(event['stream'], event['raw'])
        if true is None:
            self.no_truth += 1
            return
        if error is None:
            self.unknown += 1
            return
        early, late = error
        time = time_ns(event)
        first, last = (reference.time_of(reference.raw_at(t)) for t in true)
        self.widths.append(early + late)
        off = max(first - (time + late), time - early - last)
        self.worst = max(self.worst, off)
        if off > tolerance:
            self.outside += 1

    def say(self, number):
        w = sorted(self.widths) or [0]
        print(f'host {number} {self.host.name}: {self.events} events, {self.outside} outside'
              f'{f" by up to {self.worst} ns" if self.outside else ""}, {self.unknown} unknown'
              f'{f", {self.no_truth} without a truth" if self.no_truth else ""}; width median '
              f'{w[len(w) // 2]}, 90% {w[len(w) * 9 // 10]}, max {w[-1]} ns')


class Messages:
    """Packets: every received byte was sent before"""

    def __init__(self):
        self.sent = {}
        self.received = []

    def add(self, event):
        if event['event'] not in ('net:queue', 'net:receive'):
            return
        f = event['fields']
        flow = json.dumps([f['ip_src'], f['ip_dst'], f['src_port'], f['dst_port'], f['transport'],
                           f['data'] if f['transport'] == 'UDP' else None])
        if not f['payload'] or f['transport'] not in ('TCP', 'UDP'):
            return
        start = f['seq'] if f['transport'] == 'TCP' else 0
        packet = (start, f['payload'], event['trace'], time_ns(event))
        if event['event'] == 'net:queue':
            self.sent.setdefault(flow, []).append(packet)
        else:
            self.received.append((flow, packet))

    def sent_at(self, flow, trace):
        """Packets that other hosts sent, in order: offset from the first one seen, size, time"""
        packets = [p for p in self.sent.get(flow, ()) if p[2] != trace]
        first = packets[0][0] if packets else 0
        return first, sorted((self.distance(p[0], first), p[1], p[3]) for p in packets)

    @staticmethod
    def distance(seq, first):
        return (seq - first + 2**31) % 2**32 - 2**31

    def check(self):
        """The number of messages, of those that go back in time, and the largest step back"""
        nr = back = worst = 0
        lists = {}
        for flow, (start, _, trace, time) in self.received:
            if (flow, trace) not in lists:
                lists[flow, trace] = self.sent_at(flow, trace)
            first, packets = lists[flow, trace]
            at = self.distance(start, first)
            i = bisect_right(packets, (at + 1,))
            times = [p[2] for p in packets[max(0, i - NEAR):i] if p[0] <= at < p[0] + p[1]]
            if not times:
                continue
            nr += 1
            back += time < min(times)
            worst = max(worst, min(times) - time)
        return nr, back, worst


def find_reference(events):
    """The host whose times all have the error 0"""
    is_exact = {}
    for e in events:
        is_exact[e['trace']] = is_exact.get(e['trace'], True) and interval(e) == (0, 0)
    exact = [t for t, yes in is_exact.items() if yes]
    if not exact:
        sys.exit('check.py: no host has the error 0; --reference says which it is')
    return exact[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--reference', type=int)
    parser.add_argument('--tolerance', type=int, default=2)
    parser.add_argument('--unknown', action='store_true')
    parser.add_argument('truth')
    args = parser.parse_args()
    hosts, _ = truth.read(args.truth)
    events = [e for e in map(json.loads, sys.stdin) if e.get('event') != 'ktrace:lost']
    if args.reference is None:
        args.reference = find_reference(events)
    traces, messages = [Trace(host) for host in hosts], Messages()
    before = back = 0
    for e in events:
        traces[e['trace']].compare(e, hosts[args.reference], args.tolerance)
        messages.add(e)
        time = time_ns(e)
        back += time < before
        before = max(before, time)
    for i, t in enumerate(traces):
        t.say(i)
    nr, inverted, worst = messages.check()
    print(f'messages: {nr}, {inverted} received before they were sent'
          f'{f", by up to {worst} ns" if inverted else ""}')
    print(f'order: {back} events are earlier than one before them')
    fault = inverted or not events or any(
        t.outside or t.no_truth or (t.unknown and not args.unknown) for t in traces)
    sys.exit(1 if fault else 0)


main()
