// SPDX-License-Identifier: GPL-2.0
/* message.c - parts of recordings: what describes them, and names made from that */
#include "message.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include <ktrace/traceset.h>

#include "base/clock.h"

#define READ_SIZE (64u << 10)

bool message_host(char host[MESSAGE_HOST_MAX + 1], const char *name)
{
	size_t n = 0;

	for (; *name && n + 3 <= MESSAGE_HOST_MAX; name++) {
		const unsigned char c = (unsigned char)*name;

		if (isalnum(c) || c == '-' || c == '_')
			host[n++] = (char)c;
		else
			n += (size_t)sprintf(host + n, "%%%02X", c);
	}
	host[n] = '\0';
	return n && !*name;
}

bool message_is_inbox(const char *reply)
{
	return reply && !strncmp(reply, MESSAGE_INBOX, strlen(MESSAGE_INBOX));
}

bool message_is_host(const char *text)
{
	for (; *text; text++) {
		if (isalnum((unsigned char)*text) || *text == '-' || *text == '_')
			continue;
		if (*text != '%' || !isxdigit((unsigned char)text[1]) ||
		    !isxdigit((unsigned char)text[2]))
			return false;
		text += 2;
	}
	return true;
}

static bool is_hex(const char *text, size_t size)
{
	return strlen(text) == size && strspn(text, "0123456789abcdef") == size;
}

static bool is_boot(const char *text)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	size_t i;

	for (i = 0; i < sizeof(form) - 1; i++)
		if (form[i] == '-' ? text[i] != '-' : !strchr("0123456789abcdef", text[i]) ||
		    !text[i])
			return false;
	return !text[i];
}

void message_put(char text[MESSAGE_TEXT_MAX], const struct message_part *p)
{
	snprintf(text, MESSAGE_TEXT_MAX,
		 "host=%s boot=%s uuid=%s part=%u start=%llu size=%llu crc=%08x", p->host, p->boot,
		 p->uuid, p->number, (unsigned long long)p->start_ns, (unsigned long long)p->size,
		 p->crc);
}

bool message_parse(const char *text, struct message_part *p)
{
	char again[MESSAGE_TEXT_MAX];

	*p = (struct message_part){ .number = 0 };
	if (sscanf(text, "host=%200[^ ] boot=%36[^ ] uuid=%32[^ ] part=%" SCNu32 " start=%llu "
		   "size=%llu crc=%" SCNx32, p->host, p->boot, p->uuid, &p->number, &p->start_ns,
		   &p->size, &p->crc) != 7)
		return false;
	message_put(again, p);
	/* Nothing before, between or after, and no number that is too large */
	return !strcmp(text, again) && message_is_host(p->host) && is_boot(p->boot) &&
	       is_hex(p->uuid, 32) && p->number <= KTRACE_PART_MAX && p->size &&
	       p->size <= MESSAGE_FILE_MAX;
}

void message_subject(char text[MESSAGE_TEXT_MAX], const char *stream, const struct message_part *p)
{
	snprintf(text, MESSAGE_TEXT_MAX, "%s.data.%s.%s.%s.%u", stream, p->host, p->boot, p->uuid,
		 p->number);
}

void message_id(char text[MESSAGE_TEXT_MAX], const struct message_part *p, __u64 piece,
		unsigned int attempt)
{
	char suffix[16] = "";

	if (attempt)
		snprintf(suffix, sizeof(suffix), ".%u", attempt);
	snprintf(text, MESSAGE_TEXT_MAX, "%s.%s.%s.%u.%llu%s", p->host, p->boot, p->uuid, p->number,
		 (unsigned long long)piece, suffix);
}

/* A dot at the beginning would hide the folder. */
void message_folder(char folder[MESSAGE_HOST_MAX + 1], const char *host)
{
	char *to = folder;

	for (const char *at = host; *at;) {
		const bool is_dot = at > host && !strncmp(at, "%2E", 3);

		*to++ = is_dot ? '.' : *at;
		at += is_dot ? 3 : 1;
	}
	*to = '\0';
}

void message_path_of(char text[MESSAGE_TEXT_MAX], const struct message_part *p, __u32 number)
{
	const time_t start = (time_t)(p->start_ns / NS_PER_S);
	char folder[MESSAGE_HOST_MAX + 1], date[32] = "", part[16] = "";
	struct tm utc;

	message_folder(folder, p->host);
	if (gmtime_r(&start, &utc))
		strftime(date, sizeof(date), "%Y%m%dT%H%M%SZ", &utc);
	if (number)
		snprintf(part, sizeof(part), ".%04u", number);
	snprintf(text, MESSAGE_TEXT_MAX, "%s/%s/%s-%s%s.bin", folder, p->boot, date, p->uuid, part);
}

void message_path(char text[MESSAGE_TEXT_MAX], const struct message_part *p)
{
	message_path_of(text, p, p->number);
}

int message_checksum(int fd, __u64 *size, __u32 *crc)
{
	static unsigned char buf[READ_SIZE];
	uLong sum = crc32(0, NULL, 0);
	ssize_t n;

	*size = 0;
	while ((n = pread(fd, buf, sizeof(buf), (off_t)*size)) > 0) {
		sum = crc32(sum, buf, (uInt)n);
		*size += (__u64)n;
		if (*size > MESSAGE_FILE_MAX)
			return -EFBIG;
	}
	*crc = (__u32)sum;
	return n < 0 ? -errno : 0;
}

static int describe_trace(const struct ktrace_trace *trace, struct message_part *p)
{
	const char *host = ktrace_trace_meta(trace, "host", "name");
	const char *boot = ktrace_trace_meta(trace, "host", "boot");
	const char *start = ktrace_trace_meta(trace, "trace", "start_ns");

	if (!ktrace_trace_is_closed(trace))
		return -EAGAIN;
	if (!host || !boot || !start || !is_boot(boot) || !message_host(p->host, host))
		return -EBADMSG;
	strcpy(p->boot, boot);
	p->start_ns = strtoull(start, NULL, 10);
	return 0;
}

static int read_header(int fd, struct message_part *p)
{
	struct ktrace_file h;
	const ssize_t n = pread(fd, &h, sizeof(h), 0);

	if (n != (ssize_t)sizeof(h) || memcmp(h.magic, KTRACE_FILE_MAGIC, sizeof(h.magic)))
		return n < 0 ? -errno : -EBADMSG;
	p->number = h.part;
	for (size_t i = 0; i < sizeof(h.uuid); i++)
		sprintf(p->uuid + 2 * i, "%02x", h.uuid[i]);
	return 0;
}

/* Describes an open tracefile, except for its checksum. */
static int identify(int fd, const char *path, struct message_part *p)
{
	struct ktrace_traceset *set;
	struct stat st;
	int ret = fstat(fd, &st) ? -errno : read_header(fd, p);

	if (!ret)
		ret = ktrace_traceset_open(NULL, &set);
	if (ret)
		return ret;
	p->size = (__u64)st.st_size;
	ret = ktrace_traceset_add(set, path);
	if (!ret)
		ret = describe_trace(ktrace_traceset_trace(set, 0), p);
	ktrace_traceset_close(set);
	return ret;
}

static int describe(const char *path, struct message_part *p, bool with_checksum)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	*p = (struct message_part){ .number = 0 };
	if (fd < 0)
		return -errno;
	ret = identify(fd, path, p);
	if (!ret && with_checksum)
		ret = message_checksum(fd, &p->size, &p->crc);
	close(fd);
	return ret;
}

int message_describe(const char *path, struct message_part *p)
{
	return describe(path, p, true);
}

int message_identify(const char *path, struct message_part *p)
{
	return describe(path, p, false);
}
