#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: guest
#
# fields.bats - tracepoints with every kind of field that the kernel's macros make (tests/kinds)

# shellcheck disable=SC2154 # capture and start set status, output, stderr, pid

load helpers

TRACING=/sys/kernel/tracing
FIRE=/sys/module/ktrace_kinds/parameters/fire
ROUNDS=12

setup()
{
	requires_dev
	requires_root
	setup_test
	mountpoint -q "$TRACING" || mount -t tracefs tracefs "$TRACING"
	insmod "$BUILD/kernel/$(uname -r)/ktrace_kinds.ko"
}

teardown()
{
	[ ! -d "$TRACING/instances/kinds" ] || rmdir "$TRACING/instances/kinds"
	rmmod ktrace_kinds
	teardown_test
}

# record FILE OPTION...: while each tracepoint is fired; nothing is lost
record()
{
	local file=$1
	shift
	run_ktraced -o "$file" "$@" -- sh -c "echo $ROUNDS >$FIRE"
	[ "$status" = 0 ]
	[ "$(summary lost)" = 0 ]
	valid_trace "$file"
}

# all_kinds: the list of -e: all that can be read
all_kinds()
{
	local name
	for name in "$TRACING"/events/kinds/kinds_*; do
		[ "${name##*/}" = kinds_long ] || printf 'tp:kinds:%s,' "${name##*/}"
	done
}

# seeds FILE FILTER: of which events, "EVENT SEED" each
seeds()
{
	"$KTRACE" list --json --filter "$2" "$1" | jq -r '.event + " " + (.fields.seed | tostring)'
}

@test "each kind of field has the value that ftrace prints" {
	local name
	mkdir "$TRACING/instances/kinds"
	echo 8192 >"$TRACING/instances/kinds/buffer_size_kb"
	for name in "$TRACING"/instances/kinds/events/kinds/kinds_*; do
		[ "${name##*/}" = kinds_long ] || echo 1 >"$name/enable"
	done
	record t -e "$(all_kinds)"
	cp "$TRACING/instances/kinds/trace" trace.txt
	"$KTRACE" list --json t >t.json
	run "$ROOT/tests/kinds/compare" trace.txt t.json
	echo "$output"
	[ "$status" = 0 ]
	grep -q '^kinds_dynamic ' <<<"$output"
	grep -q '^kinds_text ' <<<"$output"
	[ ! -d "$TRACING/events/kinds/kinds_relative" ] || grep -q '^kinds_relative ' <<<"$output"
}

@test "people see text, numbers with their sign, and addresses and masks in hexadecimal" {
	record t -e "$(all_kinds)"
	"$KTRACE" grep -e 'event == "kinds:kinds_one" && field.seed == 1' t >one
	grep -q ' f_s8=-1 f_u8=255 ' one
	grep -q ' f_sign=-1 f_plain=4294967295 f_bool=1 f_char=66 f_pointer=0xffff888000001234 ' one
	grep -q ' f_five={0xff, 0xff, 0xff, 0xff, 0xff} f_four={0xff, 0xff, 0xff, 0xff} ' one
	"$KTRACE" grep -e 'event == "kinds:kinds_dynamic" && field.seed == 2' t >dynamic
	grep -q ' d_int={-2147450752, -2147450880} ' dynamic
	grep -q ' d_empty={} last=3735928559$' dynamic
	"$KTRACE" grep -e 'event == "kinds:kinds_text" && field.seed == 3' t >text
	grep -qF ' s_text="tab\there \"q\" \\ new\nline" s_null="(null)" s_part="tab\there \"q" ' text
	grep -q ' s_bits={0x7fff7fff7fff7f7f, 0x[0-9a-f]*} ' text
	[ -d "$TRACING/events/kinds/kinds_relative" ] || skip "a kernel without relative places"
	"$KTRACE" grep -e 'event == "kinds:kinds_relative" && field.seed == 1' t >relative
	grep -q ' r_s16={-1} ' relative
	"$KTRACE" grep -e 'event == "kinds:kinds_relative_text" && field.seed == 0' t >relative
	grep -q ' s_text="short" s_part="sh" ' relative
}

# same_here_and_there [EVENT EXPRESSION]...: each as a filter of the kernel and on reading
same_here_and_there()
{
	local i list='' words=("$@")
	for ((i = 0; i < $#; i += 2)); do
		list+="tp:kinds:${words[i]}{${words[i + 1]}},"
	done
	record there -e "$list"
	for ((i = 0; i < $#; i += 2)); do
		seeds there "event == \"kinds:${words[i]}\"" >there.seeds
		seeds whole "event == \"kinds:${words[i]}\" && (${words[i + 1]})" >here.seeds
		echo "${words[i]}{${words[i + 1]}}: $(wc -l <here.seeds)"
		cmp here.seeds there.seeds
		# An expression that all events meet, or none, shows little.
		[ -s here.seeds ]
		[ "$(wc -l <here.seeds)" -lt "$ROUNDS" ]
	done
}

@test "an expression has one meaning in the kernel and on reading: numbers" {
	record whole -e "$(all_kinds)"
	same_here_and_there \
		kinds_one 'f_s8 < 0 && f_u8 > 200 || f_sign == 1 || f_ulong == 0x8000800080008080' \
		kinds_fixed 'a_s16[1] == -1 || a_longlong < 0 && a_bool[0] == 1'
	same_here_and_there \
		kinds_one 'f_four[1] == 0x7f && f_five[3] == 0x7f || f_char == 68 || f_s64 == -1' \
		kinds_fixed 'a_u8 == 0x80 || a_sign[2] > 0 && a_ulonglong > 0xf000000000000000'
}

# bats test_tags=long
@test "an expression has one meaning in the kernel and on reading: text" {
	local relative=()
	record whole -e "$(all_kinds)"
	[ ! -d "$TRACING/events/kinds/kinds_relative" ] || relative=(kinds_relative_text 's_text == ""')
	same_here_and_there kinds_fixed 'a_char == "twelve bytes"' kinds_text 's_text == ""' \
		kinds_dynamic 'd_char == ""' "${relative[@]}"
	[ ${#relative[@]} = 0 ] || relative=(kinds_relative_text 's_part == sh || s_text ~ "tw*"')
	same_here_and_there kinds_fixed 'a_char != ""' kinds_text 's_message ~ "number ?? *"' \
		kinds_dynamic 'd_char == xx' "${relative[@]}"
}

@test "a filter of what the kernel does not look into is refused, with its place" {
	local field
	for field in d_int d_empty d_pointer; do
		run_ktraced -o t -e "tp:kinds:kinds_dynamic{seed == 1 && $field == 1}" -- true
		[ "$status" = 125 ]
		[[ "$stderr" = *"-e: column 37: the kernel cannot filter by '$field' of kinds:kinds_dynamic"* ]]
		none_left
	done
}

@test "a description that cannot be read: a message, and the other events" {
	run_ktraced -o t -e 'tp:kinds:*' -- sh -c "echo $ROUNDS >$FIRE"
	[ "$status" = 0 ]
	[ "$(summary lost)" = 0 ]
	[[ "$stderr" = *"kinds:kinds_long: cannot parse the kernel's description of its fields: "* ]]
	run_ktrace list t
	[ "$status" = 1 ]
	[[ "$stderr" = *"cannot parse the kernel's description of kinds:kinds_long: line 1, column 1: "* ]]
	[ "$(grep -c ' kinds:kinds_one ' <<<"$output")" = "$ROUNDS" ]
	[ "$(grep -c ' bytes=' <<<"$output")" = "$ROUNDS" ]
}

@test "a filter of a description that cannot be read: the other events" {
	run_ktraced -o t -e 'tp:kinds:*{seed == 2}' -- sh -c "echo $ROUNDS >$FIRE"
	[ "$status" = 0 ]
	[[ "$stderr" = *"kinds:kinds_long: not recorded, because the filter cannot parse its description"* ]]
	[ "$("$KTRACE" list t 2>/dev/null | grep -c ' kinds:kinds_one ')" = 1 ]
	[ "$("$KTRACE" list t 2>/dev/null | grep -c ' bytes=')" = 0 ]
	none_left
	# Without a filter of its own it is recorded.
	run_ktraced -o t -e 'tp:kinds:kinds_long,tp:kinds:kinds_one{seed == 2}' -- sh -c "echo 3 >$FIRE"
	[ "$status" = 0 ]
	[ "$("$KTRACE" list t 2>/dev/null | grep -c ' kinds:kinds_one ')" = 1 ]
	[ "$("$KTRACE" list t 2>/dev/null | grep -c ' bytes=')" = 3 ]
	run_ktraced -o t -e 'tp:kinds:kinds_long' --filter 'seed == 2' -- true
	[ "$status" = 125 ]
	[[ "$stderr" = *"--filter: column 1: "* ]]
	none_left
}

@test "each kind of field is exported" {
	record t -e "$(all_kinds)"
	"$KTRACE" list --json t | jq -c 'select(.event == "kinds:kinds_dynamic") | .fields' >fields
	[ "$(wc -l <fields)" = "$ROUNDS" ]
	"$KTRACE" export --to csv -o t.csv t
	"$KTRACE" export --to perfetto -o t.pftrace t
	[ -s t.csv ]
	[ -s t.pftrace ]
	"$KTRACE" export --to ctf -o ctf t
	babeltrace2 ctf >t.txt
	[ "$(grep -c kinds:kinds_dynamic t.txt)" = "$ROUNDS" ]
	grep -q 'd_int = \[ \[0\] = -2147450752, \[1\] = -2147450880 \]' t.txt
	"$KTRACE" export --to sqlite -o t.db t
	[ "$(sqlite3 t.db 'SELECT count(*) FROM events')" -ge "$((4 * ROUNDS))" ]
}
