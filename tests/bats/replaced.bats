#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# replaced.bats - what has the name of the output stays until something new is there
# shellcheck disable=SC2016,SC2086 # for an inner shell; several words
load helpers

setup() { setup_test; }
teardown() { teardown_test; }

# The older trace t and the parts of s.bin, and that they are as they were
older()
{
	run_ktraced -e flood -o t -- "$PROGS/flood" -n 100
	run_ktraced -e flood --split-size=1K -o s.bin -- "$PROGS/flood" -n 20000 -u 1
	[ -e s.0001.bin ]
	cksum t s.*.bin >before
}

unchanged()
{
	echo "$stderr"
	cksum t s.*.bin | diff before -
	[ "$(find . -name '*.new' | wc -l)" = 0 ]
}

# bats test_tags=alike
@test "too few descriptors: the older trace and its parts stay" {
	older
	for n in 5 6 7 8 9 10 11 12 13 14 15 16; do
		for output in "-o t" "--split-size=1M -o s.bin"; do
			capture bash -c 'ulimit -n "$0"; exec "$@"' "$n" "$KTRACED" --backend=shm $output \
				-- true
			[ "$status" -ne 0 ] || break 2
			unchanged
		done
	done
	[ "$n" -gt 8 ]
}

# bats test_tags=alike
@test "a command that cannot be executed: the older trace and its parts stay" {
	older
	printf '#!/nowhere/bin/sh\n' >script
	chmod +x script
	for command in ./script ./missing /; do
		for output in "-o t" "--split-size=1M -o s.bin"; do
			run_ktraced $output -- "$command"
			[ "$status" -ge 126 ]
			unchanged
		done
	done
	# A file that is new goes again.
	run_ktraced -o new -- ./script
	[ "$status" -ge 126 ]
	[ ! -e new ]
	run_ktraced --split-size=1M -o new.bin -- ./script
	[ -z "$(find . -name 'new*')" ]
}

# bats test_tags=alike
@test "a session that cannot be made: the older trace and its parts stay" {
	older
	for output in "-o t" "--split-size=1M -o s.bin"; do
		capture bash -c 'ulimit -f 4; exec "$@"' bash "$KTRACED" --backend=shm $output -- true
		[ "$status" -eq 125 ]
		unchanged
	done
}

# bats test_tags=alike
@test "an older trace is replaced as a whole, and keeps its mode and its other names" {
	older
	ln t other
	chmod 640 t
	run_ktraced -e flood -o t -- "$PROGS/flood" -n 7
	[ "$status" -eq 0 ]
	[ "$("$KTRACE" list t | wc -l)" = 7 ]
	[ "$(stat -c %a t)" = 640 ]
	[ t -ef other ]
	run_ktraced -e flood --split-size=1K -o s.bin -- "$PROGS/flood" -n 7
	[ "$("$KTRACE" list s.bin | wc -l)" = 7 ]
	[ "$(find . -name 's.*' | wc -l)" = 1 ]
	valid_trace s.bin
}

# bats test_tags=alike
@test "what has the name of the first part and is none stays" {
	older
	echo mine >s.0001.bin
	run_ktraced --split-size=1M -o s.bin -- true
	[ "$status" -eq 125 ]
	[[ $stderr == *"s.0001.bin: File exists"* ]]
	[ "$(cat s.0001.bin)" = mine ]
}
