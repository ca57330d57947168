// SPDX-License-Identifier: GPL-2.0
/*
 * cgroups.c - lists the control groups
 *
 * The id that the kernel records is the inode of the group's folder in the hierarchy of
 * version 2. Groups come and go, so the hierarchy is read repeatedly.
 */
#include "cgroups.h"

#include <ftw.h>
#include <linux/magic.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#define FOLDERS_OPEN 16

/* For the callback of nftw(3), which takes no argument for its caller */
static struct cgroups *groups;
static struct ktrace_text *text;
static size_t root_len;

static int compare(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void tell(const char *path, __u64 id)
{
	__u64 *key;

	if (tfind(&id, &groups->told, compare))
		return;
	key = malloc(sizeof(*key));
	if (!key)
		return;
	*key = id;
	tsearch(key, &groups->told, compare);
	ktrace_text_line(text, "cgroup");
	ktrace_text_u64(text, "id", id);
	ktrace_text_str(text, "path", *path ? path : "/");
}

static int visit(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)where;
	if (type == FTW_D)
		tell(path + root_len, st->st_ino);
	return 0;
}

void cgroups_tell(struct cgroups *g, struct ktrace_text *meta)
{
	static const char *const roots[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	struct statfs fs;

	groups = g;
	text = meta;
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		if (statfs(roots[i], &fs) || fs.f_type != CGROUP2_SUPER_MAGIC)
			continue;
		root_len = strlen(roots[i]);
		nftw(roots[i], visit, FOLDERS_OPEN, FTW_PHYS | FTW_MOUNT);
		return;
	}
}

void cgroups_free(struct cgroups *g)
{
	tdestroy(g->told, free);
	g->told = NULL;
}
