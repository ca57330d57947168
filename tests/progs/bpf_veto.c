// SPDX-License-Identifier: GPL-2.0
/*
 * bpf_veto.c - a command with a BPF program on a tracepoint that keeps its records from perf
 *
 *   bpf_veto ID COMMAND [ARGUMENT...]
 *
 * ID is what the tracepoint's file "id" says. The program returns 0 for every hit, on all CPUs,
 * until the command has ended.
 */
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int fail(const char *what)
{
	perror(what);
	return 1;
}

/* return 0 */
static int load_program(void)
{
	static const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_TRACEPOINT;
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = sizeof(code) / sizeof(code[0]);
	attr.license = (uintptr_t)"GPL";
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

/* It belongs to the tracepoint, not to this perf event: hits on all CPUs run it. */
static int attach(int program, uint64_t id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = id,
		.sample_period = 1, .disabled = 1,
	};
	const int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return -1;
	return fd;
}

int main(int argc, char **argv)
{
	int program, status;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: bpf_veto ID COMMAND [ARGUMENT...]\n");
		return 2;
	}
	program = load_program();
	if (program < 0)
		return fail("bpf");
	if (attach(program, strtoull(argv[1], NULL, 10)) < 0)
		return fail("attach");
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
