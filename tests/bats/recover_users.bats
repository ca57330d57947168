#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# recover_users.bats - ktraced --recover as root, of what another user left: nothing that the user cannot do
load helpers

OTHER=65534

setup()
{
	setup_test
	requires_root
	getent passwd "$OTHER" >/dev/null || skip "user id $OTHER has no name"
	PLACE=$(mktemp -d)
	chown "$OTHER:$OTHER" "$PLACE"
	LEFT=()
}

teardown()
{
	for s in "${LEFT[@]}"; do
		"$KTRACED" -q --recover --discard --all-users "$s" 2>/dev/null || true
	done
	[ -z "${command:-}" ] || kill_tree "$command"
	[ -z "${PLACE:-}" ] || rm -rf "$PLACE"
	teardown_test
}

as_other()
{
	local groups=--clear-groups
	[ ! -e /dev/ktrace ] || groups=--groups=$(stat -c %g /dev/ktrace)
	setpriv --reuid "$OTHER" --regid "$OTHER" "$groups" "$@"
}

# left_by_other FILE [ARG...]: a session whose ktraced was killed, with a trace at $PLACE/FILE
left_by_other()
{
	local groups=--clear-groups
	[ ! -e /dev/ktrace ] || groups=--groups=$(stat -c %g /dev/ktrace)
	start ktraced setpriv --reuid "$OTHER" --regid "$OTHER" "$groups" \
		"$KTRACED" "--backend=$KTRACE_BACKEND" -e flood -b 64K -o "$PLACE/$1" "${@:2}" -- \
		"$PROGS/flood" -m -o -n 0
	retry 0.05 has ktraced.out '^at [1-9]'
	session=$(session_of "$pid")
	command=$(child_of "$pid")
	LEFT+=("$session")
	kill -KILL "$pid"
	wait "$pid" || true
	retry 0.05 left "$session"
	kill_tree "$command"
	command=
}

left()
{
	"$KTRACED" --recover --list --all-users | grep -q "^$1 .* uid=$OTHER"
}

recover()
{
	capture "$KTRACED" --recover "$@"
	show ktraced --recover "$@"
}

# alone COMMAND...: where no other sessions in shared memory are than $session: other tests run, too
alone()
{
	if [ "$KTRACE_BACKEND" = dev ]; then
		capture "$@"
	else
		mkdir same
		# shellcheck disable=SC2016 # for that bash
		capture unshare -m bash -ec 'mount --bind "$0" same && mount -t tmpfs none /dev/shm &&
			mkdir "$0" && mount --bind same "$0" && exec "$@"' "$session" "$@"
		rmdir same
	fi
	show "$@"
}

# not_saved [WORD]: the session stays, what $PLACE/t is now is not touched, and that is said
not_saved()
{
	recover --all-users "$session"
	[ "$status" -eq 125 ]
	[[ $stderr == *"$PLACE/t"*"${1:-no longer belongs to session}"* ]]
	left "$session"
}

# bats test_tags=alike
@test "what others left is skipped, told and counted; --all-users completes it as its owner" {
	left_by_other t
	alone "$KTRACED" --recover
	[ "$status" -eq 0 ]
	[[ $stderr == *" of other users skipped; --all-users takes "* ]]
	left "$session"
	recover --list
	[[ $output != *"$session"* ]]
	[[ $stderr == *" of other users skipped; --all-users takes "* ]]
	recover "$session"
	[ "$status" -eq 125 ]
	[[ $stderr == *"$session is a session of user id $OTHER; root can recover it with --all-users"* ]]
	recover --discard "$session"
	[ "$status" -eq 125 ]
	left "$session"
	alone "$KTRACED" "--backend=$KTRACE_BACKEND" -o own -- true
	[[ $stderr != *"left behind"* ]]
	recover --list --all-users --json
	jq -es --arg session "$session" "any(.session == \$session and .uid == $OTHER)" <<<"$output"
	capture as_other "$KTRACED" --recover --all-users
	[ "$status" -eq 125 ]
	[[ $stderr == *"--all-users: only root "* ]]
	capture "$KTRACED" --all-users -o t -- true
	[ "$status" -eq 125 ]
	recover --all-users "$session"
	[ "$status" -eq 0 ]
	[[ $stderr == *" events recovered, "* ]]
	fails left "$session"
	run_ktrace info "$PLACE/t"
	[[ $output == *closed* ]]
	[ "$(stat -c %u "$PLACE/t")" = "$OTHER" ]
}

# bats test_tags=alike
@test "-o and --discard have the rights of the owner, too" {
	left_by_other t
	recover --all-users -o "$PWD/copy" "$session"
	[ "$status" -eq 125 ]
	[ ! -e copy ]
	# The session's own file, which its owner may not read, is what is named.
	chown root "$PLACE/t"
	chmod 600 "$PLACE/t"
	recover --all-users -o "$PLACE/copy" "$session"
	[ "$status" -eq 125 ]
	[[ $stderr == *"$PLACE/t: Permission denied: user id $OTHER"* ]]
	chown "$OTHER" "$PLACE/t"
	recover --all-users -o "$PLACE/copy" "$session"
	[ "$status" -eq 0 ]
	[ "$(stat -c %u "$PLACE/copy")" = "$OTHER" ]
	valid_trace "$PLACE/copy"
	left_by_other u
	recover --all-users --discard "$session"
	[ "$status" -eq 0 ]
	fails left "$session"
	[ ! -e "$session" ]
}

# bats test_tags=alike
@test "the file has become a link, a FIFO, a folder or a device: nothing is opened or written" {
	local before
	left_by_other t
	mv "$PLACE/t" "$PLACE/real"
	before=$(sha256sum <"$PLACE/real")
	ln -s real "$PLACE/t"
	not_saved
	rm "$PLACE/t"
	mkfifo "$PLACE/t"
	chown "$OTHER" "$PLACE/t"
	not_saved
	rm "$PLACE/t"
	mkdir "$PLACE/t"
	chown "$OTHER" "$PLACE/t"
	not_saved
	rmdir "$PLACE/t"
	if mknod -m 666 "$PLACE/t" c 1 3; then
		not_saved
		rm "$PLACE/t"
	fi
	cp /bin/true "$PLACE/t"
	chown "$OTHER" "$PLACE/t"
	not_saved
	cmp /bin/true "$PLACE/t"
	# As -o's source, too.
	ln -sf real "$PLACE/t"
	recover --all-users -o "$PLACE/copy" "$session"
	[[ $stderr == *"$PLACE/t is gone: "* ]]
	[ "$(sha256sum <"$PLACE/real")" = "$before" ]
}

@test "a note that names root's trace, which everybody can read: it is not touched" {
	local before
	left_by_other t
	# What the owner forges has the effect of this.
	chown root "$PLACE/t"
	chmod 644 "$PLACE/t"
	before=$(sha256sum <"$PLACE/t")
	not_saved "Permission denied"
	[ "$(sha256sum <"$PLACE/t")" = "$before" ]
}

@test "a file that is root's, as that of root's ktraced -p: what to do is said" {
	left_by_other t.bin
	chown 0 "$PLACE/t.bin"
	for to in '' "-o $PLACE/copy"; do
		# shellcheck disable=SC2086 # an option and its value
		run_ktraced --recover --all-users $to "$session"
		[ "$status" = 125 ]
		[[ $stderr == *"$PLACE/t.bin: Permission denied: user id $OTHER, who owns the session, must be allowed"* ]]
	done
	chown "$OTHER" "$PLACE/t.bin"
	run_ktraced --recover --all-users "$session"
	[ "$status" = 0 ]
	[ "$("$KTRACE" list -c "$PLACE/t.bin")" -gt 0 ]
}

@test "the owner's folder for the session has become a link to root's: nothing there is removed" {
	local dir
	[ "$KTRACE_BACKEND" = shm ] || skip "the module has no folders"
	left_by_other t
	dir=$PWD/precious
	mkdir "$dir"
	cp "$session/user" "$dir/user"
	mv "$session" "$session.away"
	ln -s "$dir" "$session"
	recover --all-users "$session"
	[ "$status" -eq 125 ]
	recover --all-users --discard "$session"
	[ "$status" -eq 125 ]
	[ -e "$dir/user" ]
	rm "$session"
	mv "$session.away" "$session"
	left "$session"
}
