// SPDX-License-Identifier: GPL-2.0
/* record.c - describes a record of ftrace as an event of ktrace */
#include "record.h"

#include <stdlib.h>
#include <string.h>

#include "special.h"

#define FLAG_HARDIRQ 8
#define FLAG_SOFTIRQ 16
#define FLAG_NMI 64

static void put_unknown(struct record *r, const struct pages *p, unsigned int type)
{
	const __u32 count = (__u32)p->size;

	if (!r->bytes++)
		r->bytes_type = type;
	ktrace_out_str(&r->desc, "ftrace:unknown{x8[] record;");
	ktrace_out_bytes(&r->data, (const char *)&count, sizeof(count));
	ktrace_out_bytes(&r->data, (const char *)p->data, p->size);
}

/* Learns what each record begins with: its thread, and whether it is one of an interrupt. */
static void read_common(struct record *r, const struct pages *p, struct tep_event *event)
{
	const __u64 flags = fields_find_number(p, tep_find_common_field(event, "common_flags"));
	const char *comm;

	r->pid = (int)fields_find_number(p, tep_find_common_field(event, "common_pid"));
	r->is_irq = flags & (FLAG_HARDIRQ | FLAG_SOFTIRQ | FLAG_NMI);
	comm = r->pid ? tep_data_comm_from_pid(r->m->tep, r->pid) : NULL;
	r->comm = comm && strcmp(comm, "<...>") ? comm : NULL;
	r->is_call = !strcmp(event->system, "raw_syscalls") || !strcmp(event->system, "syscalls");
}

int record_describe(struct record *r, const struct pages *p, const char *buffer)
{
	struct tep_event *any = tep_get_first_event(r->m->tep);
	const unsigned int type = any ?
		(unsigned int)fields_find_number(p, tep_find_common_field(any, "common_type")) : 0;
	struct tep_event *event = tep_find_event(r->m->tep, (int)type);

	r->desc.len = r->data.len = 0;
	r->is_call = false;
	if (event || any)
		read_common(r, p, event ? event : any);
	if (event)
		special_describe(r, p, event);
	else
		put_unknown(r, p, type);
	if (*buffer)
		fields_string(r, "buffer", buffer, strlen(buffer));
	ktrace_out_bytes(&r->desc, "}", 2);
	return r->desc.error ? r->desc.error : r->data.error;
}

void record_init(struct record *r, const struct file *f, const struct formats *m)
{
	*r = (struct record){
		.f = f, .m = m, .desc.flush = output_grow, .data.flush = output_grow,
		.text.flush = output_grow,
	};
}

void record_free(struct record *r)
{
	free(r->desc.buf);
	free(r->data.buf);
	free(r->text.buf);
	enums_free(&r->enums);
}
