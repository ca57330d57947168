// SPDX-License-Identifier: LGPL-2.1
/* glob_list.c - whether the name of an event matches a session's filter */
#include "glob_list.h"

#include "match/glob.h"

/**
 * glob_list_matches - whether a name matches one of several patterns
 * @list:	patterns with * ? [a-z] [!a-z] \, separated by commas, ended by a NUL; in shared
 *		memory, where it may change
 * @size:	bytes of @list at most
 * @name:	the name
 * @len:	its length
 *
 * Return: true also for an empty list.
 */
bool glob_list_matches(const char *list, size_t size, const char *name, size_t len)
{
	const char *at = list, *const end = list + size;

	if (!size || !*list)
		return true;
	for (;; at++) {
		const char *glob = at;

		while (at < end && *at && *at != ',')
			at++;
		if (kt_glob_matches(name, (__u32)len, glob, (__u32)(at - glob)))
			return true;
		if (at == end || !*at)
			return false;
	}
}
