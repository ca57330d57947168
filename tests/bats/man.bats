#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# Examples of the commands' man pages are run as they stand there

load helpers

setup()
{
	setup_test
	PATH=$BUILD/bin:$PATH
}

teardown()
{
	teardown_test
}

# examples: lines of shell, of the pages of commands; a line that ends with \ or | goes on in the next
examples()
{
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/{s/^\.Dl //;s/\\e/\\/g;s/\\-/-/g;p}' "$ROOT"/Documentation/man/ktrace-*.1 |
		awk '/^\$ ktrace/ || goes_on { sub(/^\$ /, ""); print; goes_on = /[\\|]$/ }'
}

@test "examples of the man pages run" {
	local line command=
	"$PROGS/machine" 20000 trace.bin
	cp trace.bin client.bin
	run_ktrace cut -o server.bin --until 100ms trace.bin
	run_ktraced -q --pthread -o threads.bin -- "$EXAMPLES/cache"
	cp "$EXAMPLES/hello" kitchen
	: >ran
	while read -r line; do
		command+=$line$'\n'
		[[ $line != *[\\\|] ]] || continue
		# Needs what is not here: a service, a broker, a terminal, other tools, a reader of HTTP or UDP, a live recording
		if ! [[ $command =~ ^ktrace\ (session|ship|store|fleet|load|tui|serve|recv-shark|live|control|level|import|doctor|stacks|list\ lttng|sql\ --store) ]]; then
			printf '%s' "\$ $command"
			bash -o pipefail -c "$command" >out 2>err || [[ $? = 1 && $command == *grep* ]] || {
				cat out err
				return 1
			}
			echo "$command" >>ran
		fi
		command=
	done < <(examples)
	[ "$(grep -c ^ktrace ran)" -ge 30 ]
}
