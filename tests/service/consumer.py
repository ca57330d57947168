#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""consumer.py ACTION... - a consumer: runs one action after the other on one connection

 enable CONFIG [FD-FILE]  CONFIG: JSON text or a file of it; FD-FILE: file for write_into_file
 start, disable, free, stats, state, sessions, capabilities
 ended                    wait until tracing has been disabled
 flush MS                 print false if not all have acknowledged
 read FILE                write the buffers to a trace
 change CONFIG, detach KEY, attach KEY, clone ID|NAME, bugreport
 observe BITS, event      ask for events; wait for the next one
 pause SECONDS, ready     print that all earlier actions are done; wait for a line of input

Prints an object for each. Status 1: one action was refused, and later ones did not run.
"""

import json
import os
import sys
import time

from pft import TIMEOUT, Gone, Peer, Refused
from wire import trace_of


class Consumer(Peer):
    """A consumer's connection."""

    def __init__(self):
        super().__init__("consumer")
        self.bind("ConsumerPort")
        self.enabled = self.observed = None

    def enable(self, config, fd=None):
        """Asks for tracing. The reply comes at its end, or at once if it is refused."""
        self.enabled = self.call("EnableTracing", {"trace_config": config},
                                 fds=[] if fd is None else [fd])
        self.ask("QueryCapabilities")
        if self.replies[self.enabled]:
            return self.ended()
        return {}

    def ended(self, timeout=TIMEOUT):
        """Waits for the end of tracing; None: it has not come."""
        reply = self.reply(self.enabled, timeout)
        return reply and reply[0]

    def read(self):
        """The packets that are there, as bytes each."""
        request = self.call("ReadBuffers")
        part, more = b"", True
        while more:
            reply = self.reply(request)
            if reply is None:
                raise TimeoutError("ReadBuffers: no reply")
            values, more = reply
            for piece in values.get("slices", ()):
                part += piece.get("data", b"")
                if piece.get("last_slice_for_packet"):
                    yield part
                    part = b""
        if part:
            raise Refused("ReadBuffers: the last packet is cut")

    def flush(self, timeout_ms=5000, flags=0):
        """True: all have acknowledged."""
        try:
            self.ask("Flush", {"timeout_ms": timeout_ms, "flags": flags})
        except Refused:
            return False
        return True

    def state(self, sessions_only=False):
        """Of the service, put together from its parts."""
        request = self.call("QueryServiceState", {"sessions_only": sessions_only})
        state, more = {}, True
        while more:
            reply, more = self.reply(request)
            for name, value in reply.get("service_state", {}).items():
                if isinstance(value, list):
                    state.setdefault(name, []).extend(value)
                else:
                    state[name] = value
        return state

    def clone(self, which):
        """A session by its number or its name."""
        wanted = {"session_id": int(which)} if which.isdigit() else {"unique_session_name": which}
        return self.ask("CloneSession", wanted)

    def observe(self, bits):
        """The events to be told of."""
        wanted = [1 << bit for bit in range(8) if bits >> bit & 1]
        self.observed = self.call("ObserveEvents", {"events_to_observe": wanted})

    def event(self):
        """The next of them."""
        reply = self.reply(self.observed)
        return reply[0].get("events", {}) if reply else {"none": True}


def take_config(text):
    """A config, as JSON; bytes are in hexadecimal digits."""
    if not text.lstrip().startswith("{"):
        with open(text, encoding="utf-8") as file:
            text = file.read()
    config = json.loads(text)
    for name, value in config.get("trace_filter", {}).items():
        config["trace_filter"][name] = bytes.fromhex(value)
    return config


class Script:
    """The actions; each returns what is printed."""

    def __init__(self, words):
        self.words = list(words)
        self.consumer = Consumer()

    def word(self):
        """The next one."""
        if not self.words:
            raise SystemExit("consumer.py: an argument is missing")
        return self.words.pop(0)

    def do_enable(self):
        """enable CONFIG [FD-FILE]"""
        config, fd = take_config(self.word()), None
        if config.get("write_into_file") and not config.get("output_path"):
            fd = os.open(self.word(), os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        result = self.consumer.enable(config, fd)
        if fd is not None:
            os.close(fd)
        if result and result.get("error"):
            raise Refused(result["error"])
        return result

    def do_ended(self):
        """ended"""
        return self.consumer.ended()

    def do_read(self):
        """read FILE"""
        packets = list(self.consumer.read())
        with open(self.word(), "wb") as file:
            file.write(trace_of(packets))
        return {"packets": len(packets)}

    def do_flush(self):
        """flush MS"""
        return {"ok": self.consumer.flush(int(self.word()))}

    def do_change(self):
        """change CONFIG"""
        return self.consumer.ask("ChangeTraceConfig", {"trace_config": take_config(self.word())})

    def do_detach(self):
        """detach KEY"""
        return self.consumer.ask("Detach", {"key": self.word()})

    def do_attach(self):
        """attach KEY"""
        self.consumer.enabled = self.consumer.call("EnableTracing", {
            "attach_notification_only": True})
        return self.consumer.ask("Attach", {"key": self.word()})

    def do_clone(self):
        """clone ID|NAME"""
        reply = self.consumer.clone(self.word())
        if not reply.get("success"):
            raise Refused(reply.get("error", "not cloned"))
        return reply

    def do_observe(self):
        """observe BITS"""
        return self.consumer.observe(int(self.word())) or {}

    def do_event(self):
        """event"""
        return self.consumer.event()

    def do_state(self):
        """state"""
        return self.consumer.state()

    def do_sessions(self):
        """sessions"""
        return self.consumer.state(True)

    def do_pause(self):
        """pause SECONDS"""
        return time.sleep(float(self.word())) or {}

    def do_ready(self):
        """ready"""
        print(json.dumps({"action": "ready"}), flush=True)
        sys.stdin.readline()
        return {}

    METHODS = {"start": "StartTracing", "disable": "DisableTracing", "free": "FreeBuffers",
               "stats": "GetTraceStats", "capabilities": "QueryCapabilities",
               "bugreport": "SaveTraceForBugreport"}

    def run(self):
        """One after the other."""
        while self.words:
            action = self.word()
            if action in self.METHODS:
                result = self.consumer.ask(self.METHODS[action])
            else:
                result = getattr(self, "do_" + action)()
            show = json.dumps({"action": action, "result": result}, default=bytes.hex)
            print(show, flush=True)


def main():
    """The command line."""
    if len(sys.argv) < 2 or not all(sys.argv):
        print(__doc__, file=sys.stderr)
        return 2
    script = Script(sys.argv[1:])
    try:
        script.run()
    except (Refused, Gone, TimeoutError) as error:
        print(json.dumps({"error": str(error) or type(error).__name__}), flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
