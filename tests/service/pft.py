#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""pft.py - a connection to the service: frames, calls, replies, descriptors"""

import collections
import os
import socket
import struct
import time

from wire import decode, encode

TIMEOUT = 60        # seconds; nobody waits so long unless something is broken


class Gone(ConnectionError):
    """The service has closed the connection."""


class Refused(Exception):
    """The service did not do what it was asked for."""


def socket_name(kind):
    """Where the service listens for producers or consumers."""
    name = os.environ.get(f"PERFETTO_{kind.upper()}_SOCK_NAME")
    if name:
        return name
    if os.path.isdir("/run/perfetto"):
        return f"/run/perfetto/traced-{kind}.sock"
    return f"/tmp/perfetto-{kind}"


class Peer:
    """One side of a connection. Replies are kept until somebody asks for them."""

    def __init__(self, kind):
        name = socket_name(kind)
        self.kind = kind
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect("\0" + name[1:] if name.startswith("@") else name)
        self.received = b""
        self.descriptors = []
        self.replies = collections.defaultdict(collections.deque)
        self.methods = {}
        self.names = {}
        self.service = 0
        self.last_id = 0

    def close(self):
        """Ends the connection; descriptors that nobody took are closed."""
        self.socket.close()
        for fd in self.descriptors:
            os.close(fd)
        self.descriptors = []

    def send_bytes(self, data, fds=()):
        """As they are: for frames that no honest peer sends, too."""
        if fds:
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack(f"{len(fds)}i", *fds))]
            sent = self.socket.sendmsg([data], rights)
            data = data[sent:]
        self.socket.sendall(data)

    def send_frame(self, frame, fds=()):
        """A message of type IPCFrame."""
        data = encode("IPCFrame", frame)
        self.send_bytes(struct.pack("<I", len(data)) + data, fds)

    def fill(self, deadline):
        """Receives something."""
        self.socket.settimeout(max(deadline - time.monotonic(), 0.001))
        data, control, _, _ = self.socket.recvmsg(1 << 17, socket.CMSG_SPACE(16))
        for level, kind, rights in control:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                count = len(rights) // 4
                self.descriptors += struct.unpack(f"{count}i", rights[:count * 4])
        if not data:
            raise Gone("the service has closed the connection")
        self.received += data

    def take_frame(self, deadline):
        """The next frame."""
        while len(self.received) < 4 or \
                len(self.received) < 4 + int.from_bytes(self.received[:4], "little"):
            self.fill(deadline)
        size = int.from_bytes(self.received[:4], "little")
        # More than that the protocol's own clients do not take.
        assert size <= (128 << 10) - 4, f"a frame of {size} bytes"
        frame = decode("IPCFrame", self.received[4:4 + size])
        self.received = self.received[4 + size:]
        return frame

    def pump(self, timeout=TIMEOUT):
        """Takes one frame and keeps what it replies to; False: none came in time."""
        try:
            frame = self.take_frame(time.monotonic() + timeout)
        except TimeoutError:
            return False
        self.socket.settimeout(None)
        self.replies[frame.get("request_id", 0)].append(frame)
        return True

    def next_frame(self, request, timeout=TIMEOUT):
        """The next frame that answers a request; None: none came in time."""
        deadline = time.monotonic() + timeout
        while not self.replies[request]:
            left = deadline - time.monotonic()
            if left <= 0 or not self.pump(left):
                return None
        return self.replies[request].popleft()

    def new_id(self):
        """Of a request."""
        self.last_id += 1
        return self.last_id

    def bind(self, service):
        """Learns what the methods of a service are called by."""
        request = self.new_id()
        self.send_frame({"request_id": request, "msg_bind_service": {"service_name": service}})
        frame = self.next_frame(request)
        reply = (frame or {}).get("msg_bind_service_reply", {})
        if not reply.get("success"):
            raise Refused(f"{service}: not bound")
        self.service = reply.get("service_id", 0)
        self.methods = {method["name"]: method["id"] for method in reply["methods"]}

    def call(self, method, values=None, drop_reply=False, fds=()):
        """Sends a request; returns its id."""
        kind = "CommitDataRequest" if method == "CommitData" else method + "Request"
        return self.call_bytes(method, encode(kind, values or {}), drop_reply, fds)

    def call_bytes(self, method, args, drop_reply=False, fds=()):
        """The same with arguments that are encoded, well or badly."""
        request = self.new_id()
        invoke = {"service_id": self.service, "method_id": self.methods.get(method, method),
                  "args_proto": args}
        if drop_reply:
            invoke["drop_reply"] = True
        self.names[request] = method
        self.send_frame({"request_id": request, "msg_invoke_method": invoke}, fds)
        return request

    def reply(self, request, timeout=TIMEOUT):
        """(values, has_more) of the next reply to a request; None: none in time."""
        frame = self.next_frame(request, timeout)
        if frame is None:
            return None
        reply = frame.get("msg_invoke_method_reply")
        if reply is None or not reply.get("success"):
            raise Refused(frame.get("msg_request_error", {}).get("error", self.names[request]))
        values = decode(self.names[request] + "Response", reply.get("reply_proto", b""))
        return values, reply.get("has_more", False)

    def ask(self, method, values=None, timeout=TIMEOUT, fds=()):
        """Sends a request and waits for its reply."""
        reply = self.reply(self.call(method, values, fds=fds), timeout)
        if reply is None:
            raise TimeoutError(f"{method}: no reply")
        return reply[0]
