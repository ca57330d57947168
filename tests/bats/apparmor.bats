#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
# apparmor.bats - ktraced --service under its AppArmor profile, in a VM of its own: others have no AppArmor
load helpers
load own_vm
load service

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# registered SOURCE: the service knows it
registered()
{
	"$KTRACE" session list | grep -q " $1\$"
}

# confined: in the guest, records what consumers ask for, and leaves the system's files alone
confined()
{
	[ -d /sys/kernel/security/apparmor ] || mount -t securityfs none /sys/kernel/security
	apparmor_parser -r -K "$ROOT/packaging/apparmor/ktraced-service"
	in_front="aa-exec -p ktraced-service --" start_full_service
	retry 0.05 registered ktrace.kernel
	grep -qxF 'ktraced-service (enforce)' "/proc/$service/attr/current"
	cat >t <<-'END'
		buffers { size_kb: 16384 }
		data_sources { config { name: "ktrace.user" } }
		data_sources { config { name: "ktrace.kernel" legacy_config: "sched,syscall" } }
	END
	start session "$KTRACE" session start -c t -o t.bin
	session=$pid
	retry 0.05 has session.err started
	/bin/true
	kill -INT "$session"
	wait "$session"
	[ "$("$KTRACE" list -e sched:switch t.bin | wc -l)" -gt 0 ]
	[ "$("$KTRACE" list -e syscall:enter t.bin | wc -l)" -gt 0 ]
	[ "$("$KTRACE" list -e ktrace:error t.bin | wc -l)" = 0 ]
	# A file that it may not write, and root may
	touch /etc/ktrace-here
	rm /etc/ktrace-here
	printf 'write_into_file: true\noutput_path: "/etc/ktrace-not-here"\nduration_ms: 100\n' >>t
	run -1 --separate-stderr "$KTRACE" session start -c t -q
	[ ! -e /etc/ktrace-not-here ]
	[[ $stderr == *"/etc/ktrace-not-here"*"Permission denied"* ]] || { echo "$stderr"; false; }
	kill "$service"
	wait "$service"
}

# bats test_tags=long
@test "the service under its AppArmor profile records, and leaves the system's files alone" {
	if [ "$(</proc/sys/kernel/hostname)" = ktrace-vm ]; then
		confined
		return
	fi
	modules_for_vm
	cd "$ROOT"
	KTRACE_VM_APPEND="lsm=lockdown,yama,apparmor" KTRACE_BACKEND=dev \
		"$VM" run -k "$KERNEL" -m 1024 -t 200 -- env KTRACE_LONG=1 tests/run guest tests/bats/apparmor.bats
}
