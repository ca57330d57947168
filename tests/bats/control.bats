#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# ktrace control: how live recordings go; they are paused, marked, rotated and ended.
# Others trace on the same host: recordings are always named.

# shellcheck disable=SC2154 # capture and start set status, output, stderr, pid

load helpers

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# control ARG...: it succeeds
control()
{
	run_ktrace control "$@"
	[ "$status" = 0 ]
}

# value KEY: of the JSON of the recording, empty if it does not say
value()
{
	local json
	json=$("$KTRACE" control --json "$recording" 2>/dev/null) || return 0
	[[ ! $json =~ \"$1\":(\"([^\"]*)\"|(\{[^}]*\})|([^,}]*)) ]] ||
		echo "${BASH_REMATCH[2]}${BASH_REMATCH[3]}${BASH_REMATCH[4]}"
}

# has_recorded N: it has so many events in its file; for retry
has_recorded()
{
	local nr
	nr=$(value recorded)
	[ "${nr:--1}" -ge "$1" ]
}

# start_flood OPTION...: a ktraced of a program with 10,000 events a second
start_flood()
{
	start_ktraced "$@" -o t -- "$PROGS/flood" -o -n 0 -u 100
	recording=$pid
	retry 0.02 has_recorded "${least:-10}"
}

# end_flood: the program ends, and so does its recording, without a loss
end_flood()
{
	kill -TERM "$(child_of "$recording")"
	wait_for "$recording"
	[ "$(summary lost)" = 0 ]
}

@test "how a recording goes: numbers, and a line" {
	start_flood
	[ "$(value answers)" = true ]
	[ "$(value paused)" = false ]
	[ "$(value lost)" = 0 ]
	[ "$(value reasons)" = '{}' ]
	[ "$(value programs)" -ge 1 ]
	[ "$(value file)" = "$(realpath t)" ]
	[ "$(value free)" -gt 0 ]
	[ "$(value command)" = "$(child_of "$recording")" ]
	[ "$(value bytes)" -gt 100 ]
	[ "$(value backend)" = "$KTRACE_BACKEND" ]
	[ "$(value kind)" = recording ]
	[ "$(value name)" = "$recording" ]
	sleep 1.2
	[ "$(value events_s)" -gt 0 ]
	[ "$(value bytes_s)" -gt 0 ]
	control "$recording"
	[[ $output == "NAME "*"STATE"*"FILE  COMMAND"$'\n'"$recording "*" running "*"$(realpath t)"*flood* ]]
	# By its command, too
	control "$(child_of "$recording")"
	[[ $output == *"$recording "* ]]
	end_flood
	run_ktrace control "$recording"
	[ "$status" = 1 ]
	[[ $stderr == *"no live recording $recording"* ]]
}

@test "what was lost is told with its reasons" {
	start_ktraced -b 64K --policy drop -o t -- sh -c "$PROGS/flood -n 200000; exec sleep 1000"
	recording=$pid
	retry 0.02 has_recorded 1
	kill -STOP "$recording"
	retry 0.05 is_sleeping
	kill -CONT "$recording"
	retry 0.05 has_lost
	[ "$(value full)" = "$(value lost)" ]
	control "$recording"
	[[ $output == *$'\n        lost: full '* ]]
	control "$recording" stop
	kill -KILL "$(child_of "$recording")"
	wait_for "$recording"
}

# is_sleeping: the flood is over, and its shell has become sleep; for retry
is_sleeping()
{
	[ "$(cat "/proc/$(child_of "$recording")/comm")" = sleep ]
}

has_lost()
{
	[ "$(value lost)" -gt 0 ]
}

@test "paused: nothing but marks is recorded; then all that was chosen before" {
	start_flood
	control "$recording" pause
	[ "$(value paused)" = true ]
	before=$(value recorded)
	sleep 0.5
	for again in pause "enable x:y" "disable x:y"; do
		# shellcheck disable=SC2086 # an action and its value
		run_ktrace control "$recording" $again
		[ "$status" = 1 ]
		[[ $stderr == *"refused: it is paused"* ]]
	done
	run_ktrace level "$recording" -e x:y
	[ "$status" = 1 ]
	[[ $stderr == *"refused: it is paused: resume it first"* ]]
	control "$recording" mark "in between"
	control "$recording" resume
	run_ktrace control "$recording" resume
	[ "$status" = 1 ]
	[[ $stderr == *"refused: it is not paused"* ]]
	retry 0.05 has_recorded $((before + 100))
	end_flood
	[[ $("$KTRACE" list -e ktrace:mark t) == *' mark '*'ktrace:mark text="in between"' ]]
	# What happened while it was paused is not there.
	"$KTRACE" list --json t | python3 -c '
import json, sys
at = [json.loads(l)["ns"] for l in sys.stdin if "flood:" in l]
assert max(b - a for a, b in zip(at, at[1:])) > 400000000'
}

@test "marks are recorded whatever is chosen" {
	start_flood -e flood:item
	control "$recording" mark 'a "quoted" \ text, with ä'
	retry 0.05 has_recorded 100
	end_flood
	[[ $("$KTRACE" list --json -e ktrace:mark t) == *'"text":"a \"quoted\" \\ text, with ä"'* ]]
	[ "$("$KTRACE" list -c -e flood:item t)" -gt 10 ]
}

@test "events are added and removed" {
	least=0 start_flood -e 'flood:none,other:*'
	control "$recording" enable flood:item
	[ "$(value events)" = 'flood:none,other:*,flood:item' ]
	retry 0.05 has_recorded 100
	control "$recording" disable 'flood:item,other:*'
	[ "$(value events)" = flood:none ]
	control "$recording" mark removed
	sleep 0.3
	run_ktrace control "$recording" disable other:x
	[ "$status" = 1 ]
	[[ $stderr == *"refused: 'other:x' is not in its list of events"* ]]
	run_ktrace control "$recording" disable flood:none
	[[ $stderr == *"refused: no event would be left: pause it, or stop it"* ]]
	end_flood
	# One event may have been on its way.
	"$KTRACE" list t | awk '/ktrace:mark/ { after = 1 } after && /flood:item/ { n++ } END { exit !after || n > 1 }'
	start_flood
	run_ktrace control "$recording" enable flood:item
	[ "$status" = 1 ]
	[[ $stderr == *"refused: it was started without -e"*"ktrace level -e"* ]]
	end_flood
}

@test "rotated: the former file is complete, and the next one goes on" {
	start_flood --split-size 100M
	control "$recording" rotate
	[ "$(value part)" = 2 ]
	valid_trace t.0001
	[ "$("$KTRACE" list -c t.0001)" -ge 10 ]
	end_flood
	valid_trace t.0002
	start_flood
	run_ktrace control "$recording" rotate
	[ "$status" = 1 ]
	[[ $stderr == *"refused: it has one file: --split-size or --split-time make several"* ]]
	end_flood
}

@test "stopped: the file is whole when the command returns, the program goes on" {
	start_flood
	child=$(child_of "$recording")
	control "$recording" stop
	valid_trace t
	[ "$("$KTRACE" list -c t)" -ge 10 ]
	kill -0 "$child"
	[[ $("$KTRACE" info t) == *"ktrace control"* ]]
	kill -TERM "$child"
	wait_for "$recording"
	[ "$status" = 0 ]
}

@test "what is no action, or has no value, is said" {
	while IFS='|' read -r words why; do
		# shellcheck disable=SC2086 # words of ours
		run_ktrace control $words
		[ "$status" = 2 ]
		[[ $stderr == *"$why"* ]]
	done <<-'END'
		1 dance|unknown action 'dance'; actions are pause, resume
		1 mark|mark needs TEXT
		enable|enable needs EVENTS
		1 pause now|too many words
		1 mark a b|too many words
	END
}

@test "a recording that does not answer is said to" {
	start_ktraced -o t -- sleep 1000
	recording=$pid
	retry 0.02 has_recorded 0
	kill -STOP "$recording"
	run_ktrace control --json "$recording"
	[ "$output" = "{\"name\":\"$recording\",\"pid\":$recording,\"answers\":false,\"reasons\":{}}" ]
	kill -CONT "$recording"
	control "$recording" stop
	kill -KILL "$(child_of "$recording")"
}

@test "paused: --paused begins with a pause: the first events are those after resume" {
	start_ktraced --paused -e flood -o t -- "$PROGS/flood" -o -n 0 -u 100
	recording=$pid
	retry 0.02 eval '[ "$(value paused)" = true ]'
	control "$recording" mark begin
	control "$recording" resume
	retry 0.02 has_recorded 10
	end_flood
	run_ktrace list t
	[[ $(head -n 1 <<<"$output") == *'ktrace:mark'*begin* ]]
	# The program wrote before that, and was not recorded.
	[ "$(grep -m 1 -o 'seq=[0-9]*' <<<"$output")" != seq=0 ]
	[ "$(grep -c flood:item <<<"$output")" -ge 10 ]
	run_ktraced -q --paused -e flood -o t -- "$PROGS/flood" -n 10
	[ "$status" = 0 ]
	[ "$("$KTRACE" list -c t)" = 0 ]
}
