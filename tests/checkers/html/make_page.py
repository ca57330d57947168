#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""make_page.py - write a page of a made-up trace, from Documentation/html.md alone

usage: make_page.py PAGE ANSWERS [EVENTS [THREADS]]

PAGE is for the browser, ANSWERS (JSON) is what it has to show: all events, and the changes of
state of each row. Blocks and leaves are small, so that a small trace has a deep tree. This is the
second writer of the format; the first is `ktrace html`.
"""
import base64, bisect, glob, json, os, random, struct, sys, zlib

HTML = os.path.join(os.path.dirname(__file__), '../../../userspace/viewer/html/page')
BINS, BLOCK, LEAF, CHILDREN = 1024, 200, 800, 16
STATES = [('unknown', 'thread'), ('user', 'thread'), ('syscall', 'thread'), ('wait', 'thread'),
          ('wait-disk', 'thread'), ('wait-cpu', 'thread'), ('zombie', 'thread'), ('irq', 'thread'),
          ('idle', 'cpu'), ('cpu-irq', 'cpu'),
          ('free', 'lock'), ('taken', 'lock'), ('parse input', 'span'), ('draw', 'span')]
TYPES = [
    {'name': 'sched:switch', 'fields': [{'name': 'next', 'kind': 'u'}, {'name': 'state', 'kind': 'u',
                                         'enums': [[0, 'running'], [1, 'sleep'], [2, 'disk']]}]},
    {'name': 'app:request', 'fields': [{'name': 'id', 'kind': 'u'}, {'name': 'delta', 'kind': 'i'},
                                       {'name': 'address', 'kind': 'x'}, {'name': 'path', 'kind': 'j'},
                                       {'name': 'load', 'kind': 'f'}, {'name': 'part', 'kind': 'g'}]},
    # Its field has the name of what is known of any event.
    {'name': 'app:named', 'fields': [{'name': 'name', 'kind': 'j'}]},
]


def number(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])


def signed(n):
    return number(n * 2 if n >= 0 else -n * 2 - 1)


def text(t):
    raw = t.encode()
    return number(len(raw)) + raw


def numbers(*ns):
    return b''.join(map(number, ns))


class Trace:
    """Events [(time, type, row, stream, [values])], changes [(time, row, state)], arrows."""

    def __init__(self, nr, threads):
        rng = random.Random(1)
        self.rows, self.order, self.events, self.changes, self.arrows = [], [], [], [], []
        self.cpus = [self.row('cpu', f'CPU {c}', number=c) for c in range(2)]
        self.threads = []
        for p in range(max(threads // 4, 1)):
            process = self.row('process', f'server {100 * (p + 1)}', pid=100 * (p + 1))
            for t in range(4):
                tid = 100 * (p + 1) + t
                self.threads.append(self.row('thread', f'worker {tid}', process, 100 * (p + 1), tid))
                if t == 0:
                    self.span = self.row('span', 'phase', self.threads[-1])
            self.lock = self.row('lock', 'mutex 0x1000', process)
        self.order = list(range(len(self.rows)))
        self.states = [{'name': n, 'group': g} for n, g in STATES]
        self.states += [{'name': self.rows[t]['name'], 'group': 'run', 'row': t} for t in self.threads]
        self.state = {s['name']: i for i, s in enumerate(self.states)}
        self.run(rng, nr)
        self.span_ns = self.events[-1][0]

    def row(self, kind, name, parent=-1, pid=None, tid=None, number=None):
        row = {'kind': kind, 'name': name, 'parent': parent, 'host': 'made-up'}
        row.update({k: v for k, v in (('pid', pid), ('tid', tid), ('number', number))
                    if v is not None})
        self.rows.append(row)
        return len(self.rows) - 1

    def run(self, rng, nr):
        time, runs, last_span = 0, [None, None], 0
        while len(self.events) < nr:
            # A pause now and then, so that there are ranges with nothing in them
            time += 50_000_000 if rng.random() < 0.0005 else rng.randrange(1, 20_000)
            cpu = rng.randrange(2)
            if rng.random() < 0.3 or runs[cpu] is None:
                new = rng.choice([t for t in self.threads if t not in runs])
                how = rng.randrange(3)
                self.events.append((time, 0, runs[cpu] if runs[cpu] is not None else new, cpu,
                                    [self.rows[new]['tid'], how]))
                if runs[cpu] is not None:
                    self.change(time, runs[cpu], ['wait-cpu', 'wait', 'wait-disk'][how])
                    self.arrows.append((0, max(time - 3000, 0), runs[cpu], time, new))
                self.change(time, new, 'user')
                self.change(time, self.cpus[cpu], self.rows[new]['name'])
                runs[cpu] = new
            elif rng.random() < 0.2:
                self.change(time, runs[cpu], rng.choice(['user', 'syscall', 'irq']))
                self.events.append((time, 2, runs[cpu], cpu, ['x']))
            else:
                n = len(self.events)
                self.events.append((time, 1, runs[cpu], cpu, [
                    n, -n, 2**63 + n, f'/data/{"ö" if n % 7 == 0 else "file"}-{n % 50}', n / 8, n / 4]))
                if n - last_span > 40:
                    last_span = n
                    self.change(time, self.span, rng.choice(['parse input', 'draw']))
                    self.change(time, self.lock, rng.choice(['free', 'taken']))

    def change(self, time, row, state):
        self.changes.append((time, row, self.state[state]))

    # ---- blocks

    def blocks(self):
        starts = list(range(0, len(self.events), BLOCK))
        state, self.directory, out = {}, [], []
        c = a = 0
        for first in starts:
            part = self.events[first:first + BLOCK]
            base = part[0][0]
            # What happens at the base itself belongs to this block.
            end = self.events[first + BLOCK][0] if first + BLOCK < len(self.events) else None
            body, before = self.events_of(part), dict(state)
            moves, arrows = [], []
            while c < len(self.changes) and (end is None or self.changes[c][0] < end):
                moves.append(self.changes[c])
                state[self.changes[c][1]] = self.changes[c][2]
                c += 1
            while a < len(self.arrows) and (end is None or self.arrows[a][3] < end):
                arrows.append(self.arrows[a])
                a += 1
            out.append(zlib_raw(body + self.states_of(before, moves, base) +
                                self.arrows_of(arrows, base)))
            self.directory.append([base, part[-1][0], first, len(part)])
        return out

    @staticmethod
    def events_of(part):
        strings = {}
        fields = b''
        for _, t, _, _, values in part:
            for f, v in zip(TYPES[t]['fields'], values):
                if f['kind'] == 'j':
                    fields += number(strings.setdefault(json.dumps(v), len(strings)))
                else:
                    fields += {'u': number, 'x': number, 'i': signed,
                               'f': lambda v: struct.pack('<d', v),
                               'g': lambda v: struct.pack('<f', v)}[f['kind']](v)
        times = [part[0][0]] + [e[0] for e in part]
        return numbers(len(part), part[0][0], len(strings)) + b''.join(map(text, strings)) + \
            b''.join(signed(b - a) for a, b in zip(times, times[1:])) + \
            numbers(*(e[1] for e in part), *(e[2] + 1 for e in part), *(e[3] for e in part),
                    *(0 for e in part)) + number(len(fields)) + fields

    @staticmethod
    def states_of(before, moves, base):
        rows = sorted(before)
        out = number(len(rows))
        for last, row in zip([0] + rows, rows):
            out += numbers(row - last, before[row] + 1)
        out += number(len(moves))
        for time, row, state in moves:
            out += signed(time - base) + numbers(row, state + 1)
            base = time
        return out

    @staticmethod
    def arrows_of(arrows, base):
        out, last = number(len(arrows)), base
        for kind, start, from_row, end, to_row in arrows:
            out += number(kind) + signed(start - base) + number(from_row) + \
                signed(end - last) + number(to_row)
            last = end
        return out

    # ---- nodes

    def nodes(self):
        size = -(-(self.span_ns + 1) // BINS) * BINS
        self.tree, out, self.by_row = [], [], {}
        for time, row, state in self.changes:
            self.by_row.setdefault(row, []).append((time, state))
        todo = [(0, size, -1)]
        while todo:
            begin, end, parent = todo.pop(0)
            inside = [e for e in self.events if begin <= e[0] < end]
            if not inside:
                continue
            me = len(self.tree)
            ids = [i for i, b in enumerate(self.directory) if b[0] < end and b[1] >= begin]
            self.tree.append([begin, end, ids[0], ids[-1] + 1, parent, len(inside)])
            out.append(zlib_raw(self.node(begin, end, inside)))
            if len(inside) > LEAF:
                cut = [begin + (end - begin) * i // CHILDREN for i in range(CHILDREN + 1)]
                todo += [(x, y, me) for x, y in zip(cut, cut[1:])]
        return out

    def node(self, begin, end, inside):
        width = end - begin
        counts = [0] * BINS
        marks = {}
        for e in inside:
            b = (e[0] - begin) * BINS // width
            counts[b] += 1
            marks.setdefault(e[2], [0] * BINS)[b] += 1
        lasting = self.longest(begin, end)
        rows = sorted(set(lasting) | set(marks))
        out = numbers(*counts) + numbers(*([0] * (BINS - 1)), 12 if begin == 0 else 0) + \
            number(len(rows))
        for last, row in zip([0] + rows, rows):
            out += number(row - last) + runs(lasting.get(row, [0] * BINS)) + \
                runs([c.bit_length() for c in marks.get(row, [0] * BINS)])
        return out

    def longest(self, begin, end):
        """By row: the state that lasts longest in each bin, + 1."""
        out = {}
        for row, moves in self.by_row.items():
            first = max(bisect.bisect(moves, (begin,)) - 1, 0)
            part = moves[first:bisect.bisect(moves, (end,)) + 1]
            sums = [{} for _ in range(BINS)]
            for (start, state), (stop, _) in zip(part, part[1:] + [(self.span_ns, 0)]):
                start, stop = max(start, begin), min(stop, end)
                while start < stop:
                    b = (start - begin) * BINS // (end - begin)
                    edge = min(-(-(b + 1) * (end - begin) // BINS) + begin, stop)
                    sums[b][state + 1] = sums[b].get(state + 1, 0) + edge - start
                    start = edge
            if any(sums):
                out[row] = [self.to_show(s) for s in sums]
        return out

    def to_show(self, sums):
        """Threads that a CPU runs count together."""
        run = {s: ns for s, ns in sums.items() if self.states[s - 1]['group'] == 'run'}
        others = {s: ns for s, ns in sums.items() if s not in run}
        part = run if sum(run.values()) >= max(others.values(), default=0) else others
        return max(part, key=part.get) if part else 0


def runs(values):
    out = []
    for v in values:
        if out and out[-1][0] == v:
            out[-1][1] += 1
        else:
            out.append([v, 1])
    return number(len(out)) + b''.join(numbers(*r) for r in out)


def zlib_raw(body):
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(body) + packer.flush()


def write(path, trace):
    blocks = trace.blocks()
    nodes = trace.nodes()
    head = {
        'version': 1, 'title': 'a <made-up> trace', 'begin': str(2**60), 'wall': '1700000000123456789',
        'span': trace.span_ns, 'types': TYPES, 'states': trace.states,
        'files': [{'name': 'made-up.ktrace', 'host': 'made-up', 'events': len(trace.events), 'lost': 12}],
        'loss': [{'reason': 'full', 'count': 12, 'file': 0}], 'notes': ['clock: made up'],
        'rows': trace.rows, 'order': trace.order, 'arrows': ['wakeup'],
        'streams': [{'file': 0, 'cpu': 0, 'id': 0}, {'file': 0, 'cpu': 1, 'id': 1}],
        'nodes': trace.tree, 'blocks': trace.directory,
    }
    names = sorted(glob.glob(HTML + '/*.js'))
    with open(path, 'w') as out:
        for line in open(HTML + '/page.html'):
            if line == '@STYLE@\n':
                out.write(open(HTML + '/page.css').read())
            elif line == '@SCRIPT@\n':
                out.writelines(open(n).read() for n in names)
            elif line == '@DATA@\n':
                escaped = json.dumps(head).replace('<', '\\u003c')
                out.write(f'<script type="application/json" id="kt-head">{escaped}</script>\n')
                for kind, pieces in (('n', nodes), ('b', blocks)):
                    for i, body in enumerate(pieces):
                        out.write(f'<script type="text/plain" id="kt-{kind}{i}">'
                                  f'{base64.b64encode(body).decode()}</script>\n')
            else:
                out.write(line)


if __name__ == '__main__':
    made = Trace(int((sys.argv[3:] or [5000])[0]), int((sys.argv[4:] or [8])[0]))
    write(sys.argv[1], made)
    with open(sys.argv[2], 'w') as f:
        # Values above 2^53 as texts: JavaScript's JSON would round them.
        json.dump({'events': [[t, TYPES[n]['name'], r, s, [str(v) for v in vs]]
                              for t, n, r, s, vs in made.events],
                   'changes': made.changes, 'span': made.span_ns, 'nodes': len(made.tree),
                   'states': [s['name'] for s in made.states], 'groups': [s['group'] for s in made.states],
                   'rows': [r['name'] for r in made.rows]}, f)
