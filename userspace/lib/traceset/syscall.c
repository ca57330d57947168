// SPDX-License-Identifier: LGPL-2.1
/*
 * syscall.c - names for system call numbers
 *
 * The field "nr" of the kernel's syscall events becomes an enum whose names are those
 * of the machine that recorded, if they are known.
 */
#include "trace.h"

#include <string.h>

#include "syscalls_x86_64.h"

#define SYSCALLS (sizeof(syscalls_x86_64) / sizeof(syscalls_x86_64[0]))

void ktrace_syscall_bind(struct ktrace_event_type *type, const char *machine, bool has_x32)
{
	struct ktrace_field *f = (struct ktrace_field *)type->fields;

	(void)has_x32;
	if (strcmp(type->provider, "syscall") || !machine || strcmp(machine, "x86_64"))
		return;
	if (!type->field_nr || strcmp(f->name, "nr") || f->enum_nr || f->shape != KTRACE_ONE)
		return;
	f->enums = syscalls_x86_64;
	f->enum_nr = SYSCALLS;
}

void ktrace_syscall_names(const struct trace *t, struct ktrace_event_type *type)
{
	if (type->kind == KTRACE_CHANNEL_KERNEL)
		ktrace_syscall_bind(type, ktrace_meta_fact(t, "host", "machine"), false);
}

/* Is it the number of a call, with its names? */
bool ktrace_syscall_is(const struct ktrace_field *field)
{
	return field->enums == syscalls_x86_64;
}

__u32 ktrace_syscall_number(const char *machine, const char *name)
{
	for (size_t i = 0; !strcmp(machine, "x86_64") && i < SYSCALLS; i++)
		if (!strcmp(syscalls_x86_64[i].name, name))
			return (__u32)syscalls_x86_64[i].value;
	return ~0u;
}
