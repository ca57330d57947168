#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# Clocks of several hosts: results that are kept, by ktrace sync -o and by commands for the next ones.
# Requirements LTTV-81, LTTV-83.

# shellcheck disable=SC2154 # capture sets status, output, stderr

load helpers

setup()
{
	setup_test
	export KTRACE_CLOCKS_CACHE=$PWD/cache
}

teardown()
{
	chmod -R u+w . 2>/dev/null || true
	teardown_test
}

# make_hosts FOLDER OPTION...: FOLDER/h0, FOLDER/h1, as mkhosts(1) makes them
make_hosts()
{
	mkdir -p "$1"
	"$PROGS/mkhosts" --seconds 2 --rate 100 --host 1,drift=150,wall=0.5 "${@:2}" "$1"
}

# list FILE...: all times and errors, without what is kept
list()
{
	KTRACE_CLOCKS_CACHE='' "$KTRACE" list --json "$@" 2>/dev/null
}

# reads_twice FILE...: true if the events are read before they are listed
reads_twice()
{
	local once twice
	# Bytes of all files that the process reads
	once=$(bytes_read --clocks own "$@")
	twice=$(bytes_read "$@")
	echo "$once, $twice bytes"
	[ "$twice" -gt $((once + once / 2)) ]
}

bytes_read()
{
	python3 - "$KTRACE" list "$@" <<-'END'
		import os, subprocess, sys
		p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
		p.stdout.read()
		os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOWAIT)
		print(next(l.split()[1] for l in open(f"/proc/{p.pid}/io") if l.startswith("rchar")))
		p.wait()
	END
}

# sum_again FILE: gives a changed result a sum that is right
sum_again()
{
	python3 - "$1" <<-'END'
		import sys
		text = open(sys.argv[1], "rb").read()
		text = text[:text.rindex(b"end sum=")]
		h = 0xcbf29ce484222325
		for b in text:
		    h = (h ^ b) * 0x100000001b3 & (1 << 64) - 1
		open(sys.argv[1], "wb").write(text + b"end sum=%016x\n" % h)
	END
}

# refused FILE MESSAGE: list --clocks FILE says so
refused()
{
	run_ktrace list --clocks "$1" a/h0 a/h1
	[ "$status" = 1 ]
	[ -z "$output" ]
	[[ $stderr == *"$2"* ]]
}

@test "what a command found is used by the next one, which shows the same" {
	make_hosts a
	list a/h0 a/h1 >expected
	reads_twice a/h0 a/h1
	[ "$(ls cache)" = "$(ls cache | grep -xE 'clocks-[0-9a-f]{16}')" ]
	fails reads_twice a/h0 a/h1
	"$KTRACE" list --json a/h0 a/h1 2>err | diff expected -
	[ ! -s err ]
	[ "$(ls cache | wc -l)" = 1 ]
	[ "$(stat -c %a cache cache/*)" = $'700\n600' ]
}

@test "another order, other options, other files: nothing of what is kept is used" {
	make_hosts a
	make_hosts b --seed 7
	"$KTRACE" list a/h0 a/h1 >/dev/null
	list a/h1 a/h0 >expected
	reads_twice a/h1 a/h0
	"$KTRACE" list --json a/h1 a/h0 | diff expected -
	reads_twice b/h0 b/h1
	list b/h0 b/h1 >expected
	"$KTRACE" list --json b/h0 b/h1 | diff expected -
	list --clocks ties a/h0 a/h1 >expected
	"$KTRACE" list --json --clocks ties a/h0 a/h1 2>/dev/null | diff expected -
	list --clocks own a/h0 a/h1 >expected
	"$KTRACE" list --json --clocks own a/h0 a/h1 2>/dev/null | diff expected -
}

@test "a file that has changed since is read again" {
	make_hosts a
	"$KTRACE" list a/h0 a/h1 >/dev/null
	touch a/h1
	reads_twice a/h0 a/h1
	fails reads_twice a/h0 a/h1
	# another trace of the same size and time of change
	touch -r a/h1 mark
	make_hosts a
	touch -r mark a/h1
	reads_twice a/h0 a/h1
}

@test "a file that is not closed: nothing is kept" {
	make_hosts a
	size=$(stat -c %s a/h1)
	truncate -s $((size - 24)) a/h1
	run_ktrace list a/h0 a/h1
	[ "$(ls cache 2>/dev/null | wc -l)" = 0 ]
}

@test "what is kept may be damaged, forged, or of another set: it is found again" {
	local kept
	make_hosts a
	make_hosts b --seed 7
	list a/h0 a/h1 >expected
	"$KTRACE" list b/h0 b/h1 >/dev/null
	other=$(echo cache/*)
	"$KTRACE" list a/h0 a/h1 >/dev/null
	kept=$(ls -d cache/* | grep -vxF "$other")
	cp "$kept" good
	for change in 's/^knot 2/knot 3/' 's/$/ /' '$d' '3,$d' '1,$d' 's/clocks 1/clocks 2/'; do
		sed "$change" good >"$kept"
		"$KTRACE" list --json a/h0 a/h1 | diff expected -
		cmp good "$kept"
	done
	cp "$other" "$kept"
	"$KTRACE" list --json a/h0 a/h1 | diff expected -
	cmp good "$kept"
	sed 's/options=./options=0/' good >"$kept"
	sum_again "$kept"
	"$KTRACE" list --json a/h0 a/h1 | diff expected -
	cmp good "$kept"
	rm "$kept"
	mkfifo "$kept"
	"$KTRACE" list --json a/h0 a/h1 | diff expected -
}

@test "a folder that cannot be written to, none, or an empty name: nothing is kept, nothing is said" {
	make_hosts a
	list a/h0 a/h1 >expected
	for cache in '' /proc/nothing /dev/null/x; do
		KTRACE_CLOCKS_CACHE=$cache run_ktrace list --json a/h0 a/h1
		[ "$status" = 0 ]
		[ -z "$stderr" ]
		diff expected <(printf '%s\n' "$output")
	done
	unset KTRACE_CLOCKS_CACHE
	HOME=$PWD/nothing XDG_CACHE_HOME='' run_ktrace list a/h0 a/h1
	[ ! -e nothing ]
	mkdir home
	HOME=$PWD/home XDG_CACHE_HOME='' run_ktrace list a/h0 a/h1
	[ "$(ls home/.cache/ktrace | wc -l)" = 1 ]
	mkdir xdg
	XDG_CACHE_HOME=$PWD/xdg run_ktrace list a/h0 a/h1
	[ "$(ls xdg/ktrace | wc -l)" = 1 ]
}

@test "the folder of another user, as after sudo, stays as it is" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	make_hosts a
	mkdir home
	chown 12345 home
	unset KTRACE_CLOCKS_CACHE
	HOME=$PWD/home XDG_CACHE_HOME='' run_ktrace list a/h0 a/h1
	[ -z "$(ls -A home)" ]
}

@test "several commands at a time: each shows the same, one result stays" {
	make_hosts a
	list a/h0 a/h1 >expected
	for i in 1 2 3 4 5 6; do
		"$KTRACE" list --json a/h0 a/h1 >out$i &
		pids+=($!)
	done
	wait "${pids[@]}"
	for i in 1 2 3 4 5 6; do
		diff expected out$i
	done
	[ "$(ls cache | wc -l)" = 1 ]
}

@test "the oldest results are removed, and files of commands that were killed" {
	make_hosts a
	mkdir cache
	for i in $(seq 100 180); do
		echo >"cache/clocks-0000000000000$i"
		touch -d "@$i" "cache/clocks-0000000000000$i"
	done
	touch -d @1 cache/clocks-0000000000000001-abcdef
	touch cache/clocks-0000000000000002-abcdef cache/mine
	"$KTRACE" list a/h0 a/h1 >/dev/null
	[ "$(ls cache | grep -cxE 'clocks-[0-9a-f]{16}')" = 64 ]
	[ -e cache/clocks-0000000000000180 ]
	[ ! -e cache/clocks-0000000000000100 ]
	[ ! -e cache/clocks-0000000000000001-abcdef ]
	[ -e cache/clocks-0000000000000002-abcdef ]
	[ -e cache/mine ]
	fails reads_twice a/h0 a/h1
}

@test "ktrace sync -o: all commands take the file, in any order, also for one host or a copy" {
	make_hosts a
	KTRACE_CLOCKS_CACHE='' run_ktrace sync -o found a/h0 a/h1
	[[ $output == *"server1: accurate"* ]]
	export KTRACE_CLOCKS_CACHE=
	list a/h0 a/h1 >expected
	fails reads_twice --clocks found a/h0 a/h1
	"$KTRACE" list --json --clocks found a/h0 a/h1 | diff expected -
	list --clocks found a/h1 a/h0 | jq -c '[.ns, .error_ns]' | sort >swapped
	jq -c '[.ns, .error_ns]' expected | sort | diff - swapped
	mkdir copy
	cp a/h1 copy/server
	# Times are relative to the first event
	list --clocks ./found copy/server | jq -s '.[0].ns as $t | map(.ns - $t) | .[]' >alone
	jq -s 'map(select(.trace == 1)) | .[0].ns as $t | map(.ns - $t) | .[]' expected | cmp - alone
	run_ktrace stat --clocks found a/h0 a/h1
	[ "$status" = 0 ]
	[ -z "$stderr" ]
}

@test "ktrace sync -o: what was found with other options is kept, too; ktrace sync fills the cache" {
	make_hosts a
	name=$("$KTRACE" sync --json a/h0 a/h1 | jq -r 'select(.host.number == 1).host.name')
	[ "$(ls cache | wc -l)" = 1 ]
	fails reads_twice a/h0 a/h1
	run_ktrace sync -o found --reference "$name" a/h0 a/h1
	[ "$(ls cache | wc -l)" = 1 ]
	"$KTRACE" list --json --clocks found a/h0 a/h1 >events
	[ "$(jq -s 'map(select(.trace == 1).error_ns) | unique' -c events)" = '[0]' ] ||
		[ "$(jq -s 'map(select(.trace == 1 and .error_ns != null and .error_ns != 0)) | length' events)" = 0 ]
	(( $(jq -s 'map(select(.trace == 0 and .error_ns > 0)) | length' events) > 0 ))
}

@test "--clocks FILE: a foreign, stale, grown, damaged or forged one is refused, and why" {
	make_hosts a
	make_hosts b --seed 7
	KTRACE_CLOCKS_CACHE='' run_ktrace sync -o found a/h0 a/h1
	KTRACE_CLOCKS_CACHE='' run_ktrace sync -o other b/h0 b/h1
	refused other "a/h0: --clocks: 'other' is not about this file"
	head -c -200 found >short
	refused short "short: line 1: damaged, or no file of 'ktrace sync -o'"
	sed 's/^knot 2/knot 3/' found >changed
	refused changed "changed: line 1: damaged"
	echo nonsense >text
	refused text "text: line 1: damaged"
	: >empty
	refused empty "empty: line 1: damaged"
	refused a/h0 "a/h0: line 1: damaged"
	refused ./missing "./missing: No such file"
	refused . "."
	sed 's/clocks 1/clocks 2/' found >newer
	refused newer "newer: from a newer ktrace"
	run_ktrace list --clocks no-such-file a/h0 a/h1
	[ "$status" = 2 ]
	for change in '9s/^knot [0-9]* /knot 0 /' '7s/^knot /knot -/' '7s/ [0-9]*$/ 18446744073709551616/' \
		'7s/^knot [0-9]* /knot 18446744073709551615 /' '8d' '8p' '5s/knots=/knots=9/' 's/reference=0/reference=1/' \
		'5s/knots=[0-9]*/knots=1/' 's/parts=1/parts=0/' 's/parts=1/parts=99/' '5s/uuid=/uuid=x/' '2s/traces=2/traces=3/' \
		'2s/traces=2/traces=1/' '2s/traces=2/traces=0/' '7s/$/ /' 's/closed=1/closed=2/'; do
		sed "$change" found >forged
		sum_again forged
		echo "$change"
		refused forged "forged: line "
	done
	for change in 's/size=/size=1/' 's/number=0/number=1/' 's/who=./who=x/;s/who=x/who=0/' 's/end=\([0-9]\)/end=1\1/' \
		's/ at=/ at=1/' 's/ time=1/ time=2/'; do
		sed "$change" found >forged
		sum_again forged
		echo "$change"
		refused forged "--clocks: the file has changed or grown since 'forged' was made"
	done
	truncate -s -8 a/h1
	refused found "a/h1: --clocks: the file has changed or grown since 'found' was made"
}

@test "ktrace sync -o: files that are not closed are named; the output must not be one of them" {
	make_hosts a
	cp a/h1 whole
	truncate -s $(($(stat -c %s a/h1) - 24)) a/h1
	run_ktrace sync -o found a/h0 a/h1
	[[ $stderr == *"a/h1: not closed: once it has grown, 'found' no longer fits"* ]]
	"$KTRACE" list --clocks found a/h0 a/h1 >/dev/null
	cp whole a/h1
	refused found "a/h1: --clocks: the file has changed or grown"
	run_ktrace sync -o a/h0 a/h0 a/h1
	[ "$status" != 0 ]
	cmp whole a/h1
	run_ktrace sync -o missing/found a/h0 a/h1
	[ "$status" = 1 ]
	[[ $stderr == *"missing/found: "* ]]
	printf '2\n0 1 1 2\n1 0 2 3\n' >messages
	run_ktrace sync -o found --text messages
	[ "$status" = 2 ]
}
