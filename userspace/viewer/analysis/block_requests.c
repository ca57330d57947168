// SPDX-License-Identifier: GPL-2.0
/*
 * block_requests.c - requests of block devices, in two trees of search.h: devices, and requests
 * under way
 */
#include "block_requests.h"

#include <errno.h>
#include <linux/ktrace_events.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* struct request - a request under way; the first three members are the key */
struct request {
	__u32 machine;
	__u32 dev;
	__u32 tag;
	__u64 since;
};

/* struct fact - fields of an event */
struct fact {
	__u32 dev;
	__u32 tag;
	__u32 op;
	__u32 left;
	__u64 bytes;
	__s64 error;
};

static int by_request(const void *x, const void *y)
{
	return memcmp(x, y, offsetof(struct request, since));
}

static int by_number(const void *x, const void *y)
{
	const struct disk *a = x, *b = y;

	return ORDER(a->machine, b->machine) ?: ORDER(a->number, b->number);
}

static void take_field(struct fact *f, const char *name, __s64 value)
{
	if (!strcmp(name, "dev"))
		f->dev = (__u32)value;
	else if (!strcmp(name, "tag"))
		f->tag = (__u32)value;
	else if (!strcmp(name, "op"))
		f->op = (__u32)value;
	else if (!strcmp(name, "left"))
		f->left = (__u32)value;
	else if (!strcmp(name, "bytes"))
		f->bytes = (__u32)value;
	else if (!strcmp(name, "error"))
		f->error = value;
}

static struct fact read_fact(const struct ktrace_trace_event *e)
{
	struct ktrace_values it;
	struct ktrace_value v;
	struct fact f = { 0 };

	ktrace_values_init(&it, e->type, e->payload, e->len);
	while (ktrace_values_next(&it, &v))
		if (v.field->shape == KTRACE_ONE && !v.is_cut)
			take_field(&f, v.field->name, ktrace_value_s64(&v, 0));
	return f;
}

/*
 * Returns the element that compares equal to @key, of @size bytes, and makes it if there is none;
 * NULL: no memory.
 */
static void *get(void **tree, const void *key, size_t size,
		 int (*compare)(const void *, const void *))
{
	void **found = tfind(key, tree, compare), *made;

	if (found)
		return *found;
	made = malloc(size);
	if (!made)
		return NULL;
	memcpy(made, key, size);
	if (tsearch(made, tree, compare))
		return made;
	free(made);
	return NULL;
}

static void count_busy(const struct analysis *a, struct disk *disk, __u64 until)
{
	if (disk->under_way)
		disk->busy_ns += analysis_ns(a, disk->busy_since, until);
	if (until > disk->busy_since)
		disk->busy_since = until;
}

static void see_most(struct disk *disk)
{
	if (disk->under_way > disk->most)
		disk->most = disk->under_way;
}

static int issue(struct block_requests *d, const struct analysis *a, struct disk *disk,
		 const struct request *key)
{
	struct request **found = tfind(key, &d->requests, by_request);

	if (found) {
		(*found)->since = key->since;
		return 0;
	}
	if (!get(&d->requests, key, sizeof(*key), by_request))
		return -ENOMEM;
	count_busy(a, disk, key->since);
	disk->under_way++;
	if (key->since >= a->from)
		see_most(disk);
	return 0;
}

/* Removes a request that is no longer under way. Return: true if its issue is known, at *@since. */
static bool take_out(struct block_requests *d, const struct analysis *a, struct disk *disk,
		     const struct request *key, __u64 *since)
{
	struct request **found = tfind(key, &d->requests, by_request), *r;

	if (!found)
		return false;
	r = *found;
	*since = r->since;
	tdelete(key, &d->requests, by_request);
	free(r);
	count_busy(a, disk, key->since);
	if (key->since > a->from)
		see_most(disk);
	disk->under_way--;
	return true;
}

static int complete(struct block_requests *d, const struct analysis *a, struct disk *disk,
		    const struct request *key, const struct fact *f)
{
	struct disk_sums *sums = &disk->sums[f->op < DISK_OTHER ? f->op : DISK_OTHER];
	bool is_inside = key->since >= a->from, is_known;
	__u64 since;

	sums->bytes += is_inside ? f->bytes : 0;
	if (f->left)
		return 0;
	is_known = take_out(d, a, disk, key, &since);
	if (!is_inside)
		return 0;
	sums->requests++;
	sums->errors += f->error != 0;
	return is_known ? histogram_add(&sums->times, key->since > since ? key->since - since :
					0) : 0;
}

int block_requests_event(struct block_requests *d, const struct analysis *a,
			 const struct ktrace_trace_event *e)
{
	struct request key = { .since = e->time };
	struct disk like = { 0 }, *disk;
	struct fact f;
	__u64 since;

	if (!e->type || e->type->kind != KTRACE_CHANNEL_KERNEL ||
	    strcmp(e->type->provider, "block"))
		return 0;
	f = read_fact(e);
	key.machine = like.machine = ktrace_state_machine(a->state, e->stream->trace);
	key.dev = like.number = f.dev;
	key.tag = f.tag;
	disk = get(&d->by_number, &like, sizeof(like), by_number);
	if (!disk)
		return -ENOMEM;
	if (!strcmp(e->type->name, "issue"))
		return issue(d, a, disk, &key);
	if (!strcmp(e->type->name, "complete"))
		return complete(d, a, disk, &key, &f);
	if (!strcmp(e->type->name, "requeue")) {
		take_out(d, a, disk, &key, &since);
		disk->requeues += e->time >= a->from;
	}
	return 0;
}

/* struct walk - argument of twalk_r() */
struct walk {
	void (*show)(const struct disk *disk, void *arg);
	void *arg;
};

static void visit(const void *node, VISIT order, void *arg)
{
	const struct walk *w = arg;

	if (order == postorder || order == leaf)
		w->show(*(struct disk *const *)node, w->arg);
}

void block_requests_each(const struct block_requests *d,
			 void (*show)(const struct disk *disk, void *arg), void *arg)
{
	struct walk w = { show, arg };

	twalk_r(d->by_number, visit, &w);
}

/* struct ending - argument for the end of the window */
struct ending {
	const struct analysis *a;
	__u64 until;
};

static void end_visit(const void *node, VISIT order, void *arg)
{
	const struct ending *end = arg;

	if (order == postorder || order == leaf) {
		count_busy(end->a, *(struct disk *const *)node, end->until);
		see_most(*(struct disk *const *)node);
	}
}

void block_requests_end(struct block_requests *d, const struct analysis *a, __u64 until)
{
	struct ending end = { a, until };

	twalk_r(d->by_number, end_visit, &end);
}

static void free_disk(void *disk)
{
	int i;

	for (i = 0; i < DISK_KINDS; i++)
		histogram_free(&((struct disk *)disk)->sums[i].times);
	free(disk);
}

void block_requests_free(struct block_requests *d)
{
	tdestroy(d->by_number, free_disk);
	tdestroy(d->requests, free);
}
