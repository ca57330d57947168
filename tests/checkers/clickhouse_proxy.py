#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Stands between ktrace and a ClickHouse server, and answers some statements itself.

usage: clickhouse_proxy.py PORT_FILE SERVER_PORT REGEX TIMES STATUS ANSWER

Listens at a free port of the loopback, which it writes to PORT_FILE. The first TIMES statements
(0: all) that match REGEX get STATUS and ANSWER, others go to the server. STATUS hang: no answer.
"""
import http.server
import os
import re
import sys
import threading
import urllib.parse
import urllib.request

port_file, server, pattern, times, status, answer = sys.argv[1:]
left = int(times) or 1 << 30
lock = threading.Lock()


def is_ours(statement):
    global left
    with lock:
        if not left or not re.search(pattern, statement, re.S):
            return False
        left -= 1
        return True


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_POST(self):
        size = int(self.headers.get('Content-Length', 0))
        body = self.rfile.read(size)
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).get('query')
        statement = query[0] if query else body.decode('latin-1')
        if is_ours(statement):
            if status == 'hang':
                threading.Event().wait()
            self.reply(int(status), answer.encode())
            return
        try:
            with urllib.request.urlopen(urllib.request.Request(
                    f'http://127.0.0.1:{server}{self.path}', body)) as reply:
                self.reply(200, reply.read())
        except urllib.error.HTTPError as error:
            self.reply(error.code, error.read())

    def reply(self, code, text):
        self.send_response(code)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


with Server(('127.0.0.1', 0), Handler) as listener:
    with open(port_file + '.new', 'w') as f:
        f.write(str(listener.server_address[1]))
    os.rename(port_file + '.new', port_file)
    listener.serve_forever()
