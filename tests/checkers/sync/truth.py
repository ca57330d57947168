# SPDX-License-Identifier: GPL-2.0
"""truth.py - the true time of each stamp, from a file "truth" of mkhosts or split_hosts.py

True time is in ns. The time of the reference host, which corrected times are compared with, is what
that host's file says: its clock readings, as Documentation/trace-format.md describes.
"""
from bisect import bisect_right


class Host:
    """Pieces between steps of the raw clock, each with its knots"""

    def __init__(self, name):
        self.name = name
        self.pieces = []
        self.readings = []

    def add_knot(self, true, raw):
        if not self.pieces or (self.pieces[-1] and self.pieces[-1][-1][0] == true):
            self.pieces.append([])
        self.pieces[-1].append((true, raw))

    def has(self, piece, raw):
        knots = self.pieces[piece]
        return knots[0][1] <= raw <= knots[-1][1]

    def find_piece(self, first, raw):
        """The first piece from number first on that has the stamp, None = none has it"""
        return next((i for i in range(first, len(self.pieces)) if self.has(i, raw)), None)

    def true_times(self, piece, raw):
        """The first and the last true time with this stamp"""
        knots = self.pieces[piece]
        i = max(0, min(bisect_right(knots, raw, key=lambda k: k[1]) - 1, len(knots) - 2))
        (t, r), (t2, r2) = knots[i], knots[i + 1]
        first = t - (-(raw - r) * (t2 - t) // (r2 - r))
        last = t - (-(raw + 1 - r) * (t2 - t) // (r2 - r)) - 1
        return first, max(first, last)

    def raw_at(self, true):
        for knots in reversed(self.pieces):
            if knots[0][0] <= true or knots is self.pieces[0]:
                break
        i = max(0, min(bisect_right(knots, true, key=lambda k: k[0]) - 1, len(knots) - 2))
        (t, r), (t2, r2) = knots[i], knots[i + 1]
        return r + (true - t) * (r2 - r) // (t2 - t)

    def time_of(self, raw):
        """What the file says of the time at a stamp, ns since the epoch"""
        readings = self.readings
        i = max(0, min(bisect_right(readings, raw, key=lambda c: c[0]) - 1, len(readings) - 2))
        (r, mono, _), (r2, mono2, _) = readings[i], readings[i + 1]
        offset = readings[0][2] - readings[0][1]
        return mono + (raw - r) * (mono2 - mono) // (r2 - r) + offset


def read(path):
    """Returns the hosts and the counts."""
    hosts, counts = [], {}
    for line in open(path, encoding='ascii'):
        word = line.split()
        if word[0] == 'host':
            hosts.append(Host(word[2]))
        elif word[0] == 'knot':
            hosts[int(word[1])].add_knot(int(word[2]), int(word[3]))
        elif word[0] == 'clock':
            add_reading(hosts[int(word[1])], tuple(map(int, word[2:5])))
        elif word[0] == 'count':
            counts[word[1]] = int(word[2])
    return hosts, counts


def add_reading(host, reading):
    """Readers leave out readings that contradict an earlier one."""
    last = host.readings[-1] if host.readings else None
    if not last or (reading[0] > last[0] and reading[1] >= last[1]):
        host.readings.append(reading)
