#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""cases_limits.py CASE... - limits: clones, descriptors, priorities"""

import os
import resource
import select
import signal
import socket
import struct
import time

from case import (DEAR, LONG, SOURCE, as_user, config, expect, hold_sessions, is_dropped,
                  lingering, main, packets, service_pid, source, started, until, write)
from consumer import Consumer
from pft import Peer
from producer import test_packet
from wire import encode, varint


def clones_of_root():
    """Root may clone anybody's session; the copy is root's."""
    os.chmod(os.environ["PERFETTO_CONSUMER_SOCK_NAME"], 0o666)
    ready, done = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        os.close(done[1])
        os._exit(not as_user(1001, hold_sessions, 1, ready[1], done[0]))
    os.close(ready[1])
    assert os.read(ready[0], 1), "the user could not make a session"
    consumer = Consumer()
    assert consumer.clone("1")["success"]
    owners = [s["consumer_uid"] for s in consumer.state(True)["tracing_sessions"]]
    assert owners == [1001, 0], owners
    os.close(done[1])
    assert os.waitpid(child, 0)[1] == 0


def many_clones():
    """Clones have bounds of their own: five of a user."""
    consumer, clones = Consumer(), [Consumer() for _ in range(6)]
    consumer.enable(config())
    for clone in clones[:5]:
        assert clone.clone("1")["success"]
    assert "Too many clones" in clones[5].clone("1")["error"]
    others = [Consumer() for _ in range(4)]
    for other in others:
        assert not other.enable(config()), "clones count as sessions"
    clones[0].ask("FreeBuffers")
    assert clones[5].clone("1")["success"]


def seldom_descriptors():
    """More connections than there are descriptors: none is lost, and waiting for one costs nothing."""
    consumer = Consumer()
    service = service_pid(consumer)
    limits = resource.prlimit(service, resource.RLIMIT_NOFILE)
    resource.prlimit(service, resource.RLIMIT_NOFILE, (40, limits[1]))
    waiting = []
    for _ in range(1000):
        peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        peer.connect(os.environ["PERFETTO_PRODUCER_SOCK_NAME"])
        waiting.append(peer)
    assert consumer.state()["num_sessions"] == 0
    before = processor_time(service)
    time.sleep(0.5)
    assert processor_time(service) - before <= 0.1, "it spins"
    for peer in waiting:
        peer.close()
    assert source().hello


def is_closed(peer):
    """Has the service closed the connection?"""
    try:
        return not peer.recv(1, socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False


def fill_up(ready, done):
    """More connections than one user may have, until the other end of the pipe is closed."""
    peers = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(300)]
    for peer in peers:
        peer.connect(os.environ["PERFETTO_PRODUCER_SOCK_NAME"])
    until(lambda: sum(is_closed(peer) for peer in peers) == 200)
    os.write(ready, b".")
    os.read(done, 1)


def one_users_flood():
    """A user's connections leave room for those of others."""
    consumer, ready, done = Consumer(), os.pipe(), os.pipe()
    service = service_pid(consumer)
    limits = resource.prlimit(service, resource.RLIMIT_NOFILE)
    resource.prlimit(service, resource.RLIMIT_NOFILE, (400, limits[1]))
    child = os.fork()
    if not child:
        os.close(done[1])
        os._exit(not as_user(1001, fill_up, ready[1], done[0]))
    os.close(ready[1])
    assert os.read(ready[0], 1), "the user has not a quarter of all descriptors"
    assert len([source() for _ in range(50)]) == 50
    os.close(done[1])
    assert os.waitpid(child, 0)[1] == 0


def much_described():
    """What all producers of a user describe has a bound."""
    each, producers, errors = 100000, [], []
    while not errors:
        producers.append(source(offers=()))
        for number in range(41):
            error = producers[-1].register(f"{number}." + "n" * each).get("error")
            errors += [error] if error else []
        assert len(producers) < 20
    assert len(producers) == 17 and "too many" in errors[0], (len(producers), errors[0])
    producers[0].close()
    consumer = Consumer()
    until(lambda: len(consumer.state()["producers"]) == 16)
    assert not producers[-1].register("again").get("error")


def describe_many(producer, name):
    """4000 sources of a name."""
    request = encode("RegisterDataSourceRequest", {"data_source_descriptor": {"name": name}})
    frame = encode("IPCFrame", {"request_id": 9, "msg_invoke_method": {
        "service_id": producer.service, "drop_reply": True, "args_proto": request,
        "method_id": producer.methods["RegisterDataSource"]}})
    producer.send_bytes(4000 * (struct.pack("<I", len(frame)) + frame))
    producer.ask("Sync")


def described_shortly():
    """So have those that are described in a few bytes, for what they take."""
    producers = [source(offers=()) for _ in range(33)]
    for producer in producers:
        describe_many(producer, "s")
    assert "too many" in producers[-1].register("one more")["error"]
    producers[0].close()
    consumer = Consumer()
    until(lambda: len(consumer.state()["producers"]) == 32)
    assert not producers[-1].register("again").get("error")


def described_in_pieces():
    """So have those with very many parts of two bytes, each of which takes a hundred."""
    producer, names = source(offers=()), [b"\x0a\x01a", b"\x0a\x01b"]
    parts = 40000 * b"\x0a\x00"
    replies = []
    for name in names:
        described = name + b"\x32" + varint(len(parts)) + parts
        request = producer.call_bytes("RegisterDataSource",
                                      b"\x0a" + varint(len(described)) + described)
        replies.append(producer.reply(request)[0])
    assert replies[0] == {} and "too many" in replies[1]["error"], replies


def hold_much():
    """An answer that nobody reads, and half frames, none of them much: too much together."""
    deaf, producer = Consumer(), source(offers=())
    for number in range(20):
        assert not producer.register(f"{number}." + "n" * 100000).get("error")
    deaf.call("QueryServiceState")
    select.select([deaf.socket], [], [])
    peers = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(512)]
    for peer in peers:
        peer.connect(os.environ["PERFETTO_PRODUCER_SOCK_NAME"])
        peer.send(struct.pack("<I", 9) + b"x")
    until(lambda: any(is_closed(peer) for peer in peers))
    assert source().hello, "who holds nothing is not served"


def held_by_user():
    """What all connections of a user make the service hold has a bound; others do not notice."""
    os.chmod(os.environ["PERFETTO_CONSUMER_SOCK_NAME"], 0o666)
    witness = Peer("producer")
    witness.send_bytes(struct.pack("<I", 9) + b"x")
    assert as_user(1001, hold_much)
    assert not is_closed(witness.socket)


def share_much(paths):
    """16 producers have all that a user may share; one more is told that it gets nothing."""
    each = 16 << 20
    producers = [source(f"p{i}", own_memory=True, page_size=4096, shm_size=each) for i in range(16)]
    assert all(p.hello["using_shmem_provided_by_producer"] for p in producers)
    late = source(own_memory=True, page_size=4096, shm_size=each)
    assert not late.hello.get("using_shmem_provided_by_producer")
    assert "producer-memory" in late.replies[0].popleft()["msg_request_error"]["error"]
    consumer, again = Consumer(), Consumer()
    assert not consumer.enable(config())
    assert late.command(1) is None, "the service has made memory beyond the bound"
    assert consumer.ask("GetTraceStats")["trace_stats"]["producers_refused"] == 1
    with open(paths, "w", encoding="ascii") as told:
        told.write("full")
    until(lambda: os.path.getsize(paths) > 4)
    producers[0].close()
    until(lambda: "p0" not in [p["name"] for p in consumer.state()["producers"]])
    assert not again.enable(config())
    expect(late, "setup_tracing")
    assert late.memory, "what was given back is not used"


def shared_by_user():
    """What the producers of a user share has a bound; other users, and root, do not notice."""
    os.chmod(os.environ["PERFETTO_CONSUMER_SOCK_NAME"], 0o666)
    paths = os.path.join(os.getcwd(), "told")
    with open(paths, "w", encoding="ascii"):
        os.chmod(paths, 0o666)
    child = os.fork()
    if not child:
        os._exit(not as_user(1001, share_much, paths))
    until(lambda: os.path.getsize(paths))
    assert as_user(1002, shares_one)
    shares_one()
    with open(paths, "a", encoding="ascii") as told:
        told.write(" go on")
    assert os.waitpid(child, 0)[1] == 0


def shares_one():
    """A producer with as much memory as one may have"""
    producer = source(own_memory=True, page_size=4096, shm_size=32 << 20)
    assert producer.hello["using_shmem_provided_by_producer"]


def holes_stay():
    """Memory that a producer never wrote to is not made by looking into it."""
    producer = source(shm_size=8 << 20, scraping=1)
    consumer = Consumer()
    assert not consumer.enable(config())
    instance, wanted = started(producer)
    write(producer, wanted["target_buffer"], [1])
    before = os.fstat(producer.memory.fd).st_blocks
    consumer.call("DisableTracing")
    until(lambda: consumer.state(True)["tracing_sessions"][0]["state"] == "DISABLED")
    assert os.fstat(producer.memory.fd).st_blocks == before < 1024, instance


def too_large_packets():
    """A packet of 17 MiB is dropped when it is read, told and counted; the others come."""
    producer, consumer, witness = source(page_size=32768, shm_size=4 << 20), Consumer(), Consumer()
    assert not consumer.enable(config(buffers=[{"size_kb": 65536}]))
    buffer = started(producer)[1]["target_buffer"]
    writer = write(producer, buffer, [1])
    for number, size in ((2, 15 << 20), (3, 17 << 20), (4, 10)):
        writer.write(test_packet(number, size))
    writer.flush()
    producer.ask("Sync")
    found = [p for p in packets(consumer) if "for_testing" in p]
    assert [p["for_testing"]["seq_value"] for p in found] == [1, 2, 4]
    assert len(found[1]["for_testing"]["str"]) == 15 << 20
    assert not found[1].get("previous_packet_dropped")
    assert found[2]["previous_packet_dropped"]
    assert consumer.ask("GetTraceStats")["trace_stats"]["packets_too_large"] == 1
    consumer.ask("FreeBuffers")
    assert witness.state()["num_sessions"] == 0


def gone_while_it_waits():
    """A consumer that goes while its session looks at very many sources: the session goes, too."""
    holder, witness, many = Consumer(), Consumer(), source(LONG, offers=())
    describe_many(many, SOURCE)
    holder.call("EnableTracing", {"trace_config": {
        "buffers": [{"size_kb": 4}], "data_sources": [
            {"config": {"name": SOURCE}, "producer_name_regex_filter": [DEAR] * 255}]}})
    until(lambda: witness.state(True)["num_sessions"] == 1)
    holder.close()
    until(lambda: witness.state(True)["num_sessions"] == 0)


def open_and_threads(pid):
    """How many descriptors and threads a process has."""
    return tuple(len(os.listdir(f"/proc/{pid}/{what}")) for what in ("fd", "task"))


def refused_for_an_hour():
    """A producer that is refused, with a descriptor that takes an hour to close, and its other end."""
    sender, taker = lingering()
    peer = Peer("producer")
    peer.send_bytes(b"\xff" * 4)
    peer.send_bytes(bytes(1), fds=[sender.fileno()])
    sender.close()
    return peer, taker


def let_close(takers):
    """What takes an hour to close is closed at once."""
    for taker in takers:
        taker.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        taker.close()


def few_closers():
    """Descriptors that take an hour to close: four threads do, and all of them are closed then."""
    witness, peers, takers = Consumer(), [], []
    service = service_pid(witness)
    before = open_and_threads(service)
    os.kill(service, signal.SIGSTOP)
    for _ in range(6):
        peer, taker = refused_for_an_hour()
        peers.append(peer)
        takers.append(taker)
    os.kill(service, signal.SIGCONT)
    assert all(is_dropped(peer) for peer in peers)
    # A descriptor that is being closed is none any more; two connections wait for a thread.
    until(lambda: open_and_threads(service) == (before[0] + 2, before[1] + 4))
    witness.state()
    witness.state()
    assert open_and_threads(service) == (before[0] + 2, before[1] + 4)
    let_close(takers)
    until(lambda: open_and_threads(service) == before)


def refused_with_data(ready, done):
    """Four connections that take an hour to close, and 380 with unread data, 280 too many."""
    hour, peers, path = [], [], os.environ["PERFETTO_PRODUCER_SOCK_NAME"]
    for _ in range(4):
        peer, taker = refused_for_an_hour()
        peers.append(peer)
        hour.append(taker)
    for _ in range(380):
        peers.append(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        peers[-1].connect(path)
        peers[-1].send(b"x")
    os.write(ready, b".")
    os.read(done, 1)
    let_close(hour)


def refused_in_bounds():
    """Refused connections that cannot be closed have a bound; then only consumers are accepted."""
    witness, ready, done = Consumer(), os.pipe(), os.pipe()
    service = service_pid(witness)
    limits = resource.prlimit(service, resource.RLIMIT_NOFILE)
    before = open_and_threads(service)[0]
    "x".encode("idna")     # another user could not load what that takes
    resource.prlimit(service, resource.RLIMIT_NOFILE, (400, limits[1]))
    os.kill(service, signal.SIGSTOP)
    child = os.fork()
    if not child:
        os.close(done[1])
        os._exit(not as_user(1001, refused_with_data, ready[1], done[0]))
    os.close(ready[1])
    assert os.read(ready[0], 1), "the user could not connect"
    os.kill(service, signal.SIGCONT)
    late = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    late.connect(os.environ["PERFETTO_PRODUCER_SOCK_NAME"])
    # 100 connections and 100 that are being closed, of which four threads have one each
    until(lambda: open_and_threads(service)[0] >= before + 190)
    time.sleep(0.5)
    assert open_and_threads(service)[0] <= before + 200, (before, open_and_threads(service))
    another = Consumer()
    assert another.state()["num_sessions"] == 0
    another.close()
    os.close(done[1])
    assert os.waitpid(child, 0)[1] == 0
    assert source().hello
    until(lambda: open_and_threads(service)[0] == before + 1)


def processor_time(pid):
    """Seconds that a process has used."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def policy_of(pid):
    """(policy, priority, nice value) that a process runs with."""
    return (os.sched_getscheduler(pid) & ~os.SCHED_RESET_ON_FORK,
            os.sched_getparam(pid).sched_priority, os.getpriority(os.PRIO_PROCESS, pid))


def boosted():
    """The service has the highest priority that a session asks for, as long as it is there."""
    first, second, third = Consumer(), Consumer(), Consumer()
    service = service_pid(first)
    usual = policy_of(service)
    assert not first.enable(config(priority_boost={"policy": 1, "priority": 5}))
    assert policy_of(service) == (os.SCHED_OTHER, 0, -5), policy_of(service)
    assert not second.enable(config(priority_boost={"policy": 2, "priority": 3}))
    assert policy_of(service) == (os.SCHED_FIFO, 3, -5), policy_of(service)
    assert not third.enable(config(exclusive_prio=1, priority_boost={"policy": 2, "priority": 2}))
    assert policy_of(service) == (os.SCHED_FIFO, 2, usual[2]), policy_of(service)
    third.ask("FreeBuffers")
    assert policy_of(service) == usual, policy_of(service)


if __name__ == "__main__":
    main(globals())
