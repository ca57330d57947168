#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compare the order of a traceset's events with a sort. usage: order.py MKTRACE (in an empty folder)

Random tracesets of 1 to 64 files: many equal stamps, stamps that go back, streams and files
without events, growing files without end mark. Reads all of them, and from times and positions.
Needs PYTHONPATH for the module ktrace.
"""
import random
import subprocess
import sys
from itertools import accumulate, takewhile

from ktrace import Position, Traceset


def oracle(streams, start, end):
    """Numbers of the events from start up to end: sorted by time, stream, trace, place in the file.

    One with a stamp that goes back follows the one before it, so it counts with the latest so far.
    """
    keyed = []
    for (stream, trace), events in streams.items():
        first = next((i for i, (time, _) in enumerate(events) if time >= start), len(events))
        rest = events[first:]
        latest = accumulate((time for time, _ in rest), max)
        keyed += [(top, stream, trace, i, *event) for i, (top, event) in enumerate(zip(latest, rest))]
    return [n for *_, n in takewhile(lambda k: k[4] < end, sorted(keyed))]


def make(rng, mktrace, nr):
    """Files 0 to nr - 1, each of a script of random blocks; their events by stream and trace."""
    streams = {}
    for trace in range(nr):
        ids = rng.sample(range(6), rng.randrange(1, 4))
        script = ['meta clock raw=0 mono_ns=0 real_ns=0 hz=1000000000']
        script += [f'meta stream id={i} kind=user cpu={i} ring=65536 block=4096 policy=drop' for i in ids]
        now = dict.fromkeys(ids, 100)
        for stream in rng.choices(ids, k=rng.randrange(12)):
            script.append(f'block {stream}')
            for _ in range(rng.randrange(1, 9)):
                now[stream] += rng.choice([0, 0, 0, 1, 2, 5, -2])
                number = rng.getrandbits(60)
                script.append(f'rec {now[stream]} 16 7 u64:{number}')
                streams.setdefault((stream, trace), []).append((now[stream], number))
        end = [] if rng.randrange(2) else ['--no-end']
        subprocess.run([mktrace, str(trace), *end], input='\n'.join(script) + '\n', text=True, check=True)
    return streams


def numbers(events):
    return [int.from_bytes(e.payload, sys.byteorder) for e in events if not e.is_lost]


def check_positions(traceset, files, everything):
    """From a position in front of each event, as text and in another traceset, the rest follows."""
    places = []
    traceset.seek(0)
    while True:
        places.append(str(traceset.position()))
        if traceset.read() is None:
            break
    other = Traceset(*files)
    for i in range(0, len(places), 1 + len(places) // 12):
        assert numbers(other[Position(places[i]):]) == everything[i:], i


def check_growth(everything):
    """File 0 as it grows: the events of its beginnings, in order, and no other."""
    with open('0', 'rb') as f:
        data = f.read()
    with open('part', 'wb') as f:
        f.write(data[:400])
    traceset = Traceset('part', live=True)
    got = numbers(traceset)
    for size in [*range(400, len(data), 200), len(data)]:
        end = traceset.position()
        with open('part', 'r+b') as f:
            f.seek(0)
            f.write(data[:size])
        traceset.poll()
        got += numbers(traceset[end:])
    assert sorted(got) == sorted(everything)


def main():
    rng = random.Random(6)
    for nr in [1, 1, 2, 3, 5, 8, 64]:
        streams = make(rng, sys.argv[1], nr)
        files = [str(i) for i in range(nr)]
        everything = oracle(streams, 0, 1 << 63)
        with Traceset(*files) as traceset:
            assert numbers(traceset) == everything, nr
            for start in range(96, 150, 1 if nr < 9 else 11):
                end = start + rng.randrange(20)
                assert numbers(traceset[start:end]) == oracle(streams, start, end), (nr, start, end)
            check_positions(traceset, files, everything)
        alone = {key: events for key, events in streams.items() if key[1] == 0}
        check_growth(oracle(alone, 0, 1 << 63))


main()
