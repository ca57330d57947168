#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# usage, in the guest: stale.sh DIR ROUNDS
#
# Runs the programs stale* of DIR (see stale.c) in turn. Drops the page cache before each, so that its
# code is loaded into page frames that had other programs' code.
cd "$1" || exit
rounds=$2 runs=0 bad=0
while [ "$rounds" -gt 0 ]; do
	for program in ./stale?; do
		echo 3 >/proc/sys/vm/drop_caches
		$program || bad=$((bad + 1))
		runs=$((runs + 1))
	done
	rounds=$((rounds - 1))
done
echo "$bad of $runs runs were bad"
[ "$bad" = 0 ]
