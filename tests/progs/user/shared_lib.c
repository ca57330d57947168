// SPDX-License-Identifier: GPL-2.0
/* shared_lib.c - a library whose events children record in the memory of their parent */
#include <unistd.h>
#include <sys/syscall.h>
#include <ktrace/ktrace.h>

KTRACE_EVENT(flood, life, ktrace_u32(writer), ktrace_u64(seq));
KTRACE_EVENT(share, who, ktrace_u32(thread));

void shared_record(unsigned int writer, unsigned int nr);
void shared_say_who(void);

void shared_record(unsigned int writer, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		ktrace(flood, life, writer, i);
}

void shared_say_who(void)
{
	ktrace(share, who, (uint32_t)syscall(SYS_gettid));
}
