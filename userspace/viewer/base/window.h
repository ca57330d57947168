/* SPDX-License-Identifier: GPL-2.0 */
/* window.h - a window START:END of numbers, as people write it */
#ifndef VIEWER_BASE_WINDOW_H
#define VIEWER_BASE_WINDOW_H

#include <linux/types.h>
#include <stdbool.h>

/* struct window - from @start on, up to @end, @end itself not included; ~0 = there is no end */
struct window {
	__u64 start;
	__u64 end;
	bool is_set;
};

/* Either side may be left out. False: no window, or its end is before its start. */
bool window_parse(const char *text, struct window *w);

#endif
