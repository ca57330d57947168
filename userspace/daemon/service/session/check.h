/* SPDX-License-Identifier: GPL-2.0 */
/* check.h - what EnableTracing refuses, and with which message (E.7) */
#ifndef KTRACED_SERVICE_SESSION_CHECK_H
#define KTRACED_SERVICE_SESSION_CHECK_H

#include <stdbool.h>
#include <sys/types.h>

#include "session.h"

/* Changes nothing. Return: true if @config may be enabled now; otherwise @error says why not. */
bool check_config(const struct service *s, const Pft__TraceConfig *config, uid_t uid, char *error);
/* True if matching its data sources and regular expressions takes bearable time per producer */
bool check_is_bearable(const Pft__TraceConfig *config);
/* True if @uid may have one more session, or clone: they are counted separately. */
bool check_numbers(const struct service *s, uid_t uid, bool are_clones, char *error);
/* Called when such a session begins: refuses its name for five minutes. */
void guard_remember(struct service *s, const Pft__TraceConfig *config);
void guard_forget(struct service *s);

#endif
