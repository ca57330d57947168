// SPDX-License-Identifier: GPL-2.0
/* mapped.c - a file in memory */
#include "mapped.h"

#include "base/viewer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int mapped_open(struct mapped *m, const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *at = NULL;
	struct stat st;
	int error = 0;

	if (fd < 0 || fstat(fd, &st))
		error = errno;
	else if (!S_ISREG(st.st_mode))
		error = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
	m->size = error ? 0 : (size_t)st.st_size;
	if (m->size) {
		at = mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, fd, 0);
		error = at == MAP_FAILED ? errno : 0;
	}
	if (fd >= 0)
		close(fd);
	m->data = at;
	if (!error)
		return 0;
	complain_about(path, "%s", strerror(error));
	return -ECANCELED;
}

void mapped_close(struct mapped *m)
{
	if (m->size)
		munmap((void *)m->data, m->size);
}
