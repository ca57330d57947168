#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: guest
#
# uprobes.bats - ktraced --pthread against another witness of the same run
#
# The kernel puts a probe on each function of libktrace-pthread.so and records each time that one
# is entered, whatever the library makes of it.

# shellcheck disable=SC2154 # capture sets status and output

load helpers

TRACING=/sys/kernel/tracing
LIB=$BUILD/lib/libktrace-pthread.so

setup()
{
	requires_root
	setup_test
	GROUP=ktrace$$
	INSTANCE=$TRACING/instances/$GROUP
	mountpoint -q "$TRACING" || mount -t tracefs tracefs "$TRACING"
	[ -e "$TRACING/uprobe_events" ] || skip "a kernel without uprobes"
}

teardown()
{
	if [ -d "$INSTANCE" ]; then
		echo 0 >"$INSTANCE/events/$GROUP/enable"
		rmdir "$INSTANCE"
		grep -o ":$GROUP/[a-z_0-9]*" "$TRACING/uprobe_events" | sed 's/^/-/' >old
		cat old >>"$TRACING/uprobe_events"
	fi
	teardown_test
}

# add_probes: one for each of PTT's 22 functions, and for both versions of those that have two;
# named by the stem
add_probes()
{
	"$KTRACE" pthread -l -E _IN | awk '$2 == "PTT" && $3 == "call" {
		print tolower(substr($1, 1, length($1) - 3)) }' >stems
	[ "$(wc -l <stems)" = 22 ]
	sed -nE 's/^CALL\([A-Z]+[^,]*(\([a-z_]*\))?, [^,]*, ([a-z_0-9]+), ([a-z_]+), .*/\2 \3/p' \
		"$ROOT/userspace/lib/base/pthread_calls.h" >rows
	# Of binutils the program that is quickly loaded, in an emulated guest
	readelf -W --dyn-syms "$LIB" | awk -v group="$GROUP" -v lib="$LIB" '
		FILENAME == "stems" { is_wanted[$1] = 1; next }
		FILENAME == "rows" { stem[$1] = $2; next }
		{ sub(/@.*/, "", $8) }
		$8 in stem && stem[$8] in is_wanted {
			printf "p:%s/%s__%d %s:0x%s\n", group, stem[$8], FNR, lib, $2
		}' stems rows - >probes
	[ "$(wc -l <probes)" -ge 22 ]
	cat probes >>"$TRACING/uprobe_events"
	mkdir "$INSTANCE"
	echo mono >"$INSTANCE/trace_clock"
	echo 1 >"$INSTANCE/events/$GROUP/enable"
}

@test "what the kernel saw called is in the trace, in the same order" {
	local program
	add_probes
	for program in calls contended; do
		: >"$INSTANCE/trace"
		run_ktraced --pthread --policy block -o t -- "$PROGS/pthread_$program"
		[ "$(summary lost)" = 0 ]
		# "thread stem" of each call
		sed -nE 's/^.*-([0-9]+) +\[[0-9]+\] .*: ([a-z_0-9]+)__[0-9]+: .*$/\1 \2/p' "$INSTANCE/trace" |
			sort -s -n -k 1,1 >kernel
		"$KTRACE" pthread -r -E _IN t | awk '
			NR == FNR { is_wanted[$1] = 1; next }
			{ stem = tolower(substr($5, 1, length($5) - 3)) }
			stem in is_wanted { print $4, stem }' stems - | sort -s -n -k 1,1 >ours
		diff -u kernel ours
		cut -d ' ' -f 2 ours | sort -u >"$program.stems"
	done
	# One of the programs calls all of them.
	diff -u <(sort stems) calls.stems
}
