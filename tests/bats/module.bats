#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: guest
# module.bats - loading, unloading, and TRACER_LOGEVENT of another module
load helpers

MODULES=$BUILD/kernel/$(uname -r)

setup()
{
	requires_dev
	setup_test
}

teardown()
{
	rmmod logevent 2>/dev/null || true
	rm -f "/lib/modules/$(uname -r)/updates/ktrace.ko"
	[ ! -e lacking.ko ] || rmmod ktrace 2>/dev/null || true
	[ -e /dev/ktrace ] || insmod "$MODULES/ktrace.ko"
	teardown_test
}

# ledger POLICY RING_SIZE PAUSE_US: 6000 events from process, interrupt and thread
ledger()
{
	"$PROGS/dev_log" "$MODULES/logevent.ko" "$@" "$(n 20000)" 20000
}

@test "the device belongs to root and nobody else may open it" {
	[ "$(stat -c '%a %U' /dev/ktrace)" = "660 root" ]
}

@test "unloading leaves nothing behind, loading works again" {
	rmmod ktrace
	[ ! -e /dev/ktrace ]
	[ ! -d /sys/module/ktrace ]
	run grep -w ktrace /proc/kallsyms
	[ "$status" -ne 0 ]
	# As make load does
	"$ROOT/scripts/load" "$MODULES/ktrace.ko" max_user_mb=100
	[ -c /dev/ktrace ]
	[ "$(stat -c %G /dev/ktrace)" = tracing ]
	[ "$(cat /sys/module/ktrace/parameters/max_user_mb)" = 100 ]
	rmmod ktrace
	insmod "$MODULES/ktrace.ko"
}

# doctor_says NAME TEXT [COMMAND...]: a look of ktrace doctor's found that; COMMAND goes in front
doctor_says()
{
	local name=$1 text=$2

	shift 2
	capture "$@" "$KTRACE" doctor
	show ktrace doctor
	[ "$status" -eq 1 ]
	[[ $output == *$'\n'"$(printf '%-10s ' "$name")$text"$'\n'* ]]
}

# bats test_tags=plain
@test "ktrace doctor: what is missing when the module is not loaded" {
	local installed=/lib/modules/$(uname -r)/updates/ktrace.ko headers=missing

	[ ! -e "/lib/modules/$(uname -r)/build/Makefile" ] || headers=installed
	[ ! -e "$installed" ]
	rmmod ktrace
	doctor_says module "not loaded, and not installed for this kernel"
	doctor_says modules "cannot be loaded" setpriv --bounding-set=-sys_module
	[[ $output == *"nothing in this container may load modules"* ]]
	mkdir -p "${installed%/*}"
	cp "$MODULES/ktrace.ko" "$installed"
	doctor_says module "$installed, not loaded"
	rm "$installed"
	[[ $output == *$'\nNext: modprobe ktrace\n'* ]]
	doctor_says headers "$headers"
}

@test "unloading is refused while a descriptor is open" {
	start hold "$PROGS/dev_life" hold "$PWD/held"
	retry 0.1 test -e held
	run rmmod ktrace
	[ "$status" -ne 0 ]
	[[ $output == *"in use"* ]]
	kill -KILL "$pid"
	retry 0.1 rmmod ktrace
}

@test "unloading is refused while a client module is there" {
	insmod "$MODULES/logevent.ko" count=1
	run rmmod ktrace
	[ "$status" -ne 0 ]
	rmmod logevent
	rmmod ktrace
}

@test "modules that come and go are recorded" {
	run_ktraced -q -e module -o t.bin -- \
		sh -c "insmod $MODULES/logevent.ko count=1 && rmmod logevent"
	run_ktrace list t.bin
	[[ $(head -1 <<<"$output") == *' module:load name="logevent"' ]]
	[[ $(tail -1 <<<"$output") == *' module:free name="logevent"' ]]
	[ "$(wc -l <<<"$output")" -eq 2 ]
}

# The module is made to ask for a tracepoint of another name, which no kernel has.
# bats test_tags=plain
@test "events that this kernel lacks are left out, and said; the rest is recorded" {
	LC_ALL=C sed 's/mark_victim/mark_nobody/g' "$MODULES/ktrace.ko" >lacking.ko
	fails cmp -s "$MODULES/ktrace.ko" lacking.ko
	run_ktrace events --kernel
	grep -Eqx 'memory:oom +yes' <<<"$output"
	rmmod ktrace
	insmod ./lacking.ko
	run_ktrace events --kernel
	[ "$status" -eq 0 ]
	grep -Eqx 'memory:oom +no: this kernel does not have what produces it' <<<"$output"
	grep -Eqx 'memory:rss +yes' <<<"$output"
	for events in 'mem*' memory; do
		run_ktraced -e "$events" -o t.bin -- true
		[ "$status" -eq 0 ]
		[[ $stderr == *"this kernel cannot produce memory:oom; the rest is recorded"* ]]
		run_ktrace list t.bin
		[[ $output == *" memory:rss "* ]]
	done
	# What is named alone is wanted.
	run_ktraced -e memory:oom,memory:rss -o not.bin -- touch ran
	[ "$status" -eq 125 ]
	[ ! -e ran ]
	[[ $stderr == *"-e memory:oom: this kernel has no tracepoint for it"* ]]
	run_ktraced --optional -e memory:oom,memory:rss -o t.bin -- true
	[ "$status" -eq 0 ]
	run_ktrace list t.bin
	[[ $output == *" memory:rss "* ]]
	run_ktraced -e memory:rss -o t.bin -- true
	[[ $stderr != *"cannot produce"* ]]
	rmmod ktrace
	run_ktrace events --kernel
	grep -Eqx 'memory:rss +no: the module is not loaded' <<<"$output"
}

# bats test_tags=plain
@test "names of functions are in the trace; families and events may be chosen by patterns" {
	run_ktraced -q --all -e 'hrt*,workqueue,softirq:rai[s]e' -o t.bin -- sleep 0.01
	[ "$status" -eq 0 ]
	run_ktrace list t.bin
	grep -q ' hrtimer:start .* func="hrtimer_wakeup"$' <<<"$output"
	[ "$(grep -cvE ' (hrtimer|workqueue|softirq:raise)' <<<"$output")" -eq 0 ]
}

@test "loaded and unloaded again and again on a busy machine" {
	rmmod ktrace
	"$PROGS/dev_load" "${KTRACE_ROUNDS:-$(n 40)}" "$MODULES/ktrace.ko" "$MODULES/logevent.ko"
	run grep -E '\[(ktrace|logevent)\]' /proc/kallsyms
	[ "$status" -ne 0 ]
	run grep ktrace /sys/devices/system/cpu/hotplug/states
	[ "$status" -ne 0 ]
}

# bats test_tags=plain
@test "a clock that does not exist is refused" {
	rmmod ktrace
	run insmod "$MODULES/ktrace.ko" clock=sundial
	[ "$status" -ne 0 ]
	[ ! -d /sys/module/ktrace ]
}

# bats test_tags=plain
@test "both clocks: events in order, stamps of that clock" {
	for clock in counter monotonic; do
		rmmod ktrace
		insmod "$MODULES/ktrace.ko" clock=$clock
		"$PROGS/dev_events" families
		"$PROGS/dev_ioctl" info
	done
	rmmod ktrace
}

# bats test_tags=plain
@test "TRACER_LOGEVENT without a session: nothing happens" {
	insmod "$MODULES/logevent.ko" count=100 rate=10000
	retry 0.1 grep -qx 100,100,100 /sys/module/logevent/parameters/logged
	rmmod logevent
}

# bats test_tags=plain
@test "TRACER_LOGEVENT ledger: drop, reader keeps up" {
	run ledger 0 8388608 1000
	echo "$output"
	[ "$output" = "logged $(n 60000) read $(n 60000) lost 0" ]
}

@test "TRACER_LOGEVENT ledger: drop, slow reader" {
	ledger 0 65536 20000
}

# bats test_tags=plain
@test "TRACER_LOGEVENT ledger: drop, no reader" {
	ledger 0 65536 0
}

@test "TRACER_LOGEVENT ledger: stop, slow reader" {
	ledger 3 65536 20000
}

# bats test_tags=plain
@test "TRACER_LOGEVENT ledger: stop, no reader" {
	ledger 3 65536 0
}

@test "TRACER_LOGEVENT ledger: overwrite keeps the newest" {
	ledger 1 65536 0
}

# bats test_tags=plain
@test "TRACER_LOGEVENT ledger: all policies with the cycle counter, where rings are quick" {
	rmmod ktrace
	insmod "$MODULES/ktrace.ko" clock=tsc
	for policy in 0 3 1; do
		ledger $policy 65536 0
	done
	ledger 0 8388608 1000
	"$PROGS/dev_log" two "$MODULES/logevent.ko"
	rmmod ktrace
}

@test "TRACER_LOGEVENT: code 0 is neither recorded nor counted" {
	"$PROGS/dev_log" code0 "$MODULES/logevent.ko"
}

@test "TRACER_LOGEVENT: two sessions get all events, one that has it off gets none" {
	"$PROGS/dev_log" two "$MODULES/logevent.ko"
}
