/* SPDX-License-Identifier: GPL-2.0 */
/* run.h - runs ktraced --service: opens its sockets, serves, closes them */
#ifndef KTRACED_SERVICE_RUN_H
#define KTRACED_SERVICE_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Serves until one of @signals arrives; they must be blocked. @has_producer: also offers ktrace's
 * own data sources. @shared_max: bytes of shared memory for all producers of one user, 0 =
 * default.
 * Return: exit status.
 */
int service_run(const sigset_t *signals, bool has_producer, uint64_t shared_max);

#endif
