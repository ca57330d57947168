#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""shared.py - the memory that a producer shares with the service: pages, chunks, their states

 page:  u32 [30..28 layout, 27..0 two bits of state for each chunk], u32 reserved, chunks
 chunk: u32 id, u16 writer, u16 [15..10 flags, 9..0 packets], packets, each after its size

States change by compare and exchange, because the service changes those of other chunks of a page.
"""

import ctypes
import fcntl
import mmap
import os
import struct

FREE, WRITTEN, READ, COMPLETE = range(4)
CONTINUES, CONTINUED, NEEDS_PATCH = 1, 2, 4
CHUNKS = (0, 1, 2, 4, 7, 14)            # by layout
HEADER = 8                              # of a page and of a chunk
DROP = (1 << 28) - 1                    # size of a packet that is not to be believed

ATOMIC = ctypes.CDLL("libatomic.so.1")
EXCHANGE = getattr(ATOMIC, "__atomic_compare_exchange_4")
EXCHANGE.restype = ctypes.c_bool
SEQ_CST = 5


class Chunk:
    """A part of a page that one writer owns."""

    def __init__(self, memory, page, index, layout):
        size = (memory.page_size - HEADER) // CHUNKS[layout] & ~3
        start = page * memory.page_size + HEADER + index * size
        self.memory, self.page, self.index, self.size = memory, page, index, size
        self.bytes = memoryview(memory.map)[start:start + size]

    def set_header(self, chunk_id, writer):
        """Who writes it."""
        struct.pack_into("<IHH", self.bytes, 0, chunk_id & 0xffffffff, writer, 0)

    def set_packets(self, count, flags):
        """How many packets have been begun."""
        struct.pack_into("<H", self.bytes, 6, count & 0x3ff | flags << 10)

    def put(self, offset, data):
        """OFFSET counts behind the header."""
        self.bytes[HEADER + offset:HEADER + offset + len(data)] = data

    def room(self):
        """Bytes for packets."""
        return self.size - HEADER

    def to_state(self, old, new):
        """Changes the state; False: it was not OLD."""
        return self.memory.change_state(self.page, self.index, old, new)


class Memory:
    """The memory: own=True makes it, otherwise FD is that of the service."""

    def __init__(self, page_size, fd=-1, size=0):
        self.fd = fd if fd >= 0 else make_memory(size)
        self.size = os.fstat(self.fd).st_size
        self.page_size = page_size
        self.pages = self.size // page_size
        self.map = mmap.mmap(self.fd, self.size)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.map))
        self.next = 0

    def word(self, page):
        """The states of a page."""
        return struct.unpack_from("<I", self.map, page * self.page_size)[0]

    def exchange(self, page, old, new):
        """Compare and exchange of that word."""
        expected = ctypes.c_uint32(old)
        return EXCHANGE(ctypes.c_void_p(self.base + page * self.page_size),
                        ctypes.byref(expected), ctypes.c_uint32(new), SEQ_CST, SEQ_CST)

    def change_state(self, page, index, old, new):
        """Of one chunk; False: it was not OLD, or there is none as the page has become free."""
        while True:
            word = self.word(page)
            if not word or word >> 2 * index & 3 != old:
                return False
            changed = word & ~(3 << 2 * index) | new << 2 * index
            if not changed & 0x0fffffff:
                changed = 0             # the last one to become free frees the page
            if self.exchange(page, word, changed):
                return True

    def take_in(self, page, layout):
        """A free chunk of a page, partitioned if need be; None: there is none."""
        if not self.word(page) and not self.exchange(page, 0, layout << 28):
            return None
        found = self.word(page) >> 28 & 7
        for index in range(CHUNKS[found] if found < len(CHUNKS) else 0):
            if self.change_state(page, index, FREE, WRITTEN):
                return Chunk(self, page, index, found)
        return None

    def take(self, layout):
        """A free chunk, of the page behind the last one first; None: memory is full."""
        for step in range(self.pages):
            page = (self.next + step) % self.pages
            chunk = self.take_in(page, layout)
            if chunk:
                self.next = page
                return chunk
        return None


def make_memory(size):
    """Memory that cannot shrink, as the service wants it."""
    fd = os.memfd_create("producer", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    os.ftruncate(fd, size)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW |
                fcntl.F_SEAL_SEAL)
    return fd
