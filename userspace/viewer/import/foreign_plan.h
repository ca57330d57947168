/* SPDX-License-Identifier: GPL-2.0 */
/* foreign_plan.h - kernel events as other tracers record them become those of ktrace */
#ifndef VIEWER_FOREIGN_PLAN_H
#define VIEWER_FOREIGN_PLAN_H

#include "foreign.h"

/**
 * foreign_plan_make - how events of a type are turned into events of ours
 * @f:		the file
 * @type:	what is described
 * @out:	the plan; NULL = there is no such event, or it lacks what that has
 *
 * Return: 0, -errno.
 */
int foreign_plan_make(struct foreign *f, const struct ktrace_event_type *type,
		      struct foreign_plan **out);

/** foreign_plan_desc - description of what events become, text to be freed; NULL: no memory */
char *foreign_plan_desc(const struct foreign_plan *plan, const struct ktrace_event_type *type);

/** foreign_plan_id - enum ktrace_kernel_id of what they become */
__u16 foreign_plan_id(const struct foreign_plan *plan);

/**
 * foreign_plan_apply - the payload of what the event becomes
 * @plan:	for events of its type
 * @f:		the file
 * @e:		the event
 * @out:	text is appended to it
 */
void foreign_plan_apply(const struct foreign_plan *plan, const struct foreign *f,
			const struct foreign_event *e, struct ktrace_out *out);

void foreign_plan_free(struct foreign_plan *plan);

#endif
