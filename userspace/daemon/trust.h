/* SPDX-License-Identifier: GPL-2.0 */
/* trust.h - whether the kernel still holds the cycle counter to be a clock */
#ifndef KTRACED_TRUST_H
#define KTRACED_TRUST_H

#include <stdbool.h>

struct ktrace_session;

/**
 * struct trust - what is known of it
 * @is_at_stake: the session's clock is the cycle counter, and the kernel trusts it
 */
struct trust {
	bool is_at_stake;
};

void trust_begin(struct trust *t, struct ktrace_session *session);
/* Says, once, that it is over. */
void trust_check(struct trust *t);

#endif
