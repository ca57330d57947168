#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import --from ctf: CTF 2, and streams that others stop at: damage, time that goes back, clocks

# shellcheck disable=SC2154 # capture sets status and output

load helpers

MAKE_CTF2=$ROOT/tests/checkers/import/make_ctf2

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# import FOLDER [OPTION...]: to t
import()
{
	rm -f t
	run_ktrace import --from ctf "$@" -o t
}

# is_as_told FILE: the events of t are those that the writer has told there
is_as_told()
{
	"$KTRACE" list --json t >t.json
	python3 -I - "$1" <<-'END'
		import json, sys
		told = [json.loads(line) for line in open(sys.argv[1])]
		ours = [json.loads(line) for line in open("t.json")]
		ours = [[e["time"], e["cpu"], e["event"], e["tid"], e["fields"]] for e in ours if e["event"] != "ktrace:lost"]
		assert len(told) == len(ours), (len(told), len(ours))
		for a, b in zip(told, ours):
		    assert a == b, (a, b)
		    assert list(a[4]) == list(b[4]), (a, b)
		print(len(told))
	END
}

@test "import ctf 2: all kinds of fields, times of 16 bits, losses" {
	"$MAKE_CTF2" folder >told
	import folder
	[ "$status" = 0 ]
	[[ $output == "t: 24 events, 516 lost, "* ]]
	says '2 packets were lost, each counted as one event'
	valid_trace t
	[ "$(is_as_told told)" = 24 ]
	run_ktrace info t
	says 'host *example'
	says 'backend *writer'
	# Each loss is at the end of the packet before, on its CPU; the counter of 8 bits wraps around.
	"$KTRACE" list --json t | jq -c 'select(.event == "ktrace:lost") | [.raw, .cpu, .fields.reason, .fields.count]' >lost
	printf '[%s]\n' 1070000,0,'"full"',3 1070001,1,'"overwritten"',2 1070001,1,'"full"',3 \
		1170000,0,'"full"',254 1170001,1,'"full"',254 >expected
	cmp lost expected
}

@test "import ctf 2: metadata in packets, as LTTng writes it" {
	"$MAKE_CTF2" folder >told
	python3 -I - folder/metadata <<-'END'
		import struct, sys
		text, out = open(sys.argv[1], "rb").read(), b""
		for at in range(0, len(text), 3000):
		    part = text[at:at + 3000]
		    out += struct.pack("<I16sIIIBBBBB", 0x75d11d57, bytes(16), 0, 8 * (37 + len(part)), 8 * 4096, 0, 0, 0, 2, 0)
		    out += part + bytes(4096 - 37 - len(part))
		open(sys.argv[1], "wb").write(out)
	END
	import folder
	[ "$status" = 0 ]
	[ "$(is_as_told told)" = 24 ]
}

@test "import ctf 2: babeltrace2 says the same, where it knows CTF 2" {
	babeltrace2 --version | grep -qE ' 2\.([1-9]|[0-9]{2})' || skip "babeltrace2 here is older than 2.1"
	"$MAKE_CTF2" folder plain >told
	babeltrace2 folder >theirs 2>errors
	[ "$(wc -l <theirs)" = 24 ]
	import folder
	[ "$(is_as_told told)" = 24 ]
	[ "$(grep -o 'u20 = [0-9]*' theirs)" = "$("$KTRACE" list t | grep -o 'u20=[0-9]*' | sed 's/=/ = /')" ]
}

@test "import ctf 2: an error in the metadata is said, and costs only its fragment" {
	"$MAKE_CTF2" folder >told
	sed -i 's/"name": "my:none"/"name": "my:none", "payload-field-class": {"type": "strukture"}/' folder/metadata
	import folder
	[ "$status" = 1 ]
	says 'folder/metadata: fragment 7: no field class has the type "strukture"'
	says 'folder/stream0: offset [0-9]*: damaged: the metadata does not describe events of this number'
	says 't: 18 events, '
	# Half of a fragment, no version, an extension
	rm -rf folder
	"$MAKE_CTF2" folder >told
	truncate -s -20 folder/metadata
	import folder
	[ "$status" = 1 ]
	says 'folder/metadata: fragment 7 at offset [0-9]*: '
	sed -i 's/"version": 2/"version": 3/' folder/metadata
	import folder
	[ "$status" = 1 ]
	says 'folder/metadata: fragment 1: version 3 of CTF is unknown'
	[ ! -e t ]
	sed -i 's/"version": 3/"version": 2, "extensions": {"my.tracer": {"piano": 1}}/' folder/metadata
	import folder
	[ "$status" = 1 ]
	says 'needs the extension "my.tracer"'
}

@test "import ctf 2: damage costs only its packet, a short file is read to its end" {
	"$MAKE_CTF2" folder >told
	size=$(stat -c %s folder/stream0)
	cp -r folder good
	# A number of an event that is not described, in the second packet of CPU 0
	python3 -I - folder/stream0 <<-'END'
		import sys
		data = bytearray(open(sys.argv[1], "rb").read())
		second = data.index(bytes(range(16, 32)), 100) - 4
		data[second + 22 + 16 + 8 + 4] = 99
		open(sys.argv[1], "wb").write(data)
	END
	import folder
	[ "$status" = 1 ]
	says 'folder/stream0: offset [0-9]*: damaged: the metadata does not describe events of this number'
	[[ $output == "t: 20 events, "* ]]
	valid_trace t
	# The header of a packet is lost: the next one is found.
	cp good/stream0 folder/stream0
	python3 -I - folder/stream0 <<-'END'
		import sys
		data = bytearray(open(sys.argv[1], "rb").read())
		second = data.index(bytes(range(16, 32)), 100) - 4
		data[second:second + 20] = bytes(20)
		open(sys.argv[1], "wb").write(data)
	END
	import folder
	[ "$status" = 1 ]
	says 'folder/stream0: offset [0-9]*: damaged: no packet begins here'
	[[ $output == "t: 20 events, "* ]]
	for n in 0 1 40 100 300 $((size / 2)) $((size - 200)); do
		cp good/stream0 folder/stream0
		truncate -s "$n" folder/stream0
		import folder
		[ "$status" -le 1 ]
		valid_trace t
		[ "$n" = 0 ] || says 'folder/stream0: offset [0-9]*: damaged: '
		[ "$("$KTRACE" list t | grep -c ' \[001\] .* my:')" = 12 ]
	done
	# Space that was never written
	cp good/stream0 folder/stream0
	truncate -s 100000 folder/stream0
	import folder
	[ "$status" = 1 ]
	says "folder/stream0: offset $size: damaged: only zeros from here to the end of the file"
	[[ $output == "t: 24 events, "* ]]
}

# tsdl CLOCK: metadata of a small trace
tsdl()
{
	cat >"$1/metadata" <<-END
		/* CTF 1.8 */
		typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
		typealias integer { size = 64; align = 8; signed = false; } := unsigned long;
		trace { major = 1; minor = 8; byte_order = le; packet.header := struct { uint32_t magic; uint32_t stream_id; }; };
		clock { name = cpu; freq = 1000000000; $2 };
		typealias integer { size = 64; align = 8; signed = false; map = clock.cpu.value; } := ts_t;
		stream { id = 0; event.header := struct { ts_t timestamp; uint32_t id; }; };
		event { name = tick; id = 0; stream_id = 0; fields := struct { unsigned long n; }; };
	END
}

# ticks FILE TIME...: an event of CTF 1.8 at each time
ticks()
{
	python3 -I - "$@" <<-'END'
		import struct, sys
		with open(sys.argv[1], "wb") as f:
		    f.write(struct.pack("<II", 0xc1fc1fc1, 0))
		    for n, time in enumerate(sys.argv[2:]):
		        f.write(struct.pack("<QIQ", int(time), 0, n))
	END
}

@test "import ctf: time that goes back is said with its place, all events are there" {
	mkdir folder
	tsdl folder 'offset = 0;'
	ticks folder/a 1000 2000 4294967000 296 1296 2296
	ticks folder/b 1500 5000
	import folder
	[ "$status" = 1 ]
	[[ $output == "t: 8 events, "* ]]
	says 'folder/a: offset 68: the time goes back, 1 times in this stream'
	valid_trace t
	[ "$("$KTRACE" list --json t | jq -c '[.raw, .fields.n]' | sort)" = "$(printf '[%s]\n' 1000,0 2000,1 4294967000,2 296,3 1296,4 2296,5 1500,0 5000,1 | sort)" ]
}

@test "import ctf: a clock that cannot be converted counts from its 0, and this is said" {
	mkdir folder
	tsdl folder 'offset_s = 1351530929945824323;'
	ticks folder/a 1000 2000 18446744073709551615
	import folder
	[ "$status" = 1 ]
	says 'folder/metadata: clock cpu: its offset of 1351530929945824323 s is beyond any date'
	says 'its clock does not say what it counts from'
	[ "$("$KTRACE" list --json t | jq .raw | head -2)" = $'1000\n2000' ]
}

@test "import ctf: an error in TSDL is said with its line; what is described before is read" {
	mkdir folder
	tsdl folder 'offset = 0;'
	ticks folder/a 1000 2000
	echo 'event { name = "other"; id = 1; fields := struct { unknown_t x; }; };' >>folder/metadata
	import folder
	[ "$status" = 1 ]
	says 'folder/metadata: line 9: no type has the name "unknown_t"'
	[[ $output == "t: 2 events, "* ]]
}

@test "import ctf: what is no trace is said with what to do" {
	mkdir -p clone/.git empty
	import clone
	[ "$status" = 1 ]
	says 'clone: not a CTF trace, but a clone of a repository without one: .*git-lfs'
	import empty
	says 'empty: not a CTF trace: no folder in it has a file "metadata"'
	"$MAKE_CTF2" good >told
	import good/stream0
	[ "$status" = 1 ]
	says 'good/stream0: not a CTF trace: a trace is the folder with its files and "metadata"'
	import good/metadata
	[ "$status" = 0 ]
	[ "$(is_as_told told)" = 24 ]
	# Of several traces, one that cannot be read does not cost the others.
	mkdir -p all/bad
	cp -r good all/good
	echo nonsense >all/bad/metadata
	import all
	[ "$status" = 1 ]
	says 'all/bad/metadata: line 1: no block begins with this'
	[ "$(is_as_told told)" = 24 ]
}

@test "import ctf 2: 20 traces with some bits turned over crash nothing" {
	"$MAKE_CTF2" good >told
	cat >turn.py <<-'END'
		import random, sys
		random.seed(int(sys.argv[1]))
		for path in sys.argv[2:]:
		    data = bytearray(open(path, "rb").read())
		    for _ in range(random.randint(0, 3)):
		        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
		    open(path, "wb").write(data)
	END
	for seed in {1..20}; do
		rm -rf bad
		cp -r good bad
		python3 -I turn.py "$seed" bad/metadata bad/stream0 bad/stream1
		rm -f t
		capture timeout 20 "$KTRACE" import --from ctf -o t bad
		[ "$status" -le 1 ] || show
		[ "$status" -le 1 ]
		[ "$status" = 0 ] || [ -n "$stderr" ]
		[ ! -e t ] || valid_trace t
	done
}

@test "import ctf 2: memory is read where it is written, and freed" {
	"$MAKE_CTF2" folder >told
	run_valgrind import --from ctf -o t folder
	[ "$status" = 0 ]
	truncate -s 500 folder/stream0
	truncate -s -20 folder/metadata
	run_valgrind import --from ctf -o t folder
	[ "$status" = 1 ]
}
