#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# addresses.bats - IP addresses in events of the family net: text, JSON, exports, filters; files of before

# shellcheck disable=SC2154 # capture sets status, output and stderr

load helpers

setup()
{
	setup_test
	make_trace
}

teardown() { teardown_test; }

# packet TS ID BYTES REST: a record with the 32 bytes that events had before, and then BYTES
packet()
{
	echo "rec $1 $2 5 u64:0x1234 u32:60 u16:0x800 u16:0 char16:eth0 ${*:3}"
}

V4=00000000000000000000ffff0a000001 V6=fe800000000000000000000000000001 NONE=00000000000000000000000000000000

make_trace()
{
	local old='x64%20packet;u32%20len;x16%20protocol;s16%20result;char[16]%20dev;'
	local new="${old}u8[16]%20ip_src;u8[16]%20ip_dst;u16%20src_port;u16%20dst_port;"
	{
		echo meta trace version=1 start_ns=1700000000000000000 backend=dev clock=tsc
		echo meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
		echo meta stream id=0 kind=kernel cpu=0 ring=65536 block=4096 policy=drop
		echo "meta event kind=kernel id=384 desc=net:queue{$new}"
		echo "meta event kind=kernel id=385 desc=net:xmit{$old}"
		echo "meta event kind=kernel id=400 desc=other:queue{u8[16]%20ip_src;}"
		echo block 0
		packet 1000 384 hex:$V4 hex:$V6 u16:40001 u16:80
		packet 1001 384 hex:$NONE hex:$NONE u16:0 u16:0
		packet 1002 384		# by a module of before
		packet 1003 384 hex:0a0b
		packet 1004 385
		echo "rec 1005 400 5 hex:$V6"
	} | "$PROGS/mktrace" t
}

@test "text and JSON: IPv4, IPv6, none; other bytes stay bytes; short events as before" {
	local lines
	mapfile -t lines < <("$KTRACE" list t)
	[[ ${lines[0]} == *' dev="eth0" ip_src=10.0.0.1 ip_dst=fe80::1 src_port=40001 dst_port=80' ]]
	[[ ${lines[1]} == *' dev="eth0" ip_src=- ip_dst=- src_port=0 dst_port=0' ]]
	[[ ${lines[2]} == *' dev="eth0" (short)' ]]
	[[ ${lines[3]} == *' ip_src={10, 11}... (short)' ]]
	[[ ${lines[4]} == *' dev="eth0"' ]]
	[[ ${lines[5]} == *' ip_src={254, 128, 0, '* ]]
	"$KTRACE" list --json t >json
	python3 -c '
import json
f = [json.loads(line)["fields"] for line in open("json")]
assert (f[0]["ip_src"], f[0]["ip_dst"]) == ("10.0.0.1", "fe80::1"), f[0]
assert f[1]["ip_src"] == f[1]["ip_dst"] == "", f[1]
assert "ip_src" not in f[2] and f[3]["ip_src"] == [10, 11], f[2:4]
assert f[5]["ip_src"][0] == 254, f[5]'
}

@test "filters: any notation, patterns, elements; what is no address is refused" {
	local -A want=([ip_src == 10.0.0.1]=1 [ip_src == ::ffff:10.0.0.1]=1 [ip_dst == fe80:0:0::1]=1
		[ip_dst != fe80::1]=1 [ip_src ~ '"10.0.*"']=1 [ip_src == ::]=1
		['ip_src[0] == 254']=1 ['ip_src[12] == 10']=1 ['ip_src == 10.0.0.2']=0)
	for filter in "${!want[@]}"; do
		echo "$filter"
		[ "$("$KTRACE" list --filter "$filter && event ~ \"*:queue\"" t | grep -c .)" = "${want[$filter]}" ]
	done
	"$KTRACE" cut --filter 'event == net:queue' -o only t
	run_ktrace list --filter 'ip_src == 10.0.0' only
	[ "$status" = 2 ]
	[[ $stderr == *"column 11: expected an IP address such as 10.0.0.1 or fe80::1, found '10.0.0'"* ]]
}

@test "exports have the text; Chrome's is read back" {
	"$KTRACE" export --to csv -o csv t
	grep -F '10.0.0.1' csv | grep -qF fe80::1
	"$KTRACE" export --to sqlite -o db t
	[ "$(sqlite3 db 'SELECT ip_src, ip_dst FROM "net:queue" LIMIT 1')" = '10.0.0.1|fe80::1' ]
	"$KTRACE" export --to chrome -o chrome t
	"$KTRACE" import -o back chrome
	[ "$("$KTRACE" list --filter 'ip_src == 10.0.0.1 && ip_dst == fe80::1' back | grep -c .)" = 1 ]
}
