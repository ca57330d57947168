# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# light.bash - bats with fewer processes
#
# Bats starts a dozen processes for each test; in a VM with an emulated processor they cost more than many
# tests. So the shell does the work of bats's programs and subshells, and the work that bats does twice for
# each file is done once, on the host. This depends on one version of bats; others run unchanged.

is_known_bats()
{
	[ "$(bats --version)" = "Bats 1.8.2" ]
}

# prepare_bats FOLDER TAGS ARG...: preprocesses the files FILE.bats among the arguments into the folder,
# without the tests that have one of the tags (a|b|...). Sets PREPARED to the arguments, without files that
# then have no test.
prepare_bats()
{
	local folder=$1 left_out=$2 arg file root
	shift 2
	PREPARED=("$@")
	is_known_bats || return 0
	root=$(command -v bats)
	root=${root%/*/*}
	rm -rf "$folder"
	mkdir -p "$folder"
	PREPARED=()
	for arg; do
		if [[ $arg == *.bats ]]; then
			file=$folder/${arg##*/}
			BATS_ROOT=$root CHECK_BATS_COMMENT_COMMANDS=1 "$root/libexec/bats-core/bats-preprocess" "$arg" |
				grep -vE "^bats_test_function --tags '([^']*,)?($left_out)(,[^']*)?' " >"$file"
			grep '^bats_test_function ' "$file" >"$file.list" || continue
		fi
		PREPARED+=("$arg")
	done
	KTRACE_PREPARED=$(realpath "$folder")
	export KTRACE_PREPARED
}

# unprepared TAGS: the option with which bats skips tests with these tags, unless prepare_bats did
unprepared()
{
	[ -n "${KTRACE_PREPARED:-}" ] || echo "--filter-tags !${1//|/,!}"
}

# light_bats FOLDER: creates a modified bats there and puts it first in PATH. It starts bash without env,
# gets the time from the shell, and counts a test's seconds without a process that sleeps.
light_bats()
{
	local light=$1
	is_known_bats || return 0
	rm -rf "$light"
	mkdir -p "$light"/{bin,lib,libexec}
	cp "$(command -v bats)" "$light/bin/"
	cp -r "$(realpath /usr/lib/bats-core)" "$light/lib/"
	cp -r "$(realpath /usr/libexec/bats-core)" "$light/libexec/"
	light=$(realpath "$light")
	mkfifo "$light/nothing"
	sed -i -e '1s|/usr/bin/env bash|/bin/bash|' \
		-e 's|$(get_mills_since_epoch)|$((${EPOCHREALTIME//[!0-9]/} / 1000))|' \
		-e 's|test_line=$(printf "%s\\t%s" "$filename" "$line")|printf -v test_line "%s\\t%s" "$filename" "$line"|' \
		-e 's/if ! (command -v ps || command -v pkill) >.*; then/if false; then/' \
		-e "s#^    sleep \"\$timeout\" &\$#    trap 'exit 0' ABRT; read -rt \"\$timeout\" <>'$light/nothing' || true#" \
		"$light"/libexec/bats-core/bats*
	export PATH=$light/bin:$PATH

	# mkdir: skips existing folders; for the folder of a test also creates the next ones
	mkdir()
	{
		local nr folders=("${1:-}")
		if [ "$#:${1:-}" = 2:-p ] && [ -d "$2" ]; then
			return
		fi
		if [ "$#" = 1 ] && [[ $1 =~ ^"${BATS_RUN_TMPDIR:-none}"/test/([0-9]+)$ ]]; then
			[ ! -d "$1" ] || return 0
			for ((nr = BASH_REMATCH[1] + 1; nr % 40; nr++)); do
				folders+=("${1%/*}/$nr")
			done
			command mkdir -p "${folders[@]}"
		else
			command mkdir "$@"
		fi
	}

	# rm: empties the output of a test, which is removed in the end anyway
	rm()
	{
		if [ "$#:${1:-}:${2:-}" = "2:-f:${BATS_OUT:-}" ]; then
			: >"$2"
		else
			command rm "$@"
		fi
	}
	export -f mkdir rm

	[ -n "${KTRACE_PREPARED:-}" ] || return 0
	# bats reads byte by byte to count tests, so give it only their names.
	bats-preprocess()
	{
		local file=$KTRACE_PREPARED/${1##*/} text
		[ -e "$file" ] || { command bats-preprocess "$@"; return; }
		[ -n "${CHECK_BATS_COMMENT_COMMANDS:-}" ] || file+=.list
		mapfile -t -d '' text <"$file"
		printf %s "${text[0]}"
	}
	export -f bats-preprocess
}

# light_sleep FOLDER: makes the shells of tests sleep without a process; FOLDER is that of light_bats
light_sleep()
{
	export NOTHING_COMES=$1/nothing
	[ -e "$NOTHING_COMES" ] || return 0
	sleep()
	{
		if [[ $#:${1:-} =~ ^1:[0-9.]+$ ]]; then
			read -rt "$1" <>"$NOTHING_COMES" || true
		else
			command sleep "$@"
		fi
	}
	export -f sleep
}
