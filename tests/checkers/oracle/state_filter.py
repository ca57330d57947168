#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Check fields state.* in filters. usage: state_filter.py MKTRACE MATCH SEED N

Writes a file of threads that are created, run, call, are interrupted and end, as by a scheduler,
and follows the state of each in the obvious way. Compares the results of MATCH for N random
expressions, from the beginning and from a time in the middle, with its own.
"""
import random, re, subprocess, sys

import filter

EPOCH, CPUS = filter.EPOCH, 3
CALLS = {0: 'read', 1: 'write', 35: 'nanosleep', 61: 'wait4', 999: '999'}
VECS = {1: 'TIMER', 3: 'NET_RX', 9: '9'}
REASONS = {1: 'sleep', 2: 'disk', 3: 'stopped'}
DESCS = {
    64: 'sched:switch{u32 prev_tid;u32 next_tid;u32 prev_state;char[16] prev_comm;char[16] next_comm;}',
    65: 'sched:wakeup{u32 tid;u32 target_cpu;char[16] comm;}',
    66: 'sched:fork{u32 parent_tid;u32 parent_pid;u32 child_tid;u32 child_pid;char[16] comm;}',
    67: 'sched:exit{u32 tid;u32 pid;char[16] comm;}',
    96: 'syscall:enter{enum<u64>(read=0,write=1,nanosleep=35,wait4=61) nr;}', 97: 'syscall:exit{u64 nr;s64 ret;}',
    128: 'irq:enter{u32 irq;char[16] name;}', 129: 'irq:exit{u32 irq;u32 handled;}',
    160: 'softirq:enter{enum<u32>(TIMER=1,NET_RX=3) vec;}', 161: 'softirq:exit{u32 vec;}',
    192: 'trap:enter{u32 trap;}', 193: 'trap:exit{u32 trap;}',
}
NAMES = {id: desc.split('{')[0] for id, desc in DESCS.items()}


class Thread:
    def __init__(self, tid, cpu, now):
        self.tid, self.cpu, self.inserted, self.created = tid, cpu, now, None
        self.pid, self.ppid = 0 if tid == 0 else None, None
        self.comm = 'swapper' if tid == 0 else None
        self.status, self.wait, self.stack = 'unnamed', None, [('unknown', None)]

    def fields(self):
        mode, sub = self.stack[-1]
        names = {'syscall': CALLS, 'softirq': VECS, 'irq': {n: f'dev{n}' for n in range(20, 23)}}.get(mode, {})
        is_sub = mode not in ('user', 'unknown')
        return {'state.pid': self.pid, 'state.ppid': self.ppid, 'state.creation_time': self.created,
                'state.insertion_time': self.inserted, 'state.process_name': self.comm, 'state.execution_mode': mode,
                'state.execution_submode': names.get(sub, str(sub)) if is_sub else None,
                'state.submode_number': sub if is_sub else None, 'state.process_status': self.status,
                'state.wait_reason': self.wait if self.status == 'wait' else None, 'state.cpu': self.cpu}


class Machine:
    """What happens, and what can be known about it by then."""

    def __init__(self, rnd):
        self.rnd, self.now, self.events, self.next_tid = rnd, 1000, [], 110
        self.runs = [0] * CPUS
        self.ready, self.blocked = [], list(range(100, 106))
        self.modes = {}     # what threads really do
        self.seen = {}      # what is known

    def key(self, tid, cpu):
        return (tid, 0) if tid else (0, cpu)

    def thread(self, tid, cpu):
        return self.seen.setdefault(self.key(tid, cpu), Thread(tid, cpu, self.now))

    def put(self, cpu, id, values):
        """An event; its thread runs, as that shows. Returns it."""
        tid = self.runs[cpu]
        t = self.thread(tid, cpu)
        if t.status != 'exit':
            t.status = 'run'
        t.cpu = cpu
        self.events.append({'ts': self.now, 'cpu': cpu, 'tid': tid, 'id': id, 'values': values})
        return t

    def done(self):
        e = self.events[-1]
        e['state'] = self.thread(e['tid'], e['cpu']).fields()

    def top(self, cpu):
        return (self.modes.get(self.key(self.runs[cpu], cpu)) or [('user', 0)])[-1]

    def switch(self, cpu, state):
        prev = self.runs[cpu]
        ready = [t for t in self.ready]
        nxt = self.rnd.choice(ready) if ready else 0
        if prev == nxt:
            return
        if nxt:
            self.ready.remove(nxt)
        t = self.put(cpu, 64, f'u32:{prev} u32:{nxt} u32:{state} char16:t{prev} char16:t{nxt}')
        if prev and state == 5:
            t.status = 'zombie'
        elif prev and not state:
            t.status = 'wait-cpu'
            self.ready.append(prev)
        else:
            t.status, t.wait = 'wait', REASONS.get(state, 'idle')
            self.blocked += [prev] if prev else []
        t.comm = f't{prev}' if prev else 'swapper'
        n = self.thread(nxt, cpu)
        n.status, n.cpu, n.comm = 'run', cpu, f't{nxt}' if nxt else 'swapper'
        self.runs[cpu] = nxt
        self.done()

    def wake(self, cpu):
        if not self.blocked:
            return
        tid, to = self.blocked.pop(self.rnd.randrange(len(self.blocked))), self.rnd.randrange(CPUS)
        self.put(cpu, 65, f'u32:{tid} u32:{to} char16:t{tid}')
        t = self.thread(tid, to)
        t.status, t.cpu, t.comm = 'wait-cpu', to, f't{tid}'
        self.ready.append(tid)
        self.done()

    def fork(self, cpu):
        tid, new = self.runs[cpu], self.next_tid
        self.next_tid += 1
        pid = self.rnd.choice([new, tid])
        t = self.put(cpu, 66, f'u32:{tid} u32:{tid} u32:{new} u32:{pid} char16:t{new}')
        t.pid = tid
        c = self.thread(new, cpu)
        c.created, c.pid, c.cpu, c.comm, c.status = self.now, pid, cpu, f't{new}', 'wait-fork'
        c.ppid = t.ppid if pid == tid else tid
        self.modes[(new, 0)] = [('syscall', 61)] if self.top(cpu)[0] == 'syscall' else []
        if t.stack[-1][0] == 'syscall':
            c.stack = [('user', None), t.stack[-1]]
            self.modes[(new, 0)] = [t.stack[-1]]
        self.blocked.append(new)
        self.done()

    def exit(self, cpu):
        tid = self.runs[cpu]
        t = self.put(cpu, 67, f'u32:{tid} u32:{tid} char16:t{tid}')
        t.pid, t.comm, t.status = tid, f't{tid}', 'exit'
        self.done()
        self.now += 5
        self.switch(cpu, 5)

    def enter(self, cpu, mode, number):
        id, values = {'syscall': (96, f'u64:{number}'), 'irq': (128, f'u32:{number} char16:dev{number}'),
                      'softirq': (160, f'u32:{number}'), 'trap': (192, f'u32:{number}')}[mode]
        t = self.put(cpu, id, values)
        self.modes.setdefault(self.key(self.runs[cpu], cpu), []).append((mode, number))
        if mode == 'syscall':
            t.stack = [('user', None)]
        t.stack.append((mode, number))
        self.done()

    def leave(self, cpu):
        mode, number = self.modes[self.key(self.runs[cpu], cpu)].pop()
        id, values = {'syscall': (97, f'u64:{number} u64:0'), 'irq': (129, f'u32:{number} u32:1'),
                      'softirq': (161, f'u32:{number}'), 'trap': (193, f'u32:{number}')}[mode]
        t = self.put(cpu, id, values)
        if len(t.stack) > 1:
            t.stack.pop()
        else:
            t.stack = [('unknown', None)]
        self.done()

    def step(self):
        cpu, what = self.rnd.randrange(CPUS), self.rnd.random()
        self.now += self.rnd.choice([1, 1, 3, 20, 150, 1000, 70000])
        top, tid = self.top(cpu)[0], self.runs[cpu]
        if top in ('irq', 'softirq', 'trap'):
            self.wake(cpu) if what < .2 else self.leave(cpu)
        elif what < .2:
            mode = self.rnd.choice(['irq', 'softirq'] + ['trap'] * bool(tid))
            self.enter(cpu, mode, self.rnd.choice({'irq': [20, 22], 'softirq': list(VECS), 'trap': [6, 14]}[mode]))
        elif what < .3:
            self.wake(cpu)
        elif not tid or what < .4:
            self.switch(cpu, 0)
        elif what < .45 and self.next_tid < 130:
            self.fork(cpu)
        elif what < .48:
            self.exit(cpu)
        elif top == 'user':
            self.enter(cpu, 'syscall', self.rnd.choice(list(CALLS)))
        elif what < .7:
            self.switch(cpu, self.rnd.choice(list(REASONS)))
        else:
            self.leave(cpu)


def write(mktrace, path, events):
    script = [f'meta clock raw=0 mono_ns=0 real_ns={EPOCH} hz=1000000000', 'meta host name=box boot=b machine=x86_64']
    for id, desc in DESCS.items():
        script.append(f'meta event kind=kernel id={id} desc={desc.replace(" ", "%20")}')
    for cpu in range(CPUS):
        script.append(f'meta stream id={cpu} kind=kernel cpu={cpu} ring=65536 block=4096 policy=drop')
        for i, e in enumerate(e for e in events if e['cpu'] == cpu):
            script += [f'block {cpu}'] * (i % 40 == 0) + [f'rec {e["ts"]} {e["id"]} {e["tid"]} {e["values"]}']
    subprocess.run([mktrace, path], input='\n'.join(script) + '\n', text=True, check=True)


NUMBERS = {'state.pid': range(98, 125), 'state.ppid': range(98, 125), 'state.submode_number': list(CALLS) + list(VECS) + [14, 20, 21],
           'state.cpu': range(-1, 4), 'tid': range(98, 125)}
TEXTS = {'state.process_name': ['swapper', 't100', 't101', 't110', 'x'], 'event': list(NAMES.values()),
         'state.execution_submode': list(CALLS.values()) + list(VECS.values()) + ['dev20', 'dev22', '14', '6'],
         'state.execution_mode': ['user', 'syscall', 'trap', 'irq', 'softirq', 'unknown'],
         'state.process_status': ['run', 'wait-cpu', 'wait', 'wait-fork', 'exit', 'zombie', 'dead', 'unnamed'],
         'state.wait_reason': ['sleep', 'disk', 'stopped', 'traced', 'idle', 'parked']}
GLOBS = ['*', 'wait*', '*irq', 't1?0', 't*', '[rw]*', 'sched:*', '1*', 'dev*', '']


def random_test(rnd, events):
    roll = rnd.random()
    if roll < .3:
        field = rnd.choice(list(NUMBERS))
        v = rnd.choice(list(NUMBERS[field]))
        return ('test', field, None, rnd.choice(filter.ORDERS), ('number', v, str(v)))
    if roll < .4:
        at = rnd.choice(events)['ts'] + rnd.choice([-1, 0, 1])
        return ('test', rnd.choice(['state.creation_time', 'state.insertion_time']), None, rnd.choice(filter.ORDERS),
                ('time', at, rnd.choice([f'{max(0, at - events[0]["ts"])}ns'] * (at >= events[0]['ts']) +
                                        ['@%d.%09d' % divmod(EPOCH + at, 10**9)])))
    field, op = rnd.choice(list(TEXTS)), rnd.choice(['==', '==', '!=', '~'])
    if op == '~':
        v = rnd.choice(GLOBS)
        return ('test', field, None, op, ('text', v, filter.quoted(v)))
    return ('test', field, None, op, filter.random_text(rnd, TEXTS[field]))


def test_holds(e, field, index, op, literal):
    value = {'event': NAMES[e['id']], 'tid': e['tid']}.get(field, e['state'].get(field))
    if value is None:
        return False
    return (filter.text_holds if field in TEXTS else filter.number_holds)(op, value, literal[1])


def check(match, events, expressions, texts, since):
    answers = subprocess.run([match, 't'] + ([str(EPOCH + since)] if since else []), input='\n'.join(texts) + '\n',
                             text=True, capture_output=True, check=True).stdout.split('\n')[:-1]
    events = [e for e in events if e['ts'] >= since]
    bad = yes = 0
    for x, text, answer in zip(expressions, texts, answers, strict=True):
        expected = ''.join('01'[filter.holds(e, x)] for e in events)
        yes += expected.count('1')
        if answer != expected:
            bad += 1
            i = next((i for i, (a, b) in enumerate(zip(answer, expected)) if a != b), 0)
            print(f'{text}\n  differs at {i} of {len(events)}: {events[i]}: {answer[:60]}')
    print(f'{len(texts)} expressions, {len(events)} events, {yes} times true, {bad} differ')
    return bad or not len(texts) * len(events) / 10 < yes < len(texts) * len(events) * 9 / 10


def main():
    mktrace, match, seed, nr = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    rnd = random.Random(seed)
    m = Machine(rnd)
    while len(m.events) < 1500:
        m.step()
    write(mktrace, 't', m.events)
    filter.random_test, filter.test_holds = random_test, test_holds
    expressions = [filter.random_expression(rnd, m.events, rnd.randint(0, 4)) for _ in range(nr)]
    texts = [filter.text_of(rnd, x) for x in expressions]
    bad = [check(match, m.events, expressions, texts, since) for since in (0, m.events[900]['ts'])]
    sys.exit(any(bad))


main()
