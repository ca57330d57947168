# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# sql.bash - asking traces in tests; loaded after helpers

# sql QUERY [FILE...]: the rows of a query, cells separated by |, without the head
sql()
{
	local query=$1
	shift
	[ $# -gt 0 ] || set -- t
	printf '.mode list\n.headers off\n%s;\n' "$query" | "$KTRACE" sql "$@"
}
