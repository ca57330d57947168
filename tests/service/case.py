# SPDX-License-Identifier: GPL-2.0
"""case.py - shared by the cases of cases_*.py: peers that are driven step by step

A file of cases is a program: cases_X.py NAME... runs the functions NAME; each fails by an
exception. Cases wait for results, and measure no times.
"""

import os
import socket
import struct
import sys
import time
import traceback

from consumer import Consumer
from pft import Gone, Refused
from producer import Producer, Writer, test_packet
from wire import decode, varint

SOURCE = "test.src"
# Takes long to say that it does not match a name of thousands of "a"
DEAR = "(?:(?=a*+b)|(?=a*+c)|a)*b"
LONG = "a" * 4000


def config(sources=(SOURCE,), buffers=({"size_kb": 256},), **more):
    """A configuration; sources are names or whole DataSourceConfigs."""
    wanted = [{"config": {"name": s} if isinstance(s, str) else s} for s in sources]
    return {"buffers": [dict(b) for b in buffers], "data_sources": wanted, **more}


def expect(producer, name):
    """The next command has to be this one; its values."""
    command = producer.command()
    assert command, f"no command, but {name} was to come"
    assert command[0] == name, f"{command[0]} came, not {name}: {command[1]}"
    return command[1]


def started(producer):
    """Follows the producer to the start of one instance; its number and configuration."""
    name, values = producer.command()
    while name != "start_data_source":
        name, values = producer.command()
    return values["new_instance_id"], values["config"]


def source(name="test.producer", offers=(SOURCE,), **more):
    """A producer with data sources."""
    producer = Producer(name, **more)
    for offer in offers:
        producer.register(offer)
    producer.ask("Sync")
    return producer


def write(producer, buffer, numbers, size=16):
    """Packets with these numbers, by a writer of their own, committed; the writer."""
    writer = Writer(producer, buffer)
    for number in numbers:
        writer.write(test_packet(number, size))
    writer.flush()
    producer.ask("Sync")
    return writer


def check_ledger(stats):
    """What all statistics of a session have to say at any time (E.12)."""
    for row in stats["buffer_stats"]:
        fill = row["bytes_written"] - row["bytes_read"] - row["bytes_overwritten"] + \
            row["padding_bytes_written"] - row["padding_bytes_cleared"]
        assert 0 <= fill <= row["buffer_size"], row
    flushed = stats["flushes_succeeded"] + stats["flushes_failed"]
    assert flushed <= stats["flushes_requested"], stats
    # One that failed may have been refused, as the session was over.
    assert stats["final_flush_outcome"] != 1 or stats["flushes_succeeded"], stats


def packets(consumer):
    """What is to be read, decoded."""
    found = [decode("TracePacket", packet) for packet in consumer.read()]
    try:
        check_ledger(consumer.ask("GetTraceStats")["trace_stats"])
    except Refused:
        pass    # there is no session
    return found


def numbers(found):
    """Of the packets of tests."""
    return [p["for_testing"]["seq_value"] for p in found if "for_testing" in p]


def events(found):
    """Names of the service's events."""
    return [name for p in found for name in p.get("service_event", {})]


def refused(wanted, text, consumer=None):
    """EnableTracing fails in these words, and leaves nothing behind."""
    consumer = consumer or Consumer()
    before = consumer.state()
    reply = consumer.enable(wanted)
    assert reply, "it was not refused"
    assert text in reply.get("error", ""), reply
    after = consumer.state()
    assert before.get("num_sessions") == after.get("num_sessions"), after
    return reply["error"]


def until(condition, seconds=60):
    """Waits for something that has to come."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{condition.__name__} did not come true"
        time.sleep(0.01)


def is_dropped(peer):
    """The service has closed the connection; what it sent before is thrown away."""
    try:
        while peer.pump(60):
            pass
    except (Gone, ConnectionResetError):
        return True
    return False


def bytecode(*words):
    """The code of a filter, with its sum."""
    total = 0xcbf29ce484222325
    for word in words:
        for byte in word.to_bytes(4, "little"):
            total = (total ^ byte) * 0x100000001b3 % (1 << 64)
    return b"".join(varint(word) for word in words) + varint(total & 0xffffffff)


def fails(call, *args, **more):
    """A call that is answered without success."""
    try:
        call(*args, **more)
    except Refused:
        return True
    return False


def service_pid(peer):
    """Of the service at the other end."""
    return struct.unpack("3i", peer.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED,
                                                      12))[0]


def lingering():
    """A connection that waits an hour, when it is closed, until all that was sent is taken."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        sender = socket.create_connection(server.getsockname())
        taker = server.accept()[0]
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 3600))
    sender.setblocking(False)
    try:
        while True:
            sender.send(bytes(1 << 20))
    except BlockingIOError:
        return sender, taker


def as_user(uid, work, *args):
    """Does the work as another user; True if it went well."""
    child = os.fork()
    if not child:
        status = 1
        try:
            os.setgid(uid)
            os.setuid(uid)
            work(*args)
            status = 0
        except BaseException:  # the child must not go on with its parent's work
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


def hold_sessions(count, ready, done):
    """So many sessions, until the other end of the pipe is closed."""
    consumers = [Consumer() for _ in range(count)]
    for consumer in consumers:
        assert not consumer.enable(config())
    os.write(ready, b".")
    os.read(done, 1)


def main(cases):
    """Runs the cases that the command line names."""
    for name in sys.argv[1:]:
        cases[name]()
