#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""activate.py FOLDER COMMAND... - run a command as systemd does: with listening sockets

Creates consumer.sock and producer.sock in FOLDER, and notified, a line for each received message.
"""

import os
import signal
import socket
import sys


def listening(path):
    """A socket that is listened at."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.bind(path)
    made.listen(16)
    return made


def exec_with(sockets, command, notify):
    """In the child: sockets from 3 on, and what the environment says of them."""
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(sockets)),
                      LISTEN_FDNAMES=":".join(sockets), NOTIFY_SOCKET=notify)
    spare = [os.dup(made.fileno()) for made in sockets.values()]
    spare = [os.dup2(fd, 100 + number) for number, fd in enumerate(spare)]
    for number, fd in enumerate(spare):
        os.dup2(fd, 3 + number)
    os.closerange(3 + len(spare), 200)
    os.execvp(command[0], command)


def main():
    """The command line."""
    folder, command = sys.argv[1], sys.argv[2:]
    notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notify.bind(folder + "/notify.sock")
    # Not in the order in which they are needed
    sockets = {name: listening(f"{folder}/{name}.sock") for name in ("consumer", "producer")}
    child = os.fork()
    if not child:
        exec_with(sockets, command, folder + "/notify.sock")
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    with open(folder + "/notified", "w", encoding="ascii") as file:
        message = ""
        while "STOPPING" not in message:
            message = notify.recv(1000).decode()
            print(message, file=file, flush=True)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
