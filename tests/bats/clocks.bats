#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# Clocks of several hosts: times by one clock, with their error, compared with the truth of
# simulated hosts. Requirements LTTV-80 to LTTV-84.

# shellcheck disable=SC2154 # capture sets status, output, stderr

load helpers

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# make_hosts OPTION...: h0, h1, ... and truth, as mkhosts(1) makes them
make_hosts()
{
	"$PROGS/mkhosts" "$@" .
}

# right [OPTION...] FILE...: all times are right, within their error; messages go forward
right()
{
	"$KTRACE" list --json "$@" >events 2>err
	python3 "$BATS_TEST_DIRNAME/../checkers/sync/check.py" truth <events
}

# holds KIND FILTER: one of the objects of $output is so
holds()
{
	jq -es "map(select(.$1).$1) | any(.[]; $2)" <<<"$output" >/dev/null
}

# field KIND NAME [FILTER]: a member of the objects host, pair or sync of $output
field()
{
	jq -r "select(.$1).$1 | select(${3:-true}) | .$2" <<<"$output"
}

@test "two hosts: each time is right within its error, no message goes back in time" {
	make_hosts --hosts 2 --seconds 20 --rate 100 --host 1,drift=200,wall=0.97 --app
	right h0 h1
	[ ! -s err ]
	run_ktrace sync --json h0 h1
	[ "$(field host quality '.number==1')" = accurate ]
	[ "$(field pair inverted)" = 0 ]
	holds host '.number==1 and .drift_ppm < -195 and .drift_ppm > -205 and
		.error_ns > 10000 and .error_ns < 300000 and .max_error_ns < 400000'
}

@test "clocks of one kind or another, drift that changes, loss, segments that are split and joined" {
	make_hosts --hosts 3 --seconds 60 --rate 100 --tso --gro --loss 0.02 --reorder \
		--jitter 200,heavy --asymmetry 300 --host 0,drift=-30,sine=0.1/100 \
		--host 1,drift=200,clock=monotonic,walk=5,wall=-0.6 --host 2,drift=-180,wall=3600
	right h0 h1 h2
	run_ktrace sync --json h0 h1 h2
	[ "$(field pair inverted)" = $'0\n0' ]
	(( $(field sync retransmitted) > 0 ))
}

@test "a clock that is set: found, told, right before and after" {
	make_hosts --hosts 2 --seconds 40 --rate 100 --host 1,step=21/0.4,wall=0.2
	right h0 h1
	run_ktrace sync --json h0 h1
	holds pair '.gaps | length == 1 and .[0].step_ns < -399e6 and
		.[0].step_ns > -401e6'
	run_ktrace sync h0 h1
	[[ $output == *"no line fits: a clock was set or changed its rate between "* ]]
}

@test "a clock that is set in a short recording with few requests: messages go forward" {
	make_hosts --seed 1 --seconds 0.9 --rate 60 --answer 50000 --jitter 50,none --delay 20 \
		--host 1,drift=-40,step=0.4/0.5 --host 0,clock=monotonic,uptime=30
	right h0 h1
}

@test "a clock that goes back: no error is stated, and that is told" {
	make_hosts --hosts 2 --seconds 20 --host 1,clock=monotonic,step=12/-0.3
	run_ktrace sync --json h0 h1
	(( $(field sync back) > 0 ))
	[ "$(field host error_ns '.number==1')" = null ]
	[ "$(field host quality '.number==1')" = fail ]
	[[ $stderr == *"h1: the error of its times is not known"* ]]
	[ "$("$KTRACE" list --json h0 h1 2>/dev/null | jq -s 'map(select(.trace==1 and .error_ns!=null)) | length')" = 0 ]
}

@test "--reference: times of that host stay as they are; an unknown one is refused" {
	local name
	make_hosts --hosts 2 --seconds 5 --host 1,drift=50,wall=0.5
	name=$("$KTRACE" info --json h1 | jq -r '.host.name? // empty' | head -n 1)
	name=${name:-server1}
	run_ktrace sync --json --reference "$name" h0 h1
	[ "$(field host is_reference '.number==1')" = true ]
	[ "$(field host offset_ns '.number==1')" = 0.000 ] || [ "$(field host offset_ns '.number==1')" = 0 ]
	run_ktrace sync --reference nobody h0 h1
	[ "$status" = 2 ]
	[[ $stderr == *"no host is called 'nobody'"* ]]
}

@test "--clocks own: each host has its own times; nothing is corrected, and that is said" {
	make_hosts --hosts 2 --seconds 5 --host 1,wall=0.5
	run_ktrace list --json --clocks own h0 h1
	[[ $stderr == *"the clocks of several hosts or boots are not synchronised"* ]]
	printf '%s\n' "$output" >both
	for i in 0 1; do
		"$KTRACE" list --json h$i | jq -c .ns >alone
		jq -c "select(.trace==$i).raw" both >raw
		[ "$(wc -l <alone)" = "$(wc -l <raw)" ]
	done
	run_ktrace list --clocks mine h0 h1
	[ "$status" = 2 ]
	[[ $stderr == *"--clocks: there is no 'mine'"* ]]
}

@test "a damaged block is told once, although messages were looked for in it before" {
	local at
	make_hosts --hosts 2 --seconds 5 --host 1,drift=20
	at=$(($(stat -c %s h0) / 2))
	printf '\xff\xff\xff\xff' | dd of=h0 bs=1 seek=$at conv=notrunc status=none
	"$KTRACE" list h0 >/dev/null 2>alone || true
	grep -q "damaged section, skipped" alone
	"$KTRACE" list h0 h1 >/dev/null 2>both || true
	diff alone both
}

@test "hosts that nothing ties together: as their wall clocks say, and told" {
	make_hosts --hosts 2 --seconds 2 --rate 0
	run_ktrace sync h0 h1
	[[ $output == *"absent: nothing ties its clock to the others"* ]]
	[[ $stderr == *"h1: no message and no synchronised clock ties this host to the others"* ]]
	run_ktrace sync --json h0
	[[ $stderr == *"all files are of one host"* ]]
	[ "$(field host quality '.number==0')" = exact ]
	[ "$(field host by '.number==0')" = null ]
}

@test "a host of another year, which nothing ties: the others are corrected as without it" {
	make_hosts --hosts 2 --seconds 5 --host 1,drift=20
	cp "$ROOT/tests/data/golden/user-dev-v1.bin" other
	"$KTRACE" sync h0 h1 | head -n 2 >alone
	"$KTRACE" sync h0 h1 other | head -n 2 >beside
	cmp alone beside
	"$KTRACE" list -e 'net:*' h0 h1 >alone
	"$KTRACE" list -e 'net:*' h0 h1 other >beside
	grep -q '±' alone
	cmp alone beside
}

# messages of a clock that is 5 s ahead and gains 100 ppm; there, back, or both
text()
{
	awk -v kind="$1" 'BEGIN {
		print "# simulated"; print 2; print ""
		for (i = 0; i < 400; i++) {
			t = i / 10; d = 0.0001 + (i * 7919 % 100) / 1e6
			if (kind != "back")
				printf "0\t1\t%.9f\t%.9f\n", t, 5 + (t + d) * 1.0001
			if (kind != "there")
				printf "1\t0\t%.9f\t%.9f\n", 5 + (t + 0.05) * 1.0001, t + 0.05 + d
		}
	}'
}

@test "messages as text: one line by hull and regression, as LTTV has them" {
	text both >messages
	run_ktrace sync --json --text messages
	holds pair '.messages_there == 400 and .messages_back == 400 and
		(.hull.drift_ppm + 99.99 | fabs) < 3 and (.regression.drift_ppm + 99.99 | fabs) < 3 and
		(.hull.offset_ns + 4999500050 | fabs) < .hull.error_ns + 100000'
	holds host '.number==1 and .quality == "accurate" and
		.error_ns < 150000'
	run_ktrace sync --json --text messages
	mv messages sorted
	{ head -n 2 sorted; grep '^1' sorted; grep '^0' sorted; } >messages
	diff <(printf '%s\n' "$output") <("$KTRACE" sync --json --text messages)
	run_ktrace sync --json --analysis regression --text messages
	[ "$(field host quality '.number==1')" = approximate ]
}

@test "the shortest round trip is none that drift has made so short" {
	# Messages take 200 us. The second clock gains 200 ppm, and answers come after a second; one after 50 us.
	awk 'BEGIN {
		print 2
		for (t = 1; t < 100; t += 5) {
			later = t == 51 ? 5e-5 : 1
			arrival = t + 2e-4
			printf "0 1 %.9f %.9f\n", t, arrival * 1.0002
			printf "1 0 %.9f %.9f\n", (arrival + later) * 1.0002, arrival + later + 2e-4
		}
	}' >messages
	run_ktrace sync --json --text messages
	[ "$status" -eq 0 ]
	holds pair '.least_round_trip_ns > 399000 and .least_round_trip_ns < 401000'
	grep -v ' 51\.' messages >slow
	run_ktrace sync --json --text slow
	[ "$status" -eq 0 ]
	[ "$(field pair least_round_trip_ns)" = null ]
}

@test "messages in one direction: incomplete; the error is not known" {
	for kind in there back; do
		text $kind >messages
		run_ktrace sync --json --text messages
		[ "$(field host quality '.number==1')" = incomplete ]
		[ "$(field host error_ns '.number==1')" = null ]
		[ "$(field pair inverted)" = 0 ]
	done
}

@test "text that is wrong: the line is named" {
	printf '2\n0 1 1.0 2.0\n0 2 1.0 2.0\n' >messages
	run_ktrace sync --text messages
	[ "$status" = 1 ]
	[[ $stderr == *"messages: line 3: "* ]]
	for bad in '' '0 1 1 1' 'x' $'2\n0 1 1' $'2\n0 0 1 2' $'2\n0 1 1 2 3' $'2\n0 1 nan 1' $'2\n0 1 -1 1'; do
		printf '%s\n' "$bad" >messages
		run_ktrace sync --text messages
		[ "$status" = 1 ]
	done
	run_ktrace sync --text missing
	[ "$status" = 1 ]
	run_ktrace sync --text messages messages
	[ "$status" = 2 ]
}

@test "--evaluate: how long messages took, by the corrected times" {
	make_hosts --hosts 2 --seconds 20 --rate 100 --delay 300 --jitter 50 --host 1,drift=80,wall=-0.3
	run_ktrace sync --evaluate h0 h1
	[[ $output == *"trips from client to server1"* && $output == *"round trips:"* ]]
	run_ktrace sync --evaluate --json h0 h1
	holds pair '.inverted == 0 and .trips_there.nr == .messages_there and
		.trips_back.nr == .messages_back and
		(.trips_there.min_ns + .trips_back.min_ns - 620000 | fabs) < 40000'
	# With a second trace of the first host, traces and hosts have different numbers.
	local pairs
	pairs=$(grep '"pair"' <<<"$output")
	"$PROGS/mktrace" second <<-END
		meta host name=client boot=$(awk '/^host 0/ { print $4 }' truth)
		meta clock raw=2000000000000 mono_ns=1000000000000 real_ns=1700000000000000000 hz=2000000000
	END
	run_ktrace sync --evaluate --json h0 second h1
	[ "$(grep '"pair"' <<<"$output")" = "$pairs" ]
}

@test "a time source that states numbers whose sum does not fit ties nothing together" {
	local i
	for i in 1 2; do
		"$PROGS/mktrace" t$i <<-END
			meta host name=h$i boot=boot-$i
			meta clock raw=0 mono_ns=0 real_ns=${i}700000000000000000 hz=1000000000
			meta clock raw=9000000000 mono_ns=9000000000 real_ns=${i}700000009000000000
			meta timesource ts=5 name=chrony stratum=1 offset_ns=-9223372036854775808 delay_ns=18446744073709551615 dispersion_ns=1
			meta timesource ts=9 name=chrony stratum=1 offset_ns=-9223372036854775808 delay_ns=18446744073709551615 dispersion_ns=1
		END
	done
	run_ktrace sync --json t1 t2
	[ "$(field sync wall_readings)" = 0 ]
	[ "$(field host quality '.number==1')" = absent ]
}
