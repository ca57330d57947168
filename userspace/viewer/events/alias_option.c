// SPDX-License-Identifier: GPL-2.0
/* alias_option.c - the option --alias, which reads names of objects from a file */
#include "alias_option.h"

static const char *add_file(void *to, const char *path)
{
	return object_names_read(to, path);
}

const struct option_row alias_options[] = {
	{ .letter = 'a', .name = "alias", .value = "FILE", .set = add_file,
	  .help = "names of addresses, a line each: [PID] 0xADDRESS NAME" },
	{ .help = NULL },
};
