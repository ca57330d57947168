/* SPDX-License-Identifier: GPL-2.0 */
/* import_map.h - kernel events as other tracers record them become those of ktrace */
#ifndef VIEWER_IMPORT_IMPORT_MAP_H
#define VIEWER_IMPORT_IMPORT_MAP_H

#include "import_writer.h"

/**
 * import_map_make - how events of a type are turned into events of ours
 * @f:		the file
 * @type:	what is described
 * @out:	the plan; NULL = there is no such event, or it lacks what that has
 *
 * Return: 0, -errno.
 */
int import_map_make(struct import_writer *f, const struct ktrace_event_type *type,
		    struct import_map **out);

/** import_map_desc - description of what events become, text to be freed; NULL: no memory */
char *import_map_desc(const struct import_map *plan, const struct ktrace_event_type *type);

/** import_map_id - enum ktrace_kernel_id of what they become */
__u16 import_map_id(const struct import_map *plan);

/**
 * import_map_apply - the payload of what the event becomes
 * @plan:	for events of its type
 * @f:		the file
 * @e:		the event
 * @out:	text is appended to it
 */
void import_map_apply(const struct import_map *plan, const struct import_writer *f,
		      const struct import_writer_event *e, struct ktrace_out *out);

void import_map_free(struct import_map *plan);

#endif
