#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace list --symbols: which function and line an address of code is. The programs are
# built here, as each test needs them.

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
	unset DEBUGINFOD_URLS
	cat >places.c <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		#include <unistd.h>
		#include <sys/wait.h>
		#ifndef NAME
		#define NAME set_up
		#endif
		static pthread_mutex_t mutex;
		static void NAME(void)
		{
			pthread_mutex_init(&mutex, NULL);
			printf("%p\n", (void *)NAME);
		}
		#ifdef LIBRARY
		void call(void)
		{
			NAME();
		}
		#else
		int main(void)
		{
			NAME();
			if (!fork())
				NAME();
			else
				wait(NULL);
			return 0;
		}
		#endif
	END
	LINE=$(grep -n pthread_mutex_init places.c | cut -d: -f1)
}

teardown()
{
	teardown_test
}

# build FLAG...: places, as Debian's compiler does it with these
build()
{
	gcc -pthread -O0 places.c -o places "$@"
}

# traced COMMAND...: into t
traced()
{
	run_ktraced --pthread --policy block -o t -- "$@"
	[ "$(summary lost)" = 0 ]
}

# callers OPTION...: of mutex_init in t, in order; what is said goes to err
callers()
{
	"$KTRACE" list "$@" -e pthread:mutex_init_in t 2>err | grep -o '(caller .*'
}

@test "the trace says which code a process has, a fork's child what it has of its parent" {
	build -g
	traced ./places
	grep -a '^process .* maps=' t >processes
	[ "$(grep -c ' maps=own$' processes)" = 1 ]
	[ "$(grep -c ' maps=parent$' processes)" = 1 ]
	id=$(readelf -n places | sed -n 's/.*Build ID: //p')
	[ "$(grep -ac "^map .* build=$id path=$PWD/places\$" t)" = 1 ]
	grep -aq '^map .* path=/.*/libc\.so\.6$' t
}
