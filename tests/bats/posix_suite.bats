#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# <trace.h>: the conformance suite in tests/posix, with both back ends

load helpers

SUITE=$ROOT/tests/posix

setup()
{
	setup_test
	export OUT=$BUILD/posix TRACE_CHOICES=1 TMPDIR=$PWD KTRACE_BACKEND
}

teardown()
{
	teardown_test
	if in_guest && [ "$(</sys/module/ktrace/parameters/clock)" = monotonic ]; then
		rmmod ktrace
		insmod "$BUILD/kernel/$(uname -r)/ktrace.ko"
	fi
}

# alone COMMAND...: with a /dev/shm of its own, as it takes all streams that there may be
alone()
{
	# shellcheck disable=SC2016 # for the inner shell
	unshare $([ "$(id -u)" = 0 ] || echo -r) -m sh -c 'mount -t tmpfs none /dev/shm && exec "$@"' sh "$@"
}

# bats test_tags=shm
@test "trace.h is C99, C11, C23 and C++, and its 50 functions have their types" {
	make -s -C "$SUITE" languages CPPFLAGS="-I$ROOT/userspace/include"
	make -s -C "$SUITE" languages CC=clang CXX=clang++ CPPFLAGS="-I$ROOT/userspace/include"
}

# bats test_tags=shm
@test "there is a program for each function, and each function has a manual page" {
	local f
	for f in $(sed -n 's/^FUNCTION([a-z]*, \([a-z_]*\),.*/\1/p' "$SUITE/functions.h"); do
		[ -x "$OUT/$f" ]
		grep -qx ".Nm $f\( ,\)\?" "$ROOT"/Documentation/man/posix_trace_*.3
	done
	[ "$(grep -c '^FUNCTION(' "$SUITE/functions.h")" = 50 ]
}

# bats test_tags=shm
@test "each requirement of <trace.h> is named by a test of it" {
	printf 'PTRC-%s\n' 0{1..9} 1{0..4} 2{0..9} 3{0..5} 4{0..9} 5{0..9} 6{0..1} 7{0..8} >wanted
	grep -rhoE --include='*.c' 'PTRC-[0-9]{2}' "$SUITE" "$ROOT/tests/unit" | sort -u | diff wanted -
}

# bats test_tags=shm
@test "a program that knows nothing of it finds the options and limits when the library is preloaded" {
	capture env LD_PRELOAD="$BUILD/lib/libktrace-posix.so" python3 -c '
import os
print([os.sysconf(n) for n in (181, 182, 183, 184, 242, 243, 244, 245, "SC_PAGESIZE")])'
	[ "$output" = "[200809, 200809, 200809, 200809, 255, 63, 64, 1024, $(getconf PAGESIZE)]" ]
	[ "$(LD_PRELOAD=$BUILD/lib/libktrace-posix.so getconf _POSIX_TRACE_LOG)" = 200809 ]
}

# bats test_tags=shm
@test "all that the standard has, in shared memory" {
	alone "$SUITE/run"
}

# What has nothing to do with the back end, or with that of the process that writes a log
ANYWHERE='^(header|errors|posix_trace_(attr_(init|[sg]et(inherited|log.*|name|genversion|clockres|max.*size|streamfull.*))|eventset_.*|eventid_.*|open|rewind|close))$'

# on_device GREP-OPTION...: the programs whose names are so, while the clock is set; but for
# KTRACE_LONG only those to which the back end matters, and with fewer repetitions
on_device()
{
	local left_out=^$
	if in_guest; then
		export TRACE_SET_CLOCK=1
	fi
	[ -n "${KTRACE_LONG:-}" ] || { left_out=$ANYWHERE; export TRACE_SHORT=1; }
	# shellcheck disable=SC2046 # names of ours
	TRACE_LIMIT=${TRACE_LIMIT:-250} alone "$SUITE/run" $(find "$OUT" -maxdepth 1 -type f -executable -printf '%f\n' |
		grep -vE "$left_out" | grep "$@")
}

# bats test_tags=dev
@test "each function of the standard, on the device, while the clock is set" {
	on_device '^posix_trace_'
}

# bats test_tags=dev,long
@test "what else the standard has, on the device, while the clock is set" {
	on_device -v '^posix_trace_'
}

# bats test_tags=dev
@test "events, queues and waits of the standard on the device, with the clock that needs no cycle counter" {
	rmmod ktrace
	insmod "$BUILD/kernel/$(uname -r)/ktrace.ko" clock=monotonic
	on_device -E '^(posix_trace_(event|timedgetnext_event)|clock_step)$'
}

# bats test_tags=shm
@test "the same seed of the model does the same again" {
	alone "$OUT/model" 99 500 >first
	alone "$OUT/model" 99 500 >second
	cmp first second
}

# bats test_tags=shm
@test "without restartable sequences a thousand processes share rings, and lose nothing" {
	GLIBC_TUNABLES=glibc.pthread.rseq=0 alone "$SUITE/run" thousand noloss causality processes
}

# bats test_tags=shm,long
@test "valgrind finds nothing" {
	export TRACE_WRAP="valgrind -q --error-exitcode=9"
	TRACE_LIMIT=250 alone "$SUITE/run" listing rationale states posix_trace_attr_destroy \
		posix_trace_get_attr posix_trace_getnext_event posix_trace_eventid_open
}
