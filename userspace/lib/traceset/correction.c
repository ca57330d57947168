// SPDX-License-Identifier: LGPL-2.1
/* correction.c - knots become readings of a clock that shows another host's time */
#include "correction.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"

/*
 * Replaces the knots. Returns 0, -EINVAL if they are out of order or there is only one, -ENOMEM;
 * then @c is unchanged.
 */
int ktrace_correction_set(struct correction *c, const struct ktrace_correction *knots, size_t nr)
{
	struct correction new = { .errors = calloc(nr + 1, sizeof(*new.errors)) };
	int ret = !new.errors ? -ENOMEM : nr == 1 ? -EINVAL : 0;
	size_t i;

	for (i = 0; i < nr && !ret; i++) {
		const struct segment reading = { .raw = knots[i].raw, .mono = knots[i].time };

		new.errors[i].early_ns = knots[i].early_ns;
		new.errors[i].late_ns = knots[i].late_ns;
		ret = ktrace_clock_add(&new.clock, &reading, NS_PER_S);
	}
	ktrace_correction_free(ret ? &new : c);
	if (!ret)
		*c = new;
	return ret;
}

/* Makes @to the same correction as @from. Returns 0, -ENOMEM, and @to is unchanged. */
int ktrace_correction_copy(struct correction *to, const struct correction *from)
{
	const size_t nr = from->clock.nr;
	struct ktrace_correction *knots = calloc(nr + 1, sizeof(*knots));
	int ret;
	size_t i;

	for (i = 0; knots && i < nr; i++)
		knots[i] = (struct ktrace_correction){
			.raw = from->clock.segments[i].raw, .time = from->clock.segments[i].mono,
			.early_ns = from->errors[i].early_ns, .late_ns = from->errors[i].late_ns,
		};
	ret = knots ? ktrace_correction_set(to, knots, nr) : -ENOMEM;
	if (!ret)
		to->is_reference = from->is_reference;
	free(knots);
	return ret;
}

static __u64 larger(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

bool ktrace_correction_error(const struct correction *c, __u64 raw, struct ktrace_time_error *out)
{
	const struct segment *s = ktrace_clock_segment(&c->clock, raw);
	const struct ktrace_time_error *at;
	bool has_next;

	if (!s)
		return c->is_reference;
	at = &c->errors[s - c->clock.segments];
	has_next = s + 1 < c->clock.segments + c->clock.nr && raw > s->raw;
	out->early_ns = has_next ? larger(at->early_ns, at[1].early_ns) : at->early_ns;
	out->late_ns = has_next ? larger(at->late_ns, at[1].late_ns) : at->late_ns;
	return out->early_ns != ~0ull && out->late_ns != ~0ull;
}

/* True if the error of some times is known. */
bool ktrace_correction_has_errors(const struct correction *c)
{
	size_t i;

	for (i = 0; i < c->clock.nr; i++)
		if (c->errors[i].early_ns != ~0ull && c->errors[i].late_ns != ~0ull)
			return true;
	return c->is_reference;
}

void ktrace_correction_free(struct correction *c)
{
	ktrace_clock_free(&c->clock);
	free(c->errors);
	*c = (struct correction){ 0 };
}
