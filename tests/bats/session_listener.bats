#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# session_listener.bats - ktrace session at a socket that somebody else has made: refused, nothing is sent
load helpers

OTHER=65534

setup()
{
	setup_test
	requires_root
	PLACE=$(mktemp -d)
	chmod 1777 "$PLACE"
	export PERFETTO_CONSUMER_SOCK_NAME=$PLACE/perfetto-consumer
	export PERFETTO_PRODUCER_SOCK_NAME=$PLACE/perfetto-producer
}

teardown()
{
	[ -z "${PLACE:-}" ] || rm -rf "$PLACE"
	teardown_test
}

# listen UID NAME: what it receives is in listener.out, as text
listen()
{
	start listener python3 -c '
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
os.setuid(int(sys.argv[1]))
s.bind(sys.argv[2].replace("@", "\0"))
s.listen()
print("listening", flush=True)
while True:
    got = s.accept()[0].recv(4096)
    print("got", len(got), flush=True)' "$1" "$2"
	listener=$pid
	retry 0.05 has listener.out listening
}

# refused ARG...: and the listener, of the other user, got nothing
refused()
{
	capture timeout 20 "$KTRACE" session "$@"
	show ktrace session "$@"
	[ "$status" -ne 0 ]
	[[ $stderr == *"process $listener of user id $OTHER listens there, neither root nor you: refused"* ]]
	retry 0.05 has listener.out '^got'
	fails grep '^got [^0]' listener.out
}

# bats test_tags=alike
@test "another user listens at the consumers' or producers' name: told who, and nothing is sent" {
	listen "$OTHER" "$PERFETTO_CONSUMER_SOCK_NAME"
	refused status
	listen "$OTHER" "$PERFETTO_PRODUCER_SOCK_NAME"
	refused produce
	PERFETTO_CONSUMER_SOCK_NAME=@ktrace-test-$$
	listen "$OTHER" "$PERFETTO_CONSUMER_SOCK_NAME"
	refused status
}

@test "root's listener is believed by all, and one's own" {
	listen 0 "$PERFETTO_CONSUMER_SOCK_NAME"
	chmod 777 "$PERFETTO_CONSUMER_SOCK_NAME"
	# The listener never answers.
	start client setpriv --reuid "$OTHER" --clear-groups "$KTRACE" session status
	retry 0.05 has listener.out '^got [1-9]'
	rm "$PERFETTO_CONSUMER_SOCK_NAME"
	listen "$OTHER" "$PERFETTO_CONSUMER_SOCK_NAME"
	# The listener never answers.
	start client setpriv --reuid "$OTHER" --clear-groups "$KTRACE" session status
	retry 0.05 has listener.out '^got [1-9]'
}
