/* SPDX-License-Identifier: GPL-2.0 */
/* model_name.h - names of threads of the model */
#ifndef VIEWER_PTHREAD_MODEL_NAME_H
#define VIEWER_PTHREAD_MODEL_NAME_H

#include "base/viewer.h"
#include "model/object_names.h"
#include "model/pthread_model.h"

/*
 * Returns the name that the program has given to the thread or its pthread_t, as of the last event;
 * @set has the files. NULL = none. Valid until object_names_free(). @a may be NULL.
 */
const char *model_name_alias(const struct object_names *a, const struct ktrace_traceset *set,
			     const struct model_thread *t);
/* Writes "100/101 comm": the name that the thread had at stamp @raw. */
void model_name_text(const struct model_thread *t, __u64 raw, char *text, size_t size);
/*
 * Writes the same as of the thread's latest event, and @alias, the name given by the program, NULL
 * = none.
 */
void model_name_put_thread(struct ktrace_out *out, const struct model_thread *t, const char *alias);
/* Writes pid, tid, comm, and @alias as member @key, of a JSON object. */
void model_name_json(struct ktrace_out *out, const struct model_thread *t, const char *key,
		     const char *alias);
/* Writes @name in quotes after two blanks; nothing if it is NULL. */
void model_name_put(struct ktrace_out *out, const char *name);

#endif
