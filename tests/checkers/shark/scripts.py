#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Run random scripts of FTrace_*() calls in the model and in a program that has the library.

usage: scripts.py PROGRAM [SEED [SCRIPTS [STEPS]]]

PROGRAM reads calls, one a line, and after each prints its result and the contents of the tracer, which
must be those of the model. Stops at the first difference, and prints a minimal list of calls that
leads to it.
"""
import os
import random
import subprocess
import sys
import tempfile

import model

# Few chunks, few events in each: so that calls meet.
NUMBERS = [0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5]
STRANGE = [-1, 255, 256, 100000, -2147483648]
SIZES = [16, 32, 48, 48, 80]
UNUSUAL = [0, 0xf0, 0xf9, 0xfc, 0x100, 0x1ff, 0x8000, 0x8009, 0x80ff]
CODES = [0x09, 0x19, 0x29, 0x01, 0x02, 0x22, 0x1b, 0x2b, 0x20, 0x30, 0x36, 0x13]


def number(r):
    return r.choice(STRANGE if r.random() < 0.02 else NUMBERS)


def flags(r):
    """Mostly what makes sense; all 256 at times."""
    if r.random() < 0.03:
        return r.randrange(256)
    return model.FREE * (r.random() < 0.85) | r.choice([0, 0, model.JTN, model.JTN, model.STOP]) | \
        model.NODEL * (r.random() < 0.03)


def size(r, choice):
    return r.choice([0, -16, 8, 17, -2147483648, 2147483647]) if r.random() < 0.04 else r.choice(choice)


def call(r):
    """One call, as a line."""
    do = r.choices(['log', 'critical', 'fast', 'create', 'delete', 'flags', 'select', 'link', 'first',
                    'compress', 'send', 'filter', 'enable', 'disable', 'disk'],
                   [60, 8, 5, 6, 2, 6, 9, 6, 2, 1, 4, 3, 5, 1, 0.2])[0]
    if do in ('log', 'critical', 'fast'):
        code = r.choice(CODES + [model.NEXT_CHUNK] if r.random() < 0.97 else UNUSUAL)
        return f'{do} {code} {r.randrange(65536)} {r.randrange(1 << 32)}'
    if do == 'create':
        return f'create {size(r, SIZES)} {size(r, [0, 0, 16, 32])} {flags(r)}'
    if do == 'flags':
        return f'flags {number(r)} {flags(r)}'
    if do == 'link':
        return f'link {number(r)} {number(r)}'
    if do == 'first':
        return f'first {1 << r.randrange(8) if r.random() < 0.8 else r.randrange(256)}'
    if do in ('compress', 'send'):
        return f'{do} {number(r)} {flags(r)}'
    if do == 'filter':
        return f'filter {r.choice([0xf0, 0xf1, 0xf2, 0xf9, 0xfb, 0xf3, 0x0b, 0xff, 0x10, 0xef])} {r.choice([0, 0, 1, 1, 2])}'
    return do if do in ('enable', 'disable', 'disk') else f'{do} {number(r)}'


def script(seed, steps):
    r = random.Random(seed)
    begin = [f'create {r.choice(SIZES)} {r.choice([0, 16])} {model.FREE | r.choice([0, 4, 8])}' for _ in range(3)]
    return begin + ['select 0', 'enable'] + ['disk'] * (seed % 4 != 0) + [call(r) for _ in range(steps)]


def expected(lines):
    tracer = model.Tracer()
    return [f'{tracer.do(line)}; {tracer.state()}' for line in lines]


def run(program, lines):
    with tempfile.TemporaryDirectory() as folder:
        r = subprocess.run([program], input='\n'.join(lines) + '\n', stdout=subprocess.PIPE, text=True, timeout=300,
                           cwd=folder)
    return r.stdout.splitlines(), r.returncode


def differ(program, lines):
    """Number of the first call after which they are not the same; None if they agree."""
    want = expected(lines)
    got, status = run(program, lines)
    for i, answer in enumerate(want):
        if i >= len(got) or got[i] != answer:
            return i
    return len(want) if status or len(got) > len(want) else None


def shorten(program, lines):
    """Leaves out what does not matter."""
    part = len(lines) // 2
    while part:
        at = 0
        while at < len(lines):
            fewer = lines[:at] + lines[at + part:]
            if fewer and differ(program, fewer) is not None:
                lines = fewer
            else:
                at += part
        part //= 2
    return lines


def report(program, lines):
    at = differ(program, lines)
    lines = shorten(program, lines[:at + 1])
    want, (got, status) = expected(lines), run(program, lines)
    for i, line in enumerate(lines):
        print(line)
        print(f'   model   {want[i]}')
        print(f'   program {got[i] if i < len(got) else f"ended, status {status}"}')


def main():
    program = os.path.realpath(sys.argv[1])
    seed, scripts, steps = (int(a) for a in (sys.argv[2:] + ['1', '40', '250'][len(sys.argv) - 2:])[:3])
    for s in range(seed, seed + scripts):
        lines = script(s, steps)
        if differ(program, lines) is not None:
            print(f'seed {s}')
            report(program, lines)
            return 1
    print(f'{scripts} scripts, {scripts * steps} calls')
    return 0


if __name__ == '__main__':
    sys.exit(main())
