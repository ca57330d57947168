// SPDX-License-Identifier: GPL-2.0
/*
 * ctf_metadata.c - writes "metadata" of a CTF folder: the layout of streams and events, in TSDL
 *
 * Field names get an underscore in front, which readers remove, so that none is a keyword.
 * Characters that TSDL does not allow in names become underscores.
 */
#include "ctf.h"

#include "base/clock.h"
#include "events/line.h"

#include <ktrace/context.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


static const char *const preamble =
	"typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := s32;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
	"typealias integer { size = 8; align = 8; signed = false; base = 16; } := x8;\n"
	"typealias integer { size = 64; align = 8; signed = false; base = 16; } := x64;\n\n";

static const char *const stamp =
	"typealias integer { size = 64; align = 8; signed = false; map = clock.ktrace.value; } "
	":= stamp;\n\n";

/* Writes like printf(3), at most 255 bytes. */
static __attribute__((format(printf, 2, 3)))
void put(struct ktrace_out *out, const char *format, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	ktrace_out_str(out, text);
}

static void put_quoted(struct ktrace_out *out, const char *s)
{
	ktrace_out_quoted(out, s, strlen(s));
}

static void put_trace(struct ktrace_out *out, const struct ctf *c)
{
	size_t i;

	ktrace_out_str(out, "trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"");
	for (i = 0; i < sizeof(c->uuid); i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			ktrace_out_char(out, '-');
		ktrace_out_hex(out, c->uuid[i], 2);
	}
	ktrace_out_str(out, "\";\n\tbyte_order = le;\n\tpacket.header := struct {\n\t\tu32 magic;\n"
		       "\t\tu8 uuid[16];\n\t\tu64 stream_instance_id;\n\t};\n};\n\n");
}

/* Writes NAME = "VALUE"; nothing if the file lacks the value. */
static void put_fact(struct ktrace_out *out, const char *prefix, const char *name,
		     const char *value)
{
	if (!value)
		return;
	put(out, "\t%s%s = ", prefix, name);
	put_quoted(out, value);
	ktrace_out_str(out, ";\n");
}

static void put_file_facts(struct ktrace_out *out, const struct ktrace_trace *t, const char *prefix)
{
	struct ktrace_clock_info clock;

	ktrace_trace_clock(t, &clock);
	put_fact(out, prefix, "file", ktrace_trace_path(t));
	put_fact(out, prefix, "command", ktrace_trace_meta(t, "trace", "cmd"));
	put_fact(out, prefix, "clock", clock.clock);
	put(out, "\t%sclock_hz = %llu;\n\t%sclock_readings = %llu;\n",
		   prefix, (unsigned long long)clock.hz, prefix,
		   (unsigned long long)clock.readings);
	put_fact(out, prefix, "hostname", ktrace_trace_meta(t, "host", "name"));
	put_fact(out, prefix, "kernel_release", ktrace_trace_meta(t, "host", "kernel"));
	put_fact(out, prefix, "machine", ktrace_trace_meta(t, "host", "machine"));
	put_fact(out, prefix, "x32", ktrace_trace_meta(t, "host", "x32"));
	put(out, "\t%sis_closed = %u;\n", prefix, ktrace_trace_is_closed(t));
}

/*
 * Writes the first file's facts under names known to readers, the others' with a number in front.
 */
static void put_environment(struct ktrace_out *out, const struct ctf *c)
{
	const struct ktrace_trace *t;
	char prefix[32] = "";
	__u32 reason;
	size_t i;

	ktrace_out_str(out, "env {\n\ttracer_name = \"ktrace\";\n\tsysname = \"Linux\";\n");
	for (i = 0; (t = ktrace_traceset_trace(c->x->set, i)); i++) {
		if (i)
			snprintf(prefix, sizeof(prefix), "trace_%zu_", i);
		put_file_facts(out, t, prefix);
	}
	put(out, "\tlost = %llu;\n", (unsigned long long)lost_total(c->x->scope.lost));
	for (reason = 0; reason < KTRACE_LOST_NR; reason++)
		if (c->x->scope.lost[reason])
			put(out, "\tlost_%s = %llu;\n", ktrace_lost_name(reason),
				   (unsigned long long)c->x->scope.lost[reason]);
	ktrace_out_str(out, "};\n\n");
}

static void put_clock(struct ktrace_out *out, const struct ctf *c)
{
	const __u64 start = c->start;

	ktrace_out_str(out, "clock {\n\tname = \"ktrace\";\n\tdescription = \"Wall clock when the "
		       "recording began, and what CLOCK_MONOTONIC counted since\";\n");
	put(out, "\tfreq = %llu;\n\toffset_s = %llu;\n\toffset = %llu;\n\tabsolute = true;\n};\n\n",
	    NS_PER_S, start / NS_PER_S, start % NS_PER_S);
}

/* Writes a name for each combination of flags. */
static void put_flags(struct ktrace_out *out)
{
	__u32 flags;

	ktrace_out_str(out, "\t\tenum : x8 { \"none\" = 0");
	for (flags = 1; flags < KTRACE_EVENT_CONTEXT; flags++) {
		ktrace_out_str(out, ", \"");
		line_put_flags(out, flags);
		put(out, "\" = %u", flags);
	}
	ktrace_out_str(out, " } _flags;\n");
}

static void put_stream(struct ktrace_out *out)
{
	ktrace_out_str(out, "stream {\n\tpacket.context := struct {\n\t\tstamp timestamp_begin;\n"
		       "\t\tstamp timestamp_end;\n\t\tu64 content_size;\n\t\tu64 packet_size;\n"
		       "\t\tu64 packet_seq_num;\n\t\tu64 events_discarded;\n\t\ts32 cpu_id;\n"
		       "\t\tu32 _stream;\n\t\tu32 _trace;\n");
	put(out, "\t\tenum : u32 { \"kernel\" = %u, \"user\" = %u } _kind;\n\t};\n",
		   KTRACE_CHANNEL_KERNEL, KTRACE_CHANNEL_USER);
	ktrace_out_str(out, "\tevent.header := struct {\n\t\tu32 id;\n\t\tstamp timestamp;\n\t};\n"
		       "\tevent.context := struct {\n\t\tu32 _tid;\n\t\tu32 _pid;\n"
		       "\t\tstring { encoding = UTF8; } _comm;\n");
	put_flags(out);
	ktrace_out_str(out, "\t};\n};\n\n");
}

/* Writes a name without its underscore; characters outside TSDL's alphabet become underscores. */
static void put_word(struct ktrace_out *out, const char *name)
{
	for (; *name; name++)
		ktrace_out_char(out, (*name >= 'a' && *name <= 'z') ||
				     (*name >= 'A' && *name <= 'Z') ||
				     (*name >= '0' && *name <= '9') ? *name : '_');
}

/* True if two names of a type become the same in TSDL; the second then gets a number. */
static bool is_same_word(const char *a, const char *b)
{
	char words[2][256];
	struct ktrace_out x = { .buf = words[0], .cap = sizeof(words[0]) };
	struct ktrace_out y = { .buf = words[1], .cap = sizeof(words[1]) };

	put_word(&x, a);
	put_word(&y, b);
	return x.len == y.len && !memcmp(words[0], words[1], x.len);
}

/*
 * struct names - names of one struct
 * @given:	names in use, with a NUL before and after each
 * @word:	the current one, ends with a NUL
 */
struct names {
	struct ktrace_out given;
	struct ktrace_out word;
};

static bool is_given(const struct names *n, const char *before, const char *behind)
{
	char *name = NULL;
	bool is_found;
	int len;

	len = asprintf(&name, "%c%s%s%s%c", '\0', before, n->word.buf, behind, '\0');
	is_found = len > 0 && memmem(n->given.buf, n->given.len, name, (size_t)len);
	free(len > 0 ? name : NULL);
	return is_found;
}

static void give(struct names *n, const char *before, const char *behind)
{
	ktrace_out_str(&n->given, before);
	ktrace_out_str(&n->given, n->word.buf);
	ktrace_out_str(&n->given, behind);
	ktrace_out_char(&n->given, '\0');
}

static void put_number(struct names *n, size_t len, __u32 number)
{
	n->word.len = len;
	if (number > 1)
		put(&n->word, "__%u", number);
	ktrace_out_char(&n->word, '\0');
}

/* Finds a name for a field such that neither it nor the name of its length is in use. */
static int name_field(struct names *n, const struct ktrace_event_type *type, __u32 i,
		      bool is_sequence)
{
	__u32 k, number = 1;
	size_t len;

	n->word.len = 0;
	put_word(&n->word, type->fields[i].name);
	len = n->word.len;
	for (k = 0; k < i; k++)
		number += is_same_word(type->fields[k].name, type->fields[i].name);
	put_number(n, len, number);
	while (!n->word.error &&
	       (is_given(n, "_", "") || (is_sequence && is_given(n, "__", "_length"))))
		put_number(n, len, ++number);
	if (n->word.error)
		return n->word.error;
	give(n, "_", "");
	if (is_sequence)
		give(n, "__", "_length");
	return n->given.error;
}

/* Attributes of a scalar in TSDL: signed, base, encoding */
static const struct {
	const char *sign;
	const char *rest;
} scalars[KTRACE_SCALAR_NR] = {
	[KTRACE_S8] = { "true", "" }, [KTRACE_S16] = { "true", "" }, [KTRACE_S32] = { "true", "" },
	[KTRACE_S64] = { "true", "" },
	[KTRACE_U8] = { "false", "" }, [KTRACE_U16] = { "false", "" },
	[KTRACE_U32] = { "false", "" }, [KTRACE_U64] = { "false", "" },
	[KTRACE_X8] = { "false", "base = 16; " }, [KTRACE_X16] = { "false", "base = 16; " },
	[KTRACE_X32] = { "false", "base = 16; " }, [KTRACE_X64] = { "false", "base = 16; " },
	[KTRACE_PTR] = { "false", "base = 16; " }, [KTRACE_CHAR] = { "false", "encoding = UTF8; " },
};

static void put_scalar(struct ktrace_out *out, const struct ktrace_field *f)
{
	if (f->scalar == KTRACE_F32 || f->scalar == KTRACE_F64)
		put(out, "floating_point { exp_dig = %u; mant_dig = %u; align = 8; }",
			   f->scalar == KTRACE_F32 ? 8 : 11, f->scalar == KTRACE_F32 ? 24 : 53);
	else
		put(out, "integer { size = %u; align = 8; signed = %s; %s}", 8 * f->size,
			   scalars[f->scalar].sign, scalars[f->scalar].rest);
}

/*
 * Writes an enum over the field's integer type, with the first name of each value, which is the
 * one shown.
 */
static void put_enum(struct ktrace_out *out, const struct ktrace_field *f)
{
	const bool is_signed = *scalars[f->scalar].sign == 't';
	const struct ktrace_enumerator *e;
	const char *comma = "";
	__u32 i;

	ktrace_out_str(out, "enum : ");
	put_scalar(out, f);
	ktrace_out_str(out, " {");
	for (i = 0; i < f->enum_nr; i++) {
		e = &f->enums[i];
		if (ktrace_enumerator_find(f, e->value) != e->name)
			continue;
		ktrace_out_str(out, comma);
		ktrace_out_char(out, ' ');
		put_quoted(out, e->name);
		ktrace_out_str(out, " = ");
		if (is_signed)
			ktrace_out_s64(out, e->value);
		else
			ktrace_out_u64(out, (__u64)e->value);
		comma = ",";
	}
	ktrace_out_str(out, " }");
}

static void put_field(struct ktrace_out *out, const struct ctf_class *class, __u32 i,
		      struct names *names)
{
	const struct ktrace_field *f = !i && class->first ? class->first : &class->type->fields[i];
	const bool is_last = i + 1 == class->fields;
	const bool is_sequence = f->shape == KTRACE_COUNTED || (is_last && class->is_cut);

	out->error = out->error ? out->error : name_field(names, class->type, i, is_sequence);
	if (out->error)
		return;
	if (is_sequence) {
		ktrace_out_str(out, "\t\tu32 __");
		ktrace_out_str(out, names->word.buf);
		ktrace_out_str(out, "_length;\n");
	}
	ktrace_out_str(out, "\t\t");
	if (f->shape == KTRACE_STRING)
		ktrace_out_str(out, "string { encoding = UTF8; }");
	else if (f->enum_nr)
		put_enum(out, f);
	else
		put_scalar(out, f);
	ktrace_out_str(out, " _");
	ktrace_out_str(out, names->word.buf);
	if (is_sequence) {
		ktrace_out_str(out, "[__");
		ktrace_out_str(out, names->word.buf);
		ktrace_out_str(out, "_length]");
	} else if (f->shape == KTRACE_FIXED) {
		put(out, "[%u]", f->count);
	}
	ktrace_out_str(out, ";\n");
}

static void put_item(struct ktrace_out *out, __u32 kind)
{
	const char *name = ktrace_item_name(kind);

	switch (kind) {
	case KTRACE_ITEM_KSTACK:
	case KTRACE_ITEM_USTACK:
		put(out, "\t\tx64 _%s;\n\t\tu32 __%s_frames_length;\n"
			   "\t\tx64 _%s_frames[__%s_frames_length];\n", name, name, name, name);
		break;
	case KTRACE_ITEM_CGROUP:
		ktrace_out_str(out, "\t\tstring { encoding = UTF8; } _cgroup;\n");
		break;
	case KTRACE_ITEM_NSPID:
		ktrace_out_str(out, "\t\tu32 _nspid;\n\t\tu32 _nstid;\n");
		break;
	default:
		ktrace_out_str(out, "\t\tu64 _");
		put_word(out, name);
		ktrace_out_str(out, ";\n");
	}
}

static void put_context(struct ktrace_out *out, const struct ctf_class *class)
{
	__u32 kind;

	if (!class->is_late && !class->kinds)
		return;
	ktrace_out_str(out, "\tcontext := struct {\n");
	if (class->is_late)
		ktrace_out_str(out, "\t\tu64 _time;\n");
	for (kind = 0; kind < 64; kind++)
		if (class->kinds >> kind & 1)
			put_item(out, kind);
	ktrace_out_str(out, "\t};\n");
}

static void put_fields(struct ktrace_out *out, const struct ctf_class *class)
{
	struct names names = { .given.flush = output_grow, .word.flush = output_grow };
	__u32 i;

	ktrace_out_char(&names.given, '\0');
	for (i = 0; i < class->fields; i++)
		put_field(out, class, i, &names);
	free(names.given.buf);
	free(names.word.buf);
}

static void put_class(struct ktrace_out *out, const struct ctf_class *class)
{
	const struct ktrace_trace_stream stream = { .kind = class->kind };
	const struct ktrace_trace_event e = {
		.type = class->type, .id = class->id, .stream = &stream,
	};

	ktrace_out_str(out, "event {\n\tname = \"");
	ktrace_event_name(out, &e);
	put(out, "\";\n\tid = %u;\n", class->number - 1);
	put_context(out, class);
	ktrace_out_str(out, "\tfields := struct {\n");
	if (class->fields == CTF_BYTES)
		ktrace_out_str(out, "\t\tu32 __bytes_length;\n\t\tx8 _bytes[__bytes_length];\n");
	else
		put_fields(out, class);
	ktrace_out_str(out, "\t};\n};\n\n");
}

void ctf_put_metadata(struct ktrace_out *out, const struct ctf *c)
{
	size_t i;

	ktrace_out_str(out, "/* CTF 1.8 */\n\n");
	ktrace_out_str(out, preamble);
	put_trace(out, c);
	put_environment(out, c);
	put_clock(out, c);
	ktrace_out_str(out, stamp);
	put_stream(out);
	for (i = 0; i < c->classes.nr && !out->error; i++)
		put_class(out, hash_table_at(&c->classes, i));
}
