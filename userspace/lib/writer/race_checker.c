// SPDX-License-Identifier: LGPL-2.1
/*
 * race_checker.c - memory in which helgrind and DRD look for no races
 *
 * Both tools assume that only the locks of the C library order accesses. They know neither acquire
 * and release, nor that a restartable sequence is alone on its CPU, so they would report each ring
 * as a race. Valgrind recognises a request by instructions that together change nothing: building
 * this needs no Valgrind header, and outside Valgrind a request costs as much as a few additions.
 *
 * A suppression file would need the names of the functions, which an event inlined into a program
 * without debugging information does not have; and it would hide a race on the values that the
 * program records, which are in the program's own memory.
 */
#include "race_checker.h"

#include <stdint.h>

#include "arch/arch.h"

/* As in <valgrind/drd.h> and <valgrind/helgrind.h>, which make them part of the binary interface */
#define DRD_THREAD_ID 0x44520000
#define DRD_IGNORE 0x44520002
#define HELGRIND_IGNORE 0x48470127

/*
 * Tools ignore the requests of other tools, except for DRD, which also takes helgrind's and warns
 * about this one. Returns @otherwise if no tool answers.
 */
static uintptr_t request(uintptr_t code, uintptr_t addr, uintptr_t size, uintptr_t otherwise)
{
	volatile uintptr_t args[6] = { code, addr, size };

	return arch_checker_request(args, otherwise);
}

/**
 * race_checker_ignore - suppress race reports about these bytes
 * @addr:	their start; a later mapping at the same address is checked again
 * @size:	their number
 *
 * Context: any.
 */
void race_checker_ignore(const void *addr, size_t size)
{
	if (request(DRD_THREAD_ID, 0, 0, 0))
		request(DRD_IGNORE, (uintptr_t)addr, size, 0);
	else
		request(HELGRIND_IGNORE, (uintptr_t)addr, size, 0);
}
