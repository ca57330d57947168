/* SPDX-License-Identifier: GPL-2.0 */
/* metrics.h - ktrace store --metrics: how the store goes, for programs that collect metrics */
#ifndef VIEWER_FLEET_STORE_METRICS_H
#define VIEWER_FLEET_STORE_METRICS_H

#include "store.h"

/* Listens at @place, unless that is NULL, and tells where. Return: 0 or -errno, reported. */
int metrics_open(struct store *s, const char *place);
/* Collects the metrics, at most once a second. */
void metrics_look(struct store *s);
void metrics_close(struct store *s);

#endif
