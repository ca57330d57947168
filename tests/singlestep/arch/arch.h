/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch.h - what stepping needs from the processor
 *
 *   ARCH_SIGNATURE		of restartable sequences, in front of where the kernel resumes
 *   arch_pc(uc) arch_set_pc(uc, pc)  the instruction pointer of an interrupted program
 *   arch_is_within(uc)		true within an instruction that repeats itself
 *   arch_step_through(call)	calls @call and has SIGTRAP sent before each of its instructions
 *   arch_trapped()		the first thing that the handler of SIGTRAP calls
 *   arch_go_on(uc, steps)	the last thing; if @steps is false, there are no more signals
 */
#ifndef STEP_ARCH_H
#define STEP_ARCH_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>
#include "../../arch/arch.h"

#if defined(__x86_64__)
#include "x86_64.h"
#elif defined(__aarch64__)
#include "arm64.h"
#else
#error "not written for this processor"
#endif

#endif
