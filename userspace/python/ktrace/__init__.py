# SPDX-License-Identifier: LGPL-2.1
"""Read tracefiles: any number of them as one sequence of events, in order of time.

    from ktrace import Traceset

    with Traceset("a.bin", "b.bin") as events:
        start, end = events.span
        for event in events[start:start + 10**9]:
            print(event.time, event.name, event.fields["x"])

Times are ns since the epoch. A Position is a place between events; it stays valid in another
process, as text, and while files grow. Errors are OSError, or ValueError for invalid arguments;
using a closed traceset is a ClosedError.
"""
import ctypes
import functools
import ipaddress
import os
from types import TracebackType
from typing import Any, Dict, FrozenSet, Iterable, Iterator, List, Mapping, Optional, Tuple, Type, Union

from . import _library as _c
from . import _sql
from ._sql import Rows, SqlError
from ._version import __version__

__all__ = ['Traceset', 'Event', 'Position', 'Rows', 'SqlError', 'ClosedError', '__version__']

Place = Union[int, 'Position']

_FLAGS = ['truncated', 'incomplete', 'no-start', 'irq', 'critical', 'backwards']
_UNSIGNED = {1, 3, 5, 7, 8, 9, 10, 11, 14}
_F32, _F64, _CHAR = 12, 13, 15
_ONE, _STRING = 0, 3
_NSPID_SHIFT = 28
_KERNEL_STACK = 0
_KINDS = {0: 'kernel', 1: 'user'}


def _text(data):
    return data.decode('utf-8', 'surrogateescape')


class ClosedError(ValueError):
    """The traceset is closed; its events only have their own data."""


@functools.total_ordering
class Position:
    """A place in a traceset, in front of an event. Position(str(p)) equals p."""

    def __init__(self, text: str = 'k0') -> None:
        self._free = _c.position_free
        pointer = ctypes.c_void_p()
        _c.check(_c.position_new(ctypes.byref(pointer)))
        self._pointer = pointer
        if _c.position_from_text(pointer, text.encode('ascii', 'replace')):
            raise ValueError('not a position: ' + text[:80])

    def __del__(self) -> None:
        if hasattr(self, '_pointer'):
            self._free(self._pointer)

    def __str__(self) -> str:
        size = _c.position_to_text(self._pointer, None, 0) + 1
        text = ctypes.create_string_buffer(size)
        _c.position_to_text(self._pointer, text, size)
        return text.value.decode('ascii')

    def __repr__(self) -> str:
        return f'Position({str(self)!r})'

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and not _c.position_compare(self._pointer, other._pointer)

    def __lt__(self, other: 'Position') -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return _c.position_compare(self._pointer, other._pointer) < 0

    def __hash__(self) -> int:
        # Equal positions have the same time, but their texts may differ.
        return hash(self.time)

    @property
    def time(self) -> Optional[int]:
        """Time of the event after it; None at the end."""
        time = _c.position_time(self._pointer)
        return None if time == _c.NONE else time


class Event:
    """One event. Its attributes are copies, which stay valid when the traceset moves on."""

    time: int
    raw: int
    id: int
    tid: int
    name: str
    payload: bytes
    flags: FrozenSet[str]
    trace: int
    stream: int
    cpu: Optional[int]

    def __init__(self, owner: 'Traceset', e: Any) -> None:
        self._set = owner
        self._type = e.type
        self._fields = None
        self.time = e.time
        self.raw = e.raw
        self.id = e.id
        self.tid = e.tid
        self.payload = ctypes.string_at(e.payload, e.len)
        self.flags = frozenset(n for i, n in enumerate(_FLAGS) if e.flags & 1 << i) if e.flags else frozenset()
        self._trace, self.trace, self.stream, self.cpu, kind = owner._stream(e.stream)
        self.name = owner._name(e.type) if e.type else f'{kind}:{e.id}'
        self._items = [_c.event_item(e, i) for i in range(_c.event_items(e))]

    def __repr__(self) -> str:
        return f'<{self.name} at {self.time}>'

    @property
    def fields(self) -> Optional[Dict[str, Any]]:
        """Values by name: int, float, str, list; the name of an enum; an IP address as str, '' if
        there is none. None if the type is unknown.
        """
        if self._fields is None and self._type and 'no-start' not in self.flags:
            self._set._check()
            self._fields = dict(_values(self._type, self.payload))
        return self._fields

    @property
    def context(self) -> Dict[str, Union[int, str]]:
        """Context recorded with the event, by the names that filters use; empty without --context."""
        self._set._check()
        return dict(_context(self._trace, self._items))

    def stack(self, name: str) -> List[Tuple[int, Optional[str]]]:
        """Frames of 'kstack' or 'ustack', innermost first: (address, function or None). Only kernel
        stacks have functions. Empty if the event has no such stack, or the trace lacks it.
        """
        stack = _c.trace_stack(self._trace, self.context.get(name, 0))
        if not stack:
            return []
        addresses = stack.contents.address[:stack.contents.nr]
        if stack.contents.kind != _KERNEL_STACK:
            return [(a, None) for a in addresses]
        # All but the first are return addresses, which may be after the end of the calling function.
        return [(a, _function(self._trace, a - bool(i))) for i, a in enumerate(addresses)]

    @property
    def error(self) -> Optional[Tuple[int, int]]:
        """How much earlier and later the true time may be, by the reference host's clock, in ns. None if that is
        not known, or if the traceset was not corrected: see Traceset.correct().
        """
        self._set._check()
        return _error(self._trace, self.raw)

    @property
    def error_ns(self) -> Optional[int]:
        """The larger part of error. Events of two hosts are certainly in the order of their times only if
        their times with these errors do not overlap.
        """
        error = self.error
        return None if error is None else max(error)

    @property
    def is_lost(self) -> bool:
        """True if it reports lost events, in the fields reason and count."""
        return self.id == _c.ID_LOST

    @property
    def pid(self) -> int:
        """Process of the thread, 0 if unknown."""
        self._set._check()
        return _c.trace_pid(self._trace, self.tid, self.raw)

    @property
    def comm(self) -> Optional[str]:
        """Name of the thread, None if unknown."""
        self._set._check()
        comm = _c.trace_comm(self._trace, self.tid, self.raw)
        return None if comm is None else _text(comm)


def _error(trace, raw):
    error = _c.TimeError()
    return (error.early_ns, error.late_ns) if _c.trace_error(trace, raw, error) else None


def _function(trace, address):
    name = _c.trace_kernel_symbol(trace, address, ctypes.c_uint64())
    return None if name is None else _text(name)


def _context(trace, items):
    for item in items:
        name = _c.item_name(item.kind)
        name = f'item{item.kind}' if name is None else _text(name)
        if name == 'cgroup':
            path = _c.trace_cgroup(trace, item.value)
            if path is not None:
                yield 'cgroup', _text(path)
            yield 'cgroup_id', item.value
        elif name == 'nspid':
            yield 'nspid', item.value >> _NSPID_SHIFT
            yield 'nstid', item.value & (1 << _NSPID_SHIFT) - 1
        else:
            yield name, item.value


def _integer(value, field, i):
    n = _c.value_s64(value, i)
    name = _c.enumerator_find(field, n) if field.enum_nr else None
    if name is not None:
        return _text(name)
    return n & (2 ** 64 - 1) if field.scalar in _UNSIGNED else n


def _address(data):
    address = ipaddress.IPv6Address(data)
    return str(address.ipv4_mapped or address) if any(data) else ''


def _values(type_, payload):
    """Yields names and values of the fields up to the end of the payload."""
    it, value = _c.Values(), _c.Value()
    at = ctypes.c_char_p(payload)
    _c.values_init(it, type_, ctypes.cast(at, ctypes.c_void_p), len(payload))
    while _c.values_next(it, value):
        field = value.field.contents
        if field.scalar == _CHAR:
            data = ctypes.string_at(value.data, value.count)
            got = _text(data if field.shape in (_ONE, _STRING) else data.split(b'\0')[0])
        elif field.is_address and not value.is_cut:
            got = _address(ctypes.string_at(value.data, value.count))
        elif field.scalar in (_F32, _F64):
            got = [_c.value_f64(value, i) for i in range(value.count)]
        else:
            got = [_integer(value, field, i) for i in range(value.count)]
        if field.shape == _ONE and not isinstance(got, str):
            got = got[0] if got else None
        yield _text(field.name), got


def _no_limit():
    return _c.Until(size=ctypes.sizeof(_c.Until), time=_c.NONE, count=_c.NONE)


class _Reading:
    """Iterates over events from a start to an end. Several iterators can alternate: each saves its position."""

    def __init__(self, owner, start, stop):
        self._set = owner
        self._start = start
        self._stop = stop
        self._until = _no_limit()
        if isinstance(stop, Position):
            self._until.position = stop._pointer
        elif stop is not None:
            self._until.time = min(max(int(stop), 0), _c.NONE)

    def __iter__(self):
        return self

    def _park(self):
        self._start = self._set.position()

    def __next__(self):
        self._set._turn(self)
        if self._start is not None:
            self._set._go(self._start)
            self._start = None
        event = self._set._next(self._until)
        if event is None:
            raise StopIteration
        return event


class _Window:
    """Result of set[a:b]; each loop over it begins at its start."""

    def __init__(self, owner, start, stop):
        self._arguments = owner, start, stop

    def __iter__(self):
        return _Reading(*self._arguments)


class Traceset:
    """Tracefiles, read as one sequence of events.

    live: the end of a file that is still being written is not final; see poll().
    damages: list of (path, offset or None, message), one for each damaged place.
    """

    damages: List[Tuple[str, Optional[int], str]]

    def __init__(self, *paths: Union[str, bytes, 'os.PathLike[str]'], live: bool = False) -> None:
        self._pointer = None
        self._reader = None
        self._close = _c.traceset_close
        self.damages = []
        self._names = {}
        self._streams = {}
        self._report = _c.REPORT(self._note)
        opts = _c.Opts(size=ctypes.sizeof(_c.Opts), report=self._report, is_live=live)
        pointer = ctypes.c_void_p()
        _c.check(_c.traceset_open(opts, ctypes.byref(pointer)))
        self._pointer = pointer
        for path in paths:
            _c.check(_c.traceset_add(pointer, ctypes.c_char_p(_bytes(path))), path)

    def _note(self, _, damage):
        d = damage.contents
        self.damages.append((_text(d.path), None if d.offset == _c.NONE else d.offset, _text(d.message)))

    def _check(self):
        if not self._pointer:
            raise ClosedError('the traceset is closed: read events, and their fields, context, pid and comm, '
                              'before close(), or in the block of with')

    def _turn(self, reader):
        """Makes reader the one that moves the traceset; the previous one saves its position."""
        self._check()
        if self._reader is not reader and self._reader is not None:
            self._reader._park()
        self._reader = reader

    def _next(self, until):
        e = _c.Event()
        return Event(self, e) if _c.check(_c.traceset_next_until(self._pointer, until, e)) else None

    def _name(self, type_):
        if type_ not in self._names:
            self._names[type_] = _text(_c.Type.from_address(type_).full_name)
        return self._names[type_]

    def _stream(self, address):
        """Returns address and number of the trace; id, CPU or None, and kind of the stream."""
        if address not in self._streams:
            s = _c.Stream.from_address(address)
            self._streams[address] = (s.trace, _c.trace_index(s.trace), s.id, None if s.cpu < 0 else s.cpu,
                                      _KINDS.get(s.kind, 'unknown'))
        return self._streams[address]

    def _go(self, place):
        if isinstance(place, Position):
            _c.check(_c.traceset_seek_position(self._pointer, place._pointer))
        else:
            _c.check(_c.traceset_seek(self._pointer, min(max(int(place), 0), _c.NONE)))

    def _trace(self, number):
        self._check()
        trace = _c.traceset_trace(self._pointer, number) if 0 <= number < _c.NONE else None
        if not trace:
            raise ValueError(f'there is no trace number {number}')
        return trace

    def correct(self, trace: int, knots: Iterable[Tuple[int, int, Optional[int], Optional[int]]]) -> None:
        """Makes the times of a trace those of another host's clock, before the first event is read.

        knots: (stamp, time, ns that the true time may be earlier, and later, or None if not known), by
        stamp, at least two; between them time runs evenly. None at all: the trace's own clock again.
        """
        self._trace(trace)
        table = [(raw, time, _c.NONE if early is None else early, _c.NONE if late is None else late)
                 for raw, time, early, late in knots]
        if any(not 0 <= n <= _c.NONE for knot in table for n in knot):
            raise ValueError('a stamp, a time or an error is below 0, or above 64 bits')
        array = (_c.Correction * len(table))(*table)
        _c.check(_c.traceset_correct(self._pointer, trace, array, len(table)))

    def is_corrected(self, trace: int) -> bool:
        """True if the times of the trace are those of another host's clock, or of the reference host."""
        return _c.trace_is_corrected(self._trace(trace))

    def error(self, trace: int, raw: int) -> Optional[Tuple[int, int]]:
        """The error of the time at a stamp, as Event.error."""
        if not 0 <= raw <= _c.NONE:
            raise ValueError('a stamp has 64 bits')
        return _error(self._trace(trace), raw)

    def close(self) -> None:
        """Frees everything. Events that were read no longer have fields, context, pid and comm."""
        if self._pointer:
            self._close(self._pointer)
        self._pointer = None

    __del__ = close

    def __enter__(self) -> 'Traceset':
        self._check()
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 where: Optional[TracebackType]) -> None:
        self.close()

    def __getitem__(self, window: slice) -> Iterable[Event]:
        """set[a:b]: the events from a up to but not including b; each a time, a Position, or omitted."""
        if not isinstance(window, slice) or window.step is not None:
            raise TypeError('a window is set[from:to]')
        self._check()
        return _Window(self, 0 if window.start is None else window.start, window.stop)

    def __iter__(self) -> Iterator[Event]:
        return iter(self[:])

    def seek(self, place: Place) -> None:
        """Seeks to the first event at a time or later, or to a Position."""
        self._turn(None)
        self._go(place)

    def read(self) -> Optional[Event]:
        """Returns the next event, None at the end."""
        self._turn(None)
        return self._next(_no_limit())

    def position(self) -> Position:
        """Returns the current position, in front of the next event."""
        self._check()
        pos = Position()
        _c.check(_c.position_save(self._pointer, pos._pointer))
        return pos

    def sql(self, query: str, params: Mapping[str, Any] = {}, time_limit: Optional[float] = None,
            memory: Optional[int] = None) -> Rows:
        """Asks the files with SQL, in place; see Documentation/sql.md. Does not move the traceset.

        query: one statement or several; the rows are those of the last one. params: values of :name.
        time_limit: seconds for each statement. memory: bytes that SQLite may use in this process.
        Raises SqlError for a wrong query. Clocks are those of correct().
        """
        self._check()
        return _sql.run(self, query, params, time_limit, memory)

    def poll(self) -> int:
        """Checks whether the files have grown. Returns the number of new sections."""
        self._check()
        return _c.check(_c.traceset_poll(self._pointer))

    @property
    def span(self) -> Tuple[int, int]:
        """Times of the first and the last event."""
        self._check()
        start, end = ctypes.c_uint64(), ctypes.c_uint64()
        _c.check(_c.traceset_span(self._pointer, start, end))
        return start.value, end.value

    @property
    def lost(self) -> Dict[str, int]:
        """Lost events reported so far, by reason."""
        self._check()
        stats = _c.Stats()
        _c.traceset_stats(self._pointer, stats)
        return {_text(_c.lost_name(i)): n for i, n in enumerate(stats.lost) if n}

    @property
    def paths(self) -> List[str]:
        """The files, by number."""
        self._check()
        paths = []
        while trace := _c.traceset_trace(self._pointer, len(paths)):
            paths.append(_text(_c.trace_path(trace)))
        return paths


def _bytes(path):
    return path if isinstance(path, bytes) else str(path).encode('utf-8', 'surrogateescape')
