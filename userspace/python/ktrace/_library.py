# SPDX-License-Identifier: LGPL-2.1
"""ctypes declarations of libktraceset: structs and functions of ktrace/traceset.h, decode.h,
position.h, context.h"""
import ctypes
import errno
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t,
                    c_uint16, c_uint32, c_uint64, c_void_p)

LOST_NR = 8
NONE = 2 ** 64 - 1
ID_LOST = 1


class Damage(Structure):
    _fields_ = [('path', c_char_p), ('offset', c_uint64), ('message', c_char_p)]


REPORT = CFUNCTYPE(None, c_void_p, POINTER(Damage))


class Opts(Structure):
    _fields_ = [('size', c_size_t), ('report', REPORT), ('arg', c_void_p), ('is_live', c_bool),
                ('cores', c_int)]


class Stream(Structure):
    _fields_ = [('trace', c_void_p), ('id', c_uint32), ('kind', c_uint32), ('cpu', c_int32), ('block_size', c_uint32),
                ('policy', c_uint32), ('ring_size', c_uint64), ('blocks', c_uint64)]


class Enumerator(Structure):
    _fields_ = [('value', c_int64), ('name', c_char_p)]


class Field(Structure):
    _fields_ = [('name', c_char_p), ('scalar', c_int), ('size', c_uint32), ('shape', c_int), ('count', c_uint32),
                ('enum_nr', c_uint32), ('is_bytes', c_bool), ('is_address', c_bool), ('enums', POINTER(Enumerator)),
                ('label', c_char_p), ('label_size', c_size_t), ('place', c_int), ('offset', c_uint32)]


class Type(Structure):
    _fields_ = [('full_name', c_char_p), ('provider', c_char_p), ('name', c_char_p), ('file', c_char_p),
                ('line', c_uint32), ('kind', c_uint16), ('id', c_uint16), ('field_nr', c_uint32),
                ('fields', POINTER(Field)), ('format', c_char_p), ('is_placed', c_bool)]


class Event(Structure):
    _fields_ = [('time', c_uint64), ('raw', c_uint64), ('type', c_void_p), ('stream', c_void_p),
                ('payload', c_void_p), ('len', c_uint32), ('tid', c_uint32), ('flags', c_uint32), ('id', c_uint32)]


class Stats(Structure):
    _fields_ = [('events', c_uint64), ('backwards', c_uint64), ('blocks', c_uint64), ('damaged', c_uint64),
                ('lost', c_uint64 * LOST_NR)]


class Until(Structure):
    _fields_ = [('size', c_size_t), ('time', c_uint64), ('position', c_void_p), ('count', c_uint64),
                ('completes_time', c_bool), ('delivered', c_uint64), ('last', c_uint64), ('stop', c_int)]


class Value(Structure):
    _fields_ = [('field', POINTER(Field)), ('data', c_void_p), ('count', c_uint32), ('is_cut', c_bool)]


class Values(Structure):
    _fields_ = [('type', c_void_p), ('at', c_void_p), ('end', c_void_p), ('next', c_uint32)]


class Item(Structure):
    _fields_ = [('kind', c_uint32), ('value', c_uint64)]


class Stack(Structure):
    _fields_ = [('number', c_uint64), ('kind', c_uint32), ('pid', c_uint32), ('is_cut', c_bool), ('nr', c_uint32),
                ('address', POINTER(c_uint64))]


def _load():
    """Loads the library that the linker finds, or else that of this module's prefix."""
    beside = os.path.join(os.path.dirname(__file__), '..', '..', '..', 'libktraceset.so.0')
    try:
        return ctypes.CDLL('libktraceset.so.0')
    except OSError:
        return ctypes.CDLL(os.path.realpath(beside))


lib = _load()
_P = c_void_p
for _name, _result, *_args in [
        ('traceset_open', c_int, POINTER(Opts), POINTER(_P)), ('traceset_close', None, _P),
        ('traceset_add', c_int, _P, c_char_p), ('traceset_seek', c_int, _P, c_uint64),
        ('traceset_next_until', c_int, _P, POINTER(Until), POINTER(Event)), ('traceset_poll', c_int, _P),
        ('traceset_span', c_int, _P, POINTER(c_uint64), POINTER(c_uint64)),
        ('traceset_stats', None, _P, POINTER(Stats)), ('traceset_trace', _P, _P, c_size_t),
        ('traceset_seek_position', c_int, _P, _P), ('lost_name', c_char_p, c_uint32),
        ('trace_path', c_char_p, _P), ('trace_index', c_size_t, _P), ('trace_is_closed', c_bool, _P),
        ('trace_meta', c_char_p, _P, c_char_p, c_char_p), ('trace_comm', c_char_p, _P, c_uint32, c_uint64),
        ('trace_pid', c_uint32, _P, c_uint32, c_uint64), ('trace_wall', c_uint64, _P, c_uint64),
        ('position_new', c_int, POINTER(_P)), ('position_free', None, _P), ('position_copy', c_int, _P, _P),
        ('position_is_set', c_bool, _P), ('position_time', c_uint64, _P), ('position_compare', c_int, _P, _P),
        ('position_save', c_int, _P, _P), ('position_to_text', c_size_t, _P, c_char_p, c_size_t),
        ('position_from_text', c_int, _P, c_char_p),
        ('values_init', None, POINTER(Values), _P, _P, c_size_t),
        ('values_next', c_bool, POINTER(Values), POINTER(Value)),
        ('value_s64', c_int64, POINTER(Value), c_uint32), ('value_f64', c_double, POINTER(Value), c_uint32),
        ('enumerator_find', c_char_p, POINTER(Field), c_int64),
        ('event_items', c_uint32, POINTER(Event)), ('event_item', Item, POINTER(Event), c_uint32),
        ('item_name', c_char_p, c_uint32), ('trace_stack', POINTER(Stack), _P, c_uint64),
        ('trace_cgroup', c_char_p, _P, c_uint64),
        ('trace_kernel_symbol', c_char_p, _P, c_uint64, POINTER(c_uint64))]:
    _function = getattr(lib, 'ktrace_' + _name)
    _function.restype = _result
    _function.argtypes = _args
    globals()[_name] = _function


def check(result, path=None):
    """Returns the result of a function; raises OSError for -errno, with the file if one is given."""
    if result == -errno.EBADMSG and path is not None:
        raise OSError(-result, 'not a tracefile', path)
    if result < 0:
        raise OSError(-result, os.strerror(-result), path)
    return result
