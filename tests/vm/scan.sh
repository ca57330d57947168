# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables are shared among the files that vm sources
#
# The gate: a guest's kernel log must have no complaints, whatever the command's
# status was.

# One alternative a line.
SCAN_COMPLAINTS=$(
	paste -sd '|' - <<-'END'
	BUG:
	WARNING:
	UBSAN:
	KASAN
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

# Messages of Debian's kernels that boot under emulation.  Only lines before the
# start of user space are excused.
SCAN_BOOT_HARMLESS=$(
	paste -sd '|' - <<-'END'
	Spectre V2 : WARNING: Unprivileged eBPF is enabled
	END
)
SCAN_USER_SPACE='ktrace-vm: user space starts'

# Print the complaints in a guest's dmesg.log and console.log with the lines after
# them, and the test that ran before; status 0 if there are any.  The console has
# the messages after dmesg was saved, or all if the guest did not save it.
#
# KCSAN reports many races that the kernel has on purpose: only reports that name
# a module count.
scan_logs()
{
	local dmesg=/dev/null console=$1

	[ $# -eq 1 ] || [ ! -s "$2" ] || dmesg=$2
	awk -v complaints="$SCAN_COMPLAINTS" -v harmless="$SCAN_BOOT_HARMLESS" \
		-v marker="$SCAN_USER_SPACE" '
	function complain(text) {
		found = 1
		if (test != "") {
			print test
			test = ""
		}
		if (printed++ < 300)
			print text
	}
	function end_race() {
		if (race_has_module)
			complain(race)
		is_race = race_has_module = 0
	}
	{ gsub(/\r/, "") }
	FILENAME != "-" { seen[$0] = 1 }
	FILENAME == "-" && ($0 in seen) { next }
	index($0, marker) { is_booted = 1 }
	/ktrace-test: / { test = $0 }
	/BUG: KCSAN/ { is_race = 1; race = $0; left = 0; next }
	is_race && $0 !~ complaints {
		race = race "\n" $0
		if (/\+0x[0-9a-f]+\/0x[0-9a-f]+ \[[a-z]/)
			race_has_module = 1
		if (/====/)
			end_race()
		next
	}
	# enough lines for a whole stack or lockdep report
	$0 ~ complaints && (is_booted || $0 !~ harmless) { left = 60 }
	left > 0 { complain($0); left-- }
	END { end_race(); exit !found }' "$dmesg" - <"$console"
}
