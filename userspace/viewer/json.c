// SPDX-License-Identifier: GPL-2.0
/* json.c - members of an object */
#include "json.h"

#include <string.h>

void json_key(struct ktrace_out *out, const char *key)
{
	if (out->len && out->buf[out->len - 1] != '{')
		ktrace_out_char(out, ',');
	ktrace_out_json(out, key, strlen(key));
	ktrace_out_char(out, ':');
}

void json_u64(struct ktrace_out *out, const char *key, __u64 v)
{
	json_key(out, key);
	ktrace_out_u64(out, v);
}

void json_s64(struct ktrace_out *out, const char *key, __s64 v)
{
	json_key(out, key);
	ktrace_out_s64(out, v);
}

void json_element(struct ktrace_out *out)
{
	if (out->len && out->buf[out->len - 1] != '[')
		ktrace_out_char(out, ',');
}

void json_address(struct ktrace_out *out, const char *key, __u64 v)
{
	json_key(out, key);
	ktrace_out_str(out, "\"0x");
	ktrace_out_hex(out, v, 1);
	ktrace_out_char(out, '"');
}

void json_str(struct ktrace_out *out, const char *key, const char *value)
{
	if (!value)
		return;
	json_key(out, key);
	ktrace_out_json(out, value, strlen(value));
}
