// SPDX-License-Identifier: GPL-2.0
/* PTRC-13 */
#define PAGE "XSH posix_trace_attr_setlogsize"
#include "attributes.h"

/* What a log with this size takes, after thrice as much was told */
static off_t size_of_log(int policy, size_t size)
{
	int fd = new_file();
	trace_id_t trid = logged(fd, 0, policy, size);
	trace_event_id_t id = event("fill");
	off_t n;

	need(posix_trace_start(trid));
	for (size_t told = 0; told < 3 * size; told += sizeof(uint64_t)) {
		tell(id, told);
		if (told % 8192 == 0)
			need(posix_trace_flush(trid));
	}
	need(posix_trace_shutdown(trid));
	n = lseek(fd, 0, SEEK_END);
	close(fd);
	return n;
}

static void bounded(void)
{
	const size_t size = 65536;
	off_t empty = size_of_log(POSIX_TRACE_APPEND, 0);

	check(DESCRIPTION, size_of_log(POSIX_TRACE_LOOP, size) <= empty + 2 * (off_t)size,
	      "a log that loops is bounded by it");
	check(DESCRIPTION, size_of_log(POSIX_TRACE_UNTIL_FULL, size) <= empty + 2 * (off_t)size,
	      "a log that ends when full is bounded by it");
	check(DESCRIPTION, size_of_log(POSIX_TRACE_APPEND, size) > 3 * (off_t)size,
	      "a log that is appended to is not");
}

int main(void)
{
	static const struct size s = { posix_trace_attr_getlogsize, posix_trace_attr_setlogsize };

	set_size(&s);
	bounded();
	return done();
}
