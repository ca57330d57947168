#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""facts.py KTRACE TRACE DIR

Compares a trace of all processes with the kernel's counts during the recording, which
tests/progs/facts.c has copied to DIR. Prints TAP.

Other processes change the counts at the same time, so a count is only known to be between two numbers:
the events between marks 2 and 3, and those between 1 and 4. On each CPU one event may be
counted by the kernel, but not recorded yet, or the other way round.
"""
import bisect, json, os, subprocess, sys

KTRACE, TRACE, DIR = sys.argv[1:]


def ktrace(*args):
    return subprocess.run([KTRACE, *args, TRACE], check=True, capture_output=True, text=True).stdout


def text(name):
    with open(os.path.join(DIR, name)) as f:
        return f.read()


def say(good, what, detail=''):
    print(f'{"ok" if good else "not ok"} - {what}')
    if not good:
        print(f'# {detail}')


def equal(what, got, want):
    say(got == want, what, f'the trace has {got}, the kernel says {want}')


class Counts:
    """How many events are between the inner marks, and between the outer ones"""

    def __init__(self, marks):
        self.marks, self.inner, self.outer = marks, {}, {}

    def add(self, ns, *key):
        place = bisect.bisect(self.marks, ns)
        self.inner[key] = self.inner.get(key, 0) + (place == 2)
        self.outer[key] = self.outer.get(key, 0) + (1 <= place <= 3)

    def holds(self, delta, slack, *key):
        inner, outer = self.inner.get(key, 0), self.outer.get(key, 0)
        return inner - slack <= delta <= outer + slack, f'{key}: {delta}, in the trace {inner} to {outer}'

    def check(self, what, deltas, slack):
        """@deltas: by key"""
        found = [self.holds(delta, slack, *key) for key, delta in deltas.items()]
        wrong = [why for good, why in found if not good]
        say(not wrong and any(deltas.values()), what, '; '.join(wrong) or f'nothing happened: {deltas}')


def table(name):
    """/proc/interrupts or softirqs: {first word: (sum of all CPUs, the rest)}"""
    head, *lines = text(name).splitlines()
    cpus = len(head.split())
    rows = {}
    for line in lines:
        first, *words = line.split()
        numbers = [int(w) for w in words[:cpus] if w.isdigit()]
        rows[first.rstrip(':')] = sum(numbers), ' '.join(words[cpus:])
    return rows


def stat_line(name, word):
    return next(int(l.split()[1]) for l in text(name).splitlines() if l.startswith(word + ' '))


def difference(read, *args):
    return read('after.' + args[0], *args[1:]) - read('before.' + args[0], *args[1:])


def first_number(name, at=0):
    return int(text(name).split()[at])


work = {k: int(v) for k, v in (l.split() for l in text('work').splitlines())}
me, cpus = work['tid'], work['cpus']
events = [json.loads(line) for line in ktrace('list', '--json').splitlines()]


def is_mark(e):
    return e['event'] == 'syscall:enter' and e['tid'] == me and e['fields']['nr'] == 'getppid' and \
        number(e['fields']['args'][0]) == work['mark']


def number(value):
    return int(value, 0) if isinstance(value, str) else value


marks = [e['ns'] for e in events if is_mark(e)]
equal('marks', len(marks), 4)
counts = Counts(marks)
for e in events:
    event, f = e['event'], e['fields']
    counts.add(e['ns'], event)
    if event == 'sched:switch':
        counts.add(e['ns'], 'out', f['prev_tid'])
        counts.add(e['ns'], 'in', f['next_tid'])
    elif event in ('irq:enter', 'softirq:enter'):
        counts.add(e['ns'], event, str(f.get('irq', f.get('vec'))))

equal('CPUs', {e['cpu'] for e in events if e['event'] == 'sched:switch'}, set(range(cpus)))
counts.check('context switches of all, /proc/stat', {('sched:switch',): difference(stat_line, 'stat', 'ctxt')}, cpus)
counts.check('forks of all, /proc/stat', {('sched:fork',): difference(stat_line, 'stat', 'processes')}, cpus)
counts.check('context switches of one, getrusage', {('out', me): difference(first_number, 'switches')}, 0)
counts.check('times it was given a CPU, schedstat', {('in', me): difference(first_number, 'schedstat', 2)}, 0)

before, after = table('before.softirqs'), table('after.softirqs')
counts.check('softirqs, /proc/softirqs',
             {('softirq:enter', name): after[name][0] - before[name][0] for name in after}, cpus)

# A handler that is shared by devices is called for each. One that is raised again while it runs is
# called again without being counted: not that of a disk with one request at a time.
before, after = table('before.interrupts'), table('after.interrupts')
deltas = {n: after[n][0] - before.get(n, (0,))[0] for n in after if n.isdigit() and ',' not in after[n][1]}
counts.check('interrupts of the disk, /proc/interrupts',
             {('irq:enter', n): d for n, d in deltas.items() if '-req.' in after[n][1]}, cpus)
missed = {n: d for n, d in deltas.items() if d > counts.outer.get(('irq:enter', n), 0) + cpus}
say(not missed, 'no interrupt is missed', f'{missed} in /proc/interrupts')

calls = {c['name']: c for c in json.loads(ktrace('syscalls', '--json', '--pid', str(me)))['syscalls']}
equal('calls of getppid', calls['getppid']['nr'], work['getppid'] + 4)
io = [dict(l.split(': ') for l in part.splitlines()) for part in text('io').split('rchar')[1:]]
io = [{k or 'rchar': int(v) for k, v in part.items()} for part in io]
begin, end = (next(i for i, e in enumerate(events) if e['ns'] == m) for m in marks[1:3])
mine = [e for e in events[begin:end] if e['tid'] == me and e['event'] == 'syscall:exit']
reads = [e['fields']['ret'] for e in mine if e['fields']['nr'] == 'pread64' and e['fields']['ret'] == work['read_size']]
writes = [e['fields']['ret'] for e in mine if e['fields']['nr'] == 'write' and e['fields']['ret'] == work['write_size']]
# The read that got the first numbers is counted in the second.
equal('reads, /proc/PID/io', len(reads), io[1]['syscr'] - io[0]['syscr'] - 1)
equal('writes and their bytes, /proc/PID/io', (len(writes), sum(writes)),
      (io[1]['syscw'] - io[0]['syscw'], io[1]['wchar'] - io[0]['wchar']))

disk = [[int(n) for n in text(f'{when}.disk').split()] for when in ('before', 'after')]
delta = [b - a for a, b in zip(*disk)]
devices = json.loads(ktrace('io', '--json'))['devices']
equal('block devices', len(devices), 1)
for d in devices:
    equal('requests and bytes of the disk, /sys/block/vda/stat',
          [d[k][n] for k in ('read', 'write') for n in ('requests', 'bytes')],
          [delta[0], delta[2] * 512, delta[4], delta[6] * 512])
    equal('all requests of the disk have ended, and have a time',
          (d['under_way'], d['read']['nr'] + d['write']['nr']), (0, delta[0] + delta[4]))
    say(d['read']['requests'] >= work['disk_reads'], 'requests of the program', f'{d["read"]}')
equal('lost', json.loads(ktrace('stat', '--json'))['lost'], {})
