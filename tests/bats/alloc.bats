#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: kasan
# alloc.bats - each allocation of each request fails once (kernels with fault injection)
load helpers

FAULTS=/sys/kernel/debug

setup()
{
	requires_dev
	[ -e /proc/self/fail-nth ] || skip "this kernel fails no allocations on demand"
	setup_test
}

teardown()
{
	[ -e /dev/ktrace ] || insmod "$BUILD/kernel/$(uname -r)/ktrace.ko"
	teardown_test
}

# tell ATTRIBUTE VALUE: to whichever kinds of faults have it
tell()
{
	local kind
	for kind in failslab fail_page_alloc fail_usercopy; do
		[ ! -e "$FAULTS/$kind/$1" ] || echo "$2" >"$FAULTS/$kind/$1"
	done
}

@test "a request whose nth allocation fails says so and leaves nothing behind" {
	tell ignore-gfp-wait N
	tell ignore-gfp-highmem N
	tell min-order 0
	tell verbose 0
	"$PROGS/dev_alloc" "$([ -n "${KTRACE_LONG:-}" ] && echo 1 || echo 7)"
	# as long as there is a session, a descriptor or a mapping, this is refused
	rmmod ktrace
}
