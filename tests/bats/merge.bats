#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# merge.bats - ktrace merge: one file with the events of several of the same boot
# runs: host
load helpers

setup()
{
	setup_test
	# Ticks of half a nanosecond, and nanoseconds; the same event ids for other events.
	"$PROGS/mktrace" a <<-'END'
	meta trace version=1 backend=shm clock=tsc cmd=first
	meta host name=box boot=b1 cpus=2
	meta clock raw=2000 mono_ns=5000 real_ns=1700000000000005000 hz=2000000000
	meta clock raw=6002000 mono_ns=3005000 real_ns=1700000000003005100
	meta stream id=1 kind=user cpu=0 ring=65536 block=4096 policy=drop
	meta stream id=2 kind=user cpu=1 ring=65536 block=4096 policy=drop
	meta event kind=user id=16 desc=a:one{u32%20n;}
	meta event kind=user id=17 desc=a:two{string%20s;}
	meta thread tid=7 pid=7 ts=2000 comm=seven
	block 1
	rec 4000 16 7 u32:1
	rec 8000 17 7 s:hello
	rec 4004000 16 7 u32:2
	block 2
	rec 8000 16 9 u32:3
	lost 2 10000 4
	END
	"$PROGS/mktrace" b <<-'END'
	meta trace version=1 backend=shm clock=monotonic cmd=second
	meta host name=box boot=b1 cpus=2
	meta clock raw=1000 mono_ns=1000 real_ns=1700000000000001900 hz=1000000000
	meta stream id=1 kind=user cpu=0 ring=65536 block=4096 policy=drop
	meta event kind=user id=16 desc=b:one{u64%20n;}
	meta thread tid=8 pid=8 ts=1000 comm=eight
	block 1
	rec 6000 16 8 u64:4
	rec 8000 16 8 u64:5
	rec 9000 18 8 u64:6
	rec 2006000 16 8 u64:7
	END
}

teardown() { teardown_test; }

# plain FILE...: the events, without what is another file's business
plain()
{
	"$KTRACE" list --json "$@" | jq -c 'del(.raw, .trace, .stream) |
		.event |= sub("^user:.*"; "user")'
}

@test "the same events, times, threads, losses, in the same order" {
	run_ktrace merge -o m a b
	[ "$status" -eq 0 ]
	[ "$output" = "$(printf 'm: 8 events, 4 lost, %s bytes' "$(stat -c %s m)")" ]
	diff -u <(plain a b) <(plain m)
	[ "$(plain m | wc -l)" -eq 9 ]
	run_ktrace check m
	[ "$status" -eq 0 ]
	run_ktrace merge -o m b a
	diff -u <(plain b a) <(plain m)
}

@test "a reader of its own finds the same" {
	run_ktrace merge -o m a b
	diff -u <("$KTRACE" list --json m) <(python3 "$ROOT/tests/spec/read.py" m)
}

@test "what was merged can be cut and merged again; one file is copied" {
	run_ktrace merge -o m a b
	run_ktrace merge -o n m
	cmp <("$KTRACE" list --json m) <("$KTRACE" list --json n)
	run_ktrace cut --filter 'event ~ b:*' -o c m
	diff -u <("$KTRACE" list --json --filter 'event ~ b:*' m | jq -c 'del(.raw,.ns,.stream,.trace)') \
		<("$KTRACE" list --json -e b c | jq -c 'del(.raw,.ns,.stream,.trace)')
	[ "$("$KTRACE" info --json m | jq -r '.files[0].cmd')" = 'first; second' ]
}

@test "ktrace info shows commands, back ends and rings of all that was merged" {
	cat >d <<-'END'
	meta trace version=1 backend=dev clock=monotonic cmd=first
	meta host name=box boot=b1 cpus=2
	meta clock raw=1000 mono_ns=1000 real_ns=1700000000000001900 hz=1000000000
	meta stream id=1 kind=kernel cpu=0 ring=1048576 block=65536 policy=overwrite
	END
	"$PROGS/mktrace" c <d
	run_ktrace merge -o m a b c
	run_ktrace info m
	[ "$(grep -c '^  rings' <<<"$output")" = 2 ]
	has_lines "  command   first; second" "  backend   shm; dev" \
		"  rings     3 of 64 KiB, blocks of 4 KiB, drop" \
		"  rings     1 of 1 MiB, blocks of 64 KiB, overwrite"
	run_ktrace info --json m
	[ "$(jq -c '.files[0] | [.cmd, .backend, .rings]' <<<"$output")" = '["first; second","shm; dev",[{"streams":3,"bytes":65536,"block_bytes":4096,"policy":"drop"},{"streams":1,"bytes":1048576,"block_bytes":65536,"policy":"overwrite"}]]' ]
	# What is the same in all is shown once.
	[ "$("$KTRACE" info --json a | jq -c '.files[0].rings | length')" = 1 ]
	run_ktrace merge -o n a c
	[ "$("$KTRACE" info --json n | jq -r '.files[0].cmd')" = first ]
	# Very many long ones are cut off, and the file can be read.
	local i files=()
	for i in {1..40}; do
		sed "s/cmd=first/cmd=$i-$(printf '%02000d' 0)/" d | "$PROGS/mktrace" "c$i"
		files+=("c$i")
	done
	run_ktrace merge -o n "${files[@]}"
	[ "$("$KTRACE" info --json n | jq -r '.files[0].cmd[-10:]')" = '00000; ...' ]
	run_ktrace check n
	[ "$status" = 0 ]
}

# has_lines LINE...: output has each
has_lines()
{
	local line
	for line in "$@"; do
		grep -qxF -- "$line" <<<"$output" || return 1
	done
}

@test "a file that is named twice is read once, and that is said" {
	ln a link
	run_ktrace merge -o m a b ./a link
	[ "$status" -eq 1 ]
	[ "$(grep -c 'given twice, read once' <<<"$stderr")" = 2 ]
	cmp <(list a b) <(list m)
	run_ktrace list a a
	[ "$status" -eq 1 ]
	[ "$output" = "$("$KTRACE" list a)" ]
}

@test "files of several boots are refused, and why" {
	"$PROGS/mktrace" d <<-'END'
	meta host name=other boot=b2
	meta clock raw=0 mono_ns=0 real_ns=1 hz=1000000000
	END
	run_ktrace merge -o m a d
	[ "$status" -eq 1 ]
	[[ $stderr == *"cannot have events of several boots"* ]]
	[ ! -e m ]
	run_ktrace merge -o a a b
	[ "$status" -eq 1 ]
	[[ $stderr == *"is to be read"* ]]
	run_ktrace merge a b
	[ "$status" -eq 2 ]
	run_ktrace merge -o m
	[ "$status" -eq 2 ]
}

# meta FILE KEYWORD: its lines; the first one of a section follows binary data
meta()
{
	python3 -c 'import re, sys
text = open(sys.argv[1], "rb").read()
for line in re.findall(rb"(?:^|[^ -~])(%s [ -~]*)" % sys.argv[2].encode(), text): print(line.decode())' "$1" "$2"
}

@test "what is known about clocks stays, with this host's stamps converted, and the other's not" {
	boot=5ae06d3a-abb8-4500-a6c0-00cc186401c9
	"$PROGS/mktrace" c <<-END
	meta trace version=1 backend=shm clock=tsc
	meta host name=box boot=b1 cpus=2
	meta clock raw=2000 mono_ns=5000 real_ns=1700000000000005000 hz=2000000000 max_error_ns=7 est_error_ns=6 freq_ppb=-5 synced=1 raw_mono_ns=4
	meta clock raw=6002000 mono_ns=3005000 real_ns=1700000000003005100
	meta timesource ts=4000 name=chrony state=Normal ref=7F000001 stratum=6 offset_ns=-1553
	meta ping ts=8000 peer_boot=$boot peer=x:1 peer_clock=tsc sent=4000 received_there=777 sent_there=778 received=8000 received_there_ns=9 sent_there_ns=10
	meta ping ts=8000 peer_boot=$boot peer=x peer_clock=tsc sent=8000 received_there=778 sent_there=777 received=4000
	END
	run_ktrace merge -o m c b
	[ "$status" -eq 0 ]
	# A tick of c is half a nanosecond: 4000 is 6000 ns, 8000 is 8000 ns.
	[ "$(meta m timesource)" = "timesource ts=6000 name=chrony state=Normal ref=7F000001 stratum=6 offset_ns=-1553" ]
	[ "$(meta m ping)" = "ping ts=8000 peer_boot=$boot peer=x:1 peer_clock=tsc sent=6000 received_there=777 sent_there=778 received=8000 received_there_ns=9 sent_there_ns=10
ping ts=8000 peer_boot=$boot peer=x peer_clock=tsc sent=8000 received_there=778 sent_there=777 received=6000" ]
	[ "$(meta m clock | grep -c max_error_ns)" -eq 1 ]
	meta m clock | grep -qx 'clock raw=5000 mono_ns=5000 real_ns=[0-9]* max_error_ns=7 est_error_ns=6 freq_ppb=-5 synced=1 raw_mono_ns=4'
	run_ktrace check m
	[ "$status" -eq 0 ]
	# Merged again, the stamps are nanoseconds already. An extract has the lines as they are.
	run_ktrace merge -o n m
	[ "$(meta n ping)" = "$(meta m ping)" ]
	run_ktrace cut --since 1s -o n c
	[ "$(meta n ping; meta n timesource; meta n clock)" = "$(meta c ping; meta c timesource; meta c clock)" ]
}

@test "lines about clocks that make no sense are reported, and do no harm to a merged file" {
	"$PROGS/mktrace" c <<-'END'
	meta trace version=1 backend=shm clock=tsc
	meta host name=box boot=b1 cpus=2
	meta clock raw=2000 mono_ns=5000 real_ns=1700000000000005000 hz=2000000000
	meta ping
	meta ping ts= sent= received=
	meta ping sent=x received=99999999999999999999999999 ts=18446744073709551615
	meta timesource
	meta timesource ts=18446744073709551615
	END
	run_ktrace info --json c
	[ "$status" -eq 1 ]
	[[ $stderr == *"META line is invalid"* ]]
	[ "$(jq -c '.files[0] | [.pings // [], .time_sources // []]' <<<"$output")" = '[[],[]]' ]
	capture "$KTRACE" merge -o m c b
	[ "$status" -eq 1 ]
	run_ktrace info --json m
	[ "$status" -eq 1 ]
	[ "$(jq -c '.files[0] | [.pings // [], .time_sources // []]' <<<"$output")" = '[[],[]]' ]
}
