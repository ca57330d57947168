#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""cases_flush.py CASE... - flushes, periodic work, writing files, detached sessions"""

import os
import signal
import time
import zlib

from case import (SOURCE, bytecode, config, events, expect, fails, main, numbers, packets, service_pid,
                  source, started, until, write)
from consumer import Consumer
from producer import Producer, Writer, test_packet
from wire import decode, encode

DAY_MS = 24 * 3600 * 1000


def read_file(path):
    """Packets of a trace file."""
    with open(path, "rb") as file:
        return decode("Trace", file.read()).get("packet", [])


def stats(consumer):
    """Of the session."""
    return consumer.ask("GetTraceStats")["trace_stats"]


def acknowledge(producer):
    """The next command is a flush, which is acknowledged; its values."""
    values = expect(producer, "flush")
    producer.commit(flush_request_id=values["request_id"])
    return values


def acknowledged():
    """A flush is true when all have acknowledged (PFT-10)."""
    producers, consumer = [source("one"), source("two")], Consumer()
    consumer.enable(config())
    ids = [started(producer)[0] for producer in producers]
    request = consumer.call("Flush", {"timeout_ms": 3600000, "flags": 0x24})
    asked = [acknowledge(producers[0])]
    assert consumer.reply(request, 0.1) is None
    asked.append(acknowledge(producers[1]))
    assert consumer.reply(request) == ({}, False)
    assert [a["data_source_ids"] for a in asked] == [[i] for i in ids]
    assert all(a["flags"] == 0x24 for a in asked), asked
    found = stats(consumer)
    assert (found["flushes_requested"], found["flushes_succeeded"]) == (1, 1), found


def nobody_to_flush():
    """Without producers it is true, without a session not."""
    consumer = Consumer()
    assert not consumer.flush()
    consumer.enable(config())
    assert consumer.flush()
    consumer.ask("DisableTracing")
    assert not consumer.flush()


def deaf_producer():
    """One that stops within a chunk: false after the time-out; what there is is there (PFT-70).

    It holds up nobody else (PFT-27).
    """
    good, deaf, consumer = source("good"), source("deaf"), Consumer()
    consumer.enable(config())
    buffer = started(good)[1]["target_buffer"]
    stopped = Writer(deaf, started(deaf)[1]["target_buffer"])
    for number in (7, 8):
        stopped.write(test_packet(number, 16))
    deaf.ask("Sync")
    request = consumer.call("Flush", {"timeout_ms": 200})
    write(good, buffer, [4])
    acknowledge(good)
    assert fails(consumer.reply, request)
    late = expect(deaf, "flush")
    deaf.commit(flush_request_id=late["request_id"])
    deaf.ask("Sync")
    found = stats(consumer)
    assert [found["flushes_" + how] for how in ("requested", "failed", "succeeded")] == [1, 1, 0]
    assert sorted(numbers(packets(consumer))) == [4, 7]


def several_pending():
    """Acknowledging one acknowledges those before it."""
    producer, consumer = source(), Consumer()
    consumer.enable(config())
    started(producer)
    requests = [consumer.call("Flush", {"timeout_ms": 3600000}) for _ in range(3)]
    ids = [expect(producer, "flush")["request_id"] for _ in requests]
    assert ids == sorted(ids)
    producer.commit(flush_request_id=ids[1])
    for request in requests[:2]:
        assert consumer.reply(request) == ({}, False)
    assert consumer.reply(requests[2], 0.1) is None
    found = stats(consumer)
    assert (found["flushes_requested"], found["flushes_succeeded"]) == (3, 2), found
    producer.commit(flush_request_id=ids[2])
    assert consumer.reply(requests[2]) == ({}, False)
    assert stats(consumer)["flushes_succeeded"] == 3


def too_many_pending():
    """A thousand may be under way, not more."""
    producer, consumer = source(), Consumer()
    consumer.enable(config())
    started(producer)
    requests = [consumer.call("Flush", {"timeout_ms": 3600000}) for _ in range(1001)]
    assert fails(consumer.reply, requests[-1])
    ids = [expect(producer, "flush")["request_id"] for _ in requests[:-1]]
    producer.commit(flush_request_id=ids[-1])
    for request in requests[:-1]:
        assert consumer.reply(request) == ({}, False)


def producer_gone():
    """One that goes away is not waited for, and what it wrote is taken (PFT-56)."""
    producer, consumer = source(), Consumer()
    consumer.enable(config())
    writer = Writer(producer, started(producer)[1]["target_buffer"])
    writer.write(test_packet(1, 16))
    writer.write(test_packet(2, 16))
    producer.ask("Sync")
    request = consumer.call("Flush", {"timeout_ms": 3600000})
    expect(producer, "flush")
    producer.close()
    assert consumer.reply(request) == ({}, False)
    # The last packet of a chunk that is not complete may be half of one.
    assert numbers(packets(consumer)) == [1]


def committed_and_gone():
    """What one has committed before it went is taken, though the service told it something first."""
    for call in ("DisableTracing", "Flush"):
        producer, consumer = source(offers=(), inline=True), Consumer()
        producer.register(SOURCE, will_notify_on_stop=True)
        consumer.enable(config())
        writer = Writer(producer, started(producer)[1]["target_buffer"])
        producer.ask("Sync")
        service = service_pid(consumer)
        os.kill(service, signal.SIGSTOP)
        request = consumer.call(call, {})
        writer.write(test_packet(1, 16))
        writer.flush()
        producer.close()
        os.kill(service, signal.SIGCONT)
        assert consumer.reply(request) == ({}, False)
        until(lambda state=consumer.state: not state().get("producers"))
        assert numbers(packets(consumer)) == [1], call
        consumer.close()


def not_scraped():
    """Without scraping it is not."""
    producer, consumer = source(scraping=2), Consumer()
    consumer.enable(config())
    writer = Writer(producer, started(producer)[1]["target_buffer"])
    writer.write(test_packet(1, 16))
    writer.write(test_packet(2, 16))
    producer.ask("Sync")
    producer.close()
    until(lambda: not consumer.state().get("producers"))
    assert numbers(packets(consumer)) == []


def no_flush():
    """Sources that have nothing to flush are not asked."""
    producer, consumer = Producer(), Consumer()
    producer.register("quiet", no_flush=True)
    producer.register("loud")
    consumer.enable(config(["quiet", "loud"]))
    made = {}
    for _ in range(2):
        number, its = started(producer)
        made[its["name"]] = number
    request = consumer.call("Flush", {"timeout_ms": 3600000})
    assert acknowledge(producer)["data_source_ids"] == [made["loud"]]
    assert consumer.reply(request) == ({}, False)


def periodic():
    """Flushes and cleared states by themselves (PFT-72, PFT-58)."""
    producer, consumer = Producer(), Consumer()
    producer.register(SOURCE, handles_incremental_state_clear=True)
    consumer.enable(config(flush_period_ms=50, incremental_state_config={"clear_period_ms": 50}))
    number = started(producer)[0]
    flushes, clears = 0, 0
    while flushes < 2 or clears < 2:
        name, values = producer.command()
        if name == "flush":
            assert values["flags"] == 0x11, values
            flushes += 1
            producer.commit(flush_request_id=values["request_id"])
        else:
            assert name == "clear_incremental_state", name
            assert values["data_source_ids"] == [number]
            clears += 1
    consumer.ask("DisableTracing")
    consumer.ended()
    found = stats(consumer)
    assert found["flushes_requested"] >= found["flushes_succeeded"] >= 1, found


def timed():
    """duration_ms: a flush, then the end, by itself (PFT-71, PFT-74)."""
    producer, consumer = source(), Consumer()
    consumer.enable(config(duration_ms=50))
    number, made = started(producer)
    assert made["trace_duration_ms"] == 50
    writer = Writer(producer, made["target_buffer"])
    writer.write(test_packet(3, 16))
    values = expect(producer, "flush")
    assert values["flags"] == 0x12, values
    writer.end()
    producer.commit(flush_request_id=values["request_id"])
    assert expect(producer, "stop_data_source") == {"instance_id": number}
    assert consumer.ended()["disabled"]
    assert numbers(packets(consumer)) == [3]
    assert stats(consumer)["final_flush_outcome"] == 1


def timed_and_deaf():
    """The same with a deaf producer: it ends, and says so."""
    producer, consumer = source(), Consumer()
    consumer.enable(config(duration_ms=20, flush_timeout_ms=50))
    started(producer)
    assert consumer.ended()["disabled"]
    assert stats(consumer)["final_flush_outcome"] == 2
    assert "last_flush_slow_data_sources" in events(packets(consumer))


def into_file():
    """The service writes the file; ReadBuffers gives nothing (PFT-12, PFT-73)."""
    producer, consumer, path = source(), Consumer(), os.path.abspath("t.pftrace")
    consumer.enable(config(write_into_file=True, output_path=path, file_write_period_ms=100))
    buffer = started(producer)[1]["target_buffer"]
    writer = write(producer, buffer, range(5))
    until(lambda: numbers(read_file(path)) == list(range(5)))
    assert packets(consumer) == []
    for number in range(5, 9):
        writer.write(test_packet(number, 16))
    writer.flush()
    producer.ask("Sync")
    consumer.ask("DisableTracing")
    assert consumer.ended()["disabled"]
    found = read_file(path)
    assert numbers(found) == list(range(9))
    assert any("trace_stats" in p for p in found)
    assert packets(consumer) == []


def into_descriptor():
    """The same into a descriptor; what is in the file before stays."""
    producer, consumer = source(), Consumer()
    with open("t.pftrace", "wb+") as file:
        request = consumer.call("EnableTracing", {"trace_config": config(write_into_file=True)},
                                fds=[file.fileno()])
    consumer.enabled = request
    write(producer, started(producer)[1]["target_buffer"], range(5))
    consumer.ask("DisableTracing")
    assert consumer.ended()["disabled"]
    assert numbers(read_file("t.pftrace")) == list(range(5))


def full_file():
    """At max_file_size_bytes the last packet is whole, and the session ends."""
    producer, consumer, path = source(), Consumer(), os.path.abspath("t.pftrace")
    consumer.enable(config(write_into_file=True, output_path=path, file_write_period_ms=100,
                           max_file_size_bytes=20000))
    write(producer, started(producer)[1]["target_buffer"], range(100), 1000)
    assert consumer.ended()["disabled"]
    assert 18000 < os.path.getsize(path) <= 20000, os.path.getsize(path)
    found = read_file(path)
    assert numbers(found) == list(range(len(numbers(found)))) and len(found) > 10, found
    said = found[-1]["trace_stats"]
    assert said["file_is_full"] and said["buffer_stats"] and said["writer_stats"], said
    assert stats(consumer)["file_is_full"]


def full_at_the_end():
    """So it is with a file that the last packets fill; one that they fit into is not full."""
    for number, size, is_full in ((3, 20000, None), (100, 20000, True)):
        producer, consumer, path = source(), Consumer(), os.path.abspath(f"t{number}")
        consumer.enable(config(write_into_file=True, output_path=path,
                               file_write_period_ms=DAY_MS, max_file_size_bytes=size))
        write(producer, started(producer)[1]["target_buffer"], range(number), 1000)
        consumer.ask("DisableTracing")
        assert consumer.ended()["disabled"]
        assert os.path.getsize(path) <= size, os.path.getsize(path)
        found = read_file(path)
        assert numbers(found) == list(range(len(numbers(found)))) and len(found) > 3, found
        assert found[-1]["trace_stats"].get("file_is_full") == is_full, found[-1]
        producer.close()


def full_with_many():
    """Statistics of more writers, or buffers, than there is room for do not exceed the limit."""
    for limit in (1000, 5000, 60000):
        producer, consumer, path = source(), Consumer(), os.path.abspath(f"t{limit}")
        consumer.enable(config(buffers=[{"size_kb": 1024}] + [{"size_kb": 4}] * 15,
                               write_into_file=True, output_path=path, file_write_period_ms=DAY_MS,
                               max_file_size_bytes=limit))
        buffer = started(producer)[1]["target_buffer"]
        for _ in range(60):
            write(producer, buffer, range(10), 200)
        consumer.ask("DisableTracing")
        assert consumer.ended()["disabled"]
        assert os.path.getsize(path) <= limit, os.path.getsize(path)
        last = read_file(path)[-1].get("trace_stats", {})
        assert len(last.get("buffer_stats", ())) == 16 or limit < 60000, last
        assert last.get("file_is_full") or limit < 60000, last
        producer.close()


def compressed_full_file():
    """So it is with packets that are compressed: as many as there is room for."""
    producer, consumer, path = source(), Consumer(), os.path.abspath("t.pftrace")
    consumer.enable(config(buffers=[{"size_kb": 4096}], write_into_file=True, output_path=path,
                           file_write_period_ms=100, max_file_size_bytes=200000,
                           compression={"deflate": {}}))
    writer = Writer(producer, started(producer)[1]["target_buffer"])
    for number in range(1000):
        writer.write(encode("TracePacket", {"for_testing": {
            "seq_value": number, "str": os.urandom(500).hex()}}))
    writer.flush()
    assert consumer.ended()["disabled"]
    assert 180000 < os.path.getsize(path) <= 200000, os.path.getsize(path)
    inner = [packet for p in read_file(path) for packet in
             decode("Trace", zlib.decompress(p["compressed_packets"])).get("packet", [])]
    found = numbers(inner)
    assert found == list(range(len(found))) and len(found) > 100, found
    assert inner[-1]["trace_stats"]["file_is_full"], inner[-1]


def flush_beside_writes():
    """flush_period_ms counts for a session in a file, whenever that is written (PFT-72)."""
    for mode in (0, 3):     # not said, before each write
        producer, consumer = source(), Consumer()
        consumer.enable(config(write_into_file=True, output_path=os.path.abspath(f"t{mode}"),
                               file_write_period_ms=DAY_MS, write_flush_mode=mode,
                               flush_period_ms=50))
        started(producer)
        for _ in range(3):
            acknowledge(producer)
        consumer.ask("FreeBuffers")
        producer.close()


def flush_before_write():
    """write_flush_mode ENABLED: a flush before each write."""
    producer, consumer, path = source(), Consumer(), os.path.abspath("t.pftrace")
    consumer.enable(config(write_into_file=True, output_path=path, file_write_period_ms=100,
                           write_flush_mode=3))
    writer = Writer(producer, started(producer)[1]["target_buffer"])
    writer.write(test_packet(1, 16))
    values = expect(producer, "flush")
    assert values["flags"] == 0x11
    writer.end()
    producer.commit(flush_request_id=values["request_id"])
    until(lambda: numbers(read_file(path)) == [1])


def seldom_written():
    """A file_write_period_ms below 100 is 100."""
    producer, consumer, path = source(), Consumer(), os.path.abspath("t.pftrace")
    began = time.monotonic()
    consumer.enable(config(write_into_file=True, output_path=path, file_write_period_ms=1,
                           write_flush_mode=3))
    started(producer)
    for _ in range(4):
        acknowledge(producer)
    # However late they are: four of them take no less than three periods.
    assert time.monotonic() - began > 0.28


def overwritten_meanwhile():
    """What was overwritten between two writes is told in the file (PFT-73)."""
    producer, consumer, path = source(), Consumer(), os.path.abspath("t.pftrace")
    consumer.enable(config(buffers=[{"size_kb": 16}], write_into_file=True, output_path=path,
                           file_write_period_ms=3600000))
    write(producer, started(producer)[1]["target_buffer"], range(50), 1000)
    consumer.ask("DisableTracing")
    assert consumer.ended()["disabled"]
    found = [p for p in read_file(path) if "for_testing" in p]
    assert numbers(found) == list(range(50 - len(found), 50)) and 1 < len(found) < 20, len(found)
    lost = [p.get("previous_packet_dropped", 0) for p in found]
    assert lost[0] & 64 and not any(lost[1:]), lost
    assert stats(consumer)["buffer_stats"][0]["chunks_overwritten"]


def compressed_file():
    """A file of packets that are filtered and compressed, written in several parts."""
    producer, consumer, path = source(), Consumer(), os.path.abspath("t.pftrace")
    # Of a packet its test event, of that the number
    code = bytecode(1 << 3 | 3, 1, 0, 900 << 3 | 3, 2, 0, 2 << 3 | 1, 0)
    consumer.enable(config(write_into_file=True, output_path=path, file_write_period_ms=100,
                           compression={"deflate": {}}, trace_filter={"bytecode": code}))
    buffer = started(producer)[1]["target_buffer"]
    for part in range(3):
        write(producer, buffer, range(10 * part, 10 * part + 10), 100)
        size = os.path.getsize(path)
        until(lambda: os.path.getsize(path) > size)
    consumer.ask("DisableTracing")
    assert consumer.ended()["disabled"]
    parts = [decode("Trace", zlib.decompress(p["compressed_packets"])).get("packet", [])
             for p in read_file(path)]
    found = [p for part in parts for p in part]
    assert len(parts) > 3 and numbers(found) == list(range(30)), (len(parts), numbers(found))
    assert not any(set(p.get("for_testing", ())) - {"seq_value"} for p in found), found


def detached():
    """A session outlives its consumer; attached again it is stopped (PFT-84)."""
    producer, consumer, path = source(), Consumer(), os.path.abspath("t.pftrace")
    consumer.enable(config(write_into_file=True, output_path=path))
    buffer = started(producer)[1]["target_buffer"]
    consumer.ask("Detach", {"key": "k"})
    other = Consumer()
    other.enable(config(write_into_file=True, output_path=path + "2"))
    assert fails(other.ask, "Detach", {"key": "k"})
    assert fails(other.ask, "Attach", {"key": "k"})
    other.close()
    consumer.close()
    write(producer, buffer, range(4))
    again = Consumer()
    assert fails(again.ask, "Attach", {"key": "other"})
    reply = again.ask("Attach", {"key": "k"})
    assert reply["trace_config"]["output_path"] == path
    again.enabled = again.call("EnableTracing", {"attach_notification_only": True})
    assert fails(Consumer().ask, "Attach", {"key": "k"})
    again.ask("DisableTracing")
    assert again.ended()["disabled"]
    assert numbers(read_file(path)) == list(range(4))
    again.ask("FreeBuffers")


def detach_needs_file():
    """A session in memory is not detached: nobody could read it."""
    consumer = Consumer()
    consumer.enable(config())
    assert fails(consumer.ask, "Detach", {"key": "k"})
    assert consumer.state(True)["num_sessions"] == 1


def detached_ends():
    """A detached session with a duration ends by itself, with its file complete."""
    producer, consumer, path = source(), Consumer(), os.path.abspath("t.pftrace")
    consumer.enable(config(write_into_file=True, output_path=path, duration_ms=300,
                           write_flush_mode=2))
    buffer = started(producer)[1]["target_buffer"]
    consumer.ask("Detach", {"key": "k"})
    consumer.close()
    writer = Writer(producer, buffer)
    writer.write(test_packet(1, 16))
    values = expect(producer, "flush")
    writer.end()
    producer.commit(flush_request_id=values["request_id"])
    expect(producer, "stop_data_source")
    other = Consumer()
    until(lambda: not other.state(True).get("num_sessions"))
    assert numbers(read_file(path)) == [1]
    assert any("trace_stats" in p for p in read_file(path))


def detached_waits():
    """A detached session waits for its sources as others do; the last packets are in the file."""
    producer, consumer, path = Producer(), Consumer(), os.path.abspath("t.pftrace")
    producer.register(SOURCE, will_notify_on_stop=True)
    consumer.enable(config(write_into_file=True, output_path=path, duration_ms=100,
                           write_flush_mode=2))
    number, made = started(producer)
    consumer.ask("Detach", {"key": "k"})
    values = expect(producer, "flush")
    producer.commit(flush_request_id=values["request_id"])
    expect(producer, "stop_data_source")
    write(producer, made["target_buffer"], [1])
    producer.ask("NotifyDataSourceStopped", {"data_source_id": number})
    until(lambda: not consumer.state(True).get("num_sessions"))
    assert numbers(read_file(path)) == [1]


def detached_starts():
    """That all sources have started is told in the file of a detached session as well (PFT-86)."""
    producer, consumer, path = Producer(), Consumer(), os.path.abspath("t.pftrace")
    producer.register(SOURCE, will_notify_on_start=True)
    consumer.enable(config(write_into_file=True, output_path=path))
    number = started(producer)[0]
    consumer.ask("Detach", {"key": "k"})
    producer.ask("NotifyDataSourceStarted", {"data_source_id": number})
    consumer.ask("Attach", {"key": "k"})
    consumer.ask("DisableTracing")
    assert consumer.ended()["disabled"]
    assert "all_data_sources_started" in events(read_file(path))


def detached_is_full():
    """A detached session whose file is full ends, and leaves its place to others."""
    producer, consumer, path = source(), Consumer(), os.path.abspath("t.pftrace")
    consumer.enable(config(write_into_file=True, output_path=path, max_file_size_bytes=4096,
                           file_write_period_ms=100))
    buffer = started(producer)[1]["target_buffer"]
    consumer.ask("Detach", {"key": "k"})
    write(producer, buffer, range(100), size=200)
    until(lambda: not consumer.state(True).get("num_sessions"))
    assert os.path.getsize(path) <= 4096


def over_and_forgotten():
    """A session that is over when it is detached waits a minute for somebody to attach."""
    consumer, path = Consumer(), os.path.abspath("t.pftrace")
    consumer.enable(config(write_into_file=True, output_path=path))
    consumer.ask("DisableTracing")
    consumer.ended()
    consumer.ask("Detach", {"key": "k"})
    until(lambda: not consumer.state(True)["num_sessions"], 120)


def attached_too_late():
    """Who attaches to a session that is over is told so."""
    consumer, path = Consumer(), os.path.abspath("t.pftrace")
    consumer.enable(config(write_into_file=True, output_path=path))
    consumer.ask("DisableTracing")
    consumer.ended()
    for is_first in (False, True):
        consumer.ask("Detach", {"key": "k"})
        consumer = Consumer()
        if is_first:
            consumer.enabled = consumer.call("EnableTracing", {"attach_notification_only": True})
        consumer.ask("Attach", {"key": "k"})
        if not is_first:
            consumer.enabled = consumer.call("EnableTracing", {"attach_notification_only": True})
        assert consumer.ended()["disabled"]


if __name__ == "__main__":
    main(globals())
