/* SPDX-License-Identifier: GPL-2.0 */
/* check.h - what EnableTracing refuses, and in which words (E.7) */
#ifndef KTRACED_SERVICE_SESSION_CHECK_H
#define KTRACED_SERVICE_SESSION_CHECK_H

#include <stdbool.h>
#include <sys/types.h>

#include "session.h"

/* Changes nothing. Return: whether @config may be enabled now; otherwise @error says why not. */
bool check_config(const struct service *s, const Pft__TraceConfig *config, uid_t uid, char *error);
/* Whether its data sources, and regular expressions for each producer, take bearable time */
bool check_is_bearable(const Pft__TraceConfig *config);
/* Whether @uid may have one session more, or one clone: they are counted apart. */
bool check_numbers(const struct service *s, uid_t uid, bool are_clones, char *error);
/* Such a session begins: none of its name for five minutes. */
void guard_remember(struct service *s, const Pft__TraceConfig *config);
void guard_forget(struct service *s);

#endif
