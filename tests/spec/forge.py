#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""forge.py FILE CHANGE open|closed|listed - print FILE with a change before or in its last BLOCK

CHANGE:
  section TYPE FLAGS   insert a section
  lost COUNT...        insert a LOST section of the BLOCK's stream
  inside               make the BLOCK the body of another one, and list both
  flags FLAGS          give the BLOCK other flags
  frame raw N          increase raw_size of the last compressed BLOCK by N
  frame cut N          shorten its body by N
  reserved             set the reserved fields of BLOCK and file
  meta OLD NEW         replace bytes of META text by as many others
An open file ends after the last section, a closed one has INDEX and END; in a listed one INDEX also has
sections that may be ignored.
"""

import struct
import sys
from read import (BLOCK, END, INDEX, LOST, MAY_IGNORE, META, SECTION_SIZE, ZSTD, Section, Trace,
                  crc32c)

HEADER = "IHHIIQQQQIIII"


def pack(trace, section, body):
    header = section[1:]
    unsigned = struct.pack(trace.order + HEADER, *section._replace(crc=0)[1:])
    header = struct.pack(trace.order + HEADER, *section._replace(crc=crc32c(unsigned + body))[1:])
    return header + body + bytes(-len(body) % 8)


def new_section(magic, section_type, flags, pos, body):
    return Section(0, magic, section_type, flags, 0, 0, len(body), 0, 0, pos, 0, 0, len(body), 0)


def index_entry(trace, section, offset):
    return struct.pack(trace.order + "4Q4I", offset, section.first_ts, section.last_ts,
                       section.pos, section.stream, section.records, section.type, section.lost)


def main(path, *args):
    trace = Trace(path)
    sections = [section for section in trace.walk() if section.type not in (INDEX, END)]
    pieces = [(section, trace.body(section)) for section in sections]
    at = max(i for i, section in enumerate(sections) if section.type == BLOCK)
    block, body = pieces[at]
    out = trace.data[:64]
    if args[0] == "section":
        text = b"what is this?"
        section = new_section(block.magic, int(args[1]), int(args[2]), 0, text)
        pieces.insert(at, (section, text))
    elif args[0] == "lost":
        counts = [int(count) for count in args[1:-1]]
        text = struct.pack(f"{trace.order}{len(counts)}Q", *counts)
        section = new_section(block.magic, LOST, 0, 0, text)
        section = section._replace(stream=block.stream, first_ts=block.first_ts)
        pieces.insert(at, (section, text))
    elif args[0] == "frame":
        at = max(i for i, section in enumerate(sections) if section.flags == ZSTD)
        section, body = pieces[at]
        if args[1] == "raw":
            section = section._replace(raw_size=section.raw_size + int(args[2]))
        else:
            body = (body + bytes(8))[:len(body) - int(args[2])]
        pieces[at] = section._replace(size=len(body)), body
    elif args[0] == "inside":
        text = pack(trace, block, body)
        pieces[at] = block._replace(size=len(text), raw_size=len(text)), text
    elif args[0] == "reserved":
        pieces[at] = block._replace(reserved=1), body
        out = out[:20] + b"\1" + out[21:]
    elif args[0] == "meta":
        old, new = (arg.encode().decode("unicode_escape").encode() for arg in args[1:3])
        pieces = [(section, text.replace(old, new) if section.type == META else text)
                  for section, text in pieces]
    else:
        pieces[at] = block._replace(flags=int(args[1])), body
    index = b""
    for section, body in pieces:
        if args[-1] == "listed" or not section.flags & MAY_IGNORE:
            index += index_entry(trace, section, len(out))
        if args[0] == "inside" and section is pieces[at][0]:
            index += index_entry(trace, block, len(out) + SECTION_SIZE)
        out += pack(trace, section, body)
    if args[-1] != "open":
        section = new_section(block.magic, INDEX, MAY_IGNORE, 0, index)
        end = new_section(block.magic, END, 0, len(out), b"")
        out += pack(trace, section, index) + pack(trace, end, b"")
    sys.stdout.buffer.write(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
