/* SPDX-License-Identifier: GPL-2.0 */
/*
 * content.h - puts the fields of a message into the current event, by its description
 *
 * A number, text or bytes is a field of the event; the fields of a message in it get the names of
 * both, joined by a dot. What is repeated is an array of numbers, or JSON text. A field without a
 * description is named by its number.
 */
#ifndef VIEWER_IMPORT_PERFETTO_CONTENT_H
#define VIEWER_IMPORT_PERFETTO_CONTENT_H

#include "packets.h"

#include <stdbool.h>

struct conversion;
struct schema_field;

/* Puts the fields of a message that are present; @prefix is put before their names. */
void content_put(struct conversion *c, const char *prefix, __u32 type, const struct packet *m);
/* Puts all described fields of a message, those that are absent as 0. */
void content_put_all(struct conversion *c, __u32 type, const struct packet *m);
/* Puts one field, its last value. */
void content_put_field(struct conversion *c, const char *prefix, __u32 type,
		       const struct packet *m, __u32 number);
/* Appends a message as a JSON object to the payload. */
void content_json(struct conversion *c, __u32 type, const struct packet *m);

/* Returns the field of a message with this number, the last one; wire 8: none */
struct packet_field content_find(const struct packet *m, __u32 number);
/* Returns the number in a field, of a kind as in schema.h; false: it is none */
bool content_number(const struct schema_field *f, const struct packet_field *v, __s64 *out);
/* Returns the number in a field of type uint32, uint64 or int64, 0 if there is none. */
__u64 content_u64(const struct packet *m, __u32 number);
/* Reads the next of the varints packed in a field. Return: false at the end */
bool content_varint(const struct packet_field *f, size_t *at, __u64 *out);
/* Copies the text in a field; truncates it. */
void content_text(const struct packet *m, __u32 number, char *to, size_t size);

#endif
