/* SPDX-License-Identifier: GPL-2.0 */
/* model_name.h - what a thread of the model is called */
#ifndef VIEWER_PTHREAD_MODEL_NAME_H
#define VIEWER_PTHREAD_MODEL_NAME_H

#include "base/viewer.h"
#include "events/object_names.h"
#include "model.h"

/*
 * The name that the program has given to the thread, or to its pthread_t, as of the event taken in
 * last; @set has the files. NULL = none. Valid until object_names_free(). @a may be NULL.
 */
const char *model_name_alias(const struct object_names *a, const struct ktrace_traceset *set,
			     const struct model_thread *t);
/* Writes "100/101 comm": the name that the thread had at stamp @raw. */
void model_name_text(const struct model_thread *t, __u64 raw, char *text, size_t size);
/* The same as of the thread's latest event, with what the program calls it, NULL = nothing */
void model_name_put_thread(struct ktrace_out *out, const struct model_thread *t, const char *alias);
/* pid, tid, comm, and @alias as member @key, of a JSON object */
void model_name_json(struct ktrace_out *out, const struct model_thread *t, const char *key,
		     const char *alias);
/* Writes @name, unless it is NULL, in quotes and behind two blanks. */
void model_name_put(struct ktrace_out *out, const char *name);

#endif
