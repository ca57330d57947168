#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""cases_disk.py CASE... - sessions that write files on disks that are slow, full, or stuck"""

import glob
import os
import re
import signal
import struct
import subprocess
import sys
import zlib

from case import (as_user, config, expect, main, numbers, packets, service_pid, source, started,
                  until, write)
from consumer import Consumer
from pft import Peer
from producer import Writer, test_packet
from wire import Malformed, decode, encode, packets_of, padded, varint

DAY_MS = 24 * 3600 * 1000
GATE = "gate"       # bad_disk.so lets no write begin before somebody has it open


def whole_packets(path):
    """(packets of a trace file that may end anywhere, whether it ends with a whole one)."""
    with open(path, "rb") as file:
        data = file.read()
    found = []
    try:
        for packet in packets_of(data):
            found.append(decode("TracePacket", packet))
    except Malformed:
        return found, False
    return found, True


def into(path, **more):
    """Of a session that writes into a file, often."""
    return config(**{"write_into_file": True, "output_path": os.path.abspath(path),
                     "file_write_period_ms": 100, "write_flush_mode": 2, **more})


def another_life():
    """Others are served meanwhile: a session from its first to its last call."""
    producer, consumer = source("another", ("another",)), Consumer()
    assert not consumer.enable(config(["another"]))
    write(producer, started(producer)[1]["target_buffer"], range(20))
    consumer.ask("DisableTracing")
    assert consumer.ended()["disabled"]
    assert numbers(packets(consumer)) == list(range(20))
    producer.close()
    consumer.close()


def open_gate():
    """The disk answers again."""
    return os.open(GATE, os.O_WRONLY)


def stuck():
    """A disk that does not answer holds up its session alone; then everything is in the file."""
    producer, consumer = source(), Consumer()
    consumer.enable(into("t", buffers=[{"size_kb": 4096}]))
    buffer = started(producer)[1]["target_buffer"]
    writer = write(producer, buffer, range(100))
    until(lambda: os.path.exists(GATE + ".held"))
    another_life()
    for number in range(100, 2000):
        writer.write(test_packet(number, 100))
    writer.flush()
    producer.ask("Sync")
    assert consumer.flush(timeout_ms=1) in (True, False)
    consumer.ask("DisableTracing")
    assert consumer.ended(0.3) is None, "the file cannot be complete"
    another_life()
    open_gate()
    assert consumer.ended()["disabled"]
    assert numbers(whole_packets("t")[0]) == list(range(2000))


def stuck_and_freed():
    """The consumer goes meanwhile: the session goes with it, and its file is written to the end."""
    producer, consumer = source(), Consumer()
    consumer.enable(into("t"))
    writer = write(producer, started(producer)[1]["target_buffer"], range(10))
    until(lambda: os.path.exists(GATE + ".held"))
    writer.write(test_packet(10, 16))
    writer.flush()
    producer.ask("Sync")
    consumer.close()
    witness = Consumer()
    until(lambda: not witness.state(True)["num_sessions"])
    assert numbers(whole_packets("t")[0]) == []
    open_gate()
    until(lambda: numbers(whole_packets("t")[0]) == list(range(11)))


def stuck_and_cloned():
    """A clone has what is on its way into the file, too."""
    producer, consumer, clone = source(), Consumer(), Consumer()
    consumer.enable(into("t", flush_timeout_ms=50))
    writer = write(producer, started(producer)[1]["target_buffer"], range(10))
    until(lambda: os.path.exists(GATE + ".held"))
    writer.write(test_packet(10, 16))
    writer.flush()
    producer.ask("Sync")
    with open("clone", "wb+") as file:
        request = clone.call("CloneSession", {"session_id": 1}, fds=[file.fileno()])
        assert clone.reply(request, 0.3) is None, "its disk is stuck as well"
        copy = Consumer()
        assert "cannot be cloned" in copy.ask("CloneSession", {"session_id": 2},
                                              fds=[file.fileno()])["error"]
        assert not list(clone.read())
        another_life()
        open_gate()
        assert clone.reply(request)[0]["success"]
    assert numbers(whole_packets("clone")[0]) == list(range(11))


def stopped_while_stuck():
    """The service is stopped: it waits for the disk."""
    producer, consumer = source(), Consumer()
    consumer.enable(into("t"))
    service = service_pid(consumer)
    write(producer, started(producer)[1]["target_buffer"], range(10))
    until(lambda: os.path.exists(GATE + ".held"))
    os.kill(service, signal.SIGTERM)
    assert consumer.ended(0.3) is None, "the file cannot be complete"
    open_gate()
    assert consumer.ended() == {"disabled": True}
    until(lambda: numbers(whole_packets("t")[0]) == list(range(10)))


def stopped():
    """The service is stopped: all that was committed is in the file."""
    producer, consumer = source(), Consumer()
    consumer.enable(into("t", buffers=[{"size_kb": 8192}]))
    write(producer, started(producer)[1]["target_buffer"], range(5000), 1000)
    os.kill(service_pid(consumer), signal.SIGTERM)
    assert consumer.ended() == {"disabled": True}
    until(lambda: numbers(whole_packets("t")[0]) == list(range(5000)))


def stuck_file_system():
    """The file cannot even be made: the one who wants it waits, nobody else, and may go."""
    os.mkdir("mount")
    with subprocess.Popen([sys.executable, os.path.join(os.path.dirname(__file__), "stuck.py"),
                           "mount"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as mount:
        assert mount.stdout.readline() == b"mounted\n"
        consumer, gone = Consumer(), Consumer()
        request = consumer.call("EnableTracing", {"trace_config": into("mount/t")})
        later = consumer.call("QueryCapabilities")
        gone.call("EnableTracing", {"trace_config": into("mount/u")})
        gone.close()
        assert consumer.reply(request, 0.3) is None
        another_life()
        mount.communicate(b"\n")
    error = consumer.reply(request)[0]["error"]
    assert "Failed to create the trace file" in error, error
    assert consumer.reply(later)
    assert not consumer.enable(into("t"))


def stuck_descriptors():
    """Descriptors that cannot be closed: nobody waits for that, and there is a bound of them."""
    os.mkdir("mount")
    producer, consumer, witness = source(), Consumer(), Consumer()
    service = service_pid(witness)
    with subprocess.Popen([sys.executable, os.path.join(os.path.dirname(__file__), "stuck.py"),
                           "mount", "open"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as mount:
        assert mount.stdout.readline() == b"mounted\n"
        fd = os.open("mount/file", os.O_RDWR)
        hello = Peer("producer")
        hello.bind("ProducerPort")
        assert not hello.ask("InitializeConnection", {
            "producer_provided_shmem": True, "shared_memory_page_size_hint_bytes": 4096},
                             fds=[fd]).get("using_shmem_provided_by_producer")
        assert "not both" in consumer.enable(into("t"), fd)["error"]
        for _ in range(100):
            last = producer.call("Sync", fds=[fd])
        another_life()
        assert producer.reply(last, 0.001) is None, "there is no bound"
        assert len(os.listdir(f"/proc/{service}/task")) < 40
        mount.communicate(b"\n")
    assert producer.reply(last)
    until(lambda: len(os.listdir(f"/proc/{service}/task")) == 1)
    with open("t", "wb") as file:
        assert not consumer.enable(config(write_into_file=True), file.fileno())


def fill_disk(**more):
    """(packets in the file, what is said to be lost) of a session that writes 3000 packets."""
    producer, consumer = source(), Consumer()
    consumer.enable(into("small/t", buffers=[{"size_kb": 8192}], **more))
    write(producer, started(producer)[1]["target_buffer"], range(3000), 1000)
    if more:
        consumer.ask("DisableTracing")
    reply = consumer.ended()
    assert "No space left on device" in reply["error"], reply
    found, is_whole = whole_packets("small/t")
    assert is_whole, "there is a piece of a packet"
    found = numbers(found)
    assert found == list(range(len(found))) and 500 < len(found) < 3000, len(found)
    consumer.ask("FreeBuffers")
    assert not consumer.enable(config())
    return len(found), int(re.search(r"lost packets: (\d+)", reply["error"])[1])


def full():
    """A full disk: the session ends by itself and says so; the last packet is whole."""
    fill_disk()


def full_at_the_end():
    """The disk is full when all packets are there: the others are counted."""
    found, lost = fill_disk(file_write_period_ms=DAY_MS)
    # What the service itself writes was lost, too: an event or two, statistics.
    assert 3000 - found < lost < 3020 - found, (lost, found)


def full_of_compressed():
    """Of packets that are compressed each one that is lost counts."""
    producer, consumer, count = source(), Consumer(), 4000
    consumer.enable(into("small/t", buffers=[{"size_kb": 8192}], compression={"deflate": {}},
                         file_write_period_ms=DAY_MS))
    writer = Writer(producer, started(producer)[1]["target_buffer"])
    for number in range(count):
        writer.write(encode("TracePacket", {"for_testing": {
            "seq_value": number, "str": os.urandom(500).hex()}}))
    writer.flush()
    producer.ask("Sync")
    consumer.ask("DisableTracing")
    lost = int(re.search(r"lost packets: (\d+)", consumer.ended()["error"])[1])
    parts, is_whole = whole_packets("small/t")
    found = [number for part in parts for number in
             numbers(decode("Trace", zlib.decompress(part["compressed_packets"]))["packet"])]
    assert is_whole and found == list(range(len(found))) and 100 < len(found) < count, len(found)
    assert count - len(found) < lost < count + 20 - len(found), (lost, len(found))


def many(chunks=100):
    """A hundred thousand packets: all of them, in their order."""
    producer, consumer, count = source(), Consumer(), 1000
    consumer.enable(into("t", buffers=[{"size_kb": 65536}]))
    target = started(producer)[1]["target_buffer"]
    body = encode("TracePacket", {"for_testing": {"seq_value": 1 << 21}})
    at = body.index(varint(1 << 21))
    for chunk in range(chunks):
        data = bytearray(struct.pack("<IHH", chunk, 1, count))
        for number in range(chunk * count, (chunk + 1) * count):
            # As large as the largest number, for all to be of one length
            data += varint(len(body)) + body[:at] + padded(number) + body[at + 4:]
        producer.call("CommitData", {"chunks_to_move": [{
            "page": 0, "chunk": 0, "target_buffer": target, "data": bytes(data)}]},
                      drop_reply=True)
        if not chunk % 100:
            producer.ask("Sync")
    consumer.ask("DisableTracing")
    assert consumer.ended()["disabled"]
    with open("t", "rb") as file:
        found = [packet for packet in packets_of(file.read()) if packet.startswith(body[:at])]
    assert len(found) == count * chunks, len(found)
    assert all(packet[at:at + 4] == padded(number) for number, packet in enumerate(found))


def million():
    """A million of them."""
    many(1000)


def nothing():
    """No packet at all: the file has what the service says, and can be read."""
    source()
    consumer = Consumer()
    consumer.enable(into("t"))
    consumer.ask("DisableTracing")
    assert consumer.ended()["disabled"]
    found, is_whole = whole_packets("t")
    assert found and is_whole and numbers(found) == []


def killed():
    """The service is killed while it writes: the file has all up to a packet that is cut."""
    producer, consumer = source(), Consumer()
    consumer.enable(into("t", buffers=[{"size_kb": 16384}]))
    writer = Writer(producer, started(producer)[1]["target_buffer"])
    number = 0
    # The first packets are the service's own.
    while os.path.getsize("t") < 1 << 16:
        for _ in range(100):
            writer.write(test_packet(number, 1000))
            number += 1
        writer.flush()
        producer.ask("Sync")
    os.kill(service_pid(consumer), signal.SIGKILL)
    found = numbers(whole_packets("t")[0])
    assert found and found == list(range(len(found))), found[:10]


def with_groups():
    """In the child of in_groups(): where its group may write, and where it may not."""
    os.setgid(1001)
    os.setuid(1001)
    for folder, text in (("theirs", "Permission denied"), ("ours", None)):
        consumer = Consumer()
        reply = consumer.enable(into(folder + "/t"))
        assert text is None and not reply or text in reply["error"], reply
    rights = []
    for task in glob.glob(f"/proc/{service_pid(consumer)}/task/*/status"):
        with open(task, encoding="ascii") as file:
            rights += re.findall(r"^CapEff:\s*([0-9a-f]+)", file.read(), re.M)
    assert any(int(r, 16) for r in rights) and not all(int(r, 16) for r in rights), rights


def in_groups():
    """A file is made with all groups of the user who asks for it."""
    os.chmod(os.environ["PERFETTO_CONSUMER_SOCK_NAME"], 0o666)
    for folder, group in (("ours", 1234), ("theirs", 1235)):
        os.mkdir(folder)
        os.chown(folder, 0, group)
        os.chmod(folder, 0o770)
    os.setgroups([1234])
    assert as_user(0, with_groups)
    assert os.stat("ours/t").st_uid == 1001
    assert os.stat("ours/t").st_mode & 0o777 == 0o600
    assert not os.path.exists("theirs/t")


def synced():
    """fflush_post_write: the disk has each part before the next one, or only the end (E.7)."""
    for mode in (0, 1, 2):      # not said, no, yes
        producer, consumer, path = source(), Consumer(), f"t{mode}"
        with open("synced", "wb"):
            pass
        consumer.enable(into(path, fflush_post_write=mode))
        buffer = started(producer)[1]["target_buffer"]
        for number in range(3):
            size = os.path.getsize(path)
            write(producer, buffer, [number])
            until(lambda: os.path.getsize(path) > size)
        if mode == 2:
            until(lambda: os.path.getsize("synced") >= 3)
        else:
            assert os.path.getsize("synced") == 0, mode
        before = os.path.getsize("synced")
        consumer.ask("DisableTracing")
        assert consumer.ended()["disabled"]
        after = os.path.getsize("synced")
        assert after == before + 1 or mode == 2 and after > before, (mode, before, after)
        producer.close()


def refused_late():
    """What is refused after the file was made takes the file away again."""
    consumer = Consumer()
    reply = consumer.enable(into("t", trace_filter={"bytecode": b"\xff\xff"}))
    assert "trace filter" in reply["error"], reply
    until(lambda: not os.path.exists("t"))


def pipelined():
    """Calls that come right behind EnableTracing find the session, though its file has to be made."""
    producer, consumer = source(), Consumer()
    consumer.enabled = consumer.call("EnableTracing", {
        "trace_config": into("t", deferred_start=True)})
    begun, flushed = consumer.call("StartTracing"), consumer.call("Flush", {"timeout_ms": 60000})
    ended = consumer.call("DisableTracing")
    number = started(producer)[0]
    values = expect(producer, "flush")
    producer.commit(flush_request_id=values["request_id"])
    assert expect(producer, "stop_data_source") == {"instance_id": number}
    for request in (begun, flushed, ended):
        assert consumer.reply(request) == ({}, False), request
    assert consumer.ended()["disabled"]


def too_many_files():
    """Files that wait for a stuck disk are bounded for a user, after their sessions' ends as well."""
    errors = []
    for number in range(21):
        consumer, producer = Consumer(), source()
        reply = consumer.enable(into(f"t{number}"))
        if reply:
            errors.append(reply["error"])
        else:
            write(producer, started(producer)[1]["target_buffer"], [1])
            consumer.ask("FreeBuffers")
        producer.close()
    assert len(errors) == 1 and "too many files are waiting" in errors[0], errors
    another_life()
    open_gate()
    until(lambda: numbers(whole_packets("t19")[0]) == [1])


if __name__ == "__main__":
    main(globals())
