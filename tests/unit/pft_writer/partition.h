/* SPDX-License-Identifier: GPL-2.0 */
/* partition.h - what only producers do with a page: divide it into chunks */
#ifndef TESTS_PFT_WRITER_PARTITION_H
#define TESTS_PFT_WRITER_PARTITION_H

#include <endian.h>

#include "service/buffer/shmem_page.h"

/* Return: true if the page was not partitioned and now is. */
static inline bool shmem_page_partition(uint8_t *page, enum shmem_layout layout)
{
	uint32_t none = 0;

	return __atomic_compare_exchange_n((uint32_t *)(void *)page, &none,
					   htole32((uint32_t)layout << 28), false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

#endif
