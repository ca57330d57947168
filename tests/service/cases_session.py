#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""cases_session.py CASE... - the life of a session, from the first source to the last packet"""

import os
import signal

from case import (SOURCE, config, events, expect, fails, is_dropped, main, numbers, packets,
                  service_pid, source, started, until, write)
from consumer import Consumer
from pft import Refused
from producer import Producer


def nothing_without_session():
    """A producer alone: nothing is set up (PFT-01)."""
    producer, consumer = source(), Consumer()
    assert producer.command(0.2) is None
    assert fails(consumer.ask, "GetTraceStats")
    assert consumer.state()["data_sources"][0]["ds_descriptor"]["name"] == SOURCE


def whole_life():
    """Setup, start, data, stop, read, free (PFT-02..12)."""
    producer, consumer = source(), Consumer()
    consumer.enable(config())
    memory = expect(producer, "setup_tracing")
    assert memory["shared_buffer_page_size_kb"] == 4
    set_up = expect(producer, "setup_data_source")
    begun = expect(producer, "start_data_source")
    assert set_up == begun
    assert set_up["config"]["tracing_session_id"] == 1
    assert set_up["config"]["stop_timeout_ms"] == 5000
    write(producer, set_up["config"]["target_buffer"], range(100))
    consumer.ask("DisableTracing")
    assert consumer.ended()["disabled"]
    assert expect(producer, "stop_data_source") == {"instance_id": set_up["new_instance_id"]}
    found = packets(consumer)
    assert numbers(found) == list(range(100))
    mine = [p for p in found if "for_testing" in p]
    assert {p["trusted_uid"] for p in mine} == {os.getuid()}
    assert {p["trusted_pid"] for p in mine} == {os.getpid()}
    assert {p["trusted_packet_sequence_id"] for p in mine} == {2}
    assert numbers(packets(consumer)) == []
    consumer.ask("FreeBuffers")
    assert consumer.state(True).get("num_sessions") == 0


def own_packets():
    """What the service itself writes, and its order."""
    producer, consumer = source(), Consumer()
    consumer.enable(config())
    write(producer, started(producer)[1]["target_buffer"], [7])
    consumer.ask("DisableTracing")
    consumer.ended()
    found = packets(consumer)
    kinds = [next(n for n in p if n not in ("trusted_uid", "timestamp", "timestamp_clock_id",
                                            "trusted_packet_sequence_id", "?")) for p in found]
    for kind in ("clock_snapshot", "trace_uuid", "trace_config", "system_info"):
        assert kinds.index(kind) < kinds.index("for_testing"), kinds
    assert "trace_stats" in kinds[kinds.index("for_testing"):]
    assert events(found)[0] == "tracing_started"
    assert events(found)[-1] == "read_tracing_buffers_completed"
    assert "tracing_disabled" in events(found)
    first = next(p for p in found if "clock_snapshot" in p)["clock_snapshot"]
    assert {c["clock_id"] for c in first["clocks"]} == {1, 2, 3, 4, 5, 6}


def without_own_packets():
    """Each can be left out."""
    producer, consumer = source(), Consumer()
    consumer.enable(config(builtin_data_sources={
        "disable_clock_snapshotting": True, "disable_trace_config": True,
        "disable_system_info": True, "disable_service_events": True}))
    write(producer, started(producer)[1]["target_buffer"], [7])
    consumer.ask("DisableTracing")
    consumer.ended()
    found = packets(consumer)
    for kind in ("clock_snapshot", "trace_config", "system_info", "service_event"):
        assert not [p for p in found if kind in p], kind
    assert numbers(found) == [7]


def buffers_in_order():
    """Exactly those of the configuration, by index and by name (PFT-03, PFT-60)."""
    producer, consumer = source(offers=("a", "b", "c")), Consumer()
    consumer.enable(config(
        [{"name": "a", "target_buffer": 1}, {"name": "b", "target_buffer_name": "last"},
         {"name": "c", "target_buffer": 2, "target_buffer_name": "last"}],
        [{"size_kb": 64}, {"size_kb": 128}, {"size_kb": 192, "name": "last"}]))
    stats = consumer.ask("GetTraceStats")["trace_stats"]
    assert [b["buffer_size"] // 1024 for b in stats["buffer_stats"]] == [64, 128, 192]
    configs = [started(producer)[1] for _ in range(3)]
    targets = {c["name"]: c["target_buffer"] for c in configs}
    assert targets["a"] + 1 == targets["b"] == targets["c"], targets


def late_producer():
    """One that registers later joins; one that leaves drops out (PFT-04)."""
    consumer = Consumer()
    consumer.enable(config())
    consumer.observe(1)
    producer = source()
    write(producer, started(producer)[1]["target_buffer"], [1, 2])
    producer.close()
    until(lambda: not consumer.state().get("producers"))
    other = source()
    write(other, started(other)[1]["target_buffer"], [3])
    states = [consumer.event()["instance_state_changes"][0]["state"] for _ in range(5)]
    assert states == [1, 2, 1, 1, 2], states
    consumer.ask("DisableTracing")
    assert sorted(numbers(packets(consumer))) == [1, 2, 3]


def late_start_is_late():
    """One that registers before a deferred start is set up, and starts with the others."""
    consumer = Consumer()
    consumer.enable(config(deferred_start=True))
    producer = source()
    expect(producer, "setup_tracing")
    expect(producer, "setup_data_source")
    assert producer.command(0.2) is None
    assert consumer.state(True)["tracing_sessions"][0]["state"] == "CONFIGURED"
    consumer.ask("StartTracing")
    expect(producer, "start_data_source")
    assert consumer.state(True)["tracing_sessions"][0]["state"] == "STARTED"


def names_filter():
    """Producers chosen by name and by expression; later more of them."""
    names = ("one", "two", "three", "threes")
    all_of_them = {name: source(name) for name in names}
    consumer = Consumer()
    wanted = config()
    wanted["data_sources"][0]["producer_name_filter"] = ["one"]
    wanted["data_sources"][0]["producer_name_regex_filter"] = ["th.*e"]
    consumer.enable(wanted)
    for name in ("one", "three"):
        started(all_of_them[name])
    for name in ("two", "threes"):
        assert all_of_them[name].command(0.1) is None, name
    wanted["data_sources"][0]["producer_name_filter"] = ["one", "two"]
    consumer.ask("ChangeTraceConfig", {"trace_config": wanted})
    started(all_of_them["two"])
    assert all_of_them["one"].command(0.1) is None


def memory_once():
    """Shared memory is handed over once, for all sources and sessions (PFT-05)."""
    producer, first, second = source(offers=("a", "b")), Consumer(), Consumer()
    first.enable(config(["a", "b"]))
    second.enable(config(["a"]))
    commands = [producer.command()[0] for _ in range(7)]
    assert commands.count("setup_tracing") == 1 and commands[0] == "setup_tracing", commands
    assert commands[1:3] == ["setup_data_source"] * 2, commands


def sizes_of_memory():
    """The configuration's, the producer's, or else the default (PFT-20)."""
    consumer = Consumer()
    cases = (("plain", {}, 4, 256), ("hinted", {"page_size": 8192, "shm_size": 512 << 10}, 8, 512),
             ("odd", {"page_size": 5000, "shm_size": 1000000}, 4, 256),
             ("huge", {"page_size": 4096, "shm_size": 1 << 30}, 4, 32768),
             ("chosen", {"page_size": 8192}, 16, 1024))
    made = [(source(name, **hints), page, size) for name, hints, page, size in cases]
    consumer.enable(config(producers=[{"producer_name": "chosen", "page_size_kb": 16,
                                       "shm_size_kb": 1024}]))
    for producer, page, size in made:
        values = expect(producer, "setup_tracing")
        assert values["shared_buffer_page_size_kb"] == page, (producer, values)
        assert producer.memory.size == size << 10, (page, producer.memory.size)


def own_memory():
    """Memory of the producer's own is taken, and not sent back."""
    producer, consumer = source(own_memory=True, page_size=4096), Consumer()
    assert producer.hello["using_shmem_provided_by_producer"]
    consumer.enable(config())
    write(producer, started(producer)[1]["target_buffer"], range(3))
    assert not producer.descriptors
    consumer.ask("DisableTracing")
    assert numbers(packets(consumer)) == [0, 1, 2]


def acknowledged_start():
    """Starting waits for sources that say so; then the consumer is told, once (PFT-06)."""
    producer, consumer = Producer(), Consumer()
    producer.register("slow", will_notify_on_start=True)
    producer.register("fast")
    consumer.observe(3)
    consumer.enable(config(["slow", "fast"]))
    instance = {}
    for _ in range(2):
        number, made = started(producer)
        instance[made["name"]] = number
    seen = []
    while len(seen) < 3:
        seen += [(c["data_source_name"], c["state"]) for c in
                 consumer.event().get("instance_state_changes", ())]
    assert seen.count(("fast", 2)) == 1 and ("slow", 2) not in seen, seen
    producer.ask("NotifyDataSourceStarted", {"data_source_id": instance["slow"]})
    assert consumer.event()["instance_state_changes"][0]["state"] == 2
    assert consumer.event()["all_data_sources_started"]
    producer.ask("NotifyDataSourceStarted", {"data_source_id": instance["slow"]})
    producer.ask("NotifyDataSourceStarted", {"data_source_id": 99})
    consumer.ask("DisableTracing")
    assert "all_data_sources_started" in events(packets(consumer))


def slow_start():
    """After 20 s the trace says who has not started (PFT-86)."""
    producer, consumer = Producer("slow one"), Consumer()
    producer.register(SOURCE, will_notify_on_start=True)
    consumer.enable(config())
    started(producer)
    found = []
    until(lambda: found.extend(packets(consumer)) or
          "slow_starting_data_sources" in events(found))
    event = next(p["service_event"] for p in found
                 if "slow_starting_data_sources" in p.get("service_event", ()))
    assert event["slow_starting_data_sources"] == {"data_source": [
        {"producer_name": "slow one", "data_source_name": SOURCE}]}, event


def suspend_clock():
    """duration_ms and snapshots by the clock that goes on in suspend."""
    producer, consumer = source(), Consumer()
    consumer.enable(config(duration_ms=50, prefer_suspend_clock_for_duration=True,
                           builtin_data_sources={"prefer_suspend_clock_for_snapshot": True,
                                                 "snapshot_interval_ms": 10}))
    assert started(producer)[1]["prefer_suspend_clock_for_duration"]
    values = expect(producer, "flush")
    producer.commit(flush_request_id=values["request_id"])
    assert consumer.ended()["disabled"]
    marks = [p for p in packets(consumer) if "synchronization_marker" in p]
    assert marks, "no snapshot was taken"


def acknowledged_stop():
    """Stopping waits for sources that say so; what they write until then is there (PFT-11)."""
    producer, consumer = Producer(), Consumer()
    producer.register(SOURCE, will_notify_on_stop=True)
    consumer.enable(config())
    number, made = started(producer)
    consumer.ask("DisableTracing")
    expect(producer, "stop_data_source")
    assert consumer.state(True)["tracing_sessions"][0]["state"] == "STOP_WAIT"
    assert consumer.ended(0.1) is None
    write(producer, made["target_buffer"], [1])
    producer.ask("NotifyDataSourceStopped", {"data_source_id": number})
    assert consumer.ended()["disabled"]
    assert consumer.state(True)["tracing_sessions"][0]["state"] == "DISABLED"
    write(producer, made["target_buffer"], [2])
    assert numbers(packets(consumer)) == [1]
    assert consumer.ask("GetTraceStats")["trace_stats"]["chunks_discarded"] == 1


def deaf_stop():
    """One that does not acknowledge is waited for only so long."""
    producer, consumer = Producer(), Consumer()
    producer.register(SOURCE, will_notify_on_stop=True)
    consumer.enable(config(data_source_stop_timeout_ms=50))
    started(producer)
    consumer.ask("DisableTracing")
    assert consumer.ended()["disabled"]


def gone_while_stopping():
    """Nor is one that goes away."""
    producer, consumer = Producer(), Consumer()
    producer.register(SOURCE, will_notify_on_stop=True)
    consumer.enable(config(data_source_stop_timeout_ms=3600000))
    started(producer)
    consumer.ask("DisableTracing")
    expect(producer, "stop_data_source")
    producer.close()
    assert consumer.ended()["disabled"]


def registers_while_stopping():
    """One that registers while a session waits for others to stop does not join it."""
    producer, consumer = Producer(), Consumer()
    producer.register(SOURCE, will_notify_on_stop=True)
    consumer.enable(config(data_source_stop_timeout_ms=3600000))
    number = started(producer)[0]
    consumer.ask("DisableTracing")
    late = source("late")
    assert late.command(0.1) is None
    producer.ask("NotifyDataSourceStopped", {"data_source_id": number})
    assert consumer.ended()["disabled"]
    assert late.command(0.1) is None


def consumer_gone_while_stopping():
    """The consumer goes while a flush and the end are under way: its producer may answer."""
    producer, consumer, witness = Producer(), Consumer(), Consumer()
    producer.register(SOURCE, will_notify_on_stop=True)
    consumer.enable(config(data_source_stop_timeout_ms=3600000))
    number, made = started(producer)
    consumer.call("Flush", {"timeout_ms": 3600000})
    values = expect(producer, "flush")
    consumer.ask("DisableTracing")
    expect(producer, "stop_data_source")
    consumer.close()
    until(lambda: not witness.state(True)["num_sessions"])
    write(producer, made["target_buffer"], [1])
    producer.commit(flush_request_id=values["request_id"])
    producer.ask("NotifyDataSourceStopped", {"data_source_id": number})
    assert not witness.enable(config())


def read_in_parts():
    """Two readings while it runs: everything once (PFT-12)."""
    producer, consumer = source(), Consumer()
    consumer.enable(config())
    buffer = started(producer)[1]["target_buffer"]
    write(producer, buffer, range(10))
    first = numbers(packets(consumer))
    write(producer, buffer, range(10, 30))
    assert first + numbers(packets(consumer)) == list(range(30))


def large_packets():
    """Packets longer than a chunk, a frame, and most of the buffer."""
    producer, consumer = source(), Consumer()
    consumer.enable(config(buffers=[{"size_kb": 4096}]))
    buffer = started(producer)[1]["target_buffer"]
    for number, size in enumerate((5000, 200000, 1000000)):
        write(producer, buffer, [number], size)
    found = [p["for_testing"] for p in packets(consumer) if "for_testing" in p]
    assert [len(p["str"]) for p in found] == [5000, 200000, 1000000]
    assert all(set(p["str"]) == {chr(ord("a") + p["seq_value"])} for p in found)


def consumer_gone():
    """The consumer goes: the session is freed, its sources stop (PFT-14)."""
    producer, consumer, other = source(), Consumer(), Consumer()
    consumer.enable(config())
    started(producer)
    consumer.close()
    expect(producer, "stop_data_source")
    until(lambda: not other.state(True).get("num_sessions"))


def unregistered():
    """A source that is taken back stops, and is not there for later sessions."""
    producer, consumer = source(), Consumer()
    consumer.enable(config())
    started(producer)
    producer.ask("UnregisterDataSource", {"data_source_name": SOURCE})
    expect(producer, "stop_data_source")
    assert not consumer.state().get("data_sources")
    producer.ask("UnregisterDataSource", {"data_source_name": SOURCE})
    producer.register(SOURCE)
    started(producer)


def registered_twice():
    """An id is there once; an update needs it and does not rename (PFT-16)."""
    producer, consumer = Producer(), Consumer()
    assert not producer.register("a", id=5).get("error")
    assert "id" in producer.register("b", id=5)["error"]
    assert "name" in producer.register("")["error"]
    change = {"data_source_descriptor": {"name": "a", "id": 5, "will_notify_on_stop": True}}
    producer.ask("UpdateDataSource", change)
    found = consumer.state()["data_sources"]
    assert len(found) == 1 and found[0]["ds_descriptor"]["will_notify_on_stop"], found
    change["data_source_descriptor"]["name"] = "c"
    producer.ask("UpdateDataSource", change)
    assert consumer.state()["data_sources"][0]["ds_descriptor"]["name"] == "a"


def commands_wait():
    """What comes before GetAsyncCommand is not lost, nor out of order."""
    producer, consumer = source(), Consumer()
    quiet = Producer.__new__(Producer)
    super(Producer, quiet).__init__("producer")
    quiet.bind("ProducerPort")
    quiet.memory, quiet.instances = None, {}
    quiet.ask("InitializeConnection", {"producer_name": "quiet"})
    quiet.ask("RegisterDataSource", {"data_source_descriptor": {"name": SOURCE}})
    consumer.enable(config())
    started(producer)
    quiet.stream = quiet.call("GetAsyncCommand")
    assert [quiet.command()[0] for _ in range(3)] == [
        "setup_tracing", "setup_data_source", "start_data_source"]
    assert quiet.memory.size == 256 << 10


def unknown_fields():
    """Parts of a source's configuration that the service does not know reach the producer."""
    producer, consumer = source(), Consumer()
    consumer.enable(config([{"name": SOURCE, "legacy_config": "as it is",
                             "for_testing": {"message_count": 3}}]))
    made = started(producer)[1]
    assert made["legacy_config"] == "as it is", made
    assert made["for_testing"]["message_count"] == 3


def methods_in_order():
    """The methods have the numbers of the protocol."""
    assert list(Producer().methods) == [
        "InitializeConnection", "RegisterDataSource", "UnregisterDataSource", "CommitData",
        "GetAsyncCommand", "RegisterTraceWriter", "UnregisterTraceWriter",
        "NotifyDataSourceStarted", "NotifyDataSourceStopped", "ActivateTriggers", "Sync",
        "UpdateDataSource"]
    assert list(Consumer().methods) == [
        "EnableTracing", "DisableTracing", "ReadBuffers", "FreeBuffers", "Flush", "StartTracing",
        "ChangeTraceConfig", "Detach", "Attach", "GetTraceStats", "ObserveEvents",
        "QueryServiceState", "QueryCapabilities", "SaveTraceForBugreport", "CloneSession"]


def calls_without_session():
    """Calls that need a session, or a connection that is initialized."""
    consumer, producer = Consumer(), Producer()
    for method in ("StartTracing", "DisableTracing", "FreeBuffers", "ReadBuffers"):
        consumer.ask(method)
    for method in ("Flush", "Detach", "Attach", "GetTraceStats"):
        assert fails(consumer.ask, method), method
    assert fails(producer.ask, "InitializeConnection", {"producer_name": "again"})
    for number in (0, 16, 77):
        assert fails(consumer.reply, consumer.call_bytes(number, b"")), number
    assert fails(consumer.reply, consumer.call_bytes("Flush", b"\xff\xff"))
    saved = consumer.ask("SaveTraceForBugreport")
    assert not saved.get("success") and "CloneSession" in saved["msg"]
    offered = consumer.ask("QueryCapabilities")["capabilities"]
    assert offered["observable_events"] == [1, 2, 4] and offered["has_clone_session"]


def two_enable():
    """A second EnableTracing of a connection is refused until FreeBuffers."""
    consumer = Consumer()
    assert not consumer.enable(config())
    second = consumer.call("EnableTracing", {"trace_config": config()})
    assert "already active" in consumer.reply(second)[0]["error"]
    consumer.ask("DisableTracing")
    assert consumer.ended()["disabled"], "the first call is not answered any more"
    consumer.ask("FreeBuffers")
    assert not consumer.enable(config())


def change_without_config():
    """Filters are changed beside a data source that has no configuration at all."""
    producer, consumer = source("late"), Consumer()
    wanted = {"config": {"name": SOURCE}, "producer_name_filter": ["other"]}
    consumer.enable({"buffers": [{"size_kb": 64}], "data_sources": [{}, wanted]})
    wanted["producer_name_filter"].append("late")
    consumer.ask("ChangeTraceConfig", {"trace_config": {"data_sources": [{}, wanted]}})
    started(producer)


def same_names_changed():
    """Two data sources of a name: each has its own filters, before and after a change."""
    producers = {name: source(name) for name in ("one", "two", "three", "four")}
    consumer = Consumer()
    wanted = config([{"name": SOURCE, "target_buffer": index} for index in (0, 1)],
                    [{"size_kb": 64}, {"size_kb": 64}])

    def choose(*names):
        for row, chosen in zip(wanted["data_sources"], names):
            row["producer_name_filter"] = chosen

    choose(["one"], ["two"])
    consumer.enable(wanted)
    targets = [started(producers[name])[1]["target_buffer"] for name in ("one", "two")]
    assert targets == [targets[0], targets[0] + 1], targets
    choose(["one", "three"], ["two", "four", "one"])
    consumer.ask("ChangeTraceConfig", {"trace_config": wanted})
    for name, target in (("three", 0), ("four", 1), ("one", 1)):
        assert started(producers[name])[1]["target_buffer"] == targets[target], name
    for name, producer in producers.items():
        assert producer.command(0.1) is None, name


def same_name_unregistered():
    """A producer takes back one of two sources of a name: the other goes on."""
    producer, consumer = source(offers=("a", "a")), Consumer()
    consumer.enable(config(["a"]))
    first, second = started(producer)[0], started(producer)[0]
    producer.ask("UnregisterDataSource", {"data_source_name": "a"})
    assert expect(producer, "stop_data_source") == {"instance_id": first}
    assert producer.command(0.1) is None
    consumer.ask("DisableTracing")
    assert expect(producer, "stop_data_source") == {"instance_id": second}


def other_port():
    """Each socket has its own port only."""
    try:
        consumer = Consumer()
        consumer.bind("ProducerPort")
    except Refused:
        return
    raise AssertionError("the consumers' socket offered ProducerPort")


def service_stopped():
    """The service is stopped: what producers still have comes, is read, and nothing new begins."""
    producer, consumer, late = Producer(), Consumer(), Consumer()
    producer.register(SOURCE, will_notify_on_stop=True)
    consumer.enable(config())
    instance, given = started(producer)
    os.kill(service_pid(consumer), signal.SIGTERM)
    flush = expect(producer, "flush")
    write(producer, given["target_buffer"], range(20))
    producer.ask("CommitData", {"flush_request_id": flush["request_id"]})
    assert expect(producer, "stop_data_source") == {"instance_id": instance}
    write(producer, given["target_buffer"], range(20, 30))
    assert "being stopped" in late.enable(config())["error"]
    assert consumer.ended(0.1) is None, "the source has not stopped"
    producer.ask("NotifyDataSourceStopped", {"data_source_id": instance})
    assert consumer.ended() == {"disabled": True}
    assert numbers(packets(consumer)) == list(range(30))
    consumer.ask("FreeBuffers")


def service_stopped_late():
    """The service is stopped when a session has ended: its final flush remains what it was."""
    producer, consumer = source(), Consumer()
    consumer.enable(config(duration_ms=10))
    started(producer)
    producer.commit(flush_request_id=expect(producer, "flush")["request_id"])
    assert consumer.ended()["disabled"]
    os.kill(service_pid(consumer), signal.SIGTERM)
    # Until then it has heard of the signal, and of what comes of that.
    for _ in range(5):
        consumer.ask("QueryCapabilities")
    assert consumer.ask("GetTraceStats")["trace_stats"]["final_flush_outcome"] == 1
    consumer.ask("FreeBuffers")


def service_not_read():
    """The service is stopped, but this session is never freed; then it is told."""
    consumer = Consumer()
    consumer.enable(config())
    print("enabled", flush=True)
    assert consumer.ended() == {"disabled": True}
    assert is_dropped(consumer)


if __name__ == "__main__":
    main(globals())
