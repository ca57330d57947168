// SPDX-License-Identifier: LGPL-2.1
/*
 * proc.c - META lines of what /proc reports about this machine, processes and threads
 *
 * A process or thread that has already ended gets a line without a name.
 */
#include <ktrace/tracefile.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/proc_stat.h"
#include "base/read_text.h"

/*
 * Reads a small file, without the newline at its end (the name of a thread may contain others);
 * empty if it cannot be read.
 */
/* True without a system call filter, which may kill a process for a call that it does not know. */
static bool is_unfiltered(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	unsigned int mode = 1;

	while (f && fgets(line, sizeof(line), f) && sscanf(line, "Seccomp: %u", &mode) != 1)
		;
	if (f)
		fclose(f);
	return mode == 0;
}

/*
 * True if the kernel has x32 calls. Some kernels have a switch that tells; on others a call is
 * tried.
 */
bool ktrace_host_has_x32(void)
{
	const long x32_getpid = ARCH_X32_BIT | SYS_getpid;
	char set[4];

	if (!ARCH_X32_BIT)
		return false;
	read_line("/sys/module/syscall/parameters/x32", set, sizeof(set));
	if (set[0])
		return set[0] == 'Y';
	return is_unfiltered() && syscall(x32_getpid) == getpid();
}

void ktrace_text_host(struct ktrace_text *t)
{
	struct utsname host;
	char boot[64];

	uname(&host);
	ktrace_text_line(t, "host");
	ktrace_text_str(t, "name", host.nodename);
	ktrace_text_str(t, "kernel", host.release);
	ktrace_text_str(t, "machine", host.machine);
	if (ktrace_host_has_x32())
		ktrace_text_u64(t, "x32", 1);
	ktrace_text_u64(t, "cpus", (__u64)sysconf(_SC_NPROCESSORS_CONF));
	read_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
	ktrace_text_str(t, "boot", boot);
}

void ktrace_text_thread(struct ktrace_text *t, __u32 pid, __u32 tid, __u64 ts)
{
	char path[64], comm[64];

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", pid, tid);
	read_line(path, comm, sizeof(comm));
	ktrace_text_line(t, "thread");
	ktrace_text_u64(t, "tid", tid);
	ktrace_text_u64(t, "pid", pid);
	ktrace_text_u64(t, "ts", ts);
	ktrace_text_str(t, "comm", comm);
}

void ktrace_text_process(struct ktrace_text *t, __u32 pid, __u64 ts)
{
	char path[64], text[4096];
	struct proc_stat stat;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	read_line(path, text, sizeof(text));
	ktrace_text_line(t, "process");
	ktrace_text_u64(t, "pid", pid);
	proc_stat_of(pid, &stat);
	ktrace_text_u64(t, "ppid", stat.ppid);
	ktrace_text_u64(t, "ts", ts);
	ktrace_text_str(t, "comm", text);
	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	n = readlink(path, text, sizeof(text) - 1);
	if (n > 0) {
		text[n] = '\0';
		ktrace_text_str(t, "exe", text);
	}
}
