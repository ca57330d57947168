// SPDX-License-Identifier: GPL-2.0
/*
 * access.c - whether the kernel and its security modules allow looking into a process
 *
 * perf calls ptrace_may_access(PTRACE_MODE_READ), which modules cannot. But a procfs mounted with
 * hidepid=ptraceable makes this check for everything about a process. So the module has a procfs of
 * its own, mounted nowhere, and tries whether it can open a file in the process's folder.
 */
#include "access.h"
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/proc_fs.h>
#include "compat.h"

/* NULL: this kernel has no procfs, or mounting it failed. */
static struct vfsmount *proc;

/**
 * kt_access_may - true if perf would allow a user to look into a process
 * @cred:	credentials of that user
 * @task:	a thread of the process
 *
 * Context: process, sleeps.
 * Return: false also without procfs, and for a process that has ended.
 */
bool kt_access_may(const struct cred *cred, struct task_struct *task)
{
	const struct cred *before;
	struct file *file;
	char name[32];

	if (!proc)
		return false;
	snprintf(name, sizeof(name), "%d/stat", task_tgid_nr_ns(task, proc_pid_ns(proc->mnt_sb)));
	before = override_creds(cred);
	file = kt_compat_open_below(proc, name, O_PATH);
	revert_creds(before);
	if (IS_ERR(file))
		return false;
	fput(file);
	return true;
}

/**
 * kt_access_init - mount a procfs for the module's own use
 *
 * Without it the module works, but no process can be followed without CAP_PERFMON.
 *
 * Context: loading, sleeps.
 */
void kt_access_init(void)
{
	char options[] = "hidepid=ptraceable";
	struct file_system_type *type = get_fs_type("proc");
	struct vfsmount *mnt;

	if (!type)
		return;
	mnt = vfs_kern_mount(type, SB_KERNMOUNT, "ktrace", options);
	if (IS_ERR(mnt))
		pr_warn("cannot mount procfs: nothing can be followed without CAP_PERFMON: %ld\n",
			PTR_ERR(mnt));
	else
		proc = mnt;
}

/** kt_access_exit - unmount the module's procfs */
void kt_access_exit(void)
{
	mntput(proc);
}
