#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# rounds.bats - tests/rounds, which attaches to programs again and again; make long runs it in full
# runs: host
load helpers

setup()
{
	setup_test
	command -v python3 >/dev/null || skip "no python3"
}

teardown()
{
	teardown_test
}

# rounds ARG...: runs it; all must be well
rounds()
{
	capture env TMPDIR="$PWD" BUILD="$BUILD" "$ROOT/tests/rounds" "$@"
	show rounds "$@"
	[ "$status" = 0 ]
}

# bats test_tags=shm
@test "rounds: the project's own example, recorded by two, and by recorders that are killed" {
	rounds -n 2 -k 2 late
	[[ $output == *"'recordings': "[1-9]*"1 passed, 0 failed"* ]]
}

# bats test_tags=shm
@test "rounds: a Python server, recorded by two, and killed" {
	rounds -n 2 -k 1 -f 10 python
	[[ $output == *"1 passed, 0 failed"* ]]
}

@test "rounds: what it takes for a fault" {
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$ROOT/tests/checkers/rounds python3 - <<-'END'
		import ledger
		def thread(*numbers, name="late:tick"):
		    t = ledger.Thread()
		    for n in numbers:
		        t.times.append(10 * n)
		        t.events.append((name, (0, n)))
		    return t
		def is_fault(call, *args):
		    try:
		        call(*args)
		    except ledger.Fault:
		        return True
		    return False
		one, whole = (1, 1), {(1, 1): thread(*range(1, 20))}
		def compare(lost, *numbers):
		    other = {one: thread(*numbers)}
		    other[one].times = [51 + 10 * n for n in range(len(numbers))]
		    return ledger.compare(whole, other, ["late:*"], lost)
		assert compare(0, *range(5, 12)) == (7, 0, 0)
		assert is_fault(compare, 0, 5, 6, 8, 9, 10)
		assert not is_fault(compare, 1, 5, 6, 8, 9, 10)
		assert is_fault(compare, 9, 5, 8, 6, 9, 10)
		assert is_fault(compare, 9, 5, 6, 77, 9, 10)
		assert is_fault(ledger.numbered, "t", {one: thread(1, 3)}, 0)
		assert is_fault(ledger.numbered, "t", {one: thread(1, 3, 2)}, 9)
		assert not is_fault(ledger.numbered, "t", {one: thread(1, 3)}, 1)
		calls = ledger.Thread()
		calls.events = [(f"pthread:{name}", ()) for name in ("a_out", "b_in", "b_out", "c_in", "d_out")]
		assert is_fault(ledger.nested, "t", {one: calls})
		calls.events.pop()
		assert not is_fault(ledger.nested, "t", {one: calls})
	END
}
