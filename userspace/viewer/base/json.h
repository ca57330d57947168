/* SPDX-License-Identifier: GPL-2.0 */
/* json.h - members of an object; a comma comes before all but the first */
#ifndef VIEWER_BASE_JSON_H
#define VIEWER_BASE_JSON_H

#include <ktrace/decode.h>

void json_key(struct ktrace_out *out, const char *key);
void json_u64(struct ktrace_out *out, const char *key, __u64 v);
void json_s64(struct ktrace_out *out, const char *key, __s64 v);
/* "0x..." */
void json_address(struct ktrace_out *out, const char *key, __u64 v);
/* Nothing for NULL. */
void json_str(struct ktrace_out *out, const char *key, const char *value);
/* Before an element of an array */
void json_element(struct ktrace_out *out);
/* ktrace_value_json(), with integers that a double does not hold in quotes, in arrays too */
void json_exact(struct ktrace_out *out, const struct ktrace_value *v);

#endif
