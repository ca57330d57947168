# SPDX-License-Identifier: GPL-2.0
"""Writes files of trace-cmd: versions 6 and 7, both byte orders, other sizes of long and page, compressed."""
import struct, subprocess, sys, zlib

COMMON = [('unsigned short', 'common_type', 2, 0), ('unsigned char', 'common_flags', 1, 0),
          ('unsigned char', 'common_preempt_count', 1, 0), ('int', 'common_pid', 4, 1)]
DONE, DATE, CPUSTAT, BUFFER, TRACECLOCK, UNAME, HOOK, OFFSET, CPUCOUNT, VERSION, PROCMAPS, TRACEID, TIME_SHIFT, GUEST, \
    TSC2NSEC, STRINGS, HEADER_INFO, FTRACE_EVENTS, EVENT_FORMATS, KALLSYMS, PRINTK, CMDLINES, BUFFER_TEXT = range(23)


class Event:
    """A type of event. Fields are (type, name): type is one of u8 s16 x64 long ..., char[16], long[6], or kernel text."""

    def __init__(self, dat, system, name, number, fields, fmt):
        self.dat, self.system, self.name, self.number, self.fields, self.fmt = dat, system, name, number, [], fmt
        at = 8
        for kind, field in fields:
            c, size, count, signed = dat.kind(kind)
            at = -(-at // min(size, 8)) * min(size, 8)
            self.fields.append((c, field, size, count, at, signed))
            at += size * max(count, 1)
        self.size = at

    def text(self):
        lines, at = [], 0
        for c, name, size, signed in COMMON:
            lines.append(f'\tfield:{c} {name};\toffset:{at};\tsize:{size};\tsigned:{signed};\n')
            at += size
        lines.append('\n')
        for c, name, size, count, at, signed in self.fields:
            array = f'[{count}]' if count > 0 else '[]' if count < 0 else ''
            if '__data_loc' in c or '__rel_loc' in c:
                array, count = '', 0
            whole = 0 if count < 0 else size * max(count, 1)
            lines.append(f'\tfield:{c} {name}{array};\toffset:{at};\tsize:{whole};\tsigned:{signed};\n')
        return f'name: {self.name}\nID: {self.number}\nformat:\n{"".join(lines)}\nprint fmt: {self.fmt}\n'

    def payload(self, flags, pid, values, tail=b''):
        """Values by name: numbers, bytes, lists; bytes of a __data_loc or __rel_loc go after the fields."""
        order = self.dat.order
        out = bytearray(self.size)
        struct.pack_into(order + 'HBBi', out, 0, self.number, flags, 0, pid)
        for c, name, size, count, at, signed in self.fields:
            v = values.get(name, 0)
            if '__data_loc' in c or '__rel_loc' in c:
                v = v or b''
                where = len(out) - (at + 4 if '__rel_loc' in c else 0)
                struct.pack_into(order + 'I', out, at, len(v) << 16 | where)
                out += v
            elif isinstance(v, bytes):
                if count < 0:
                    out[at:] = v
                else:
                    out[at:at + len(v)] = v
            else:
                for i, n in enumerate(v if isinstance(v, (list, tuple)) else [v]):
                    out[at + i * size:at + (i + 1) * size] = (n % (1 << 8 * size)).to_bytes(size, self.dat.name_order)
        return bytes(out) + tail


class Cpu:
    def __init__(self, dat):
        self.dat, self.pages, self.ts = dat, [], 0
        self.body, self.base, self.lost = b'', None, None

    def add(self, ts, event, pid=0, flags=0, tail=b'', **values):
        """Adds an event at a time, which may be before the last one (an absolute stamp)."""
        dat, data = self.dat, event.payload(flags, pid, values, tail)
        data += bytes(-len(data) % 4)
        if len(self.body) + len(data) + 16 > dat.page - 8 - dat.kernel_long:
            self.flush()
        if self.base is None:
            self.base = self.ts = ts
        delta = ts - self.ts
        if delta < 0:
            self.body += dat.word(31, ts & (1 << 27) - 1) + dat.number(ts >> 27, 4)
            delta = 0
        elif delta >= 1 << 27:
            self.body += dat.word(30, delta & (1 << 27) - 1) + dat.number(delta >> 27, 4)
            delta = 0
        self.ts = ts
        if len(data) <= 112 and not dat.force_long:
            self.body += dat.word(len(data) // 4, delta) + data
        else:
            self.body += dat.word(0, delta) + dat.number(len(data) + 4, 4) + data
        return self

    def lose(self, number):
        """Ends the page; events were lost before the next one: a number, or None if it is not stored."""
        self.flush()
        self.lost = number if number else -1
        return self

    def discard(self, delta, size):
        """An event that was filtered out."""
        self.body += self.dat.word(29, delta) + self.dat.number(size - 4, 4) + bytes(size - 8)
        self.ts += delta
        return self

    def flush(self):
        if self.base is None:
            return
        dat, commit = self.dat, len(self.body)
        body = self.body
        if self.lost:
            commit |= 1 << 31
            if self.lost > 0:
                commit |= 1 << 30
                body += dat.number(self.lost, dat.kernel_long)
        page = dat.number(self.base, 8) + dat.number(commit, dat.kernel_long) + body
        assert len(page) <= dat.page
        self.pages.append(page + bytes(dat.page - len(page)))
        self.body, self.base, self.lost = b'', None, None

    def data(self):
        self.flush()
        return b''.join(self.pages)


class Dat:
    def __init__(self, version=6, big=False, long=8, kernel_long=None, page=4096, codec='none', chunk=2):
        self.version, self.big, self.long, self.page, self.codec, self.chunk = version, big, long, page, codec, chunk
        self.kernel_long = kernel_long or long
        self.order, self.name_order = ('>', 'big') if big else ('<', 'little')
        self.events, self.options, self.buffers, self.clocks = [], [], {}, {}
        self.cmdlines, self.kallsyms, self.printk = '', '', ''
        self.force_long = False
        self.texts = {}

    def number(self, n, size):
        return (n % (1 << 8 * size)).to_bytes(size, self.name_order)

    def word(self, kind, delta):
        return self.number(kind << 27 | delta if self.big else delta << 5 | kind, 4)

    def kind(self, kind):
        count = 0
        names = {'u8': ('unsigned char', 1, 0), 's8': ('signed char', 1, 1), 'u16': ('u16', 2, 0), 's16': ('short', 2, 1),
                 'u32': ('unsigned int', 4, 0), 'int': ('int', 4, 1), 'pid_t': ('pid_t', 4, 1), 'u64': ('u64', 8, 0),
                 's64': ('s64', 8, 1), 'long': ('long', self.kernel_long, 1), 'char': ('char', 1, 0),
                 'ulong': ('unsigned long', self.kernel_long, 0), 'ptr': ('void *', self.kernel_long, 0)}
        if kind.startswith('__'):
            return kind, 4, 0, 0
        if kind.endswith(']'):
            kind, n = kind[:-1].split('[')
            count = int(n) if n else -1
        c, size, signed = names[kind]
        return c, size, count, signed

    def event(self, system, name, number, fields, fmt='"x"'):
        self.events.append(Event(self, system, name, number, fields, fmt))
        return self.events[-1]

    def usual(self):
        """sys_enter, sys_exit and sched_switch"""
        enter = self.event('raw_syscalls', 'sys_enter', 443, [('long', 'id'), ('ulong[6]', 'args')],
                           '"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)", REC->id, REC->args[0], REC->args[1], REC->args[2], REC->args[3], REC->args[4], REC->args[5]')
        leave = self.event('raw_syscalls', 'sys_exit', 442, [('long', 'id'), ('long', 'ret')],
                           '"NR %ld = %ld", REC->id, REC->ret')
        switch = self.event('sched', 'sched_switch', 372, [
            ('char[16]', 'prev_comm'), ('pid_t', 'prev_pid'), ('int', 'prev_prio'), ('long', 'prev_state'),
            ('char[16]', 'next_comm'), ('pid_t', 'next_pid'), ('int', 'next_prio')],
            '"%s:%d ==> %s:%d", REC->prev_comm, REC->prev_pid, REC->next_comm, REC->next_pid')
        return enter, leave, switch

    def cpu(self, number, buffer=''):
        return self.buffers.setdefault(buffer, {}).setdefault(number, Cpu(self))

    def option(self, number, data):
        self.options.append((number, data.encode() + b'\0' if isinstance(data, str) else data))

    def parts(self):
        """Contents of the sections, in the order of version 6"""
        info = ('\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n'
                f'\tfield: local_t commit;\toffset:8;\tsize:{self.kernel_long};\tsigned:1;\n'
                '\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n'
                f'\tfield: char data;\toffset:{8 + self.kernel_long};\tsize:{self.page - 8 - self.kernel_long};\tsigned:1;\n')
        head = b'header_page\0' + self.number(len(info), 8) + info.encode() + b'header_event\0' + self.number(0, 8)
        own = [e.text().encode() for e in self.events if e.system == 'ftrace']
        ftrace = self.number(len(own), 4) + b''.join(self.number(len(t), 8) + t for t in own)
        systems = sorted({e.system for e in self.events} - {'ftrace'})
        events = self.number(len(systems), 4)
        for system in systems:
            texts = [e.text().encode() for e in self.events if e.system == system]
            events += system.encode() + b'\0' + self.number(len(texts), 4)
            events += b''.join(self.number(len(t), 8) + t for t in texts)
        return [(HEADER_INFO, head), (FTRACE_EVENTS, ftrace), (EVENT_FORMATS, events),
                (KALLSYMS, self.number(len(self.kallsyms), 4) + self.kallsyms.encode()),
                (PRINTK, self.number(len(self.printk), 4) + self.printk.encode()),
                (CMDLINES, self.number(len(self.cmdlines), 8) + self.cmdlines.encode())]

    def start(self):
        return (b'\x17\x08Dtracing' + str(self.version).encode() + b'\0' + bytes([self.big, self.long]) +
                self.number(self.page, 4))

    def packed(self, data):
        small = zlib.compress(data) if self.codec == 'zlib' else \
            subprocess.run(['zstd', '-q', '-c'], input=data, stdout=subprocess.PIPE, check=True).stdout
        return self.number(len(small), 4) + self.number(len(data), 4) + small

    def list(self, options):
        return b''.join(self.number(k, 2) + self.number(len(v), 4) + v for k, v in options)

    def write(self, path):
        out = self.version6() if self.version == 6 else self.version7()
        open(path, 'wb').write(out)

    def version6(self):
        out = bytearray(self.start() + b''.join(data for _, data in self.parts()))
        nr = max([max(cpus, default=0) + 1 for cpus in self.buffers.values()] or [1])
        out += self.number(nr, 4) + b'options  \0'
        places = {}
        for k, v in self.options:
            out += self.list([(k, v)])
        for name in self.buffers:
            if name:
                places[name] = len(out) + 6
                out += self.list([(BUFFER, bytes(8) + name.encode() + b'\0')])
        out += self.number(DONE, 2)
        clock = next((v for k, v in self.options if k == TRACECLOCK), None)
        self.tail = self.number(len(clock), 8) + clock if clock is not None else b''
        if '' in self.texts:
            return bytes(out + b'latency  \0' + self.texts[''])
        out += b'flyrecord\0'
        at = len(out)
        out += bytes(16 * nr) + self.tail
        self.fill(out, at, self.buffers.get('', {}), nr)
        for name, place in places.items():
            out[place:place + 8] = self.number(len(out), 8)
            out += b'flyrecord\0'
            at = len(out)
            out += bytes(16 * nr)
            self.fill(out, at, self.buffers[name], nr)
        return bytes(out)

    def fill(self, out, at, cpus, nr):
        for i in range(nr):
            data = cpus[i].data() if i in cpus else b''
            out += bytes(-len(out) % self.page)
            out[at + 16 * i:at + 16 * i + 16] = self.number(len(out), 8) + self.number(len(data), 8)
            out += data

    def section(self, out, number, data, packed=False):
        at = len(out)
        if packed:
            data = self.packed(data)
        out += self.number(number, 2) + self.number(packed, 2) + self.number(0, 4) + self.number(len(data), 8) + data
        return at

    def version7(self):
        is_packed = self.codec != 'none'
        out = bytearray(self.start() + self.codec.encode() + b'\0001.0\0')
        first = len(out)
        out += bytes(8)
        options = list(self.options)
        for number, data in self.parts():
            options.append((number, self.number(self.section(out, number, data, is_packed), 8)))
        for name, cpus in self.buffers.items():
            at = self.section(out, BUFFER, b'', False)
            out[at + 2:at + 4] = self.number(is_packed, 2)
            clock = self.clocks.get(name, 'local')
            option = self.number(at, 8) + name.encode() + b'\0' + clock.encode() + b'\0' + self.number(self.page, 4)
            option += self.number(len(cpus), 4)
            for i in sorted(cpus):
                data = cpus[i].data()
                out += bytes(-len(out) % self.page)
                if is_packed:
                    each = self.chunk * self.page
                    chunks = [self.packed(data[k:k + each]) for k in range(0, len(data), each)]
                    data = self.number(len(chunks), 4) + b''.join(chunks)
                option += self.number(i, 4) + self.number(len(out), 8) + self.number(len(data), 8)
                out += data
            out[at + 8:at + 16] = self.number(len(out) - at - 16, 8)
            options.append((BUFFER, option))
        for name, text in self.texts.items():
            at = self.section(out, BUFFER_TEXT, text)
            options.append((BUFFER_TEXT, self.number(at, 8) + name.encode() + b'\0local\0'))
        # Two lists, the second of which the first one points to
        half = len(options) // 2
        at = self.section(out, 0, self.list(options[:half]) + self.list([(DONE, bytes(8))]))
        out[first:first + 8] = self.number(at, 8)
        out[len(out) - 8:] = self.number(len(out), 8)
        self.section(out, 0, self.list(options[half:]) + self.list([(DONE, bytes(8))]), is_packed)
        return bytes(out)
