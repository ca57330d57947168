// SPDX-License-Identifier: GPL-2.0
/* rings.c - the rings a trace was recorded with */
#include "rings.h"

#include "base/table.h"

#include "json.h"

#include <ktrace/tracefile.h>

struct hash_table rings_find(const struct ktrace_trace *trace)
{
	struct hash_table kinds = HASH_TABLE_INIT(struct rings, policy);
	const struct ktrace_trace_stream *s;
	struct rings *rings;
	size_t i;

	for (i = 0; (s = ktrace_trace_stream(trace, i)); i++) {
		if (!s->block_size)	/* the stream does not describe its ring */
			continue;
		rings = hash_table_get(&kinds, &(struct rings){ .size = s->ring_size,
				       .block_size = s->block_size, .policy = s->policy });
		if (rings)
			rings->nr++;
	}
	return kinds;
}

/* Writes an exact size: "64 KiB". */
static void put_size(struct ktrace_out *out, __u64 bytes)
{
	static const char *const units[] = { " bytes", " KiB", " MiB", " GiB" };
	size_t i;

	for (i = 0; i < 3 && bytes && bytes % 1024 == 0; i++)
		bytes /= 1024;
	out_printf(out, "%llu%s", bytes, units[i]);
}

void rings_put(struct ktrace_out *out, const struct rings *rings)
{
	const char *policy = ktrace_policy_name(rings->policy);

	put_size(out, rings->size);
	ktrace_out_str(out, ", blocks of ");
	put_size(out, rings->block_size);
	out_printf(out, ", %s", policy ? policy : "unknown policy");
}

void rings_json(struct ktrace_out *out, const struct ktrace_trace *trace)
{
	struct hash_table kinds = rings_find(trace);
	const struct rings *rings;

	json_open(out, "rings", '[');
	hash_table_for_each(rings, &kinds) {
		json_item(out);
		json_u64(out, "streams", rings->nr);
		json_u64(out, "bytes", rings->size);
		json_u64(out, "block_bytes", rings->block_size);
		json_str(out, "policy", ktrace_policy_name(rings->policy));
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
	hash_table_free(&kinds);
}
