// SPDX-License-Identifier: GPL-2.0
/*
 * Plants one bug of a kind when it is loaded, to prove that a test run notices: tests/bats/vm.bats.
 *
 * Never part of a build of ktrace itself.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

static char *kind = "none";
module_param(kind, charp, 0);
MODULE_PARM_DESC(kind, "which bug to plant");

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static DEFINE_SPINLOCK(spin);
static unsigned long shared;

static void plant_none(void)
{
	pr_info("nothing planted\n");
}

static void plant_warn(void)
{
	WARN(1, "planted\n");
}

static void plant_panic(void)
{
	panic("planted");
}

static void plant_oops(void)
{
	WRITE_ONCE(*(volatile int *)8, 1);
}

/* KASAN: one byte behind the object. */
static void plant_overrun(void)
{
	volatile char *object = kmalloc(24, GFP_KERNEL);

	if (!object)
		return;
	object[24] = 1;
	kfree((void *)object);
}

/* kmemleak: the only pointer is dropped. */
static void plant_leak(void)
{
	void *object = kmalloc(96, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(object);
}

/* lockdep: both orders, by one thread, so that nothing really hangs. */
static void plant_deadlock(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);

	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

static void plant_sleep(void)
{
	spin_lock(&spin);
	msleep(1);
	spin_unlock(&spin);
}

static int write_shared(void *unused)
{
	while (!kthread_should_stop()) {
		shared++;
		cond_resched();
	}
	return 0;
}

/* KCSAN: plain writes by two threads. */
static void plant_race(void)
{
	struct task_struct *writer = kthread_run(write_shared, NULL, "ktrace_plant");
	unsigned long end = jiffies + 5 * HZ;

	if (IS_ERR(writer))
		return;
	while (time_before(jiffies, end)) {
		shared++;
		cond_resched();
	}
	kthread_stop(writer);
}

static const struct plant {
	const char *kind;
	void (*plant)(void);
} plants[] = {
	{ "none",	plant_none },
	{ "warn",	plant_warn },
	{ "panic",	plant_panic },
	{ "oops",	plant_oops },
	{ "overrun",	plant_overrun },
	{ "leak",	plant_leak },
	{ "deadlock",	plant_deadlock },
	{ "sleep",	plant_sleep },
	{ "race",	plant_race },
};

static int __init ktrace_plant_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(plants); i++) {
		if (!strcmp(kind, plants[i].kind)) {
			plants[i].plant();
			return 0;
		}
	}
	return -EINVAL;
}

static void __exit ktrace_plant_exit(void)
{
}

module_init(ktrace_plant_init);
module_exit(ktrace_plant_exit);

MODULE_DESCRIPTION("Plants one bug for the tests of the test machinery");
MODULE_LICENSE("GPL");
