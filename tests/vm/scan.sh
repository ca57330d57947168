# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The gate: a guest's kernel log must hold no complaint of the kernel, whatever the command's status was.

# One alternative a line.
SCAN_COMPLAINTS=$(
	paste -sd '|' - <<-'END'
	BUG:
	WARNING:
	UBSAN:
	KASAN
	KCSAN
	ODEBUG:
	INFO: task .* blocked
	INFO: rcu
	rcu: INFO
	INFO: trying to register non-static key
	INFO: .*lock
	possible (circular|recursive) locking
	possible irq lock inversion
	possible deadlock
	suspicious RCU
	inconsistent lock state
	bad unlock balance
	held lock freed
	lock held when returning to user space
	DEBUG_LOCKS_WARN_ON
	sleeping function called from invalid context
	scheduling while atomic
	soft lockup
	refcount_t:
	list_(add|del) corruption
	Oops
	general protection
	unable to handle
	unreferenced object
	Kernel panic
	END
)

# What Debian's kernels say of themselves while they boot under emulation.  It excuses lines before user
# space starts and no others.
SCAN_BOOT_HARMLESS=$(
	paste -sd '|' - <<-'END'
	Spectre V2 : WARNING: Unprivileged eBPF is enabled
	END
)
SCAN_USER_SPACE='ktrace-vm: user space starts'

# Print the complaints in the log files with what follows them; status 0 when there are any.
scan_logs()
{
	local files=() file

	for file in "$@"; do
		[ ! -s "$file" ] || files+=("$file")
	done
	[ ${#files[@]} -gt 0 ] || return 1

	# The console and dmesg hold the same lines: each is looked at once.
	tr -d '\r' < <(cat "${files[@]}") | awk '!seen[$0]++' |
		awk -v complaints="$SCAN_COMPLAINTS" -v harmless="$SCAN_BOOT_HARMLESS" \
			-v marker="$SCAN_USER_SPACE" '
		index($0, marker) { is_booted = 1 }
		$0 ~ complaints && (is_booted || $0 !~ harmless) {
			found++
			# enough to see a lockdep report or a stack whole
			left = 60
		}
		left > 0 && printed < 300 { print; left--; printed++ }
		END { exit !found }'
}
