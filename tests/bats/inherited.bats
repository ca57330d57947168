#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
# inherited.bats - tests do not depend on what the program that started bats had set
load helpers

setup() { setup_test; }
teardown() { teardown_test; }

# state: what a test inherits, as it sees it
state()
{
	trap -p | grep "''" || true
	grep -E '^Sig(Blk|Ign)' /proc/self/status
	umask
	ulimit -S -c -d -f -n -s -t -v
	readlink /proc/self/fd/0
	locale
	echo "$SHELL|$TERM|$TZ|${PAGER-}|${NO_COLOR-}|${CDPATH-}|${KTRACE_COLOR-}"
	date -d @0 +%A-%H
}

# inner_bats COMMAND...: runs the test of inner.bats through the command, without the variables of this bats
inner_bats()
{
	env -i PATH="${PATH#"$BATS_LIBEXEC:"}" HOME="$HOME" BUILD="$BUILD" STATE="$STATE" \
		timeout -k 1 60 "$@" "$BATS_ROOT/bin/bats" inner.bats
}

# make_strangely: a program that runs its arguments with signals ignored and blocked, without standard
# input, and with other limits and variables
make_strangely()
{
	cat >strangely <<-'END'
	#!/usr/bin/python3
	import os, resource, signal, sys
	for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
	    signal.signal(number, signal.SIG_IGN)
	signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGUSR1})
	resource.setrlimit(resource.RLIMIT_NOFILE, (200, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
	os.umask(0o077)
	os.close(0)
	os.environ.update(LC_ALL="de_DE.UTF-8", LANGUAGE="de", TZ="Asia/Kathmandu", TERM="dumb", NO_COLOR="1",
	                  SHELL="/bin/false", PAGER="false", CDPATH="/", KTRACE_COLOR="always")
	os.execvp(sys.argv[1], sys.argv[1:])
	END
	chmod +x strangely
}

@test "signals, limits, umask, locale, time zone, standard input: the same whoever starts bats" {
	# shellcheck disable=SC2016 # for the inner test
	printf '%s\n' 'load helpers' "$(declare -f state)" '@test "inner" { state >"$STATE"; }' >inner.bats
	cp "$ROOT/tests/bats/"*.bash .
	# They are in another folder than usual.
	sed -i "s|^cd \"\${BATS_TEST_DIRNAME.*|cd '$ROOT'|" helpers.bash
	make_strangely
	STATE=$PWD/plain inner_bats env
	STATE=$PWD/strange inner_bats ./strangely
	cat plain
	diff plain strange
	grep -x 0022 plain
	grep -x /dev/null plain
	grep -x Thursday-00 plain
	fails grep "''" plain
}
