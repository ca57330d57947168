#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# python.bats - the module ktrace for Python says what ktrace(1) says
# runs: host
load helpers

setup()
{
	setup_test
	SMALL=$ROOT/tests/data/golden/small-v1.bin
	export PYTHONPATH=$ROOT/userspace/python LD_LIBRARY_PATH=$BUILD/lib PYTHONDONTWRITEBYTECODE=1
}

teardown() { teardown_test; }

@test "structs are those of the headers" {
	python3 "$ROOT/tests/spec/layout.py" "$ROOT"
}

@test "events are those of ktrace list" {
	"$KTRACE" list --json "$SMALL" >list
	python3 - "$SMALL" <<-'END'
		import json, sys
		from ktrace import Traceset

		def same(a, b):
		    """JSON has hexadecimal numbers as strings, what is not UTF-8 as U+FFFD."""
		    if isinstance(a, list):
		        return len(a) == len(b) and all(map(same, a, b))
		    if isinstance(a, str) and isinstance(b, str):
		        return a.encode("utf-8", "replace") == b.encode("utf-8", "replace") or "\ufffd" in a
		    return a == b or (isinstance(a, str) and int(a, 16) == b)

		with Traceset(sys.argv[1]) as s:
		    events = list(s)
		    lines = [json.loads(l) for l in open("list")]
		    assert len(events) == len(lines)
		    for e, l in zip(events, lines):
		        assert e.name == l["event"] and e.raw == l["raw"], (e, l)
		        assert e.cpu == l.get("cpu") and e.stream == l["stream"], (e, l)
		        assert e.flags == set(l.get("flags", [])), (e, l)
		        assert e.is_lost or e.tid == l["tid"], (e, l)
		        assert (e.pid or None) == (l.get("pid") or None) or e.is_lost, (e, l)
		        if "fields" in l:
		            assert e.fields.keys() == l["fields"].keys(), (e, l)
		            for name, value in l["fields"].items():
		                assert same(value, e.fields[name]), (e, name, value, e.fields[name])
		        else:
		            assert e.payload.hex() == l["bytes"], (e, l)
	END
}

@test "windows, positions and loops that take turns" {
	python3 - "$SMALL" <<-'END'
		import sys
		from ktrace import Position, Traceset
		path = sys.argv[1]
		s = Traceset(path)
		key = lambda e: (e.time, e.raw, e.name, e.payload)
		all = [key(e) for e in s]
		start, end = s.span
		assert all[0][0] == start
		for t in range(start - 1, start + 300, 7):
		    assert [key(e) for e in s[:t]] + [key(e) for e in s[t:]] == all, t
		places = []
		s.seek(0)
		while True:
		    places.append(s.position())
		    if s.read() is None:
		        break
		assert len(places) == len(all) + 1 and places == sorted(places)
		other = Traceset(path)
		for i, place in enumerate(places):
		    again = Position(str(place))
		    assert again == place and (i == len(all)) == (place.time is None)
		    assert [key(e) for e in other[again:]] == all[i:]
		    assert [key(e) for e in s[:place]] == all[:i]
		for a, b in zip(s, s[places[3]:]):
		    assert all.index(key(a)) <= all.index(key(b))
		assert [key(e) for e in s] == all and not s.damages and s.paths == [path]
		s.seek(places[5])
		assert key(s.read()) == all[5]
	END
}

@test "what cannot be is an exception" {
	python3 - "$SMALL" "${SMALL/small/lossy}" <<-'END'
		import sys
		from ktrace import Position, Traceset

		def raises(kind, function, *args):
		    try:
		        function(*args)
		    except kind:
		        return
		    raise AssertionError(f"no {kind}")

		raises(OSError, Traceset, "/nonexistent")
		raises(OSError, Traceset, "/dev/null")
		for path, text in ("/nonexistent", "No such file or directory"), ("/dev/null", "not a tracefile"):
		    try:
		        Traceset(path)
		    except OSError as error:
		        assert error.filename == path and error.strerror == text, error
		raises(ValueError, Position, "k1")
		one, two = Traceset(sys.argv[1]), Traceset(*sys.argv[1:])
		raises(FileExistsError, Traceset, sys.argv[1], sys.argv[1])
		raises(OSError, two.seek, one.position())
		raises(TypeError, lambda: one[1])
		event = one.read()
		one.close()
		raises(ValueError, one.read)
		raises(ValueError, lambda: event.comm)
		raises(ValueError, lambda: event.fields)
		assert event.name == "syscall:enter"
		one.close()
	END
}

@test "a live file goes on where it ended" {
	python3 - "$SMALL" <<-'END'
		import sys
		from ktrace import Traceset
		data = open(sys.argv[1], "rb").read()
		open("part", "wb").write(data[:0xe00])
		s = Traceset("part", live=True)
		before = list(s)
		end = s.position()
		open("part", "wb").write(data)
		assert s.poll() > 0 and s.read() is not None
		behind = list(s[end:])
		# The last one lacks a part; the file is closed, so none will come.
		assert behind and len(before) + len(behind) == len(list(Traceset(sys.argv[1])))
	END
}

@test "the order is that of a sort: random tracesets of 1 to 64 files" {
	python3 "$ROOT/tests/spec/order.py" "$PROGS/mktrace"
}

# installed FOLDER: the module in this venv is complete, and reads
installed()
{
	env -u PYTHONPATH "$1/bin/python" - "$SMALL" "$("$KTRACE" --version)" <<-'END'
		import importlib.metadata, os, sys, ktrace
		assert sys.prefix in ktrace.__file__, ktrace.__file__
		assert "ktrace " + ktrace.__version__ == sys.argv[2].split("\n")[0], ktrace.__version__
		assert importlib.metadata.version("ktrace") == ktrace.__version__
		assert os.path.exists(os.path.join(os.path.dirname(ktrace.__file__), "py.typed"))
		with ktrace.Traceset(sys.argv[1]) as s:
		    assert len(list(s)) > 10
	END
}

# bats test_tags=long
@test "pip installs the module into a venv, with nothing from elsewhere" {
	python3 -m venv --without-pip one 2>/dev/null || skip "python3 has no venv"
	python3 -m pip --version || skip "python3 has no pip"
	# The checkout may not be written to.
	mkdir tree
	(cd "$ROOT" && tar -c pyproject.toml Documentation/python.md userspace/python) | tar -x -C tree
	export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 HOME=$PWD
	run python3 -m pip --python one/bin/python install ./tree
	echo "$output"
	[ "$status" -eq 0 ]
	installed "$PWD/one"
	# A source distribution makes the same wheel, and twice the same bytes.
	python3 - <<-'END'
		import hashlib, os, sys, tarfile
		sys.path.insert(0, "tree/userspace/python/backend")
		import ktrace_build
		for folder in "a", "b":
		    os.mkdir(folder)
		wheel = ktrace_build.build_wheel("a")
		with tarfile.open(os.path.join("b", ktrace_build.build_sdist("b"))) as t:
		    t.extractall("sdist")
		print(wheel)
	END
	python3 -m pip wheel --no-deps -w b ./sdist/ktrace-*
	cmp a/*.whl b/*.whl
	python3 -m venv --without-pip two
	python3 -m pip --python two/bin/python install --no-build-isolation ./a/*.whl
	installed "$PWD/two"
}

@test "all that is public has type hints that hold" {
	python3 - <<-'END'
		import inspect, typing, ktrace
		for cls in ktrace.Traceset, ktrace.Event, ktrace.Position:
		    typing.get_type_hints(cls)
		    for name, thing in vars(cls).items():
		        function = thing.fget if isinstance(thing, property) else thing
		        if not inspect.isfunction(function) or function.__module__ != "ktrace" or (name[0] == "_" and not name.startswith("__")):
		            continue
		        hints = typing.get_type_hints(function, vars(ktrace))
		        missing = {p for p in inspect.signature(function).parameters} - {"self"} - set(hints)
		        assert "return" in hints and not missing, (cls, name, missing)
	END
}

@test "positions are keys, and a closed traceset says that it is" {
	python3 - "$SMALL" <<-'END'
		import sys
		from ktrace import ClosedError, Position, Traceset
		s = Traceset(sys.argv[1])
		places = {}
		for n in range(8):
		    places[s.position()] = n
		    s.read()
		assert len(places) == 8
		for n, p in enumerate(list(places)):
		    assert places[Position(str(p))] == n and hash(Position(str(p))) == hash(p)
		event, loop = s.read(), iter(s)
		next(loop)
		s.close()
		for ask in (s.read, s.position, s.poll, lambda: s.seek(0), lambda: s.span, lambda: s.lost,
		            lambda: s.paths, lambda: list(s), lambda: next(loop), s.__enter__,
		            lambda: event.fields, lambda: event.context, lambda: event.stack("kstack"),
		            lambda: event.pid, lambda: event.comm):
		    try:
		        ask()
		    except ClosedError as error:
		        assert str(error).startswith("the traceset is closed: "), error
		    else:
		        raise AssertionError("no error")
	END
}

@test "times of a trace by another host's clock, and their errors" {
	for host in 0 1; do
		"$PROGS/mktrace" "host$host" <<-EOF
			meta host name=h$host boot=b$host
			meta clock raw=0 mono_ns=0 real_ns=$((1000000000000 * (host + 1))) hz=1000000000
			meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop
			meta event kind=user id=16 desc=t:e{u32%20n;}
			block 0
			rec $((1000 + host)) 16 7 u32:$host
			rec $((3000 + host)) 16 7 u32:$host
		EOF
	done
	python3 - <<-'END'
		from ktrace import Traceset
		START = 10 ** 12
		with Traceset("host0", "host1") as s:
		    assert not s.is_corrected(1) and s.error(1, 0) is None
		    for bad in (-1, 2):
		        try:
		            s.correct(bad, [])
		        except ValueError:
		            pass
		        else:
		            raise AssertionError(bad)
		    for bad in ([(0, START, 0, 0)], [(5, START, 0, 0), (4, START + 1, 0, 0)]):
		        try:
		            s.correct(1, bad)
		        except OSError as error:
		            assert error.errno == 22, error
		        else:
		            raise AssertionError(bad)
		    try:
		        s.correct(1, [(0, START, -1, 0), (1, START, 0, 0)])
		    except ValueError:
		        pass
		    else:
		        raise AssertionError("a negative error")
		    s.correct(0, [(0, START, 0, 0), (10, START + 10, 0, 0)])
		    s.correct(1, [(0, START - 100, 30, 20), (2000, START + 1900, 40, 10), (3000, START + 2900, None, 10)])
		    assert s.is_corrected(0) and s.is_corrected(1)
		    events = list(s)
		    assert [(e.trace, e.time - START, e.error, e.error_ns) for e in events] == [
		        (1, 901, (40, 20), 40), (0, 1000, (0, 0), 0), (1, 2901, None, None), (0, 3000, (0, 0), 0)], events
		    assert s.error(1, 5) == (40, 20) and s.error(1, 10 ** 6) is None
		    try:
		        s.correct(1, [])
		    except OSError as error:
		        assert error.errno == 16, error
		    else:
		        raise AssertionError("corrected while it is read")
		try:
		    events[0].error
		except ValueError:
		    pass
		else:
		    raise AssertionError("closed")
	END
}
