/* SPDX-License-Identifier: GPL-2.0 */
/* json.h - members of JSON objects, with commas between them */
#ifndef VIEWER_BASE_JSON_H
#define VIEWER_BASE_JSON_H

#include <ktrace/decode.h>

void json_key(struct ktrace_out *out, const char *key);
void json_u64(struct ktrace_out *out, const char *key, __u64 v);
void json_s64(struct ktrace_out *out, const char *key, __s64 v);
void json_bool(struct ktrace_out *out, const char *key, bool v);
/* Writes a string: seconds with nine digits. */
void json_seconds(struct ktrace_out *out, const char *key, __u64 ns);
/* Writes "0x...". */
void json_address(struct ktrace_out *out, const char *key, __u64 v);
/* Writes nothing for NULL. */
void json_str(struct ktrace_out *out, const char *key, const char *value);
/* Begins an array or object; the caller writes its end. */
void json_open(struct ktrace_out *out, const char *key, char bracket);
/* Begins an object that is an element of an array. */
void json_item(struct ktrace_out *out);
/* Called before an element of an array; writes the comma. */
void json_element(struct ktrace_out *out);
/* Like ktrace_value_json(), but quotes integers that a double cannot hold, in arrays too. */
void json_exact(struct ktrace_out *out, const struct ktrace_value *v);

#endif
