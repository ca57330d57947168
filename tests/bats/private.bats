#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# private.bats - files that are written are their user's alone, and no link of another user leads to them
# bats file_tags=alike
load helpers

OTHER=65534

setup() { setup_test; }
teardown()
{
	[ -z "${PLACE:-}" ] || rm -rf "$PLACE"
	teardown_test
}

# modes MODE FILE...: each file has it, and there is one
modes()
{
	local mode=$1 file
	shift
	for file in "$@"; do
		[ "$(stat -c %a "$file")" = "$mode" ] || { stat -c '%a %n' "$file"; return 1; }
	done
}

record()
{
	run_ktraced "$@" -- "$PROGS/hostile" names
	[ "$status" -eq 0 ]
}

# shared_place: as /tmp, where the kernel's own protection may be off
shared_place()
{
	requires_root
	PLACE=$(mktemp -d)
	chmod 1777 "$PLACE"
	PROTECTED=$(cat /proc/sys/fs/protected_symlinks /proc/sys/fs/protected_regular)
	echo "protected: $PROTECTED"
	let_others_in
}

as_other()
{
	setpriv --reuid "$OTHER" --regid "$OTHER" --clear-groups "$@"
}

@test "traces, parts, pages, exports: mode 0600, whatever the umask is" {
	local mask to
	for mask in 000 022 077 777; do
		umask "$mask"
		record -o "t$mask"
		umask 022
		modes 600 "t$mask"
	done
	umask 000
	mkdir folder
	record -o folder/
	modes 600 folder/*
	record --split-size=1K -o s.bin
	modes 600 s.*.bin
	for to in chrome paje csv folded; do
		run_ktrace export --to "$to" -o "x.$to" t022 || true
	done
	run_ktrace export --to ctf -o x-ctf t022
	modes 700 x-ctf
	modes 600 x-ctf/*
	run_ktrace html -o x.html t022
	run_ktrace cut -o x.cut t022
	run_ktrace merge -o x.merge t022
	modes 600 x.*
}

@test "--mode is exact, checked, and for parts, too; without it a file keeps its own" {
	umask 077
	record --mode 0644 -o t
	modes 644 t
	record -o t
	modes 644 t
	record --mode 600 -o t
	modes 600 t
	record --mode=0660 --split-size=1K -o s.bin
	modes 660 s.*.bin
	for mode in 0 400 0700 1600 0608 rw-r 0x1b0 '' 060000; do
		capture "$KTRACED" --mode "$mode" -o bad -- true
		[ "$status" -eq 125 ]
		[[ $stderr == *"--mode must be octal, from 0600 to 0666, such as 0640, not '$mode'"* ]]
		[ ! -e bad ]
	done
	capture "$KTRACED" --recover --list --mode 0600
	[ "$status" -eq 125 ]
	[[ $stderr == *"--mode applies only to a recording"* ]]
}

@test "--mode of the viewer's commands" {
	local command
	umask 077
	record -o t
	for command in "cut" "merge" "html" "export --to csv" "pthread"; do
		rm -f out
		# shellcheck disable=SC2086 # words
		run_ktrace $command --mode 0640 -o out t
		[ "$status" -eq 0 ]
		modes 640 out
		# shellcheck disable=SC2086
		run_ktrace $command --mode 0604 -o out t
		modes 604 out
		# shellcheck disable=SC2086
		run_ktrace $command -o out t
		modes 604 out
		# shellcheck disable=SC2086
		run_ktrace $command --mode 0777 -o bad t
		[ "$status" -eq 2 ]
		[[ $stderr == *"--mode must be octal, from 0600 to 0666, such as 0640, not '0777'"* ]]
		[ ! -e bad ]
	done
	run_ktrace export --to ctf --mode 0644 -o folder t
	modes 755 folder
	modes 644 folder/*
	run_ktrace export --to chrome --mode 0664 -o chrome t
	modes 664 chrome
	if [ -x "$BUILD/libexec/ktrace/export-sqlite" ]; then
		run_ktrace export --to sqlite --mode 0640 -o db t
		modes 640 db
	fi
}

# refused FILE COMMAND...: it says that FILE may not be written
refused()
{
	local file=$1
	shift
	capture "$@"
	show "$@"
	[ "$status" -ne 0 ]
	[[ $stderr == *"$file: Permission denied"* ]]
}

@test "a link or file of another user in a folder for all: neither followed nor written" {
	local victim=$PWD/victim
	shared_place
	echo precious >victim
	record -o t
	mkdir inner
	as_other ln -s "$victim" "$PLACE/out"
	as_other ln -s "$PWD/inner" "$PLACE/dir"
	as_other ln -s "$PWD/not-there" "$PLACE/dangling"
	as_other touch "$PLACE/file"
	as_other mkfifo "$PLACE/fifo"
	chmod 666 "$PLACE/file" "$PLACE/fifo"
	for out in out dir/new dangling file; do
		refused "$PLACE/$out" "$KTRACED" "--backend=$KTRACE_BACKEND" -o "$PLACE/$out" -- true
	done
	for out in out dir/new file fifo; do
		[ $out = fifo ] || refused "$PLACE/$out" timeout 20 "$KTRACE" cut -o "$PLACE/$out" t
		refused "$PLACE/$out" timeout 20 "$KTRACE" html -o "$PLACE/$out" t
		refused "$PLACE/$out" timeout 20 "$KTRACE" export --to csv -o "$PLACE/$out" t
	done
	run_ktrace cut -o "$PLACE/fifo" t
	[ "$status" -eq 1 ]
	[ "$stderr" = "ktrace: $PLACE/fifo: the trace must go to a regular file or /dev/null" ]
	as_other ln -s "$PWD/inner" "$PLACE/folder"
	refused "$PLACE/folder" "$KTRACE" export --to ctf -o "$PLACE/folder" t
	# By a link of one's own to the other's.
	ln -s "$PLACE/out" mine
	refused mine "$KTRACED" "--backend=$KTRACE_BACKEND" -o mine -- true
	[ "$(cat victim)" = precious ]
	[ -z "$(ls inner)" ]
	[ ! -e not-there ]
	[ ! -s "$PLACE/file" ]
}

# A name is another user's FIFO by the time it is opened: swap.so changes it behind the check.
@test "a file that another user swaps for a FIFO while it is opened holds nobody up" {
	shared_place
	record -o t
	gcc -shared -fPIC -o swap.so "$ROOT/tests/progs/user/swap_fifo.c"
	as_other touch "$PLACE/out"
	as_other mkfifo "$PLACE/fifo"
	chmod 666 "$PLACE/out" "$PLACE/fifo"
	LD_PRELOAD=$PWD/swap.so refused "$PLACE/out" timeout 20 "$KTRACE" export --to csv -o "$PLACE/out" t
	[ -p "$PLACE/out" ]
}

@test "a FIFO of one's own waits for who reads it" {
	shared_place
	record -o t
	mkfifo "$PLACE/own"
	start export "$KTRACE" export --to csv -o "$PLACE/own" t
	cat "$PLACE/own" >got
	wait "$pid"
	run_ktrace export --to csv t
	[ "$output" = "$(cat got)" ]
}

@test "links of one's own are followed, there and elsewhere" {
	shared_place
	ln -s "$PWD/real" "$PLACE/out"
	record -o "$PLACE/out"
	valid_trace real
	ln -s real link
	record -o link
	[ -L link ]
	ln -s . here
	record -o here/../"$(basename "$PWD")"/here/third
	valid_trace third
	run_ktrace cut -o "$PLACE/out" third
	[ "$status" -eq 0 ]
	[ -L "$PLACE/out" ]
	ln -s loop loop
	run_ktraced -o loop -- true
	[ "$status" -eq 125 ]
	[[ $stderr == *"loop: Too many levels of symbolic links"* ]]
	"$KTRACED" -q "--backend=$KTRACE_BACKEND" -o /dev/stdout -- true >out
	valid_trace out
	run_ktraced -o /dev/null -- true
	[ "$status" -eq 0 ]
}

@test "names of parts are new: what is there of another kind stays, and that is told" {
	echo precious >victim
	ln -s victim s.0001.bin
	run_ktraced --split-size=1K -o s.bin -- "$PROGS/hostile" names
	[ "$status" -eq 125 ]
	[[ $stderr == *"s.0001.bin: File exists"* ]]
	[ "$(cat victim)" = precious ]
}

@test "a file without a name is written as it is, or refused; nothing else is made" {
	run_ktraced -q -o t -- "$EXAMPLES/hello"
	python3 - "$KTRACE" <<-'END'
		import os, subprocess, sys
		fd = os.memfd_create("nameless")
		to = ["-o", f"/proc/self/fd/{fd}", "t"]
		subprocess.run([sys.argv[1], "export", "--to", "csv", *to], pass_fds=[fd], check=True)
		open("u", "wb").write(os.pread(fd, 1 << 20, 0))
		cut = subprocess.run([sys.argv[1], "cut", *to], pass_fds=[fd], stderr=subprocess.PIPE)
		assert cut.returncode == 1 and b"has no name: this needs a file of its own" in cut.stderr, cut
	END
	"$KTRACE" export --to csv t | cmp - u
	[ ! -e "/memfd:nameless (deleted)" ]
}
