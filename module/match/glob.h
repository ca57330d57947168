/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * glob.h - matches a text against a pattern with * ? [a-z] [!a-z] \
 *
 * Pure: the same file in the module, in both libraries, and in tests.
 */
#ifndef KT_MATCH_GLOB_H
#define KT_MATCH_GLOB_H

#include "ring/port.h"

bool kt_glob_matches(const char *s, __u32 len, const char *pattern, __u32 pattern_len);
bool kt_glob_try(const char *s, __u32 len, const char *pattern, __u32 pattern_len, __s64 *work);

#endif
