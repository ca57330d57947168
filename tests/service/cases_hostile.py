#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""cases_hostile.py CASE... - hostile peers, and very many honest ones

Another consumer, which always continues to work, shows that the service survives.
"""

import fcntl
import os
import random
import resource
import signal
import socket
import struct
import time

import shared
from case import (DEAR, LONG, SOURCE, as_user, config, events, expect, fails, hold_sessions,
                  is_dropped, lingering, main, numbers, packets, service_pid, source, started, until, write)
from consumer import Consumer
from pft import Gone, Peer
from producer import Producer, Writer, test_packet
from wire import BYTES, VARINT, encode, put_unknown


# Instead of a session's number: the one with the highest bugreport_score
FOR_REPORT = str((1 << 64) - 1)


def discarded(consumer):
    """(chunks, patches) that the service has thrown away."""
    stats = consumer.ask("GetTraceStats")["trace_stats"]
    return stats["chunks_discarded"], stats["patches_discarded"]


def bad_frames():
    """Frames too long, cut, split, empty, and of garbage: the connection goes, the service stays."""
    witness = Consumer()
    for data in (struct.pack("<I", 128 * 1024 - 3), b"\xff\xff\xff\xff", b"\x01\x00\x00\x00\x0a",
                 b"\x05\x00\x00\x00\xff\xff\xff\xff\xff"):
        for kind in ("producer", "consumer"):
            peer = Peer(kind)
            peer.send_bytes(data)
            if data[0] == 1:
                continue        # half a frame may still become whole
            assert is_dropped(peer), data
    good = encode("IPCFrame", {"request_id": 9, "msg_bind_service": {
        "service_name": "ConsumerPort"}})
    peer = Peer("consumer")
    for byte in struct.pack("<I", len(good)) + good:
        peer.send_bytes(bytes([byte]))
    assert peer.next_frame(9)["msg_bind_service_reply"]["success"]
    peer.send_bytes(struct.pack("<I", 0))
    assert "msg_request_error" in peer.next_frame(0)
    assert witness.state()["num_sessions"] == 0


def random_bytes():
    """Bytes by chance, as frames and as arguments of every method (seed printed on failure)."""
    witness, seed = Consumer(), time.time_ns()
    print(f"seed {seed}")
    chance = random.Random(seed)
    for kind, port in (("producer", "ProducerPort"), ("consumer", "ConsumerPort")):
        for _ in range(40):
            peer = Peer(kind)
            peer.bind(port)
            if kind == "producer":
                peer.ask("InitializeConnection", {"producer_name": "random"})
            try:
                for _ in range(30):
                    method = chance.choice(list(peer.methods.values()))
                    peer.call_bytes(method, chance.randbytes(chance.randrange(12)))
                data = chance.randbytes(chance.randrange(1, 200))
                peer.send_bytes(struct.pack("<I", len(data)) + data)
            except (BrokenPipeError, ConnectionResetError):
                pass
            peer.close()
    assert "num_sessions" in witness.state()


def foreign_buffer():
    """A producer writes into a buffer that is not its own, or that there is not (PFT-95)."""
    mine, other, consumer = source("mine", ("mine",)), source("other", ("other",)), Consumer()
    consumer.enable(config(["mine", {"name": "other", "target_buffer": 1}],
                           [{"size_kb": 64}, {"size_kb": 64}]))
    own, foreign = started(mine)[1]["target_buffer"], started(other)[1]["target_buffer"]
    assert own != foreign
    chunks = 0
    for buffer in (foreign, 0, 99, 0xffffffff, 65536 + own):
        chunks += write(mine, buffer, [666]).chunk_id
    assert discarded(consumer) == (chunks, 0)
    assert numbers(packets(consumer)) == []
    write(mine, own, [1])
    write(other, foreign, [2])
    assert sorted(numbers(packets(consumer))) == [1, 2]


def not_of_the_session():
    """One that offers nothing, or whose session is over, writes nowhere."""
    mine, stranger, consumer = source(), source("stranger", ()), Consumer()
    consumer.enable(config())
    buffer = started(mine)[1]["target_buffer"]
    stranger.inline = True
    write(stranger, buffer, [1])
    consumer.ask("FreeBuffers")
    consumer.enable(config(["nothing"]))
    write(mine, buffer, [2])
    assert numbers(packets(consumer)) == []
    assert discarded(consumer)[0] == 2


def other_writers_buffer():
    """A registered writer keeps to its buffer."""
    producer, consumer = source(offers=("a", "b")), Consumer()
    consumer.enable(config(["a", {"name": "b", "target_buffer": 1}],
                           [{"size_kb": 64}, {"size_kb": 64}]))
    first, second = (started(producer)[1]["target_buffer"] for _ in range(2))
    writer = Writer(producer, first)
    writer.buffer = second
    writer.write(test_packet(1, 16))
    writer.flush()
    producer.ask("Sync")
    assert discarded(consumer) == (1, 0)


def bad_chunks():
    """Pages and chunks that there are not, or that are not complete (PFT-41)."""
    producer, consumer = source(), Consumer()
    consumer.enable(config())
    buffer = started(producer)[1]["target_buffer"]
    moves = [{"page": page, "chunk": chunk, "target_buffer": buffer} for page, chunk in
             ((64, 0), (0xffffffff, 0), (0, 14), (0, 0xffffffff), (0, 0))]
    half = producer.memory.take(1)
    half.set_header(0, 1)
    moves.append({"page": half.page, "chunk": half.index, "target_buffer": buffer})
    producer.ask("CommitData", {"chunks_to_move": moves})
    assert discarded(consumer)[0] == len(moves)
    assert numbers(packets(consumer)) == []


def bad_patches():
    """Patches of a wrong size, writer, buffer, or by the thousand (PFT-42)."""
    producer, consumer = source(), Consumer()
    consumer.enable(config())
    buffer = started(producer)[1]["target_buffer"]
    good = [{"offset": 0, "data": b"1234"}]
    cases = [(1, buffer, [{"offset": 0, "data": b"123"}]), (1, buffer, [{"offset": 0}]),
             (0, buffer, good), (32768, buffer, good), (1, 99, good), (1, buffer, good * 1025)]
    for writer, target, patches in cases:
        producer.ask("CommitData", {"chunks_to_patch": [{
            "target_buffer": target, "writer_id": writer, "chunk_id": 0, "patches": patches}]})
    assert discarded(consumer) == (0, sum(len(patches) for _, _, patches in cases))
    for offset in (0, 0xffffffff):
        producer.ask("CommitData", {"chunks_to_patch": [{
            "target_buffer": buffer, "writer_id": 1, "chunk_id": 0,
            "patches": [{"offset": offset, "data": b"1234"}]}]})
    found = consumer.ask("GetTraceStats")["trace_stats"]["buffer_stats"][0]
    assert found["patches_failed"] == 2 and not found["patches_succeeded"], found


def patched():
    """A packet that is patched later comes out whole, and not before."""
    producer, consumer = source(), Consumer()
    consumer.enable(config())
    writer = Writer(producer, started(producer)[1]["target_buffer"])
    packet = test_packet(5, 400)
    hole = writer.write_with_hole(packet, 300, 100)
    producer.commit()
    producer.ask("Sync")
    assert numbers(packets(consumer)) == []
    writer.patch(*hole)
    producer.commit()
    producer.ask("Sync")
    found = [p["for_testing"] for p in packets(consumer) if "for_testing" in p]
    assert [p["str"] for p in found] == ["f" * 400]


def forged_while_patched():
    """What a producer changes in its memory while a patch is pending is not in the trace."""
    producer, consumer = source(), Consumer()
    consumer.enable(config())
    writer = Writer(producer, started(producer)[1]["target_buffer"])
    hole = writer.write_with_hole(test_packet(5, 400), 300, 100)
    producer.commit()
    producer.ask("Sync")
    memory = producer.memory
    for page in range(memory.pages):
        start = page * memory.page_size
        memory.map[start + 8:start + memory.page_size] = b"\xff" * (memory.page_size - 8)
    writer.patch(hole[0], 1 << 31, b"evil")
    writer.patch(hole[0], hole[1] + 400, b"evil")
    writer.patch(hole[0] + 1, 0, b"evil", True)
    writer.patch(*hole)
    producer.commit()
    producer.ask("Sync")
    found = packets(consumer)
    stats = consumer.ask("GetTraceStats")["trace_stats"]["buffer_stats"][0]
    assert stats["patches_failed"] == 2 and stats["patches_succeeded"] == 2, stats
    found = [p["for_testing"]["str"] for p in found if "for_testing" in p]
    # The third one was inside of a chunk of its own, whose packet is its own loss.
    assert found in (["f" * 400], []), found


# What the service alone writes: uid, sequence, pid, machine; configuration, statistics, events and
# origins of the service, packets in packets, the mark
RESERVED = ((3, VARINT), (10, VARINT), (79, VARINT), (98, VARINT), (33, BYTES), (35, BYTES),
            (36, BYTES), (50, BYTES), (69, BYTES), (124, BYTES), (125, BYTES), (133, BYTES))


def forged_identity():
    """Packets that say who wrote them, or do not parse, are thrown away and counted (PFT-57)."""
    producer, consumer = source(), Consumer()
    consumer.enable(config())
    writer = Writer(producer, started(producer)[1]["target_buffer"])
    good = encode("TracePacket", {"for_testing": {"seq_value": 666}})
    forged = [put_unknown(number, kind, value) for number, kind in RESERVED
              for value in ((0, 7, (1 << 64) - 1) if kind == VARINT else (b"", b"x"))]
    bad = [good + part for part in forged] + [part + good for part in forged]
    bad += [good + part for part in (b"\x0a\xff", b"\x0a", b"\x80", b"\x0b", b"\x0f", b"\x09xxxx")]
    # In another chunk than the beginning of its packet
    bad.append(test_packet(666, 9000) + put_unknown(3, VARINT, 0))
    for packet in bad:
        writer.write(packet)
    writer.write(test_packet(1, 16))
    writer.flush()
    producer.ask("Sync")
    assert numbers(packets(consumer)) == [1]
    assert consumer.ask("GetTraceStats")["trace_stats"]["invalid_packets"] == len(bad)


def other_instance():
    """A producer acknowledges what is not its own."""
    mine, other, consumer = Producer("mine"), source("other", ()), Consumer()
    mine.register(SOURCE, will_notify_on_start=True, will_notify_on_stop=True)
    consumer.observe(2)
    consumer.enable(config(data_source_stop_timeout_ms=3600000))
    number = started(mine)[0]
    other.ask("NotifyDataSourceStarted", {"data_source_id": number})
    assert consumer.reply(consumer.observed, 0.1) is None
    mine.ask("NotifyDataSourceStarted", {"data_source_id": number})
    assert consumer.event()["all_data_sources_started"]
    consumer.ask("DisableTracing")
    other.ask("NotifyDataSourceStopped", {"data_source_id": number})
    assert consumer.ended(0.1) is None
    mine.ask("NotifyDataSourceStopped", {"data_source_id": number})
    assert consumer.ended()["disabled"]


def other_flush():
    """A producer acknowledges a flush that others were asked for."""
    mine, other, consumer = source("mine"), source("other", ()), Consumer()
    consumer.enable(config())
    started(mine)
    request = consumer.call("Flush", {"timeout_ms": 3600000})
    values = expect(mine, "flush")
    for number in (values["request_id"], (1 << 64) - 1):
        other.ask("CommitData", {"flush_request_id": number})
    assert consumer.reply(request, 0.1) is None
    mine.ask("CommitData", {"flush_request_id": values["request_id"]})
    assert consumer.reply(request) == ({}, False)


def unasked_flush():
    """One who acknowledges what nobody asked for does not say that nothing more comes."""
    producer, consumer = source(inline=True), Consumer()
    consumer.enable(config())
    buffer = started(producer)[1]["target_buffer"]

    def move(number, chunk):
        packet = test_packet(number, 16)
        producer.ask("CommitData", {"chunks_to_move": [{
            "target_buffer": buffer, "data": struct.pack("<IHHB", chunk, 1, 1, len(packet)) +
            packet}]})

    move(0, 0)
    move(2, 2)
    for number in (1, (1 << 64) - 1):
        producer.ask("CommitData", {"flush_request_id": number})
    assert numbers(packets(consumer)) == [0]
    move(1, 1)
    move(4, 4)
    assert numbers(packets(consumer)) == [1, 2]
    request = consumer.call("Flush")
    producer.ask("CommitData", {"flush_request_id": expect(producer, "flush")["request_id"]})
    assert consumer.reply(request)
    assert numbers(packets(consumer)) == [4]


def cut_memory():
    """Memory that can shrink is not taken; that which is, cannot (PFT-98)."""
    consumer = Consumer()
    loose = os.memfd_create("loose", os.MFD_ALLOW_SEALING)
    os.ftruncate(loose, 256 << 10)
    plain = os.open("plain", os.O_RDWR | os.O_CREAT)
    os.ftruncate(plain, 256 << 10)
    bad = [loose, plain, os.open("/dev/null", os.O_RDWR)]
    try:
        huge = os.memfd_create("huge", os.MFD_ALLOW_SEALING | os.MFD_HUGETLB)
        os.ftruncate(huge, 2 << 20)
        fcntl.fcntl(huge, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
        bad.append(huge)
    except OSError:
        pass    # the kernel has no huge pages
    for fd in bad:
        peer = Peer("producer")
        peer.bind("ProducerPort")
        reply = peer.ask("InitializeConnection", {
            "producer_name": "cut", "producer_provided_shmem": True,
            "shared_memory_page_size_hint_bytes": 4096}, fds=[fd])
        assert not reply.get("using_shmem_provided_by_producer"), fd
    producer = source()
    consumer.enable(config())
    buffer = started(producer)[1]["target_buffer"]
    for size in (0, 4096):
        try:
            os.ftruncate(producer.memory.fd, size)
        except OSError:
            continue
        raise AssertionError("the memory was truncated")
    write(producer, buffer, [1])
    assert numbers(packets(consumer)) == [1]


def changing_memory():
    """Memory that is changed while the service looks at it: nothing worse than lost packets."""
    producer, consumer = source(), Consumer()
    consumer.enable(config())
    buffer = started(producer)[1]["target_buffer"]
    chance = random.Random(7)
    child = os.fork()
    if not child:
        memory = producer.memory
        while True:
            at = chance.randrange(memory.size)
            memory.map[at] = chance.randrange(256)
    for number in range(3000):
        moves = [{"page": chance.randrange(64), "chunk": chance.randrange(14),
                  "target_buffer": buffer} for _ in range(20)]
        producer.call("CommitData", {"chunks_to_move": moves}, drop_reply=True)
        if not number % 500:
            producer.ask("Sync")
            packets(consumer)
    os.kill(child, 9)
    os.waitpid(child, 0)
    producer.close()
    consumer.ask("DisableTracing")
    assert consumer.ended()["disabled"]
    packets(consumer)
    consumer.ask("FreeBuffers")


def deaf_producer():
    """A producer that never reads its commands is dropped; others are served (PFT-97)."""
    deaf, good, consumer = source("deaf"), source("good"), Consumer()
    deaf.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    consumer.enable(config())
    started(good)
    many = 0
    while any(p["name"] == "deaf" for p in consumer.state().get("producers", ())):
        for _ in range(900):
            consumer.call("Flush", {"timeout_ms": 1}, drop_reply=True)
        many += 900
        while good.command(0.01):
            pass
        assert many < 100000, "it was never dropped"
    write(good, consumer_buffer(consumer, good), [1])
    assert 1 in numbers(packets(consumer))


def consumer_buffer(consumer, producer):
    """The buffer that a producer was given."""
    assert consumer
    return next(iter(producer.instances.values()))["target_buffer"]


def deaf_consumer():
    """A consumer that asks and never reads: reading waits for it, questions end it."""
    producer, reader, asker, witness = source(), Consumer(), Consumer(), Consumer()
    reader.enable(config(buffers=[{"size_kb": 16384}]))
    buffer = started(producer)[1]["target_buffer"]
    for number in range(8):
        write(producer, buffer, [number], 1000000)
    request = reader.call("ReadBuffers")
    try:
        asker.socket.settimeout(30)
        for _ in range(200000):
            asker.call("QueryServiceState")
    except (BrokenPipeError, ConnectionResetError):
        pass
    else:
        raise AssertionError("it was never dropped")
    assert witness.state()["num_sessions"] == 1
    # The one who only reads slowly gets everything.
    sizes, more = 0, True
    while more:
        values, more = reader.reply(request)
        sizes += sum(len(s.get("data", b"")) for s in values.get("slices", ()))
    assert sizes > 8000000, sizes


def floods():
    """One that floods the service: the others have their turn."""
    flood, consumer = source("flood"), Consumer()
    child = os.fork()
    if not child:
        frame = encode("IPCFrame", {"request_id": 1, "msg_invoke_method": {
            "service_id": 1, "method_id": flood.methods["CommitData"], "drop_reply": True,
            "args_proto": encode("CommitDataRequest", {"chunks_to_move": [
                {"page": 1, "chunk": 1, "target_buffer": 1}] * 1000})}})
        frame = struct.pack("<I", len(frame)) + frame
        while True:
            flood.socket.sendall(frame)
    try:
        good = source("good", ("good",))
        consumer.enable(config(["good"]))
        write(good, started(good)[1]["target_buffer"], range(50))
        consumer.ask("DisableTracing")
        assert numbers(packets(consumer)) == list(range(50))
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


def dear_calls():
    """Calls that take long: the others have their turn between them."""
    names = [f"t{number}" for number in range(1000)]
    holder, flood, witness = Consumer(), source("flood"), Consumer()
    assert not holder.enable(config(trigger_config={
        "trigger_mode": 4, "trigger_timeout_ms": 3600000, "triggers": [
            {"name": name, "producer_name_regex": "(f|l|o)*d"} for name in names]}))
    for _ in range(60):
        flood.call("ActivateTriggers", {"trigger_names": names}, drop_reply=True)
    last = flood.call("Sync")
    assert witness.state()["num_sessions"] == 1
    assert flood.reply(last, 0.001) is None, "the witness had to wait for all of them"
    assert flood.reply(last) == ({}, False)


def dear_names():
    """Names that are dear to look up: others are answered before all of one call's are."""
    producer, holder, witness = source(LONG), Consumer(), source("witness")
    assert not holder.enable(config(trigger_config={
        "trigger_mode": 4, "trigger_timeout_ms": 3600000, "triggers": [
            {"name": "t", "producer_name_regex": DEAR}]}))
    fired = producer.call("ActivateTriggers", {"trigger_names": ["t"] * 1000})
    witness.ask("Sync")
    assert producer.reply(fired, 0.001) is None, "the witness had to wait for all of them"
    assert fails(witness.ask, "ActivateTriggers", {"trigger_names": ["t"] * 1025})


def dear_names_and_many_sources():
    """A session looks at many sources while a producer fires dear names: neither waits for all."""
    many, producer, holder, consumer = Producer("many"), source(LONG), Consumer(), Consumer()
    for number in range(1000):
        many.call("RegisterDataSource", {"data_source_descriptor": {"name": f"s{number}"}},
                  drop_reply=True)
    many.ask("Sync")
    assert not holder.enable(config(trigger_config={
        "trigger_mode": 4, "trigger_timeout_ms": 3600000, "triggers": [
            {"name": "t", "producer_name_regex": DEAR}]}))
    fired = producer.call("ActivateTriggers", {"trigger_names": ["t"] * 300})
    assert not consumer.enable(config())
    assert producer.reply(fired, 0.001) is None, "the session had to wait for all of them"


def dear_filters():
    """A session whose filters take long: others are served, and it has what they choose."""
    dear, holder, witness = source(LONG), Consumer(), source("witness", offers=())
    wanted = {"config": {"name": SOURCE}, "producer_name_regex_filter": [DEAR] * 100 + ["late"]}
    holder.call("EnableTracing", {"trace_config": {
        "buffers": [{"size_kb": 4}], "data_sources": [wanted]}})
    begun = holder.call("QueryCapabilities")
    witness.ask("Sync")
    assert holder.reply(begun, 0.001) is None, "the witness had to wait for all of them"
    late = source("late")
    assert holder.reply(begun)
    started(late)
    assert dear.command(0.001) is None


def dear_memory():
    """Very much memory with chunks that are being written, by turns shared with 20 producers."""
    own = shared.Memory(4096, size=32 << 20)
    chunk = struct.pack("<IHH", 0, 1, 2) + bytes(284)
    own.map[:] = (struct.pack("<II", 5 << 28 | 0x5555555, 0) + 14 * chunk) * own.pages
    sharers = []
    for _ in range(20):
        sharer = Peer("producer")
        sharer.bind("ProducerPort")
        assert sharer.ask("InitializeConnection", {
            "producer_provided_shmem": True, "shared_memory_page_size_hint_bytes": 4096},
                          fds=[own.fd])["using_shmem_provided_by_producer"]
        sharer.ask("RegisterDataSource", {
            "data_source_descriptor": {"name": SOURCE, "no_flush": True}})
        sharer.ask("RegisterTraceWriter", {"trace_writer_id": 1, "target_buffer": 1})
        sharers.append(sharer)
    return sharers


def dear_flush():
    """Others are answered while very much memory is flushed, and at the end of its session."""
    consumer, witness = Consumer(), source("witness", offers=())
    consumer.enable(config())
    sharers = dear_memory()
    flushed = consumer.call("Flush")
    consumer.ask("QueryCapabilities")
    witness.ask("Sync")
    assert consumer.reply(flushed, 0.001) is None, "the witness had to wait for all of it"
    assert consumer.reply(flushed)
    consumer.call("DisableTracing")
    later = consumer.call("QueryCapabilities")
    witness.ask("Sync")
    assert consumer.reply(later, 0.001) is None, "the witness had to wait for the end"
    assert consumer.reply(later)
    assert consumer.ended() == {"disabled": True}
    assert len(sharers) == 20


def dear_ends():
    """Producers with very much memory go: others are answered meanwhile."""
    consumer, witness = Consumer(), Consumer()
    consumer.enable(config())
    sharers = dear_memory()
    for sharer in sharers:
        sharer.close()
    witness.state()
    assert witness.state().get("producers"), "the witness had to wait for all of them"
    until(lambda: not witness.state().get("producers"))


def many_descriptors():
    """Descriptors that nobody asked for are closed, by a thread that does it when it can."""
    producer = source()
    service = service_pid(producer)
    before = len(os.listdir(f"/proc/{service}/fd"))
    for _ in range(200):
        producer.call("Sync", fds=[0, 1, 2])
    producer.ask("Sync")
    until(lambda: len(os.listdir(f"/proc/{service}/fd")) <= before + 1)


def lingering_descriptors():
    """Descriptors that take an hour to close: second ones, and of a connection that has ended."""
    witness, second, dropped = Consumer(), source("second"), Peer("producer")
    service, takers = service_pid(witness), []
    for peer in second, dropped:
        sender, taker = lingering()
        takers.append(taker)
        os.kill(service, signal.SIGSTOP)
        if peer is dropped:
            peer.send_bytes(b"\xff" * 4)
        peer.send_bytes(bytes(1), fds=[0, sender.fileno()])
        sender.close()
        os.kill(service, signal.SIGCONT)
        if peer is dropped:
            assert is_dropped(peer)
        witness.state()
        assert witness.state()
    for taker in takers:
        taker.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        taker.close()


def memory_of(pid):
    """(kilobytes, descriptors) of a process."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        pages = int(file.read().split()[1])
    return pages * 4, len(os.listdir(f"/proc/{pid}/fd"))


def nothing_left():
    """Sessions and producers that come and go leave no memory and no descriptor (PFT-14)."""
    witness = Consumer()
    service = service_pid(witness)
    before = None
    for turn in range(60):
        if turn == 20:
            before = memory_of(service)
        producer, consumer = source(), Consumer()
        consumer.enable(config(buffers=[{"size_kb": 1024}]))
        write(producer, started(producer)[1]["target_buffer"], range(500), 1000)
        packets(consumer)
        producer.close()
        consumer.close()
        until(lambda: not witness.state().get("producers") and
              not witness.state(True).get("num_sessions"))
    after = memory_of(service)
    assert after[1] == before[1], (before, after)
    assert after[0] < before[0] + 1024, (before, after)


def thousand_producers():
    """A thousand producers in one session; all of them are flushed."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    consumer = Consumer()
    consumer.enable(config(buffers=[{"size_kb": 4096}]))
    producers = [Producer(f"p{number}", shm_size=32768) for number in range(1000)]
    for producer in producers:
        producer.call("RegisterDataSource", {"data_source_descriptor": {"name": SOURCE}},
                      drop_reply=True)
    writers = []
    for number, producer in enumerate(producers):
        writers.append(Writer(producer, started(producer)[1]["target_buffer"]))
        writers[-1].write(test_packet(number, 16))
    request = consumer.call("Flush", {"timeout_ms": 3600000})
    for producer, writer in zip(producers, writers):
        values = expect(producer, "flush")
        writer.end()
        producer.commit(flush_request_id=values["request_id"])
    assert consumer.reply(request) == ({}, False)
    assert consumer.ask("GetTraceStats")["trace_stats"]["producers_connected"] == 1000
    found = packets(consumer)
    assert sorted(numbers(found)) == list(range(1000))
    assert len({p["trusted_packet_sequence_id"] for p in found if "for_testing" in p}) == 1000


def fifteen_sessions():
    """Fifteen sessions of three users, and not one more."""
    os.chmod(os.environ["PERFETTO_CONSUMER_SOCK_NAME"], 0o666)
    ready, done = os.pipe(), os.pipe()
    children = []
    for uid in (1001, 1002):
        child = os.fork()
        if not child:
            os.close(done[1])
            os._exit(not as_user(uid, hold_sessions, 5, ready[1], done[0]))
        children.append(child)
    os.close(ready[1])
    for _ in children:
        assert os.read(ready[0], 1), "a user could not make his sessions"
    producer = source()
    consumers = [Consumer() for _ in range(5)]
    for consumer in consumers:
        assert not consumer.enable(config())
    for _ in range(15):
        started(producer)
    extra = as_user(1003, too_many)
    os.close(done[1])
    for child in children:
        assert os.waitpid(child, 0)[1] == 0
    assert extra


def too_many():
    """The sixteenth session."""
    assert "Too many concurrent tracing sessions (15)" in Consumer().enable(config())["error"]


def strangers_session():
    """What another user may do with sessions that are not his."""
    consumer = Consumer()
    reply = consumer.state(True)
    assert reply["num_sessions"] == 2, reply
    assert "tracing_sessions" not in reply, reply
    for which in ("secret", "reported", "1", "2"):
        assert "another UID" in consumer.clone(which)["error"], which
    assert "not found" in consumer.clone(FOR_REPORT)["error"]
    assert fails(consumer.ask, "Attach", {"key": "k"})


def two_users():
    """Another user sees, clones and attaches nothing (PFT-96)."""
    os.chmod(os.environ["PERFETTO_CONSUMER_SOCK_NAME"], 0o666)
    mine, reported = Consumer(), Consumer()
    mine.enable(config(unique_session_name="secret", write_into_file=True,
                       output_path=os.path.abspath("t")))
    mine.ask("Detach", {"key": "k"})
    reported.enable(config(unique_session_name="reported", bugreport_score=1))
    assert as_user(1001, strangers_session)
    own = Consumer()
    assert own.clone(FOR_REPORT)["success"]
    assert [s["state"] for s in own.state(True)["tracing_sessions"]] == [
        "STARTED", "STARTED", "CLONED_READ_ONLY"]


def write_as_user():
    """A producer of another user."""
    producer = source("other user")
    write(producer, started(producer)[1]["target_buffer"], [3])


def user_is_stamped():
    """Packets have the user that the kernel knows."""
    consumer = Consumer()
    consumer.enable(config())
    assert as_user(1001, write_as_user)
    found = [p for p in packets(consumer) if "for_testing" in p]
    assert [p["trusted_uid"] for p in found] == [1001], found


def refused_when_locked():
    """A producer of another user, while the service is locked."""
    peer = Peer("producer")
    peer.bind("ProducerPort")
    assert fails(peer.ask, "InitializeConnection", {"producer_name": "x"})


def locked():
    """Lockdown: only producers of the service's own user, until it is lifted."""
    consumer = Consumer()
    consumer.enable(config(lockdown_mode=2))
    assert as_user(1001, refused_when_locked)
    source()
    consumer.ask("FreeBuffers")
    consumer.enable(config(lockdown_mode=1))
    assert as_user(1001, write_as_user)


def file_where_it_may_not():
    """A file in a folder of root's, and one in its own."""
    for folder, text in (("roots", "Permission denied"), ("users", None)):
        path = os.path.abspath(f"{folder}/trace")
        consumer = Consumer()
        reply = consumer.enable(config(write_into_file=True, output_path=path))
        assert text is None and not reply or text in reply["error"], reply


def files_of_users():
    """A file is made with the rights of the user who asks for it, and is his."""
    os.chmod(os.environ["PERFETTO_CONSUMER_SOCK_NAME"], 0o666)
    os.mkdir("roots", 0o755)
    os.mkdir("users", 0o755)
    os.chown("users", 1001, 1001)
    assert as_user(1001, file_where_it_may_not)
    assert os.stat("users/trace").st_uid == 1001
    assert not os.path.exists("roots/trace")


def denied():
    """The consumers' socket, for a stranger."""
    try:
        Consumer()
    except PermissionError:
        return
    raise AssertionError("it could connect")


def who_may_consume():
    """Anybody may be a producer, a consumer only the owner and the group."""
    assert os.stat(os.environ["PERFETTO_CONSUMER_SOCK_NAME"]).st_mode & 0o777 == 0o660
    assert as_user(1001, denied)
    assert as_user(1001, refused_name)


def refused_name():
    """A producer without a session."""
    assert Producer("stranger").hello


if __name__ == "__main__":
    main(globals())
