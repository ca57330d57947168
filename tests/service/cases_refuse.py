#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""cases_refuse.py CASE... - requests that EnableTracing refuses, its messages, and that nothing remains"""

import os

from case import SOURCE, config, fails, main, refused, source, started, until
from consumer import Consumer

DAY = 24 * 3600 * 1000
START, STOP, CLONE = 1, 2, 4


def triggers(mode, *names, timeout=1000, **more):
    """A trigger_config."""
    return {"trigger_config": {"trigger_mode": mode, "trigger_timeout_ms": timeout,
                               "triggers": [{"name": name} for name in names], **more}}


def durations():
    """A session for too long, and one that just passes."""
    refused(config(duration_ms=7 * DAY + 1), "Requested too long trace")
    refused(config(duration_ms=DAY + 1, enable_extra_guardrails=True), "Requested too long trace")
    assert not Consumer().enable(config(duration_ms=7 * DAY))


def trigger_rules():
    """Triggers: time-outs, modes, durations, names."""
    for timeout in (0, 7 * DAY + 1):
        refused(config(**triggers(START, "a", timeout=timeout)), "positive trigger_timeout_ms")
    for mode in (3, 5, 77):
        refused(config(**triggers(mode, "a")), "invalid trigger_mode")
    refused(config(**triggers(START, "a", use_clone_snapshot_if_available=True)),
            "trigger_mode must be STOP_TRACING when use_clone_snapshot_if_available=true")
    refused(config(duration_ms=5, **triggers(START, "a")), "duration_ms was set")
    refused(config(**triggers(STOP, "a", "b", "a")), "Duplicate trigger name: a")
    for mode in (STOP, CLONE):
        refused(config(write_into_file=True, output_path=os.path.abspath("never"),
                       **triggers(mode, "a")), "write_into_file together is unsupported")
    assert not os.path.exists("never")


def report_name():
    """A name that could lead somewhere else."""
    for name in ("a/b", "..\\x", "a b", "\u00e4"):
        refused(config(bugreport_filename=name), "bugreport_filename contains invalid chars")
    assert not Consumer().enable(config(bugreport_filename="A-z_0.9"))


def guardrails():
    """Unsupervised sessions: sizes, deferred start, twice in five minutes."""
    guarded = {"enable_extra_guardrails": True}
    refused(config(deferred_start=True, **guarded), "deferred_start=true is not supported")
    refused(config(buffers=[{"size_kb": 6}], **guarded), "must be a multiple of 4, got 6")
    refused(config(buffers=[{"size_kb": 65536}, {"size_kb": 65540}], **guarded),
            "Requested too large trace buffer (131076 kB > 131072 kB)")
    big = config(buffers=[{"size_kb": 131076}], unique_session_name="big",
                 guardrail_overrides={"max_tracing_buffer_size_kb": 262144}, **guarded)
    consumer = Consumer()
    assert not consumer.enable(big)
    consumer.ask("FreeBuffers")
    refused(big, "\"big\" began less than 300 s ago", consumer)
    # A session that was refused does not count.
    refused(config(unique_session_name="new", sources=[{"name": "a", "target_buffer": 9}],
                   **guarded), "out of bounds")
    assert not Consumer().enable(config(unique_session_name="new", **guarded))


def buffer_rules():
    """Buffers: how many, names, sizes."""
    refused(config(buffers=[{"size_kb": 4}] * 129), "Too many buffers configured (129)")
    refused(config(buffers=[{"size_kb": 4, "name": "x"}, {"size_kb": 4},
                            {"size_kb": 4, "name": "x"}]),
            "Duplicate buffer name \"x\" at index 2 (first occurrence at index 0)")
    for size in (0, 4 << 20, (1 << 32) - 1):
        refused(config(buffers=[{"size_kb": size}]), "Invalid buffer sizes")
    assert not Consumer().enable(config(buffers=[{"size_kb": 4}] * 128))


def targets():
    """Buffers that sources name."""
    named = [{"size_kb": 4, "name": "a"}, {"size_kb": 4, "name": "b"}]
    refused(config([{"name": "s", "target_buffer_name": "c"}], named),
            "specified target_buffer_name \"c\" which does not match any buffer")
    refused(config([{"name": "s", "target_buffer_name": "a", "target_buffer": 1}], named),
            "specified both target_buffer=1 and target_buffer_name=\"a\" (index 0)")
    refused(config([{"name": "s", "target_buffer": 2}], named), "out of bounds target_buffer (2 >= 2)")
    refused(config(buffers=[]), "out of bounds target_buffer (0 >= 0)")
    assert not Consumer().enable(config([{"name": "s", "target_buffer_name": "b",
                                          "target_buffer": 1}], named))


def exclusive():
    """An exclusive session ends others, and is in the way of those that are not above it."""
    first, second, third = Consumer(), Consumer(), Consumer()
    producer = source()
    assert not first.enable(config())
    assert not second.enable(config(exclusive_prio=5))
    assert "higher-priority (5) exclusive session" in first.ended()["error"]
    for priority in (0, 4, 5):
        refused(config(exclusive_prio=priority), "exclusive session with priority 5")
    assert not third.enable(config(exclusive_prio=6))
    assert "Aborted" in second.ended()["error"]
    assert third.state(True)["num_sessions"] == 1
    assert fails(first.ask, "GetTraceStats")
    for _ in range(3):
        started(producer)


def exclusive_is_over():
    """An exclusive session that has ended is in nobody's way, nor is its copy."""
    first, clone, second = Consumer(), Consumer(), Consumer()
    assert not first.enable(config(exclusive_prio=5))
    assert clone.clone("1")["success"]
    first.ask("DisableTracing")
    assert first.ended()["disabled"]
    assert not second.enable(config())
    assert {s["state"] for s in second.state(True)["tracing_sessions"]} == {
        "DISABLED", "CLONED_READ_ONLY", "STARTED"}


def exclusive_and_detached():
    """A detached session that an exclusive one ends: its file is whole, the log says why."""
    consumer, other, path = Consumer(), Consumer(), os.path.abspath("t")
    assert not consumer.enable(config(write_into_file=True, output_path=path))
    consumer.ask("Detach", {"key": "k"})
    assert not other.enable(config(exclusive_prio=5))
    until(lambda: other.state(True)["num_sessions"] == 1)
    until(lambda: os.path.getsize(path))


def unique_names():
    """A session of a name that is there; its clones do not count."""
    first, clone = Consumer(), Consumer()
    assert not first.enable(config(unique_session_name="mine"))
    refused(config(unique_session_name="mine"), "unique session name (mine) already exists")
    assert clone.clone("mine")["success"]
    first.ask("FreeBuffers")
    assert not first.enable(config(unique_session_name="mine"))


def semaphores():
    """As many sessions as all of them allow."""
    def wanted(limit):
        return config(session_semaphores=[{"name": "s", "max_other_session_count": limit},
                                          {"name": "free", "max_other_session_count": 99}])
    first, second = Consumer(), Consumer()
    assert not first.enable(wanted(2))
    assert not second.enable(wanted(1))
    refused(wanted(9), "Semaphore \"s\" exceeds maximum allowed other session count (2 > 1)")
    second.ask("DisableTracing")
    second.ended()
    assert not Consumer().enable(wanted(9))


def patterns():
    """Regular expressions that are none, or that would take the service's stack, memory or time."""
    for bad in ("(", "(" * 60000, "(" * 600 + ")" * 600, "((a{1,255}){1,255}){1,255}",
                r"(a*)*\1b", "x" * 513, "[[=a=]]"):
        refused({"buffers": [{"size_kb": 4}], "data_sources": [
            {"config": {"name": SOURCE}, "producer_name_regex_filter": ["a", bad]}]},
                "Invalid regular expression")
        refused(config(trigger_config={"trigger_mode": 1, "trigger_timeout_ms": 1000, "triggers": [
            {"name": "t", "producer_name_regex": bad}]}), "Invalid regular expression")
    refused({"buffers": [{"size_kb": 4}], "data_sources": [
        {"config": {"name": SOURCE}, "producer_name_regex_filter": ["x" * 513]}]},
            "pattern string is longer than the limit")
    producer, consumer = source("a{1}"), Consumer()
    wanted = {"config": {"name": SOURCE}, "producer_name_regex_filter": [r"[a-c]\{(1|2)\}"]}
    consumer.enable({"buffers": [{"size_kb": 4}], "data_sources": [wanted]})
    started(producer)
    # Good ones, which match in a number of ways that has no bound
    slow = {"config": {"name": SOURCE}, "producer_name_regex_filter": ["(a*)+" * 100] * 200}
    assert not Consumer().enable({"buffers": [{"size_kb": 4}], "data_sources": [slow]})
    wanted["producer_name_regex_filter"] = ["(" * 60000]
    consumer.ask("ChangeTraceConfig", {"trace_config": {"data_sources": [wanted]}})


def counts():
    """More of what is looked up by name than anybody needs."""
    trigger = {"trigger_mode": 1, "trigger_timeout_ms": 1000, "triggers": [{}] * 20000}
    refused(config(trigger_config=trigger), "Too many triggers configured (20000)")
    refused(config(session_semaphores=[{}] * 129), "Too many session semaphores")
    refused({"buffers": [{"size_kb": 4}], "data_sources": [{}] * 1025}, "Too many data sources")
    refused(config(unique_session_name="n" * 4097), "Too long a unique_session_name")
    refused(config([{"name": SOURCE, "legacy_config": "c" * (127 << 10)}]),
            f'Data source "{SOURCE}": its configuration is longer')
    patterns = [{"config": {"name": SOURCE}, "producer_name_regex_filter": ["a"] * n}
                for n in (200, 57)]
    refused({"buffers": [{"size_kb": 4}], "data_sources": patterns}, "Too many regular expressions")


def too_many_of_a_user():
    """Five of a user."""
    consumers = [Consumer() for _ in range(5)]
    for consumer in consumers:
        assert not consumer.enable(config())
    refused(config(), f"for uid {os.getuid()}, limit is 5")
    consumers[2].close()
    until(lambda: consumers[0].state(True)["num_sessions"] == 4)
    assert not Consumer().enable(config())


def filters():
    """A filter that does not load refuses the session: nothing goes unfiltered."""
    refused(config(trace_filter={"bytecode": b"\xff\xff\xff"}), "Failed to load the trace filter")
    refused(config(trace_filter={"string_filter_chain": {"rules": [{"regex_pattern": "a"}]}}),
            "Failed to load the trace filter: string filter rules are not supported")


def boosts():
    """A priority that there is not."""
    refused(config(priority_boost={"policy": 1, "priority": 21}), "priority 21 is out of range")
    refused(config(priority_boost={"policy": 2, "priority": 0}), "priority 0 is out of range")
    refused(config(priority_boost={"policy": 2, "priority": 100}), "out of range")
    refused(config(priority_boost={"policy": 9}), "unknown policy")


def files():
    """A file: one, new, and one that nobody has to read."""
    into = {"write_into_file": True}
    refused(config(**into), "either a file descriptor or output_path")
    path = os.path.abspath("trace")
    with open(path, "wb") as file:
        file.write(b"precious")
        refused_with_fd(config(output_path=path, **into), file.fileno(), "and not both")
    refused(config(output_path=path, **into), f"Failed to create the trace file {path}: File exists")
    with open(path, "rb") as file:
        assert file.read() == b"precious"
        refused_with_fd(config(**into), file.fileno(), "cannot be used: Bad file descriptor")
    refused(config(output_path="/no/such/folder/t", **into), "No such file or directory")
    ends = os.pipe()
    refused_with_fd(config(**into), ends[1], "cannot be used: it must be a regular file")


def refused_with_fd(wanted, fd, text):
    """As refused(), with a descriptor."""
    consumer = Consumer()
    request = consumer.call("EnableTracing", {"trace_config": wanted}, fds=[fd])
    assert text in consumer.reply(request)[0]["error"]
    assert not consumer.state(True).get("num_sessions")


def nothing_left():
    """A session that is refused late leaves no file, and no source has heard of it."""
    producer, path = source(), os.path.abspath("new")
    refused(config(write_into_file=True, output_path=path,
                   priority_boost={"policy": 2, "priority": 200}), "out of range")
    assert not os.path.exists(path)
    assert producer.command(0.1) is None
    consumer = Consumer()
    assert not consumer.enable(config())
    consumer.ask("FreeBuffers")
    assert consumer.state()["data_sources"][0]["ds_descriptor"]["name"] == SOURCE


if __name__ == "__main__":
    main(globals())
