#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Clients of metrics that nobody wants. usage: rude_clients.py ADDRESS KIND

ADDRESS is HOST:PORT.
  many      1000 connections that say nothing, kept until standard input ends; prints "ready" when they are open
  deaf      20 connections that ask again and again, and never read; likewise
  slow      a byte of a request every 0.2 s, until the server closes; prints how long it took
"""
import socket, sys, time

address, kind = sys.argv[1:3]


def connect():
    return socket.create_connection(address.rsplit(':', 1), 20)


def keep(clients):
    print('ready', flush=True)
    sys.stdin.read()
    return clients


if kind == 'many':
    keep([connect() for _ in range(1000)])
elif kind == 'deaf':
    clients = [connect() for _ in range(20)]
    for s in clients:
        s.setblocking(False)
        try:
            while True:
                s.send(b'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n')
        except OSError:
            pass
    keep(clients)
elif kind == 'slow':
    s, begin = connect(), time.monotonic()
    try:
        while True:
            s.send(b'G')
            time.sleep(0.2)
    except OSError:
        print(f'{time.monotonic() - begin:.1f}')
