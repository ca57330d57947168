#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""cases_trigger.py CASE... - triggers, clones, events that consumers observe, queries"""

import os
import struct
import subprocess
import zlib

from case import (DEAR, LONG, SOURCE, config, events, expect, fails, main, numbers, packets, source,
                  started, until, write)
from consumer import Consumer
from producer import Producer, Writer, test_packet
from wire import decode

START, STOP, CLONE = 1, 2, 4
FOREVER = 3600000


def triggered(mode, triggers, timeout=FOREVER, **more):
    """A configuration with triggers."""
    return config(trigger_config={"trigger_mode": mode, "trigger_timeout_ms": timeout,
                                  "triggers": triggers}, **more)


def fire(producer, *names):
    """And the service has heard of it."""
    producer.ask("ActivateTriggers", {"trigger_names": list(names)})


def hits(found):
    """Triggers that the trace has."""
    return [p["trigger"]["trigger_name"] for p in found if "trigger" in p]


def starts():
    """START_TRACING: nothing until the trigger, then its delay (PFT-80)."""
    producer, consumer = source("p"), Consumer()
    consumer.enable(triggered(START, [{"name": "go", "stop_delay_ms": 100}]))
    expect(producer, "setup_tracing")
    expect(producer, "setup_data_source")
    fire(producer, "other")
    assert producer.command(0.1) is None
    fire(producer, "go")
    made = expect(producer, "start_data_source")["config"]
    write(producer, made["target_buffer"], [1])
    values = expect(producer, "flush")
    producer.commit(flush_request_id=values["request_id"])
    assert consumer.ended()["disabled"]
    found = packets(consumer)
    assert numbers(found) == [1] and hits(found) == ["go"]
    # Readers take a clock that goes back for broken.
    times = [c["timestamp"] for p in found for c in p.get("clock_snapshot", {}).get("clocks", ())
             if c["clock_id"] == 6]
    assert times and times == sorted(times), times
    hit = next(p for p in found if "trigger" in p)
    assert hit["trigger"]["producer_name"] == "p" and hit["trigger"]["stop_delay_ms"] == 100


def starts_several():
    """Several triggers at once, for several sessions: each has those that are its own."""
    producer, consumers = source(), [Consumer(), Consumer(), Consumer()]
    for consumer, names in zip(consumers, ("a", "b", "ab")):
        consumer.enable(triggered(START, [{"name": name, "stop_delay_ms": FOREVER}
                                          for name in names]))
    fire(producer, "b")
    fire(producer, "b", "other", "a")
    for consumer, wanted in zip(consumers, (["a"], ["b", "b"], ["b", "b", "a"])):
        found = hits(packets(consumer))
        assert found == wanted, found


def starts_never():
    """Without a trigger it ends empty."""
    consumer = Consumer()
    consumer.enable(triggered(START, [{"name": "go"}], timeout=50))
    assert consumer.ended()["disabled"]
    assert packets(consumer) == []


def stops():
    """STOP_TRACING: it traces at once, and is empty until the trigger (PFT-81)."""
    producer, consumer = source(), Consumer()
    consumer.enable(triggered(STOP, [{"name": "halt", "stop_delay_ms": 50}]))
    number, made = started(producer)
    write(producer, made["target_buffer"], [1, 2])
    assert packets(consumer) == []
    fire(producer, "halt", "halt")
    values = expect(producer, "flush")
    assert values["flags"] == 0x12
    write(producer, made["target_buffer"], [3])
    producer.commit(flush_request_id=values["request_id"])
    assert expect(producer, "stop_data_source") == {"instance_id": number}
    assert consumer.ended()["disabled"]
    found = packets(consumer)
    assert sorted(numbers(found)) == [1, 2, 3] and hits(found) == ["halt", "halt"]


def stops_never():
    """After the time-out it is still empty; but a clone has everything."""
    producer, consumer, clone = source(), Consumer(), Consumer()
    consumer.enable(triggered(STOP, [{"name": "halt"}], timeout=3000, flush_timeout_ms=50,
                              unique_session_name="s"))
    write(producer, started(producer)[1]["target_buffer"], [1, 2])
    assert clone.clone("s")["success"]
    assert numbers(packets(clone)) == [1, 2]
    assert consumer.ended()["disabled"]
    assert packets(consumer) == []


def snapshots():
    """CLONE_SNAPSHOT: the session goes on, the consumer is told, again and again (PFT-82)."""
    producer, consumer = source("p"), Consumer()
    consumer.observe(4)
    consumer.enable(triggered(CLONE, [{"name": "snap", "stop_delay_ms": 10}],
                              flush_timeout_ms=50))
    buffer = started(producer)[1]["target_buffer"]
    for number in range(3):
        write(producer, buffer, [number])
        fire(producer, "snap")
        hit = consumer.event()["clone_trigger_hit"]
        assert (hit["trigger_name"], hit["producer_name"]) == ("snap", "p"), hit
        assert hit["producer_uid"] == os.getuid() and hit["trigger_delay_ms"] == 10
        clone = Consumer()
        reply = clone.ask("CloneSession", {
            "session_id": hit["tracing_session_id"], "clone_trigger_name": "snap",
            "clone_trigger_producer_name": "p", "clone_trigger_boot_time_ns": hit["boot_time_ns"]})
        assert reply["success"], reply
        found = packets(clone)
        assert sorted(numbers(found)) == list(range(number + 1))
        cause = next(p for p in found if "clone_snapshot_trigger" in p)
        assert cause["clone_snapshot_trigger"]["trigger_name"] == "snap"
        assert hits(found) == ["snap"], "each copy has those since the last one"
        clone.ask("FreeBuffers")
    assert packets(consumer) == []


def clone_instead_of_stop():
    """use_clone_snapshot_if_available makes a stop trigger a clone trigger."""
    producer, consumer = source(), Consumer()
    consumer.observe(4)
    wanted = triggered(STOP, [{"name": "snap"}])
    wanted["trigger_config"]["use_clone_snapshot_if_available"] = True
    consumer.enable(wanted)
    started(producer)
    fire(producer, "snap")
    assert consumer.event()["clone_trigger_hit"]["trigger_name"] == "snap"
    assert consumer.state(True)["tracing_sessions"][0]["is_started"]


def chosen_by_producer():
    """producer_name_regex: all of the name."""
    good, bad, consumer = source("probes", ()), source("probesx", ()), Consumer()
    consumer.enable(triggered(START, [{"name": "go", "producer_name_regex": "pro.*s"}]))
    fire(bad, "go")
    assert consumer.state(True)["tracing_sessions"][0]["state"] == "CONFIGURED"
    fire(good, "go")
    assert consumer.state(True)["tracing_sessions"][0]["state"] != "CONFIGURED"


def seldom():
    """max_per_24_h and skip_probability."""
    producer, consumer = source(), Consumer()
    consumer.observe(4)
    consumer.enable(triggered(CLONE, [{"name": "twice", "max_per_24_h": 2}, {"name": "always"},
                                      {"name": "never", "skip_probability": 1.0}]))
    fire(producer, "twice", "never", "twice", "twice")
    fire(producer, "always")
    seen = [consumer.event()["clone_trigger_hit"]["trigger_name"] for _ in range(3)]
    assert sorted(seen) == ["always", "twice", "twice"], seen


def at_once():
    """max_per_24_h holds for those who fire between each other's steps, too."""
    producers, consumers = [source(LONG, ()) for _ in range(4)], [Consumer() for _ in range(5)]
    consumers[0].enable(triggered(STOP, [
        {"name": "once", "max_per_24_h": 1, "stop_delay_ms": FOREVER}]))
    for consumer in consumers[1:]:
        consumer.enable(triggered(STOP, [
            {"name": name, "producer_name_regex": DEAR} for name in ("once", "dear")]))
    names = ["dear"] * 4 + ["once"]
    fired = [(p, p.call("ActivateTriggers", {"trigger_names": names})) for p in producers]
    for producer, request in fired:
        assert producer.reply(request)
    assert hits(packets(consumers[0])) == ["once"]


def later_session():
    """A session that begins while a trigger is heard by others does not hear it."""
    dear, consumer, late = source(LONG, ()), Consumer(), Consumer()
    consumer.enable(triggered(START, [{"name": "dear", "producer_name_regex": DEAR}]))
    fired = dear.call("ActivateTriggers", {"trigger_names": ["dear"] * 100 + ["go"]})
    late.enable(triggered(START, [{"name": "go"}]))
    assert dear.reply(fired)
    assert [s["state"] for s in late.state(True)["tracing_sessions"]] == ["CONFIGURED"] * 2


def first_of_two():
    """START_TRACING: of triggers during the session's first look the first one's delay counts."""
    dear, producer, consumer = source(LONG), source("p", ()), Consumer()
    wanted = triggered(START, [{"name": "a", "stop_delay_ms": 1},
                               {"name": "b", "stop_delay_ms": FOREVER}])
    wanted["data_sources"][0]["producer_name_regex_filter"] = [DEAR] * 100
    consumer.enabled = consumer.call("EnableTracing", {"trace_config": wanted})
    fire(producer, "a", "b")
    assert consumer.ended()["disabled"]
    assert hits(packets(consumer)) == ["a", "b"]


def flood():
    """A producer that fires without end: the consumer is told of the first ones, in bounds."""
    producer, consumer = source(), Consumer()
    consumer.observe(4)
    consumer.enable(triggered(CLONE, [{"name": "snap", "stop_delay_ms": 300}]))
    for _ in range(5):
        fire(producer, *["snap"] * 1000)
    for _ in range(256):
        assert consumer.event()["clone_trigger_hit"]["trigger_name"] == "snap"
    assert consumer.reply(consumer.observed, 0.5) is None
    fire(producer, "snap")
    assert consumer.event()["clone_trigger_hit"]["trigger_name"] == "snap"


def cloned():
    """A clone has what there was; the original all it had, and goes on (PFT-83)."""
    producer, consumer, clone = source(), Consumer(), Consumer()
    consumer.enable(config(buffers=[{"size_kb": 64}]))
    buffer = started(producer)[1]["target_buffer"]
    write(producer, buffer, [1])
    writer = Writer(producer, buffer)
    writer.write(test_packet(2, 16))
    request = clone.call("CloneSession", {"session_id": 1})
    values = expect(producer, "flush")
    assert values["flags"] == 0x13
    writer.end()
    producer.commit(flush_request_id=values["request_id"])
    reply = clone.reply(request)[0]
    assert reply["success"] and not reply.get("was_write_into_file"), reply
    found = packets(clone)
    assert sorted(numbers(found)) == [1, 2]
    uuid = next(p["trace_uuid"] for p in found if "trace_uuid" in p)
    assert (uuid["msb"], uuid["lsb"]) == (reply["uuid_msb"], reply["uuid_lsb"])
    states = {s["id"]: s["state"] for s in clone.state(True)["tracing_sessions"]}
    assert states == {1: "STARTED", 2: "CLONED_READ_ONLY"}, states
    write(producer, buffer, [3])
    found = packets(consumer)
    assert sorted(numbers(found)) == [1, 2, 3]
    assert uuid != next(p["trace_uuid"] for p in found if "trace_uuid" in p)
    assert "clone_started" not in events(found)


def as_perfetto_does():
    """The very bytes of perfetto's --notify-fd (it observes first) and --clone 1."""
    producer, consumer, clone = Producer("p"), Consumer(), Consumer()
    producer.register(SOURCE, will_notify_on_start=True)
    consumer.observed = consumer.call_bytes("ObserveEvents", b"\x08\x02")
    consumer.enable(config())
    number, wanted = started(producer)
    assert consumer.reply(consumer.observed, 0.1) is None
    producer.ask("NotifyDataSourceStarted", {"data_source_id": number})
    assert consumer.event() == {"all_data_sources_started": True}
    write(producer, wanted["target_buffer"], [1, 2])
    request = clone.call_bytes("CloneSession", b"\x08\x01\x10\x00\x18\x00")
    producer.commit(flush_request_id=expect(producer, "flush")["request_id"])
    reply, has_more = clone.reply(request)
    assert reply["success"] and not has_more, reply
    assert not reply.get("was_write_into_file"), reply
    assert numbers(packets(clone)) == [1, 2]


def write_much(producer, megabytes):
    """Packets of a megabyte, all of which are in the buffer then; what has written them."""
    writer = Writer(producer, started(producer)[1]["target_buffer"])
    for number in range(megabytes):
        writer.write(test_packet(number, 1000000))
    writer.flush()
    producer.ask("Sync")
    return writer


def dear_clone():
    """Others are answered while very much is copied, and what the original does then is not in it."""
    producer, consumer, clone, second = source(page_size=32768), Consumer(), Consumer(), Consumer()
    consumer.enable(config(buffers=[{"size_kb": 128 << 10}]))
    writer = write_much(producer, 120)
    request = clone.call("CloneSession", {"session_id": 1})
    producer.commit(flush_request_id=expect(producer, "flush")["request_id"])
    until(lambda: consumer.state(True)["num_sessions"] == 2)
    assert clone.reply(request, 0.001) is None, "the others had to wait for all of it"
    assert "still being copied" in second.clone("2")["error"]
    # Room for it is made by what is read.
    assert numbers(packets(consumer)) == list(range(120))
    writer.write(test_packet(120, 16))
    writer.flush()
    consumer.ask("FreeBuffers")
    assert clone.reply(request)[0]["success"]
    assert numbers(packets(clone)) == list(range(120))
    clone.ask("FreeBuffers")


def dear_clones_end():
    """Who clones goes while very much is copied, and so does the original."""
    producer, consumer, clones = source(page_size=32768), Consumer(), [Consumer() for _ in range(4)]
    witness = Consumer()
    consumer.enable(config(buffers=[{"size_kb": 64 << 10}]))
    write_much(producer, 60)
    requests = [clone.call("CloneSession", {"session_id": 1}) for clone in clones]
    for _ in clones:
        producer.commit(flush_request_id=expect(producer, "flush")["request_id"])
    until(lambda: witness.state(True)["num_sessions"] == 5)
    clones[0].close()
    consumer.close()
    clones[1].close()
    until(lambda: witness.state(True)["num_sessions"] == 2)
    for clone, request in list(zip(clones, requests))[2:]:
        assert clone.reply(request)[0]["success"]
        assert numbers(packets(clone)) == list(range(60))


def clone_refused():
    """What cannot be cloned, and by whom."""
    consumer, clone = Consumer(), Consumer()
    for which in ("77", "nobody"):
        assert "not found" in clone.clone(which)["error"]
    assert not clone.ask("CloneSession").get("success")
    consumer.enable(config())
    assert clone.clone("1")["success"]
    assert "FreeBuffers" in clone.clone("1")["error"]


def clone_of_a_dying_session():
    """The original goes while it is being cloned."""
    producer, consumer, clone = source(), Consumer(), Consumer()
    consumer.enable(config(flush_timeout_ms=FOREVER))
    started(producer)
    request = clone.call("CloneSession", {"session_id": 1})
    expect(producer, "flush")
    consumer.close()
    reply = clone.reply(request)[0]
    assert not reply.get("success") and "ended" in reply["error"], reply


def clone_of_what_is_over():
    """A session that has ended can be cloned, and read itself as well."""
    producer, consumer, clone = source(), Consumer(), Consumer()
    consumer.enable(config())
    write(producer, started(producer)[1]["target_buffer"], [1, 2])
    consumer.ask("DisableTracing")
    assert consumer.ended()["disabled"]
    assert clone.clone("1")["success"]
    for reader in (clone, consumer):
        assert numbers(packets(reader)) == [1, 2]


def cloner_goes():
    """The one who clones goes before the flush is over."""
    producer, consumer, clone = source(), Consumer(), Consumer()
    consumer.enable(config(flush_timeout_ms=FOREVER))
    started(producer)
    clone.call("CloneSession", {"session_id": 1})
    values = expect(producer, "flush")
    clone.close()
    consumer.state()
    producer.commit(flush_request_id=values["request_id"])
    producer.ask("Sync")
    assert consumer.state(True)["num_sessions"] == 1


def handed_over():
    """transfer_on_clone hands a buffer over, clear_before_clone empties it first."""
    producer, consumer, clone = source(offers=("a", "b", "c")), Consumer(), Consumer()
    consumer.enable(config(
        [{"name": n, "target_buffer": i} for i, n in enumerate("abc")],
        [{"size_kb": 64, "transfer_on_clone": True}, {"size_kb": 64, "clear_before_clone": True},
         {"size_kb": 64}], flush_timeout_ms=50))
    target = {}
    for _ in range(3):
        made = started(producer)[1]
        target[made["name"]] = made["target_buffer"]
    for number, name in enumerate("abc"):
        write(producer, target[name], [number])
    assert clone.clone("1")["success"]
    assert sorted(numbers(packets(clone))) == [0, 2]
    write(producer, target["a"], [7])
    assert sorted(numbers(packets(consumer))) == [2, 7]


def clone_of_a_file():
    """The clone of a session that writes into a file: the file so far, then the buffers."""
    producer, consumer, clone = source(), Consumer(), Consumer()
    path = os.path.abspath("t.pftrace")
    consumer.enable(config(write_into_file=True, output_path=path, file_write_period_ms=100,
                           write_flush_mode=2, flush_timeout_ms=50))
    write(producer, started(producer)[1]["target_buffer"], [1, 2])
    until(lambda: os.path.getsize(path) > 0)
    assert "needs the descriptor of another file" in clone.clone("1")["error"]
    with open("clone.pftrace", "wb+") as file:
        reply = clone.ask("CloneSession", {"session_id": 1}, fds=[file.fileno()])
        assert reply["success"] and reply["was_write_into_file"], reply
        file.seek(0)
        found = decode("Trace", file.read())["packet"]
    assert numbers(found) == [1, 2]
    clone.ask("FreeBuffers")
    with open("clone.pftrace", "ab") as file:
        assert clone.ask("CloneSession", {"session_id": 1}, fds=[file.fileno()])["success"]
    with open("clone.pftrace", "rb") as file:
        assert numbers(decode("Trace", file.read())["packet"]) == [1, 2, 1, 2]


def clone_stays():
    """A clone is not detached: nobody would ever end it."""
    producer, consumer, clone = source(), Consumer(), Consumer()
    consumer.enable(config(write_into_file=True, output_path=os.path.abspath("t.pftrace"),
                           flush_timeout_ms=50))
    started(producer)
    with open("clone.pftrace", "wb+") as file:
        assert clone.ask("CloneSession", {"session_id": 1}, fds=[file.fileno()])["success"]
    assert fails(clone.ask, "Detach", {"key": "k"})
    clone.close()
    until(lambda: consumer.state(True)["num_sessions"] == 1)


def clone_without_clocks():
    """What the configuration leaves out is not in a clone, either."""
    consumer, clone = Consumer(), Consumer()
    consumer.enable(config(builtin_data_sources={"disable_clock_snapshotting": True}))
    assert clone.clone("1")["success"]
    assert not [p for p in packets(clone) if "clock_snapshot" in p]


def clone_into_pipe():
    """A clone goes into a regular file only: nobody waits for the reader of a pipe."""
    producer, consumer, clone = source(), Consumer(), Consumer()
    consumer.enable(config(write_into_file=True, output_path=os.path.abspath("t.pftrace")))
    started(producer)
    for fd in os.pipe():
        reply = clone.ask("CloneSession", {"session_id": 1}, fds=[fd])
        assert "regular file" in reply["error"], reply


def clone_of_a_part():
    """Of a file that has more in it than the trace only the trace is copied."""
    producer, consumer, clone = source(), Consumer(), Consumer()
    with open("t.pftrace", "wb+") as file:
        file.write(b"before")
        file.flush()
        consumer.enable(config(buffers=[{"size_kb": 16384}], write_into_file=True,
                               file_write_period_ms=100, flush_timeout_ms=50), file.fileno())
        buffer = started(producer)[1]["target_buffer"]
        write(producer, buffer, range(50), 200000)
        until(lambda: os.path.getsize("t.pftrace") > 5000000)
        os.truncate("t.pftrace", 1 << 32)
    with open("clone.pftrace", "wb+") as file:
        assert clone.ask("CloneSession", {"session_id": 1}, fds=[file.fileno()])["success"]
        file.seek(0)
        assert numbers(decode("Trace", file.read())["packet"]) == list(range(50))


def observed():
    """Events come only to those who asked, until they ask for none."""
    producer, consumer = source(), Consumer()
    consumer.enable(config())
    started(producer)
    consumer.observe(1)
    assert consumer.event()["instance_state_changes"][0] == {
        "producer_name": "test.producer", "data_source_name": SOURCE, "state": 2}
    consumer.observe(2)
    assert consumer.event()["all_data_sources_started"]
    old = consumer.observed
    consumer.observe(0)
    assert consumer.reply(old)[1] is False
    assert consumer.reply(consumer.observed)[1] is False
    consumer.ask("DisableTracing")
    assert consumer.ended()["disabled"]


def queried():
    """All that QueryServiceState tells (PFT-85)."""
    producer, consumer = source("who", ("a", "b")), Consumer()
    consumer.enable(config(["a"], [{"size_kb": 64}, {"size_kb": 32}], duration_ms=FOREVER,
                           unique_session_name="n", bugreport_score=3,
                           bugreport_filename="f.trace"))
    started(producer)
    state = consumer.state()
    assert state["producers"] == [{"id": 1, "name": "who", "pid": os.getpid(),
                                   "uid": os.getuid(), "sdk_version": "tests"}], state
    names = [s["ds_descriptor"]["name"] for s in state["data_sources"]]
    assert names == ["a", "b"], names
    session = state["tracing_sessions"][0]
    assert session.pop("start_realtime_ns") > 0
    assert session == {"id": 1, "consumer_uid": os.getuid(), "state": "STARTED",
                       "unique_session_name": "n", "buffer_size_kb": [64, 32],
                       "duration_ms": FOREVER, "num_data_sources": 1, "bugreport_score": 3,
                       "bugreport_filename": "f.trace", "is_started": True}, session
    assert "producers" not in consumer.state(True)


def many_sources():
    """An answer that is longer than a frame comes in parts."""
    producer, consumer = Producer("p" * 200), Consumer()
    for number in range(2000):
        producer.call("RegisterDataSource", {"data_source_descriptor": {
            "name": f"{number}." + "n" * 100}}, drop_reply=True)
    producer.ask("Sync")
    names = [s["ds_descriptor"]["name"] for s in consumer.state()["data_sources"]]
    assert [int(n.partition(".")[0]) for n in names] == list(range(2000))


def long_answer():
    """Producers that describe a lot: refused from some size on, and who asks gets all of it."""
    consumer, each = Consumer(), 100000
    producers = [Producer(), Producer(), Producer()]
    for producer in producers:
        for number in range(41):
            producer.call("RegisterDataSource", {"data_source_descriptor": {
                "name": f"{number}." + "n" * each}}, drop_reply=True)
        error = producer.register("n" * each).get("error", "")
        assert "too many" in error, error
    assert len(consumer.state()["data_sources"]) == 3 * 41
    error = Producer().register("n" * (127 << 10)).get("error", "")
    assert "too long" in error, error
    assert fails(Producer, "p" * 5000)


def statistics():
    """Counts of the service and of the session (E.12)."""
    producer, consumer = source(), Consumer()
    consumer.enable(config(buffers=[{"size_kb": 64}]))
    writer = write(producer, started(producer)[1]["target_buffer"], range(40), 1000)
    found = consumer.ask("GetTraceStats")["trace_stats"]
    buffer = found["buffer_stats"][0]
    assert buffer["buffer_size"] == 64 << 10 and buffer["chunks_written"] == writer.chunk_id
    assert buffer["bytes_written"] > 40000 and not buffer["chunks_overwritten"]
    assert (found["producers_connected"], found["data_sources_registered"]) == (1, 1)
    row = found["writer_stats"][0]
    assert sum(row["chunk_payload_histogram_counts"]) == writer.chunk_id
    assert len(row["chunk_payload_histogram_counts"]) == len(found["chunk_payload_histogram_def"]) + 1
    assert numbers(packets(consumer)) == list(range(40))
    after = consumer.ask("GetTraceStats")["trace_stats"]["buffer_stats"][0]
    assert after["bytes_read"] > 40000 and after["chunks_read"] == writer.chunk_id
    fill = after["bytes_written"] - after["bytes_read"] - after["bytes_overwritten"] + \
        after["padding_bytes_written"] - after["padding_bytes_cleared"]
    assert 0 <= fill <= after["buffer_size"], after


def many_writers():
    """Statistics of more writers than a frame has room for; those of a trace have more rows."""
    producer, consumer, count = source(inline=True), Consumer(), 40000
    consumer.enable(config(buffers=[{"size_kb": 8192}]))
    buffer = started(producer)[1]["target_buffer"]
    packet = test_packet(0, 1)
    for first in range(0, count, 1000):
        producer.call("CommitData", {"chunks_to_move": [
            {"target_buffer": buffer, "data": struct.pack("<IHHB", 0, writer + 1, 1, len(packet)) +
             packet} for writer in range(first, first + 1000)]}, drop_reply=True)
    rows = consumer.ask("GetTraceStats")["trace_stats"]["writer_stats"]
    assert 1000 < len(rows) < count // 2, len(rows)
    consumer.ask("DisableTracing")
    found = packets(consumer)
    assert len(numbers(found)) == count
    last = [p for p in found if "trace_stats" in p][-1]["trace_stats"]["writer_stats"]
    assert 10000 < len(last) < count // 2, len(last)
    assert last[:len(rows)] == rows


def unzstd(data):
    """By Zstandard's own program."""
    return subprocess.run(["zstd", "-d"], input=data, stdout=subprocess.PIPE, check=True).stdout


def compressed():
    """Packets that are compressed are the same ones."""
    for how, field, undo in (({"deflate": {}}, "compressed_packets", zlib.decompress),
                             ({"zstd": {"level": 22}}, "zstd_compressed_packets", unzstd)):
        producer, consumer = source(), Consumer()
        consumer.enable(config(compression=how))
        write(producer, started(producer)[1]["target_buffer"], range(50), 100)
        found = []
        for packet in packets(consumer):
            assert field in packet, packet
            found += decode("Trace", undo(packet[field]))["packet"]
        assert numbers(found) == list(range(50))
        consumer.close()
        producer.close()


if __name__ == "__main__":
    main(globals())
