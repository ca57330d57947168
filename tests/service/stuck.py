#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""stuck.py FOLDER [open] - mount a file system at FOLDER that never answers, until a line of input arrives

Prints "mounted" when it is ready. Speaks FUSE's own protocol, as in linux/fuse.h: only answers the first
request, FUSE_INIT; with "open" also those that open a file of any name, but not those that close it. At
the end all waiting requests get an error.
"""

import ctypes
import os
import select
import struct
import sys

INIT, LOOKUP, GETATTR, OPEN = 26, 1, 3, 14
DETACH = 2                  # umount2(): at once, even if it is in use
HEADER = "<IIQ"             # of a request: size, what, number
ANSWER = "<IiQ"             # size, error, number


def attributes(node):
    """Of the folder, node 1, and of files."""
    mode = 0o40755 if node == 1 else 0o100666
    return struct.pack("<6Q10I", node, *[0] * 5, *[0] * 3, mode, 1, *[0] * 5)


def serve(device):
    """Answers what it takes to open a file, until there is input."""
    while True:
        ready, _, _ = select.select([device, sys.stdin], [], [])
        if sys.stdin in ready:
            return
        _, what, number, node = struct.unpack_from(HEADER + "Q", os.read(device, 1 << 18))
        body = {LOOKUP: struct.pack("<4Q2I", 2, 0, 0, 0, 0, 0) + attributes(2),
                GETATTR: struct.pack("<Q2I", 0, 0, 0) + attributes(node),
                OPEN: bytes(16)}.get(what)
        if body:
            os.write(device, struct.pack(ANSWER, 16 + len(body), 0, number) + body)


def main():
    """The command line."""
    folder = sys.argv[1].encode()
    libc = ctypes.CDLL(None, use_errno=True)
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
    if libc.mount(b"stuck", folder, b"fuse", 0, options):
        raise OSError(ctypes.get_errno(), "mount")
    try:
        _, what, number = struct.unpack_from(HEADER, os.read(device, 1 << 17))
        assert what == INIT, what
        body = struct.pack("<14I", 7, 31, 0, 0, 0, 131072, 1, *[0] * 7)
        os.write(device, struct.pack(ANSWER, 16 + len(body), 0, number) + body)
        print("mounted", flush=True)
        if sys.argv[2:]:
            serve(device)
        else:
            sys.stdin.readline()
    finally:
        libc.umount2(folder, DETACH)
        os.close(device)


if __name__ == "__main__":
    main()
