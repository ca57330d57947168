# SPDX-License-Identifier: GPL-2.0
"""S.Ha.R.K. from its description alone: events of 16 bytes, names of codes, packets, text.

Written from the tables of the manual; has no code of ktrace.
"""
import struct

EVENT = struct.Struct('<HHIII')     # code, par1, stamp's upper half, lower half, par2
PACKET = struct.Struct('<12sIII')   # id, number, events, size
PACKET_ID = b'TRACER-V1.0'
FAST = 0x8000

FAMILIES = {
    0x0: 'empty cycles_per_msec trace_start trace_stop blackout_start blackout_end id numevents',
    0x1: 'ipoint',
    0x2: 'task_create task_activate task_dispatch task_epilogue task_end task_begin_cycle task_end_cycle '
         'task_sleep task_schedule task_timer task_disable task_deadline_miss task_wcet_violation',
    0x3: 'interrupt_start interrupt_end interrupt_hit interrupt_count',
    0x4: 'to_real_mode to_protected_mode CLI STI',
    0x5: 'set_priority context_switch inheritance',
    0x6: 'set_mutex_create set_mutex_lock set_mutex_inherit set_mutex_unlock set_mutex_wait set_mutex_post',
    0x7: 'signal',
    0x8: 'server_create server_replenish server_exhaust server_reclaiming server_remove server_active '
         'server_using_rec',
    0x9: ' '.join(f'user_event_{i}' for i in range(15)),
    0xb: 'timer_post timer_delete timer_wakeup_start timer_wakeup_end',
}
NAMES = {i << 4 | family: name for family, names in FAMILIES.items() for i, name in enumerate(names.split())}
NAMES[0x1a] = 'data_pointer'
for family, name in enumerate('trace_Events ipoint task interrupt CPU priority mutex signal server user data timer'.split()):
    NAMES[0xf0 | family] = 'filter_' + name
NAMES[0xff] = 'next_chunk'
CODES = {name: code for code, name in NAMES.items()}


def pack(event):
    """Bytes of (code, par1, stamp, par2)"""
    code, par1, tsc, par2 = event
    return EVENT.pack(code, par1, tsc >> 32, tsc & 0xffffffff, par2)


def unpack(data):
    """Events of a chunk, empty slots left out"""
    assert len(data) % EVENT.size == 0, f'{len(data)} bytes'
    events = [(code, par1, high << 32 | low, par2) for code, par1, high, low, par2 in EVENT.iter_unpack(data)]
    return [e for e in events if e[0]]


def every_code(start=0x1_0000_0000, ticks=1000000):
    """One event of each code, normal and fast, behind a beginning that says what a tick is"""
    yield 0x20, 3, start, ticks
    yield 0x60, 3, start + 10, 42
    tsc = start + 1000
    for code in sorted(NAMES):
        for flag in (0, FAST):
            if code or flag:
                yield code | flag, tsc % 1000 // 10 + code, tsc, 0 if flag else 100000 + code
                tsc += 0x1000_0123


def packets(events, first=1, room=60):
    """Datagrams as the UDP sender makes them of one chunk"""
    for i in range(0, len(events), room):
        part = events[i:i + room]
        yield PACKET.pack(PACKET_ID, first + i // room, len(part), PACKET.size + 16 * len(part)) + b''.join(map(pack, part))


def take_packet(datagram):
    """(number, events) of a datagram; everything about it is checked."""
    name, number, nr, size = PACKET.unpack_from(datagram)
    assert name == PACKET_ID + b'\0', name
    assert size == len(datagram) < 1000 and 1 <= nr <= 60 and size == 24 + 16 * nr, (size, len(datagram), nr)
    return number, unpack(datagram[PACKET.size:])
