// SPDX-License-Identifier: LGPL-2.1
/* device.c - whether the module is loaded, and what the caller may do with it */
#include <ktrace/device.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/ktrace_ring.h>

/*
 * Tries to make a kernel channel: permission depends on capabilities, user namespaces and the
 * module's parameter.
 */
static int kernel_error(int fd)
{
	struct ktrace_channel_spec spec = {
		.size = sizeof(spec), .kind = KTRACE_CHANNEL_KERNEL,
		.ring_size = 4 * KTRACE_BLOCK_MIN, .block_size = KTRACE_BLOCK_MIN,
	};

	return ioctl(fd, KTRACE_IOC_CHANNEL, &spec) ? -errno : 0;
}

/*
 * Returns a descriptor of the module's device, -errno, or -ENOTTY if the device is not the
 * module's.
 */
static int ask(struct ktrace_info *info)
{
	int fd = open(KTRACE_DEVICE, O_RDWR | O_CLOEXEC);

	*info = (struct ktrace_info){ .size = sizeof(*info) };
	if (fd < 0)
		return -errno;
	if (!ioctl(fd, KTRACE_IOC_INFO, info))
		return fd;
	close(fd);
	return -ENOTTY;
}

int ktrace_device_look(struct ktrace_device *device)
{
	struct ktrace_info info;
	int fd = ask(&info);

	if (fd < 0)
		return fd;
	*device = (struct ktrace_device){
		info.abi, info.sessions, info.abi == KTRACE_ABI_VERSION ? kernel_error(fd) : 0,
	};
	close(fd);
	return 0;
}

__u32 ktrace_device_freed(void)
{
	struct ktrace_info info;
	int fd = ask(&info);

	if (fd < 0)
		return 0;
	close(fd);
	return info.freed;
}

int ktrace_device_events(void (*see)(void *arg, const struct ktrace_kernel_event *event,
				     int error), void *arg)
{
	const struct ktrace_kernel_event *ev;
	int fd = open(KTRACE_DEVICE, O_RDWR | O_CLOEXEC);
	int error = fd < 0 ? -errno : kernel_error(fd);

	for (__u32 i = 0; !error && (ev = ktrace_kernel_event(i)); i++) {
		struct ktrace_enable enable = { .id = ev->id, .on = 1 };

		see(arg, ev, ioctl(fd, KTRACE_IOC_ENABLE, &enable) ? -errno : 0);
	}
	if (fd >= 0)
		close(fd);
	return error;
}
