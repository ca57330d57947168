/* SPDX-License-Identifier: GPL-2.0 */
/* load.h - what the simulated hosts do: a client asks servers, and there are other packets */
#ifndef TESTS_HOSTS_LOAD_H
#define TESTS_HOSTS_LOAD_H

#include "tcp.h"

struct load;

struct load *load_new(struct sim *s);
void load_name_threads(struct load *l, struct sim *s);
void load_start(struct load *l, struct sim *s);
void load_free(struct load *l);
__u32 load_cpus(const struct sim *s, int host);

#endif
