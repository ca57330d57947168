// SPDX-License-Identifier: GPL-2.0
/* lockdown.c - tells whether the kernel hides its memory even from root */
#include "lockdown.h"

#include <stdio.h>
#include <string.h>

bool lockdown_is_on(void)
{
	char line[64] = "";
	FILE *f = fopen(LOCKDOWN_FILE, "re");
	bool is_on = f && fgets(line, sizeof(line), f) && strstr(line, "[confidentiality]");

	if (f)
		fclose(f);
	return is_on;
}
