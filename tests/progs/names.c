// SPDX-License-Identifier: GPL-2.0
/*
 * names.c - name objects and threads, through fork() and exec
 *
 * The mutex "queue lock" is used, destroyed, and used again without a name. A child uses it under
 * that name and one of its own, then becomes this program again, which names nothing then.
 */
#include <ktrace/name.h>

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/wait.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void use(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void *collect(void *arg)
{
	ktrace_name_thread("collector of \"things\"");
	use();
	return arg;
}

static int child(void)
{
	use();
	ktrace_name_object(&mutex, "the child's");
	use();
	execl("/proc/self/exe", "names", "again", (char *)NULL);
	return 1;
}

int main(int argc, char **argv)
{
	int status = -1;
	pthread_t thread;
	pid_t pid;

	(void)argv;
	use();
	if (argc > 1)
		return 0;
	printf("0x%lx\n", (unsigned long)&mutex);
	fflush(stdout);
	ktrace_name_object(&mutex, "queue lock");
	use();
	pthread_create(&thread, NULL, collect, NULL);
	ktrace_name_object((void *)thread, "worker");
	pthread_join(thread, NULL);
	pid = fork();
	if (!pid)
		return child();
	waitpid(pid, &status, 0);
	use();
	pthread_mutex_destroy(&mutex);
	pthread_mutex_init(&mutex, NULL);
	use();
	ktrace_name_object(&mutex, "another");
	use();
	ktrace_name_object(&mutex, NULL);
	use();
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
