/* SPDX-License-Identifier: GPL-2.0 */
/*
 * detector.h - hold(): patterns in the registers of a machine while the thread is interrupted
 *
 * hold() loads all registers from struct registers, counts down, and stores what it finds then.
 * In the loop it reads *held_page, which a signal handler may unmap: so it also takes faults.
 */
#ifndef KTRACE_TESTS_DETECTOR_H
#define KTRACE_TESTS_DETECTOR_H

#include <stdint.h>
#include <stddef.h>
#include <ucontext.h>

/**
 * struct registers - what hold() loads and stores
 * @general:	general registers, as many as GENERAL_NR
 * @flags:	stored only
 * @control:	of the vector unit
 * @spins:	how often to go round
 * @vector:	as many as vector_nr, of which vector_size bytes are used
 */
struct registers {
	uint64_t general[32];
	uint64_t flags;
	uint64_t control;
	uint64_t spins;
	uint64_t reserved[29];
	uint8_t vector[32][64];
};

_Static_assert(offsetof(struct registers, flags) == 256 &&
	       offsetof(struct registers, control) == 264 &&
	       offsetof(struct registers, spins) == 272 &&
	       offsetof(struct registers, vector) == 512, "as the assembler has it");

volatile uint64_t *held_page __attribute__((used));
uint64_t held_spins __attribute__((used));

#include "../arch/arch.h"
#include ARCH_DETECTOR_H

#endif
