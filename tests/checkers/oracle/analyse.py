#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""analyse.py make SEED EVENTS | analyse.py check KTRACE TRACE [--since NS --until NS]

make   prints a script for mktrace: threads that run, call, block, wake each other and are
       interrupted on three CPUs, as by a scheduler
check  computes the results of stat, sched, syscalls, irq and io from `ktrace list --json`, with
       lists of durations and in the obvious way, and compares them
"""
import json, random, subprocess, sys

CPUS, TASKS = 3, range(100, 112)
CALLS = {0: 'read', 1: 'write', 35: 'nanosleep', 74: 'fsync', 202: 'futex'}
DESCS = {
    64: 'sched:switch{u32 prev_tid;u32 next_tid;s32 prev_prio;s32 next_prio;'
        'enum<u32>(RUNNABLE=0,SLEEP=1,DISK=2) prev_state;char[16] prev_comm;char[16] next_comm;}',
    65: 'sched:wakeup{u32 tid;s32 prio;u32 target_cpu;char[16] comm;}',
    96: 'syscall:enter{u64 nr;x64[6] args;}', 97: 'syscall:exit{u64 nr;s64 ret;}',
    128: 'irq:enter{u32 irq;char[16] name;}', 129: 'irq:exit{u32 irq;u32 handled;}',
    160: 'softirq:enter{u32 vec;}', 161: 'softirq:exit{u32 vec;}',
    192: 'block:issue{u32 dev;u32 tag;u64 sector;u32 bytes;u32 op;}',
    193: 'block:complete{u32 dev;u32 tag;u64 sector;u32 bytes;u32 op;u32 left;s32 error;}',
    194: 'block:requeue{u32 dev;u32 tag;u64 sector;u32 bytes;u32 op;}',
}
DISKS = [8 << 20, 8 << 20 | 1, 254 << 20]
OPS = ['READ', 'WRITE', 'FLUSH', 'DISCARD', 'ZEROES', 'OTHER']


# ---- make ----

class Machine:
    """Who runs where, and in which modes each thread is; writes what happens."""

    def __init__(self, seed):
        self.rnd = random.Random(seed)
        self.now = 1000
        self.runs = [0] * CPUS
        self.modes = {(t, 0): [] for t in TASKS} | {(0, c): [] for c in range(CPUS)}
        self.ready, self.blocked = [], list(TASKS)
        self.records = [[] for _ in range(CPUS)]
        self.requests = {}  # (device, tag) -> (op, bytes)

    def key(self, cpu):
        tid = self.runs[cpu]
        return (tid, 0) if tid else (0, cpu)

    def put(self, cpu, event, values):
        self.records[cpu].append(f'rec {self.now} {event} {self.runs[cpu]} {values}')

    def switch(self, cpu, state):
        prev, nxt = self.runs[cpu], 0
        if self.ready:
            nxt = self.ready.pop(self.rnd.randrange(len(self.ready)))
        if prev == nxt:
            return
        self.put(cpu, 64, f'u32:{prev} u32:{nxt} u32:120 u32:120 u32:{state} char16:t{prev} char16:t{nxt}')
        if prev:
            (self.blocked if state else self.ready).append(prev)
        self.runs[cpu] = nxt

    def wake(self, cpu):
        if self.blocked:
            tid = self.blocked.pop(self.rnd.randrange(len(self.blocked)))
            self.put(cpu, 65, f'u32:{tid} u32:120 u32:{cpu} char16:t{tid}')
            self.ready.append(tid)

    def enter(self, cpu, mode, number):
        self.modes[self.key(cpu)].append((mode, number))
        if mode == 'syscall':
            self.put(cpu, 96, f'u64:{number} zeros:48')
        elif mode == 'irq':
            self.put(cpu, 128, f'u32:{number} char16:dev{number}')
        else:
            self.put(cpu, 160, f'u32:{number}')

    def leave(self, cpu):
        mode, number = self.modes[self.key(cpu)].pop()
        ret = self.rnd.choice([0, 1, 4096, -4, -11, 100])
        if mode == 'syscall':
            self.put(cpu, 97, f'u64:{number} u64:{ret & (1 << 64) - 1}')
        elif mode == 'irq':
            self.put(cpu, 129, f'u32:{number} u32:1')
        else:
            self.put(cpu, 161, f'u32:{number}')

    def block(self, cpu):
        """A request is issued, done in parts or at once, given back, or its issue was not seen."""
        dev, tag, what = self.rnd.choice(DISKS), self.rnd.randrange(6), self.rnd.random()
        op, size = self.requests.pop((dev, tag), (None, 0))
        if op is None and what < .9:
            op, size = self.rnd.randrange(6), self.rnd.choice([0, 512, 4096, 65536])
            self.requests[dev, tag] = op, size
            return self.put(cpu, 192, f'u32:{dev} u32:{tag} u64:8 u32:{size} u32:{op}')
        if what < .1:
            return self.put(cpu, 194, f'u32:{dev} u32:{tag} u64:8 u32:{size} u32:{op or 0}')
        part = size // 2 if what < .4 else size
        if part < size:
            self.requests[dev, tag] = op, size - part
        error = self.rnd.choice([0, 0, 0, -5 & 0xffffffff])
        self.put(cpu, 193, f'u32:{dev} u32:{tag} u64:8 u32:{part} u32:{op or 0} u32:{size - part} u32:{error}')

    def step(self):
        cpu, what = self.rnd.randrange(CPUS), self.rnd.random()
        self.now += self.rnd.choice([1, 1, 3, 20, 150, 1000, 70000])
        if self.rnd.random() < .15:
            return self.block(cpu)
        modes = self.modes[self.key(cpu)]
        top = modes[-1][0] if modes else 'user'
        if top in ('irq', 'softirq'):
            if what < .2:
                self.wake(cpu)
            elif what < .3 and top == 'softirq':
                self.enter(cpu, 'irq', self.rnd.randrange(20, 23))
            else:
                self.leave(cpu)
        elif what < .1:
            self.enter(cpu, 'irq', self.rnd.randrange(20, 23))
        elif what < .2:
            self.enter(cpu, 'softirq', self.rnd.randrange(3))
        elif what < .3:
            self.wake(cpu)
        elif not self.runs[cpu] or what < .4:
            self.switch(cpu, 0)
        elif top == 'user':
            self.enter(cpu, 'syscall', self.rnd.choice(list(CALLS)))
        elif what < .7:
            self.switch(cpu, self.rnd.choice([1, 2]))
        else:
            self.leave(cpu)


def make(seed, events):
    m = Machine(int(seed))
    while sum(map(len, m.records)) < int(events):
        m.step()
    print('meta host boot=made machine=x86_64')
    print('meta clock raw=0 mono_ns=0 real_ns=1000000000000000000 hz=1000000000')
    for event, desc in DESCS.items():
        print(f'meta event kind=kernel id={event} desc={desc.replace(" ", "%20")}')
    for cpu in range(CPUS):
        print(f'meta stream id={cpu} kind=kernel cpu={cpu} ring=65536 block=4096 policy=drop')
        for i, record in enumerate(m.records[cpu]):
            if i % 40 == 0:
                print(f'block {cpu}')
            print(record)


# ---- check ----

# Of the kernel: each event says who runs. Those of MODES have begin and end.
FAMILIES = {'log', 'sched', 'syscall', 'irq', 'softirq', 'block', 'signal', 'fault', 'lock', 'power', 'module', 'net',
            'workqueue', 'timer', 'hrtimer', 'memory', 'futex'}
MODES = {'syscall', 'irq', 'softirq'}
SPANS = ['run', 'wakeup', 'preempted', 'wait']
IO = {
    'read': ['read', 'pread64', 'readv', 'preadv', 'preadv2', 'recvfrom', 'recvmsg'],
    'write': ['write', 'pwrite64', 'writev', 'pwritev', 'pwritev2', 'sendto', 'sendmsg', 'sendfile',
              'copy_file_range', 'splice'],
    'sync': ['fsync', 'fdatasync', 'sync', 'syncfs', 'sync_file_range', 'msync'],
}

def bucket_top(v):
    """The largest duration that is counted with this one."""
    if v < 32:
        return v
    width = 1 << (v.bit_length() - 6)
    return v // width * width + width - 1


def summary(values):
    if not values:
        return dict(nr=0, total_ns=0, min_ns=0, max_ns=0, p50_ns=0, p99_ns=0)
    v = sorted(values)
    rank = lambda p: min(bucket_top(v[(len(v) * p + 99) // 100 - 1]), v[-1])
    return dict(nr=len(v), total_ns=sum(v), min_ns=v[0], max_ns=v[-1], p50_ns=rank(50), p99_ns=rank(99))


class Reference:
    """What happened, as lists of intervals (begin, end) by thread, call and interrupt."""

    def __init__(self, events, since, until):
        self.since, self.until = since, until
        self.sched = {}     # tid -> kind -> [ns]
        self.calls = {}     # name -> [(ns, ret)]
        self.irqs = {}      # (kind, number) -> [(begin, ns)], in order of ends
        self.io = {}        # tid -> kind -> [calls, bytes]
        self.disks = {}     # device -> kind -> [requests, bytes, errors, [ns]]
        self.requeues = {}  # device -> number
        self.requests = {}  # (device, tag) -> issued at
        self.busy = {}      # device -> [(begin, end)] of all requests, if known
        self.cpu_ns = [0] * (1 + max(e.get('cpu', 0) for e in events))
        self.state = {}     # thread -> (kind, since)
        self.where = {}     # thread -> CPU it runs on
        self.runs = {}      # CPU -> thread
        self.stack = {}     # thread -> [(mode, number, begin)]
        self.last = since
        for e in events:
            if until is not None and e['ns'] >= until:
                break
            self.take(e)
        self.end()

    def inside(self, begin, end):
        begin = max(begin, self.since)
        return max(0, (min(end, self.until) if self.until is not None else end) - begin)

    def change(self, key, kind, now):
        old, since = self.state.get(key, (None, now))
        if old == kind:
            return
        ns = self.inside(since, now)
        if key[0] and old in SPANS and ns:
            self.sched.setdefault(key[0], {}).setdefault(old, []).append(ns)
        if old == 'run':
            self.cpu_ns[self.where[key]] += ns
        self.state[key] = (kind, now)

    def now_runs(self, key, cpu, now):
        """Whoever was last seen there, or the thread elsewhere, went away without being recorded."""
        other = self.runs.get(cpu, key)
        if other != key and self.state[other][0] == 'run' and self.where[other] == cpu:
            self.change(other, None, now)
        if self.state.get(key, (None,))[0] == 'run' and self.where[key] != cpu:
            self.change(key, None, now)
        self.change(key, 'run', now)
        self.where[key] = cpu
        self.runs[cpu] = key

    def take(self, e):
        now, f, cpu = e['ns'], e['fields'], e.get('cpu')     # rings of threads have no CPU
        self.last = max(self.last, now)
        family, _, name = e['event'].partition(':')
        if family not in FAMILIES:
            return
        key = (e['tid'], cpu if not e['tid'] else 0)
        self.now_runs(key, cpu, now)
        if family == 'block':
            self.request(name, now, f)
        elif family in MODES and name == 'enter':
            number = f.get('nr', f.get('irq', f.get('vec')))
            if family == 'syscall':
                self.stack[key] = []
            self.stack.setdefault(key, []).append((family, number, now))
        elif family in MODES and name == 'exit':
            self.leave(family, key, now, f)
        elif e['event'] == 'sched:switch':
            self.switch(key, f, cpu, now)
        elif e['event'] == 'sched:wakeup':
            if self.state.get((f['tid'], 0), (None,))[0] in (None, 'fork', 'wait'):
                self.change((f['tid'], 0), 'wakeup', now)
        elif e['event'] == 'sched:fork':
            self.fork(key, (f['child_tid'], 0), now)

    def switch(self, key, f, cpu, now):
        stack = self.stack.get(key, [])
        while stack and stack[-1][0] == 'irq':      # a handler whose end was not seen
            stack.pop()
        state = f['prev_state']
        self.change(key, 'dead' if state == 'DEAD' else
                    'preempted' if state == 'RUNNABLE' and key[0] else 'wait', now)
        self.now_runs((f['next_tid'], cpu if not f['next_tid'] else 0), cpu, now)

    def fork(self, parent, child, now):
        """The child returns from the system call that made it, which is its parent's."""
        self.change(child, 'fork', now)
        top = self.stack.get(parent, [])[-1:]
        self.stack[child] = [('syscall', top[0][1], None)] if top and top[0][0] == 'syscall' else []

    def leave(self, family, key, now, f):
        stack = self.stack.get(key, [])
        at = max((i for i, level in enumerate(stack) if level[0] == family), default=None)
        if at is None:
            self.stack[key] = []        # entered before the recording began
            return
        mode, number, begin = stack[at]
        del stack[at:]
        if now < self.since or begin is None:
            return
        if mode != 'syscall':
            self.irqs.setdefault((mode, number), []).append((begin, now - begin))
        elif key[0]:
            self.calls.setdefault(number, []).append((now - begin, f['ret']))
            kind = next((k for k, names in IO.items() if number in names), None)
            if kind:
                sums = self.io.setdefault(key[0], {}).setdefault(kind, [0, 0])
                sums[0] += 1
                sums[1] += max(f['ret'], 0) if kind != 'sync' else 0

    def request(self, what, now, f):
        dev, key = f['dev'], (f['dev'], f['tag'])
        kinds = self.disks.setdefault(dev, {k: [0, 0, 0, []] for k in ['read', 'write', 'other']})
        op = OPS[f['op']] if isinstance(f['op'], int) else f['op']
        sums = kinds[{'READ': 'read', 'WRITE': 'write'}.get(op, 'other')]
        if what == 'issue':
            begin, _ = self.requests.get(key, (now, None))
            self.requests[key] = begin, now
            return
        if what == 'requeue':
            self.requeues[dev] = self.requeues.get(dev, 0) + (now >= self.since)
        elif now >= self.since:
            sums[1] += f['bytes']
        if what == 'complete' and f['left']:
            return
        begin, issued = self.requests.pop(key, (None, None))
        if issued is not None:
            self.busy.setdefault(dev, []).append((begin, now))
        if what == 'complete' and now >= self.since:
            sums[0] += 1
            sums[2] += f['error'] != 0
            if issued is not None:
                sums[3].append(now - issued)

    def busy_ns(self, dev):
        """Of the union of all its requests, those that have not ended included"""
        spans = self.busy.get(dev, []) + [(b, self.to) for (d, _), (b, _) in self.requests.items() if d == dev]
        total, at = 0, self.since
        for begin, end in sorted(spans):
            total += self.inside(max(begin, at), end)
            at = max(at, end)
        return total

    def end(self):
        """All that lasts ends with the window."""
        self.to = self.last
        if self.until is not None:
            self.to = max(self.to, self.until) if self.until <= self.span else self.to
        for key in list(self.state):
            self.change(key, None, self.to)
        self.state = {}

    span = 0


def same(what, got, expected):
    if got != expected:
        sys.exit(f'{what}: ktrace says {got}, it should be {expected}')


def pick(d, keys):
    return {k: d[k] for k in keys}


def leaves(node):
    if node['level'] == 'sub':
        yield node
    for child in node['children']:
        yield from leaves(child)


def check(ktrace, trace, *window):
    def run(*args):
        return subprocess.run([ktrace, *args, trace], check=True, capture_output=True, text=True).stdout

    times = dict(zip(window[::2], map(int, window[1::2])))
    since, until = times.get('--since', 0), times.get('--until')
    options = [w for o, t in times.items() for w in (o, f'{t}ns')]
    events = [json.loads(line) for line in run('list', '--json').splitlines()]
    Reference.span = max(e['ns'] for e in events)
    ref = Reference(events, since, until)
    keys = list(summary([]))

    inside = [e for e in events if since <= e['ns'] and (until is None or e['ns'] < until)]
    stat = json.loads(run('stat', '--json', *options))
    same('events', stat['events'], len(inside))
    same('sum of the leaves', sum(n['events'] for n in leaves(stat['tree'])), len(inside))
    for cpu in stat['tree']['children'][0]['children']:
        same(f'time of cpu {cpu["key"]}', cpu['cpu_ns'], ref.cpu_ns[cpu['key']] if cpu['key'] >= 0 else 0)
        if cpu['cpu_ns'] > stat['duration_ns']:
            sys.exit(f'cpu {cpu["key"]} is busy for longer than there is time')

    sched = json.loads(run('sched', '--json', *options))
    same('threads', {t['tid'] for t in sched['tasks'] if any(t[k]['nr'] for k in SPANS)}, set(ref.sched))
    for task in sched['tasks']:
        for kind in SPANS:
            same(f'{kind} of {task["tid"]}', task[kind], summary(ref.sched.get(task['tid'], {}).get(kind, [])))

    calls = json.loads(run('syscalls', '--json', *options))['syscalls']
    same('system calls', {c['name'] for c in calls}, set(ref.calls))
    for c in calls:
        same(c['name'], pick(c, keys), summary([ns for ns, _ in ref.calls[c['name']]]))
        same(c['name'] + ' errors', c['errors'], sum(ret < 0 for _, ret in ref.calls[c['name']]))

    irqs = json.loads(run('irq', '--json', *options))['interrupts']
    found = {(i['kind'], i['name'] if i['kind'] == 'softirq' and i['name'] else i['number']): i for i in irqs}
    same('interrupts', set(found), set(ref.irqs))
    for key, i in found.items():
        values = [ns for _, ns in ref.irqs[key]]
        mean = sum(values) / len(values)
        deviation = (sum((v - mean) ** 2 for v in values) / len(values)) ** .5
        same(f'{key}', pick(i, keys), summary(values))
        same(f'{key} mean', abs(i['mean_ns'] - mean) <= 1 and abs(i['deviation_ns'] - deviation) <= 1, True)

    io = json.loads(run('io', '--json', *options))
    same('devices', {d['major'] << 20 | d['minor'] for d in io['devices']}, set(ref.disks))
    for d in io['devices']:
        dev = d['major'] << 20 | d['minor']
        same(f'requeues of {dev}', d['requeues'], ref.requeues.get(dev, 0))
        same(f'requests of {dev} at the end', d['under_way'], sum(k[0] == dev for k in ref.requests))
        same(f'{dev} is busy', d['busy_ns'], ref.busy_ns(dev))
        for kind, sums in ref.disks[dev].items():
            same(f'{kind}s of {dev}', [d[kind]['requests'], d[kind]['bytes'], d[kind]['errors']], sums[:3])
            same(f'times of {kind}s of {dev}', pick(d[kind], keys), summary(sums[3]))
    for t in io['threads']:
        for kind in ['read', 'write', 'sync']:
            same(f'{kind} of {t["tid"]}', [t[kind]['calls'], t[kind]['bytes']],
                 ref.io.get(t['tid'], {}).get(kind, [0, 0]))
    print(f'{len(inside)} events, {len(calls)} system calls, {len(sched["tasks"])} threads, '
          f'{len(io["devices"])} block devices agree')


if len(sys.argv) < 4 or sys.argv[1] not in ('make', 'check'):
    sys.exit(__doc__)
{'make': make, 'check': check}[sys.argv[1]](*sys.argv[2:])
