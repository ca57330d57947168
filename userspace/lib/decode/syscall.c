// SPDX-License-Identifier: LGPL-2.1
/*
 * syscall.c - names for system call numbers
 *
 * The field "nr" of the kernel's syscall events becomes an enum with the names of the machine that
 * recorded, if they are known. A machine may have several tables: the meaning of a number depends
 * on the field "abi" after it, so there is one field for each ABI. ktrace_values_next() gives a
 * value the field that it needs (ktrace_syscall_choose()), so code that uses the field of a value
 * has the right names.
 *
 * The name of a call from a foreign ABI follows its mark, "i386:", in the same string: a name
 * begins after the mark, and text that must tell the ABIs apart begins at the mark.
 */
#include "syscall.h"

#include <string.h>

#include "arch/syscalls.h"
#include "out.h"

/* By enum ktrace_syscall_abi; the last one has no names, for unknown values of "abi". */
#define ABIS (KTRACE_SYSCALL_ABI_NR + 1)

#define FIELD(list, text) {						\
	.name = "nr", .scalar = KTRACE_S32, .size = 4, .shape = KTRACE_ONE, \
	.enums = list, .enum_nr = sizeof(list) / sizeof(list[0]),	\
	.label = text, .label_size = sizeof(LABEL) - 1,			\
}
#define NAMELESS(text) {						\
	.name = "nr", .scalar = KTRACE_S32, .size = 4, .shape = KTRACE_ONE, \
	.label = text, .label_size = sizeof(LABEL) - 1,			\
}

#define LABEL " nr="

/* A label may be read up to LABEL_ROOM bytes. */
static const char plain_label[LABEL_ROOM] = LABEL, x32_label[LABEL_ROOM] = LABEL,
		  i386_label[LABEL_ROOM] = LABEL, arm64_label[LABEL_ROOM] = LABEL,
		  riscv64_label[LABEL_ROOM] = LABEL;

/**
 * struct host - a kind of machine whose calls are known
 * @machine:	as uname(2) names it
 * @has_x32:	its kernel has calls of x32
 * @fields:	the field "nr" for each ABI
 *
 * Each has a label of its own, whose address identifies the host of a field.
 */
static const struct host {
	const char *machine;
	bool has_x32;
	struct ktrace_field fields[ABIS];
} hosts[] = {
	ARCH_SYSCALL_HOSTS
};

#define HOSTS (sizeof(hosts) / sizeof(hosts[0]))

static const char *const marks[KTRACE_SYSCALL_ABI_NR] = {
	"", "i386:", "x32:", "arm:", "compat:",
};
static const char *const names[KTRACE_SYSCALL_ABI_NR] = {
	"native", "i386", "x32", "arm", "compat",
};

/* Machines with the same calls: the byte order and the generation make no difference. */
static const char *host_name(const char *machine)
{
	if (machine && machine[0] == 'i' && machine[1] >= '3' && machine[1] <= '6' &&
	    !strcmp(machine + 2, "86"))
		return "i686";
	if (machine && (!strcmp(machine, "aarch64_be") || !strcmp(machine, "arm64")))
		return "aarch64";
	return machine;
}

static const struct host *find_host(const char *machine, bool has_x32)
{
	machine = host_name(machine);
	for (size_t i = 0; machine && i < HOSTS; i++)
		if (!strcmp(hosts[i].machine, machine) && hosts[i].has_x32 == has_x32)
			return &hosts[i];
	return NULL;
}

static const struct host *host_of(const struct ktrace_field *f)
{
	for (size_t i = 0; i < HOSTS; i++)
		if (hosts[i].fields[0].label == f->label)
			return &hosts[i];
	return NULL;
}

/* True if its events have the ABI of a call. Those in files of 0.1.0 do not. */
static bool has_abi(const struct ktrace_event_type *type)
{
	const struct ktrace_field *f = type->fields;

	return type->field_nr > 1 && f[0].size == 4 && !strcmp(f[1].name, "abi") &&
	       f[1].size == 4 && f[1].shape == KTRACE_ONE;
}

void ktrace_syscall_bind(struct ktrace_event_type *type, const char *machine, bool has_x32)
{
	const struct host *host = find_host(machine, has_x32);
	struct ktrace_field *f = (struct ktrace_field *)type->fields;

	if (!host || type->is_placed || strcmp(type->provider, "syscall"))
		return;
	if (!type->field_nr || strcmp(f->name, "nr") || f->enum_nr || f->shape != KTRACE_ONE)
		return;
	f->enums = host->fields[0].enums;
	f->enum_nr = host->fields[0].enum_nr;
	if (has_abi(type))
		f->label = host->fields[0].label;
}

bool ktrace_syscall_is(const struct ktrace_field *field)
{
	for (size_t i = 0; i < HOSTS; i++)
		if (field->enums == hosts[i].fields[0].enums)
			return true;
	return false;
}

const struct ktrace_field *ktrace_syscall_field(const struct ktrace_field *field, __u32 abi)
{
	const struct host *host = host_of(field);

	if (!host)
		return NULL;
	return &host->fields[abi < KTRACE_SYSCALL_ABI_NR ? abi : KTRACE_SYSCALL_ABI_NR];
}

void ktrace_syscall_choose(struct ktrace_value *v, const char *end)
{
	const struct host *host = host_of(v->field);
	__u32 abi = KTRACE_SYSCALL_ABI_NR;

	if (!host)
		return;
	if ((size_t)(end - v->data) >= 8)
		memcpy(&abi, v->data + 4, sizeof(abi));
	v->field = ktrace_syscall_field(v->field, abi);
}

__u64 ktrace_syscall_pair(__u32 abi, __s64 nr)
{
	const __u32 words[] = { (__u32)nr, abi };
	__u64 pair;

	memcpy(&pair, words, sizeof(pair));
	return pair;
}

const char *ktrace_syscall_name(const char *machine, bool has_x32, __u32 abi, __s64 nr)
{
	const struct host *host = find_host(machine, has_x32);

	return host && abi < KTRACE_SYSCALL_ABI_NR ?
	       ktrace_enumerator_find(&host->fields[abi], nr) : NULL;
}

bool ktrace_syscall_find(const char *machine, bool has_x32, __u32 abi, const char *name,
			 __s32 *nr)
{
	const struct host *host = find_host(machine, has_x32);
	const struct ktrace_field *f = host && abi < KTRACE_SYSCALL_ABI_NR ?
				       &host->fields[abi] : NULL;

	for (__u32 i = 0; f && i < f->enum_nr; i++) {
		if (strcmp(f->enums[i].name, name))
			continue;
		*nr = (__s32)f->enums[i].value;
		return true;
	}
	return false;
}

__u32 ktrace_syscall_number(const char *machine, const char *name)
{
	__s32 nr;

	return ktrace_syscall_find(machine, false, KTRACE_SYSCALL_NATIVE, name, &nr) ?
	       (__u32)nr : ~0u;
}

const char *ktrace_syscall_mark(__u32 abi)
{
	return abi < KTRACE_SYSCALL_ABI_NR ? marks[abi] : "unknown:";
}

const char *ktrace_syscall_abi_name(__u32 abi)
{
	return abi < KTRACE_SYSCALL_ABI_NR ? names[abi] : "unknown";
}

const char *ktrace_value_marked(const struct ktrace_value *v)
{
	const struct host *host = host_of(v->field);
	const char *name = NULL;

	if (v->count && v->field->enum_nr)
		name = ktrace_enumerator_find(v->field, ktrace_value_s64(v, 0));
	for (__u32 abi = 1; host && name && abi < KTRACE_SYSCALL_ABI_NR; abi++)
		if (v->field->enums == host->fields[abi].enums)
			return name - strlen(marks[abi]);
	return name;
}

/*
 * A number and its ABI in 32 bits, for states: a call of the machine's own ABI or of x32 is its
 * number; those of 32-bit programs have bit 31 set. Negative numbers, which no call has but
 * programs may ask for, are at the end; a number that does not fit becomes the nearest that does.
 */
#define COMPAT_BIT 0x80000000u
#define COMPAT_MAX 0x7ffffeff
#define COMPAT_NEGATIVE 0xffffff00u
#define NEGATIVE_MAX 127

__u32 ktrace_syscall_sub(__u32 abi, __s64 nr)
{
	const __s64 below = nr < -1 - NEGATIVE_MAX ? NEGATIVE_MAX : -1 - nr;

	if (abi == KTRACE_SYSCALL_NATIVE || abi == KTRACE_SYSCALL_X32)
		return nr < 0 ? ~(__u32)below : (__u32)nr & ~COMPAT_BIT;
	if (nr < 0)
		return COMPAT_NEGATIVE + (__u32)below;
	return COMPAT_BIT | (__u32)(nr < COMPAT_MAX ? nr : COMPAT_MAX);
}

__s64 ktrace_syscall_sub_nr(__u32 sub)
{
	if (!(sub & COMPAT_BIT) || sub > COMPAT_NEGATIVE + NEGATIVE_MAX)
		return (__s32)sub;
	return sub >= COMPAT_NEGATIVE ? -1 - (__s64)(sub - COMPAT_NEGATIVE) : sub & ~COMPAT_BIT;
}

__u32 ktrace_syscall_sub_abi(__u32 sub, __u32 compat)
{
	if (sub & COMPAT_BIT)
		return sub > COMPAT_NEGATIVE + NEGATIVE_MAX ? KTRACE_SYSCALL_NATIVE : compat;
	return sub & X32_BIT ? KTRACE_SYSCALL_X32 : KTRACE_SYSCALL_NATIVE;
}
