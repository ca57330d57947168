// SPDX-License-Identifier: GPL-2.0
/* test_memory.c - what a control group leaves, by the files that say so */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

#include "../../userspace/lib/session/memory.c"

static char folder[] = "/tmp/ktrace-memory.XXXXXX";

static void put(const char *name, const char *text)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	CHECK(f && fputs(text, f) >= 0 && !fclose(f));
}

static void take_away(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	CHECK(!unlink(path));
}

/* As Linux 6.12 has it, with other numbers */
static void test_second_version(void)
{
	const struct version *v = &versions[1];

	CHECK_EQ(room_in(folder, v), ~0ull);
	put("memory.max", "max\n");
	put("memory.current", "900000\n");
	put("memory.stat", "anon 100000\nfile 300000\nslab_reclaimable 40000\ninactive_anon 7000\n"
	    "inactive_file 200000\nactive_file 100000\nslab 50000\n");
	CHECK_EQ(room_in(folder, v), ~0ull);
	put("memory.max", "1000000\n");
	CHECK_EQ(room_in(folder, v), 1000000 - 900000 + 200000 + 100000 + 40000);
	/* A limit that was lowered, and memory that was given back meanwhile */
	put("memory.max", "500000\n");
	CHECK_EQ(room_in(folder, v), 0);
	put("memory.current", "150000\n");
	CHECK_EQ(room_in(folder, v), 500000 - 150000 + 100000 + 40000);
	take_away("memory.stat");
	CHECK_EQ(room_in(folder, v), 500000 - 150000);
	take_away("memory.max");
	take_away("memory.current");
}

/* What it counts in slabs is not told. */
static void test_first_version(void)
{
	const struct version *v = &versions[0];

	put("memory.limit_in_bytes", "1000000\n");
	put("memory.usage_in_bytes", "900000\n");
	put("memory.stat", "inactive_file 1\nactive_file 2\ntotal_inactive_file 200000\n"
	    "total_active_file 100000\n");
	CHECK_EQ(room_in(folder, v), 1000000 - 900000 + 200000 + 100000);
	take_away("memory.limit_in_bytes");
	take_away("memory.usage_in_bytes");
	take_away("memory.stat");
}

int main(void)
{
	CHECK(mkdtemp(folder));
	test_second_version();
	test_first_version();
	CHECK(!rmdir(folder));
	puts("ok");
	return 0;
}
