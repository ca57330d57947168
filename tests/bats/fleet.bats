#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# fleet.bats - ktraced --ship, ktrace ship, ktrace store: files of hosts in a store, through a NATS server
#
# What is stored is compared byte for byte with what was recorded, or each event is counted.

# shellcheck disable=SC2154 # run_ktraced sets status, output and stderr

load helpers

setup()
{
	command -v nats-server >/dev/null || skip "no nats-server"
	setup_test
}

teardown()
{
	teardown_test
}

# server: starts one, with its data in js, at the port of the last one or a free one; sets $port, $URL, $SERVER
server()
{
	: >server.ports
	start server nats-server -a 127.0.0.1 -p "${port:--1}" -js -sd js --ports_file_dir "$PWD" "$@"
	SERVER=$pid
	retry 0.05 grep -qs nats "nats-server_$pid.ports"
	[[ $(cat "nats-server_$pid.ports") =~ :([0-9]+)\" ]]
	port=${BASH_REMATCH[1]}
	URL=nats://127.0.0.1:$port
}

# store [OPTION...]: starts one in the folder d; sets $STORE
store()
{
	start store "$KTRACE" store d --from "$URL" "$@"
	STORE=$pid
}

# end PID: SIGTERM, and waits
end()
{
	kill "$1"
	wait "$1"
}

# record NAME [OPTION...]: a recording in parts of 100000 events
record()
{
	run_ktraced -q -e flood -b 64K --policy=block --split-size 200K -o "$@" -- "$PROGS/flood" -n "$(n 100000)"
	[ "$status" = 0 ]
}

# stored: prints the complete files, as a list of readers has them
stored()
{
	find d -name '*.bin' | sort
}

# equal FOLDER: all files in FOLDER are stored, each once, with the same bytes, and no others
equal()
{
	[ "$(sha256sum "$1"/*.bin | cut -d ' ' -f 1 | sort)" = "$(stored | xargs sha256sum | cut -d ' ' -f 1 | sort)" ]
}

@test "fleet: a recording shipped by hand is whole and equal, and stays where it is" {
	mkdir a
	record a/t.bin
	record a/packed.bin --compress
	run_ktraced -q -o a/whole.bin -- "$EXAMPLES/hello"
	server
	store
	files=(a/*.bin)
	[ ${#files[@]} -gt 5 ]
	run_ktrace ship --to "$URL" a/t.bin a/packed.*.bin a/whole.bin
	[ "$status" = 0 ]
	[[ $stderr == *": ${#files[@]} files stored, $(cat a/*.bin | wc -c) bytes; 0 kept"* ]]
	equal a
	# Any reader takes them as it takes the host's.
	mapfile -t there < <(stored | grep "$(stored | sed -n 's/.*-\(.*\)\.0002\.bin/\1/p' | head -n 1)")
	[ "$("$KTRACE" list -c "${there[@]}")" = "$(n 100000)" ]
	[ "$("$KTRACE" sql --json "${there[@]}" 'SELECT count(*) AS n FROM events' | jq .n)" = "$(n 100000)" ]
	run_ktrace check "${there[@]}"
	[ "$status" = 0 ]
	# By host and boot
	[ "$(stored | cut -d / -f 1-3 | sort -u)" = "d/$(uname -n)/$(cat /proc/sys/kernel/random/boot_id)" ]
	# The store has them: nothing is sent again.
	run_ktrace ship --remove --to "$URL" a/t.bin
	[ "$status" = 0 ]
	[[ $stderr == *"; sent 0 pieces, "* ]]
	[ "$(echo a/t.*)" = 'a/t.*' ]
	end "$STORE"
	[[ $(cat store.err) == *": ${#files[@]} files stored, "*"; 0 not complete yet; 0 pieces came again, "* ]]
}

@test "fleet: ktraced --ship sends each part when it ends, and removes it when it is stored" {
	server
	store
	run_ktraced -e flood -b 64K --policy=block --split-size 200K --ship "$URL" -o t.bin -- "$PROGS/flood" -n "$(n 100000)"
	[ "$status" = 0 ]
	[ "$(echo t.*)" = 't.*' ]
	mapfile -t there < <(stored)
	[ ${#there[@]} -gt 5 ]
	[ "$("$PROGS/check_flood" "${there[@]}" | tail -n 1)" = "read $(n 100000) lost 0" ]
	# Parts are made without options, too.
	run_ktraced --ship "$URL/" -o u.bin -- "$EXAMPLES/hello"
	[ "$status" = 0 ]
	[ "$(echo u.*)" = 'u.*' ]
	[ "$(stored | wc -l)" = $((${#there[@]} + 1)) ]
}

@test "fleet: while the recording goes on, parts are stored and removed, and --max-size does not count them" {
	server
	store
	start_ktraced -q -e flood -b 64K --policy=block --max-size 600K --split-size 100K --ship "$URL" -o t.bin -- \
		"$PROGS/flood" -n "$(n 40000)" -u 50
	tracer=$pid
	retry 0.05 eval '[ "$(stored | wc -l)" -gt 3 ]'
	is_child "$tracer"
	wait "$tracer" || true
	[ "$(echo t.*)" = 't.*' ]
	run_ktrace info --json $(stored)
	[ "$(jq '.files[0].parts | map(.bytes) | add > 1000000' <<<"$output")" = true ]
	[ "$(jq -c '.files[0].missing' <<<"$output")" = '[]' ]
	[ "$("$PROGS/check_flood" $(stored) | tail -n 1)" = "read $(n 40000) lost 0" ]
}

@test "fleet: at --max-size, the recording goes on once parts are stored" {
	server
	start_ktraced -e flood -b 64K --policy=block --max-size 300K --split-time 1h --ship "$URL" -o t.bin -- \
		"$PROGS/flood" -n "$(n 60000)" -u 50
	tracer=$pid
	retry 0.05 grep -q 'the recording has reached --max-size' ktraced.err
	store
	retry 0.05 grep -q 'ktraced: writing to t.*bin works again' ktraced.err
	wait "$tracer"
	[ "$(echo t.*)" = 't.*' ]
	stderr=$(<ktraced.err)
	lost=$(summary lost)
	[ "$lost" -gt 0 ]
	[ "$("$PROGS/check_flood" $(stored) | tail -n 1)" = "read $(($(n 60000) - lost)) lost $lost" ]
}

@test "fleet: no server, then no store: the recording goes on, parts are kept and told, and sent later" {
	port=1
	URL=nats://127.0.0.1:1
	run_ktraced -e flood -b 64K --policy=block --split-size 200K --ship "$URL" --ship-wait 500ms -o t.bin -- \
		"$PROGS/flood" -n "$(n 100000)"
	[ "$status" = 0 ]
	nr=$(find . -name 't.*.bin' | wc -l)
	[ "$nr" -gt 5 ]
	[[ $stderr == *"nats://127.0.0.1:1: cannot connect: "*"; trying again"* ]]
	[[ $stderr == *"ktrace ship: 0 files stored, 0 bytes; $nr kept, 0 removed before; sent 0 pieces"* ]]
	[[ $stderr == *"to send what was kept: ktrace ship --remove --to nats://127.0.0.1:1 t.bin"* ]]
	port=
	server
	run_ktrace ship --remove --wait 500ms --to "$URL" t.bin
	[ "$status" = 1 ]
	[[ $stderr == *"$URL: no store answers there (ktrace store); trying again"* ]]
	[ "$(find . -name 't.*.bin' | wc -l)" = "$nr" ]
	mkdir a
	cp t.*.bin a
	store
	run_ktrace ship --remove --to "$URL" t.bin
	[ "$status" = 0 ]
	equal a
	[ "$(echo t.*)" = 't.*' ]
}

@test "fleet: a server and a store that come later, and go: the shipper finds them" {
	server
	end "$SERVER" || true
	start_ktraced -e flood -b 64K --policy=block --split-size 200K --ship "$URL" --ship-wait 60s -o t.bin -- \
		"$PROGS/flood" -n "$(n 100000)"
	tracer=$pid
	retry 0.05 grep -q 'cannot connect' ktraced.err
	store
	retry 0.05 grep -q 'cannot connect' store.err
	server
	wait "$tracer"
	grep -q 'works again' ktraced.err
	[ "$("$PROGS/check_flood" $(stored) | tail -n 1)" = "read $(n 100000) lost 0" ]
	[ "$(echo t.*)" = 't.*' ]
}

# hit: kills one of server, store and shipper with SIGKILL, and starts it again
hit()
{
	case $((RANDOM % 3)) in
	0)
		kill -KILL "$SERVER"
		wait "$SERVER" || true
		server
		;;
	1)
		kill -KILL "$STORE"
		wait "$STORE" || true
		cat store.err >>all.err
		store
		;;
	2) kill -KILL "$SHIP" 2>/dev/null || true ;;
	esac
}

@test "fleet: server, store and shipper killed again and again: every file once, equal" {
	mkdir a
	record a/t.bin
	record a/u.bin
	cp -r a b
	server
	store
	for ((round = 0; round < $(n 200) / 10; round++)); do
		start ship "$KTRACE" ship --remove --rate 150K --to "$URL" b/t.bin b/u.bin
		SHIP=$pid
		sleep "0.$((RANDOM % 5 + 1))"
		hit
		kill -KILL "$SHIP" 2>/dev/null || true
		wait "$SHIP" || true
	done
	run_ktrace ship --remove --wait 60s --to "$URL" b/t.bin b/u.bin
	# What is not there any more was stored before.
	[[ $stderr == *"; 0 kept"* || $stderr == *"No such file"* ]]
	[ "$(echo b/*)" = 'b/*' ]
	equal a
	[ "$(find d/.incoming -type f | wc -l)" = 1 ]
	end "$STORE"
	fails grep -h 'wrong checksum: dropped\|part before it' all.err store.err
}

@test "fleet: everything killed while ktraced records and ships: each event is stored once, or is in no file" {
	server
	store
	for ((round = 0; round < $(n 60) / 10; round++)); do
		start_ktraced -q -e flood -b 64K --policy=block --split-size 50K --ship "$URL" -o "t$round.bin" -- \
			"$PROGS/flood" -n "$(n 20000)" -u 20
		tracer=$pid
		sleep "0.$((RANDOM % 5 + 2))"
		SHIP=$(pgrep -P "$tracer" ship || echo 0)
		session=$(session_dir "$tracer")
		[ "$SHIP" != 0 ]
		if ((round % 2)); then
			kill -KILL "$tracer"
			wait "$tracer" || true
			hit
			# It sends what is complete, and ends.
			retry 0.05 fails kill -0 "$SHIP"
			"$KTRACED" -q --recover "$session"
		else
			hit
			wait "$tracer" || true
		fi
		kill_tree "$tracer"
	done
	for ((i = 0; i < round; i++)); do
		[ ! -e "t$i.0001.bin" ] && [ "$(echo "t$i".*)" = "t$i.*" ] || run_ktrace ship --remove --wait 60s --to "$URL" "t$i.bin"
	done
	[ "$(echo t[0-9]*)" = 't[0-9]*' ]
	[ "$(find d/.incoming -type f | wc -l)" = 1 ]
	mapfile -t uuids < <(stored | sed 's/.*-\([0-9a-f]*\)\..*/\1/' | sort -u)
	[ ${#uuids[@]} = "$round" ]
	for uuid in "${uuids[@]}"; do
		mapfile -t there < <(stored | grep "$uuid")
		# Numbers of the events of each thread, without gaps that are not told, and none twice
		"$PROGS/check_flood" "${there[@]}"
		[ "$("$KTRACE" info --json "${there[@]}" | jq -c '.files[0] | [.missing, .parts[0].part]')" = '[[],1]' ]
	done
}

@test "fleet: the host's limit is reached: what is dropped is counted, told, and in the files" {
	run_ktraced -e flood -b 64K --policy=block --split-size 50K --keep 3 --ship nats://127.0.0.1:1 --ship-wait 500ms \
		-o t.bin -- "$PROGS/flood" -n "$(n 100000)"
	[[ $stderr =~ ([0-9]+)" older parts removed (--keep 3): "([0-9]+)" events" ]]
	dropped=${BASH_REMATCH[2]}
	server
	store
	run_ktrace ship --remove --to "$URL" t.bin
	[ "$status" = 0 ]
	run_ktrace info --json $(stored)
	[ "$(jq ".files[0].removed_events" <<<"$output")" = "$dropped" ]
	[ "$(("$("$KTRACE" list -c $(stored))" + dropped))" = "$(n 100000)" ]
	grep -q 'stored, but the part before it is not there' store.err
	# Without --keep, the newest are lost, and the trace says so.
	rm -rf d
	end "$STORE"
	store
	run_ktraced -e flood --policy=block --split-size 100K --max-size 300K --ship nats://127.0.0.1:1 \
		--ship-wait 500ms -o u.bin -- "$PROGS/flood" -n "$(n 50000)"
	[[ $stderr == *"the recording has reached --max-size; events are lost"* ]]
	lost=$(summary lost)
	[ "$lost" -gt 0 ]
	run_ktrace ship --remove --to "$URL" u.bin
	[ "$status" = 0 ]
	[ "$("$PROGS/check_flood" $(stored) | tail -n 1)" = "read $(($(n 50000) - lost)) lost $lost" ]
}

@test "fleet: the store's disk is full: told, hosts keep their files; later all is stored" {
	mkdir a
	record a/t.bin
	server
	KTRACE_MIN_FREE=1000000G start store "$KTRACE" store d --from "$URL"
	STORE=$pid
	run_ktrace ship --remove --wait 1s --to "$URL" a/t.bin
	[ "$status" = 1 ]
	[[ $stderr == *": 0 files stored, "*" kept, 0 removed before"* ]]
	grep -q '^ktrace: d: .*; hosts keep their files until it works again' store.err
	[ -e a/t.0001.bin ]
	end "$STORE"
	store
	run_ktrace ship --to "$URL" a/t.bin
	[ "$status" = 0 ]
	equal a
}

@test "fleet: a file that was damaged on its way is dropped, told, and sent again" {
	mkdir a
	run_ktraced -q -o a/t.bin -- "$EXAMPLES/hello"
	server
	mkdir -p d/.incoming
	uuid=$(od -An -tx1 -j 24 -N 16 a/t.bin | tr -d ' \n')
	# Its first bytes, of which one is wrong
	head -c 1000 a/t.bin | tr 'k' 'K' >"d/.incoming/$uuid.0"
	store
	run_ktrace ship --to "$URL" a/t.bin
	[ "$status" = 0 ]
	grep -q 'came with a wrong checksum: dropped, its host sends it again' store.err
	equal a
	# Another file of the same recording and part: nothing is replaced.
	run_ktrace cut -o /dev/null a/t.bin
	cp a/t.bin other.bin
	printf '\x01' | dd of=other.bin bs=1 seek=60 conv=notrunc status=none
	run_ktrace ship --remove --to "$URL" other.bin
	[ "$status" = 1 ]
	[[ $stderr == *"other.bin: kept: the store has another file of this recording and part"* ]]
	[ -e other.bin ]
	equal a
}

# publish SUBJECT PART OFFSET TEXT: a message as ktrace ship sends it
publish()
{
	local head=$'NATS/1.0\r\nKtrace-Part: '$2$'\r\nKtrace-Offset: '$3$'\r\n\r\n'
	exec 3<>"/dev/tcp/127.0.0.1/$port"
	printf 'CONNECT {"verbose":false,"headers":true}\r\nHPUB %s %d %d\r\n%s%s\r\nPING\r\n' "$1" ${#head} \
		$((${#head} + ${#4})) "$head" "$4" >&3
	timeout 5 grep -qm 1 PONG <&3
	exec 3>&-
}

@test "fleet: messages that are none: dropped, counted, and nothing outside of the folder is written" {
	boot=$(cat /proc/sys/kernel/random/boot_id)
	uuid=0123456789abcdef0123456789abcdef
	server
	store
	retry 0.05 test -e d/.incoming/.lock
	sleep 0.5
	for part in "host=.. boot=$boot uuid=$uuid part=0 start=1 size=4 crc=00000000" \
		"host=a/../../.. boot=$boot uuid=$uuid part=0 start=1 size=4 crc=00000000" \
		"host=h boot=../../x uuid=$uuid part=0 start=1 size=4 crc=00000000" \
		"host=h boot=$boot uuid=../../../../../../../../../tmp/abc part=0 start=1 size=4 crc=00000000" \
		"host=h boot=$boot uuid=$uuid part=9999999 start=1 size=4 crc=00000000" \
		"host=h boot=$boot uuid=$uuid part=0 start=1 size=3 crc=00000000" \
		"host=h boot=$boot uuid=$uuid part=0 start=1 size=4 crc=00000000 more" "" ; do
		publish ktrace.data.h.b.u.0 "$part" 0 text
	done
	publish ktrace.data.h.b.u.0 "host=h boot=$boot uuid=$uuid part=0 start=1 size=4 crc=00000000" 4 text
	publish ktrace.data.h.b.u.0 "host=h boot=$boot uuid=$uuid part=0 start=1 size=4 crc=00000000" -1 text
	# One that is a message, but not the file's checksum; and one whose beginning is missing
	publish ktrace.data.h.b.u.0 "host=h boot=$boot uuid=$uuid part=0 start=1 size=4 crc=00000000" 0 text
	publish ktrace.data.h.b.u.1 "host=h boot=$boot uuid=$uuid part=1 start=1 size=400000 crc=00000000" 262144 text
	sleep 1.5
	end "$STORE"
	[ "$(find . -newer server.ports -type f -name '*.bin' | wc -l)" = 0 ]
	[[ $(cat store.err) == *": 0 files stored, 0 bytes; 0 not complete yet; "*"; 0 gaps, 1 files with a wrong checksum, 10 messages"* ]]
	[[ $(cat store.err) =~ " pieces came again, "[1-9][0-9]*" too early" ]]
}

# make_stream NAME BYTES: a stream that holds so much, as an administrator makes it
make_stream()
{
	local config
	config='{"name":"'$1'","subjects":["'$1'.data.>"],"retention":"workqueue","storage":"file","discard":"new",'
	config+='"max_consumers":-1,"max_msgs":-1,"max_bytes":'$2',"max_age":0,"num_replicas":1}'
	exec 3<>"/dev/tcp/127.0.0.1/$port"
	printf 'CONNECT {"verbose":false}\r\nSUB made 1\r\nPUB $JS.API.STREAM.CREATE.%s made %d\r\n%s\r\n' \
		"$1" ${#config} "$config" >&3
	timeout 5 grep -qm 1 '"did_create":true' <&3
	exec 3>&-
}

@test "fleet: the broker is full: told once; all is stored once there is room" {
	mkdir a
	record a/t.bin --split-size 0
	server
	make_stream small 100000
	start ship "$KTRACE" ship --wait 60s --to "$URL/small" a/t.bin
	SHIP=$pid
	retry 0.05 grep -q 'cannot publish: ' ship.err
	sleep 2
	[ "$(wc -l <ship.err)" = 2 ]
	[ "$(find . -name '*.bin' | wc -l)" = 1 ]
	start store "$KTRACE" store d --from "$URL/small"
	wait "$SHIP"
	equal a
	# Room comes and goes; that is not told each time.
	[ "$(grep -c 'cannot publish: ' ship.err)" = 1 ]
	[ "$(grep -c 'works again' ship.err)" = 1 ]
}

@test "fleet: one store for a stream, one for a folder; a name in the URL makes another stream" {
	server
	store
	retry 0.05 test -e d/.incoming/.lock
	run_ktrace store d --from "$URL"
	[ "$status" = 1 ]
	[[ $stderr == *"d: another ktrace store writes there" ]]
	sleep 0.5
	run_ktrace store e --from "$URL"
	[ "$status" = 1 ]
	[[ $stderr == *"another ktrace store takes the messages of this stream; /NAME at the end of the URL"* ]]
	start other "$KTRACE" store e --from "$URL/other"
	run_ktraced -q -o t.bin -- "$EXAMPLES/hello"
	run_ktrace ship --to "$URL/other" t.bin
	[ "$status" = 0 ]
	[ -z "$(stored)" ]
	[ "$(find e -name '*.bin' | wc -l)" = 1 ]
}

@test "fleet: TLS with an authority of one's own, and without knowing it" {
	openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost \
		-addext subjectAltName=IP:127.0.0.1,DNS:localhost 2>/dev/null
	printf 'tls { cert_file: "cert.pem", key_file: "key.pem" }\n' >tls.conf
	server -c tls.conf
	run_ktraced -q -o t.bin -- "$EXAMPLES/hello"
	start store "$KTRACE" store d --from "$URL" --ca cert.pem
	run_ktrace ship --to "$URL" --ca cert.pem t.bin
	[ "$status" = 0 ]
	[ "$(stored | wc -l)" = 1 ]
	run_ktrace ship --wait 300ms --to "tls://127.0.0.1:$port" t.bin
	[ "$status" = 1 ]
	[[ $stderr == *"cannot connect: "*"; trying again"* ]]
}

@test "fleet: --rate is a limit" {
	server
	store
	"$PROGS/mktrace" t.bin >/dev/null 2>&1 || record t.bin --split-size 0
	record t.bin --split-size 0
	run_ktrace ship --to "$URL" t.bin
	[[ $stderr =~ ", "([0-9]+)" bytes"$ ]]
	sent=${BASH_REMATCH[1]}
	record t.bin --split-size 0
	begin=$(date +%s%N)
	run_ktrace ship --rate $((sent / 2)) --to "$URL" t.bin
	[ "$status" = 0 ]
	[ $((($(date +%s%N) - begin) / 1000000)) -gt 1500 ]
}

@test "fleet: wrong command lines: told what is wrong, before anything is recorded" {
	local url
	for url in nats://a:b@host http://host nats:// nats://:4222 nats://host:0 nats://host:66000 nats://host:x \
		nats://host/a.b nats://host/a/b nats://h,/x "nats://[::1" host; do
		run_ktrace ship --to "$url" t.bin
		[ "$status" = 2 ]
		[[ $stderr == *"ktrace ship: the URL of the broker: "* ]]
		run_ktrace store d --from "$url"
		[ "$status" = 2 ]
		run_ktraced --ship "$url" -o t.bin -- touch ran
		[ "$status" = 125 ]
		[[ $stderr == *"--ship: "* ]]
	done
	# A password on the command line is not repeated.
	[[ $("$KTRACE" ship --to nats://user:secret@host t.bin 2>&1) != *secret* ]]
	for wrong in "--ship nats://h --service" "--ship-rate 1M" "--ship nats://h --ship-rate x" "--ship nats://h --ship-wait 2h" \
		"--ship nats://h --ship-ca nothing" "--ship nats://h --ship-cert /etc/passwd" "--recover --ship nats://h"; do
		run_ktraced $wrong -o t.bin -- touch ran
		[ "$status" = 125 ]
	done
	for wrong in "" "--to nats://h" "t.bin" "--to nats://h --rate x t" "--to nats://h --wait 0 t" \
		"--to nats://h --follow a b" "--to nats://h --creds nothing t" "--to nats://h --cert /etc/passwd t"; do
		run_ktrace ship $wrong
		[ "$status" = 2 ]
	done
	for wrong in "" "--from nats://h" d "--from nats://h a b" "--from nats://h --idle x d"; do
		run_ktrace store $wrong
		[ "$status" = 2 ]
	done
	[ ! -e ran ]
	[ ! -e t.bin ]
	[ ! -e d ]
	run_ktrace ship --to nats://127.0.0.1:1 --wait 100ms nothing
	[ "$status" = 1 ]
	[[ $stderr == *"nothing: No such file or directory"* ]]
	echo text >text
	run_ktrace ship --to nats://127.0.0.1:1 --wait 100ms text
	[ "$status" = 1 ]
	[[ $stderr == *"text: kept: not a tracefile"* ]]
}

@test "fleet: who may ask the store cannot have it publish elsewhere with its rights" {
	server
	store
	retry 0.05 answers_here
	client publish ktrace.ask ktrace.data.host <<<x
	answers_here
	# A message, but no piece of a file: this one counts.
	client publish ktrace.data.host <<<x
	retry 0.1 taken
	end "$STORE"
	[[ $(cat store.err) == *", 1 messages that are none of ktrace ship"* ]]
}

# taken: nothing waits in the stream
taken() { client request "\$JS.API.STREAM.INFO.ktrace" </dev/null | jq -e '.state.messages == 0'; }
client() { "$ROOT/tests/checkers/fleet/client.py" "$port" "$@"; }
answers_here() { client request ktrace.ask <<<x | grep -qx here; }
