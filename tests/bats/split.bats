#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# split.bats - recordings in several files: --split-size, --split-time, --keep, default names
load helpers

setup() { setup_test; }
teardown()
{
	for s in "${LEFT[@]}"; do
		"$KTRACED" -q --recover --discard "$s" 2>/dev/null || true
	done
	teardown_test
}
LEFT=()

# parts [PREFIX]: how many there are
parts()
{
	find . -maxdepth 1 -name "${1:-t}.[0-9]*.bin" | wc -l
}

# split ARG...: a recording of flood; from small rings not much comes at a time
split()
{
	rm -f t.*
	run_ktraced -e flood -b 16K "$@"
	[ "$status" -eq 0 ]
}

# list FILE...: events without what a file's name has to do with
list()
{
	"$KTRACE" list --json "$@"
}

# bats test_tags=shm
@test "many parts: every event once, in order, and none lost" {
	n=30000
	split --policy=block --split-size 50K -o t.bin -- "$PROGS/flood" -t 2 -n $n
	[ "$(parts)" -gt 1 ]
	[ ! -e t.bin ]
	[ "$("$PROGS/check_flood" t.*.bin | tail -n 1)" = "read $((2 * n)) lost 0" ]
	[ "$(summary events)" -eq $((2 * n)) ]
	[[ $stderr == *", t.0001.bin to t.0"*".bin, $KTRACE_BACKEND"* ]]
	[ "$(summary bytes)" -eq "$(cat t.*.bin | wc -c)" ]
	run_ktrace check t.*.bin
	[ "$status" -eq 0 ]
}

# bats test_tags=shm
@test "a part is full before the next one begins, and not much fuller" {
	split --policy=block --split-size 100K -o t.bin -- "$PROGS/flood" -n 30000
	nr=$(parts)
	[ "$nr" -gt 1 ]
	rings=$((16 * 1024 * $(nproc --all)))
	for f in t.*.bin; do
		size=$(stat -c %s "$f")
		# A drain takes what the rings hold, and then what they have got meanwhile.
		[ "$size" -lt $((512 * 1024 + 3 * rings)) ]
		[ "$f" = "t.$(printf %04d "$nr").bin" ] || [ "$size" -gt $((100 * 1024)) ]
	done
}

# bats test_tags=shm
@test "each part stands alone, and their sum is the whole" {
	split --policy=block --split-size 100K -o t.bin -- "$PROGS/flood" -t 2 -n 5000
	[ "$(parts)" -gt 1 ]
	for f in t.*.bin; do
		run_ktrace check "$f"
		[ "$status" -eq 0 ]
		run_ktrace info "$f"
		[ "$status" -eq 0 ]
		[[ $output == *"closed"*"command   $PROGS/flood"*" readings"*"flood:item"* ]]
		list "$f" >>alone
	done
	list t.*.bin >whole
	cmp <(jq -c 'del(.ns)' alone | sort) <(jq -c 'del(.ns)' whole | sort)
}

# bats test_tags=shm
@test "any order of the names, the whole name, merge and cut: the same events" {
	split --policy=block --split-size 20K -o t.bin -- "$PROGS/flood" -n 20000
	[ "$(parts)" -gt 2 ]
	list t.*.bin >events
	cmp events <(list $(ls -r t.*.bin))
	cmp events <(list t.bin)
	cmp events <(list "$(ls t.*.bin | tail -n 1)" $(ls t.*.bin | head -n -1))
	run_ktrace merge -o m $(ls -r t.*.bin)
	[ "$status" -eq 0 ]
	cmp events <(list m)
	run_ktrace check m
	[ "$status" -eq 0 ]
	run_ktrace cut -o c t.bin
	[ "$status" -eq 0 ]
	cmp events <(list c)
	run_ktrace merge -o t.0001.bin t.bin
	[ "$status" -eq 1 ]
	[[ $stderr == *"is to be read"* ]]
}

# bats test_tags=shm
@test "another reader finds the same" {
	split --policy=overwrite --split-size 1 -o t.bin -- "$PROGS/flood" -n 2000
	[ "$(parts)" -gt 2 ]
	cmp <(list t.*.bin) <(python3 "$ROOT/tests/spec/read.py" t.*.bin)
	cmp <(list t.*.bin) <(python3 "$ROOT/tests/spec/read.py" $(ls -r t.*.bin))
	last=$(ls t.*.bin | tail -n 1)
	cmp <(list "$last") <(python3 "$ROOT/tests/spec/read.py" "$last")
}

# bats test_tags=shm
@test "losses are told once: the parts' add up to those of the whole" {
	for policy in drop overwrite; do
		split --policy=$policy --split-size 30K -o t.bin -- "$PROGS/flood" -n "$(n 100000)"
		lost=$(summary lost)
		[ "$lost" -gt 0 ]
		ledger
		[ "$("$KTRACE" info --json t.*.bin | jq '.lost | add')" -eq "$lost" ]
		sum=0
		for f in t.*.bin; do
			one=$("$KTRACE" info --json "$f" | jq '.lost | add // 0')
			sum=$((sum + one))
		done
		[ "$sum" -eq "$lost" ]
		"$PROGS/check_flood" t.*.bin
	done
}

# bats test_tags=shm
@test "policy overwrite: the parts follow each other in time" {
	split --policy=overwrite -b 256K --split-size 50K -o t.bin -- "$PROGS/flood" -t 3 -n 20000
	[ "$(parts)" -gt 2 ]
	"$PROGS/check_flood" t.*.bin
	cmp <(ls t.*.bin) <("$KTRACE" seq $(ls -r t.*.bin) | sort -n | awk '{ print $2 }')
}

# bats test_tags=shm
@test "few events: a part ends when it is old enough, also below a second" {
	start_ktraced -e flood --split-time 100ms -o t.bin -- "$PROGS/flood" -n 0 -u 40000
	retry 0.05 test -s t.0011.bin
	kill -TERM "$pid"
	wait_for "$pid"
	# With a part a second there would be 250 of them.
	[ "$("$KTRACE" list -c t.00{01..10}.bin)" -lt 150 ]
	run_ktrace check t.*.bin
	[ "$status" = 0 ]
}

# bats test_tags=shm
@test "ktrace seq orders shuffled parts" {
	split --policy=block --split-size 20K -o t.bin -- "$PROGS/flood" -n 20000
	[ "$(parts)" -gt 2 ]
	run_ktrace seq $(ls t.*.bin | sort -R --random-source=<(yes))
	[ "$status" -eq 0 ]
	cmp <(ls t.*.bin) <(sort -n <<<"$output" | awk '{ print $2 }')
	first=$(list t.0001.bin | head -n 1 | jq -r .time)
	[ "$("$KTRACE" seq t.0001.bin)" = "$first t.0001.bin" ]
	# A copy elsewhere has the same time.
	mkdir away
	mv t.0002.bin away/x
	[ "$("$KTRACE" seq away/x | cut -d ' ' -f 1)" = "$(list away/x | head -n 1 | jq -r .time)" ]
}

# bats test_tags=shm
@test "compressed parts" {
	# What is written at the end only is written at leisure. A thread has 1/16 of the buffer.
	split --policy=overwrite -b 16M --compress --split-size 10K -o t.bin -- "$PROGS/flood" -n 20000
	[ "$(parts)" -gt 1 ]
	[ "$("$PROGS/check_flood" t.*.bin | tail -n 1)" = "read 20000 lost 0" ]
	[ "$("$KTRACE" info --json t.bin | jq '.files[0].compressed_blocks')" -gt 1 ]
	run_ktrace check t.bin
	[ "$status" -eq 0 ]
}

# is_third: a third part has been begun, or a later one
is_third()
{
	ls t.*.bin 2>/dev/null | grep -qE 't\.(0*[1-9][0-9]+|0*[3-9])\.bin'
}

# bats test_tags=shm
@test "--split-time: the next part begins while the command runs" {
	start_ktraced -e flood --split-time 100ms -o t.bin -- "$PROGS/flood" -o -n 0 -u 1000
	retry 0.05 is_third
	kill -TERM "$pid"
	wait_for "$pid"
	"$PROGS/check_flood" t.*.bin
	run_ktrace check t.*.bin
	[ "$status" -eq 0 ]
	# Not empty; and each was the present one for that long, within the resolution of file times.
	for f in t.*.bin; do
		[ "$("$KTRACE" info --json "$f" | jq .events)" -gt 0 ]
		stat -c %W.%w "$f" | sed -E 's/^([0-9]+)\..*\.([0-9]{3})[0-9]* .*/\1\2/' >>begun
	done
	cat begun
	awk 'NR > 1 && $1 - last < 90 { exit 1 } { last = $1 }' begun
}

# bats test_tags=shm
@test "nothing to record, no next part; an empty recording is one valid part" {
	run_ktraced -e nothing --split-time 1ms --split-size 1 -o t.bin -- sleep 0.2
	[ "$status" -eq 0 ]
	[ "$(parts)" -eq 1 ]
	valid_trace t.0001.bin
}

@test "--keep: the newest files remain, and all know what was removed" {
	n=30000
	split --policy=block --split-size 20K --keep 3 -o t.bin -- "$PROGS/flood" -n $n
	[ "$(parts)" -eq 3 ]
	first=$(ls t.*.bin | head -n 1)
	number=${first#t.}
	number=$((10#${number%.bin}))
	[ "$number" -gt 1 ]
	removed=$((number - 1))
	[[ $stderr == *"ktraced: $removed older part"*" removed (--keep 3): "*" events, "*" bytes"* ]]
	gone=$(sed -n 's/.*removed (--keep 3): \([0-9]*\) events.*/\1/p' <<<"$stderr")
	kept=$("$KTRACE" list -e flood:item t.*.bin | wc -l)
	[ $((gone + kept)) -eq "$n" ]
	run_ktrace check t.*.bin
	[ "$status" -eq 0 ]
	[ "$("$KTRACE" info --json t.*.bin | jq -c '.lost')" = '{}' ]
	run_ktrace info t.*.bin
	[[ $output == *"parts     $number to $((number + 2)), 1 to $removed removed: $gone events"* ]]
	fails grep missing <<<"$output"
	# The last event is there.
	"$KTRACE" list t.*.bin | tail -n 1 | grep "seq=$((n - 1))"
}

# bats test_tags=shm
@test "--keep 1: one file at any time, and it is not empty" {
	split --policy=block --split-size 20K --keep 1 -o t.bin -- "$PROGS/flood" -n 20000
	[ "$(parts)" -eq 1 ]
	[ "$("$KTRACE" list t.*.bin | wc -l)" -gt 0 ]
	valid_trace t.*.bin
}

# bats test_tags=shm
@test "parts that are missing: said, and no damage" {
	split --policy=block --split-size 20K -o t.bin -- "$PROGS/flood" -n 30000
	nr=$(parts)
	[ "$nr" -gt 3 ]
	mkdir gone
	mv t.0002.bin gone
	for command in info check; do
		run_ktrace $command t.*.bin
		[ "$status" -eq 0 ]
		[[ $output == *"part"*"2 missing"* ]]
	done
	"$KTRACE" info --json t.*.bin | jq -e '.files[0].missing == [2]'
	run_ktrace list t.*.bin
	[ "$status" -eq 0 ]
	[[ $stderr == *"part 2 is missing"* ]]
	run_ktrace info t.0003.bin
	[[ $output == *"1 to 2 missing"*"missing behind"* ]]
}

# bats test_tags=shm
@test "a copy of a file is left out, which is said" {
	"$KTRACED" -q -b 1M --policy=block -o t.bin -- "$PROGS/flood" -n 1000
	cp t.bin copy.bin
	run_ktrace list t.bin copy.bin
	[ "$status" -eq 1 ]
	[[ $stderr == "ktrace: copy.bin: another copy of this file is read, this one left out" ]]
	cmp <(list t.bin) <(list t.bin copy.bin 2>/dev/null)
	cmp <(list t.bin) <(list copy.bin t.bin 2>/dev/null)
}

# bats test_tags=shm
@test "the same part twice is said" {
	split --policy=block --split-size 20K -o t.bin -- "$PROGS/flood" -n 1000
	run_ktrace list t.0001.bin t.0001.bin
	[ "$status" -eq 1 ]
	[[ $stderr == "ktrace: t.0001.bin: given twice, read once" ]]
	cp t.0001.bin copy.bin
	run_ktrace list t.0001.bin copy.bin
	[ "$status" -eq 1 ]
	[[ $stderr == "ktrace: copy.bin: another copy of this part is read, this one left out" ]]
	cmp <(list t.0001.bin) <(list t.0001.bin t.0001.bin 2>/dev/null)
}

# cut_up SEED: file whole, and its parts in p, cut before any block, or before all
cut_up()
{
	# The random numbers of awk differ between gawk and mawk.
	awk -v seed="$1" 'BEGIN { number = seed * 123456789 % 2147483647 }
		/^(block|more|lost) / {
			number = number * 16807 % 2147483647
			if (!seed || number < 0.3 * 2147483647)
				print "part"
		}
		{ print }' script >cut
	"$PROGS/mktrace" whole <cut
	mkdir -p p
	rm -f p/*
	"$PROGS/mktrace" p/t --parts <cut
}

# same COMMAND...: says the same of the whole file and of its parts
same()
{
	"$KTRACE" "$@" whole >said.whole
	"$KTRACE" "$@" $(ls -r p/t.*) >said.parts
	sed -i 's/whole/FILE/g' said.whole
	sed -i -E 's,p/t[.0-9]*,FILE,g' said.parts
	diff said.whole said.parts
}

# What was under way at the end of a part goes on in the next one: states, statistics, fragments,
# losses, gaps, names, stamps that go back.
# bats test_tags=shm
@test "every command says of parts what it says of the whole" {
	for script in "$ROOT/tests/data/golden/small-v1.script" "random 5"; do
		if [[ $script == random* ]]; then
			python3 "$ROOT/tests/checkers/oracle/analyse.py" make "${script#* }" 200 >script
		else
			cp "$script" script
		fi
		for seed in 0 1 2; do
			cut_up $seed
			[ "$(ls p | wc -l)" -gt 1 ]
			for command in "list" "list --json" "list --since 1us" "stat" "state" "flow" \
				"resources" "sched" "syscalls" "irq" "io" "hist"; do
				same $command || { echo "of $command, $script, $seed"; return 1; }
			done
			cmp <(python3 "$ROOT/tests/spec/read.py" whole) \
				<(python3 "$ROOT/tests/spec/read.py" $(ls -r p/t.*))
			run_ktrace check p/t.*
			[ "$status" -eq 0 ]
		done
	done
}

# die_at HOW WRITE POLICY: status 1 if ktraced did not come so far
die_at()
{
	rm -f t.* session
	LD_PRELOAD=$PROGS/bad_disk.so DIE_AT=$2 DIE_HOW=$1 start_ktraced "--policy=$3" -e flood \
		-b 16K --split-size 1 -o t.bin -- env -u LD_PRELOAD "$PROGS/flood" -o -n 1500
	wait "$pid" && return 1
	if [ "$KTRACE_BACKEND" = shm ]; then
		session=$(cat session)
	else
		session=$("$KTRACED" --recover --list | awk '{ print $1 }')
	fi
	LEFT=("$session")
	retry 0.02 has ktraced.out ^written
}

# Creation, names, change and end of parts, and the blocks between them
# bats test_tags=alike
@test "killed at any write while files are changed: --recover completes all of them" {
	rounds=0
	for policy in block overwrite; do
		for how in before torn after; do
			for ((at = 8; at < 22; at += 5)); do
				! in_guest || [ $at = 13 ] || continue
				[ $policy$how != overwritebefore ] || continue
				die_at $how $at $policy || break
				echo "killed $how write $at, $policy: $(ls t.* | tr '\n' ' ')"
				capture "$KTRACED" --recover "$session"
				show recover
				[ "$status" -eq 0 ]
				[ -z "$(find . -name '*.new')" ]
				sum=$("$PROGS/check_flood" t.*.bin)
				awk -v sum="$(awk '/^read/ { print $2 + $4 }' <<<"$sum")" '/^written/ {
					exit !(sum >= $2 && sum <= $3) }' ktraced.out
				run_ktrace check t.*.bin
				[ "$status" -eq 0 ]
				fails grep -E 'not closed|missing' <<<"$output"
				rounds=$((rounds + 1))
			done
		done
	done
	[ "$rounds" -gt 2 ]
}

# bats test_tags=shm
@test "an older recording of that name goes, with all its parts; other files do not" {
	split --policy=block --split-size 20K -o t.bin -- "$PROGS/flood" -n 20000
	[ "$(parts)" -gt 2 ]
	cp t.0002.bin u.0002.bin
	echo hello >t.0999.bin
	run_ktraced -e flood --split-size 1G -o t.bin -- "$PROGS/flood" -n 10
	[ "$status" -eq 0 ]
	[ "$(ls)" = "$(printf '%s\n' t.0001.bin t.0999.bin u.0002.bin)" ]
	[ "$("$KTRACE" list t.0001.bin | wc -l)" -eq 10 ]
}

# bats test_tags=shm
@test "two recordings to the same name: the second one is refused" {
	start_ktraced -e flood --policy=block --split-size 20K --keep 2 -o t.bin -- "$PROGS/flood" -o -n 0
	retry 0.02 is_third
	run_ktraced --split-size 1M -o t.bin -- true
	[ "$status" -eq 125 ]
	[[ $stderr == *"another recording is writing its parts"* ]]
	kill -TERM "$pid"
	wait_for "$pid"
	"$PROGS/check_flood" t.*.bin
}

# bats test_tags=shm
@test "options that make no sense" {
	for bad in --split-size=x --split-size=-1 --split-size=2000G --split-size=0.0009K \
		--split-time=x --split-time= --split-time=0.9ns --keep=0 --keep=x --keep=99999999; do
		run_ktraced --split-size 1M "$bad" -o t.bin -- true
		[ "$status" -eq 125 ]
		[[ $stderr == *"${bad%=*}"* ]]
	done
	run_ktraced --keep 3 -o t.bin -- true
	[ "$status" -eq 125 ]
	[[ $stderr == *--split-size* ]]
	run_ktraced --split-size 1M -o /dev/null -- true
	[ "$status" -eq 125 ]
	run_ktraced --split-size 1M -o t.bin -- ./nothing
	[ "$status" -eq 127 ]
	[ -z "$(ls)" ]
	run_ktraced --split-size 0 --split-time 0 -o t.bin -- true
	[ "$status" -eq 0 ]
	[ "$(ls)" = t.bin ]
	run_ktraced --split-size 0.0K -o t.bin -- true
	[ "$status" -eq 0 ]
	[ "$(ls)" = t.bin ]
}

# bats test_tags=shm
@test "what has the name of the next part, but is none, stays; so does a part that is to be read" {
	echo hello >t.0002.bin
	run_ktraced -e flood -b 16K --policy=block --split-size 20K -o t.bin -- "$PROGS/flood" -n 20000
	[ "$status" -eq 0 ]
	[ "$(cat t.0002.bin)" = hello ]
	[ "$(parts)" -eq 2 ]
	[[ $stderr == *"t.0002.bin: File exists; recording continues in t.0001.bin"* ]]
	rm t.0002.bin
	cp t.0001.bin was
	run_ktrace export --to paje -o t.0001.bin t.bin
	[ "$status" -ne 0 ]
	[[ $stderr == *"t.0001.bin: is to be read"* ]]
	cmp t.0001.bin was
	run_ktrace export --to paje -o t.bin t.bin
	[ "$status" -ne 0 ]
	[[ $stderr == *"t.bin: is to be read"* ]]
	[ ! -e t.bin ]
}

# bats test_tags=shm
@test "two recordings at the same time, without a name: two files" {
	start one "$KTRACED" "--backend=$KTRACE_BACKEND" -q -e flood -- "$PROGS/flood" -n 100
	one=$pid
	start two "$KTRACED" "--backend=$KTRACE_BACKEND" -q -e flood -- "$PROGS/flood" -n 100
	two=$pid
	wait "$one"
	wait "$two"
	[ "$(ls flood-*.bin | wc -l)" -eq 2 ]
	ls | grep -E "^flood-[0-9]{8}-[0-9]{6}-$one\.bin$"
	ls | grep -E "^flood-[0-9]{8}-[0-9]{6}-$two\.bin$"
	for f in flood-*.bin; do
		[ "$("$KTRACE" list "$f" | wc -l)" -eq 100 ]
	done
}

# bats test_tags=shm
@test "a folder with a slash: the default name in it; parts, too" {
	mkdir -p 'a folder'
	run_ktraced -e flood -o 'a folder/' -- "$PROGS/flood" -n 10
	[ "$status" -eq 0 ]
	ls 'a folder' | grep -Ex 'flood-[0-9]+-[0-9]+-[0-9]+\.bin'
	[[ $stderr == *", a folder/flood-"* ]]
	rm 'a folder'/*
	cp /bin/true './-odd name'
	run_ktraced --split-size 1M -o 'a folder/' -- './-odd name'
	[ "$status" -eq 0 ]
	ls 'a folder' | grep -Ex '_odd_name-[0-9]+-[0-9]+-[0-9]+\.0001\.bin'
	run_ktraced -o nowhere/ -- true
	[ "$status" -eq 125 ]
	[[ $stderr == *"nowhere/"*"No such file or directory"* ]]
}

# is_two: the recording has a second part
is_two()
{
	[ -e out/t.0002.bin ]
}

# bats test_tags=shm
@test "the folder is removed meanwhile: said once, the command goes on" {
	mkdir out
	start_ktraced -e flood --policy=block -b 16K --split-size 20K -o out/t.bin -- \
		"$PROGS/flood" -o -n 0 -u 20
	retry 0.02 is_two
	# A part may be made in it meanwhile.
	retry 0.02 rm -rf out
	[ ! -e out ]
	retry 0.05 has ktraced.err 'No such file or directory; recording continues in out/t.*.bin'
	kill -TERM "$pid"
	wait_for "$pid"
	[ "$(grep -c 'recording continues in' <<<"$stderr")" -eq 1 ]
	[[ $stderr == *"is gone: it was moved or removed"* ]]
	[ "$(summary lost)" -eq 0 ]
	ledger
}

# bats test_tags=shm
@test "a full disk while parts are written: what is lost is counted, the parts are valid" {
	LD_PRELOAD=$PROGS/bad_disk.so DIE_AT=30 DIE_HOW=fail run_ktraced -e flood --policy=block -b 16K \
		--split-size 1 -o t.bin -- env -u LD_PRELOAD "$PROGS/flood" -n 20000
	[[ $stderr == *"No space left on device"* ]]
	[ "$(summary unwritten)" -gt 0 ]
	ledger
	"$PROGS/check_flood" t.*.bin
}

# bats test_tags=alike
@test "SIGUSR1 ends a part; a recording that is not in parts goes on" {
	start_ktraced -e flood --split-time 1h -o t.bin -- "$PROGS/flood" -n 0 -u 100
	recording=$pid
	retry 0.02 test -e t.0001.bin
	kill -USR1 "$recording"
	retry 0.02 test -e t.0002.bin
	# What is in it is whole while the recording goes on.
	complete()
	{
		"$KTRACE" check t.0001.bin
	}
	retry 0.02 complete
	kill -USR1 "$recording"
	retry 0.02 test -e t.0003.bin
	kill -TERM "$(child_of "$recording")"
	wait_for "$recording"
	[ "$(parts)" = 3 ]
	events=$(summary events)
	run_ktrace check t.*.bin
	[ "$status" = 0 ]
	[ "$("$KTRACE" list -e flood:item t.*.bin | wc -l)" = "$events" ]
	start_ktraced -o u
	retry 0.02 has ktraced.err 'programs attach'
	kill -USR1 "$pid"
	kill -INT "$pid"
	wait_for "$pid"
	[ "$status" = 0 ]
	valid_trace u
}
