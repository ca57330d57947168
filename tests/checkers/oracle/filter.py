#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A second filter language, written from Documentation/filter.md. usage: filter.py MKTRACE MATCH SEED N

Writes a file of random events and N random expressions, and compares the result of MATCH for
each pair with its own.
"""
import errno
import math, random, re, struct, subprocess, sys

EPOCH = 1700000000 * 10**9
ERRORS = {n: getattr(errno, n) for n in dir(errno) if n.startswith('E')}
SIGNED = {'s8', 's16', 's32', 's64'}
ENUM = {'RED': 0, 'GREEN': 1, 'BLUE': 7, 'dark-red': 300}
SCALARS = {'s8': 'b', 'u8': 'B', 's16': 'h', 'u16': 'H', 's32': 'i', 'u32': 'I', 's64': 'q', 'u64': 'Q',
           'x32': 'I', 'ptr': 'Q', 'f32': 'f', 'f64': 'd', 'char': 'c'}
# id: name, fields; several types have fields of one name
TYPES = {
    16: ('app:work', [('u32', 'item'), ('string', 'label'), ('s16[]', 'samples'), ('e32', 'color')]),
    17: ('app:step', [('s64', 'item'), ('f64', 'ratio'), ('f32', 'small'), ('e32', 'color'), ('u64', 'big')]),
    18: ('net:packet', [('char[8]', 'label'), ('u8[4]', 'key'), ('f32[]', 'samples'), ('char', 'letter'), ('u32', 'tid')]),
    19: ('net:empty', []),
    20: ('net:late', [('string', 'first'), ('string', 'second'), ('x32', 'item'), ('ptr', 'where')]),
}
STREAMS = {1: ('user', 0), 2: ('user', 1), 3: ('user', None)}
COMMS = {100: 'demo', 101: 'x-ray', 102: 'a b'}
FLAGS = {'irq': 8, 'truncated': 1, 'critical': 16}
WORDS = ['', 'a', 'ab', 'abc', 'RED', '12', 'x-ray', 'a b', 'é*[', 'quo"te', "back\\slash", 'tab\t']
INTEGERS = [0, 1, 2, 3, 7, 12, 300, 255, -1, -128, 2**31, 2**32 - 1, 2**53, 2**53 + 1, -2**63, 2**63, 2**64 - 1]
REALS = [0.0, -0.5, 0.1, 1.0, 2.5, 1e10, 9007199254740992.0, 18446744073709551616.0, -1e300, 1e-3]


def single(x):
    try:
        return struct.unpack('f', struct.pack('f', x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def describe(fields):
    text = ''
    for kind, name in fields:
        if kind == 'e32':
            kind = 'enum<u32>(' + ','.join(f'{n}={v}' for n, v in ENUM.items()) + ')'
        text += f'{kind}%20{name};'
    return text


def scalar(rnd, kind):
    """A value and its bytes."""
    if kind == 'e32':
        v = rnd.choice([0, 1, 7, 300, 5])
        return v, struct.pack('<I', v)
    code = SCALARS[kind]
    if code == 'c':
        v = rnd.choice('aZ5*')
        return v, v.encode()
    if code in 'fd':
        v = rnd.choice(REALS + [math.nan, math.inf, rnd.uniform(-3, 3)])
        v = single(v) if code == 'f' else v
        return v, struct.pack('<' + code, v)
    size = struct.calcsize(code) * 8
    low, high = (-2**(size - 1), 2**(size - 1) - 1) if code.islower() else (0, 2**size - 1)
    v = rnd.choice([i for i in INTEGERS if low <= i <= high] + [rnd.randint(low, high)])
    return v, struct.pack('<' + code, v)


def value(rnd, kind):
    """(kind of element, list of elements or text), bytes."""
    if kind == 'string':
        v = rnd.choice(WORDS)
        return ('text', v), v.encode() + b'\0'
    m = re.match(r'(\w+)\[(\d*)\]$', kind)
    if not m:
        v, data = scalar(rnd, kind)
        return ('char' if kind == 'char' else kind, [v]), data
    element, count = m.group(1), int(m.group(2) or rnd.randint(0, 3))
    if element == 'char':
        v = rnd.choice([w for w in WORDS if len(w.encode()) <= count])
        return ('text', v), v.encode().ljust(count, b'\0')
    parts = [scalar(rnd, element) for _ in range(count)]
    return (element, [v for v, _ in parts]), \
        (b'' if m.group(2) else struct.pack('<I', count)) + b''.join(d for _, d in parts)


def is_array(kind):
    return kind.endswith(']')


def make_events(rnd, nr):
    events, ts = [], 1000
    for _ in range(nr):
        ts += rnd.choice([1, 1, 10, 1000, 10**6, 10**9])
        stream, id = rnd.choice(list(STREAMS)), rnd.choice(list(TYPES) + [77])
        e = {'ts': ts, 'stream': stream, 'id': id, 'tid': rnd.choice([100, 101, 102, 103]),
             'flags': rnd.choice([{'irq'}, {'irq', 'critical'}, {'truncated'}, set(), set(), set()]), 'fields': {}}
        data, gone = b'', rnd.random() < 0.15
        for kind, name in TYPES.get(id, (None, []))[1]:
            (what, v), raw = value(rnd, kind)
            if gone and rnd.random() < 0.4:    # the payload ends here, or in a string
                if kind == 'string' and len(v) > 1 and v.isascii():
                    data += raw[:-2]
                    e['fields'][name] = (what, v[:-1], kind)
                break
            data += raw
            e['fields'][name] = (what, v, kind)
        e['data'] = data
        events.append(e)
    return events


def write(mktrace, path, events):
    script = ['meta clock raw=0 mono_ns=0 real_ns=%d hz=1000000000' % EPOCH, 'meta host name=box boot=b']
    for id, (kind, cpu) in STREAMS.items():
        script.append(f'meta stream id={id} kind={kind} ring=65536 block=4096 policy=drop' +
                      ('' if cpu is None else f' cpu={cpu}'))
    for id, (name, fields) in TYPES.items():
        script.append(f'meta event kind=user id={id} desc={name}{{{describe(fields)}}}')
    for tid, comm in COMMS.items():
        script.append(f'meta thread tid={tid} pid=100 ts=0 comm=' + comm.replace(' ', '%20'))
    for stream in STREAMS:
        size = 4096
        for e in (e for e in events if e['stream'] == stream):
            size += 16 + (len(e['data']) + 7) // 8 * 8
            if size > 4096:
                script.append(f'block {stream}')
                size = 64 + 16 + (len(e['data']) + 7) // 8 * 8
            flags = sum({'irq': 8, 'truncated': 1, 'critical': 16}[f] for f in e['flags'])
            script.append(f'rec {e["ts"]} {e["id"]} {e["tid"]}:{flags:x}' +
                          (' hex:' + e['data'].hex() if e['data'] else ''))
    subprocess.run([mktrace, path], input='\n'.join(script) + '\n', text=True, check=True)


# ---- expressions: ('test', field, index, op, literal) ('not', e) ('and'|'or'|'xor', e, e) ----

NUMBERS = ['cpu', 'tid', 'pid', 'raw', 'event.tsc', 'stream', 'event.id', 'event.size', 'trace.index', 'lost']
TEXTS = ['comm', 'event', 'event.name', 'event.family', 'event.category', 'event.subname', 'stream.kind', 'trace.host']
PAYLOAD = sorted({name for _, fields in TYPES.values() for _, name in fields} | {'nothing'})
ORDERS = ['==', '!=', '<', '<=', '>', '>=']


def random_number(rnd):
    if rnd.random() < 0.3:
        v = rnd.choice(REALS)
        return ('number', v, rnd.choice([repr(v), '%.17e' % v]))
    v = rnd.choice(INTEGERS + [100, 101, 16, 77])
    return ('number', v, rnd.choice([str(v), ('-' if v < 0 else '') + hex(abs(v))]))


def quoted(text):
    return '"' + text.replace('\\', '\\\\').replace('"', '\\"').replace('\t', '\\x09') + '"'


def random_text(rnd, words):
    v = rnd.choice(words)
    bare = re.fullmatch(r'[A-Za-z][\w.:-]*', v) and v.isascii() and rnd.random() < 0.7
    return ('text', v, v if bare else quoted(v))


def random_glob(rnd):
    v = rnd.choice(['*', '?', 'a*', '*b', 'a?c', '[a-c]*', '[!a]*', '*[*]*', 'app:*', '*:[sw]*', 'x-*', 'R?D', 'RED', '',
                    '\\*', '[]', '[', '*a*b*', '*\\\\*', '1?'])
    return ('text', v, quoted(v))


def random_test(rnd, events):
    field, index = 'field.' + rnd.choice(PAYLOAD), None
    roll = rnd.random()
    if roll < 0.25:
        return ('test', rnd.choice(NUMBERS), None, rnd.choice(ORDERS), random_number(rnd))
    if roll < 0.45:
        field, op = rnd.choice(TEXTS), rnd.choice(['==', '!=', '~'])
        names = WORDS + list(COMMS.values()) + [n for n, _ in TYPES.values()] + ['app', 'net', 'user', 'user:77', 'work', 'box', '77']
        return ('test', field, None, op, random_glob(rnd) if op == '~' else random_text(rnd, names))
    if roll < 0.52:
        at = rnd.choice(events)['ts'] + rnd.choice([-1, 0, 0, 1])
        rel = at - events[0]['ts']
        text = rnd.choice(['@%d.%09d' % divmod(EPOCH + at, 10**9)] +
                          (['%d.%09d' % divmod(rel, 10**9), '%dns' % rel, '%d.%03dus' % divmod(rel, 1000)] if rel >= 0 else []))
        return ('test', 'time', None, rnd.choice(ORDERS), ('time', EPOCH + at, text))
    if roll < 0.58:
        flag = rnd.choice(list(FLAGS))
        return ('test', 'flags', None, rnd.choice(['==', '!=']), ('text', flag, flag))
    op = rnd.choice(ORDERS + ['==', '!=', '~'])
    if rnd.random() < 0.2:
        index = rnd.randint(0, 3)
    if op == '~':
        literal = random_glob(rnd)
    elif op in ('==', '!=') and rnd.random() < 0.5:
        literal = random_text(rnd, WORDS + list(ENUM))
    else:
        literal = random_number(rnd)
    return ('test', field, index, op, literal)


def random_expression(rnd, events, depth):
    roll = rnd.random()
    if depth == 0 or roll < 0.35:
        return random_test(rnd, events)
    if roll < 0.5:
        return ('not', random_expression(rnd, events, depth - 1))
    return (rnd.choice(['and', 'or', 'xor']), random_expression(rnd, events, depth - 1),
            random_expression(rnd, events, depth - 1))


LEVEL = {'or': 1, 'xor': 2, 'and': 3, 'not': 4, 'test': 5}
SIGN = {'or': '||', 'xor': '^', 'and': '&&'}


def text_of(rnd, e, level=0):
    """As few parentheses as the levels allow, more now and then; blanks where they may be."""
    blank = lambda: rnd.choice(['', ' ', ' ', '  ', '\t'])
    if e[0] == 'test':
        _, field, index, op, literal = e
        if field.startswith('field.'):
            name = field[6:]    # "tid" alone is another field
            field = rnd.choice([field, f'field."{name}"'] + [name] * (name != 'tid'))
        if index is not None:
            field += f'[{index}]'
        text = field + blank() + (rnd.choice(['=', '==']) if op == '==' else op) + blank() + literal[2]
    elif e[0] == 'not':
        text = '!' + blank() + text_of(rnd, e[1], 4)
    else:
        own = LEVEL[e[0]]
        text = text_of(rnd, e[1], own) + blank() + SIGN[e[0]] + blank() + text_of(rnd, e[2], own)
    if LEVEL[e[0]] < level or rnd.random() < 0.1:
        return '(' + blank() + text + blank() + ')'
    return text


def glob_regex(p):
    out, i = b'', 0
    p = p.encode()
    while i < len(p):
        c = p[i:i + 1]
        i += 1
        if c == b'*':
            out += b'.*'
        elif c == b'?':
            out += b'.'
        elif c == b'\\' and i < len(p):
            out += re.escape(p[i:i + 1])
            i += 1
        elif c == b'[':
            m = re.compile(rb'([!^]?)(\]?[^\]]*)\]', re.S).match(p, i)
            if m and m.group(2):
                inner = m.group(2).replace(b'\\', b'\\\\').replace(b'[', b'\\[').replace(b']', b'\\]').replace(b'^', b'\\^')
                out += b'[' + (b'^' if m.group(1) else b'') + inner + b']'
                i = m.end()
            else:
                out += b'\\['
        else:
            out += re.escape(c)
    return re.compile(out, re.S)


def text_holds(op, value, literal):
    value = value.encode() if isinstance(value, str) else value
    if op == '~':
        return bool(glob_regex(literal).fullmatch(value))
    return op in ('==', '!=') and (value == literal.encode()) == (op == '==')


def number_holds(op, value, literal):
    return {'==': value == literal, '!=': value != literal, '<': value < literal, '<=': value <= literal,
            '>': value > literal, '>=': value >= literal}.get(op, False)


def names_hold(names, op, text):
    """of a value that may have several names, or none: it is not called so either"""
    if op == '!=':
        return not any(text_holds('==', name, text) for name in names)
    return any(text_holds(op, name, text) for name in names)


def element_holds(kind, v, op, literal):
    what, wanted, spelling = literal
    text = wanted if what == 'text' else spelling
    if kind == 'char':
        return text_holds(op, v, text)
    if kind == 'e32' and (what == 'text' or op == '~'):
        return names_hold([k for k, n in ENUM.items() if n == v], op, text)
    if kind in SIGNED and (what == 'text' or op == '~'):
        return names_hold([k for k, n in ERRORS.items() if n == -v], op, text.removeprefix('-'))
    if what == 'text':
        return False
    if kind == 'f32' and isinstance(wanted, float):
        wanted = single(wanted)
    return number_holds(op, v, wanted)


def test_holds(e, field, index, op, literal):
    what, wanted, spelling = literal
    name = TYPES[e['id']][0] if e['id'] in TYPES else f'user:{e["id"]}'
    comm = COMMS.get(e['tid'])
    own = {'cpu': STREAMS[e['stream']][1], 'tid': e['tid'], 'pid': 100 if comm else None, 'raw': e['ts'], 'event.tsc': e['ts'],
           'stream': e['stream'], 'event.id': e['id'], 'event.size': len(e['data']), 'trace.index': 0, 'lost': None,
           'comm': comm, 'event': name, 'event.name': name, 'event.family': name.split(':')[0],
           'event.category': name.split(':')[0], 'event.subname': name.split(':')[1], 'stream.kind': 'user',
           'trace.host': 'box', 'time': EPOCH + e['ts']}
    if field == 'flags':
        return (wanted in e['flags']) == (op == '==')
    if field in TEXTS:
        return own[field] is not None and text_holds(op, own[field], wanted)
    if field in own:
        return own[field] is not None and number_holds(op, own[field], wanted)
    if field[6:] not in e['fields']:
        return False
    kind, v, declared = e['fields'][field[6:]]
    text = wanted if what == 'text' else spelling
    if kind == 'text':
        if index is None:
            return text_holds(op, v, text)
        data = v.encode().ljust(8, b'\0') if is_array(declared) else b''
        return index < len(data) and text_holds(op, data[index:index + 1], text)
    if index is None:
        return any(element_holds(kind, x, op, literal) for x in v)
    return is_array(declared) and index < len(v) and element_holds(kind, v[index], op, literal)


def holds(e, x):
    if x[0] == 'test':
        return test_holds(e, *x[1:])
    if x[0] == 'not':
        return not holds(e, x[1])
    a, b = holds(e, x[1]), holds(e, x[2])
    return {'and': a and b, 'or': a or b, 'xor': a != b}[x[0]]


def main():
    mktrace, match, seed, nr = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    rnd = random.Random(seed)
    events = make_events(rnd, 60)
    write(mktrace, 't', events)
    expressions = [random_expression(rnd, events, rnd.randint(0, 5)) for _ in range(nr)]
    texts = [text_of(rnd, x) for x in expressions]
    said = subprocess.run([match, 't'], input='\n'.join(texts) + '\n', text=True, capture_output=True, check=True)
    answers, bad, yes = said.stdout.split('\n')[:-1], 0, 0
    if len(answers) != nr:
        sys.exit(f'{len(answers)} answers to {nr} expressions')
    for x, text, answer in zip(expressions, texts, answers):
        expected = ''.join('01'[holds(e, x)] for e in events)
        yes += expected.count('1')
        if answer != expected:
            bad += 1
            print(f'{text}\n  is       {answer}\n  expected {expected}')
    print(f'{nr} expressions, {len(events)} events, {yes} times true, {bad} differ')
    sys.exit(bool(bad) or not nr * len(events) / 10 < yes < nr * len(events) * 9 / 10)


if __name__ == '__main__':
    main()
