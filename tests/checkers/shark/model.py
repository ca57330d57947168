# SPDX-License-Identifier: GPL-2.0
"""A model of the S.Ha.R.K. tracer with lists and integers: FTrace_*() implemented a second time.

Written from Documentation/shark.md and the requirements, not from the code, and as plainly as
possible. It has no time; an event is (code, par1, par2). scripts.py runs model and library with the same
calls and compares their results, and their contents after every step.
"""
CYC, FREE, FULL, JTN, STOP, BUSY, NODEL, COMPR = 0, 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40
MODE = 0x0c
OWN = BUSY | COMPR              # flags that only the tracer changes
NUMBERS = 256
SLOT = 16
NEXT_CHUNK = 0xff
FAST = 0x8000
REASONS = ('full', 'busy', 'overwritten')
ALL_OFF = 0x1ffff


class Chunk:
    """@slots are those of the normal area, @at the next to be written, @reserve is what the
    emergency area holds. @is_round: the slots from @at on are older than those before."""
    def __init__(self, normal, emergency, flags):
        self.size, self.emergency, self.flags, self.next = normal, emergency, flags, None
        self.empty()

    def empty(self):
        self.slots, self.at, self.is_round, self.reserve = [None] * self.size, 0, False, []
        self.lost = dict.fromkeys(REASONS, 0)

    def take(self):
        """It is in use from now on."""
        self.flags &= ~(FREE | FULL)
        self.empty()

    def is_available(self):
        return self.flags & FREE and not self.flags & OWN

    def mode(self):
        return self.flags & MODE

    def is_at_end(self):
        return self.at == self.size

    def events(self):
        """Oldest first."""
        return (self.slots[self.at:] if self.is_round else []) + self.slots[:self.at] + self.reserve

    def put(self, event):
        if self.is_at_end():
            self.begin_anew()
        self.lost['overwritten'] += self.is_round
        self.slots[self.at] = event
        self.at += 1
        if self.is_at_end() and self.mode() == CYC:
            self.begin_anew()
        elif self.is_at_end() and self.mode() == STOP:
            self.flags |= FULL

    def begin_anew(self):
        self.at, self.is_round = 0, True


class Tracer:
    def __init__(self):
        self.table = [None] * NUMBERS
        self.is_there = self.is_on = False
        self.selected = None
        self.off = 0
        self.has_sender = False
        self.nochunk = 0

    # ---- writer ----

    def target(self):
        return None if self.selected is None else self.table[self.selected]

    def jump(self):
        """To the chunk that is linked, if it can take an event."""
        n = self.target().next
        d = None if n is None else self.table[n]
        if not d or d.flags & OWN:
            return False
        if d.flags & FREE:
            d.take()
        elif d.flags & FULL or d.mode() != CYC and d.is_at_end():
            return False
        self.selected = n
        return True

    def log(self, code, par1, par2, is_critical=False):
        is_off = self.off >> (code & 0xf) & 1 and code & 0xf0 != 0xf0
        if not self.is_on or not code & ~FAST or is_off:
            return
        if code == NEXT_CHUNK:
            if self.target():
                self.target().flags |= FULL
                self.jump()
        else:
            self.store((code, par1, par2), is_critical)

    def fast(self, code, par1):
        if code & ~FAST:
            self.store((code | FAST, par1, 0), False)

    def store(self, event, is_critical):
        c = self.target()
        if not self.is_on:
            return
        if not c:
            self.nochunk += 1
            return
        if c.flags & BUSY:
            c.lost['busy'] += 1
            return
        if c.mode() != CYC and c.is_at_end():
            c.flags |= FULL
        if not c.flags & FULL:
            c.put(event)
        elif c.mode() == JTN and self.jump():
            self.target().put(event)
        elif is_critical and len(c.reserve) < c.emergency:
            c.reserve.append(event)
        else:
            c.lost['full'] += 1

    def set_filter(self, family, status):
        if 0xf < family < 0xf0:
            return
        bit = 1 << (family & 0xf)
        self.off = self.off | bit if status else self.off & ~bit
        self.store((family | 0xf0, int(status != 0), 0), False)

    def enable(self):
        if not self.is_there or self.selected is None:
            return -1
        self.is_on = True
        return 0

    def disable(self):
        if not self.is_there:
            return -1
        self.is_on = False
        return 0

    # ---- chunks ----

    def chunk(self, n):
        return self.table[n] if 0 <= n < NUMBERS else None

    def create(self, normal, emergency, flags):
        if normal < SLOT or emergency < 0 or normal % SLOT or emergency % SLOT or not is_possible(flags):
            return -1
        self.is_there = True
        if None not in self.table:
            return -1
        n = self.table.index(None)
        self.table[n] = Chunk(normal // SLOT, emergency // SLOT, flags & ~OWN)
        return n

    def delete(self, n):
        c = self.chunk(n)
        if not c:
            return -1
        if c.flags & NODEL:
            return 0
        if n == self.selected or any(o and o.next == n for o in self.table) or c.flags & BUSY:
            return -1
        self.table[n] = None
        return 0

    def put_flags(self, n, flags):
        """What is in the emergency area must not be followed by what is older."""
        c = self.table[n]
        is_put_away = flags & FREE and n != self.selected
        c.flags = flags & ~OWN | c.flags & COMPR | (FULL if c.reserve and not is_put_away else 0)

    def set_flags(self, n, flags):
        if not self.chunk(n) or not is_possible(flags):
            return -1
        self.put_flags(n, flags)
        return 0

    def get_flags(self, n):
        c = self.chunk(n)
        return c.flags if c else -1

    def select(self, n):
        c = self.chunk(n)
        if not c or not c.is_available():
            return -1
        c.take()
        self.selected = n
        return 0

    def link(self, a, b):
        c, d = self.chunk(a), self.chunk(b)
        if not c or not d or a == b or not d.is_available():
            return -1
        d.take()
        c.next = b
        return 0

    def first(self, mask):
        return next((n for n, c in enumerate(self.table) if c and c.flags & mask), -1)

    # ---- chunks that are BUSY for a while ----

    def release(self, n, flags):
        if self.selected == n and (flags & FREE or self.table[n].flags & COMPR):
            self.selected = None
        self.put_flags(n, flags)

    def compress(self, n, flags):
        c = self.chunk(n)
        if not c or c.flags & OWN or not is_possible(flags):
            return -1
        c.slots, c.at, c.is_round, c.reserve = c.events(), len(c.events()), False, []
        c.flags |= COMPR
        self.release(n, flags)
        return 0

    def send(self, n, flags):
        """What a file then has, or None."""
        c = self.chunk(n)
        if not c or not self.has_sender or not is_possible(flags):
            return None
        self.release(n, flags)
        return c.events()

    # ---- scripts ----

    def do(self, line):
        """One call. What it returns, and what is in the file."""
        name, *args = line.split()
        args = [int(a) for a in args]
        if name == 'send':
            sent = self.send(*args)
            return '-1' if sent is None else '0' + show(sent)
        if name == 'disk':
            self.has_sender = True
            return 0
        calls = {'log': self.log, 'fast': lambda c, p, _: self.fast(c, p), 'flags': self.set_flags,
                 'critical': lambda *a: self.log(*a, is_critical=True), 'filter': self.set_filter}
        ret = (calls.get(name) or getattr(self, name))(*args)
        return '-' if ret is None else ret

    def state(self):
        off = self.off if self.is_on else ALL_OFF
        text = f'{-1 if self.selected is None else self.selected} {off:x} {self.nochunk}'
        for n, c in enumerate(self.table):
            if c:
                lost = '/'.join(str(c.lost[r]) for r in REASONS)
                text += f' | {n} {c.flags:02x} {-1 if c.next is None else c.next} {lost}{show(c.events())}'
        return text


def is_possible(flags):
    return flags < 0x80 and flags & MODE != MODE


def show(events):
    return ''.join(f' {code:x},{par1:x},{par2:x}' for code, par1, par2 in events)
