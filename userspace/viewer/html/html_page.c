// SPDX-License-Identifier: GPL-2.0
/*
 * html_page.c - the page itself, as the build puts it together
 *
 * Its parts are in userspace/viewer/html/; the Makefile makes the file HTML_PAGE from them.
 */
#include "html.h"

#include <string.h>

__asm__(".section .rodata\n"
	"html_page_begin: .incbin \"" HTML_PAGE "\"\n"
	"html_page_end:\n"
	".previous\n");

extern const char html_page_begin[], html_page_end[];

/* A line of its own, which the data replace */
static const char mark[] = "@DATA@\n";

static const char *find_mark(void)
{
	return memmem(html_page_begin, (size_t)(html_page_end - html_page_begin), mark,
		      strlen(mark));
}

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_base64(struct ktrace_out *out, const unsigned char *at, size_t size)
{
	char text[4];
	__u32 bits;
	size_t i;

	for (i = 0; i + 2 < size; i += 3) {
		bits = (__u32)at[i] << 16 | (__u32)at[i + 1] << 8 | at[i + 2];
		text[0] = digits[bits >> 18];
		text[1] = digits[bits >> 12 & 63];
		text[2] = digits[bits >> 6 & 63];
		text[3] = digits[bits & 63];
		ktrace_out_bytes(out, text, 4);
	}
	if (i == size)
		return;
	bits = (__u32)at[i] << 16 | (i + 1 < size ? (__u32)at[i + 1] << 8 : 0);
	text[0] = digits[bits >> 18];
	text[1] = digits[bits >> 12 & 63];
	text[2] = i + 1 < size ? digits[bits >> 6 & 63] : '=';
	text[3] = '=';
	ktrace_out_bytes(out, text, 4);
}

static int put_pieces(struct ktrace_out *out, struct html *h, enum html_piece kind)
{
	const __u32 nr = html_store_count(h->store, kind);
	struct bytes room = { 0 };
	int ret = 0;
	__u32 i;

	for (i = 0; i < nr && !out->error; i++) {
		room.nr = 0;
		ret = html_piece(h, kind, i, &room);
		if (ret)
			break;
		ktrace_out_str(out, "<script type=\"text/plain\" id=\"kt-");
		ktrace_out_char(out, kind == HTML_NODE ? 'n' : 'b');
		ktrace_out_u64(out, i);
		ktrace_out_str(out, "\">");
		put_base64(out, room.at, room.nr);
		ktrace_out_str(out, "</script>\n");
	}
	bytes_free(&room);
	return ret;
}

int html_put_page(struct html *h, struct ktrace_out *out)
{
	const char *rest = find_mark() + strlen(mark);
	int ret;

	ktrace_out_bytes(out, html_page_begin, (size_t)(find_mark() - html_page_begin));
	ktrace_out_str(out, "<script type=\"application/json\" id=\"kt-head\">");
	ret = html_put_head(h, out);
	ktrace_out_str(out, "</script>\n");
	if (!ret && !h->is_served)
		ret = put_pieces(out, h, HTML_NODE);
	if (!ret && !h->is_served)
		ret = put_pieces(out, h, HTML_BLOCK);
	ktrace_out_bytes(out, rest, (size_t)(html_page_end - rest));
	return ret;
}
