# SPDX-License-Identifier: LGPL-2.1
"""Queries: see Traceset.sql(). Arrays of the library become those of numpy; no object is made for a value."""
import ctypes
import os
import re
from ctypes import POINTER, Structure, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint8, c_uint64, c_void_p
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from . import _library as _c

_NULL, _INTEGER, _REAL, _TEXT, _BLOB = range(5)
_ROWS, _BYTES = 8192, 1 << 20
# Blanks and comments
_EMPTY = re.compile(rb'(?:[\s;]|--[^\n]*(?:\n|$)|/\*.*?(?:\*/|$))*', re.S)


class SqlError(ValueError):
    """A query that is wrong, or that would write. offset: byte of its text, None if that is unknown."""

    offset: Optional[int]

    def __init__(self, message: str, offset: Optional[int]) -> None:
        super().__init__(message)
        self.offset = offset


class _Opts(Structure):
    _fields_ = [('size', c_size_t), ('cores', c_int), ('report', _c.REPORT), ('progress', c_void_p), ('arg', c_void_p),
                ('time_ms', c_uint64), ('memory', c_uint64)]


class _Value(Structure):
    _fields_ = [('type', c_int), ('integer', c_int64), ('real', c_double), ('bytes', c_char_p), ('len', c_size_t)]


class _Array(Structure):
    _fields_ = [('types', c_void_p), ('integers', c_void_p), ('reals', c_void_p), ('ends', c_void_p),
                ('bytes', c_void_p), ('room', c_size_t)]


def _find():
    """Loads the library that is beside libktraceset, or in a folder below it."""
    with open('/proc/self/maps', 'rb') as maps:
        paths = {os.path.dirname(l.split(None, 5)[5].strip()) for l in maps if b'/libktraceset.so' in l}
    for folder in paths:
        for name in b'libktracesql.so', b'ktrace/libktracesql.so':
            path = os.path.join(folder, name)
            if os.path.exists(path):
                return ctypes.CDLL(os.fsdecode(path))
    raise OSError('libktracesql.so is missing: it comes with ktrace')


def _load():
    lib = _find()
    for name, result, *args in [
            ('open', c_int, c_void_p, POINTER(_Opts), POINTER(c_void_p)), ('close', None, c_void_p),
            ('prepare', c_int, c_void_p, c_char_p, POINTER(c_void_p), POINTER(c_char_p)), ('finish', None, c_void_p),
            ('error', c_char_p, c_void_p, POINTER(c_int)), ('bind', c_int, c_void_p, c_char_p, POINTER(_Value)),
            ('parameters', c_int, c_void_p), ('parameter', c_char_p, c_void_p, c_int), ('columns', c_int, c_void_p),
            ('column', c_char_p, c_void_p, c_int), ('fetch', c_int, c_void_p, POINTER(_Array), c_int)]:
        function = getattr(lib, 'ktrace_sql_' + name)
        function.restype, function.argtypes = result, args
    return lib


class _Column:
    """Memory for a column of many rows."""

    def __init__(self, room):
        self.types = (c_uint8 * _ROWS)()
        self.integers = (c_int64 * _ROWS)()
        self.reals = (c_double * _ROWS)()
        self.ends = (c_uint64 * _ROWS)()
        self.bytes = (c_char * room)()

    def array(self):
        return _Array(*(ctypes.addressof(a) for a in (self.types, self.integers, self.reals, self.ends, self.bytes)),
                      len(self.bytes))

    def value(self, row):
        kind = self.types[row]
        if kind == _INTEGER:
            return self.integers[row]
        if kind == _REAL:
            return self.reals[row]
        if kind == _NULL:
            return None
        data = ctypes.string_at(ctypes.addressof(self.bytes) + (self.ends[row - 1] if row else 0),
                                self.ends[row] - (self.ends[row - 1] if row else 0))
        return data if kind == _BLOB else data.decode('utf-8', 'surrogateescape')


class _Texts:
    """Texts of a column as numbers in a list of different ones, in which each is once."""

    def __init__(self, np):
        self.np, self.codes, self.numbers = np, [], {}

    def add(self, data, ends, is_null):
        """data: bytes of all texts; ends: where each ends in them."""
        np = self.np
        starts = np.concatenate(([0], ends[:-1])).astype(np.int64)
        sizes = ends.astype(np.int64) - starts
        codes = np.full(len(ends), -1, np.int32)
        # Texts of one length are one array; there are few lengths.
        for size in np.unique(sizes[~is_null]):
            rows = np.flatnonzero((sizes == size) & ~is_null)
            if not size:
                codes[rows] = self._number(b'')
                continue
            block = data[starts[rows][:, None] + np.arange(size)]
            texts, which = np.unique(np.ascontiguousarray(block).view(f'V{size}').ravel(), return_inverse=True)
            codes[rows] = np.array([self._number(t.tobytes()) for t in texts], np.int32)[which]
        self.codes.append(codes)

    def _number(self, text):
        return self.numbers.setdefault(text, len(self.numbers))

    def all(self):
        codes = self.np.concatenate(self.codes) if self.codes else self.np.empty(0, self.np.int32)
        return codes, [t.decode('utf-8', 'surrogateescape') for t in self.numbers]


class Rows:
    """The rows of a query, in order; read once, as tuples, as arrays of numpy, or as a frame of pandas.

    columns: their names.
    """

    columns: List[str]

    def __init__(self, owner, lib, sql, query, limits) -> None:
        self._owner, self._lib, self._sql, self._query, self._limits = owner, lib, sql, query, limits
        nr = lib.ktrace_sql_columns(query)
        self.columns = [lib.ktrace_sql_column(query, i).decode('utf-8', 'replace') for i in range(nr)]
        self._room = _BYTES
        self._buffers = [_Column(self._room) for _ in self.columns]

    def _fetch(self):
        """Fetches more rows into the buffers. Returns their number."""
        while True:
            if not self._query:
                return 0
            self._owner._check()
            arrays = (_Array * max(len(self._buffers), 1))(*(b.array() for b in self._buffers))
            n = self._lib.ktrace_sql_fetch(self._query, arrays, _ROWS)
            if n != -105:  # ENOBUFS: the texts of one row do not fit
                break
            self._room *= 4
            self._buffers = [_Column(self._room) for _ in self.columns]
        if n < 0:
            error = _error(self._lib, self._sql, n)
            self.close()
            raise error
        if not n:
            self.close()
        return n

    def __iter__(self) -> Iterator[Tuple[Any, ...]]:
        while n := self._fetch():
            for row in range(n):
                yield tuple(b.value(row) for b in self._buffers)

    def close(self) -> None:
        """Frees the query; done at the end of the rows, too."""
        if self._query:
            self._lib.ktrace_sql_finish(self._query)
            self._lib.ktrace_sql_close(self._sql)
        self._query = None

    __del__ = close

    def _parts(self, np):
        """Returns for each column: types, integers, reals and texts of all rows."""
        kinds = [[] for _ in self.columns]
        numbers = [([], []) for _ in self.columns]
        texts = [_Texts(np) for _ in self.columns]
        while n := self._fetch():
            for b, kind, (integers, reals), text in zip(self._buffers, kinds, numbers, texts):
                types = np.frombuffer(b.types, np.uint8, n).copy()
                kind.append(types)
                integers.append(np.frombuffer(b.integers, np.int64, n).copy())
                reals.append(np.frombuffer(b.reals, np.float64, n).copy())
                # A column that has no text so far costs nothing more.
                if text.codes or (types >= _TEXT).any():
                    missing = sum(map(len, kind)) - n - sum(map(len, text.codes))
                    if missing:
                        text.codes.append(np.full(missing, -1, np.int32))
                    text.add(np.frombuffer(b.bytes, np.uint8), np.frombuffer(b.ends, np.uint64, n), types < _TEXT)

        def join(parts, kind):
            return np.concatenate(parts) if parts else np.empty(0, kind)
        return [(join(kind, np.uint8), join(i, np.int64), join(r, np.float64), text)
                for kind, (i, r), text in zip(kinds, numbers, texts)]

    def numpy(self) -> Dict[str, Any]:
        """Returns an array for each column.

        Integers are int64, numbers with a fraction float64, texts fixed-width text; a column with NULLs is a masked
        array. A column with both numbers and texts is text.
        """
        import numpy as np
        return {name: _array(np, *part) for name, part in zip(_unique(self.columns), self._parts(np))}

    def pandas(self) -> Any:
        """Returns a DataFrame: Int64 and Float64, which have missing values; texts as a category."""
        import numpy as np
        import pandas as pd
        return pd.DataFrame({name: _series(np, pd, *part)
                             for name, part in zip(_unique(self.columns), self._parts(np))})


def _unique(names):
    """Returns the names; one that was there gets a number."""
    seen, out = set(), []
    for name in names:
        other, i = name, 2
        while other in seen:
            other, i = f'{name}_{i}', i + 1
        seen.add(other)
        out.append(other)
    return out


def _codes(np, kinds, integers, reals, text):
    """Returns texts as numbers of a list; numbers among them become texts."""
    codes, texts = text.all()
    numbers = {t: i for i, t in enumerate(texts)}
    for kind, values in (_INTEGER, integers), (_REAL, reals):
        rows = np.flatnonzero(kinds == kind)
        different, which = np.unique(values[rows], return_inverse=True)
        if len(rows):
            codes[rows] = np.array([numbers.setdefault(str(v), len(numbers)) for v in different.tolist()], np.int32)[which]
    return codes, list(numbers)


def _array(np, kinds, integers, reals, text):
    is_null = kinds == _NULL
    if (kinds >= _TEXT).any():
        codes, texts = _codes(np, kinds, integers, reals, text)
        values = np.array(texts + [''])[codes]
    else:
        values = reals if (kinds == _REAL).any() else integers
    return np.ma.masked_array(values, is_null) if is_null.any() else values


def _series(np, pd, kinds, integers, reals, text):
    is_null = kinds == _NULL
    if (kinds >= _TEXT).any():
        return pd.Categorical.from_codes(*_codes(np, kinds, integers, reals, text))
    if (kinds == _REAL).any():
        return pd.arrays.FloatingArray(reals, is_null)
    return pd.arrays.IntegerArray(integers, is_null)


def _error(lib, sql, result, base=0):
    where = c_int()
    message = lib.ktrace_sql_error(sql, where).decode('utf-8', 'replace')
    if result in (-22, -1):  # EINVAL, EPERM
        return SqlError(message, None if where.value < 0 else base + where.value)
    return MemoryError(message) if result == -12 else OSError(-result, message)


def _value(value):
    if value is None:
        return _Value(_NULL)
    if isinstance(value, (bool, int)):
        if not -2**63 <= value < 2**63:
            raise ValueError('a parameter has more than 64 bits')
        return _Value(_INTEGER, int(value))
    if isinstance(value, float):
        return _Value(_REAL, 0, value)
    data = value if isinstance(value, bytes) else str(value).encode('utf-8', 'surrogateescape')
    return _Value(_BLOB if isinstance(value, bytes) else _TEXT, 0, 0, data, len(data))


def _bind(lib, query, parameters):
    for i in range(lib.ktrace_sql_parameters(query)):
        name = (lib.ktrace_sql_parameter(query, i) or b'?').decode()
        if name[1:] not in parameters:
            raise SqlError(f'no value for {name}', None)
        value = _value(parameters[name[1:]])
        if lib.ktrace_sql_bind(query, name.encode(), value) < 0:
            raise MemoryError


def _finish_all(lib, sql, query):
    """Runs a query whose rows nobody wants."""
    arrays = (_Array * max(lib.ktrace_sql_columns(query), 1))()
    while (n := lib.ktrace_sql_fetch(query, arrays, _ROWS)) > 0:
        pass
    lib.ktrace_sql_finish(query)
    if n < 0:
        raise _error(lib, sql, n)


def _prepare(lib, sql, text, parameters):
    """Runs all statements but the last one, whose query it returns."""
    whole = rest = text.encode('utf-8', 'surrogateescape')
    if b'\0' in rest:
        raise SqlError('a query has no NUL', None)
    while not _EMPTY.fullmatch(rest):
        query, end = c_void_p(), c_char_p()
        result = lib.ktrace_sql_prepare(sql, rest, query, end)
        if result < 0:
            raise _error(lib, sql, result, len(whole) - len(rest))
        rest = end.value
        try:
            _bind(lib, query, parameters)
        except BaseException:
            lib.ktrace_sql_finish(query)
            raise
        if _EMPTY.fullmatch(rest):
            return query
        _finish_all(lib, sql, query)
    raise SqlError('there is no statement', None)


def run(owner: Any, text: str, parameters: Mapping[str, Any], seconds: Optional[float], memory: Optional[int]) -> Rows:
    """Asks a Traceset; see Traceset.sql()."""
    global _lib
    if _lib is None:
        _lib = _load()
    limits = _Opts(size=ctypes.sizeof(_Opts), report=owner._report, time_ms=int((seconds or 0) * 1000 + 0.999),
                   memory=memory or 0)
    sql = c_void_p()
    _c.check(_lib.ktrace_sql_open(owner._pointer, limits, sql))
    try:
        return Rows(owner, _lib, sql, _prepare(_lib, sql, text, parameters), limits)
    except BaseException:
        _lib.ktrace_sql_close(sql)
        raise


_lib: Any = None
