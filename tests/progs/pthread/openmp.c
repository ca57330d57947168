// SPDX-License-Identifier: GPL-2.0
/* openmp.c - threads that a compiler makes */
#include <omp.h>

#include "common.h"

int main(void)
{
	long sum = 0, locked = 0;
	omp_lock_t lock;

	omp_init_lock(&lock);
	omp_set_num_threads(3);
#pragma omp parallel for reduction(+ : sum)
	for (long i = 0; i < 1000; i++) {
		sum += i;
		omp_set_lock(&lock);
		locked++;
		omp_unset_lock(&lock);
	}
	printf("%ld %ld\n", sum, locked);
	return 0;
}
