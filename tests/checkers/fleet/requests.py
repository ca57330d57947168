#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""requests.py - what scripts/demo-fleet left: every request is there once, on all hosts, at the right time

    requests.py KTRACE FOLDER NUMBER

FOLDER/skew says how wrong the clock of each host was, see tests/progs/user/skewed_clock.c. So the time that an event
has by its host's own clock is its true time, to some us, and what the reference host's clock showed then is known,
too. Prints how many events there are, how many are outside the interval that ktrace states, how many requests are in
the order of their events by one clock, and by those of the hosts. The status is 1 if something is at fault.
"""
import json
import subprocess
import sys

# What happens to a request, in this order. A message needs more than 1 ms: that is longer than any error.
STEPS = [('client', 'ask_begin'), ('front', 'serve_begin'), ('back', 'look_up_begin'),
         ('back', 'look_up_end'), ('front', 'serve_end'), ('client', 'ask_end')]
# Of a reading of the clock; the tie of the recorder's clocks to each other
READING_NS = 10000


def events(ktrace, folder, clocks):
    """{(host, name, id): (time, error)}"""
    statement = "SELECT host, name, time, error_ns, fields FROM events WHERE name LIKE 'tiers:%'"
    command = [ktrace, 'sql', '--json', '--clocks', clocks, '--store', folder + '/traces', statement]
    found = {}
    for line in subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               check=True).stdout.splitlines():
        event = json.loads(line)
        key = event['host'], event['name'].split(':')[1], json.loads(event['fields'])['id']
        assert key not in found, f'{key} is there twice'
        found[key] = event['time'], event['error_ns']
    return found


class Clock:
    """How a host's clock was wrong: ahead by so much, and too fast since then"""

    def __init__(self, ms, ppm, since):
        self.ahead, self.ppm, self.since = ms * 10**6, ppm, since

    def true(self, shown):
        return self.since + (shown - self.ahead - self.since) * 10**6 // (10**6 + self.ppm)

    def shows(self, true):
        return true + self.ahead + (true - self.since) * self.ppm // 10**6


def in_order(times, number):
    """How many requests have all their steps in the right order"""
    return sum(all(a < b for a, b in zip(steps, steps[1:]))
               for steps in ([times[host, name, i][0] for host, name in STEPS] for i in range(1, number + 1)))


def main():
    ktrace, folder, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(folder + '/skew') as f:
        clocks = {words[0]: Clock(*map(int, words[1:])) for words in map(str.split, f)}
    one, own = events(ktrace, folder, 'messages'), events(ktrace, folder, 'own')
    expected = {(host, name, i) for host, name in STEPS for i in range(1, number + 1)}
    assert set(one) == set(own) == expected, 'events are missing, or there are others'
    reference = {key[0] for key in one} - {key[0] for key in one if one[key][1] != 0}
    assert len(reference) == 1, reference
    clock = clocks[reference.pop()]
    outside = [key for key, (time, error) in one.items() if error is None or
               abs(time - clock.shows(clocks[key[0]].true(own[key][0]))) > error + READING_NS]
    largest = max(error or 0 for _, error in one.values())
    ordered, by_own = in_order(one, number), in_order(own, number)
    print(f'events: {len(one)}, {len(outside)} outside their intervals of at most {largest / 1000:.0f} us')
    print(f'requests: {number}, {ordered} in order, {by_own} by the clocks of the hosts')
    return bool(outside or ordered != number or by_own)


sys.exit(main())
