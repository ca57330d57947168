/* SPDX-License-Identifier: GPL-2.0 */
/* import_map.h - converts kernel events of other tracers to those of ktrace */
#ifndef VIEWER_IMPORT_IMPORT_MAP_H
#define VIEWER_IMPORT_IMPORT_MAP_H

#include "import_writer.h"
#include "task_state.h"

/**
 * import_map_make - plan the conversion of a type of events to events of ours
 * @f:		the tracefile
 * @type:	the type
 * @out:	the plan; NULL = ktrace has no such event, or the type lacks fields of it
 *
 * Return: 0, -errno.
 */
int import_map_make(struct import_writer *f, const struct ktrace_event_type *type,
		    struct import_map **out);

/** import_map_desc - description of the converted events, to be freed; NULL: out of memory */
char *import_map_desc(const struct import_map *plan, const struct ktrace_event_type *type);

/** import_map_id - enum ktrace_kernel_id of the converted events */
__u16 import_map_id(const struct import_map *plan);

/**
 * import_map_apply - build the payload of the converted event
 * @plan:	the plan for the type of @e
 * @f:		the tracefile
 * @e:		the event
 * @out:	the payload is appended to it
 */
void import_map_apply(const struct import_map *plan, const struct import_writer *f,
		      const struct import_writer_event *e, struct ktrace_out *out);

/**
 * import_map_switch - read a switch
 * @e:		the event
 * @s:		out: the switch; a number of a task state is still to be converted
 *
 * Return: false: it is no switch.
 */
bool import_map_switch(const struct import_writer_event *e, struct task_switch *s);

/** import_map_exit - read which thread has ended; false: the event is not about that */
bool import_map_exit(const struct import_writer_event *e, __u32 *tid);

void import_map_free(struct import_map *plan);

#endif
