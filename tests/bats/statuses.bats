#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# Exit statuses of all commands, as ktrace(1) has them: usage, files, pipes, signals

# shellcheck disable=SC2154 # capture sets status and output; commands.bash commands

load helpers
load commands

setup()
{
	setup_test
	"$PROGS/mktrace" t <"$ROOT/tests/data/golden/small-v1.script"
	every_command
	# Of those that show no events: how they read a file
	calls+=([tui]="tui" [live]="live --all" [serve]="serve" [events]="events" [seq]="seq"
		[import]="import --from trace-dat -o new" [html]="html -o new")
}

teardown()
{
	teardown_test
}

# expect STATUS ARG...: the viewer ends with it, and says why if it is a failure
expect()
{
	local expected=$1
	shift
	run_ktrace "$@" </dev/null
	[ "$status" = "$expected" ] || return 1
	[ "$expected" = 0 ] || [ -n "$output$stderr" ]
}

@test "statuses: 2 for wrong usage, of every command and every program" {
	local command
	expect 2 nonsense
	expect 2
	for command in --help "help help" "help --help"; do
		# shellcheck disable=SC2086 # two words
		diff <("$KTRACE" help) <("$KTRACE" $command) || return 1
	done
	for command in "${commands[@]}"; do
		expect 2 "$command" --nonsense
		expect 0 "$command" --help
		expect 0 "$command" --version
	done
	for command in --nonsense "--duration x" "--json --service" "--buffer 1"; do
		# shellcheck disable=SC2086 # option and value
		run_ktraced $command -- true
		[ "$status" = 125 ]
		[ -n "$stderr" ]
	done
}

@test "statuses: 2 for --until before --since, of every command that has them" {
	local command nr=0
	calls[sql]=sql
	for command in "${commands[@]}"; do
		[[ $("$KTRACE" "$command" --help) == *--until* ]] || continue
		[ "${calls[$command]}" != - ] || return 1
		nr=$((nr + 1))
		# shellcheck disable=SC2086 # options, too
		expect 2 ${calls[$command]} --since 2ms --until 1ms t
		[ "$stderr" = "ktrace $command: --until 1ms is before --since 2ms"$'\n'"Try 'ktrace $command --help'." ]
		# shellcheck disable=SC2086
		expect 2 ${calls[$command]} --until 1970-01-02Z --since @90000 t
		[[ $stderr == *": --until 1970-01-02Z is before --since @90000"$'\n'* ]]
		[ ! -e new ]
		# Of ktrace sql, they choose files of --store.
		[ "$command" != serve ] && [ "$command" != sql ] || continue
		# The last ones count. Whether one lies before the other may be known from the trace only.
		# shellcheck disable=SC2086
		run_ktrace ${calls[$command]} --since 1ms --until 2ms --since 5ms --until 6ms t </dev/null
		[[ $status$stderr != 2* && $stderr != *"lies before"* ]]
		# shellcheck disable=SC2086
		run_ktrace ${calls[$command]} --since 1ms --until @1 t </dev/null
		[[ $status != 2 && $stderr == *"ktrace: --until @1 is before --since 1ms in this trace"* ]]
		rm -f new
	done
	[ "$nr" -gt 20 ]
}

@test "statuses: 1 for a file that is not there, and for one that is something else" {
	local command
	printf 'all and nothing\n' >other
	for command in "${commands[@]}"; do
		[ "${calls[$command]}" != - ] || continue
		# shellcheck disable=SC2086 # options, too
		expect 1 ${calls[$command]} missing
		[[ $output$stderr == *missing* ]]
		[ ! -e new ]
		# shellcheck disable=SC2086
		expect 1 ${calls[$command]} other
		[ ! -e new ]
	done
}

# without ARG...: the viewer, started with standard input, output and error closed
without()
{
	status=0
	"$KTRACE" "$@" <&- >&- 2>&- || status=$?
	echo "without: ktrace $*: status $status"
}

@test "statuses: started without standard descriptors, no command writes messages into files" {
	local call
	for call in "export --to csv" "export --to perfetto" "export --to sqlite" html; do
		# shellcheck disable=SC2086 # options, too
		run_ktrace $call -o whole t
		[ "$status" = 0 ]
		# shellcheck disable=SC2086
		without $call -o new t
		[ "$status" = 0 ]
		diff -r whole new
		rm -r whole new
	done
	"$KTRACE" export --to perfetto -o packets t
	# What they have written cannot be said.
	for call in "cut t" "merge t" "import --from perfetto packets"; do
		# shellcheck disable=SC2086
		run_ktrace $call -o whole
		[ "$status" = 0 ]
		# shellcheck disable=SC2086
		without $call -o new
		[ "$status" = 1 ]
		cmp <("$KTRACE" list whole) <("$KTRACE" list new)
		rm whole new
	done
	status=0
	"$KTRACE" list t >&- 2>said || status=$?
	[ "$status" = 1 ]
	[ "$(tail -n 1 said)" = "ktrace: standard output: Bad file descriptor" ]
}

@test "statuses: started without standard descriptors, ktraced writes messages nowhere" {
	cat >command <<-'END'
		import os, sys
		held = [fd for fd in (0, 1, 2) if os.path.exists(f"/proc/self/fd/{fd}")]
		with open("seen", "w") as file:
		    print(held, file=file)
		os.execv(sys.argv[1], [sys.argv[1], "-n", "3"])
	END
	local record=("$KTRACED" --backend=shm -o recorded -- python3 command "$PROGS/flood")
	"${record[@]}" >&-
	"$KTRACE" check recorded
	"${record[@]}" 2>&-
	"$KTRACE" check recorded
	"${record[@]}" <&- >&- 2>&-
	"$KTRACE" check recorded
	# What is closed is closed for the command, too.
	[ "$(cat seen)" = '[]' ]
}

# The pipe is full, and stays so, or nobody reads it. A command writes into it when it has to.
# (What is started in the background, as tests may be, has some signals ignored.)
ends()
{
	env --default-signal=HUP,INT,QUIT python3 - "$@" <<-'END'
		import os, signal, subprocess, sys, time
		what, program = sys.argv[1], sys.argv[2:]
		r, w = os.pipe()
		if what == "nobody":
		    os.close(r)
		else:
		    os.set_blocking(w, False)
		    try:
		        while True:
		            os.write(w, b"x" * 4096)
		    except BlockingIOError:
		        os.set_blocking(w, True)
		# Who runs this in the background may have them ignored.
		for s in signal.SIGINT, signal.SIGTERM:
		    signal.signal(s, signal.SIG_DFL)
		p = subprocess.Popen(program, stdout=w, stderr=subprocess.DEVNULL)
		if what != "nobody":
		    # Until it sleeps, in write(2) for one
		    while open(f"/proc/{p.pid}/stat").read().split(") ")[1][0] == "R":
		        time.sleep(0.01)
		    p.send_signal(getattr(signal, what))
		print(p.wait())
	END
}

@test "statuses: SIGINT leaves no part of a file, and nothing beside it" {
	local call
	"$PROGS/machine" 200000 big
	"$PROGS/machine" 20000 small
	"$KTRACE" export --to perfetto -o packets small
	mkdir to
	for call in "export --to csv -o to/new big" "export --to ctf -o to/new big" \
		"export --to sqlite -o to/new big" "export --to perfetto -o to/new big" \
		"cut -o to/new big" "merge -o to/new big" "html -o to/new big" \
		"pthread -o to/new big" "import --from perfetto -o to/new packets"; do
		# shellcheck disable=SC2086 # options, too
		python3 - "$KTRACE" $call <<-'END'
			import os, signal, subprocess, sys
			p = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
			                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
			while p.poll() is None and not os.listdir("to"):
			    pass
			p.send_signal(signal.SIGINT)
			print(sys.argv[2], p.wait(), left := os.listdir("to"))
			sys.exit(p.returncode not in (-signal.SIGINT, 0) or left not in ([], ["new"]))
		END
		[ -e to/new ] || continue
		# It was there already: then it is whole.
		mv to/new early
		# shellcheck disable=SC2086
		"$KTRACE" $call
		[ "$(du -sb --apparent-size early | cut -f 1)" = "$(du -sb --apparent-size to/new | cut -f 1)" ]
		rm -rf early to/new
	done
}

@test "statuses: 0 when nobody reads, that of a signal when one comes" {
	local command nr=0
	for command in "${commands[@]}"; do
		case ${calls[$command]} in
		- | *new* | tui | live* | serve) continue ;;
		esac
		nr=$((nr + 1))
		# shellcheck disable=SC2086 # options, too
		run_ktrace ${calls[$command]} t
		# shellcheck disable=SC2086
		[ "$(ends nobody "$KTRACE" ${calls[$command]} t)" = "$status" ]
		# Not all have something to show of this file.
		[ -n "$output" ] || continue
		# shellcheck disable=SC2086
		[ "$(ends SIGINT "$KTRACE" ${calls[$command]} t)" = -2 ]
		# shellcheck disable=SC2086
		[ "$(ends SIGTERM "$KTRACE" ${calls[$command]} t)" = -15 ]
	done
	[ "$nr" -gt 20 ]
}
