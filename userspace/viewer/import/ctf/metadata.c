// SPDX-License-Identifier: GPL-2.0
/*
 * metadata.c - reads the file "metadata" of a CTF trace
 *
 * The file is text, or packets of text, as from LTTng. Text that begins with a JSON object is of
 * CTF 2, any other of CTF 1.8.
 */
#include "metadata.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/viewer.h"
#include "json.h"
#include "tsdl.h"

#define MAGIC 0x75d11d57u
#define SIZE_MAX_METADATA (256u << 20)

/* struct header - header of a packet; sizes are in bits, all in the byte order of magic */
struct header {
	__u32 magic;
	unsigned char uuid[16];
	__u32 checksum;
	__u32 content_size;
	__u32 packet_size;
	unsigned char compression;
	unsigned char encryption;
	unsigned char checksum_kind;
	unsigned char major;
	unsigned char minor;
} __attribute__((packed));

/*
 * Returns what is wrong with a packet, NULL = nothing; @left: bytes of the file from its header on
 */
static const char *fault_of(const struct header *h, bool is_swapped, size_t left, size_t *content,
			    size_t *size)
{
	const __u32 bits = is_swapped ? __builtin_bswap32(h->content_size) : h->content_size;
	const __u32 packet = is_swapped ? __builtin_bswap32(h->packet_size) : h->packet_size;

	*content = bits / 8;
	*size = packet / 8;
	if ((is_swapped ? __builtin_bswap32(h->magic) : h->magic) != MAGIC)
		return "no packet of metadata begins here";
	if (bits / 8 < sizeof(*h) || bits > packet || packet % 8)
		return "this packet of metadata has no possible size";
	if (h->compression || h->encryption)
		return "this packet of metadata is compressed or encrypted";
	return *size > left ? "ends within a packet of metadata" : NULL;
}

/* Joins the text of all packets at the beginning of @data. False: damaged, as reported. */
static bool unpack(const char *path, char *data, size_t *size)
{
	struct header h = { 0 };
	const char *fault = NULL;
	size_t at = 0, to = 0, content, packet;
	bool is_swapped = false;

	while (at < *size && !fault) {
		memcpy(&h, data + at, *size - at < sizeof(h) ? *size - at : sizeof(h));
		if (!at)
			is_swapped = h.magic == __builtin_bswap32(MAGIC);
		fault = *size - at < sizeof(h) ? "ends within the header of a packet" :
			fault_of(&h, is_swapped, *size - at, &content, &packet);
		if (fault)
			break;
		memmove(data + to, data + at + sizeof(h), content - sizeof(h));
		to += content - sizeof(h);
		at += packet;
	}
	if (fault)
		complain_about(path, "offset %zu: damaged: %s", at, fault);
	data[to] = 0;
	*size = to;
	return !fault;
}

static bool is_packets(const char *data, size_t size)
{
	__u32 magic = 0;

	memcpy(&magic, data, size < sizeof(magic) ? size : sizeof(magic));
	return magic == MAGIC || magic == __builtin_bswap32(MAGIC);
}

/* Returns the bytes of the file with a 0 behind them; NULL: reported */
static char *load(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	struct stat st = { 0 };
	char *data = NULL;

	if (!file || fstat(fileno(file), &st)) {
		complain_about(path, "%s", strerror(errno));
	} else if (st.st_size > SIZE_MAX_METADATA) {
		complain_about(path, "metadata above 256 MiB");
	} else {
		data = malloc((size_t)st.st_size + 1);
		*size = data ? fread(data, 1, (size_t)st.st_size, file) : 0;
		if (!data || ferror(file)) {
			complain_about(path, "%s", strerror(errno));
			free(data);
			data = NULL;
		}
	}
	if (data)
		data[*size] = 0;
	if (file)
		fclose(file);
	return data;
}

/* Removes the offset of a clock with which its times would be beyond 64 bits of ns. */
static void check_clocks(const char *path, struct ctf_schema *schema, bool *is_damaged)
{
	__s64 ns;

	for (struct ctf_clock *c = schema->clocks; c; c = c->next) {
		if (ctf_clock_ns(c, 0, &ns))
			continue;
		complain_about(path, "clock %s: its offset of %" PRId64 " s is beyond any date: "
			       "ignored, times count from the clock's 0",
			       c->id, (int64_t)c->seconds);
		c->seconds = 0;
		c->cycles = 0;
		c->is_epoch = false;
		*is_damaged = true;
	}
}

bool metadata_read(const char *path, struct ctf_schema *schema, bool *is_damaged)
{
	size_t size = 0, begin;
	char *data = load(path, &size);
	bool is_whole = false, is_json;

	if (data && (!is_packets(data, size) || unpack(path, data, &size))) {
		begin = strspn(data, "\x1e \t\r\n");
		is_json = data[begin] == '{';
		if (data[begin])
			is_whole = is_json ? json_parse(schema, path, data, size) :
					     tsdl_parse(schema, path, data);
		else
			complain_about(path, "the file is empty");
		check_clocks(path, schema, is_damaged);
	} else {
		schema = NULL;
	}
	free(data);
	*is_damaged = *is_damaged || !is_whole;
	return schema && schema->streams;
}
