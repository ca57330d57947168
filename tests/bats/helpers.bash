# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# helpers.bash - functions shared by the bats files
#
# KTRACE_BACKEND=shm|dev is the back end under test (shm). BUILD is the build folder.
# Wrappers print command, status and output, so that bats shows them when a test fails.
# Each test runs this file; a subshell for each folder would cost more than the rest.
STARTED_IN=$PWD
cd "${BATS_TEST_DIRNAME:-.}/../.."
ROOT=$PWD
cd -P "${BUILD:-build}"
BUILD=$PWD
cd "$STARTED_IN"
KTRACE_BACKEND=${KTRACE_BACKEND:-shm}
# Not the user's own; attach.bats has boards
export KTRACE_BOARD=none
export KTRACE_CLOCKS_CACHE=${BATS_RUN_TMPDIR:-}${BATS_RUN_TMPDIR:+/clocks-cache}
read -r MACHINE </proc/sys/kernel/hostname
KTRACED=$BUILD/bin/ktraced
KTRACE=$BUILD/bin/ktrace
PROGS=$BUILD/progs
# shellcheck disable=SC2034 # for the bats files
EXAMPLES=$BUILD/examples
# The kernel's function below all system calls
IN_SYSCALL=do_syscall_64
[ "$HOSTTYPE" != aarch64 ] || IN_SYSCALL=do_el0_svc
# shellcheck source=tests/bats/inherited.bash
. "$ROOT/tests/bats/inherited.bash"

# setup_test: changes to an empty folder; in the VM writes a mark for scan.sh to the kernel log. For setup().
setup_test()
{
	cd "$BATS_TEST_TMPDIR" || return
	STARTED=()
	if in_guest; then
		echo "ktrace-test: $BATS_TEST_DESCRIPTION" >/dev/kmsg
	fi
}

# teardown_test: ends the processes that the test started, checks what it left. For teardown().
teardown_test()
{
	local pid dir
	for pid in "${STARTED[@]}"; do
		# Waited for already: another process may have the number by now.
		is_child "$pid" || continue
		dir=$(session_dir "$pid")
		kill_tree "$pid"
		wait "$pid" 2>/dev/null
		[ -z "$dir" ] || rm -rf "$dir"
	done
	# Removes sessions of killed ktraceds from the module
	if in_guest && [ ${#STARTED[@]} -gt 0 ] && [[ $("$PROGS/leftover" 2>&1) != *' kept 0' ]]; then
		"$KTRACED" -q --recover --discard
	fi
}

# let_others_in: lets other users access the test's folder, which is in a folder of bats for root only
let_others_in()
{
	chmod 755 . "$BATS_RUN_TMPDIR"
}

# is_child PID: true if it is a child of this shell
is_child()
{
	local stat
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null && [[ ${stat##*) } == ?" $BASHPID "* ]]
}

# children_of PID: prints them as words; pgrep would look at all processes
children_of()
{
	cat "/proc/$1/task/"*/children 2>/dev/null || pgrep -P "$1"
}

# kill_tree PID: it and its descendants
kill_tree()
{
	local child children
	children=$(children_of "$1") || true
	kill -KILL "$1" 2>/dev/null || true
	for child in $children; do
		kill_tree "$child"
	done
}

# session_dir PID: directory of the session that ktraced PID has made
session_dir()
{
	local maps=''
	{ IFS= read -rd '' maps <"/proc/$1/maps"; } 2>/dev/null || true
	[[ ! $maps =~ /dev/shm/ktrace-[^/]* ]] || echo "${BASH_REMATCH[0]}"
}

# in_guest: true in the VM, whose kernel log is ours alone
in_guest()
{
	[ "$MACHINE" = ktrace-vm ]
}

# n NUMBER: number of events for a test; a tenth in the VM, whose processor is emulated, unless
# KTRACE_LONG is set
n()
{
	if in_guest && [ -z "${KTRACE_LONG:-}" ]; then
		echo $(($1 / 10))
	else
		echo "$1"
	fi
}

# requires_dev, requires_root: skip the test without the device, or if not root. Tests about one back
# end have its name as a tag instead: tests/run skips those of the other.
requires_dev()
{
	[ "$KTRACE_BACKEND" = dev ] || skip "needs /dev/ktrace"
}

requires_root()
{
	[ "$(id -u)" = 0 ] || skip "needs root"
}

# capture COMMAND...: runs it, sets $status, $output and $stderr
capture()
{
	status=0
	if ! declare -F "$1" >/dev/null; then
		# Without "exec" a shell would wait for it, because errors are trapped.
		output=$(exec "$@" 2>"$BATS_TEST_TMPDIR/.stderr") || status=$?
	else
		output=$("$@" 2>"$BATS_TEST_TMPDIR/.stderr") || status=$?
	fi
	read_file stderr "$BATS_TEST_TMPDIR/.stderr"
}

# read_file VARIABLE FILE: reads the file like $(<FILE), without a process
read_file()
{
	local text IFS=
	mapfile -t -d '' text <"$2"
	text=${text[*]}
	while [[ $text == *$'\n' ]]; do
		text=${text%$'\n'}
	done
	printf -v "$1" %s "$text"
}

# show COMMAND...: prints the results of capture, for the log of a failed test
show()
{
	printf '%s\n' "\$ $*" "status $status" "$output" "${stderr:+-- stderr}" "${stderr:-}"
}

# run_ktraced ARG...: ktraced with the back end under test
run_ktraced()
{
	capture "$KTRACED" "--backend=$KTRACE_BACKEND" "$@"
	show ktraced "$@"
}

# run_ktrace ARG...: the viewer
run_ktrace()
{
	capture "$KTRACE" "$@"
	show ktrace "$@"
}

# run_valgrind ARG...: the viewer under valgrind; status 9 if valgrind finds an error
run_valgrind()
{
	command -v valgrind >/dev/null || skip "no valgrind"
	capture valgrind -q --trace-children=yes --error-exitcode=9 --leak-check=full \
		--errors-for-leak-kinds=definite "$KTRACE" "$@"
	show valgrind ktrace "$@"
}

# start NAME COMMAND...: runs it in the background, with default signals; pid in $pid, output
# in NAME.out and NAME.err
start()
{
	local name=$1
	shift
	# Output of an earlier command with this name must not be mistaken for this one's.
	: >"$name.out" >"$name.err"
	env --default-signal=HUP,INT,QUIT "$@" >"$name.out" 2>"$name.err" 3>&- &
	# shellcheck disable=SC2034 # for the bats files
	pid=$!
	STARTED+=("$pid")
	printf '%s\n' "\$ $* & ($pid)"
}

# start_ktraced ARG...: output in ktraced.out, ktraced.err
start_ktraced()
{
	start ktraced "$KTRACED" "--backend=$KTRACE_BACKEND" "$@"
}

# wait_for PID: waits; sets $status, and $output and $stderr to ktraced's output
wait_for()
{
	status=0
	wait "$1" || status=$?
	read_file output ktraced.out
	read_file stderr ktraced.err
	show "wait $1"
}

# fails COMMAND...: true if it fails; unlike this, "! COMMAND" never makes a test fail
fails()
{
	! "$@"
}

# within TIMES DELAY COMMAND...: repeats it until it succeeds; for time limits under test
within()
{
	local times=$1 delay=$2 i
	shift 2
	for ((i = 0; i < times; i++)); do
		"$@" && return 0
		sleep "$delay"
	done
	echo "gave up after $times times: $*"
	return 1
}

# retry DELAY COMMAND...: the same, with half a minute in case the machine is busy
retry()
{
	local end=$((SECONDS + 30)) delay=$1
	shift
	until "$@"; do
		if ((SECONDS > end)); then
			echo "gave up: $*"
			return 1
		fi
		sleep "$delay"
	done
}

# has FILE PATTERN: true if a line of it matches; for retry
has()
{
	local line
	{
		while IFS= read -r line || [ -n "$line" ]; do
			[[ ! $line =~ $2 ]] || return 0
		done <"$1"
	} 2>/dev/null
	return 1
}

# last_at: how many events the flood that reports to ktraced.out has written so far
last_at()
{
	local lines i
	mapfile -t lines <ktraced.out
	for ((i = ${#lines[@]} - 1; i >= 0; i--)); do
		if [[ ${lines[i]} =~ ^at\ ([0-9]+)$ ]]; then
			echo "${BASH_REMATCH[1]}"
			return
		fi
	done
	echo
}

# stands_still: true if the flood has written nothing for a fifth of a second
stands_still()
{
	local before
	before=$(last_at)
	sleep 0.2
	[ -n "$before" ] && [ "$before" = "$(last_at)" ]
}

# moves_on N: true if the flood is past event N
moves_on()
{
	[ "$(last_at)" -gt "$1" ]
}

# is_gone PID: true if it has ended, and is not a zombie
is_gone()
{
	[ ! -e "/proc/$1" ] || [ "$(state_of "$1")" = Z ]
}

# state_of PID: R, S, T, Z, ...
state_of()
{
	local stat
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
	stat=${stat##*) }
	echo "${stat%% *}"
}

# child_of PID: its first child
child_of()
{
	local first='' file _
	for file in "/proc/$1/task/"*/children; do
		# The line has no newline.
		{ read -r first _ <"$file"; } 2>/dev/null || true
		[ -z "$first" ] || break
	done
	[ -e "$file" ] || read -r first _ < <(pgrep -P "$1") || true
	echo "$first"
}

# summary events|lost|bytes|REASON: a number of ktraced's last line in $stderr
summary()
{
	local line last='' found='' number=".*[(, ]$1 ([0-9]+)"
	while read -r line; do
		[[ ! $line =~ ^'ktraced: '[0-9]+' events, ' ]] || last=$line
	done <<<"$stderr"
	[[ ! $1 =~ ^(events|lost|bytes)$ ]] || number=".* ([0-9]+) $1"
	[[ ! $last =~ $number ]] || found=${BASH_REMATCH[1]}
	[[ $1 =~ ^(events|lost|bytes)$ ]] || found=${found:-0}
	echo "$found"
}

# ledger: checks that the events that the programs report ("written MIN MAX" lines in $output)
# equal those read plus those lost
ledger()
{
	local min=0 max=0 got lost word low high
	while read -r word low high _; do
		[ "$word" != written ] || { min=$((min + low)); max=$((max + high)); }
	done <<<"$output"
	got=$(summary events)
	lost=$(summary lost)
	[ -n "$got" ] || return 1
	echo "ledger: written $min to $max, read $got, lost $lost"
	[ "$max" -gt 0 ] && [ $((got + lost)) -ge "$min" ] && [ $((got + lost)) -le "$max" ]
}

# another FILE NEW: the same events as those of another recording, not a copy, which is read once
another()
{
	cp "$1" "$2"
	# The uuid; see uapi/linux/ktrace_file.h
	head -c 16 /dev/urandom | dd of="$2" bs=1 seek=24 conv=notrunc status=none
}

# valid_trace FILE: checks that the viewer reads it to its end without messages
valid_trace()
{
	(
		run_ktrace info "$1"
		[ "$status" -eq 0 ]
	)
}

# sessions: directories of shared-memory sessions of this user
sessions()
{
	find /dev/shm -maxdepth 1 -name "ktrace-$(id -u)-*" | sort
}

# none_left BEFORE: true if each session made since has a live owner; for retry: others trace, too
none_left()
{
	local dir
	while read -r dir; do
		[ -z "$dir" ] || grep -qsF "$dir/" /proc/[0-9]*/maps || return 1
	done < <(comm -13 <(echo "$1") <(sessions))
}

# session_of PID: the session of ktraced PID, which runs a command, as --recover names it
session_of()
{
	local dir words word
	dir=$(session_dir "$1")
	if [ -n "$dir" ]; then
		echo "$dir"
	else
		mapfile -td '' words <"/proc/$(child_of "$1")/environ"
		for word in "${words[@]}"; do
			[[ $word != KTRACE_SESSION=* ]] || echo "${word#*=}"
		done
	fi
}

# says PATTERN: on standard output or standard error
says()
{
	grep -q -e "$1" <<<"$output"$'\n'"$stderr"
}

# lists PATTERN: a line of the list of t
lists()
{
	"$KTRACE" list t >t.list
	grep -q -e "$1" t.list || { cat t.list; return 1; }
}

# meta_lines FILE KEYWORD: META lines of that keyword; the first line of a section follows binary data
meta_lines()
{
	python3 -c 'import re, sys
text = open(sys.argv[1], "rb").read()
for line in re.findall(rb"(?:^|[^ -~])(%s [ -~]*)" % sys.argv[2].encode(), text): print(line.decode())' "$1" "$2"
}
