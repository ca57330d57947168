#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# store.bats - --store and --host of commands that read files: a folder as ktrace store fills it
#
# Hosts alpha and beta have five parts of 10 s each; the clock of beta's first event is 25 s later. What is chosen
# is compared with what strace sees being opened.

load helpers

ALPHA=01234567-89ab-cdef-0123-456789abcdef
BETA=11234567-89ab-cdef-0123-456789abcdef
START=1700000000

setup_file()
{
	cd "$BATS_FILE_TMPDIR" || return
	put alpha "$ALPHA" 5 $START
	put beta "$BETA" 5 $((START + 25))
	index
}

setup()
{
	setup_test
	cp -a "$BATS_FILE_TMPDIR/d" .
}

teardown()
{
	teardown_test
}

# put HOST BOOT PARTS START: a recording in the folder d; each part has two events, 1 ns and 9 s after its beginning
put()
{
	local i name
	mkdir -p "d/$1/$2"
	{
		printf 'meta trace version=1 start_ns=%s000000000 backend=shm clock=monotonic\n' "$4"
		printf 'meta host name=%s kernel=6 machine=x86_64 cpus=1 boot=%s\n' "$1" "$2"
		printf 'meta clock raw=0 mono_ns=0 real_ns=%s000000000 hz=1000000000\n' "$4"
		echo 'meta event kind=user id=16 desc=t:e{u32%20n;}'
		echo 'meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop'
		for ((i = 0; i < $3; i++)); do
			((i == 0)) || echo part
			echo 'block 0'
			echo "rec $((i * 10))000000001 16 1 u32:$((2 * i))"
			echo "rec $((i * 10 + 9))000000000 16 1 u32:$((2 * i + 1))"
		done
	} >script
	"$PROGS/mktrace" p --parts <script
	name=$(date -u -d "@$4" +%Y%m%dT%H%M%SZ)-$(od -An -tx1 -j 24 -N 16 p.1 | tr -d ' \n')
	for ((i = 1; i <= $3; i++)); do
		mv "p.$i" "d/$1/$2/$name.000$i.bin"
	done
}

# index [FIRST LAST]: writes those of all files below d, as ktrace store does; with the given times, which are false
index()
{
	python3 - "$@" <<-'END'
		import glob, os, struct, sys, zlib
		for folder in glob.glob('d/*/*/'):
		    with open(folder + '.index', 'w') as f:
		        for path in sorted(glob.glob(folder + '*.bin')):
		            st = os.stat(path)
		            name = os.path.basename(path)
		            part = int(name.split('.')[1])
		            base = (1700000000 if 'alpha' in path else 1700000025) + 10 * (part - 1)
		            first, last = sys.argv[1:] or (base * 10**9 + 1, (base + 9) * 10**9)
		            text = f'{first} {last} {st.st_size} {st.st_mtime_ns} {name}'
		            f.write(f'{zlib.crc32(text.encode()):08x} {text}\n')
	END
}

# opened ARG...: runs ktrace, prints the names of the files that it opened: a3 is part 3 of alpha
opened()
{
	strace -y -f -o trace -e trace=open,openat "$KTRACE" "$@" >/dev/null 2>messages || true
	sed -n 's|.* = [0-9]*<.*/d/\(.\)[^/]*/[^/]*/[^/]*\([0-9]\)\.bin>$|\1\2|p' trace | sort | xargs
}

requires_strace()
{
	command -v strace >/dev/null || skip "no strace"
}

# numbers ARG...: the events that ktrace list prints
numbers()
{
	"$KTRACE" list --clocks own --json "$@" 2>messages | jq -r '.fields.n' | tr '\n' ' '
}

@test "store: all of it, as when all files are given" {
	cmp <("$KTRACE" list --store d 2>&1) <("$KTRACE" list d/*/*/*.bin 2>&1)
	run_ktrace list -c --store d
	[ "$output" = 20 ]
	run_ktrace info --json --store d --host alpha
	[ "$status" = 0 ]
	[ "$(jq -c '[.files[0].parts[].part]' <<<"$output")" = '[1,2,3,4,5]' ]
	run_ktrace check --store d
	[ "$status" = 0 ]
	# Files of the command line come with them.
	run_ktrace list -c --store d --host alpha d/beta/*/*.0001.bin
	[ "$output" = 12 ]
}

@test "store: a window opens only the files that it needs, each once; without an index all are looked at" {
	requires_strace
	[ "$(opened list --store d --since "@$((START + 31))" --until "@$((START + 33))" --clocks own)" = "a4 b1" ]
	[ "$(opened list --store d --since "@$((START + 200))")" = "" ]
	[ "$(opened list --store d --host alpha --since 21 --until 31)" = "a3 a4" ]
	[ "$(opened sql --store d --host 'b*' --since 10 --until 11 'SELECT count(*) FROM events')" != "" ]
	[ "$(opened stat --store d --host 'b*' --since 10 --until 11)" = "b2" ]
	rm d/*/*/.index
	[ "$(opened list --store d --host alpha --since 21 --until 31)" = "a1 a2 a3 a3 a4 a4 a5" ]
	# Without a window there is nothing to look for.
	[ "$(opened list --store d --host alpha)" = "a1 a2 a3 a4 a5" ]
}

@test "store: times since the beginning are those of the whole folder" {
	local since until
	for since in 0 10s 19 40.000000001 73.999999999; do
		for until in 20 20.000000001 45000ms 1h; do
			cmp <(numbers d/*/*/*.bin --since "$since" --until "$until") \
				<(numbers --store d --since "$since" --until "$until")
		done
	done
	[ "$(numbers --store d --since 60 --until 70)" = "7 8 " ]
	[ "$(numbers --store d --host beta --since 1 --until 20)" = "1 2 3 " ]
}

# all_wrong: whatever the index says, the window has its events
all_wrong()
{
	[ "$(numbers --store d --host alpha --since 21 --until 31)" = "5 6 " ]
	[ "$(opened list --store d --host alpha --since 21 --until 31)" = "a1 a2 a3 a3 a4 a4 a5" ]
}

@test "store: an index that is missing, damaged, old or of another kind leaves nothing out" {
	requires_strace
	local index=d/alpha/$ALPHA/.index
	cp "$index" good
	[ "$(opened list --store d --host alpha --since 21 --until 31)" = "a3 a4" ]
	: >"$index"
	all_wrong
	head -c 100000 /dev/zero >"$index"
	all_wrong
	head -c 100000 /dev/urandom >"$index"
	all_wrong
	# Other times, without their checksum
	sed 's/ 17000000/ 18000000/' good >"$index"
	all_wrong
	sed 's/ 17000000\(..\)/ 16000000\1/2' good >"$index"
	all_wrong
	tr ' ' '\t' <good >"$index"
	all_wrong
	rm "$index"
	mkdir "$index"
	all_wrong
	rmdir "$index"
	mkfifo "$index"
	all_wrong
	rm "$index"
	ln -s "$PWD/good" "$index"
	all_wrong
	rm "$index"
	# A line without its end: only this file is looked at.
	head -c -3 good >"$index"
	[ "$(opened list --store d --host alpha --since 21 --until 31)" = "a3 a4 a5" ]
	# Right lines of other files: of another size, or changed later
	index 1 2
	touch d/alpha/*/*.bin
	all_wrong
	index 1 2
	for file in d/alpha/*/*.bin; do
		touch -r "$file" stamp
		printf '\0\0\0\0\0\0\0\0' >>"$file"
		touch -r stamp "$file"
	done
	[ "$(numbers --store d --host alpha --since 21 --until 31)" = "5 6 " ]
}

@test "store: two lines about a file that differ are not believed" {
	requires_strace
	local index=d/alpha/$ALPHA/.index
	cp "$index" good
	index 1 2
	cat good >>"$index"
	all_wrong
	# Equal ones are, and lines about files that were removed are ignored.
	cat good good >"$index"
	rm d/alpha/*/*.0001.bin
	[ "$(opened list --store d --host alpha --since "@$((START + 21))" --until "@$((START + 31))")" = "a3 a4" ]
	[ "$(numbers --store d --host alpha)" = "2 3 4 5 6 7 8 9 " ]
}

@test "store: files that were put there by hand are found; what is in other places is told" {
	put gamma "$ALPHA" 1 $((START + 100))
	mv d/gamma/*/*.bin d/gamma/$ALPHA/mine.bin
	[ "$(numbers --store d --since "@$((START + 100))")" = "0 1 " ]
	[ ! -s messages ]
	cp d/gamma/*/mine.bin d/gamma
	cp d/gamma/mine.bin d
	cp d/gamma/mine.bin d/gamma/$ALPHA/mine.bin.old
	run_ktrace list -c --store d --since "@$((START + 100))"
	[ "$status" = 0 ]
	[ "$output" = 2 ]
	[[ $stderr == *"ktrace: d: 3 files are not read: only DIR/HOST/BOOT/*.bin are"* ]]
}

@test "store: files that cannot be read are named, and the status says so" {
	echo text >"d/alpha/$ALPHA/text.bin"
	ln -s nowhere "d/alpha/$ALPHA/link.bin"
	mkdir "d/alpha/$ALPHA/folder.bin"
	run_ktrace list -c --store d --host alpha --since 21 --until 31
	[ "$status" = 1 ]
	[ "$output" = 2 ]
	[[ $stderr == *"/text.bin: not a ktrace tracefile"* ]]
	[[ $stderr == *"/link.bin: No such file"* ]]
	[[ $stderr == *"/folder.bin: "* ]]
	# A file that is cut off in its last event has those before it.
	rm "d/alpha/$ALPHA"/{text,link}.bin
	rmdir "d/alpha/$ALPHA/folder.bin"
	file=$(echo d/alpha/*/*.0003.bin)
	truncate -s -100 "$file"
	run_ktrace list -c --store d --host alpha --since 18 --until 25
	[ "$output" = 2 ]
	[[ $stderr == *"$file: not closed: still being written, or truncated"* ]]
}

@test "store: missing parts between others are told; those outside of the window are not missing" {
	rm d/alpha/*/*.0003.bin
	run_ktrace list -c --store d --host alpha --since 11 --until 35
	[ "$output" = 2 ]
	[[ $stderr == *".0002.bin: part 3 is missing"* ]]
	run_ktrace list -c --store d --host alpha --since 35
	[ "$output" = 3 ]
	[ -z "$stderr" ]
	# Part 4 has later events than part 5, by its line: it is between them all the same.
	rm -r d
	put alpha "$ALPHA" 5 $START
	sed -i 's/^rec 30/rec 50/; s/^rec 39/rec 59/' script
	"$PROGS/mktrace" p --parts <script
	for i in 1 2 3 4 5; do
		mv "p.$i" "$(echo "d/alpha/$ALPHA"/*.000$i.bin)"
	done
	run_ktrace list -c --store d --since 21 --until 45
	[[ $stderr != *"missing"* ]]
}

@test "store: hosts by their names" {
	[ "$(numbers --store d --host '*a' --since 0 --until 26)" = "0 1 2 3 4 0 " ]
	[ "$(numbers --store d --host 'alpha' --since 0 --until 26)" = "0 1 2 3 4 " ]
	[ "$("$KTRACE" list -c --store d --host '[bc]*')" = 10 ]
	[ "$("$KTRACE" list -c --store d --host '*')" = 20 ]
	run_ktrace list --store d --host 'gam*'
	[ "$status" = 1 ]
	[ "$stderr" = "ktrace: d: no host matches 'gam*'" ]
	run_ktrace list --host alpha d/*/*/*.bin
	[ "$status" = 2 ]
	[[ $stderr == "ktrace list: --host needs --store"* ]]
	run_ktrace list --store d --store d
	[ "$status" = 2 ]
	[[ $stderr == "ktrace list: --store: one folder"* ]]
}

@test "store: nothing to read is an error that names the place" {
	local wrong
	run_ktrace list --store nowhere
	[ "$status" = 1 ]
	[ "$stderr" = "ktrace: nowhere: No such file or directory" ]
	run_ktrace list --store d/alpha
	[ "$status" = 1 ]
	[[ $stderr == *"ktrace: d/alpha: there are no files: DIR/HOST/BOOT/*.bin" ]]
	mkdir empty
	run_ktrace sql --store empty 'SELECT 1'
	[ "$status" = 1 ]
	[ "$stderr" = "ktrace: empty: there are no files: DIR/HOST/BOOT/*.bin" ]
	for wrong in "list" "grep n==1" "stat" "sched" "sql SELECT%1" "export --to csv -o x" "cut -o x" "html -o x" "pthread -o x"; do
		TZ=UTC run_ktrace ${wrong//%/ } --store d --since 2030-01-01
		[ "$status" = 1 ]
		[ "$(grep -c 'no file has events in this time' <<<"$stderr")" = 1 ]
		[[ $stderr == *"they have those from 2023-11-14T22:13:20.000000001 to 2023-11-14T22:14:34.000000000"* ]]
		[ ! -e x ]
	done
}

@test "store: parts that are on their way are told" {
	mkdir d/.incoming
	: >d/.incoming/.lock
	run_ktrace list -c --store d --host alpha
	[ -z "$stderr" ]
	: >d/.incoming/0123456789abcdef0123456789abcdef.7
	run_ktrace list -c --store d --host alpha
	[ "$status" = 0 ]
	[ "$output" = 10 ]
	[ "$stderr" = "ktrace: d: 1 part is on the way, not read: 'ktrace store' does not have all of it yet" ]
	: >d/.incoming/0123456789abcdef0123456789abcdef.8
	run_ktrace list -c --store d --host alpha
	[ "$stderr" = "ktrace: d: 2 parts are on the way, not read: 'ktrace store' does not have all of them yet" ]
}

@test "store: a host whose clock differs: more of its files are read" {
	requires_strace
	local i
	rm -r d
	mkdir hosts
	"$PROGS/mkhosts" --hosts 2 --seconds 40 --rate 20 --host 1,wall=3 hosts
	mkdir -p "d/alpha/$ALPHA" "d/beta/$BETA"
	cp hosts/h0 "d/alpha/$ALPHA/x.0009.bin"
	for i in 0 1 2 3 4 5 6 7; do
		"$KTRACE" cut -o "d/beta/$BETA/x.000$i.bin" --since $((i * 5)) --until $((i * 5 + 5)) hosts/h1
	done
	window=(--since @1700000020.5 --until @1700000021)
	# Without an index, each is opened to look, and those that are read once more.
	# By its own clock, beta has events of this time in the file from 15 s to 20 s.
	[ "$(opened list --store d --clocks own "${window[@]}" | xargs -n 1 | uniq -d | xargs)" = "a9 b3" ]
	[[ $(opened list --store d "${window[@]}") == *"b4 b4"* ]]
	[ "$("$KTRACE" list -c --store d "${window[@]}")" = "$("$KTRACE" list -c d/*/*/*.bin "${window[@]}")" ]
	[ "$("$KTRACE" list -c --store d "${window[@]}")" != "$("$KTRACE" list -c d/*/*/x.000[39].bin "${window[@]}")" ]
}

@test "store: commands with --store, in programs of their own, too" {
	[ "$("$KTRACE" grep n==3 --store d -c)" = 2 ]
	[ "$("$KTRACE" grep n==3 --store d -c --host alpha)" = 1 ]
	run_ktrace sql --json --store d --host alpha --since 21 --until 25 'SELECT count(*) AS n FROM events'
	[ "$(jq .n <<<"$output")" = 2 ]
	[ "$(echo 'SELECT count(*) FROM events;' | "$KTRACE" sql --csv --store d | tail -n 1)" = $'20\r' ]
	run_ktrace sql --since 21 d/alpha/*/*.bin 'SELECT 1'
	[ "$status" = 2 ]
	[[ $stderr == *"--since and --until choose files of --store; in other files, WHERE time chooses events"* ]]
	run_ktrace export --to sqlite --store d --host alpha -o x.db
	[ "$status" = 0 ]
	[ "$(sqlite3 x.db 'SELECT count(*) FROM event')" = 10 ]
	run_ktrace html --store d --since 21 --until 30 -o x.html
	[ "$status" = 0 ]
	[ -s x.html ]
	run_ktrace cut --store d --host beta --since 10 --until 30 -o x.bin
	[ "$status" = 0 ]
	[ "$("$KTRACE" list -c x.bin)" = 4 ]
	# The output is none of the inputs.
	run_ktrace cut --store d --host beta -o d/beta/*/*.0003.bin
	[ "$status" = 1 ]
	[[ $stderr == *".0003.bin: is to be read" ]]
	for wrong in seq live ship; do
		run_ktrace $wrong --store d
		[ "$status" = 2 ]
	done
	run_ktrace sync --text --store d messages
	[ "$status" = 2 ]
}

@test "store: ktrace serve answers SQL of these files" {
	command -v curl >/dev/null || skip "no curl"
	start serve "$KTRACE" serve --store d --host 'al*'
	retry 0.1 test -s serve.out
	curl -sG --data-urlencode 'q=SELECT count(*) AS n FROM events' "$(head -n 1 serve.out)sql" >answer
	jq -e '.status == 0 and .rows == "n\r\n10\r\n" and .messages == ""' answer
	kill "$pid"
	wait "$pid" || true
}

@test "store: a folder that ktrace store fills meanwhile; its index has each file" {
	command -v nats-server >/dev/null || skip "no nats-server"
	rm -r d
	start server nats-server -a 127.0.0.1 -p -1 -js -sd js --ports_file_dir "$PWD"
	retry 0.05 grep -qs nats "nats-server_$pid.ports"
	[[ $(cat "nats-server_$pid.ports") =~ :([0-9]+)\" ]]
	URL=nats://127.0.0.1:${BASH_REMATCH[1]}
	start store "$KTRACE" store d --from "$URL"
	store=$pid
	start_ktraced -q -e flood -b 64K --policy=block --split-size 100K --ship "$URL" -o t.bin -- \
		"$PROGS/flood" -n "$(n 40000)" -u 50
	tracer=$pid
	retry 0.05 eval '[ -n "$(find d -name "*.bin")" ]'
	last=0
	while kill -0 "$tracer" 2>/dev/null; do
		sleep 0.1
		run_ktrace list -c --store d --since 0
		[ "$status" = 0 ]
		[ "$output" -ge "$last" ]
		last=$output
	done
	wait "$tracer"
	# A store that was killed while it wrote a line
	printf 'part of a line' >>"$(echo d/*/*/.index)"
	run_ktraced -q --ship "$URL" -o u.bin -- "$EXAMPLES/hello"
	[ "$status" = 0 ]
	kill "$store"
	wait "$store"
	[ "$("$KTRACE" list -c -e flood --store d --since 0)" = "$(n 40000)" ]
	cmp <(find d -name '*.bin' -printf '%f\n' | sort) <(grep -o '[^ ]*\.bin$' d/*/*/.index | sort)
	[ -z "$(find d -name .index -perm /077)" ]
	# The last second, by the index
	requires_strace
	end=$("$KTRACE" info --json $(find d -name '*.bin') | jq -s '[.[].files[].parts | length] | add')
	strace -f -o trace -e trace=open,openat "$KTRACE" list -c -e flood --store d --since 0 --until 0.1
	[ "$(grep -c '\.bin".* = [0-9]' trace)" -lt "$end" ]
}
