/* SPDX-License-Identifier: GPL-2.0 */
/* kernel_code.h - source lines of kernel functions, from files with debug information */
#ifndef VIEWER_SYMBOLS_KERNEL_CODE_H
#define VIEWER_SYMBOLS_KERNEL_CODE_H

#include <ktrace/context.h>

#include "symbols.h"

struct kernel_code;

/**
 * kernel_code_open - find the file of the kernel or a module
 * @image:	the kernel or the module
 * @release:	release of the kernel, NULL = not known
 * @where:	where to look
 *
 * Return: the image, even if no file was found; NULL: no memory.
 */
struct kernel_code *kernel_code_open(const struct ktrace_kernel_image *image, const char *release,
				     const struct symbols_where *where);
/* NULL is allowed. */
void kernel_code_close(struct kernel_code *k);
/**
 * kernel_code_look_up - fill in file, line, inlined and place of a symbol, if known
 * @k:		image that has the function
 * @function:	its name
 * @start:	its address while the trace was recorded
 * @offset:	offset in the function
 * @symbol:	its strings are valid as long as @k
 */
void kernel_code_look_up(struct kernel_code *k, const char *function, __u64 start, __u64 offset,
			 struct symbol *symbol);

#endif
