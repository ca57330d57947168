// SPDX-License-Identifier: GPL-2.0
/* every.c - records every kind of field, from two files that share a header */
#include <stdio.h>
#include "every.h"

int main(void)
{
	int calls = 0;

	record_every(&calls);
	record_elsewhere(&calls);
	printf("calls %d\n", calls);
	return 0;
}
