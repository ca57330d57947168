#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""producer.py - a producer: registers data sources, writes packets when asked to

Prints events, an object a line. As a module: class Producer, class Writer.
"""

import argparse
import json
import os
import sys
import time

import shared
from pft import Gone, Peer
from wire import encode, padded

STATE_CLEARED, NEEDS_STATE = 1, 2


class Full(Exception):
    """No chunk is free."""


class Writer:
    """A sequence of packets. Chunks are committed when they are full, or by flush()."""

    def __init__(self, producer, buffer, layout=1, number=None):
        self.producer, self.buffer, self.layout = producer, buffer, layout
        self.number = number or producer.new_writer()
        self.chunk, self.chunk_id, self.at, self.count, self.flags = None, 0, 0, 0, 0
        producer.call("RegisterTraceWriter", {"trace_writer_id": self.number,
                                              "target_buffer": buffer}, drop_reply=True)

    def begin(self, flags=0):
        """A new chunk."""
        self.chunk = self.producer.take_chunk(self.layout)
        self.chunk.set_header(self.chunk_id, self.number)
        self.chunk_id += 1
        self.at, self.count, self.flags = 0, 0, flags

    def end(self, flags=0):
        """The chunk is whole: it goes to the service with the next commit."""
        if self.chunk:
            self.chunk.set_packets(self.count, self.flags | flags)
            self.producer.complete(self.chunk, self.buffer)
        self.chunk = None

    def put_fragment(self, data):
        """As much of a packet as there is room for; returns how much that was."""
        part = data[:self.chunk.room() - self.at - 4]
        self.count += 1
        self.chunk.set_packets(self.count, self.flags)
        self.chunk.put(self.at, padded(len(part)) + part)
        self.at += 4 + len(part)
        return len(part)

    def write(self, packet):
        """A packet, in as many chunks as it takes."""
        if not self.chunk or self.chunk.room() - self.at < 8 or self.count == 0x3ff:
            self.end()
            self.begin()
        done = self.put_fragment(packet)
        while done < len(packet):
            self.end(shared.CONTINUED)
            self.begin(shared.CONTINUES)
            done += self.put_fragment(packet[done:])

    def write_with_hole(self, packet, split, hole):
        """A packet in two chunks, of whose first 4 bytes at HOLE are to be patched.

        Returns what the patch needs: (chunk id, offset, bytes).
        """
        self.end()
        self.begin()
        chunk_id = self.chunk_id - 1
        first = packet[:hole] + bytes(4) + packet[hole + 4:split]
        self.put_fragment(first)
        self.end(shared.CONTINUED | shared.NEEDS_PATCH)
        self.begin(shared.CONTINUES)
        self.put_fragment(packet[split:])
        self.end()
        return chunk_id, 4 + hole, packet[hole:hole + 4]

    def patch(self, chunk_id, offset, data, has_more=False):
        """What an earlier chunk lacks, with the next commit."""
        self.producer.patches.append({
            "target_buffer": self.buffer, "writer_id": self.number, "chunk_id": chunk_id,
            "patches": [{"offset": offset, "data": data}], "has_more_patches": has_more})

    def flush(self):
        """All of it is committed."""
        self.end()
        self.producer.commit()

    def close(self):
        """Nothing more comes."""
        self.flush()
        self.producer.call("UnregisterTraceWriter", {"trace_writer_id": self.number},
                           drop_reply=True)


class Producer(Peer):
    """A producer's connection.

    own_memory: the memory is made here; inline: there is none, chunks are sent as bytes
    """

    def __init__(self, name="test.producer", page_size=0, shm_size=0, own_memory=False,
                 inline=False, scraping=0):
        super().__init__("producer")
        self.bind("ProducerPort")
        self.memory, self.moves, self.patches = None, [], []
        self.writers, self.instances, self.notifies = 0, {}, {}
        self.inline, self.deaf = inline, set()
        hello = {"producer_name": name, "smb_scraping_mode": scraping,
                 "shared_memory_page_size_hint_bytes": page_size,
                 "shared_memory_size_hint_bytes": shm_size, "sdk_version": "tests"}
        if own_memory:
            own = shared.Memory(page_size or 4096, size=shm_size or 256 * 1024)
            hello["producer_provided_shmem"] = True
            self.hello = self.ask("InitializeConnection", hello, fds=[own.fd])
            if self.hello.get("using_shmem_provided_by_producer"):
                self.memory = own
        else:
            self.hello = self.ask("InitializeConnection", hello)
        self.stream = self.call("GetAsyncCommand")

    def new_writer(self):
        """A number that no other writer has."""
        self.writers += 1
        return self.writers

    def register(self, source, **promises):
        """A data source; PROMISES as in DataSourceDescriptor."""
        self.notifies[source] = promises
        return self.ask("RegisterDataSource",
                        {"data_source_descriptor": {"name": source, **promises}})

    def take_chunk(self, layout):
        """A chunk to write into. What is full is committed, and waited for, if none is free."""
        if self.inline and not self.memory:
            self.memory = shared.Memory(4096, size=4096 * 64)
        if not self.memory:
            raise Full("there is no memory yet")
        chunk = self.memory.take(layout)
        if not chunk:
            self.commit()
            self.ask("Sync")
            chunk = self.memory.take(layout)
        if not chunk:
            raise Full("no chunk is free")
        return chunk

    def complete(self, chunk, buffer):
        """A chunk is whole."""
        move = {"page": chunk.page, "chunk": chunk.index, "target_buffer": buffer}
        chunk.to_state(shared.WRITTEN, shared.COMPLETE)
        if self.inline:
            move["data"] = bytes(chunk.bytes)
            chunk.to_state(shared.COMPLETE, shared.FREE)
        self.moves.append(move)
        if self.inline and len(self.moves) >= 16:
            self.commit()

    def commit(self, **more):
        """Sends what is whole: chunks, then patches, then MORE."""
        if self.moves or self.patches or more:
            self.call("CommitData", {"chunks_to_move": self.moves,
                                     "chunks_to_patch": self.patches, **more}, drop_reply=True)
        self.moves, self.patches = [], []

    def command(self, timeout=60):
        """(name, values) of what the service wants next; None: nothing in time."""
        reply = self.reply(self.stream, timeout)
        if reply is None:
            return None
        name, values = next(((name, values) for name, values in reply[0].items()
                             if name != "?"), ("unknown", reply[0]))
        if name == "setup_tracing" and self.descriptors:
            page_size = values.get("shared_buffer_page_size_kb", 4) * 1024
            self.memory = shared.Memory(page_size, self.descriptors.pop(0))
        elif name in ("setup_data_source", "start_data_source"):
            self.instances[values.get("new_instance_id", 0)] = values.get("config", {})
        return name, values

    def promised(self, instance, what):
        """Is the service to be told?"""
        source = self.instances.get(instance, {}).get("name")
        return self.notifies.get(source, {}).get(what) and what not in self.deaf

    def started(self, instance):
        """Tells that it has."""
        if self.promised(instance, "will_notify_on_start"):
            self.call("NotifyDataSourceStarted", {"data_source_id": instance}, drop_reply=True)

    def stopped(self, instance):
        """Tells that it has."""
        if self.promised(instance, "will_notify_on_stop"):
            self.call("NotifyDataSourceStopped", {"data_source_id": instance}, drop_reply=True)


def test_packet(sequence, size):
    """A packet that shows by itself whether it is whole."""
    fill = chr(ord("a") + sequence % 26)
    return encode("TracePacket", {
        "timestamp": time.clock_gettime_ns(time.CLOCK_BOOTTIME),
        "for_testing": {"seq_value": sequence, "str": fill * size}})


def track_packets(count):
    """Slices of one thread, whose names are interned by the first packet."""
    yield {"sequence_flags": STATE_CLEARED, "track_descriptor": {
        "uuid": 7, "thread": {"pid": os.getpid(), "tid": os.getpid(),
                              "thread_name": "main"}},
           "trace_packet_defaults": {"track_event_defaults": {"track_uuid": 7}},
           "interned_data": {"event_names": [{"iid": 1, "name": "work"}],
                             "event_categories": [{"iid": 1, "name": "test"}]}}
    for _ in range(count):
        yield {"sequence_flags": NEEDS_STATE,
               "track_event": {"type": 1, "name_iid": 1, "category_iids": [1]}}
        yield {"sequence_flags": NEEDS_STATE, "track_event": {"type": 2}}


class Run:
    """What the command line asks for."""

    def __init__(self, options):
        self.options = options
        self.producer = Producer(options.name, options.page_kb * 1024, options.shm_kb * 1024,
                                 options.own_memory, options.inline, options.scraping)
        self.producer.deaf = {f"will_notify_on_{what}" for what in options.deaf}
        self.writers, self.seen, self.sequence = {}, {}, 0
        for source in options.source:
            name, _, promises = source.partition(":")
            self.producer.register(name, **{promise: True for promise in promises.split(",")
                                            if promise})
        self.say("connected", sources=len(options.source), pid=os.getpid())

    def say(self, event, **more):
        """A line; lines are what a test waits for."""
        self.seen[event] = self.seen.get(event, 0) + 1
        print(json.dumps({"event": event, **more}), flush=True)

    def write(self, instance):
        """The packets that were asked for."""
        writer = self.writers[instance]
        if self.options.tracks:
            for packet in track_packets(self.options.packets):
                packet["timestamp"] = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
                writer.write(encode("TracePacket", packet))
        else:
            for _ in range(self.options.packets):
                writer.write(test_packet(self.sequence, self.options.size))
                self.sequence += 1
        if not self.options.hold:
            writer.flush()

    def start(self, instance, config):
        """Of an instance."""
        self.writers[instance] = Writer(self.producer, config.get("target_buffer", 0),
                                        self.options.layout)
        self.write(instance)
        self.producer.started(instance)

    def stop(self, instance):
        """Of an instance."""
        if instance in self.writers:
            self.writers.pop(instance).close()
        self.producer.stopped(instance)

    def flush(self, request):
        """Of all writers."""
        if "flush" in self.options.deaf:
            return
        for writer in self.writers.values():
            writer.end()
        self.producer.commit(flush_request_id=request)

    def obey(self, name, values):
        """Does what the service wants."""
        if name == "start_data_source":
            self.start(values.get("new_instance_id", 0), values.get("config", {}))
        elif name == "stop_data_source":
            self.stop(values.get("instance_id", 0))
        elif name == "flush":
            self.flush(values.get("request_id", 0))
        self.say(name, **values)

    def is_done(self):
        """--until EVENT or EVENT:NUMBER has come."""
        event, _, count = self.options.until.partition(":")
        return self.seen.get(event, 0) >= int(count or 1)

    def run(self):
        """Until that, or the service's end."""
        if self.options.trigger:
            self.producer.ask("ActivateTriggers", {"trigger_names": self.options.trigger})
            self.say("triggered")
        while not self.is_done():
            command = self.producer.command()
            if command:
                self.obey(*command)


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--name", default="test.producer")
    parser.add_argument("--source", action="append", default=[],
                        help="NAME[:PROMISE,...], promises as in DataSourceDescriptor")
    parser.add_argument("--packets", type=int, default=0, help="of each instance, at its start")
    parser.add_argument("--size", type=int, default=16, help="bytes of text in each")
    parser.add_argument("--tracks", action="store_true", help="write slices instead")
    parser.add_argument("--hold", action="store_true", help="commit at a flush only")
    parser.add_argument("--page-kb", type=int, default=0)
    parser.add_argument("--shm-kb", type=int, default=0)
    parser.add_argument("--layout", type=int, default=1, help="1..5: 1, 2, 4, 7, 14 chunks")
    parser.add_argument("--own-memory", action="store_true")
    parser.add_argument("--inline", action="store_true", help="send chunks as bytes")
    parser.add_argument("--scraping", type=int, default=0, help="1 on, 2 off")
    parser.add_argument("--deaf", action="append", default=[], choices=("start", "stop", "flush"))
    parser.add_argument("--trigger", action="append", default=[])
    parser.add_argument("--until", default="never", help="EVENT[:NUMBER]")
    try:
        Run(parser.parse_args()).run()
    except Gone:
        print(json.dumps({"event": "gone"}), flush=True)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
