#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
# install.bats - what `make install` leaves behind serves programs outside the tree

bats_require_minimum_version 1.5.0
load helpers

setup_file()
{
	load helpers
	make -s -C "$ROOT" install DESTDIR="$BATS_FILE_TMPDIR/root" PREFIX=/usr
}

setup()
{
	setup_test
	USR=$BATS_FILE_TMPDIR/root/usr
	export PKG_CONFIG_SYSROOT_DIR=$BATS_FILE_TMPDIR/root PKG_CONFIG_PATH=$USR/lib/pkgconfig
	# The program of the README
	sed -n '/^```c$/,/^```$/p' "$ROOT/README.md" | sed '1d;$d' >server.c
}

teardown()
{
	teardown_test
}

# traced PROGRAM: it records its one event when run by the installed ktraced
traced()
{
	LD_LIBRARY_PATH=$USR/lib "$USR/bin/ktraced" -q --backend=shm -o trace.bin -- "$@"
	capture "$USR/bin/ktrace" list trace.bin
	show ktrace list trace.bin
	[[ $output == *'server:request id=7 path="/index"'* ]]
}

@test "a C program builds with pkg-config and is traced" {
	# shellcheck disable=SC2046
	gcc -Wall -Wextra -Wconversion -Wsign-conversion -Werror server.c -o server $(pkg-config --cflags --libs libktrace)
	traced ./server
}

@test "a C++ program builds with pkg-config and is traced" {
	# shellcheck disable=SC2046
	g++ -Wall -Wextra -Wconversion -Wsign-conversion -Werror -xc++ server.c -o server $(pkg-config --cflags --libs libktrace)
	traced ./server
}

@test "a program with a static libktrace is traced" {
	gcc -Wall -Werror -I"$USR/include" server.c -o server "$USR/lib/libktrace.a" -pthread
	traced ./server
}

@test "a static program with <trace.h> is linked" {
	printf '#include <trace.h>\nint main(void) { trace_id_t t; return posix_trace_create(0, 0, &t); }\n' >own.c
	# shellcheck disable=SC2046
	gcc -Wall -Werror -static own.c -o own $(pkg-config --static --cflags --libs libktrace-posix)
	gcc -Wall -Werror -I"$USR/include" own.c -o own "$USR/lib/libktrace-posix.a" \
		"$USR/lib/libktrace.a" "$USR/lib/libktraceset.a" -pthread -lzstd -lm
}

@test "make load takes the module of the kernel that runs, without its headers" {
	run make -n -C "$ROOT" load KDIR=/nowhere PARAMS=group_kernel=1
	# shellcheck disable=SC2016 # as the shell of make gets it
	[[ $output == *'scripts/load '*'/kernel/$(uname -r)/ktrace.ko group_kernel=1'* ]]
}

@test "the examples build as their page says" {
	local place libraries source
	sed -n 's/^| \[[^]]*\](\([a-z_/.]*\)) |.*| \([a-z-]\{1,\}\) |$/\1 \2/p' "$ROOT/examples/README.md" >table
	while read -r place libraries; do
		for source in $(find "$ROOT/examples/$place" -name '*.c'); do
			# shellcheck disable=SC2046
			gcc -Wall -Werror "$source" -o "$(basename "$source" .c)" -pthread \
				$([ "$libraries" = none ] || pkg-config --cflags --libs "$libraries")
		done
	done <table
	for source in hello server metronome cache beat watch chunks; do
		[ -x $source ]
	done
}

@test "a program that uses the S.Ha.R.K. tracer builds, with each library, and runs alone" {
	cat >shark.c <<-'END'
		#include <ktrace/shark.h>

		int main(void)
		{
			FTrace_init_disk_writer("events", 0, 0, 0);
			FTrace_actual_chunk_select(FTrace_chunk_create(160, 0, FTRACE_CHUNK_FLAG_FREE));
			FTrace_enable();
			TRACER_LOGEVENT(FTrace_EVT_ipoint, 1, 0);
			FAST_TRACER_LOGEVENT(FTrace_EVT_ipoint, 2);
			FAST_TRACER_LOGEVENT(FTrace_EVT_ipoint, 3, 0);
			TRACER_LOGCRITICAL(FTrace_EVT_ipoint, 4, 0);
			return FTrace_send_chunk(0, 0, 0);
		}
	END
	# shellcheck disable=SC2046
	gcc -std=c99 -Wall -Wextra -Werror shark.c -o by_c $(pkg-config --cflags --libs libktrace-shark)
	# shellcheck disable=SC2046
	g++ -Wall -Wextra -Werror -xc++ shark.c -o by_cxx $(pkg-config --cflags --libs libktrace-shark)
	gcc -Wall -Werror -I"$USR/include" shark.c -o static "$USR/lib/libktrace-shark.a" \
		"$USR/lib/libktrace.a" -pthread -lzstd
	for program in by_c by_cxx static; do
		LD_LIBRARY_PATH=$USR/lib ./$program
		[ "$(stat -c %s 0events)" = 64 ]
		rm 0events
	done
}

@test "the suppressions for valgrind are where libktrace(3) says" {
	[ -s "$USR/share/ktrace/libktrace-pthread.supp" ]
	grep -q '/usr/share/ktrace/libktrace-pthread.supp' "$ROOT/Documentation/man/libktrace.3"
}

@test "--pthread finds its library, for a program that is not ours" {
	LD_LIBRARY_PATH=$USR/lib "$USR/bin/ktraced" -q --backend=shm --pthread -o trace.bin -- \
		"$PROGS/pthread_openmp"
	run_ktrace list trace.bin
	[[ $output == *'pthread:thread_create_in number=1 '* ]]
}

# install_both: into ./usr, as Debian's packages do
install_both()
{
	make -s -C "$ROOT" lib32
	make -s -C "$ROOT" install DESTDIR="$PWD" PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu
}

@test "--pthread records programs of 32 and of 64 bits, which start each other" {
	install_both
	cat >locks.c <<-'END'
		#include <pthread.h>
		#include <stdlib.h>
		#include <unistd.h>
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
		static void *run(void *unused)
		{
			for (int i = 0; i < 1000; i++) {
				pthread_mutex_lock(&m);
				pthread_cond_signal(&c);
				pthread_mutex_unlock(&m);
			}
			return NULL;
		}
		int main(int argc, char **argv)
		{
			pthread_t t[2];
			for (int i = 0; i < 2; i++)
				if (pthread_create(&t[i], NULL, run, NULL))
					return 1;
			for (int i = 0; i < 2; i++)
				pthread_join(t[i], NULL);
			return argc > 1 ? execv(argv[1], argv + 1) : 0;
		}
	END
	gcc -O1 -pthread locks.c -o locks64
	gcc -m32 -idirafter /usr/include/x86_64-linux-gnu -O1 -pthread locks.c -o locks32
	./locks32 || skip "this kernel runs no programs of 32 bits"
	recorded()
	{
		LD_LIBRARY_PATH=$PWD/usr/lib/x86_64-linux-gnu capture ./usr/bin/ktraced --pthread -o t "$@"
		show ktraced "$@"
		[ "$status" = 0 ]
	}
	# How often what was called, whether it had to wait or not
	calls()
	{
		"$KTRACE" list --json t | jq -r .event | grep -v '_in$' | sed 's/_out$//' | sort | uniq -c
	}
	# The command is of the one kind or of the other.
	recorded -q -- ./locks64 ./locks32
	[ -z "$stderr" ]
	calls >both
	recorded -q -- ./locks32 ./locks64
	[ -z "$stderr" ]
	calls | diff both -
	grep '^ *4000 pthread:mutex_lock$' both
	grep '^ *4000 pthread:mutex_unlock$' both
	run_ktrace check t
	[ "$status" = 0 ]
	run_ktrace list --until 60 t
	[ "$(wc -l <<<"$output")" = "$("$KTRACE" list -c t)" ]
	run_ktrace objects t
	[[ $output == *mutex* ]]
	# What a sandbox or another C library needs is as for programs of 64 bits.
	gcc -m32 -idirafter /usr/include/x86_64-linux-gnu -static -O1 -pthread locks.c -o static32
	recorded -- ./static32
	[[ $stderr == *"./static32 is statically linked"* ]]
	find usr -name "*.so*" -path "*32*" -delete -o -name "*.so*" -path "*i386*" -delete
	recorded -- ./locks32
	[[ $stderr == *"./locks32 is a 32-bit program, and the 32-bit library is not installed"* ]]
}

@test "the libraries export versioned symbols of ours only" {
	for lib in libktrace libktraceset libktrace-shark libktrace-posix; do
		nm -D --defined-only "$USR/lib/$lib.so" | awk '{ print $3 }' >symbols
		cat symbols
		grep -q '@@' symbols
		run ! grep -vE '^(ktrace_[a-z0-9_]*@@|FTrace_[A-Za-z_]*@@|posix_trace_[a-z_]*@@|sysconf$|KTRACE_|_init|_fini)|vfork|^clone$|^prctl$|^pthread_setname_np$' symbols
	done
}

@test "man pages, headers and the udev rule are in place" {
	for f in share/man/man1/ktrace.1 share/man/man8/ktraced.8 share/man/man3/libktrace.3 share/man/man3/libktrace-shark.3 \
		share/bash-completion/completions/ktraced share/zsh/vendor-completions/_ktrace \
		share/man/man4/ktrace.4 include/linux/ktrace.h lib/udev/rules.d/60-ktrace.rules \
		lib/systemd/system/ktraced.service; do
		[ -s "$USR/$f" ]
	done
}

@test "no link of an installed document leads nowhere" {
	python3 - "$USR/share/doc/ktrace" <<-'END'
		import glob, os, re, sys

		pages = glob.glob(sys.argv[1] + '/**/*.md', recursive=True)
		text = {p: open(p, encoding='utf-8').read() for p in pages}
		links = [(p, l) for p in pages for l in re.findall(r'\]\(([^)\s]+)\)', text[p]) if ':' not in l]
		bad = [(p, l) for p, l in links
		       if not os.path.exists(os.path.join(os.path.dirname(p), l.partition('#')[0]))]
		assert len(links) > 50, links
		assert not bad, bad
		# What a link said is still there
		assert 'ktrace(1) ' in text[sys.argv[1] + '/Documentation/index.md'].replace('|', ' ')
	END
}

@test "each exported function and variable has a page by its name" {
	local symbol
	# ktrace_posix_*: what <trace.h> itself names; posix_trace(7)
	for symbol in $(nm -D --defined-only "$USR"/lib/lib{ktrace,ktraceset,ktrace-shark,ktrace-posix}.so |
			awk '$2 ~ /[TWBDVR]/ { sub(/@.*/, "", $3); print $3 }' |
			grep -v ^ktrace_posix_ | grep -E '^(ktrace_|FTrace_|posix_trace_)'); do
		[ -s "$USR/share/man/man3/$symbol.3" ] || {
			echo "no page $symbol(3)"
			return 1
		}
	done
	[ -n "$symbol" ]
	mandoc -Tlint -W warning "$USR"/share/man/man3/*.3
}

@test "a program of <trace.h> builds with pkg-config, and each function has a page by its name" {
	local f
	# shellcheck disable=SC2046
	gcc -std=c11 -D_GNU_SOURCE -Wall -Werror "$ROOT/tests/posix/listing.c" "$ROOT/tests/posix/suite.c" \
		-o listing $(pkg-config --cflags --libs libktrace-posix)
	LD_LIBRARY_PATH=$USR/lib TRACE_CHOICES=1 KTRACE_BACKEND=shm ./listing
	for f in $(sed -n 's/^FUNCTION([a-z]*, \([a-z_]*\),.*/\1/p' "$ROOT/tests/posix/functions.h"); do
		grep -q "^\.Nm $f" "$USR/share/man/man3/$f.3"
	done
	[ -s "$USR/share/man/man7/posix_trace.7" ]
}

@test "a program of <trace.h> is watched by another, with a log: both are built with pkg-config" {
	local p beat watch
	for p in beat watch; do
		# shellcheck disable=SC2046
		gcc -O2 -Wall -Werror "$ROOT/examples/posix/$p.c" -o $p $(pkg-config --cflags --libs libktrace-posix)
	done
	export LD_LIBRARY_PATH=$USR/lib KTRACE_BACKEND=shm
	mkfifo in
	./beat 3 <in >told 3>&- &
	beat=$!
	exec 8>in
	./watch "$beat" log >seen 3>&- 8>&- &
	watch=$!
	retry 0.05 grep -q watching seen
	echo >&8
	retry 0.05 grep -q 3 told
	exec 8>&-
	wait "$beat" "$watch"
	"$USR/bin/ktrace" list log >list
	[ "$(grep -c ' posix:beat ' list)" = 3 ]
	"$USR/bin/ktrace" info log | grep -q '^ *posix *stream '
}

@test "Python finds the module, and that the library" {
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$USR/lib/python3/dist-packages python3 -c '
import sys
from ktrace import Traceset
assert len(list(Traceset(sys.argv[1])))
' "$ROOT/tests/data/golden/small-v1.bin"
}

@test "pip installs the Python module into a venv" {
	python3 -m venv --without-pip venv 2>/dev/null || skip "python3 has no venv"
	python3 -m pip --version || skip "python3 has no pip"
	PIP_NO_INDEX=1 python3 -m pip --python venv/bin/python install "$USR"/share/ktrace/python/ktrace-*.whl
	LD_LIBRARY_PATH=$USR/lib venv/bin/python -c 'import ktrace; print(ktrace.__version__)'
}

@test "without ktraced the program runs alone and records nothing" {
	# shellcheck disable=SC2046
	gcc server.c -o server $(pkg-config --cflags --libs libktrace)
	capture env LD_LIBRARY_PATH="$USR/lib" strace -f ./server
	[ "$status" = 0 ]
	run ! grep -E '/dev/ktrace|/dev/shm' <<<"$stderr"
}

@test "the ABI of the libraries is that of the release; what breaks it is found" {
	local change
	"$ROOT/scripts/abi"
	for change in s/ktrace_trace_wall/ktrace_trace_gone/g s/KTRACE_0.1/KTRACE_0.9/g; do
		mkdir -p changed/lib
		cp "$BUILD"/lib/libktrace*.so changed/lib/
		LC_ALL=C sed -i "$change" changed/lib/libktraceset.so
		capture env BUILD="$PWD/changed" "$ROOT/scripts/abi"
		show abi
		[ "$status" -eq 1 ]
		[[ $stderr == 'abi: libktraceset has changed'* ]]
		[[ $stderr == *ktrace_trace_wall* ]]
	done
	# A struct of a header that was smaller, as far as the release's ABI says
	mkdir -p tree/scripts tree/tests/data
	cp "$ROOT/scripts/abi" tree/scripts/
	cp -r "$ROOT/tests/data/abi" tree/tests/data/
	ln -s "$ROOT/userspace" "$ROOT/uapi" tree/
	xz -d <"$ROOT/tests/data/abi/libktraceset.abi.xz" |
		sed "s/\(class-decl name='ktrace_clock_info' size-in-bits='\)[0-9]*/\164/" |
		xz >tree/tests/data/abi/libktraceset.abi.xz
	capture env BUILD="$(realpath "$BUILD")" tree/scripts/abi
	show abi
	[ "$status" -eq 1 ]
	[[ $stderr == *"'struct ktrace_clock_info'"* ]]
}

# bats test_tags=long
@test "the Python module lies where Debian's python3 looks, whatever python3 comes first in PATH" {
	local folder
	[ -x /usr/bin/python3 ] || skip "no python3 of Debian's"
	mkdir other
	# shellcheck disable=SC2016 # for the shell that runs it
	printf '#!/bin/sh\n[ "$1" != -c ] || { echo 3.99; exit; }\nexec /usr/bin/python3 "$@"\n' >other/python3
	chmod +x other/python3
	PATH=$PWD/other:$PATH make -s -C "$ROOT" install DESTDIR="$PWD/root" PREFIX=/usr/local
	folder=$(/usr/bin/python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
	[ "$(cd root/usr/local/lib && echo python*)" = "$folder" ]
	[ -e "root/usr/local/lib/$folder/dist-packages/ktrace/__init__.py" ]
	PATH=/usr/bin:$PATH make -s -C "$ROOT" uninstall DESTDIR="$PWD/root" PREFIX=/usr/local
	[ -z "$(find root -name '*ktrace*')" ]
}

@test "make uninstall leaves what is not ours, and nothing else" {
	local dest=$PWD/root
	cp -a "$BATS_FILE_TMPDIR/root" "$dest"
	mkdir -p "$dest/usr/lib/python3/dist-packages/ktrace/__pycache__"
	touch "$dest/usr/lib/python3/dist-packages/ktrace/__pycache__/x.pyc" "$dest/usr/bin/other" \
		"$dest/usr/share/doc/other"
	# A relative one begins where make runs, as for "make install".
	make -s -C "$ROOT" uninstall DESTDIR="$(realpath --relative-to="$ROOT" "$dest")" PREFIX=/usr/
	[ "$(cd "$dest" && find . ! -type d | sort | xargs)" = "./usr/bin/other ./usr/share/doc/other" ]
	[ -z "$(find "$dest" -name '*ktrace*')" ]
}
