// SPDX-License-Identifier: GPL-2.0
/* test_pft_pattern.c - regular expressions: what they match, beside the C library's */
#include "check.h"

#include <fcntl.h>
#include <regex.h>
#include <time.h>
#include <unistd.h>

#include "service/session/match.h"

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
	{ "a{2}(b|c){1,3}", "aab aabcb", "ab aa aabcbc" },
	{ "\\<a\\>", "<a>", "a" },
	{ "(?=.*x)[a-z]+", "axa x", "aa" },
	{ "\xc3\xa4.", "\xc3\xa4\xff", "\xc3\xa4" },
	{ "com\\.(foo|bar)(\\.[a-z]+)*", "com.foo com.bar.x.yz", "com.foo. comxfoo" },
};

static const char *const bad[] = {
	"(", ")", "a)", "(a", "[", "[a", "[b-a]", "[[:nonsense:]]", "[[=a=]]", "[a-[.x.]]", "*",
	"a|*", "+a", "?", "(a)\\1", "a\\", "[[:alpha:]", "\\C", "(*UTF)a", "(*UCP)a", "(*NOSUCH)a",
	"((a{1,255}){1,255}){1,255}", "((a{1000}){1000}){1000}", "a{65536}",
};

/* None of these takes too long. */
static bool does_match(const char *name, const char *pattern)
{
	bool is_said = false, is_match = match_regex(name, pattern, &is_said);

	CHECK(!is_said);
	return is_match;
}

static bool is_pattern(const char *pattern)
{
	char why[128] = "";
	bool is_one = match_is_pattern(pattern, why, sizeof(why));

	CHECK(is_one == !*why);
	return is_one;
}

static void expect(const char *pattern, const char *names, bool is_match)
{
	char all[200], *rest = all, *name;

	snprintf(all, sizeof(all), "%s", names ? names : "");
	while ((name = strsep(&rest, " ")))
		if (*name && does_match(name, pattern) != is_match) {
			fprintf(stderr, "\"%s\" and \"%s\"\n", pattern, name);
			exit(1);
		}
}

static void table(void)
{
	bool is_said = true;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK(is_pattern(rows[i].pattern));
		expect(rows[i].pattern, rows[i].matches, true);
		expect(rows[i].pattern, rows[i].others, false);
	}
	CHECK(does_match("", "") && does_match("", "a*") && !does_match("", "a"));
	CHECK(does_match("a\n", "a.") && !does_match("a\n", "a$"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (is_pattern(bad[i]) || match_regex("a", bad[i], &is_said)) {
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

/* Both say the same of short names. Longer ones could meet the limit. */
static void beside_the_library(unsigned int seed)
{
	char pattern[1024], whole[sizeof(pattern) + 5], name[6];

	srandom(seed);
	for (int i = 0; i < 3000; i += unit_step()) {
		regex_t regex;

		make(pattern, 1 + (int)(random() % 4));
		snprintf(whole, sizeof(whole), "^(%s)$", pattern);
		CHECK_EQ(regcomp(&regex, whole, REG_EXTENDED | REG_NOSUB), 0);
		for (int k = 0; k < 20; k++) {
			size_t len = (size_t)random() % sizeof(name);

			for (size_t n = 0; n < len; n++)
				name[n] = "abc"[random() % 3];
			name[len] = '\0';
			if (does_match(name, pattern) == !regexec(&regex, name, 0, NULL, 0))
				continue;
			fprintf(stderr, "seed %u: \"%s\" and \"%s\"\n", seed, pattern, name);
			exit(1);
		}
		regfree(&regex);
	}
}

/* Nobody else's time: the machine has other things to do. */
static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Return: how often the limit was met. */
static int try_long(const char *pattern, const char *name)
{
	bool is_said = false;
	double begin = cpu_ms();

	CHECK(!match_regex(name, pattern, &is_said));
	if (cpu_ms() - begin > 500) {		/* some ms, without a sanitizer */
		fprintf(stderr, "\"%s\" takes %.0f ms\n", pattern, cpu_ms() - begin);
		exit(1);
	}
	return is_said;
}

/* What takes a library without limits long, or for ever, once and until there is no room */
static void without_bound(void)
{
	static const char *const parts[] = {
		"(a*)*", "(a*)+", "(a|a)*", "(a|aa)+", "a?", ".*a", "((a+)+)+", "a{1,60}", "(?R)?a",
		"(a{1,20}){1,20}", "((a{1,20}){1,20}){1,3}", "(?:a*+b|a)*", "(?=(a*)*c)",
		"(?:(?=a*+b)|(?=a*+c)|a)*", "(?<n>.*)(\\k<n>.*)*", "[a-z]{0,999}", "(.*?)*?",
		"(a{1000}b?){1000}",
		"(*LIMIT_MATCH=4000000000)(*LIMIT_HEAP=4000000000)(a*)*",
	};
	char pattern[MATCH_PATTERN_MAX + 1], name[4097];
	int met = 0;

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		char *to = stpcpy(pattern, parts[i]);

		strcpy(to, "b");
		met += try_long(pattern, name);
		while ((size_t)(to - pattern) + strlen(parts[i]) < MATCH_PATTERN_MAX)
			to = stpcpy(to, parts[i]);
		strcpy(to, "b");
		met += try_long(pattern, name);
	}
	CHECK(met > 10);
}

static void lengths(void)
{
	char name[MATCH_PATTERN_MAX + 2] = "", deep[2 * 101 + 1];

	memset(name, 'a', MATCH_PATTERN_MAX);
	CHECK(does_match(name, name));
	name[MATCH_PATTERN_MAX] = 'a';
	CHECK(!is_pattern(name));
	snprintf(deep, sizeof(deep), "%0101d%0101d", 0, 0);
	memset(deep, '(', 101);
	memset(deep + 101, ')', 101);
	CHECK(!is_pattern(deep));
	deep[201] = '\0';
	CHECK(is_pattern(deep + 1));
}

/* One that meets the limit does not match, and is said once. */
static void said_once(void)
{
	char said[1000] = "", *once = said;
	int ends[2], old = dup(STDERR_FILENO);
	bool is_said = false;

	CHECK_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	dup2(ends[1], STDERR_FILENO);
	for (int i = 0; i < 2; i++)
		match_regex("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "(a*)*b", &is_said);
	dup2(old, STDERR_FILENO);
	CHECK(is_said && read(ends[0], said, sizeof(said) - 1) > 0);
	CHECK(strstr(strsep(&once, "\n"), "\"(a*)*b\"") && strstr(said, "match limit exceeded"));
	CHECK(!*once);
	close(old);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	table();
	beside_the_library((unsigned int)time(NULL));
	without_bound();
	lengths();
	said_once();
	return 0;
}
