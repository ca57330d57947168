# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Completion of ktrace and ktraced in bash. scripts/completions makes the tables from the help of
# the programs; "bash-completion" is not needed.
#
# _ktrace_options[COMMAND] are its options, _ktrace_values[COMMAND OPTION] the kind of the value:
# "words A B", "recordings A B" (a live one, then a word), "files", "folders", "events", or "any".
# COMMAND is ktraced, or a command of ktrace.

declare -gA _ktrace_options _ktrace_values
declare -g _ktrace_commands
@TABLES@

# Puts the words of $1 that begin with $2 into COMPREPLY; adds a space to those without "=" or "/".
_ktrace_offer()
{
	local word
	while read -r word; do
		case $word in
		"$2"*) COMPREPLY+=("$word") ;;
		esac
	done < <(tr -s ' ' '\n' <<<"$1")
}

_ktrace_paths()
{
	local kind=$1 path
	compopt -o filenames 2>/dev/null
	while IFS= read -r path; do
		COMPREPLY+=("$path")
	done < <(compgen "-$kind" -- "$2")
}

# Names of events and families of the files on the command line; for ktraced, of the kernel.
# bash inserts them unquoted, so names with other characters, such as |, are not offered.
_ktrace_events()
{
	local command=$1 current=$2 files=() word names name='[:alnum:]_.+-' list=
	if [ "$command" = ktraced ]; then
		files=(--kernel)
	else
		for word in "${_ktrace_line[@]:2}"; do
			word=${word/#\~\//$HOME/}
			[ -f "$word" ] && files+=("$word")
		done
	fi
	[ ${#files[@]} -gt 0 ] || return 0
	# Complete the last entry of a list.
	[[ $current == *,* ]] && list=${current%,*},
	names=$("${_ktrace_program[@]}" events --json "${files[@]}" 2>/dev/null |
		sed -n "s|.*\"event\":\"\(\([$name]*\):[:$name]*\)\".*|\2\n\1|p" | sort -u)
	names=${names//$'\n'/ "$list"}
	_ktrace_offer "${names:+$list$names}" "$current"
}

# Names of the live recordings that answer; for ktrace level those of ktraced only
_ktrace_recordings()
{
	local kind=
	[ "$1" != level ] || kind='"kind":"recording",'
	"${_ktrace_program[@]}" control --json 2>/dev/null |
		sed -n "s/.*$kind\"name\":\"\([^\"]*\)\",\"pid\":[0-9]*,\"answers\":true.*/\1/p"
}

_ktrace_value()
{
	local kind=${_ktrace_values[$1 $2]-}
	case $kind in
	words*) _ktrace_offer "${kind#words }" "$3" ;;
	files) _ktrace_paths f "$3" ;;
	folders) _ktrace_paths d "$3" ;;
	events) _ktrace_events "$1" "$3" ;;
	esac
}

# Index where ktraced's own words end and the command begins, 0 = not before the current word.
_ktrace_command_at()
{
	local i word
	for ((i = 1; i < ${#_ktrace_line[@]} - 1; i++)); do
		word=${_ktrace_line[i]}
		case $word in
		--) echo $((i + 1)) && return ;;
		-*) [ -n "${_ktrace_values[ktraced $word]-}" ] && i=$((i + 1)) ;;
		*) echo $i && return ;;
		esac
	done
	echo 0
}

# True if a word before the current one is an action of the command
_ktrace_has_action()
{
	local word
	for word in "${_ktrace_line[@]:2:${#_ktrace_line[@]}-3}"; do
		[[ " ${_ktrace_values[$1 operand]#words} " != *" $word "* ]] || return 0
	done
	return 1
}

_ktrace_operand()
{
	local command=$1 current=$2
	if [ "$command" = ktraced ]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$current")
	elif [ "${_ktrace_values[$command operand]-}" = any ]; then
		:
	elif [[ ${_ktrace_values[$command operand]-} == recordings* ]]; then
		[ ${#_ktrace_line[@]} -ne 3 ] || _ktrace_offer "$(_ktrace_recordings "$command")" "$current"
		[ ${#_ktrace_line[@]} -gt 4 ] ||
			_ktrace_offer "${_ktrace_values[$command operand]#recordings}" "$current"
	elif [ -n "${_ktrace_values[$command operand]-}" ] && ! _ktrace_has_action "$command"; then
		_ktrace_value "$command" operand "$current"
	else
		_ktrace_paths f "$current"
	fi
}

_ktrace_word()
{
	local command=$1 current=$2 before=$3
	case $current in
	--*=*) _ktrace_value "$command" "${current%%=*}" "${current#*=}" ;;
	*)
		if [ -n "${_ktrace_values[$command $before]-}" ]; then
			_ktrace_value "$command" "$before" "$current"
		elif [[ $current == -* ]]; then
			_ktrace_offer "${_ktrace_options[$command]-}" "$current"
		else
			_ktrace_operand "$command" "$current"
		fi
		;;
	esac
}

# bash breaks words at = and :, which occur in names of events. So split the line at spaces, and
# remove the text before the last break from the replies.
_ktrace()
{
	local text=${COMP_LINE:0:COMP_POINT} command current before at breaks i
	local -a _ktrace_line _ktrace_program
	read -ra _ktrace_line <<<"$text"
	[[ $text == *[[:space:]] ]] && _ktrace_line+=("")
	_ktrace_program=("${_ktrace_line[0]/%ktraced/ktrace}")
	COMPREPLY=()
	if [[ ${_ktrace_line[0]} != *ktraced ]]; then
		while [[ ${#_ktrace_line[@]} -gt 2 && ${_ktrace_line[1]} == --* ]]; do
			_ktrace_line=("${_ktrace_line[0]}" "${_ktrace_line[@]:2}")
		done
	fi
	current=${_ktrace_line[-1]}
	before=${_ktrace_line[-2]}
	command=${_ktrace_line[1]}
	case ${_ktrace_line[0]} in
	*ktraced)
		command=ktraced
		at=$(_ktrace_command_at)
		if [ "$at" -gt 0 ]; then
			if declare -F _command_offset >/dev/null; then
				_command_offset "$at"
			else
				_ktrace_paths f "$current"
			fi
			return
		fi
		;;
	*)
		if [[ ${#_ktrace_line[@]} -eq 2 && $current == -* ]]; then
			command=ktrace
		elif [ ${#_ktrace_line[@]} -eq 2 ] || [ "$command" = help ]; then
			[ ${#_ktrace_line[@]} -le 3 ] && _ktrace_offer "$_ktrace_commands" "$current"
			return
		fi
		;;
	esac
	_ktrace_word "$command" "$current" "$before"
	[[ $current == --*=* ]] && current=${current#*=}
	breaks=${current%"${current##*[=:]}"}
	case $COMP_WORDBREAKS in
	*[=:]*)
		for i in "${!COMPREPLY[@]}"; do
			COMPREPLY[i]=${COMPREPLY[i]#"$breaks"}
		done
		;;
	esac
}

complete -F _ktrace ktrace ktraced
