#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""cases_data.py CASE... - data from chunk to reader: its owner, its order, its metadata"""

import os
import resource
import signal
import time

from case import (bytecode, config, events, expect, main, numbers, packets, service_pid, source,
                  started, until, write)
from consumer import Consumer
from producer import Writer, test_packet
from wire import encode, padded, trace_of

# At it a reader of a damaged trace goes on.
MARK = bytes.fromhex("82477a76b28d42ba81dc33326d57a079")
BOOTTIME = 6
DAY_MS = 24 * 3600 * 1000


def statistics(consumer):
    """Of the session."""
    return consumer.ask("GetTraceStats")["trace_stats"]


def buffer_statistics(consumer):
    """Of its first buffer."""
    return statistics(consumer)["buffer_stats"][0]


def memories_apart():
    """No two producers share memory (PFT-05)."""
    producers, consumer = [source(name) for name in ("one", "two")], Consumer()
    consumer.enable(config())
    for producer in producers:
        started(producer)
    assert len({os.fstat(p.memory.fd).st_ino for p in producers}) == 2


def same_numbers():
    """Writer and chunk have the numbers of another producer's: both keep what they have (PFT-09)."""
    mine, other, consumer = source("mine"), source("other"), Consumer()
    consumer.enable(config())
    buffer, same = (started(p)[1]["target_buffer"] for p in (mine, other))
    assert buffer == same
    writer, forger = Writer(mine, buffer, number=1), Writer(other, buffer, number=1)
    hole = writer.write_with_hole(test_packet(5, 400), 300, 100)
    mine.commit()
    mine.ask("Sync")
    forger.patch(hole[0], hole[1], b"evil")
    other.commit()
    forger.write(test_packet(7, 16))
    forger.flush()
    other.ask("UnregisterTraceWriter", {"trace_writer_id": 1})
    assert numbers(packets(consumer)) == [7]
    found = buffer_statistics(consumer)
    assert (found["patches_succeeded"], found["patches_failed"]) == (0, 1), found
    assert not found["abi_violations"], found
    writer.patch(*hole)
    mine.commit()
    mine.ask("Sync")
    assert [p["for_testing"]["str"] for p in packets(consumer) if "for_testing" in p] == ["f" * 400]


def order_in_a_request():
    """Chunks, then their patches, then the acknowledgement, however they are sent (PFT-40)."""
    producer, consumer = source(), Consumer()
    consumer.enable(config())
    buffer = started(producer)[1]["target_buffer"]
    writer = Writer(producer, buffer)
    writer.write(test_packet(1, 16))
    writer.end()
    missing = producer.moves.pop()
    writer.write(test_packet(2, 16))
    writer.flush()
    writer.patch(*writer.write_with_hole(test_packet(3, 400), 300, 100))
    request = consumer.call("Flush", {"timeout_ms": 3600000})
    values = expect(producer, "flush")
    producer.moves.append(missing)
    parts = [{"flush_request_id": values["request_id"]}, {"chunks_to_patch": producer.patches},
             {"chunks_to_move": producer.moves}]
    args = b"".join(encode("CommitDataRequest", part) for part in parts)
    producer.reply(producer.call_bytes("CommitData", args))
    assert consumer.reply(request) == ({}, False)
    found = [p for p in packets(consumer) if "for_testing" in p]
    assert numbers(found) == [1, 2, 3], found
    assert found[2]["for_testing"]["str"] == "d" * 400
    # An acknowledgement that counts before the chunks makes the gap a loss.
    assert not any(p.get("previous_packet_dropped") for p in found[1:]), found


def told_by_writer():
    """What a writer says of packets that it had no room for is told beside other losses (PFT-55)."""
    producer, consumer = source(), Consumer()
    consumer.enable(config(buffers=[{"size_kb": 16}]))
    writer = Writer(producer, started(producer)[1]["target_buffer"])
    for count, lost in ((1, 1 | 256), (50, 1 | 64 | 256)):
        for number in range(count):
            writer.write(encode("TracePacket", {"previous_packet_dropped": 1 | 256, "for_testing": {
                "seq_value": number, "str": "x" * 1000}}))
        writer.flush()
        producer.ask("Sync")
        told = [p["previous_packet_dropped"] for p in packets(consumer) if "for_testing" in p]
        assert told[0] == lost and set(told[1:]) <= {1 | 256}, told


def buffers_in_turn():
    """A buffer that is small, or slowly filled, does not wait for one that has very much (PFT-60)."""
    producer, consumer = source(offers=("a", "b")), Consumer()
    consumer.enable(config(["a", {"name": "b", "target_buffer": 1}],
                           [{"size_kb": 4096}, {"size_kb": 64}]))
    large, small = (started(producer)[1]["target_buffer"] for _ in range(2))
    write(producer, large, range(1, 2001), 1000)
    write(producer, small, [0])
    found = numbers(packets(consumer))
    assert sorted(found) == list(range(2001))
    assert found.index(0) < 1000, found.index(0)


def copied_from_the_start():
    """A copy of what nobody has read has its events and triggers, and so has the original (PFT-86)."""
    producer, consumer, clone = source(), Consumer(), Consumer()
    consumer.enable(config(flush_timeout_ms=50, trigger_config={
        "trigger_mode": 2, "trigger_timeout_ms": DAY_MS,
        "triggers": [{"name": "halt", "stop_delay_ms": DAY_MS}]}))
    started(producer)
    producer.ask("ActivateTriggers", {"trigger_names": ["halt"]})
    assert clone.clone("1")["success"]
    for reader in (clone, consumer):
        found = packets(reader)
        assert events(found)[:2] == ["tracing_started", "all_data_sources_started"], events(found)
        assert [p["trigger"]["trigger_name"] for p in found if "trigger" in p] == ["halt"]
        times = [c["timestamp"] for p in found for c in p.get("clock_snapshot", {}).get("clocks", ())
                 if c["clock_id"] == BOOTTIME]
        assert times and times == sorted(times), times


def inline():
    """Chunks come as bytes, in messages, from a producer without memory (PFT-23)."""
    producer, consumer = source(), Consumer()
    consumer.enable(config())
    buffer = started(producer)[1]["target_buffer"]
    producer.memory, producer.inline = None, True
    write(producer, buffer, range(2000), 100)
    found = [p for p in packets(consumer) if "for_testing" in p]
    assert numbers(found) == list(range(2000))
    assert all(len(p["for_testing"]["str"]) == 100 for p in found)


def half_written(producer, buffer):
    """A writer with two packets, of which nothing is committed."""
    writer = Writer(producer, buffer)
    for number in (1, 2):
        writer.write(test_packet(number, 16))
    producer.ask("Sync")
    return writer


def scraped_at_flush():
    """A flush takes what is not committed; what comes later is not given twice (PFT-56)."""
    producer, consumer = source(), Consumer()
    consumer.enable(config())
    writer = half_written(producer, started(producer)[1]["target_buffer"])
    request = consumer.call("Flush", {"timeout_ms": 3600000})
    producer.commit(flush_request_id=expect(producer, "flush")["request_id"])
    assert consumer.reply(request) == ({}, False)
    assert numbers(packets(consumer)) == [1]
    writer.write(test_packet(3, 16))
    writer.flush()
    producer.ask("Sync")
    assert numbers(packets(consumer)) == [2, 3]
    found = buffer_statistics(consumer)
    assert found["chunks_rewritten"] + found["chunks_relocated"] == 1, found


def scraped_at_end():
    """So does the end of the session."""
    producer, consumer = source(), Consumer()
    consumer.enable(config())
    half_written(producer, started(producer)[1]["target_buffer"])
    consumer.ask("DisableTracing")
    assert consumer.ended()["disabled"]
    assert numbers(packets(consumer)) == [1]


def unregistered_writer():
    """A number that was given back is that of another writer, of any buffer (PFT-16, PFT-36)."""
    producer, consumer = source(offers=("a", "b")), Consumer()
    consumer.enable(config(["a", {"name": "b", "target_buffer": 1}],
                           [{"size_kb": 64}, {"size_kb": 64}]))
    first, second = (started(producer)[1]["target_buffer"] for _ in range(2))
    for number, buffer in enumerate((first, second, first)):
        writer = Writer(producer, buffer, number=1)
        writer.write(test_packet(number, 16))
        writer.close()
        producer.ask("Sync")
    found = [p for p in packets(consumer) if "for_testing" in p]
    assert sorted(numbers(found)) == [0, 1, 2]
    assert statistics(consumer)["chunks_discarded"] == 0
    # Each of them is the first of its writer, and says that it knows of none before it.
    assert [p.get("previous_packet_dropped") for p in found] == [1, 1, 1], found


def marks():
    """Marks come again and again, as they are known to readers (PFT-59)."""
    consumer, seen = Consumer(), []
    consumer.enable(config(builtin_data_sources={"snapshot_interval_ms": 10}))

    def have_come_again():
        seen.extend(p["synchronization_marker"] for p in packets(consumer)
                    if "synchronization_marker" in p)
        return len(seen) >= 3

    until(have_come_again)
    assert set(seen) == {MARK}, seen


def own_events():
    """All that happens to a session is told once, in its order and with its time (PFT-86)."""
    producer, consumer = source(), Consumer()
    consumer.enable(config())
    started(producer)
    request = consumer.call("Flush", {"timeout_ms": 3600000})
    producer.commit(flush_request_id=expect(producer, "flush")["request_id"])
    consumer.reply(request)
    consumer.ask("DisableTracing")
    consumer.ended()
    found = [p for p in packets(consumer) if "service_event" in p]
    assert events(found) == [
        "tracing_started", "all_data_sources_started", "flush_started",
        "all_data_sources_flushed", "tracing_disabled", "read_tracing_buffers_completed"], found
    times = [p["timestamp"] for p in found]
    assert times == sorted(times) and {p["timestamp_clock_id"] for p in found} == {BOOTTIME}


def given_uuid():
    """A trace has the identity that its configuration gives it."""
    consumer = Consumer()
    consumer.enable(config(trace_uuid_msb=-5, trace_uuid_lsb=1 << 60))
    uuid = next(p["trace_uuid"] for p in packets(consumer) if "trace_uuid" in p)
    assert uuid == {"msb": -5, "lsb": 1 << 60}, uuid


def machines():
    """Sources of this machine, and of none that is not here."""
    producer, consumer = source(offers=("here", "there")), Consumer()
    wanted = config(["there", "here"])
    for row, name in zip(wanted["data_sources"], ("other", "host")):
        row["machine_name_filter"] = [name]
    consumer.enable(wanted)
    assert started(producer)[1]["name"] == "here"
    assert producer.command(0.1) is None


def filtered():
    """Of each packet only what is allowed comes out, and the rest is counted (E.7, E.12)."""
    def nested(number, message):
        return [number << 3 | 3, message]

    producer, consumer = source(), Consumer()
    # Of a packet its time and test event, of that the number
    code = bytecode(*nested(1, 1), 0, 8 << 3 | 1, *nested(900, 2), 0, 2 << 3 | 1, 0)
    consumer.enable(config(trace_filter={"bytecode": code}))
    write(producer, started(producer)[1]["target_buffer"], range(20), 100)
    found = packets(consumer)
    tests = [p for p in found if "for_testing" in p]
    assert len(tests) == 20 and not any("str" in p["for_testing"] for p in tests), tests
    assert all("timestamp" in p for p in tests), tests
    assert not any("trace_config" in p or "service_event" in p for p in found), found
    stats = statistics(consumer)["filter_stats"]
    assert stats["input_packets"] >= 20 and not stats["errors"], stats
    lost = stats["bytes_discarded_per_buffer"]
    assert len(lost) == 1 and 2000 <= lost[0] <= stats["input_bytes"] - stats["output_bytes"], stats


def counted():
    """What there is of producers, sources, sessions and buffers, and what there was (E.12)."""
    gone, consumer, other = source("gone", ("a", "b")), Consumer(), Consumer()
    gone.close()
    until(lambda: not consumer.state().get("producers"))
    producer = source(offers=("c",))
    consumer.enable(config(["c"], [{"size_kb": 64}, {"size_kb": 64}]))
    other.enable(config(["c"]))
    writer = write(producer, started(producer)[1]["target_buffer"], range(9), 50)
    stats = statistics(consumer)
    counts = {name: stats[name] for name in (
        "producers_connected", "producers_seen", "data_sources_registered", "data_sources_seen",
        "tracing_sessions", "total_buffers")}
    assert list(counts.values()) == [1, 2, 1, 3, 2, 3], counts
    row = stats["writer_stats"]
    assert len(row) == 1 and row[0]["buffer"] == 0, row
    assert sum(row[0]["chunk_payload_histogram_counts"]) == writer.chunk_id
    mine = [p for p in packets(consumer) if "for_testing" in p]
    assert {p["trusted_packet_sequence_id"] for p in mine} == {row[0]["sequence_id"]}, row


def interned_ring():
    """Names are told now and then, packets have numbers for them; the ring goes round (PFT-58)."""
    producer, consumer, found = source(), Consumer(), []
    consumer.enable(config(buffers=[{"size_kb": 16}]))
    writer = Writer(producer, started(producer)[1]["target_buffer"])
    # Read in between: a consumer that reads on has earlier names.
    for turns in (range(3), range(3, 40)):
        for turn in turns:
            writer.write(encode("TracePacket", {"sequence_flags": 1, "interned_data": {
                "event_names": [{"iid": 1, "name": f"name{turn}"}]}}))
            # A chunk begins with events whose name is in the chunk before, whatever the sizes are:
            # timestamps grow by a byte when the machine has run for 73 minutes.
            writer.end()
            for _ in range(20):
                writer.write(encode("TracePacket", {
                    "timestamp": time.clock_gettime_ns(time.CLOCK_BOOTTIME), "sequence_flags": 2,
                    "track_event": {"type": 3, "name_iid": 1, "categories": ["c"],
                                    "debug_annotations": [{"name": "turn", "uint_value": turn}]}}))
        writer.flush()
        producer.ask("Sync")
        found += consumer.read()
    assert buffer_statistics(consumer)["chunks_overwritten"]
    with open("ring.pftrace", "wb") as file:
        file.write(trace_of(found))


def set_by(seconds):
    """The machine's wall clock, by so much."""
    time.clock_settime(time.CLOCK_REALTIME, time.time() + seconds)


def stepped():
    """A snapshot of the clocks comes when one was set, and only then (PFT-91)."""
    consumer, marks, offsets = Consumer(), 0, []
    consumer.enable(config(builtin_data_sources={"snapshot_interval_ms": 10}))
    for step in (0, 3600, -7200, 3600):
        set_by(step)
        marks = 0
        while marks < 3 or len(offsets) < 1:
            for packet in packets(consumer):
                marks += "synchronization_marker" in packet
                at = {c["clock_id"]: c["timestamp"] for c in
                      packet.get("clock_snapshot", {}).get("clocks", ())}
                if at:
                    offsets.append((at[1] - at[BOOTTIME]) / 1e9)
    steps = [round(after - before) for before, after in zip(offsets, offsets[1:])]
    assert [step for step in steps if step] == [3600, -7200, 3600], steps


def room_of(pid):
    """Bytes of addresses that a process uses."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def no_memory():
    """A packet that there is no memory for is counted, and the next one tells it."""
    producer, consumer = source(), Consumer()
    consumer.enable(config(buffers=[{"size_kb": 16384}]))
    writer = Writer(producer, started(producer)[1]["target_buffer"])
    # A packet is put together in twice its size, and sent from a power of two that it fits into.
    sizes = [16, 1200000, 16, 2200000, 16, 4000000, 16]
    for number, size in enumerate(sizes):
        writer.write(test_packet(number, size))
        if size == 1200000:
            writer.flush()
            producer.ask("Sync")
            assert numbers(packets(consumer)) == [0, 1]
    writer.flush()
    producer.ask("Sync")
    service = service_pid(consumer)
    limits = resource.prlimit(service, resource.RLIMIT_AS)
    resource.prlimit(service, resource.RLIMIT_AS, (room_of(service) + (512 << 10), limits[1]))
    found = [p for p in packets(consumer) if "for_testing" in p]
    resource.prlimit(service, resource.RLIMIT_AS, limits)
    assert numbers(found) == [2, 4, 6], numbers(found)
    assert [p.get("previous_packet_dropped", 0) for p in found] == [0, 1, 1], found
    assert statistics(consumer)["packets_lost"] == 2, statistics(consumer)
    clone = Consumer()
    assert clone.clone("1")["success"]
    assert statistics(clone)["packets_lost"] == 2, statistics(clone)
    clone.ask("FreeBuffers")
    consumer.ask("FreeBuffers")


def no_memory_for_many():
    """Others have their turn behind a packet that there is no memory for, not behind all of them."""
    producer, consumer = source(), Consumer()
    consumer.enable(config(buffers=[{"size_kb": 16384}]))
    write(producer, started(producer)[1]["target_buffer"], range(8), 1200000)
    service = service_pid(consumer)
    limits = resource.prlimit(service, resource.RLIMIT_AS)
    resource.prlimit(service, resource.RLIMIT_AS, (room_of(service) + (512 << 10), limits[1]))
    os.kill(service, signal.SIGSTOP)
    consumer.call("ReadBuffers")
    stats = consumer.call("GetTraceStats")
    os.kill(service, signal.SIGCONT)
    lost = consumer.reply(stats)[0]["trace_stats"]["packets_lost"]
    resource.prlimit(service, resource.RLIMIT_AS, limits)
    assert lost == 1, lost


def no_memory_for_file():
    """So it is where the packets go into a file: each that is lost leaves time to free memory."""
    producer, consumer, count = source(), Consumer(), 20
    consumer.enable(config(buffers=[{"size_kb": 32768}], write_into_file=True,
                           output_path=os.path.abspath("t"), write_flush_mode=2,
                           file_write_period_ms=24 * 3600 * 1000))
    write(producer, started(producer)[1]["target_buffer"], range(count), 1200000)
    service = service_pid(consumer)
    limits = resource.prlimit(service, resource.RLIMIT_AS)
    resource.prlimit(service, resource.RLIMIT_AS, (room_of(service) + (512 << 10), limits[1]))
    began = time.monotonic()
    consumer.ask("DisableTracing")
    assert consumer.ended()["disabled"]
    took = time.monotonic() - began
    resource.prlimit(service, resource.RLIMIT_AS, limits)
    assert statistics(consumer)["packets_lost"] == count, statistics(consumer)
    assert took >= 0.01 * (count - 1), took


def invalid_turns():
    """Others have their turn while very many packets are found to be invalid."""
    producer, consumer = source(page_size=32768, shm_size=32 << 20), Consumer()
    consumer.enable(config(buffers=[{"size_kb": 65536}]))
    writer = Writer(producer, started(producer)[1]["target_buffer"])
    for _ in range(1900):
        writer.begin()
        writer.chunk.put(0, (padded(12) + 12 * b"\xff") * 1000)
        writer.count = 1000
        writer.end()
    writer.flush()
    producer.ask("Sync")
    read, early = consumer.call("ReadBuffers"), consumer.call("GetTraceStats")
    assert consumer.reply(early)[0]["trace_stats"]["invalid_packets"] < 1900000
    while consumer.reply(read)[1]:
        pass
    assert statistics(consumer)["invalid_packets"] == 1900000, statistics(consumer)


def phase(period):
    """How far the day's time is behind a multiple of the period, in seconds."""
    return time.time() % period


def aligned():
    """Periodic flushes of all sessions are at the same times: multiples of the period (PFT-72)."""
    producer, consumer, period, phases = source(), Consumer(), 1, []
    time.sleep((period * 1.5 - phase(period)) % period)
    consumer.enable(config(flush_period_ms=period * 1000))
    started(producer)
    # One that is not late shows it: if they counted from the start, none would come so early.
    while not phases or min(phases) > 0.4:
        values = expect(producer, "flush")
        phases.append(phase(period))
        producer.commit(flush_request_id=values["request_id"])
        assert len(phases) < 5, phases


if __name__ == "__main__":
    main(globals())
