// SPDX-License-Identifier: GPL-2.0
/*
 * machines.c - the machines whose packets a trace has
 *
 * A service that other machines relay to marks their packets. Threads, CPUs and clocks of machines
 * are apart, and so are sequences: each machine is converted as if it were alone.
 */
#include "machines.h"

#include "convert.h"

#include <errno.h>

enum { PACKET_DEFLATE = 50, PACKET_MACHINE = 98, PACKET_ZSTD = 133 };

/* Returns the machine of a packet. *@is_container: it holds others, which are of any machine. */
static __u32 machine_of(const struct packet *p, bool *is_container)
{
	struct packet_field f;
	__u32 machine = 0;
	size_t at = 0;

	*is_container = false;
	while (packet_next(p, &at, &f) == 1) {
		if (f.number == PACKET_MACHINE && f.wire == 0)
			machine = (__u32)f.value;
		*is_container |= f.number == PACKET_DEFLATE || f.number == PACKET_ZSTD;
	}
	return machine;
}

bool convert_has(const struct conversion *c, const struct packet *p)
{
	bool is_container;

	return !c->is_one_machine || machine_of(p, &is_container) == c->machine_id;
}

static int take(void *arg, const struct packet *p)
{
	struct machines *m = arg;
	bool is_container;
	const __u32 id = machine_of(p, &is_container);
	__u32 i = 0;

	if (is_container)
		return 0;
	while (i < m->nr && m->ids[i] != id)
		i++;
	if (i == IMPORT_MACHINES)
		m->left_out++;
	else if (i == m->nr)
		m->ids[m->nr++] = id;
	return 0;
}

/* Moves machine 0 to the front: the others need to know its clock. */
static void put_recorder_first(struct machines *m)
{
	__u32 i = 0;

	while (i < m->nr && m->ids[i])
		i++;
	if (i == m->nr)
		return;
	for (; i; i--)
		m->ids[i] = m->ids[i - 1];
	m->ids[0] = 0;
}

int machines_find(struct machines *m, const unsigned char *data, size_t size)
{
	struct packets_trouble trouble;
	const int ret = packets_walk(data, size, take, m, &trouble);

	put_recorder_first(m);
	/* The conversion reports damage. */
	return ret == -EINVAL ? 0 : ret;
}
