# SPDX-License-Identifier: GPL-2.0
# late.bash - for tests of tests/progs/late, a program that is recorded while it runs

setup()
{
	setup_test
	# A board of this test's own
	export KTRACE_BOARD=$BATS_TEST_TMPDIR
}

teardown()
{
	teardown_test
	"$PROGS/board" remove
}

# late ARG...: starts the program; its pid in $late
late()
{
	start late "$PROGS/late" "$@"
	late=$pid
	retry 0.05 has late.out '^ready'
}

# stop_late: ends it; it must end well, with all its events counted
stop_late()
{
	kill -TERM "$late"
	wait "$late"
	has late.out '^ended [0-9 ]+$'
}

# whole FILE...: the events of each thread follow each other without a gap; prints their number
whole()
{
	"$KTRACE" list "$@" | awk '
		/ late:tick / {
			split($3, id, "/")
			sub(/.*thread=/, "")
			split($0, f, / seq=/)
			who = id[1] "/" f[1]
			if (who in last && f[2] != last[who] + 1) {
				print "gap in " who ": " last[who] " " f[2] >"/dev/stderr"
				bad = 1
			}
			last[who] = f[2]
			n++
		}
		END { print n + 0; exit bad }'
}

# records EVENTS N [FILE]: true when the trace, which may still be written, has N of them
records()
{
	local n
	n=$("$KTRACE" list -c -e "$1" "${3:-t}" 2>/dev/null) && [ "${n:-0}" -ge "$2" ]
}

# refused ARG...: records for a time in which the program would attach, if it could
refused()
{
	local time=1
	! in_guest || time=3
	run_ktraced --duration $time -o t "$@"
}

# recorded EVENTS N ARG...: records until t has so many of the events
recorded()
{
	local events=$1 least=$2
	shift 2
	rm -f t
	start_ktraced -o t --fail-on-loss "$@"
	recording=$pid
	retry 0.02 records "$events" "$least" || {
		cat ktraced.err
		"$PROGS/board" show
		"$KTRACE" list -c t
		false
	}
	kill -INT "$recording"
	wait_for "$recording"
	[ "$status" = 0 ]
}

# attached ARG...: records some events; the trace is t, and whole
attached()
{
	recorded late:tick 1 "$@"
	[ "$(whole t)" -gt 0 ]
}
