// SPDX-License-Identifier: GPL-2.0
/*
 * hostile.c - one trick that a program of a session can play
 *
 *   hostile cut         the session's file gets the length 0
 *   hostile shorten     and again and again, half of it, then its old length
 *   hostile punch       its memory is given back, the length stays
 *   hostile chmod       nobody may open it any more
 *   hostile unlink      it has no name any more
 *   hostile replace     another file has its name
 *   hostile register N [LENGTH]  N events, all asked for twice; LENGTH more bytes in what is said
 *                       of each, which a tracefile has as thrice as many
 *   hostile names       names and strings that a terminal would obey
 *   hostile session     prints the session's file, attached or not
 *
 * The tricks on files are made by a process that has let go of its mapping, and so is
 * not hit by them itself. With /dev/ktrace there is no file: "no file", status 3.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <ktrace/ktrace.h>

#define ESCAPES "\033[2J\033]0;owned\007\n\r\x9b" "31m\xc2\x9b" "31m\xff\xfe\xed\xa0\x80"

KTRACE_EVENT(hostile, text, ktrace_string(text), ktrace_array(char, bytes, 8));
KTRACE_EVENT(hostile, after, ktrace_u32(trick));

/* The session's file, or an empty string. */
static const char *session_file(void)
{
	const char *session = getenv("KTRACE_SESSION");

	return session && !strncmp(session, "shm:", 4) ? session + 4 : "";
}

static int need_file(void)
{
	int fd = open(session_file(), O_RDWR | O_CLOEXEC);

	if (fd < 0) {
		puts("no file");
		exit(3);
	}
	return fd;
}

/* Whatever happens to the file, this process goes on. */
static void let_go(void)
{
	char line[512];
	unsigned long from, to;
	FILE *f = fopen("/proc/self/maps", "r");

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, session_file()) && sscanf(line, "%lx-%lx", &from, &to) == 2)
			mmap((void *)from, to - from, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (f)
		fclose(f);
}

static int cut(void)
{
	int fd = need_file();

	let_go();
	return ftruncate(fd, 0);
}

static int shorten(void)
{
	int i, err = 0, fd = need_file();
	struct stat st;

	let_go();
	fstat(fd, &st);
	for (i = 0; i < 200 && !err; i++) {
		err = ftruncate(fd, st.st_size / 2) | ftruncate(fd, st.st_size);
		usleep(500);
	}
	return err;
}

static int punch(void)
{
	int fd = need_file();
	struct stat st;

	let_go();
	fstat(fd, &st);
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, st.st_size);
}

static int forbid(void)
{
	return fchmod(need_file(), 0);
}

static int remove_name(void)
{
	need_file();
	return unlink(session_file());
}

static int replace(void)
{
	char other[300];

	need_file();
	snprintf(other, sizeof(other), "%s.other", session_file());
	close(open(other, O_CREAT | O_WRONLY, 0600));
	return rename(other, session_file());
}

static int weird_names(void)
{
	prctl(PR_SET_NAME, "\033[31mx\xc2\x9b\x9b\n\"");
	ktrace(hostile, text, ESCAPES "\"\\", "\033[2Jx\"\\\n");
	return 0;
}

static int register_many(unsigned int nr, int length)
{
	struct ktrace_event *events = calloc(nr, sizeof(*events));
	struct ktrace_event **refs = calloc(nr, sizeof(*refs));
	unsigned int i;
	char *desc;

	if (!events || !refs)
		return -1;
	for (i = 0; i < nr; i++) {
		events[i].enabled = &events[i].off;
		if (asprintf(&desc, "many:e%u{u32 a;}%*s", i, length, "") < 0)
			return -1;
		events[i].desc = desc;
		refs[i] = &events[i];
	}
	ktrace_events_register(refs, refs + nr);
	ktrace_events_register(refs, refs + nr);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*play)(void);
	} tricks[] = {
		{ "cut", cut }, { "shorten", shorten }, { "punch", punch }, { "chmod", forbid },
		{ "unlink", remove_name }, { "replace", replace }, { "names", weird_names },
	};
	unsigned int i;

	if ((argc == 3 || argc == 4) && !strcmp(argv[1], "register"))
		return register_many((unsigned int)atoi(argv[2]),
				     argc == 4 ? atoi(argv[3]) : 0) ? 1 : 0;
	if (argc == 2 && !strcmp(argv[1], "session"))
		return puts(session_file()) < 0;
	for (i = 0; argc == 2 && i < sizeof(tricks) / sizeof(tricks[0]); i++) {
		if (strcmp(argv[1], tricks[i].name))
			continue;
		if (tricks[i].play()) {
			perror(argv[1]);
			return 1;
		}
		ktrace(hostile, after, i);
		puts("played");
		return 0;
	}
	return 2;
}
