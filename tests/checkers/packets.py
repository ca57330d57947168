#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compare events of the family net with a second opinion: packets captured by a packet socket, and what the programs
that exchange them know.

    packets.py exchange OUT tso|gso|none    exchanges packets on the loopback of this network namespace, which it
                                            brings up, with these offloads; writes what it knows of them
    packets.py forge OUT SEED NR            sends frames with random headers instead
    packets.py compare OUT < JSON           compares with the output of ktrace list --json
"""
import collections
import ctypes
import fcntl
import ipaddress
import json
import random
import select
import socket
import struct
import sys
import threading
import time

ETH_P_ALL, ETH_P_IP, ETH_P_IPV6, TAGS = 3, 0x800, 0x86dd, (0x8100, 0x88a8)
SO_RCVBUFFORCE, SOL_PACKET, PACKET_STATISTICS, UDP_SEGMENT = 33, 263, 6, 103
OUTGOING, ETH_LEN = 4, 14
EXTENSIONS = {0: 8, 43: 8, 60: 8, 51: 4, 44: 0}
TCP_BYTES, MTU = 300000, 1500
FIELDS = ('ip_src', 'ip_dst', 'src_port', 'dst_port', 'seq', 'ack', 'payload', 'data', 'transport', 'tcp_flags', 'ip_id')


# ---- a second parser of headers ----

def part(data, at, size):
    if at + size > len(data):
        raise ValueError('the packet ends')
    return data[at:at + size]


def tcp(data, p):
    src, dst, seq, ack, words, flags = struct.unpack('>HHIIBB', part(data, 0, 20)[:14])
    head = (words >> 4) * 4
    if head < 20 or head > len(data):
        raise ValueError('no header')
    p.update(src_port=src, dst_port=dst, seq=seq, ack=ack, tcp_flags=flags, payload=len(data) - head)


def udp(data, p):
    src, dst, size, _ = struct.unpack('>HHHH', part(data, 0, 8))
    if 0 < size < 8:
        raise ValueError('no header')
    data = data[:size] if size else data
    p.update(src_port=src, dst_port=dst, payload=len(data) - 8,
             data=int.from_bytes(data[8:16].ljust(8, b'\0'), 'big'))


def transport(data, p):
    if p['transport'] == 6:
        tcp(data, p)
    elif p['transport'] == 17:
        udp(data, p)


def ipv4(data, p):
    first, _, size, number, fragment, _, proto = struct.unpack('>BBHHHBB', part(data, 0, 20)[:10])
    if first >> 4 != 4 or first & 15 < 5:
        return
    p.update(ip_src=socket.inet_ntoa(data[12:16]), ip_dst=socket.inet_ntoa(data[16:20]), ip_id=number, transport=proto)
    if not fragment & 0x1fff:
        data = data[:size] if size else data
        transport(part(data, 0, len(data))[(first & 15) * 4:], p)


def ipv6(data, p):
    first, size, proto = struct.unpack('>IHB', part(data, 0, 40)[:7])
    if first >> 28 != 6:
        return
    text = [str(ipaddress.IPv6Address(data[i:i + 16])) for i in (8, 24)]
    for i, at in enumerate((8, 24)):    # shown as IPv4
        mapped = ipaddress.IPv6Address(data[at:at + 16]).ipv4_mapped
        text[i] = str(mapped) if mapped else text[i] if any(data[at:at + 16]) else ''
    p.update(ip_src=text[0], ip_dst=text[1], transport=proto)
    data = data[40:40 + size] if size else data[40:]
    for nr in range(9):
        if proto not in EXTENSIONS:
            transport(data, p)
            return
        if nr == 8:
            return
        head = part(data, 0, 8)
        p['transport'] = head[0]
        if proto == 44 and struct.unpack('>H', head[2:4])[0] & 0xfff8:
            return
        size = 8 if proto == 44 else (head[1] + 2) * 4 if proto == 51 else (head[1] + 1) * 8
        proto, data = head[0], data[size:] if size <= len(data) else b''


def fields_of(frame, is_sent):
    """what an event has to tell of a frame"""
    p = dict.fromkeys(FIELDS, 0)
    p.update(ip_src='', ip_dst='')
    try:
        at = 12
        kind, = struct.unpack('>H', part(frame, at, 2))
        # The event of a frame that is received sees a tag that the capture has no longer.
        for _ in range(0 if is_sent else 1):
            if kind in TAGS:
                at += 4
                kind, = struct.unpack('>H', part(frame, at, 2))
        if kind == ETH_P_IP:
            ipv4(frame[at + 2:], p)
        elif kind == ETH_P_IPV6:
            ipv6(frame[at + 2:], p)
    except ValueError:
        pass
    return p


# ---- capturing ----

class Capture:
    def __init__(self):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
        self.socket.bind(('lo', ETH_P_ALL))
        self.frames = []
        self.is_over = False
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        """until nothing has come for a second after the end"""
        while select.select([self.socket], [], [], 1)[0] or not self.is_over:
            if not select.select([self.socket], [], [], 0)[0]:
                continue
            frame, address = self.socket.recvfrom(1 << 18)
            self.frames.append((address[2] == OUTGOING, frame))

    def end(self):
        self.is_over = True
        self.thread.join()
        got, dropped = struct.unpack('II', self.socket.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
        assert not dropped, f'{dropped} of {got} frames were not captured'
        return [{'is_sent': is_sent, **fields_of(frame, is_sent)} for is_sent, frame in self.frames]


# ---- exchanging ----

def set_offload(number, on):
    """SIOCETHTOOL: ETHTOOL_STSO, ETHTOOL_SGSO"""
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    value = bytearray(struct.pack('II', number, on))
    buffer = (ctypes.c_char * len(value)).from_buffer(value)
    fcntl.ioctl(s, 0x8946, struct.pack('16sP16x', b'lo', ctypes.addressof(buffer)))


def bring_up(mtu):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    fcntl.ioctl(s, 0x8922, struct.pack('16si20x', b'lo', mtu))      # SIOCSIFMTU
    fcntl.ioctl(s, 0x8914, struct.pack('16sh22x', b'lo', 0x1))      # SIOCSIFFLAGS: IFF_UP


def receive(listener, got):
    connection, _ = listener.accept()
    with connection:
        connection.sendall(b'welcome')
        while True:
            data = connection.recv(1 << 16)
            if not data:
                return
            got.append(len(data))


def exchange_tcp(family, address):
    with socket.create_server((address, 0), family=family) as listener:
        got = []
        thread = threading.Thread(target=receive, args=(listener, got))
        thread.start()
        with socket.create_connection(listener.getsockname()[:2]) as s:
            ports = s.getsockname()[1], listener.getsockname()[1]
            assert s.recv(7, socket.MSG_WAITALL) == b'welcome'
            s.sendall(bytes(TCP_BYTES))
        thread.join()
    assert sum(got) == TCP_BYTES
    return {'address': address, 'client': ports[0], 'server': ports[1], 'bytes': [TCP_BYTES, 7]}


def exchange_udp(family, address):
    server, client = (socket.socket(family, socket.SOCK_DGRAM) for _ in range(2))
    server.bind((address, 0))
    client.bind((address, 0))
    client.connect(server.getsockname())
    sent = []
    for size in (0, 3, 8, 1000, 4000):
        data = bytes(random.randrange(256) for _ in range(8)).ljust(size, b'x')[:size]
        client.send(data)
        assert server.recv(1 << 16) == data
        sent.append((size, int.from_bytes(data[:8].ljust(8, b'\0'), 'big')))
    # A datagram for each 1000 bytes, in one packet as far as the device can have that
    client.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, 1000)
    client.send(bytes(range(10)) * 1000)
    assert len(server.recv(1 << 16)) == 1000
    return {'address': address, 'client': client.getsockname()[1], 'server': server.getsockname()[1], 'sent': sent}


def exchange(out, mode):
    bring_up(MTU)
    set_offload(0x1f, mode == 'tso')
    set_offload(0x24, mode != 'none')
    known = {'mode': mode, 'tcp': [], 'udp': []}
    capture = Capture()
    try:
        for family, address in ((socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::1')):
            try:
                socket.socket(family, socket.SOCK_DGRAM).bind((address, 0))
            except OSError:     # a kernel without IPv6
                continue
            known['tcp'].append(exchange_tcp(family, address))
            known['udp'].append(exchange_udp(family, address))
    finally:
        known['frames'] = capture.end()
    json.dump(known, open(out, 'w'))


# ---- frames with random headers ----

def forged(rnd):
    def word(n):
        return rnd.getrandbits(8 * n).to_bytes(n, 'big')

    body = word(rnd.choice((0, 1, 7, 8, 9, 40)))
    proto = rnd.choice((6, 17, 17, 1, rnd.randrange(256)))
    head = struct.pack('>HHHH', 1 + rnd.randrange(60000), 1 + rnd.randrange(60000),
                       rnd.choice((0, 7, 8, 8 + len(body), rnd.getrandbits(16))), 0)
    if proto == 6:
        head = head[:4] + word(8) + bytes([rnd.choice((5, 5, 6, 15, rnd.randrange(16))) << 4]) + word(7)
    body = head + body
    kind = rnd.choice((ETH_P_IP, ETH_P_IP, ETH_P_IPV6, ETH_P_IPV6, 0x806))
    if kind == ETH_P_IP:
        words = rnd.choice((5, 5, 6, 15, rnd.randrange(16)))
        size = words * 4 + len(body)
        body = struct.pack('>BBHHHBBH', rnd.choice((4, 4, 4, 4, 4, 6)) << 4 | words, 0,
                           rnd.choice((size, size, size, 0, rnd.randrange(size + 40))), rnd.getrandbits(16),
                           rnd.choice((0, 0, 0x2000, 0x4000, rnd.getrandbits(16))), 64, proto, 0) + \
            word(8) + word(max(0, words - 5) * 4) + body
    elif kind == ETH_P_IPV6:
        for _ in range(rnd.choice((0, 0, 1, 2, 8, 9))):
            which = rnd.choice(tuple(EXTENSIONS))
            n = 8 if which == 44 else 8 * rnd.choice((1, 2, 3))
            size = 0 if which == 44 else n // 4 - 2 if which == 51 else n // 8 - 1
            offset = rnd.choice((0, 1, 1, rnd.getrandbits(16)))
            body = bytes([proto, rnd.choice((size, size, size, size, rnd.randrange(256)))]) + \
                (struct.pack('>H', offset) if which == 44 else word(2)) + word(4) + word(n - 8) + body
            proto = which
        size = len(body)
        body = struct.pack('>IHBB', rnd.choice((6, 6, 6, 6, 6, 4)) << 28, rnd.choice((
            size, size, size, 0, rnd.randrange(size + 40))), proto, 64) + word(32) + body
    if rnd.randrange(4) == 0:
        body = body[:rnd.randrange(len(body) + 1)]
    if rnd.randrange(8) == 0 and len(body) > 20:
        body = struct.pack('>HH', rnd.getrandbits(12), kind) + body
        kind = rnd.choice(TAGS)
    return bytes(12) + struct.pack('>H', kind) + body


def forge(out, seed, nr):
    rnd = random.Random(seed)
    bring_up(65536)
    capture = Capture()
    sender = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    sender.bind(('lo', 0))
    try:
        for i in range(nr):
            sender.send(forged(rnd))
            if i % 100 == 0:
                time.sleep(0.01)
    finally:
        frames = capture.end()
    json.dump({'mode': 'tso', 'tcp': [], 'udp': [], 'frames': frames}, open(out, 'w'))


# ---- comparing ----

TRANSPORTS = {'ICMP': 1, 'IGMP': 2, 'IPIP': 4, 'TCP': 6, 'UDP': 17, 'IPV6': 41, 'GRE': 47, 'ESP': 50, 'ICMPV6': 58,
              'SCTP': 132, 'UDPLITE': 136}


def events_of(text):
    """the packets of the loopback that events tell of"""
    for line in text:
        e = json.loads(line)
        if e['event'] not in ('net:queue', 'net:receive') or e['fields']['dev'] != 'lo':
            continue
        f = e['fields']
        for name in ('data', 'tcp_flags'):
            f[name] = int(f[name], 16)
        f['transport'] = TRANSPORTS.get(f['transport'], f['transport'])
        yield e['event'] == 'net:queue', f


def segments(f):
    """the packets that a large one of TCP becomes"""
    for i, at in enumerate(range(0, f['payload'], f['gso_size'])):
        payload = min(f['gso_size'], f['payload'] - at)
        is_last = at + payload == f['payload']
        flags = f['tcp_flags'] & (0xff if is_last else ~0x9) & (0xff if not i else ~0x80)
        yield {**f, 'seq': (f['seq'] + at) % (1 << 32), 'payload': payload, 'tcp_flags': flags,
               'ip_id': (f['ip_id'] + i) % 65536 if '.' in f['ip_src'] else 0}


def key(f):
    return tuple(f[name] for name in FIELDS)


def compare_frames(known, events):
    """each captured frame has its event, and each event its frame"""
    for direction in (True, False):
        captured = collections.Counter(key(f) for f in known['frames'] if f['is_sent'] == direction)
        told = collections.Counter()
        for is_sent, f in events:
            if is_sent != direction:
                continue
            # The kernel also splits what is too large for the device: net_device.gso_max_size
            is_split = direction and f['transport'] == 6 and f['gso_size'] and \
                (known['mode'] != 'tso' or f['len'] >= 65536)
            told.update(key(one) for one in (segments(f) if is_split else [f]))
        for what, rest in (('event', captured - told), ('frame', told - captured)):
            for k, n in list(rest.items())[:5]:
                print(f'{"sent" if direction else "received"}: {n} times no {what}: {dict(zip(FIELDS, k))}')
        assert captured == told, f'{sum(captured.values())} frames, {sum(told.values())} events'
        print('sent' if direction else 'received', sum(captured.values()))


def covered(ranges):
    """bytes that ranges of sequence numbers cover, from 0"""
    end = 0
    for begin, stop in sorted(ranges):
        assert begin <= end, f'bytes {end} to {begin} are missing'
        end = max(end, stop)
    return end


def compare_tcp(connection, events):
    """the bytes that each side has sent, by sequence numbers from its SYN on"""
    ports = connection['client'], connection['server']
    for direction in (True, False):
        for src, dst, size in ((*ports, connection['bytes'][0]), (*ports[::-1], connection['bytes'][1])):
            mine = [f for is_sent, f in events if is_sent == direction and f['transport'] == 6 and
                    (f['src_port'], f['dst_port']) == (src, dst) and f['ip_src'] == connection['address']]
            begin, = {f['seq'] + 1 for f in mine if f['tcp_flags'] & 2}
            ranges = [((f['seq'] - begin) % (1 << 32), (f['seq'] - begin) % (1 << 32) + f['payload'])
                      for f in mine if f['payload']]
            assert covered(ranges) == size, (direction, src, dst, size)
            acked = max((f['ack'] - begin) % (1 << 32) for is_sent, f in events if is_sent == direction and
                        f['transport'] == 6 and (f['src_port'], f['dst_port']) == (dst, src) and f['tcp_flags'] & 16 and
                        not f['tcp_flags'] & 2 and f['ip_src'] == connection['address'])
            assert acked == size + 1, (acked, size)     # and FIN


def compare_udp(talk, events):
    for direction in (True, False):
        mine = collections.Counter((f['payload'], f['data']) for is_sent, f in events if is_sent == direction and
                                   f['transport'] == 17 and f['ip_dst'] == talk['address'] and
                                   (f['src_port'], f['dst_port']) == (talk['client'], talk['server']))
        for size, data in talk['sent']:
            # A fragment's payload is what is in this fragment.
            sizes = {size} if size < MTU - 50 else set(range(MTU - 60, MTU))
            assert any(mine[(s, data)] for s in sizes), (direction, size, hex(data), mine)


def compare_gso(mode, events):
    for _, f in events:
        large = [f['gso_size'], f['gso_segs']]
        if f['gso_size']:
            assert f['gso_segs'] == -(-f['payload'] // f['gso_size']), large
        else:
            assert not f['gso_segs'], large
    nr = sum(bool(f['gso_size']) for is_sent, f in events if is_sent and f['transport'] == 6)
    print(f'{nr} large packets of TCP sent')
    return nr


def compare(out):
    known = json.load(open(out))
    events = list(events_of(sys.stdin))
    compare_frames(known, events)
    if not known['tcp']:
        understood = sum(bool(f['src_port']) for _, f in events)
        print(f'{understood} of {len(events)} with ports')
        assert len(events) // 20 < understood < len(events)
        return
    for connection in known['tcp']:
        compare_tcp(connection, events)
    for talk in known['udp']:
        compare_udp(talk, events)
    nr = compare_gso(known['mode'], events)
    assert nr or known['mode'] != 'tso'


def main(what, out, *args):
    if what == 'exchange':
        exchange(out, *args)
    elif what == 'forge':
        forge(out, *map(int, args))
    elif what == 'compare':
        compare(out)
    else:
        sys.exit(__doc__)


if __name__ == '__main__':
    main(*sys.argv[1:])
