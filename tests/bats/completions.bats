#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# Completions of bash and zsh, in those shells: what they offer behind a line.

load helpers

setup()
{
	setup_test
	PATH=$BUILD/bin:$PATH
	export ZSH_DUMP=$BATS_FILE_TMPDIR/zcompdump
	make -s -C "$ROOT" completions BUILD="$BUILD"
}

teardown()
{
	teardown_test
}

# offers LINE WORD...: both shells offer these words behind LINE, in any order, and no others.
# What stands before the last ":" is for bash a word that it has already.
offers()
{
	local line=$1 shell offered expected
	shift
	for shell in bash zsh; do
		if [ $shell = bash ]; then
			offered=$("$ROOT/tests/checkers/completions/bash" "$BUILD/completions/ktrace" "$line")
			expected=("${@##*:}")
		else
			offered=$("$ROOT/tests/checkers/completions/zsh" "$BUILD/completions" "$line")
			expected=("$@")
		fi
		echo "$shell: $line: $offered"
		[ "$(sort -u <<<"$offered")" = "$(printf '%s\n' "${expected[@]}" | sort -u)" ] || return 1
	done
}

@test "completions: commands, options, values" {
	offers 'ktrace li' list live
	offers 'ktrace help critic' critical-path
	offers 'ktrace list --si' --since
	offers 'ktrace export --to p' paje perfetto
	offers 'ktrace export --to=p' paje perfetto
	offers 'ktrace list --time ' rel wall raw delta
	offers 'ktrace session st' start status stop
	offers 'ktrace fleet --to nats://h re' resume
	offers 'ktraced --ship-allow ma' mark
	offers 'ktrace --co' --color
	offers 'ktrace --color=a' always auto
	offers 'ktrace --no-pager --color=never li' list live
	offers 'ktrace --no-pager list --si' --since
	offers 'ktraced --po' --policy
	offers 'ktraced --policy o' overwrite
	offers 'ktraced --level s' sem spin
	offers 'ktraced --level e'
	offers 'ktraced --context ' kstack ustack cgroup nspid perf
	offers 'ktrace live --by t' thread type
}

@test "completions: all commands, and all options of each" {
	local commands command
	mapfile -t commands < <("$KTRACE" help | sed -n 's/^  \([a-z-][a-z-]*\) .*/\1/p')
	[ ${#commands[@]} -gt 30 ]
	offers 'ktrace ' "${commands[@]}"
	for command in list contention pthread session; do
		mapfile -t options < <("$KTRACE" $command --help |
			grep -oE '^ {2,6}-.*' | sed -E 's/^ +//; s/ {3,}.*//' | grep -oE -- '--[a-z-]+' | sort -u)
		[ ${#options[@]} -gt 5 ]
		offers "ktrace $command --" "${options[@]}"
	done
}

@test "completions: files, folders, names with blanks" {
	mkdir some "some folder"
	touch some.bin "some b.bin"
	[ "$("$ROOT/tests/checkers/completions/bash" "$BUILD/completions/ktrace" 'ktrace list som')" = "$(
		printf '%s\n' some 'some b.bin' some.bin 'some folder' | sort)" ]
	offers 'ktrace list --filter-file some.' some.bin
	[ "$("$ROOT/tests/checkers/completions/zsh" "$BUILD/completions" 'ktrace list some.')" = some.bin ]
	offers 'ktraced -o some.' some.bin
	offers 'ktrace level some'
	offers 'ktrace doctor some'
}

@test "completions: events of the files, of the kernel; in a list the last" {
	run_ktraced -q -o t.bin -- "$EXAMPLES/hello"
	offers 'ktrace list t.bin -e hello:item_' hello:item_begin hello:item_end
	offers 'ktrace list t.bin --events=hello:item_' hello:item_begin hello:item_end
	offers 'ktrace list -e hello:item_'
	offers 'ktraced -e sched:sw' sched:switch
	"$ROOT/tests/checkers/completions/bash" "$BUILD/completions/ktrace" 'ktraced -e sche' | grep -x sched
	"$ROOT/tests/checkers/completions/zsh" "$BUILD/completions" 'ktraced -e sche' | grep -x sched
	[ "$("$ROOT/tests/checkers/completions/bash" "$BUILD/completions/ktrace" \
		'ktrace list t.bin -e hello:start,hello:item_b')" = item_begin ]
	[ "$("$ROOT/tests/checkers/completions/zsh" "$BUILD/completions" \
		'ktrace list t.bin -e hello:start,hello:item_b')" = hello:item_begin ]
}

@test "completions: each option that is offered there is" {
	# shellcheck source=/dev/null
	. "$BUILD/completions/ktrace"
	local command option value said nr=0
	for command in "${!_ktrace_options[@]}"; do
		for option in ${_ktrace_options[$command]}; do
			nr=$((nr + 1))
			if [ "$command" = ktraced ]; then
				set -- "$KTRACED"
			else
				set -- "$KTRACE" "$command"
			fi
			value=${_ktrace_values[$command $option]:+x}
			timeout 60 "$@" "$option" $value --help </dev/null >said 2>&1 || [ $? -ne 124 ]
			read_file said said
			[[ ! $said =~ unrecognized|invalid\ option|ambiguous ]]
		done
	done
	[ $nr -gt 300 ]
}

@test "completions: no name of an event becomes a command of the shell" {
	"$PROGS/mktrace" t.bin <<-'END'
		meta trace version=1 start_ns=1700000000000000000 backend=dev clock=tsc
		meta event kind=user id=16 desc=x:safe{}
		meta event kind=user id=17 desc=x:a|reboot{}
	END
	"$KTRACE" events t.bin | grep -F 'x:a|reboot'
	[ "$("$ROOT/tests/checkers/completions/bash" "$BUILD/completions/ktrace" 'ktrace list t.bin -e x:')" = safe ]
	[ "$("$ROOT/tests/checkers/completions/zsh" "$BUILD/completions" 'ktrace list t.bin -e x:a')" = 'x:a\|reboot' ]
}
