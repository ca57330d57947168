#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# event_counts of ktrace sql: from the section COUNTS if reading would find the same, otherwise by reading

# shellcheck disable=SC2154 # capture sets status and output

load helpers

# The session of a ktraced that was killed
LEFT=

setup()
{
	setup_test
}

teardown()
{
	[ -z "$LEFT" ] || "$KTRACED" -q --recover --discard "$LEFT" 2>/dev/null || true
	teardown_test
}

# counts FILE...: event_counts, in order
counts()
{
	printf '.mode list\n.headers off\nSELECT name, trace, stream, cpu, count FROM event_counts ORDER BY 1, 2, 3, 5;\n' |
		"$KTRACE" sql "$@"
}

# counted FILE...: the same from all events
counted()
{
	printf '.mode list\n.headers off\nSELECT name, trace, stream, cpu, count(*) FROM events GROUP BY name, trace, stream
		ORDER BY 1, 2, 3, 5;\n' | "$KTRACE" sql "$@"
}

# is_right FILE...: both are the same
is_right()
{
	counts "$@" >told 2>err || [ $? = 1 ]
	counted "$@" >found 2>err || [ $? = 1 ]
	[ -s told ]
	diff told found
}

# has_counts FILE: it has the section, as the last that INDEX lists
has_counts()
{
	python3 - "$1" <<-'END'
	import struct, sys
	t = open(sys.argv[1], 'rb').read()
	at, types = 64, []
	while at + 64 <= len(t):
	    types.append(struct.unpack_from('<H', t, at + 4)[0])
	    at += 64 + (struct.unpack_from('<Q', t, at + 16)[0] + 7 & ~7)
	sys.exit(6 not in types or types[-3:] != [6, 4, 5])
	END
}

# forge FILE BODY: the counts become the result of a Python expression over entries c, with the right checksum
forge()
{
	python3 - "$@" <<-'END'
	import struct, sys
	t = bytearray(open(sys.argv[1], 'rb').read())
	at = 64
	while struct.unpack_from('<H', t, at + 4)[0] != 6:
	    at += 64 + (struct.unpack_from('<Q', t, at + 16)[0] + 7 & ~7)
	size = struct.unpack_from('<Q', t, at + 16)[0]
	c = [list(struct.unpack_from('<IHHQ', t, at + 64 + i)) for i in range(0, size, 16)]
	c = eval(sys.argv[2])
	body = b''.join(struct.pack('<IHHQ', *e) for e in c)
	assert len(body) == size
	t[at + 64:at + 64 + size] = body
	struct.pack_into('<I', t, at + 12, 0)
	crc = 0xffffffff
	for b in t[at:at + 64 + size]:
	    crc ^= b
	    for _ in range(8):
	        crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
	struct.pack_into('<I', t, at + 12, crc ^ 0xffffffff)
	open(sys.argv[1], 'wb').write(t)
	END
}

# reads FILE: how often event_counts reads the file
reads()
{
	strace -f -c -e trace=pread64 -o calls "$KTRACE" sql "$1" 'SELECT sum(count) FROM event_counts' >told 2>err
	awk '/pread64/ { print $4 }' calls
}

@test "counts: a file tells them, and nothing is read for them" {
	"$PROGS/machine" "$(n 400000)" t
	has_counts t
	is_right t
	# Without the section, all blocks are read.
	cp t u
	forge u '[[*c[0][:3], c[0][3] + 1], *c[1:]]'
	[ "$(reads u)" -gt "$(($(reads t) + 30))" ]
	is_right u
	run_ktrace check t
	[ "$status" = 0 ]
}

@test "counts: recordings, compressed or not" {
	run_ktraced --policy block --pthread -o t -- "$EXAMPLES/cache"
	has_counts t
	is_right t
	run_ktraced --policy block --compress=1 -o u -- "$EXAMPLES/hello"
	has_counts u
	is_right u
	is_right t u
}

@test "counts: forged ones: ktrace check says that they differ" {
	"$PROGS/machine" 20000 t
	counted t >found
	cp t u
	# The sum is right: event_counts shows what the file says.
	forge u '[[*c[0][:3], c[0][3] + 1], [*c[1][:3], c[1][3] - 1], *c[2:]]'
	counts u >told
	fails cmp told found
	run_ktrace check u
	[ "$status" = 1 ]
	[[ $output == *"numbers of events are not those of the blocks"* ]]
	# These are not used at all: a stream that is not there, no order, twice, none, fragments, too many.
	local body
	for body in '[*c[:-1], [999, *c[-1][1:]]]' 'c[::-1]' '[c[0], c[0], *c[2:]]' '[[*c[0][:3], 0], *c[1:]]' \
		'[[*c[0][:2], 1, c[0][3]], *c[1:]]' '[[*c[0][:3], 2**64 - 1], *c[1:]]'; do
		cp t u
		forge u "$body"
		counts u >told
		diff told found
		run_ktrace check u
		[ "$status" = 1 ]
	done
}

@test "counts: a file that is not closed has none" {
	"$PROGS/machine" 20000 t
	head -c 500000 t >u
	fails has_counts u
	is_right u
}

@test "counts: ktraced that was killed, and a file that was recovered" {
	start_ktraced -o t --policy block -- "$PROGS/flood" -n 2000000 -u 20
	retry 0.05 has_events
	LEFT=$(session_of "$pid")
	command=$(child_of "$pid")
	kill -KILL "$pid"
	wait "$pid" || true
	kill_tree "$command"
	fails has_counts t
	is_right t
	# Another process completes the file, and has not seen its first blocks.
	"$KTRACED" -q --recover "$LEFT"
	LEFT=
	run_ktrace info t
	[[ $output == *" closed"* ]]
	fails has_counts t
	is_right t
}

has_events()
{
	[ -s t ] && [ "$("$KTRACE" list -n 1 t 2>/dev/null | wc -l)" = 1 ]
}

@test "counts: parts, each by itself and together" {
	run_ktraced --policy block -b 64K --split-size 100K -o t.bin -- "$PROGS/flood" -n 30000
	local part
	for part in t.*.bin; do
		has_counts "$part"
		is_right "$part"
	done
	is_right t.*.bin
	[ "$(ls t.*.bin | wc -l)" -gt 1 ]
}

@test "counts: files of ktrace cut, merge and import have their own" {
	"$PROGS/machine" 20000 t
	"$KTRACE" cut --since 0.001 -o cut t
	has_counts cut
	is_right cut
	fails cmp <(counts t) <(counts cut)
	"$KTRACE" cut --until 0.001 -o begin t
	"$KTRACE" merge -o merged begin cut
	has_counts merged
	is_right merged
	xzcat "$ROOT/tests/data/import/perf.txt.xz" >perf.txt
	"$KTRACE" import -o imported perf.txt
	has_counts imported
	is_right imported
}

@test "counts: losses and events of fragments are counted by reading" {
	"$PROGS/mktrace" u <"$ROOT/tests/data/golden/small-v1.script"
	has_counts u
	is_right u
	local file
	for file in lossy kernel torn compressed overwritten; do
		is_right "$ROOT/tests/data/golden/$file-v1.bin"
	done
}
