# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# service.bash - starts a service for a test, and the peers of tests/service

# start_service [ARG...]: starts it with sockets in the test's folder, and only the sources of the test
start_service()
{
	start_full_service --no-producer "$@"
}

# start_full_service [ARG...]: starts it with ktrace's own sources; $in_front: words before the command
start_full_service()
{
	export PERFETTO_PRODUCER_SOCK_NAME=$PWD/producer.sock
	export PERFETTO_CONSUMER_SOCK_NAME=$PWD/consumer.sock
	# shellcheck disable=SC2086 # words
	start service ${in_front:-} "$KTRACED" --service "$@"
	service=$pid
	retry 0.02 has service.err 'serving producers'
}

# cases FILE CASE...: runs cases of tests/service/cases_FILE.py; checks that the service is alive afterwards
cases()
{
	local file=$1
	shift
	capture python3 "$ROOT/tests/service/cases_$file.py" "$@"
	show "cases $file $*"
	[ "$status" -eq 0 ]
	kill -0 "$service"
}
