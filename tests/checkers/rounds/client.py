#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""client.py KIND ADDRESS COUNTER - a client of tests/rounds, which checks each answer

KIND     http: ADDRESS is a port; postgres: FOLDER:PORT; runs: a program, which is run again and again
COUNTER  a file of two 64-bit numbers: answers so far, written here; microseconds between requests and
         whether a connection may break (bit 63), read here

Ends with a message and status 1 at the first wrong answer, and at one that takes a minute.
"""
import http.client
import mmap
import os
import select
import socket
import struct
import subprocess
import sys
import threading
import time

LIMIT = 60
THREADS = 3
BROKEN = (OSError, http.client.HTTPException, EOFError)
counter = None
lock = threading.Lock()


class Wrong(Exception):
    """An answer that the server must not give."""


def body(number):
    """What the HTTP servers of tests/rounds answer to /NUMBER."""
    return f"{number}\n" * 2000


def state():
    return struct.unpack_from("QQ", counter)


def answered():
    with lock:
        struct.pack_into("Q", counter, 0, state()[0] + 1)
    pause = state()[1] & ~(1 << 63)
    if pause:
        time.sleep(pause / 1e6)


def ask_http(address):
    connection = http.client.HTTPConnection("127.0.0.1", int(address), timeout=LIMIT)
    try:
        for number in range(10):
            connection.request("GET", f"/{number}")
            answer = connection.getresponse().read().decode()
            if answer != body(number):
                raise Wrong(f"/{number}: {answer[:60]!r} ({len(answer)} bytes)")
            answered()
    except socket.timeout:
        raise Wrong("no answer for a minute") from None
    finally:
        connection.close()


def ask_postgres(address):
    folder, port = address.rsplit(":", 1)
    with subprocess.Popen(["psql", "-qXAt", "-h", folder, "-p", port, "-U", "u", "-d", "postgres"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as psql:
        try:
            for number in range(20, 60):
                psql.stdin.write(b"select %d, sum(i) from generate_series(1, %d) i;\n" % (number, number))
                psql.stdin.flush()
                if not select.select([psql.stdout], [], [], LIMIT)[0]:
                    raise Wrong("no answer for a minute")
                answer = psql.stdout.readline().decode()
                if not answer:
                    raise EOFError("the server ended the connection")
                if answer != f"{number}|{number * (number + 1) // 2}\n":
                    raise Wrong(repr(answer))
                answered()
        finally:
            psql.kill()


def ask_runs(program):
    try:
        told = subprocess.run([program, "patient"], capture_output=True, text=True, timeout=LIMIT,
                              check=False)
    except subprocess.TimeoutExpired:
        raise Wrong("it did not end for a minute") from None
    if told.returncode < 0 and state()[1] >> 63:
        return  # killed by the test
    if (told.returncode, told.stdout, told.stderr) != (0, "720 hits, 80 misses\n", ""):
        raise Wrong(f"status {told.returncode}: {told.stdout!r} {told.stderr!r}")
    answered()


def work(ask, address):
    try:
        while True:
            try:
                ask(address)
            except BROKEN as error:
                if not state()[1] >> 63:
                    raise Wrong(f"the connection broke: {error!r}") from None
                time.sleep(0.05)
    except Wrong as error:
        print(error, file=sys.stderr, flush=True)
        os._exit(1)


def main(kind, address, path):
    global counter
    with open(path, "r+b") as file:
        counter = mmap.mmap(file.fileno(), 16)
    ask = {"http": ask_http, "postgres": ask_postgres, "runs": ask_runs}[kind]
    for _ in range(THREADS - 1):
        threading.Thread(target=work, args=(ask, address), daemon=True).start()
    work(ask, address)


if __name__ == "__main__":
    main(*sys.argv[1:])
