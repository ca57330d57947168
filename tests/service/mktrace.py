#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""mktrace.py FILE - write a trace of the packets on standard input, one a line

A line is a JSON object with the members of TracePacket, messages.proto. {"deflate": [packet...]}
is a packet of compressed ones, {"hex": "..."} one of any bytes. Bytes elsewhere are text.
mktrace.py --show FILE prints the packets of a trace in the same form.
"""

import json
import sys
import zlib

from wire import decode, encode, packets_of, trace_of


def packet_of(line):
    """The bytes of a packet."""
    if "hex" in line:
        return bytes.fromhex(line["hex"])
    if "deflate" in line:
        inner = trace_of(packet_of(one) for one in line["deflate"])
        return encode("TracePacket", {"compressed_packets": zlib.compress(inner)})
    return encode("TracePacket", line)


def main(args):
    """The command line."""
    if args[0] == "--show":
        with open(args[1], "rb") as file:
            for packet in packets_of(file.read()):
                print(json.dumps(decode("TracePacket", packet), default=bytes.hex))
        return
    packets = [packet_of(json.loads(line)) for line in sys.stdin if line.strip()]
    with open(args[0], "wb") as file:
        file.write(trace_of(packets))


if __name__ == "__main__":
    main(sys.argv[1:])
