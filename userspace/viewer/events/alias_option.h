/* SPDX-License-Identifier: GPL-2.0 */
/* alias_option.h - the option --alias, which reads names of objects from a file */
#ifndef VIEWER_EVENTS_ALIAS_OPTION_H
#define VIEWER_EVENTS_ALIAS_OPTION_H

#include "base/option_table.h"
#include "model/object_names.h"

/* Refers to a struct object_names *, which is made if a file is read. */
extern const struct option_row alias_options[];

#endif
