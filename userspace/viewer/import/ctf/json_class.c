// SPDX-License-Identifier: GPL-2.0
/* json_class.c - reads field classes of CTF 2 */
#include "json_class.h"

#include <stdlib.h>
#include <string.h>

#include "base/viewer.h"

static bool take_ranges(struct json_parser *p, const json_t *array, struct ctf_ranges *ranges)
{
	const json_t *range;
	size_t i;

	json_array_foreach(array, i, range) {
		const json_t *low = json_array_get(range, 0), *high = json_array_get(range, 1);

		if (!json_is_integer(low) || !json_is_integer(high))
			return json_fail(p, "a range is not two integers");
		if (!ctf_ranges_add(ranges, (struct ctf_range){ json_integer_value(low),
								json_integer_value(high) }))
			return json_fail(p, "out of memory");
	}
	return true;
}

static const struct {
	const char *name;
	enum ctf_role role;
} roles[] = {
	{ "data-stream-class-id", CTF_ROLE_STREAM_CLASS },
	{ "data-stream-id", CTF_ROLE_STREAM },
	{ "metadata-stream-uuid", CTF_ROLE_UUID },
	{ "trace-class-uuid", CTF_ROLE_UUID },
	{ "packet-magic-number", CTF_ROLE_MAGIC },
	{ "default-clock-timestamp", CTF_ROLE_TIME },
	{ "discarded-event-record-counter-snapshot", CTF_ROLE_DISCARDED },
	{ "packet-content-length", CTF_ROLE_CONTENT },
	{ "packet-end-default-clock-timestamp", CTF_ROLE_END_TIME },
	{ "packet-sequence-number", CTF_ROLE_SEQUENCE },
	{ "packet-total-length", CTF_ROLE_TOTAL },
	{ "event-record-class-id", CTF_ROLE_EVENT_CLASS },
};

static void take_roles(const json_t *array, struct ctf_layout *layout)
{
	const json_t *name;
	size_t i;

	json_array_foreach(array, i, name)
		for (size_t k = 0; k < sizeof(roles) / sizeof(roles[0]); k++)
			if (json_is_string(name) && !strcmp(json_string_value(name), roles[k].name))
				layout->roles |= roles[k].role;
}

static bool take_align(struct json_parser *p, const json_t *json, const char *key, __u64 *align)
{
	__s64 v = 1;

	if (!json_number(p, json, key, &v))
		return false;
	if (v < 1 || v & (v - 1))
		return json_fail(p, "\"%s\" is not a power of two", key);
	*align = (__u64)v;
	return true;
}

static bool take_length(struct json_parser *p, const json_t *json, __u64 *length)
{
	__s64 v = -1;

	if (!json_number(p, json, "length", &v))
		return false;
	*length = (__u64)v;
	return v >= 0 || json_fail(p, "a field class without a length");
}

static const char *const scopes[CTF_SCOPES] = {
	[CTF_PACKET_HEADER] = "packet-header",
	[CTF_PACKET_CONTEXT] = "packet-context",
	[CTF_EVENT_HEADER] = "event-record-header",
	[CTF_COMMON_CONTEXT] = "event-record-common-context",
	[CTF_SPECIFIC_CONTEXT] = "event-record-specific-context",
	[CTF_PAYLOAD] = "event-record-payload",
};

static bool take_scope(struct json_parser *p, const json_t *origin, struct ctf_location *where)
{
	where->scope = CTF_PACKET_HEADER;
	while (where->scope < CTF_SCOPES && origin && (!json_is_string(origin) ||
	       strcmp(json_string_value(origin), scopes[where->scope])))
		where->scope++;
	if (!origin)
		where->scope = CTF_SCOPES;
	return !origin || where->scope < CTF_SCOPES ||
	       json_fail(p, "a field location with an unknown origin");
}

/* Reads where a length or selector is; a plain array, as in drafts, begins with the origin. */
static bool take_location(struct json_parser *p, const json_t *json, const char *key,
			  struct ctf_location *where)
{
	const json_t *location = json_object_get(json, key);
	const bool is_draft = json_is_array(location);
	const json_t *path = is_draft ? location : json_object_get(location, "path");
	const json_t *origin = is_draft ? json_array_get(location, 0) :
			       json_object_get(location, "origin");
	size_t nr = json_array_size(path);

	if (nr <= is_draft || !take_scope(p, origin, where))
		return json_fail(p, "\"%s\" is missing or empty", key);
	where->path = calloc(nr, sizeof(*where->path));
	if (!where->path)
		return json_fail(p, "out of memory");
	for (size_t i = is_draft; i < nr; i++) {
		const json_t *name = json_array_get(path, i);

		if (json_is_string(name))
			where->path[where->nr] = strdup(json_string_value(name));
		if (json_is_null(name) ? i + 1 == nr : !where->path[where->nr])
			return json_fail(p, "\"%s\" has no valid path", key);
		where->nr++;
	}
	return true;
}

static bool take_mappings(struct json_parser *p, const json_t *json, struct ctf_class *class)
{
	json_t *mappings = json_object_get(json, "mappings"), *array;
	struct ktrace_out labels = { .flush = output_grow };
	struct ctf_ranges ranges = { 0 };
	const char *name;
	__u32 nr = 0;
	bool is_fine = true;

	json_object_foreach(mappings, name, array) {
		ranges.nr = 0;
		is_fine = is_fine && take_ranges(p, array, &ranges);
		for (__u32 i = 0; is_fine && i < ranges.nr; i++)
			ctf_label_put(&labels, &nr, name, ranges.at[i]);
		/* Grows from nothing again: the size follows from the number. */
		free(ranges.at);
		ranges.at = NULL;
	}
	if (nr)
		ktrace_out_char(&labels, 0);
	if (nr && !labels.error)
		class->labels = labels.buf;
	else
		free(labels.buf);
	return is_fine && (!labels.error || json_fail(p, "out of memory"));
}

static bool take_flag(struct json_parser *p, struct ctf_flag *flag, const char *name,
		      const json_t *array)
{
	struct ctf_ranges ranges = { 0 };
	bool is_fine = take_ranges(p, array, &ranges);

	for (__u32 i = 0; is_fine && i < ranges.nr; i++)
		for (__s64 bit = ranges.at[i].low; bit <= ranges.at[i].high && bit < 64; bit++)
			flag->mask |= bit < 0 ? 0 : 1ull << bit;
	free(ranges.at);
	flag->name = strdup(name);
	return is_fine && (flag->name || json_fail(p, "out of memory"));
}

static bool take_flags(struct json_parser *p, const json_t *json, struct ctf_class *class)
{
	json_t *flags = json_object_get(json, "flags"), *array;
	const char *name;

	if (!json_object_size(flags))
		return true;
	class->flags = calloc(json_object_size(flags), sizeof(*class->flags));
	if (!class->flags)
		return json_fail(p, "out of memory");
	json_object_foreach(flags, name, array)
		if (!take_flag(p, &class->flags[class->flag_nr++], name, array))
			return false;
	return true;
}

static bool take_order(struct json_parser *p, const json_t *json, struct ctf_layout *layout)
{
	const char *bytes = json_string_value(json_object_get(json, "byte-order"));
	const char *bits = json_string_value(json_object_get(json, "bit-order"));

	if (!bytes || (strcmp(bytes, "big-endian") && strcmp(bytes, "little-endian")))
		return json_fail(p, "a field class without a byte order");
	layout->is_big = bytes[0] == 'b';
	layout->is_reversed = bits && !strcmp(bits, layout->is_big ? "first-to-last" :
						  "last-to-first");
	return true;
}

static bool take_float(struct json_parser *p, struct ctf_class *class)
{
	const __u64 n = class->layout->length;

	if (n != 16 && n != 32 && n != 64 && (n < 128 || n % 32 || n > 4096))
		return json_fail(p, "no floating point number has %llu bits",
				 (unsigned long long)n);
	class->kind = n <= 32 ? CTF_FLOAT : CTF_DOUBLE;
	return true;
}

static bool take_number(struct json_parser *p, const json_t *json, struct ctf_class *class)
{
	struct ctf_layout *layout = class->layout;
	__s64 base = 10;

	take_roles(json_object_get(json, "roles"), layout);
	class->bits = 64;
	if (!json_number(p, json, "preferred-display-base", &base) ||
	    !take_mappings(p, json, class))
		return false;
	class->is_hex = base == 16;
	layout->align = 8;
	if (layout->form == CTF_LEB128)
		return true;
	if (!take_length(p, json, &layout->length) || !take_order(p, json, layout) ||
	    !take_align(p, json, "alignment", &layout->align))
		return false;
	if (!layout->length || layout->length > 1u << 20)
		return json_fail(p, "a number of %llu bits", (unsigned long long)layout->length);
	if (class->kind == CTF_DOUBLE)
		return take_float(p, class);
	if (layout->length <= 64)
		class->bits = (unsigned int)layout->length;
	else if (class->kind != CTF_BOOL)
		layout->form = CTF_WIDE;
	if (layout->form == CTF_WIDE)
		class->kind = CTF_TEXT;
	return layout->form == CTF_WIDE || take_flags(p, json, class);
}

static bool take_encoding(struct json_parser *p, const json_t *json, struct ctf_layout *layout)
{
	static const char *const names[] = {
		[CTF_UTF8] = "utf-8", [CTF_UTF16BE] = "utf-16be", [CTF_UTF16LE] = "utf-16le",
		[CTF_UTF32BE] = "utf-32be", [CTF_UTF32LE] = "utf-32le",
	};
	const json_t *name = json_object_get(json, "encoding");

	for (unsigned int i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (json_is_string(name) && !strcmp(json_string_value(name), names[i])) {
			layout->encoding = (enum ctf_encoding)i;
			return true;
		}
	return !name || json_fail(p, "an unknown encoding of text");
}

/* Reads the length of text, bytes or an array. */
static bool take_size(struct json_parser *p, const json_t *json, struct ctf_layout *layout)
{
	if (layout->form == CTF_TERMINATED)
		return true;
	return layout->form == CTF_FIXED ? take_length(p, json, &layout->length) :
	       take_location(p, json, "length-field-location", &layout->where);
}

static bool take_text(struct json_parser *p, const json_t *json, struct ctf_class *class)
{
	take_roles(json_object_get(json, "roles"), class->layout);
	class->is_fixed = class->layout->form == CTF_FIXED;
	class->layout->align = 8;
	return take_encoding(p, json, class->layout) && take_size(p, json, class->layout);
}

static bool take_array(struct json_parser *p, const json_t *json, struct ctf_class *class)
{
	class->is_fixed = class->layout->form == CTF_FIXED;
	class->inner = json_class(p, json_object_get(json, "element-field-class"),
				  class->layout->depth + 1);
	return class->inner && take_size(p, json, class->layout) &&
	       take_align(p, json, "minimum-alignment", &class->layout->align);
}

static bool take_option(struct json_parser *p, const json_t *json, struct ctf_class *class)
{
	class->inner = json_class(p, json_object_get(json, "field-class"),
				  class->layout->depth + 1);
	return class->inner &&
	       take_location(p, json, "selector-field-location", &class->layout->where) &&
	       take_ranges(p, json_object_get(json, "selector-field-ranges"),
			   &class->layout->ranges);
}

/* Reads the members of a struct, or the options of a variant, which may lack a name. */
static bool take_members(struct json_parser *p, const json_t *array, struct ctf_class *class)
{
	const json_t *json;
	size_t i;

	if (!ctf_class_members(class, json_array_size(array)))
		return json_fail(p, "out of memory");
	class->member_nr = 0;
	json_array_foreach(array, i, json) {
		struct ctf_member *m = &class->members[i];
		const char *name = json_string_value(json_object_get(json, "name"));

		if (!name && class->kind == CTF_STRUCT)
			return json_fail(p, "a member without a name");
		m->class = json_class(p, json_object_get(json, "field-class"),
				      class->layout->depth + 1);
		if (!m->class)
			return false;
		class->member_nr++;
		m->name = strdup(name ? name : "");
		if (!m->name)
			return json_fail(p, "out of memory");
		if (!take_ranges(p, json_object_get(json, "selector-field-ranges"), &m->ranges))
			return false;
	}
	return true;
}

static bool take_struct(struct json_parser *p, const json_t *json, struct ctf_class *class)
{
	return take_members(p, json_object_get(json, "member-classes"), class) &&
	       take_align(p, json, "minimum-alignment", &class->layout->align);
}

static bool take_variant(struct json_parser *p, const json_t *json, struct ctf_class *class)
{
	return take_members(p, json_object_get(json, "options"), class) &&
	       take_location(p, json, "selector-field-location", &class->layout->where);
}

static const struct row {
	const char *type;
	enum ctf_kind kind;
	enum ctf_form form;
	bool (*take)(struct json_parser *p, const json_t *json, struct ctf_class *class);
} rows[] = {
	{ "fixed-length-bit-array", CTF_BITS, CTF_FIXED, take_number },
	{ "fixed-length-bit-map", CTF_BITS, CTF_FIXED, take_number },
	{ "fixed-length-boolean", CTF_BOOL, CTF_FIXED, take_number },
	{ "fixed-length-unsigned-integer", CTF_UNSIGNED, CTF_FIXED, take_number },
	{ "fixed-length-signed-integer", CTF_SIGNED, CTF_FIXED, take_number },
	{ "fixed-length-unsigned-enumeration", CTF_UNSIGNED, CTF_FIXED, take_number },
	{ "fixed-length-signed-enumeration", CTF_SIGNED, CTF_FIXED, take_number },
	{ "fixed-length-floating-point-number", CTF_DOUBLE, CTF_FIXED, take_number },
	{ "variable-length-unsigned-integer", CTF_UNSIGNED, CTF_LEB128, take_number },
	{ "variable-length-signed-integer", CTF_SIGNED, CTF_LEB128, take_number },
	{ "variable-length-unsigned-enumeration", CTF_UNSIGNED, CTF_LEB128, take_number },
	{ "variable-length-signed-enumeration", CTF_SIGNED, CTF_LEB128, take_number },
	{ "null-terminated-string", CTF_TEXT, CTF_TERMINATED, take_text },
	{ "static-length-string", CTF_TEXT, CTF_FIXED, take_text },
	{ "dynamic-length-string", CTF_TEXT, CTF_COUNTED, take_text },
	{ "static-length-blob", CTF_BYTES, CTF_FIXED, take_text },
	{ "dynamic-length-blob", CTF_BYTES, CTF_COUNTED, take_text },
	{ "structure", CTF_STRUCT, CTF_FIXED, take_struct },
	{ "static-length-array", CTF_ARRAY, CTF_FIXED, take_array },
	{ "dynamic-length-array", CTF_ARRAY, CTF_COUNTED, take_array },
	{ "optional", CTF_OPTION, CTF_FIXED, take_option },
	{ "variant", CTF_VARIANT, CTF_FIXED, take_variant },
};

static struct ctf_class *find_alias(struct json_parser *p, const char *name)
{
	const struct json_alias *a = p->aliases;

	while (a && strcmp(a->name, name))
		a = a->next;
	if (!a)
		json_fail(p, "no field class has the name \"%s\"", name);
	return a ? a->class : NULL;
}

static struct ctf_class *make(struct json_parser *p, const json_t *json, const struct row *row,
			      unsigned int depth)
{
	struct ctf_class *class = ctf_schema_class(p->schema, row->kind);

	if (!class) {
		json_fail(p, "out of memory");
		return NULL;
	}
	class->layout->form = row->form;
	/* While reading, the number of classes around it; afterwards of those inside. */
	class->layout->depth = depth;
	if (!row->take(p, json, class))
		return NULL;
	class->layout->depth = 0;
	if (ctf_schema_end_class(class))
		return class;
	json_fail(p, "field classes are nested too deep");
	return NULL;
}

struct ctf_class *json_class(struct json_parser *p, const json_t *json, unsigned int depth)
{
	const char *type = json_string_value(json_object_get(json, "type"));

	if (json_is_string(json))
		return find_alias(p, json_string_value(json));
	if (depth > CTF_DEPTH_MAX) {
		json_fail(p, "field classes are nested too deep");
		return NULL;
	}
	for (size_t i = 0; type && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].type, type))
			return make(p, json, &rows[i], depth);
	json_fail(p, "no field class has the type \"%s\"", type ? type : "");
	return NULL;
}
