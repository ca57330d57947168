#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A second client of the broker, which says what no program of ours says.

usage: client.py PORT publish SUBJECT [REPLY]      its standard input as one message
       client.py PORT request SUBJECT              the same, and prints the answer
       client.py PORT respond STREAM HOST SESSION  its standard input, a line each, as answers of
                                                   this recording to the first question
"""
import socket
import sys


class Client:
    def __init__(self, port):
        self.sock = socket.create_connection(('127.0.0.1', int(port)))
        self.file = self.sock.makefile('rb')
        self.file.readline()
        self.send(b'CONNECT {"verbose":false,"headers":true}\r\n')

    def send(self, data):
        self.sock.sendall(data)

    def publish(self, subject, reply, data):
        self.send(f'PUB {subject} {reply} {len(data)}\r\n'.encode() + data + b'\r\n')

    def flush(self):
        self.send(b'PING\r\n')
        while True:
            line = self.file.readline()
            if line.startswith(b'PONG') or not line:
                return
            if line.startswith(b'-ERR'):
                sys.exit(line.decode().strip())

    def request(self, subject, data):
        """Returns the first answer."""
        self.send(b'SUB _INBOX.client.1 1\r\n')
        self.publish(subject, '_INBOX.client.1', data)
        while True:
            line = self.file.readline()
            if not line:
                sys.exit('the broker has gone')
            if line.startswith(b'MSG'):
                return self.file.read(int(line.split()[-1])).decode()
            if line.startswith(b'PING'):
                self.send(b'PONG\r\n')

    def question(self, subject):
        """Returns where the next question wants its answer."""
        self.send(f'SUB {subject} 1\r\n'.encode())
        self.flush()
        print('listening', flush=True)
        while True:
            line = self.file.readline()
            if not line:
                sys.exit('the broker has gone')
            if line.startswith(b'MSG'):
                return line.split()[3].decode()
            if line.startswith(b'PING'):
                self.send(b'PONG\r\n')


def main():
    client = Client(sys.argv[1])
    data = sys.stdin.buffer.read()
    if sys.argv[2] == 'publish':
        client.publish(sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else '', data)
    elif sys.argv[2] == 'request':
        print(client.request(sys.argv[3], data))
    else:
        stream, host, session = sys.argv[3:]
        inbox = client.question(f'{stream}.fleet.ask')
        for line in data.splitlines():
            client.publish(f'{inbox}.{host}.{session}', '', line)
    client.flush()


main()
