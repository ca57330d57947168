// SPDX-License-Identifier: GPL-2.0
/* system.c - systemTraceEvents: text of the kernel's trace inside a trace of Chrome's format */
#include "chrome.h"

#include "base/temporary.h"
#include "base/viewer.h"
#include "import/systrace/systrace.h"

#include <errno.h>
#include <sys/mman.h>

static int write_piece(struct ktrace_out *out)
{
	FILE *file = out->arg;
	const size_t nr = fwrite(out->buf, 1, out->len, file);

	if (nr != out->len)
		return -errno;
	out->len = 0;
	return output_room(fileno(file), out->cap);
}

/* Writes the text, without JSON's escapes, to a temporary file. Return: its size, -ECANCELED. */
static ssize_t unescape(const struct json_value *v, FILE *file)
{
	static char buf[1 << 16];
	struct ktrace_out out = {
		.buf = buf, .cap = sizeof(buf), .flush = write_piece, .arg = file,
	};

	json_text(&out, v);
	if (!out.error)
		out.error = write_piece(&out);
	if (out.error || fflush(file)) {
		temporary_failed(out.error ? -out.error : errno);
		return -ECANCELED;
	}
	return ftello(file);
}

static int convert(struct chrome *c, const char *text, size_t size)
{
	struct systrace s;
	int ret;

	systrace_init(&s, &c->b, &c->threads);
	s.shift = (__u64)c->shift;
	ret = systrace_learn(&s, text, size);
	if (!ret)
		ret = systrace_convert(&s, text, size);
	if (!ret && systrace_complain(&s, c->path))
		c->is_partial = true;
	systrace_free(&s);
	return ret;
}

int chrome_put_system(struct chrome *c)
{
	FILE *file;
	ssize_t size;
	char *text;
	int ret;

	if (!c->system.at || c->system.size <= sizeof("[]") - 1)
		return 0;
	if (c->system.kind != JSON_STRING) {
		complain_about(c->path, "systemTraceEvents is not text, and is left out");
		c->is_partial = true;
		return 0;
	}
	file = temporary_stream();
	if (!file)
		return -ECANCELED;
	size = unescape(&c->system, file);
	text = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fileno(file), 0) : NULL;
	ret = size < 0 ? (int)size : text == MAP_FAILED ? -errno : 0;
	if (!ret && size) {
		ret = convert(c, text, (size_t)size);
		munmap(text, (size_t)size);
	}
	fclose(file);
	return ret;
}
