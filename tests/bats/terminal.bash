# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# terminal.bash - programs in a terminal of tmux; loaded after helpers

terminal_setup()
{
	export TMUX_TMPDIR=$BATS_TEST_TMPDIR
	unset TMUX
}

terminal_teardown()
{
	tmux kill-server 2>/dev/null || true
}

# in_terminal COMMAND: in a terminal of 200 columns and 30 lines; its status is shown when it has ended
in_terminal()
{
	local command="$1; echo status \$?; stty -a; exec sleep 300"
	if tmux has-session 2>/dev/null; then
		tmux respawn-pane -k "$command"
	else
		tmux -f /dev/null new-session -d -x 200 -y 30 "$command"
	fi
}

# keys KEY...: as tmux calls them
keys() { tmux send-keys "$@"; }

# typed TEXT: as it is; a semicolon at its end would separate commands of tmux. text TEXT: and Enter
typed() { tmux send-keys -l "${1/%;/\\;}"; }
text() { typed "$1"; keys Enter; }

screen() { tmux capture-pane -p; }

is_on_screen() { screen | grep -qE -e "$1"; }

# is_line TEXT: a line of the screen is
is_line() { screen | grep -qxF -e "$1"; }

# shows PATTERN: by and by
shows()
{
	retry 0.02 is_on_screen "$1" || { screen; return 1; }
}
