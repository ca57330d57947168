// SPDX-License-Identifier: GPL-2.0
/*
 * account.c - which user is charged for the memory of a session
 *
 * The owner's user is charged until the owner is gone and the session is not kept. From then on,
 * each user who holds the session by a writer's descriptor is charged. So no user can use up the
 * memory that another user may have.
 */
#include "account.h"
#include <linux/cred.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include "session.h"

static uint max_session_mb = 1024;
module_param(max_session_mb, uint, 0644);
MODULE_PARM_DESC(max_session_mb, "limit of a session's memory in MiB (1024)");

static uint max_user_mb = 2048;
module_param(max_user_mb, uint, 0644);
MODULE_PARM_DESC(max_user_mb,
		 "limit of a user's own sessions, and of others' sessions held, in MiB (2048)");

static u64 max_user_bytes(void)
{
	return (u64)READ_ONCE(max_user_mb) << 20;
}

/**
 * kt_account_user - return the user who is charged for what current does
 *
 * A user namespace gives its creator the ids of more users: subordinate ones, newuidmap(1). The
 * creator is charged for all of them. In a namespace created by root, such as a system container,
 * each user is charged separately.
 *
 * Context: process.
 */
kuid_t kt_account_user(void)
{
	const struct user_namespace *ns = current_user_ns();
	kuid_t user = current_euid();

	for (; ns != &init_user_ns; ns = ns->parent)
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			user = ns->owner;
	return user;
}

static struct kt_holder *holder_locked(const struct kt_session *s, kuid_t user)
{
	struct kt_holder *h;

	lockdep_assert_held(&kt_sessions_lock);
	list_for_each_entry(h, &s->holders, node)
		if (uid_eq(h->user, user))
			return h;
	return NULL;
}

/* Returns the memory of the sessions for which @pays(session, user) is true. */
static u64 sum_locked(kuid_t user, bool (*pays)(const struct kt_session *s, kuid_t user))
{
	struct kt_session *s;
	u64 sum = 0;

	lockdep_assert_held(&kt_sessions_lock);
	list_for_each_entry(s, &kt_sessions, node)
		if (pays(s, user))
			sum += s->bytes;
	return sum;
}

static bool account_pays(const struct kt_session *s, kuid_t user)
{
	return s->is_owned ? uid_eq(s->payer, user) : !!holder_locked(s, user);
}

/* True for another payer's session of which @user holds a descriptor, running sessions included. */
static bool account_holds(const struct kt_session *s, kuid_t user)
{
	return !uid_eq(s->payer, user) && holder_locked(s, user);
}

/*
 * Adds a holder. A running session is charged to its owner, but may end at any moment. So it counts
 * when other users attach, in a separate account: their own sessions do not prevent them from
 * attaching.
 */
static int add_holder_locked(struct kt_session *s, struct kt_holder *new)
{
	lockdep_assert_held(&kt_sessions_lock);
	if (!uid_eq(s->payer, new->user) &&
	    sum_locked(new->user, account_holds) + s->bytes > max_user_bytes()) {
		s->refused++;
		return -EDQUOT;
	}
	list_add(&new->node, &s->holders);
	return 0;
}

/**
 * kt_account_hold - count one more writer's descriptor of the calling user
 * @s:		the session
 * @out:	the account, for kt_account_unhold()
 *
 * Context: process, sleeps.
 * Return: 0; -ENOMEM; -EDQUOT if the user would hold more than max_user_mb of other users'
 * sessions.
 */
int kt_account_hold(struct kt_session *s, struct kt_holder **out)
{
	struct kt_holder *new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT), *h;
	int err = 0;

	if (!new)
		return -ENOMEM;
	new->user = kt_account_user();
	mutex_lock(&kt_sessions_lock);
	h = holder_locked(s, new->user);
	if (!h) {
		err = add_holder_locked(s, new);
		h = err ? NULL : new;
	}
	if (h)
		h->descriptors++;
	mutex_unlock(&kt_sessions_lock);
	if (h != new)
		kfree(new);
	*out = h;
	return err;
}

/** kt_account_unhold - uncount a writer's descriptor; consumes its reference to the session */
void kt_account_unhold(struct kt_session *s, struct kt_holder *h)
{
	bool is_last;

	mutex_lock(&kt_sessions_lock);
	is_last = !--h->descriptors;
	if (is_last)
		list_del(&h->node);
	mutex_unlock(&kt_sessions_lock);
	if (is_last)
		kfree(h);
	kt_session_put(s);
}

/**
 * kt_account_charge - charge memory to a session
 * @s:		the session
 * @bytes:	that it is about to allocate
 *
 * Context: process, sleeps.
 * Return: 0; -EDQUOT over max_session_mb or max_user_mb.
 */
int kt_account_charge(struct kt_session *s, u64 bytes)
{
	int err = 0;

	mutex_lock(&kt_sessions_lock);
	if (s->bytes + bytes > (u64)READ_ONCE(max_session_mb) << 20 ||
	    sum_locked(s->payer, account_pays) + bytes > max_user_bytes())
		err = -EDQUOT;
	else
		s->bytes += bytes;
	mutex_unlock(&kt_sessions_lock);
	return err;
}

/** kt_account_uncharge - give back memory charged by kt_account_charge() */
void kt_account_uncharge(struct kt_session *s, u64 bytes)
{
	mutex_lock(&kt_sessions_lock);
	s->bytes -= bytes;
	mutex_unlock(&kt_sessions_lock);
}
