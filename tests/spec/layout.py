#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Check that the structs of the Python module are those of the headers. usage: layout.py ROOT

Compiles a C program that prints the offset of each member. Needs PYTHONPATH for the module ktrace.
"""
import ctypes
import os
import subprocess
import sys
import tempfile

from ktrace import _library, _sql

STRUCTS = {'Damage': 'ktrace_damage', 'Opts': 'ktrace_traceset_options', 'Stream': 'ktrace_trace_stream',
           'Enumerator': 'ktrace_enumerator', 'Field': 'ktrace_field', 'Type': 'ktrace_event_type',
           'Event': 'ktrace_trace_event', 'Stats': 'ktrace_traceset_stats', 'Until': 'ktrace_until',
           'Value': 'ktrace_value', 'Values': 'ktrace_values', 'Item': 'ktrace_item',
           'Correction': 'ktrace_correction', 'TimeError': 'ktrace_time_error', 'Stack': 'ktrace_trace_stack',
           '_Opts': 'ktrace_sql_options', '_Value': 'ktrace_sql_value', '_Array': 'ktrace_sql_array'}
root = sys.argv[1]
lines, expected = [], []
for name, struct in STRUCTS.items():
    cls = getattr(_sql if name[0] == '_' else _library, name)
    lines.append(f'printf("{struct} %zu\\n", sizeof(struct {struct}));')
    expected.append(f'{struct} {ctypes.sizeof(cls)}')
    for member, kind in cls._fields_:
        at = f'struct {struct}, {member}'
        size = f'sizeof(((struct {struct} *)0)->{member})'
        lines.append(f'printf("{struct}.{member} %zu %zu\\n", offsetof({at}), {size});')
        expected.append(f'{struct}.{member} {getattr(cls, member).offset} {ctypes.sizeof(kind)}')
source = '#include <stddef.h>\n#include <stdio.h>\n#include <ktrace/context.h>\n#include <ktrace/position.h>\n#include <ktrace/sql.h>\nint main(void)\n{\n' + \
    '\n'.join(lines) + f'\nprintf("%d %d\\n", KTRACE_LOST_NR, KTRACE_ID_LOST);\n}}\n'
expected.append(f'{_library.LOST_NR} {_library.ID_LOST}')
with tempfile.TemporaryDirectory() as tmp:
    subprocess.run(['gcc', '-xc', '-', '-o', f'{tmp}/a', f'-I{root}/uapi', f'-I{root}/userspace/include'], input=source,
                   text=True, check=True)
    got = subprocess.run([os.path.join(tmp, 'a')], stdout=subprocess.PIPE, text=True, check=True).stdout.split('\n')
bad = [f'{g}, not {e}' for g, e in zip(got, expected) if g != e]
print('\n'.join(bad))
sys.exit(bool(bad) or len(got) != len(expected) + 1)
