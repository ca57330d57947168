/* SPDX-License-Identifier: GPL-2.0 */
/* elf_events.h - reads event descriptions from a program or library */
#ifndef VIEWER_EVENTS_ELF_EVENTS_H
#define VIEWER_EVENTS_ELF_EVENTS_H

#include <stdbool.h>

bool elf_is_object(const char *path);

/*
 * Calls @show for each distinct description in section ktrace_desc, sorted by name. Return: 0; 1
 * after a complaint on standard error.
 */
int elf_events(const char *path, void (*show)(void *arg, const char *desc), void *arg);

#endif
