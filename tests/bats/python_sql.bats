#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# Traceset.sql() of the module ktrace for Python says what ktrace sql says

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
	export PYTHONPATH=$ROOT/userspace/python LD_LIBRARY_PATH=$BUILD/lib PYTHONDONTWRITEBYTECODE=1
	# Debian's, which has Debian's numpy
	PYTHON=/usr/bin/python3
	[ -x "$PYTHON" ] || PYTHON=python3
	"$PROGS/mktrace" t <"$ROOT/tests/data/golden/small-v1.script"
}

teardown()
{
	teardown_test
}

needs_numpy()
{
	"$PYTHON" -c 'import numpy, pandas' 2>/dev/null || skip "numpy or pandas is missing"
}

@test "python sql: rows are those of ktrace sql" {
	local table
	for table in events slices lock_waits states threads event_counts losses files stacks; do
		"$KTRACE" sql --json t "SELECT * FROM $table" >list
		"$PYTHON" - "$table" <<-'END'
			import json, sys
			from ktrace import Traceset
			with Traceset('t') as s:
			    rows = s.sql(f'SELECT * FROM {sys.argv[1]}')
			    got = [dict(zip(rows.columns, row)) for row in rows]
			told = [json.loads(line) for line in open('list')]
			assert len(got) == len(told)
			for a, b in zip(got, told):
			    assert a.keys() == b.keys()
			    assert all(a[k] == b[k] or isinstance(b[k], str) and '\ufffd' in b[k] for k in a), (a, b)
		END
	done
}

@test "python sql: statements, parameters, errors, limits" {
	"$PYTHON" - <<-'END'
		from ktrace import Traceset, SqlError, ClosedError
		def fails(error, *args, **more):
		    try:
		        list(s.sql(*args, **more))
		    except error as e:
		        return e
		    raise AssertionError(args)
		s = Traceset('t')
		assert list(s.sql('CREATE TEMP TABLE x(a); INSERT INTO x VALUES (:a); SELECT a, :b, :c, :d FROM x -- end\n',
		                  {'a': -5, 'b': 'ü', 'c': None, 'd': b'\0\xff', 'unused': 1})) == [(-5, 'ü', None, b'\0\xff')]
		assert list(s.sql('SELECT 1.5, :n', {'n': 2**63 - 1})) == [(1.5, 2**63 - 1)]
		assert fails(SqlError, 'SELECT 1; SELECT nosuch FROM events').offset == 17
		assert 'no value for :n' in str(fails(SqlError, 'SELECT :n'))
		assert 'no such table' in str(fails(SqlError, 'SELECT * FROM nosuch'))
		for text in '', ' ; -- nothing\n', 'SELECT 1\0', "ATTACH 'x' AS x", 'CREATE TABLE main.x(a)', 'SELECT (1':
		    fails(SqlError, text)
		fails(ValueError, 'SELECT :n', {'n': 2**63})
		fails(OSError, 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n', time_limit=0.1)
		fails(MemoryError, 'SELECT length(group_concat(hex(zeroblob(1000000)))) FROM events', memory=5 << 20)
		# A query does not move the traceset; several go on side by side.
		first = next(iter(s))
		a, b = s.sql('SELECT ns FROM events'), s.sql('SELECT ns FROM events')
		assert [x == y for x, y in zip(a, b)] == [True] * 25
		assert next(iter(s)).time == first.time
		# A row whose texts need more room than there was
		assert [len(t) for t, in s.sql("SELECT hex(zeroblob(n)) FROM (SELECT 1 AS n UNION ALL SELECT 3000000 UNION ALL SELECT 2)")] == \
		    [2, 6000000, 4]
		rows = s.sql('SELECT ns FROM events')
		s.close()
		try:
		    list(rows)
		    raise AssertionError
		except ClosedError:
		    pass
	END
}

@test "python sql: numpy and pandas have the same values, without an object for each" {
	needs_numpy
	"$PROGS/machine" "$(n 100000)" m
	"$PYTHON" - <<-'END'
		import tracemalloc
		import numpy as np
		from ktrace import Traceset
		for path, table in ('t', 'events'), ('m', 'events'), ('m', 'states'), ('t', '"demo:types"'), ('t', 'stacks'):
		    with Traceset(path) as s:
		        query = f'SELECT * FROM {table}'
		        told = list(s.sql(query))
		        arrays, frame = s.sql(query).numpy(), s.sql(query).pandas()
		        rows = s.sql(query)
		        columns = rows.columns
		        assert list(arrays) == list(frame.columns) == columns
		        for i, name in enumerate(columns):
		            want = [row[i] for row in told]
		            if any(isinstance(v, (str, bytes)) for v in want):
		                want = [v if v is None or isinstance(v, str) else str(v) for v in want]
		            if any(isinstance(v, bytes) for v in want):
		                continue
		            assert arrays[name].tolist() == want, (path, table, name)
		            got = [None if v is None or v != v else v for v in frame[name].astype(object).where(frame[name].notna(), None)]
		            assert got == want, (path, table, name, got[:3], want[:3])
		with Traceset('m') as s:
		    list(s.sql('SELECT 1'))
		    tracemalloc.start()
		    n = len(s.sql('SELECT time, tid, name, comm FROM events').numpy()['time'])
		    size, peak = tracemalloc.get_traced_memory()
		    blocks = sum(t.count for t in tracemalloc.take_snapshot().statistics('filename'))
		    assert n >= 10000 and blocks < n / 2, (n, blocks)
		    tracemalloc.stop()
		    f = s.sql('SELECT tid, name, sum(duration) AS ns FROM slices GROUP BY 1, 2').pandas()
		    assert str(f.dtypes['ns']) == 'Int64' and str(f.dtypes['name']) == 'category'
		    assert f['ns'].sum() == s.sql('SELECT sum(duration) FROM slices').numpy()['sum(duration)'][0]
		    empty = s.sql('SELECT tid, name FROM events WHERE 0')
		    assert {k: len(v) for k, v in empty.numpy().items()} == {'tid': 0, 'name': 0}
		    assert list(s.sql('SELECT 1 AS a, 2 AS a').numpy()) == ['a', 'a_2']
	END
}

@test "python sql: three hosts, and a file that grows" {
	"$PROGS/mkhosts" --hosts 3 --seconds 1 --rate 50 --sched --app --host 1,wall=0.3,drift=50 .
	"$PYTHON" - <<-'END'
		from ktrace import Traceset
		with Traceset('h0', 'h1', 'h2') as s:
		    assert len(list(s.sql('SELECT DISTINCT host FROM events'))) == 3
	END
	"$PROGS/machine" 20000 whole
	head -c 300000 whole >part
	"$PYTHON" - <<-'END'
		from ktrace import Traceset
		count = 'SELECT count(*) FROM events'
		with Traceset('part', live=True) as s:
		    (before,), = s.sql(count)
		    with open('part', 'ab') as f:
		        f.write(open('whole', 'rb').read()[300000:])
		    (after,), = s.sql(count)
		    assert 0 < before < after == 20000, (before, after)
	END
}
