// SPDX-License-Identifier: GPL-2.0
/* test_pft_pattern.c - regular expressions: what they match, beside the C library's */
#include "check.h"

#include <regex.h>
#include <time.h>
#include <unistd.h>

#include "service/match.h"
#include "service/pattern.h"

static const struct {
	const char *pattern, *matches, *others;		/* names, between spaces */
} rows[] = {
	{ "abc", "abc", "ab abcd xabc" },
	{ "th.*e", "the three th.e", "th threes" },
	{ "a|bc|", "a bc", "abc b" },
	{ "(a|b)*c", "c ac babc", "a abd" },
	{ "a+b?", "a aab ab", "b abb" },
	{ "((a*)*)*", "a aaaa", "b" },
	{ "[a-c]+", "abc c", "d abcd" },
	{ "[^a-c]", "d -", "a dd" },
	{ "[]x-]+", "]x- -", "y [" },
	{ "[[:digit:]x]+", "12x x", "a" },
	{ "\\d+\\.\\w*\\D", "1.a_b! 22.x", "1x.a 1." },
	{ "^a$", "a", "aa" },
	{ "a^b", NULL, "ab a^b" },
	{ "\\(\\*\\)", "(*)", "()" },
	{ "com\\.(foo|bar)(\\.[a-z]+)*", "com.foo com.bar.x.yz", "com.foo. comxfoo" },
};

static const char *const bad[] = {
	"(", ")", "a)", "(a", "[", "[a", "[b-a]", "[[:nonsense:]]", "[[=a=]]", "[a-[.x.]]", "*",
	"a|*", "+a", "?", "a{2}", "(a)\\1", "a\\", "\\b", "\\<a", "[[:alpha:]",
};

static void expect(const char *pattern, const char *names, bool is_match)
{
	char all[200], *rest = all, *name;

	snprintf(all, sizeof(all), "%s", names ? names : "");
	while ((name = strsep(&rest, " ")))
		if (*name && match_regex(name, pattern) != is_match) {
			fprintf(stderr, "\"%s\" and \"%s\"\n", pattern, name);
			exit(1);
		}
}

static void table(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK(match_is_pattern(rows[i].pattern));
		expect(rows[i].pattern, rows[i].matches, true);
		expect(rows[i].pattern, rows[i].others, false);
	}
	CHECK(match_regex("", "") && match_regex("", "a*") && !match_regex("", "a"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (match_is_pattern(bad[i])) {
			fprintf(stderr, "\"%s\" is taken\n", bad[i]);
			exit(1);
		}
}

/* An expression of about @size parts */
static char *make(char *to, int size)
{
	static const char *const atoms[] = { "a", "b", ".", "[ab]", "[^a]", "c" };

	if (size <= 1)
		return stpcpy(to, atoms[random() % 6]);
	switch (random() % 5) {
	case 0:
		to = stpcpy(to, "(");
		to = make(to, size / 2);
		to = stpcpy(to, "|");
		to = make(to, size - size / 2);
		return stpcpy(to, ")");
	case 1:
		to = stpcpy(to, "(");
		to = make(to, size - 1);
		to = stpcpy(to, ")");
		*to++ = "*+?"[random() % 3];
		*to = '\0';
		return to;
	default:
		return make(make(to, size / 2), size - size / 2);
	}
}

/* Both say the same of short names. */
static void beside_the_library(unsigned int seed)
{
	char pattern[PATTERN_MAX * 2], whole[PATTERN_MAX * 2 + 5], name[8];

	srandom(seed);
	for (int i = 0; i < 3000; i++) {
		regex_t regex;

		make(pattern, 1 + (int)(random() % 10));
		snprintf(whole, sizeof(whole), "^(%s)$", pattern);
		CHECK_EQ(regcomp(&regex, whole, REG_EXTENDED | REG_NOSUB), 0);
		for (int k = 0; k < 20; k++) {
			size_t len = (size_t)random() % sizeof(name);

			for (size_t n = 0; n < len; n++)
				name[n] = "abc"[random() % 3];
			name[len] = '\0';
			if (match_regex(name, pattern) == !regexec(&regex, name, 0, NULL, 0))
				continue;
			fprintf(stderr, "seed %u: \"%s\" and \"%s\"\n", seed, pattern, name);
			exit(1);
		}
		regfree(&regex);
	}
}

/* What takes the C library long, or for ever, repeated until there is no room */
static void without_bound(void)
{
	static const char *const parts[] = {
		"(a*)+", "(a|a)*", "a?", ".*a", "((a+)+)+", "(", "a|",
	};
	char pattern[PATTERN_MAX + 1], name[4097];

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	alarm(60);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		char *to = pattern;

		*to = '\0';
		while ((size_t)(to - pattern) + strlen(parts[i]) < PATTERN_MAX)
			to = stpcpy(to, parts[i]);
		strcpy(to, "b");
		CHECK(!match_regex(name, pattern));
	}
	memset(name, 'a', PATTERN_MAX + 1);
	name[PATTERN_MAX] = '\0';
	CHECK(match_regex(name, name));
	name[PATTERN_MAX] = 'a';
	name[PATTERN_MAX + 1] = '\0';
	CHECK(!match_is_pattern(name));
}

int main(void)
{
	table();
	beside_the_library((unsigned int)time(NULL));
	without_bound();
	return 0;
}
