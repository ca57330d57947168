/* SPDX-License-Identifier: GPL-2.0 */
/* account.h - which user is charged for the memory of a session */
#ifndef KT_ACCOUNT_H
#define KT_ACCOUNT_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct kt_session;

/**
 * struct kt_holder - a user whose programs have attached to a session
 * @node:	in the session's holders
 * @user:	user who is charged: kt_account_user() when they attached
 * @descriptors: writers' descriptors of that user; closing the last one frees this
 */
struct kt_holder {
	struct list_head node;
	kuid_t user;
	u32 descriptors;
};

kuid_t kt_account_user(void);
int kt_account_charge(struct kt_session *s, u64 bytes);
void kt_account_uncharge(struct kt_session *s, u64 bytes);
int kt_account_hold(struct kt_session *s, struct kt_holder **out);
void kt_account_unhold(struct kt_session *s, struct kt_holder *h);

#endif
