/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twice.h - events that two of the files have both
 *
 * A process may be in several recordings at a time. Named together, they have such an event twice:
 * numbers are too large, and a thread that takes a lock seems to wait for itself.
 */
#ifndef VIEWER_BASE_TWICE_H
#define VIEWER_BASE_TWICE_H

#include <ktrace/traceset.h>

/*
 * Says on standard error which recordings have the same events. A sample is read, and only if two
 * recordings of one boot name the same process.
 */
void twice_complain(const struct ktrace_traceset *set);

#endif
