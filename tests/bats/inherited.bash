# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# inherited.bash - gives each test the same environment, limits, signals and standard input, whoever
# started bats: a terminal, cron, nohup, a script's "&", or a program with a strange locale
#
# helpers.bash reads this file for each test, so it starts no process unless a signal has to be reset.

# A fresh machine may set none of these. script(1) passes lines that bash has quoted to $SHELL.
unset LANGUAGE "${!LC_@}"
export SHELL=$BASH LANG=C.UTF-8 TERM=xterm TZ=UTC
# What changes the output of ktrace or of the tools that tests use
unset KTRACE_{SESSION,COLOR,CORES,DEBUG,PAGER,PIDNS,PROGRESS} PAGER LESS NO_COLOR COLUMNS LINES
unset "${!DEBUGINFOD_@}" "${!PERFETTO_@}" "${!LISTEN_@}" NOTIFY_SOCKET
unset BASH_ENV ENV CDPATH POSIXLY_CORRECT GREP_OPTIONS GREP_COLORS GZIP XZ_OPT ZSTD_CLEVEL
# Tests connect to this machine only.
unset {http,https,ftp,all,no}_proxy {HTTP,HTTPS,FTP,ALL,NO}_PROXY
umask 022

# limit LETTER VALUE: sets a soft limit; root may exceed the inherited hard limit
limit()
{
	ulimit -S "-$1" "$2" 2>/dev/null ||
		{ ulimit -H "-$1" "$2" && ulimit -S "-$1" "$2"; } 2>/dev/null || true
}

limit c 0
limit d unlimited
limit f unlimited
limit n 1024
limit s 8192
limit t unlimited
limit v unlimited

# changed_signals: true if this shell has inherited ignored or blocked signals. In the kernel's list SIGQUIT
# is always ignored, by bash itself, so bash tells which ones are; bash blocks SIGCHLD at times.
changed_signals()
{
	local text
	trap -p >"$BATS_TEST_TMPDIR/.traps"
	mapfile -t text <"$BATS_TEST_TMPDIR/.traps"
	[[ " ${text[*]}" != *" trap -- '' "* ]] || return 0
	mapfile -t text </proc/$$/status
	[[ "${text[*]}" =~ SigBlk:[[:space:]]*([0-9a-f]+) ]]
	((0x${BASH_REMATCH[1]} & ~(1 << 16)))
}

# A shell cannot reset signals that were ignored or blocked when it started. So bats's program that runs
# one test starts once more, in the same process.
if [[ $0 == */bats-exec-test ]] && [ "${DEFAULT_SIGNALS:-}" != $$ ] && changed_signals; then
	export DEFAULT_SIGNALS=$$
	mapfile -t -d '' words </proc/$$/cmdline
	# It makes this folder anew.
	rm -r "$BATS_TEST_TMPDIR"
	exec perl -MPOSIX -e 'sigprocmask(SIG_SETMASK, POSIX::SigSet->new); exec @ARGV or die "$ARGV[0]: $!"' \
		env --default-signal "${words[@]}" </dev/null
fi
exec </dev/null
