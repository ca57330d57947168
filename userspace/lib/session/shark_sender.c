// SPDX-License-Identifier: LGPL-2.1
/* shark_sender.c - gets chunks of the kernel's S.Ha.R.K. tracer */
#include <ktrace/shark_sender.h>

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <ktrace/device.h>

int ktrace_shark_sender_open(__u32 kinds)
{
	struct ktrace_shark_serve serve = { .size = sizeof(serve), .kinds = kinds };
	int fd = open(KTRACE_DEVICE, O_RDWR | O_CLOEXEC), error;

	if (fd < 0)
		return -errno;
	if (!ioctl(fd, KTRACE_IOC_SHARK_SENDER, &serve))
		return fd;
	error = -errno;
	close(fd);
	return error;
}

int ktrace_shark_sender_next(int fd, struct ktrace_shark_job *job)
{
	*job = (struct ktrace_shark_job){ .size = sizeof(*job) };
	return ioctl(fd, KTRACE_IOC_SHARK_NEXT, job) ? -errno : 0;
}

const void *ktrace_shark_sender_map(int fd, const struct ktrace_shark_job *job)
{
	void *memory = mmap(NULL, job->map_size, PROT_READ, MAP_SHARED, fd, (off_t)job->map_off);

	return memory == MAP_FAILED ? NULL : memory;
}

void ktrace_shark_sender_unmap(const void *memory, const struct ktrace_shark_job *job)
{
	if (memory)
		munmap((void *)memory, job->map_size);
}

int ktrace_shark_sender_end(int fd, const struct ktrace_shark_job *job, int error)
{
	const struct ktrace_shark_end end = { .job = job->job, .error = error };

	return ioctl(fd, KTRACE_IOC_SHARK_END, &end) ? -errno : 0;
}
