/* SPDX-License-Identifier: GPL-2.0 */
/* run.h - ktraced --service: from the first socket to the last */
#ifndef KTRACED_SERVICE_RUN_H
#define KTRACED_SERVICE_RUN_H

#include <signal.h>
#include <stdbool.h>

/*
 * Serves until one of @signals, which are blocked. @has_producer: ktrace's own data sources are
 * offered, too. Return: exit status.
 */
int service_run(const sigset_t *signals, bool has_producer);

#endif
