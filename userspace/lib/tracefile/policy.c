// SPDX-License-Identifier: LGPL-2.1
/*
 * policy.c - the one table of policy names: in META, in options, in listings
 *
 * A new policy is a value of enum ktrace_policy and a row here; its behaviour is in
 * module/ring/writer.c.
 */
#include <ktrace/tracefile.h>

#include <string.h>

static const char *const names[] = {
	[KTRACE_POLICY_DROP] = "drop",
	[KTRACE_POLICY_OVERWRITE] = "overwrite",
	[KTRACE_POLICY_BLOCK] = "block",
	[KTRACE_POLICY_STOP] = "stop",
};

_Static_assert(sizeof(names) / sizeof(names[0]) == KTRACE_POLICY_NR, "each policy has a name");

const char *ktrace_policy_name(__u32 policy)
{
	return policy < KTRACE_POLICY_NR ? names[policy] : NULL;
}

__u32 ktrace_policy_find(const char *name)
{
	__u32 i = 0;

	while (i < KTRACE_POLICY_NR && strcmp(names[i], name))
		i++;
	return i;
}
