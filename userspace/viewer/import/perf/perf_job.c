// SPDX-License-Identifier: GPL-2.0
/*
 * perf_job.c - writes events of perf: each with the frames that follow it
 *
 * An event is written when the next one begins, as its call chain follows its line. Its fields are
 * those of its text; a sample also has its period and the addresses of data.
 */
#include "perf_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf_text.h"

#define COMPLAINTS 10u		/* complaints about lines; the rest is only counted */

void perf_job_init(struct perf_job *job)
{
	struct ktrace_out *const all[] = {
		&job->desc, &job->data, &job->name, &job->text, &job->extra, &job->chain,
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		all[i]->flush = output_grow;
		all[i]->error = output_grow(all[i]);
	}
}

void perf_job_free(struct perf_job *job)
{
	free(job->desc.buf);
	free(job->data.buf);
	free(job->name.buf);
	free(job->text.buf);
	free(job->extra.buf);
	free(job->chain.buf);
	free(job->frame_line);
	free(job->source_line);
	free(job->losses);
	import_stacks_free(job->stacks);
}

void perf_job_complain(struct perf_job *job, __u64 nr, const char *what)
{
	if (job->bad++ < COMPLAINTS)
		complain_about(job->path, "%llu: %s", nr, what);
	else if (job->bad == COMPLAINTS + 1)
		complain_about(job->path, "further lines are only counted");
}

static const char *or_null(const char *s)
{
	return *s ? s : NULL;
}

int perf_job_begin(struct perf_job *job)
{
	struct import_writer_about about = {
		.tool = "perf", .host = or_null(job->host), .kernel = or_null(job->kernel),
		.machine = *job->machine ? job->machine : "x86_64",
	};
	struct import_clock told;
	int ret = import_clock(job->x, &told);

	if (ret < 0)
		return ret;
	if (!ret && !job->zero_ns)
		complain_about(job->path, "%s", IMPORT_NO_CLOCK);
	about.real_ns = ret ? told.real_ns : job->zero_ns;
	about.boot = or_null(told.boot);
	if (!about.host)
		about.host = or_null(told.host);
	job->stacks = import_stacks_new(job->f, job->path);
	return job->stacks ? import_writer_about(job->f, &about) : -ENOMEM;
}

/* Adds the pending frame to the stack. */
int perf_job_end_frame(struct perf_job *job)
{
	const struct ktrace_trace_code *code = &job->frame.code;
	const char *name = code->function ? code->function : "[unknown]";

	if (!job->has_frame)
		return 0;
	job->has_frame = false;
	if (job->chain.len)
		ktrace_out_char(&job->chain, ';');
	ktrace_out_bytes(&job->chain, name, strlen(name));
	if (code->has_offset) {
		ktrace_out_str(&job->chain, "+0x");
		ktrace_out_hex(&job->chain, code->offset, 1);
	}
	/* A program's stack may have any number where an address should be. */
	job->is_program = (job->is_program && !code->module) ||
			  !perf_frame_is_kernel(&job->frame);
	return import_stacks_add(job->stacks, !job->is_program, job->frame.address, code);
}

int perf_job_frame(struct perf_job *job, const struct perf_frame *frame)
{
	int ret;

	if (job->is_guess) {
		job->is_guess = job->has_frame = false;
		perf_text_string(&job->desc, &job->data, "columns", job->text.buf);
	}
	ret = perf_job_end_frame(job);

	job->frame = *frame;
	job->has_frame = true;
	return ret;
}

/* Takes an address of code from text that does not stay: keeps a copy. */
static int take_frame(struct perf_job *job, const char *text, bool *is_known)
{
	char *copy = strdup(text);
	struct perf_frame frame;
	int ret;

	if (!copy)
		return -ENOMEM;
	*is_known = perf_frame_parse(copy, &frame);
	if (!*is_known) {
		free(copy);
		return 0;
	}
	ret = perf_job_frame(job, &frame);
	free(job->frame_line);
	job->frame_line = copy;
	return ret;
}

static int take_source(struct perf_job *job, const char *text, bool *is_known)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	*is_known = job->has_frame && perf_frame_source(copy, &job->frame);
	if (!*is_known) {
		free(copy);
		return 0;
	}
	free(job->source_line);
	job->source_line = copy;
	return 0;
}

/* Registers, branches, source and instructions, which stay text. */
static bool is_extra(const char *line)
{
	const char *at = line + strspn(line, " \t");

	return !strncmp(at, "ABI:", 4) || !strncmp(at, "insn:", 5) || *line == '|' ||
	       (!strncmp(at, "0x", 2) && strchr(at, '/')) || strstr(at, "\tinsn: ") ||
	       strstr(at, "# PRED") || strstr(at, "# MISPRED") || strstr(at, "\t# ");
}

int perf_job_more(struct perf_job *job, const char *line, bool *is_known)
{
	const char *at = line + strspn(line, " \t");
	const size_t digits = strspn(at, "0123456789abcdef");
	int ret = 0;

	*is_known = false;
	if (!job->has_event)
		return 0;
	if (job->layout.has_phys && digits && !at[digits + strspn(at + digits, " ")]) {
		perf_text_number(&job->desc, &job->data, "x64", "phys_addr",
				 strtoull(at, NULL, 16));
		*is_known = true;
		return 0;
	}
	/* A name with a newline, padded, may begin like a number. */
	if ((*line == '\t' || at - line + (ptrdiff_t)digits >= 16) && !is_extra(line))
		ret = take_frame(job, line, is_known);
	if (!ret && !*is_known && at != line)
		ret = take_source(job, line, is_known);
	if (ret || *is_known || !is_extra(line))
		return ret;
	if (job->extra.len)
		ktrace_out_char(&job->extra, '\n');
	ktrace_out_bytes(&job->extra, line, strlen(line));
	*is_known = true;
	return job->extra.error;
}

/*
 * Writes the event as text: its fields are invalid or, if text only looks like fields, need more
 * types than there are.
 */
static int describe_as_text(struct perf_job *job)
{
	job->data.len = 0;
	ktrace_out_bytes(&job->data, job->name.buf, job->name.len);
	ktrace_out_bytes(&job->data, job->text.buf, job->text.len);
	ktrace_out_bytes(&job->data, job->chain.buf, job->chain.len);
	ktrace_out_char(&job->data, 0);
	return job->data.error ? job->data.error :
	       import_type(job->f, KTRACE_CHANNEL_KERNEL, IMPORT_WRITER_TEXT, &job->event.type);
}

static void keep_text(struct ktrace_out *out, const char *text)
{
	out->len = 0;
	ktrace_out_bytes(out, text, strlen(text) + 1);
}

/* Records the losses before a stamp. */
static int put_losses(struct perf_job *job, __u64 ns)
{
	int ret = 0;

	for (; job->loss_at < job->loss_nr && job->losses[job->loss_at].ns <= ns && !ret;
	     job->loss_at++) {
		const struct perf_loss *loss = &job->losses[job->loss_at];
		struct ktrace_lost newly = { 0 };

		newly.count[loss->reason] = loss->count;
		ret = import_writer_lost(job->f, KTRACE_CHANNEL_KERNEL, loss->cpu, loss->ns,
					 &newly);
	}
	return ret;
}

int perf_job_end(struct perf_job *job)
{
	int ret = perf_job_end_frame(job);

	if (!job->has_event)
		return ret;
	job->has_event = false;
	if (job->extra.len) {
		ktrace_out_char(&job->extra, 0);
		perf_text_string(&job->desc, &job->data, "extra", job->extra.buf);
	}
	ktrace_out_bytes(&job->desc, "}", 2);
	if (!ret)
		ret = job->desc.error ? job->desc.error : job->data.error;
	if (!ret)
		ret = import_type(job->f, KTRACE_CHANNEL_KERNEL, job->desc.buf, &job->event.type);
	if (ret == -EINVAL || ret == -EOVERFLOW)
		ret = describe_as_text(job);
	if (!ret)
		ret = import_stacks_put(job->stacks, &job->event, &job->data);
	if (!ret)
		ret = put_losses(job, job->event.ts);
	job->event.data = job->data.buf;
	job->event.len = job->data.len;
	return ret ? ret : import_writer_put(job->f, &job->event);
}

int perf_job_finish(struct perf_job *job)
{
	int ret = perf_job_end(job);

	return ret ? ret : put_losses(job, ~0ull);
}

static int put_loss(struct perf_job *job, const struct perf_line *line, int reason, __u64 count)
{
	struct ktrace_lost newly = { 0 };

	newly.count[reason] = count;
	return import_writer_lost(job->f, KTRACE_CHANNEL_KERNEL, line->cpu, line->ns, &newly);
}

int perf_job_error(struct perf_job *job, const char *line)
{
	const char *time = strstr(line, " time "), *cpu = strstr(line, " cpu ");
	struct perf_line at = { .ns = job->last_ns, .cpu = cpu ? atoi(cpu + 5) : -1 };
	unsigned long long s, ns;
	int ret = perf_job_end(job);

	if (!ret && !import_writer_has_about(job->f))
		ret = perf_job_begin(job);
	if (time && sscanf(time, " time %llu.%9llu", &s, &ns) == 2 && s < 10000000000ull)
		at.ns = s * 1000000000 + ns;
	return ret ? ret : put_loss(job, &at, KTRACE_LOST_CORRUPT, 1);
}

/* "PERF_RECORD_LOST lost 12"; other records of perf's become events with their text. */
static int take_record(struct perf_job *job, const struct perf_line *line, bool *is_event)
{
	const char *record = *line->event ? line->event : line->text;
	const char *lost = strstr(line->text, "lost ");
	char name[64];
	size_t n;

	*is_event = false;
	if (lost && !strncmp(record, "PERF_RECORD_LOST", 16))
		return put_loss(job, line, KTRACE_LOST_FULL, strtoull(lost + 5, NULL, 10));
	if (!strncmp(record, "PERF_RECORD_THROTTLE", 20))
		return put_loss(job, line, KTRACE_LOST_STOPPED, 1);
	*is_event = true;
	record += strlen("PERF_RECORD_");
	for (n = 0; n < sizeof(name) - 1 && ((record[n] >= 'A' && record[n] <= 'Z') ||
	     (record[n] >= '0' && record[n] <= '9') || record[n] == '_'); n++)
		name[n] = (char)(record[n] >= 'A' && record[n] <= 'Z' ? record[n] | 32 :
				 record[n]);
	name[n] = 0;
	ktrace_out_str(&job->desc, "perf:record_");
	import_writer_name(&job->desc, name);
	ktrace_out_char(&job->desc, '{');
	record = *line->event ? line->text : record + n;
	while (*record == ' ' || *record == ':')
		record++;
	keep_text(&job->name, "perf:record");
	perf_text_string(&job->desc, &job->data, "text", record);
	return 0;
}

/* Begins the description; a name that cannot be an event's is kept in a field. */
static void put_name(struct perf_job *job, const char *event)
{
	const char *name = perf_line_is_tracepoint(event) ? strchr(event, ':') + 1 : event;
	char *system = name == event ? NULL : strndup(event, (size_t)(name - 1 - event));
	size_t n;

	import_writer_name(&job->desc, system ? system : "perf");
	ktrace_out_char(&job->desc, ':');
	n = job->desc.len;
	import_writer_name(&job->desc, name);
	ktrace_out_char(&job->desc, '{');
	/* A name that was cut or changed */
	if (job->desc.len - n - 1 != strlen(name) || strncmp(job->desc.buf + n, name, strlen(name)))
		perf_text_string(&job->desc, &job->data, "name", event);
	free(system);
}

/* Cuts off the last word, a number in @base. */
static bool cut_number(char *s, int base, __u64 *out)
{
	size_t n = strlen(s);
	char *end;

	while (n && s[n - 1] == ' ')
		s[--n] = 0;
	while (n && s[n - 1] != ' ')
		n--;
	*out = strtoull(s + n, &end, base);
	if (!s[n] || *end)
		return false;
	s[n] = 0;
	return true;
}

static void put_number(struct perf_job *job, const char *type, const char *name, __u64 value)
{
	perf_text_number(&job->desc, &job->data, type, name, value);
}

/* Skips "SYMBOL (FILE)"; Return: what follows. */
static char *skip_symbol(char *s)
{
	int depth;

	for (char *at = strstr(s, "("); at; at = strstr(at + 1, "(")) {
		if (at > s && at[-1] != ' ')
			continue;
		depth = 0;
		for (char *end = at; *end; end++) {
			depth += *end == '(';
			depth -= *end == ')';
			if (!depth && (!end[1] || end[1] == ' '))
				return end + 1;
			if (!depth)
				break;
		}
	}
	return s + strlen(s);
}

static char *skip_blanks(char *s)
{
	return s + strspn(s, " ");
}

/* Takes the address of data, with the symbol that perf may print after it. */
static char *take_addr(struct perf_job *job, char *s)
{
	char *end;

	put_number(job, "x64", "addr", strtoull(s, &s, 16));
	s = skip_blanks(s);
	end = s + strspn(s, "0123456789abcdef");
	if (!*s || (end > s && (!*end || *end == ' ')))
		return s;
	end = skip_symbol(s);
	if (*end)
		*end++ = 0;
	perf_text_string(&job->desc, &job->data, "addr_symbol", s);
	return skip_blanks(end);
}

/* Takes all that perf prints after the name of a sample, when it was told what to print. */
static int take_columns(struct perf_job *job, char *text)
{
	const struct perf_layout *l = &job->layout;
	char *s = skip_blanks(text);
	bool is_known = true;
	__u64 phys;
	int ret = 0;

	if (l->has_addr)
		s = take_addr(job, s);
	if (l->has_weight && *s >= '0' && *s <= '9')
		put_number(job, "u64", "weight", strtoull(s, &s, 10));
	s = skip_blanks(s);
	if (l->has_phys && strchr(s, ')') && cut_number(s, 16, &phys))
		put_number(job, "x64", "phys_addr", phys);
	if (*s)
		ret = take_frame(job, s, &is_known);
	if (is_known)
		*text = 0;
	else
		memmove(text, s, strlen(s) + 1);
	return ret;
}

/* The same for a tracepoint, whose text comes first. What is left of @text is that text. */
static int take_end(struct perf_job *job, char *text)
{
	const struct perf_layout *l = &job->layout;
	char *ip = perf_frame_find(text);
	bool is_known;
	__u64 value;
	int ret = 0;

	if (!l->is_known)
		return 0;
	if (l->has_phys && ip && !strpbrk(ip, " (")) {
		put_number(job, "x64", "phys_addr", strtoull(ip, NULL, 16));
		*ip = 0;
		ip = perf_frame_find(text);
	}
	if (ip && strstr(ip, " (")) {
		ret = take_frame(job, ip, &is_known);
		*ip = 0;
	}
	if (l->has_weight && cut_number(text, 10, &value))
		put_number(job, "u64", "weight", value);
	if (l->has_addr && cut_number(text, 16, &value))
		put_number(job, "x64", "addr", value);
	return ret;
}

/*
 * Takes an address of code at the end of the text of a sample, if it is not known what perf was
 * told to print. If frames follow, it is no address of code.
 */
static int guess_frame(struct perf_job *job, char *text)
{
	char *ip = perf_frame_find(text);
	bool is_known;
	int ret;

	if (!ip) {
		ip = text;
		if (strspn(text, "0123456789abcdef") < 4)
			return 0;
	}
	ret = take_frame(job, ip, &is_known);
	job->is_guess = !ret && is_known;
	if (job->is_guess)
		*ip = 0;
	return ret;
}

/* Says once that system calls are named by a machine that the input does not tell. */
static void tell_machine(struct perf_job *job, const char *event)
{
	if (*job->machine || job->has_told_machine ||
	    (strncmp(event, "syscalls:", 9) && strncmp(event, "raw_syscalls:", 13)))
		return;
	job->has_told_machine = true;
	complain_about(job->path, "does not say its machine: names and numbers of system calls "
		       "are those of x86_64");
}

static int take_fields(struct perf_job *job, const struct perf_line *line)
{
	const char *event = *line->event ? line->event : "sample";
	const bool is_tracepoint = perf_line_is_tracepoint(event);
	int ret;

	tell_machine(job, event);
	put_name(job, event);
	if (line->period && (!is_tracepoint || line->period != 1))
		put_number(job, "u64", "period", line->period);
	if (line->tid == IMPORT_WRITER_TID_UNKNOWN && *line->comm)
		perf_text_string(&job->desc, &job->data, "comm", line->comm);
	if (is_tracepoint)
		ret = take_end(job, (char *)line->text);
	else
		ret = job->layout.is_known ? take_columns(job, (char *)line->text) :
		      guess_frame(job, (char *)line->text);
	if (!ret)
		perf_text_parse(event, (char *)line->text, &job->desc, &job->data);
	return ret;
}

static bool is_address(const char *text)
{
	const size_t n = strspn(text, "0123456789abcdef");

	return !*text || (n && n <= 16 && (!text[n] || text[n] == ' '));
}

int perf_job_event(struct perf_job *job, const struct perf_line *line)
{
	bool is_event = true;
	int ret = perf_job_end(job);

	if (!ret && !import_writer_has_about(job->f))
		ret = perf_job_begin(job);
	if (ret)
		return ret;
	job->desc.len = job->data.len = job->chain.len = job->extra.len = 0;
	job->is_guess = job->is_program = false;
	keep_text(&job->name, line->event);
	keep_text(&job->text, line->text);
	if (perf_line_is_record(line)) {
		ret = take_record(job, line, &is_event);
	} else if (!*line->event && !is_address(line->text)) {
		perf_job_complain(job, job->nr, "the time is not followed by an event name and a "
				  "colon");
		is_event = false;
	} else {
		ret = take_fields(job, line);
	}
	if (!is_event || ret)
		return ret;
	snprintf(job->comm, sizeof(job->comm), "%s", line->comm);
	job->untimed += !line->has_time;
	job->event = (struct import_writer_event){
		.cpu = line->cpu, .ts = line->has_time ? line->ns : job->last_ns + 1,
		.tid = line->tid, .pid = line->pid, .comm = or_null(job->comm),
	};
	job->last_ns = job->event.ts;
	job->has_event = true;
	return 0;
}
