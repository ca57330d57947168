// SPDX-License-Identifier: GPL-2.0
/* leftover.c - prints how many sessions the module has in memory: "sessions N kept N" */
#include "dev.h"

int main(void)
{
	struct ktrace_info info = { .size = sizeof(info) };

	EXPECT_ERRNO(ioctl(dev_open(), KTRACE_IOC_INFO, &info), 0);
	printf("sessions %u kept %u\n", info.sessions, info.kept);
	return 0;
}
