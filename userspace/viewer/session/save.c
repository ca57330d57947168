// SPDX-License-Identifier: GPL-2.0
/*
 * save.c - saves packets from the service's buffers as a tracefile, or as they are
 *
 * Collects all packets in a file without a name first: reading removes them from the buffers, and
 * a tracefile needs all of them, as one packet may give the time of another.
 */
#include "session.h"

#include "base/json.h"
#include "base/table.h"
#include "base/temporary.h"
#include "commit.h"
#include "import/perfetto/convert.h"
#include "service.pb-c.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRACE_PACKET 0x0a		/* tag of Trace.packet */

/* Field numbers */
enum { PACKET_EVENT = 11, EVENT_ANNOTATION = 4, EVENT_CATEGORY = 22, ANNOTATION_STRING = 6 };

#define ERROR_TEXT 512

static void put_size(FILE *to, size_t size)
{
	putc(TRACE_PACKET, to);
	for (; size >= 0x80; size >>= 7)
		putc((int)(size | 0x80) & 0xff, to);
	putc((int)size, to);
}

static int complain_temporary(void)
{
	temporary_failed(errno);
	return -ECANCELED;
}

/* Return: 0, -EPROTO, -ENOMEM, -ECANCELED after reporting the error. */
static int take_slices(const struct client_reply *r, struct ktrace_out *packet, FILE *to)
{
	Pft__ReadBuffersResponse *m = pft__read_buffers_response__unpack(NULL, r->size, r->data);

	if (!m)
		return -EPROTO;
	for (size_t i = 0; i < m->n_slices; i++) {
		const Pft__ReadBuffersResponse__Slice *slice = m->slices[i];

		if (slice->data.len)
			ktrace_out_bytes(packet, (char *)slice->data.data, slice->data.len);
		if (!slice->last_slice_for_packet)
			continue;
		if (output_room(fileno(to), packet->len))
			return errno = ENOSPC, complain_temporary();
		put_size(to, packet->len);
		fwrite(packet->buf, 1, packet->len, to);
		packet->len = 0;
		if (ferror(to))
			break;
	}
	if (ferror(to))
		packet->error = complain_temporary();
	pft__read_buffers_response__free_unpacked(m, NULL);
	return packet->error;
}

int save_read(struct client *c, FILE *to)
{
	Pft__ReadBuffersRequest args = PFT__READ_BUFFERS_REQUEST__INIT;
	struct ktrace_out packet = { .flush = output_grow };
	struct client_reply r = { .has_more = true };
	__u64 request;
	int ret;

	/* Allocates the buffer, which even an empty packet needs */
	ret = output_grow(&packet);
	if (!ret)
		ret = client_call(c, "ReadBuffers", &args.base, -1, &request);
	while (!ret && r.has_more) {
		ret = client_wait(c, request, &r, -1);
		/* Ignores the signal: reads to the end all the same. */
		if (ret == -EINTR) {
			ret = 0;
			r.has_more = true;
			continue;
		}
		if (!ret)
			ret = r.is_good ? take_slices(&r, &packet, to) : -EREMOTEIO;
	}
	free(packet.buf);
	if (!ret && fflush(to))
		ret = complain_temporary();
	if (ret && ret != -ECANCELED)
		session_failed("ReadBuffers", ret, &r);
	return ret;
}

static void set_host(struct conversion *c)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (file && fgets(c->boot, sizeof(c->boot), file))
		c->boot[strcspn(c->boot, "\n")] = '\0';
	if (file)
		fclose(file);
	if (gethostname(c->host, sizeof(c->host)))
		c->host[0] = '\0';
}

/*
 * Writes a tracefile. A named file gets its name when it is complete, so that no reader sees a
 * partial one.
 */
static int save_tracefile(const struct session *s, const char *path, const unsigned char *data,
			  size_t size)
{
	const char *writes = s->is_nameless ? path : output_name(path, 0, NULL);
	struct conversion c;

	if (!writes)
		return -ECANCELED;
	convert_init(&c, path, data, size);
	set_host(&c);
	return output_name_end(convert(&c, writes, 0));
}

static int save_packets(const char *path, const unsigned char *data, size_t size)
{
	const char *writes = output_name(path, 0, NULL);
	FILE *file;
	int ret = 0;

	if (!writes)
		return -ECANCELED;
	file = fopen(writes, "we");
	if (!file)
		return output_name_end(-errno);
	ret = output_room(fileno(file), size);
	if (!ret && fwrite(data, 1, size, file) != size)
		ret = -errno;
	if (fclose(file) && !ret)
		ret = -errno;
	return output_name_end(ret);
}

static void say_saved(const struct session *s, const char *path, __u64 nr)
{
	struct ktrace_out *out = output();
	struct stat st = { 0 };

	stat(path, &st);
	if (s->is_json) {
		ktrace_out_char(out, '{');
		json_str(out, "file", path);
		json_u64(out, "packets", nr);
		json_u64(out, "bytes", (__u64)st.st_size);
		ktrace_out_str(out, "}\n");
	} else if (!s->is_quiet) {
		ktrace_out_safe(out, path);
		out_printf(out, ": %llu packets, %llu bytes\n", nr, (__u64)st.st_size);
	}
}

/* Finds the next field @number with bytes inside @f; false if there is none. */
static bool find_inner(const struct packet_field *f, __u32 number, size_t *at,
		       struct packet_field *found)
{
	const struct packet p = { .data = f->data, .size = f->size };

	while (packet_next(&p, at, found) == 1)
		if (found->number == number && found->wire == 2)
			return true;
	return false;
}

/* Reports an event ktrace:error, as written by commit.c, to the user of the session. */
static void tell_error(const struct packet_field *event)
{
	char text[2][ERROR_TEXT] = { "ktrace", "" };
	struct packet_field category, note, value;
	size_t at = 0;

	if (!find_inner(event, EVENT_CATEGORY, &at, &category) ||
	    category.size != strlen(ERROR_EVENT) ||
	    memcmp(category.data, ERROR_EVENT, category.size))
		return;
	at = 0;
	for (int i = 0; i < 2 && find_inner(event, EVENT_ANNOTATION, &at, &note); i++) {
		size_t inside = 0;

		if (find_inner(&note, ANNOTATION_STRING, &inside, &value))
			snprintf(text[i], sizeof(text[i]), "%.*s", (int)value.size,
				 (const char *)value.data);
	}
	complain_about(text[0], "%s", text[1]);
}

static int count(void *arg, const struct packet *p)
{
	struct packet_field f;
	size_t at = 0;

	*(__u64 *)arg += !p->is_inner;
	while (packet_next(p, &at, &f) == 1)
		if (f.number == PACKET_EVENT && f.wire == 2)
			tell_error(&f);
	return 0;
}

int save_file(const struct session *s, FILE *from, const char *path)
{
	const unsigned char *data = NULL;
	struct packets_trouble trouble;
	struct stat st;
	__u64 nr = 0;
	int ret = fstat(fileno(from), &st) ? -errno : 0;

	if (!ret && st.st_size) {
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fileno(from), 0);
		if (data == MAP_FAILED)
			ret = -errno;
	}
	if (!ret)
		ret = s->has_packets ? save_packets(path, data, (size_t)st.st_size) :
		      save_tracefile(s, path, data, (size_t)st.st_size);
	if (ret >= 0 && data)
		packets_walk(data, (size_t)st.st_size, count, &nr, &trouble);
	if (data && data != MAP_FAILED)
		munmap((void *)data, (size_t)st.st_size);
	if (ret < 0) {
		if (ret != -ECANCELED)
			complain_about(path, "%s", output_error(ret));
		return STATUS_DAMAGED;
	}
	say_saved(s, path, nr);
	return ret ? STATUS_DAMAGED : STATUS_OK;
}

bool save_is_possible(const struct session *s)
{
	const bool is = !s->output || output_name(s->output, 0, NULL);

	/* Drops the file again; it is recreated when there is something to write. */
	output_name_end(-ECANCELED);
	return is;
}

int save_buffers(const struct session *s, struct client *c, const char *path)
{
	FILE *file = temporary_stream();
	int status = STATUS_DAMAGED;

	if (file && !save_read(c, file))
		status = save_file(s, file, path);
	if (file)
		fclose(file);
	return status;
}
