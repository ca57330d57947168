#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace html, ktrace serve: what is in the page, by a second reader. The page itself: tests/checkers/html/

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
	DECODE=$ROOT/tests/checkers/html/decode.py
}

teardown()
{
	[ -z "${SERVER:-}" ] || kill "$SERVER" 2>/dev/null || true
	teardown_test
}

# page OPTION... FILE...: p.html shows what these say
page()
{
	run_ktrace html -o p.html "$@"
	[ "$status" = 0 ] || { cat <<<"$stderr"; return 1; }
	checked "$@"
}

# checked OPTION... FILE...: p.html, by the second reader
checked()
{
	python3 -I "$DECODE" check p.html "$KTRACE" "$@" >checked || { cat checked; return 1; }
}

# head_has EXPRESSION: it is true of the head h of p.html
head_has()
{
	python3 -I "$DECODE" head p.html | python3 -Ic '
import json, sys
h = json.load(sys.stdin)
if not eval(sys.argv[1]):
    sys.exit("not true: " + sys.argv[1])
' "$1"
}

# made SEED NUMBER: file t of random events of the kernel
made()
{
	python3 "$ROOT/tests/checkers/oracle/analyse.py" make "$@" | "$PROGS/mktrace" t
}

@test "html: stacks have the functions that ktrace list prints" {
	cat >perf.txt <<-'END'
		prog 100/100 [000] 1.000000001: 1 cycles:
			ffffffff81000010 ksys_read+0x10 ([kernel.kallsyms])
			    55d0c0de work+0x5 (/bin/prog)

		prog 100/100 [000] 1.000000002: 1 cycles:
			    55d0c0de work+0x5 (/bin/prog)

		prog 100/100 [000] 1.000000003: 1 cycles:
	END
	run_ktrace import --from perf --offset @0 -o t perf.txt
	page t
	python3 -I "$DECODE" events p.html | jq -c .stacks >ours
	"$KTRACE" list --json --stacks t | jq -c .stacks >theirs
	cat ours
	diff theirs ours
	[ "$(tail -n 1 ours)" = null ]
	grep -q '"kstack":\["ksys_read+0x10' ours
}

@test "html: events, states and levels of random events of the kernel" {
	made 1 1500
	page t
	made 2 1500
	page t
	page --since 2ms --until 9ms t
	page -e 'sched:*' t
	head_has 'any(s["name"] == "syscall" for s in h["states"])'
	page --filter 'tid == 101' t
	page -p 101 t
	head_has 'all(r["tid"] == 101 for r in h["rows"] if r["kind"] == "thread")'
}

# bats test_tags=long
@test "html: of very many locks those have rows that threads wait for, and the page says so" {
	run_ktraced --pthread --policy block -o t -- "$PROGS/pthread_mutexes" 5000 30
	[ "$status" = 0 ]
	page t
	head_has 'sum(r["kind"] == "lock" for r in h["rows"]) == 4096 + 30'
	head_has 'any(n.startswith("874 locks have no row: ") for n in h["notes"])'
	run_ktraced --pthread --policy block -o t -- "$PROGS/pthread_mutexes" 4096 30
	page t
	head_has 'sum(r["kind"] == "lock" for r in h["rows"]) == 4096'
	head_has 'not any("no row" in n for n in h["notes"])'
}

@test "html: a window that ends before the trace does not reach to the end of time" {
	made 1 10
	run_ktrace html --until @0 -o page t
	[ "$status" = 0 ]
	grep -a '"span":0,' page
	[[ $stderr == "ktrace: @0 is not after the start of this trace" ]]
	for command in "html -o page" list hist sched; do
		# shellcheck disable=SC2086 # words
		run_ktrace $command --since 100 t
		[ "$status" = 0 ]
		[[ $stderr == *"ktrace: --since 100 is after the end of this trace"* ]]
	done
}

@test "html: a node with many events has children" {
	made 3 66000
	# What a filter leaves out counts, too, and few events are compared sooner.
	page -e 'irq:*' t
	head_has '16 >= len([n for n in h["nodes"] if n[4] == 0]) > 1'
	head_has 'len(h["blocks"]) > 1'
}

@test "html: waits, locks, spans and what unlocks" {
	run_ktraced --pthread --policy block -o t -- "$PROGS/pthread_contended"
	[ "$(summary lost)" = 0 ]
	page t
	head_has '{"process", "lock", "thread", "wait", "span"} <= {r["kind"] for r in h["rows"]}'
	head_has '{"mutex_lock", "mutex", "taken"} <= {s["name"] for s in h["states"]}'
	grep -qE '^[0-9]+ events, [0-9]+ changes, [1-9][0-9]* arrows' checked
}

@test "html: no event, one event, several files" {
	run_ktraced -o none -- true
	page none
	head_has 'h["span"] == 0 and not h["blocks"] and len(h["nodes"]) == 1'
	made 1 1
	page t
	head_has 'h["files"][0]["events"] == 1 and len(h["blocks"]) == 1'
	made 4 300
	mv t u
	made 5 300
	page t u none
	head_has '[f["events"] for f in h["files"]] == [300, 300, 0]'
	# Another boot of a machine has CPUs of its own.
	python3 "$ROOT/tests/checkers/oracle/analyse.py" make 4 300 | sed 's/boot=made/boot=other/' |
		"$PROGS/mktrace" u
	page t u
	head_has '{(s["file"], s["machine"]) for s in h["streams"]} == {(0, 0), (1, 1)}'
	head_has '{r["machine"] for r in h["rows"] if r["kind"] == "cpu"} == {0, 1}'
}

@test "html: what is lost, damaged or without an end is said" {
	cp "$ROOT/tests/data/golden/small-v1.bin" t
	page t
	head_has 'h["loss"] and sum(l["count"] for l in h["loss"]) == h["files"][0]["lost"]'
	made 6 2000
	size=$(stat -c %s t)
	head -c $((size - 500)) t >cut
	run_ktrace html -o p.html cut
	checked cut
	head_has 'any("not closed" in n for n in h["notes"])'
	cp t bad
	printf '\377\377\377\377' | dd of=bad bs=1 seek=$((size / 2)) conv=notrunc status=none
	run_ktrace html -o p.html bad
	[ "$status" = 1 ]
	grep -q '^ktrace: bad: offset ' <<<"$stderr"
	checked bad
	head_has 'any("damaged" in n for n in h["notes"])'
}

# A thread that turns up on another CPU has left the one that has not told: context-v1.bin has that.
@test "html: a CPU runs the thread that says so, also where switches are not all there" {
	for i in kernel context lossy; do
		page "$ROOT/tests/data/golden/$i-v1.bin"
	done
}

@test "html: names and strings do not get out of the page" {
	"$PROGS/mktrace" t <<-'END'
		meta trace version=1 clock=monotonic hz=1000000000
		meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000
		meta stream id=0 kind=user cpu=0 block=4096
		meta event kind=user id=64 desc=app:x{string%20text;}
		block 0
		rec 1000 64 7 s:</script><script>alert(1)</script>
		rec 2000 64 7 s:<!--<script>"\u2028&amp;
	END
	run_ktrace html --title '</script><!--<b>&' -o p.html t
	[ "$status" = 0 ]
	checked t
	# They are in it.
	python3 -I "$DECODE" events p.html >events
	grep -qF '</script><script>alert(1)</script>' events
	[ "$(grep -o '<script' p.html | wc -l)" = "$(grep -o '</script' p.html | wc -l)" ]
	[ -z "$(grep -e 'alert(1)' -e '<!--<' p.html)" ]
	head_has 'h["title"] == "</script><!--<b>&"'
}

@test "html: integers in arrays keep all digits" {
	"$PROGS/mktrace" t <<-'END'
		meta trace version=1 clock=monotonic hz=1000000000
		meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000
		meta stream id=0 kind=user cpu=0 block=4096
		meta event kind=user id=64 desc=app:x{u64[]%20u;s64[2]%20s;}
		block 0
		rec 1000 64 7 u32:2 u64:18446744073709551615 u64:7 u64:1 u64:9223372036854775809
	END
	page t
	python3 -I "$DECODE" events p.html | jq -e '.fields ==
		{u: ["18446744073709551615", 7], s: [1, "-9223372036854775807"]}'
}

@test "html: a page that cannot be written whole has no name; nothing is left in TMPDIR" {
	made 1 1500
	mkdir tmp
	export TMPDIR=$PWD/tmp
	ulimit -c 0
	(trap '' XFSZ && ulimit -f 8 && run_ktrace html -o p.html t && [ "$status" = 1 ])
	(ulimit -f 8 && run_ktrace html -o p.html t && [ "$status" = 153 ])
	fails compgen -G 'p.html*'
	[ -z "$(ls tmp)" ]
	run_ktrace html -o /dev/full t
	[ "$status" = 1 ]
	grep -q '^ktrace: /dev/full: No space left on device' <<<"$stderr"
	TMPDIR=nowhere run_ktrace html -o p.html t
	[ "$status" = 1 ]
	[ ! -e p.html ]
	grep -q '^ktrace: temporary file in nowhere: No such file' <<<"$stderr"
}

@test "html: usage" {
	made 1 1
	for wrong in "t" "-o p.html" "-o p.html --since x t"; do
		# shellcheck disable=SC2086 # several words
		run_ktrace html $wrong
		[ "$status" = 2 ]
	done
	run_ktrace html -o t t
	[ "$status" = 1 ]
}

# code OPTION... URL: status that the server answers with
code()
{
	curl -s -o answer -w '%{http_code}' "$@"
}

@test "serve: the page of ktrace html, to who knows its address, on this machine" {
	made 7 3000
	page t
	"$KTRACE" serve t >url 2>errors &
	SERVER=$!
	retry 0.1 test -s url
	url=$(cat url)
	[[ $url =~ ^http://127\.0\.0\.1:([0-9]+)/[0-9a-f]{32}/$ ]]
	port=${BASH_REMATCH[1]}
	python3 -I "$DECODE" served p.html "$url" | grep -q '^[1-9][0-9]* pieces'
	# Who connects and says nothing is sent away, see below.
	exec {idle}<>"/dev/tcp/127.0.0.1/$port"
	# Not to other machines, not to pages from elsewhere, not to who guesses.
	grep -q ": 0100007F:$(printf %04X "$port") 00000000:0000 0A" /proc/net/tcp
	[ "$(code -H 'Host: example.org' "$url")" = 403 ]
	[ "$(code -H "Host: example.org:$port" "$url")" = 403 ]
	[ "$(code -H "Host: localhost:$port" "$url")" = 200 ]
	[ "$(code "http://127.0.0.1:$port/")" = 404 ]
	[ "$(code "http://127.0.0.1:$port/00000000000000000000000000000000/n/0")" = 404 ]
	[ "$(code -X POST -d x "$url")" = 405 ]
	for none in n/99 b/99 n/-1 n/ n/0x0 n/4294967296 n/99999999999999999999 x/0 n/0/ ../n/0; do
		[ "$(code --path-as-is "$url$none")" = 404 ]
	done
	[ "$(code -I "${url}n/0")" = 200 ]
	# Another one cannot have the same port; a signal ends it.
	run_ktrace serve --port "$port" t
	[ "$status" = 1 ]
	grep -q "^ktrace: 127.0.0.1:$port: Address already in use" <<<"$stderr"
	timeout 30 cat <&"$idle"
	exec {idle}>&-
	kill "$SERVER"
	wait "$SERVER"
	SERVER=
}

@test "a server that cannot begin says why" {
	local nr why
	cp "$ROOT/tests/data/golden/small-v1.bin" t
	# The first numbers are too few even for the file or the socket, the last one suffices.
	for nr in {4..12}; do
		why=$( (ulimit -n "$nr" && timeout 1 "$KTRACE" serve --port 0 t) 2>&1 || true)
		[[ $why != *"Cannot allocate memory"* ]]
		echo "$nr: $why"
	done >answers
	show cat answers
	grep -q ': 127\.0\.0\.1:[0-9]*: Too many open files$' answers
	grep -q '^12: http' answers
}

# ask STATEMENT: what the server at $url answers, as answer; prints the status of HTTP
ask()
{
	code -G "${url}sql" --data-urlencode "q=$1"
}

# served OPTION...: serves t at $url
served()
{
	rm -f url
	"$KTRACE" serve "$@" t >url 2>errors &
	SERVER=$!
	retry 0.1 test -s url
	url=$(cat url)
}

@test "serve: answers SQL as ktrace sql does, of its files only, and reads only" {
	made 7 3000
	cp t 'other file'
	served
	text='SELECT name, sum(count) AS n, NULL, "a,b" FROM event_counts GROUP BY name'
	[ "$(ask "$text")" = 200 ]
	"$KTRACE" sql --csv t "$text" >expected
	[ "$(wc -l <expected)" -gt 3 ]
	jq -j .rows answer | cmp - expected
	jq -e '.status == 0 and .messages == "" and .cut == false and .ended == false' answer
	# It is no file, no option, no command, and there are no other files.
	for text in 'other file' 'other file ' '-f t' .tables '/etc/passwd ' 'SELECT'; do
		ask "$text"
		jq -e '.status == 2 and .rows == ""' answer
	done
	for text in "ATTACH 'other file' AS a" "ATTACH ':memory:' AS a" "VACUUM INTO '$PWD/new'" \
		'CREATE TABLE main.x(a)' "SELECT load_extension('x')" 'PRAGMA temp_store_directory = "/"' \
		"SELECT readfile('/etc/passwd')" "SELECT writefile('new', 1)"; do
		ask "$text"
		jq -e '.status == 2 and .rows == "" and .messages != ""' answer
	done
	[ ! -e new ]
	[ "$("$KTRACE" sql t 'SELECT count(*) FROM files' | tail -n 1 | tr -d ' ')" = 1 ]
	ask 'SELECT path FROM files'
	[ "$(jq -r .rows answer)" = $'path\r\nt\r' ]
	# Only to who knows the address, from this host's name
	port=${url#http://127.0.0.1:} port=${port%%/*}
	[ "$(code "http://127.0.0.1:$port/sql?q=SELECT%201")" = 404 ]
	[ "$(code -H 'Host: example.org' "${url}sql?q=SELECT%201")" = 403 ]
	[ "$(code -X POST -d q=SELECT+1 "${url}sql")" = 405 ]
	[ "$(code "${url}sql")" = 200 ]
	grep -qx 'nothing is asked' answer
	[ "$(code "${url}sql/x?q=SELECT%201")" = 404 ]
}

@test "serve: no name of a file is taken for a statement" {
	made 3 300
	mv t 'my trace.0001.bin'
	rm -f url
	"$KTRACE" serve 'my trace.bin' >url 2>errors &
	SERVER=$!
	retry 0.1 test -s url
	url=$(cat url)
	# What else would take it for one
	mv 'my trace.0001.bin' 'SELECT 5'
	ask 'SELECT 6'
	jq -e '.status != 0 and .rows == "" and (.messages | contains("my trace.bin"))' answer
	mv 'SELECT 5' 'my trace.0001.bin'
	ask 'SELECT path FROM files'
	jq -e '.status == 0 and .messages == "" and .rows == "path\r\nmy trace.0001.bin\r\n"' answer
}

@test "serve: statements have limits, and a new one ends the one before" {
	local long='WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT'
	made 3 300
	served --time-limit 300ms
	ask "$long sum(x) FROM c"
	jq -e '.status == 1 and (.messages | contains("longer than allowed"))' answer
	kill "$SERVER"
	wait "$SERVER"
	served --memory 20M
	ask "SELECT length(group_concat(hex(randomblob(1000)), '')) FROM (SELECT 1 FROM events, events LIMIT 20000)"
	jq -e '.status == 1 and (.messages | contains("more memory than allowed"))' answer
	kill "$SERVER"
	wait "$SERVER"
	served
	ask "$long x FROM c"
	jq -e '.cut and .status == 0 and (.rows | length) == 4194304' answer
	# The server goes on answering meanwhile.
	ask "$long sum(x) FROM c" >first &
	asker=$!
	retry 0.1 pgrep -P "$SERVER"
	[ "$(code "${url}head")" = 200 ]
	curl -s -o second -G "${url}sql" --data-urlencode 'q=SELECT 1'
	wait "$asker"
	jq -e '.ended and .status != 0' answer
	jq -e '.ended == false and .rows == "1\r\n1\r\n"' second
	# It ends also once nobody waits for the answer.
	fails curl -s -m 1 -o first -G "${url}sql" --data-urlencode "q=$long sum(x) FROM c"
	retry 0.1 fails pgrep -P "$SERVER"
	[ "$(ask 'SELECT 2')" = 200 ]
	jq -e '.ended == false and .rows == "2\r\n2\r\n"' answer
	# So does an empty one, and the end of the server.
	ask "$long sum(x) FROM c" >first &
	asker=$!
	retry 0.1 pgrep -P "$SERVER"
	[ "$(curl -s "${url}sql?q=")" = 'nothing is asked' ]
	wait "$asker"
	jq -e .ended answer
	ask "$long sum(x) FROM c" >first &
	asker=$!
	retry 0.1 pgrep -P "$SERVER"
	program=$(pgrep -P "$SERVER")
	kill "$SERVER"
	wait "$SERVER"
	fails kill -0 "$program"
	wait "$asker" || true
}

@test "serve: no SQL for a page that shows a part of the files" {
	made 3 300
	for part in "--since 1us" "--until 10ms" "-e sched:*" "-p 101" "--filter cpu==0"; do
		# shellcheck disable=SC2086 # two words
		served $part
		[ "$(ask 'SELECT 1')" = 403 ]
		code "${url}head"
		jq -e 'has("sql") | not' answer
		kill "$SERVER"
		wait "$SERVER"
	done
	served --title x
	[ "$(ask 'SELECT 1')" = 200 ]
	code "${url}head"
	jq -e '.sql == 1' answer
}

@test "serve: usage, files that are none" {
	made 1 1
	for wrong in "" "--time-limit x t" "--memory 1k t" "--port 65536 t" "--port x t" "--until x t"; do
		# shellcheck disable=SC2086 # several words
		run_ktrace serve $wrong
		[ "$status" = 2 ]
	done
	run_ktrace serve nothing
	[ "$status" = 1 ]
}

@test "serve: what is there before all is read is the beginning of what there is then" {
	made 3 70000
	"$KTRACE" html -o p.html t
	mkdir turns
	# Half of some 46,000 are those of counting.
	"$PROGS/html_turns" turns 0 9000 24000 30000 38000 45000 -- t
	python3 -I "$DECODE" turns p.html turns/{0,9000,24000,30000,38000,45000,whole} >known
	[ "$(head -n 1 known)" = '0 nodes, 0 blocks' ]
	[ "$(sed -n 2p known)" = '0 nodes, 0 blocks' ]
	grep -qE '^[1-9][0-9]* nodes, 1 blocks$' known
	grep -qE '^[1-9][0-9]* nodes, 3 blocks$' known
	# With conditions, and from a time on
	made 2 3000
	page -p 101 --since 2ms -e 'sched:*' t
	cp p.html chosen.html
	"$KTRACE" serve -p 101 --since 2ms -e 'sched:*' t >url &
	SERVER=$!
	retry 0.1 test -s url
	python3 -I "$DECODE" served chosen.html "$(cat url)"
}

# apart: file t, whose events are months apart, some of them a ns from the next
apart()
{
	{
		echo 'meta trace version=1 clock=monotonic hz=1000000000'
		echo 'meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000'
		echo 'meta stream id=0 kind=user cpu=0 block=4096'
		echo 'meta event kind=user id=64 desc=app:work_begin{u32%20n;}'
		echo 'meta event kind=user id=65 desc=app:work_end{u32%20n;}'
		echo 'block 0'
		for i in 0 1 2 3 4 5; do
			echo "rec $((1000 + i * 7776000000000001)) 64 7 u32:$i"
			echo "rec $((1001 + i * 7776000000000001)) 65 7 u32:$i"
			echo "rec $((1004 + i * 7776000000000001)) 64 7 u32:$i"
			echo "rec $((9000001004 + i * 7776000000000001)) 65 7 u32:$i"
		done
	} | "$PROGS/mktrace" t
}

@test "html: events months apart keep each ns" {
	apart
	page t
	head_has 'h["span"] == 38880009000000009 > 2**53'
	python3 -I "$DECODE" events p.html | grep -oE '"ns": [0-9]+' | cut -d ' ' -f2 >ns
	[ "$(sed -n '5,7p' ns | paste -sd ' ')" = '7776000000000001 7776000000000002 7776000000000005' ]
	"$KTRACE" list --json t | grep -oE '"ns":[0-9]+' | cut -d: -f2 | cmp - ns
	page --since 31104000 t
	head_has 'len(h["blocks"]) == 1 and h["span"] < 2**53'
}
