// SPDX-License-Identifier: GPL-2.0
/* selfcheck_sync.c - do pthread events tell of transitions that cannot be? */
#include "selfcheck.h"

#include "pthread/model.h"

#include <stdio.h>

int check_sync_begin(struct check *c)
{
	int ret = ktrace_state_new(c->set, &c->sync_states);

	return ret ? ret : model_new(c->set, c->sync_states, NULL, &c->sync);
}

static void complain(struct check *c, const struct model_trouble *t)
{
	char object[48] = "";

	if (t->address)
		snprintf(object, sizeof(object), ", %s 0x%llx", model_kind_name(t->kind),
			 t->address);
	check_complain(c, ktrace_trace_path(t->trace), "event %s of %u/%u, @%llu.%09llu%s: %s",
		       t->name, t->pid, t->tid, t->time / 1000000000, t->time % 1000000000, object,
		       t->text);
}

void check_sync_end(struct check *c, int ret)
{
	const struct model_trouble *t;
	size_t i;

	for (i = 0; !ret && (t = model_trouble(c->sync, i)); i++)
		if (!t->is_misuse)
			complain(c, t);
	model_free(c->sync);
	ktrace_state_free(c->sync_states);
}
