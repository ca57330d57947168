// SPDX-License-Identifier: GPL-2.0
/*
 * match.c - selects producers by name, from lists and regular expressions
 *
 * Names and expressions are untrusted, and all connections wait for a match: so an expression is
 * short, is not studied before its only match, and a match ends after a few ms.
 */
#include "match.h"

#include <stdio.h>
#include <string.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/log.h"

/* Groups have no numbers: this excludes back-references, and saves memory in a match. */
#define OPTIONS (PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY | \
		 PCRE2_NO_AUTO_CAPTURE | PCRE2_NO_AUTO_POSSESS | PCRE2_NO_START_OPTIMIZE | \
		 PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UCP | PCRE2_NEVER_UTF)
#define NEST_MAX 100			/* limits the library's stack while compiling */
#define STEP_MAX 10000
#define HEAP_MAX_KB 1024

static pcre2_code *compile(const char *pattern, int *error)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	pcre2_code *code;
	size_t at;

	*error = PCRE2_ERROR_NOMEMORY;
	if (!context)
		return NULL;
	pcre2_set_max_pattern_length(context, MATCH_PATTERN_MAX);
	pcre2_set_parens_nest_limit(context, NEST_MAX);
	code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, OPTIONS, error, &at,
			     context);
	pcre2_compile_context_free(context);
	return code;
}

bool match_is_pattern(const char *pattern, char *why, size_t size)
{
	int error;
	pcre2_code *code = compile(pattern, &error);
	const bool is_one = code;

	if (!is_one)
		pcre2_get_error_message(error, (PCRE2_UCHAR *)why, size);
	pcre2_code_free(code);
	return is_one;
}

/* Returns the result of pcre2_match(). */
static int try_match(const pcre2_code *code, const char *name)
{
	pcre2_match_context *context = pcre2_match_context_create(NULL);
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	int result = PCRE2_ERROR_NOMEMORY;

	if (context && data) {
		pcre2_set_match_limit(context, STEP_MAX);
		pcre2_set_heap_limit(context, HEAP_MAX_KB);
		result = pcre2_match(code, (PCRE2_SPTR)name, strlen(name), 0, 0, data, context);
	}
	pcre2_match_data_free(data);
	pcre2_match_context_free(context);
	return result;
}

bool match_regex(const char *name, const char *pattern, bool *is_said)
{
	int result;
	pcre2_code *code = compile(pattern, &result);
	const bool is_pattern = code;

	if (is_pattern)
		result = try_match(code, name);
	pcre2_code_free(code);
	if (is_pattern && (result >= 0 || result == PCRE2_ERROR_NOMATCH))
		return result >= 0;
	if (!*is_said) {
		PCRE2_UCHAR why[128];

		pcre2_get_error_message(result, why, sizeof(why));
		log_error("cannot match the regular expression \"%.200s\" with \"%.100s\": %s; it "
			  "counts as no match, and further errors of this session are not reported",
			  pattern, name, (char *)why);
		*is_said = true;
	}
	return false;
}

bool match_names(const char *name, char *const *names, size_t name_nr)
{
	for (size_t i = 0; i < name_nr; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}
