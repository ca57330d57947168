#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# doctor.bats - ktrace doctor: whether kernel events can be recorded, and what to do
load helpers

setup() { setup_test; }
teardown()
{
	[ ! -e /dev/ktrace ] || chgrp 0 /dev/ktrace
	teardown_test
}

# member NAME: of the object that $output is, or what was found under that name; or nothing
member()
{
	python3 - "$output" "$1" <<-'END'
		import json, sys
		told = json.loads(sys.argv[1])
		told.update({f["name"]: f["text"] for f in told["found"]})
		print(told.get(sys.argv[2], ""))
	END
}

@test "events of the kernel: each can be had, or it is said why not" {
	run_ktrace events --kernel
	[ "$status" -eq 0 ]
	local text=$output
	[ "$(grep -cvE '^[a-z]+:[a-z]+ +(yes|no: .+)$' <<<"$text")" -eq 0 ]
	grep -q '^sched:switch ' <<<"$text"
	run_ktrace events --kernel --json
	[ "$text" = "$(python3 -c '
import json, sys
for e in map(json.loads, sys.stdin):
	assert e["kind"] == "kernel" and e["id"] and e["fields"]
	print("%-20s %s" % (e["event"], "no: " + e["reason"] if "reason" in e else "yes"))
' <<<"$output")" ]
	run_ktrace events --kernel file
	[ "$status" -eq 2 ]
	[[ $stderr == *"--kernel takes no files"* ]]
}

# bats test_tags=dev
@test "doctor names the events for which the kernel has no tracepoints, and so does -e" {
	local event lacking
	run_ktrace events --kernel
	lacking=$(sed -n 's/^\([a-z:]*\) *no: this kernel does not have what produces it/\1/p' <<<"$output" | paste -sd, | sed 's/,/, /g')
	case $(uname -r) in
	5.10.*) [ "$lacking" = "lock:contended, lock:acquired" ] ;;
	*) [ -z "$lacking" ] ;;
	esac
	run_ktrace doctor --json
	[ "$(member events)" = "${lacking:+this kernel has no tracepoints for $lacking}" ]
	for event in ${lacking//, / }; do
		capture "$KTRACED" -o "$BATS_TEST_TMPDIR/t" --all -e "$event" --duration 1s
		[ "$status" -eq 125 ]
		[[ $stderr == *"-e $event: this kernel has no tracepoint for it"* ]]
	done
}

# bats test_tags=dev
@test "events of the kernel: rights are missing" {
	run_ktrace events --kernel
	grep -Eqx 'sched:switch +yes' <<<"$output"
	capture setpriv --bounding-set=-perfmon,-sys_admin "$KTRACE" events --kernel
	grep -Eqx "sched:switch +no: that takes CAP_PERFMON, or the module's parameter group_kernel" \
		<<<"$output"
}

@test "text, JSON and status say the same" {
	run_ktrace doctor
	local text=$output was=$status
	run_ktrace doctor --json
	[ "$status" = "$was" ]
	[[ $text == "kernel     $(uname -r), $(uname -m)"* ]]
	[[ $text == *"$(member kernel)"* ]]
	if [ "$status" -eq 0 ]; then
		[ -z "$(member problem)" ]
		[[ $text == *$'\n\nKernel events can be recorded.' ]]
	else
		[[ $text == *"No kernel events: $(member problem)."*"Next: $(member next)"* ]]
	fi
}

@test "wrong usage" {
	run_ktrace doctor file
	[ "$status" -eq 2 ]
	[[ $stderr == *"it takes no files"* ]]
}

# bats test_tags=dev
@test "the module is there, and who may do what" {
	run_ktrace doctor --json
	[ "$status" -eq 0 ]
	[[ $(member device) == "/dev/ktrace, version 1 of the interface, "* ]]
	[ "$(member rights)" = "kernel events may be recorded" ]

	setpriv --reuid 12345 --regid 12345 --clear-groups "$KTRACE" --version ||
		skip "others may not run what is built here"
	chgrp 0 /dev/ktrace
	capture setpriv --reuid 12345 --regid 12345 --clear-groups "$KTRACE" doctor --json
	[ "$status" -eq 1 ]
	[[ $(member problem) == "/dev/ktrace may be opened by root and its group only" ]]
	[[ $(member next) == *"make install"* ]]
	chgrp 23456 /dev/ktrace
	capture setpriv --reuid 12345 --regid 12345 --clear-groups "$KTRACE" doctor --json
	[ "$status" -eq 1 ]
	[[ $(member next) == *"adduser"* ]]
	chgrp 0 /dev/ktrace

	capture setpriv --reuid 12345 --regid 0 --clear-groups "$KTRACE" doctor --json
	[ "$status" -eq 1 ]
	[ "$(member rights)" = "user events only" ]
	[[ $(member next) == *"CAP_PERFMON"* ]]
	# What it says helps.
	local parameter
	parameter=$(member next | grep -o '/sys/[^ ]*')
	echo 1 >"$parameter"
	capture setpriv --reuid 12345 --regid 0 --clear-groups "$KTRACE" doctor --json
	echo 0 >"$parameter"
	[ "$status" -eq 0 ]
}

# bats test_tags=shm
@test "registries of <trace.h> that nobody uses are told to who can remove them" {
	[ "$(id -u)" = 0 ] || skip "not root"
	# Other tests have registries, too.
	# shellcheck disable=SC2016 # for the inner shell
	run unshare -m bash -c 'mount -t tmpfs none /dev/shm
		registry() { truncate -s "$2" "/dev/shm/$1" && chown "$3" "/dev/shm/$1"; }
		look()
		{
			echo "$1"
			"$0" doctor | grep ^registries
			"$0" doctor --json | grep -o "{\"name\":\"registries[^}]*}"
		}
		registry ktrace-posix-65534-1 4096 65534
		look "of others"
		registry ktrace-posix-0-1 4096 0
		look one
		registry ktrace-posix-0-2 8192 0
		look two
		exec 5</dev/shm/ktrace-posix-0-2
		look used
		"$1" --recover 2>&1
		look removed
		find /dev/shm -type f | sort' "$KTRACE" "$KTRACED"
	printf '%s\n' "$output"
	diff <(grep -v "no session was left" <<<"$output") - <<-'END'
		of others
		one
		registries 1 registry of <trace.h> that nobody uses, 4096 bytes: 'ktraced --recover'
		{"name":"registries","text":"1 registry of <trace.h> that nobody uses, 4096 bytes: 'ktraced --recover'"}
		two
		registries 2 registries of <trace.h> that nobody uses, 12288 bytes: 'ktraced --recover'
		{"name":"registries","text":"2 registries of <trace.h> that nobody uses, 12288 bytes: 'ktraced --recover'"}
		used
		registries 1 registry of <trace.h> that nobody uses, 4096 bytes: 'ktraced --recover'
		{"name":"registries","text":"1 registry of <trace.h> that nobody uses, 4096 bytes: 'ktraced --recover'"}
		ktraced: removed 1 unused registry of <trace.h>, 4096 bytes
		removed
		/dev/shm/ktrace-posix-0-2
		/dev/shm/ktrace-posix-65534-1
	END
}

# bats test_tags=shm
@test "there is no module" {
	[ ! -e /dev/ktrace ] || skip "the module is loaded"
	run_ktrace doctor --json
	[ "$status" -eq 1 ]
	[ -n "$(member problem)" ]
	[ -n "$(member next)" ]
	[ -z "$(member device)" ]
	run_ktrace doctor
	[[ $output == *"Events of programs can be recorded without the module, too." ]]
}

# doctor_with_dkms VERSION...: where DKMS has ktrace, which fits these kernels, and headers are there
doctor_with_dkms()
{
	local IFS="|"
	# shellcheck disable=SC2016
	capture unshare -m bash -ec '
		mount -t tmpfs none /lib/modules
		mount -t tmpfs none /var/lib
		mount -t tmpfs none /sys/module
		mkdir -p dev
		cp -a /dev/null /dev/zero dev
		mount --bind dev /dev
		build=/lib/modules/$(uname -r)/build source=/var/lib/dkms/ktrace/1/source
		mkdir -p "$build" "$source"
		touch "$build/Makefile"
		sed "s/^BUILD_EXCLUSIVE_KERNEL=.*/BUILD_EXCLUSIVE_KERNEL=\"^($2)[^0-9]\"/" "$1" >"$source/dkms.conf"
		"$0" doctor --json' "$KTRACE" "$ROOT/packaging/dkms/dkms.conf" "$*"
}

@test "a kernel for which DKMS builds no module: too new" {
	requires_root
	[ -e /proc/modules ] && [ -d /lib/modules ] || skip "this kernel loads no modules"
	doctor_with_dkms 1.2 3.4
	[ "$status" -eq 1 ]
	[[ $(member problem) == "this ktrace has not been tried with Linux $(uname -r)" ]]
	[[ $(member next) == "take a newer ktrace"* && $(member dkms) == *BUILD_EXCLUSIVE_KERNEL ]]
	doctor_with_dkms "$(uname -r | grep -oE "^[0-9]+[.][0-9]+")"
	[ "$(member problem)" = "the module has not been built for this kernel" ]
}
