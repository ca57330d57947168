/* SPDX-License-Identifier: GPL-2.0 */
/* run.h - ktraced --service: from the first socket to the last */
#ifndef KTRACED_SERVICE_RUN_H
#define KTRACED_SERVICE_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Serves until one of @signals, which are blocked. @has_producer: ktrace's own data sources are
 * offered, too. @shared_max: bytes that the producers of a user may share, 0: the default.
 * Return: exit status.
 */
int service_run(const sigset_t *signals, bool has_producer, uint64_t shared_max);

#endif
