#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace list --symbols: which function and line an address of code is. The programs are
# built here, as each test needs them.

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
	unset DEBUGINFOD_URLS
	cat >places.c <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		#include <unistd.h>
		#include <sys/wait.h>
		#ifndef NAME
		#define NAME set_up
		#endif
		static pthread_mutex_t mutex;
		static void NAME(void)
		{
			pthread_mutex_init(&mutex, NULL);
			printf("%p\n", (void *)NAME);
		}
		#ifdef LIBRARY
		void call(void)
		{
			NAME();
		}
		#else
		int main(void)
		{
			NAME();
			if (!fork())
				NAME();
			else
				wait(NULL);
			return 0;
		}
		#endif
	END
	LINE=$(grep -n pthread_mutex_init places.c | cut -d: -f1)
}

teardown()
{
	teardown_test
}

# build FLAG...: places, as Debian's compiler does it with these
build()
{
	rm -f places
	gcc -pthread -O0 places.c -o places "$@"
}

# traced COMMAND...: into t
traced()
{
	run_ktraced --pthread --policy block -o t -- "$@"
	[ "$(summary lost)" = 0 ]
}

# callers OPTION...: of mutex_init in t, in order; what is said goes to err
callers()
{
	"$KTRACE" list "$@" -e pthread:mutex_init_in t 2>err | sed -n 's/.*\((caller .*\)/\1/p'
}

@test "the trace says which code a process has, a fork's child what it has of its parent" {
	build -g
	traced ./places
	tr '\0' '\n' <t | grep -a '^process .* maps=' >processes
	[ "$(grep -c ' maps=own$' processes)" = 1 ]
	[ "$(grep -c ' maps=parent$' processes)" = 1 ]
	id=$(readelf -n places | sed -n 's/.*Build ID: //p')
	[ "$(tr '\0' '\n' <t | grep -ac "^map .* build=$id path=$PWD/places\$")" = 1 ]
	grep -a '^map .* path=/.*/libc\.so\.6$' <(tr '\0' '\n' <t)
}

@test "callers with and without debug information, PIE or not, stripped" {
	line=$(grep -n 'mutex_init' places.c | cut -d: -f1)
	for flags in "-g -pie" "-g -no-pie"; do
		# shellcheck disable=SC2086 # words
		build $flags
		traced ./places
		callers --symbols >list
		[ "$(grep -cE "^\(caller set_up\+0x[0-9a-f]+ at places\.c:$line\)\$" list)" = 2 ]
		[ ! -s err ]
	done
	build
	traced ./places
	callers --symbols >list
	[ "$(grep -cE '^\(caller set_up\+0x[0-9a-f]+ in places\)$' list)" = 2 ]
	build -s
	traced ./places
	callers --symbols >list
	[ "$(grep -cE '^\(caller places\+0x[0-9a-f]+\)$' list)" = 2 ]
	"$KTRACE" pthread --symbols -e MUTEX_INIT_IN t >list
	[ "$(grep -cE ' \(caller places\+0x[0-9a-f]+\)$' list)" = 2 ]
	"$KTRACE" pthread --symbols --json -e MUTEX_INIT_IN t |
		python3 -c 'import json, sys; [json.loads(l)["symbols"]["caller"] for l in sys.stdin]'
	# Nothing of it unless asked for
	callers >list
	[ ! -s list ]
}

@test "JSON has function, file and line" {
	build -g
	traced ./places
	"$KTRACE" list --symbols --json -e pthread:mutex_init_in t | python3 -c '
import json, sys
for line in sys.stdin:
    caller = json.loads(line)["symbols"]["caller"]
    assert caller["module"].endswith("/places") and caller["function"] == "set_up", caller
    assert caller["file"].endswith("places.c") and caller["line"] > 0, caller
    assert 0 < caller["offset"] < 4096 and caller["place"] > 0, caller
print("fine")' | grep -q fine
}

@test "debug information in a file of its own: by its build id, by link" {
	build -g
	objcopy --only-keep-debug places places.debug
	strip places
	traced ./places
	callers --symbols >list
	[ "$(grep -c '^(caller places+0x' list)" = 2 ]
	id=$(readelf -n places | sed -n 's/.*Build ID: //p')
	mkdir -p "debug/.build-id/${id:0:2}"
	cp places.debug "debug/.build-id/${id:0:2}/${id:2}.debug"
	callers --debug-dir debug >list
	[ "$(grep -c '^(caller set_up+0x.* at places.c:' list)" = 2 ]
	# One of another build is not taken.
	gcc -pthread -O0 -g -DNAME=other places.c -o other
	objcopy --only-keep-debug other "debug/.build-id/${id:0:2}/${id:2}.debug"
	callers --debug-dir debug >list
	[ "$(grep -c '^(caller places+0x' list)" = 2 ]

	objcopy --add-gnu-debuglink=places.debug places
	callers --symbols >list
	[ "$(grep -c '^(caller set_up+0x.* at places.c:' list)" = 2 ]
}

@test "a file that was replaced or removed, or is none, gives no names" {
	build -g
	traced ./places
	gcc -pthread -O0 -g -DNAME=other places.c -o places
	callers --symbols >list
	[ "$(grep -c '^(caller places+0x' list)" = 2 ]
	[ "$(grep -c 'places: not the file that was traced' err)" = 1 ]
	rm places
	callers --symbols >list
	[ "$(grep -c '^(caller places+0x' list)" = 2 ]
	[ "$(grep -c 'places: not there or not a file' err)" = 1 ]
	mkfifo places
	callers --symbols >list
	[ "$(grep -c 'places: not there or not a file' err)" = 1 ]
	# On another machine, or elsewhere
	build -g -Wl,--build-id=sha1 -o elsewhere
	mkdir -p "root$PWD"
	mv elsewhere "root$PWD/places"
	callers --sysroot root >list
	[ "$(grep -c '^(caller set_up+0x.* at places.c:' list)" = 2 ]
}

@test "libraries that are loaded, unloaded, and loaded where another one was" {
	mkdir lib
	for name in first second; do
		gcc -pthread -O0 -g -fPIC -shared -DLIBRARY "-DNAME=$name" places.c -o lib/$name.so
	done
	cat >loads.c <<-'END'
		#include <dlfcn.h>
		#include <pthread.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <unistd.h>
		#include <sys/wait.h>
		static pthread_mutex_t mutex;
		static void *use(const char *name)
		{
			void *lib = dlopen(name, RTLD_NOW);
			if (!lib)
				exit(puts(dlerror()));
			((void (*)(void))dlsym(lib, "call"))();
			return lib;
		}
		int main(void)
		{
			dlclose(use("first.so"));
			dlclose(use("second.so"));
			fflush(stdout);
			if (!fork()) {
				use("first.so");
				exit(0);
			}
			wait(NULL);
			dlclose(use("second.so"));
			pthread_mutex_init(&mutex, NULL);
			return 0;
		}
	END
	# They are found by the program's own path, which dlopen() must see as ever.
	# shellcheck disable=SC2016 # the linker's variable
	gcc loads.c -o loads -Wl,-rpath,'$ORIGIN/lib'
	traced ./loads
	callers --symbols >list
	sed 's/+.*//' list | paste -sd ' ' >names
	[ "$(cat names)" = "(caller first (caller second (caller first (caller second (caller main" ]
	grep -a "^map pid=[0-9]* ts=[0-9]* start=[0-9]* end=[0-9]*\$" <(tr '\0' '\n' <t)
}

@test "names of C++; debug information from a server, if the environment says so" {
	cat >thing.cc <<-'END'
		#include <pthread.h>
		namespace space {
			struct thing {
				pthread_mutex_t mutex;
				void set_up(int) { pthread_mutex_init(&mutex, nullptr); }
			};
		}
		int main() { space::thing t; t.set_up(3); }
	END
	g++ -pthread -O0 -g thing.cc -o thing
	traced ./thing
	callers --symbols >list
	grep -qE '^\(caller space::thing::set_up\(int\)\+0x[0-9a-f]+ at thing\.cc:5\)$' list
	id=$(readelf -n thing | sed -n 's/.*Build ID: //p')
	mkdir -p "server/buildid/$id"
	objcopy --only-keep-debug thing "server/buildid/$id/debuginfo"
	strip thing
	callers --symbols >list
	grep -q '^(caller thing+0x' list
	[ -e "$(echo /usr/lib/*/libdebuginfod.so.1)" ] ||
		skip "needs libdebuginfod1"
	# Servers are asked only on request.
	export DEBUGINFOD_URLS=file://$PWD/server/ DEBUGINFOD_CACHE_PATH=$PWD/cache
	callers --symbols >list
	grep -q '^(caller thing+0x' list
	callers --debuginfod >list
	grep -q '^(caller space::thing::set_up(int)+0x' list
	unset DEBUGINFOD_URLS
	run_ktrace list --debuginfod t
	[ "$status" -eq 2 ]
	[[ $stderr == *"DEBUGINFOD_URLS is not set"* ]]
}

# endless_server: sends debug information without an end; its port is in $port
endless_server()
{
	start server python3 -uc '
import socket
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1])
while True:
    peer = listener.accept()[0]
    try:
        peer.recv(65536)
        peer.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\x7fELF")
        while True:
            peer.sendall(bytes(65536))
    except OSError:
        peer.close()
'
	retry 0.1 test -s server.out
	port=$(cat server.out)
}

@test "a server of debug information that sends without an end is left, and not asked again" {
	[ -e "$(echo /usr/lib/*/libdebuginfod.so.1)" ] ||
		skip "needs libdebuginfod1"
	cc -pthread -O0 places.c -o one -Wl,--build-id
	cc -pthread -O0 -DNAME=other places.c -o other -Wl,--build-id
	strip one other
	traced sh -c './one; ./other'
	endless_server
	export DEBUGINFOD_CACHE_PATH=$PWD/cache DEBUGINFOD_URLS=http://127.0.0.1:$port
	export no_proxy=127.0.0.1
	for limit in DEBUGINFOD_MAXSIZE=10000000 DEBUGINFOD_MAXTIME=1; do
		rm -rf cache
		capture timeout 60 env "$limit" "$KTRACE" list --debuginfod t
		show ktrace list --debuginfod t
		[ "$status" -eq 0 ]
		[ "$(grep -c 'no server is asked any more' <<<"$stderr")" = 1 ]
		[ "$(du -sk cache | cut -f 1)" -lt 1000 ]
	done
	kill "$pid"
}

@test "what headers of the C++ library have inlined is not in the way of the line that calls it" {
	cat >once.cc <<-'END'
		#include <mutex>
		static std::once_flag flag;
		int runs;
		__attribute__((noinline)) void work() { std::call_once(flag, [] { runs++; }); }
		int main() { work(); }
	END
	g++ -pthread -O2 -g once.cc -o once
	traced ./once
	run_ktrace list --symbols -e pthread:once_in t
	grep -E ' \(caller work\(\)\+0x[0-9a-f]+ at once\.cc:4\)$' <<<"$output"
	# The library of gcc 14 calls it, too, before the program runs.
	"$KTRACE" list --symbols --json -e pthread:once_in t |
		jq -e 'select(.symbols.caller.inlined | length > 0)'
}

@test "locks have the names of the variables that they are" {
	cat >shelf.c <<-'END'
		#include <pthread.h>
		struct { long filler[4]; pthread_mutex_t lock; } shelves[2];
		void in_library(void)
		{
			pthread_mutex_lock(&shelves[1].lock);
			pthread_mutex_unlock(&shelves[1].lock);
		}
	END
	cat >variables.c <<-'END'
		#include <pthread.h>
		#include <stdlib.h>
		void in_library(void);
		static pthread_mutex_t set = PTHREAD_MUTEX_INITIALIZER, cleared;
		int main(void)
		{
			pthread_mutex_t *made = calloc(1, sizeof(*made));
			pthread_mutex_lock(&set);
			pthread_mutex_lock(&cleared);
			pthread_mutex_lock(made);
			in_library();
			return 0;
		}
	END
	gcc -shared -fPIC shelf.c -o libshelf.so
	for pie in -pie -no-pie; do
		gcc $pie variables.c -o variables ./libshelf.so
		traced ./variables
		run_ktrace lock-order --symbols t
		grep -E ' mutex 0x[0-9a-f]+ \(set\) -> [0-9]+ mutex 0x[0-9a-f]+ \(cleared\) from main' <<<"$output"
		grep -E ' \(cleared\) -> [0-9]+ mutex 0x[0-9a-f]+ from main' <<<"$output"
		grep -E ' \(set\) -> [0-9]+ mutex 0x[0-9a-f]+ \(shelves\+0x68\) from in_library' <<<"$output"
		run_ktrace lock-order --symbols --json t
		[ "$(jq -c '[.edges[0].held | .variable, .variable_offset]' <<<"$output")" = '["set",0]' ]
		run_ktrace objects --symbols t
		grep -E ' taken by [0-9]+ \(cleared\)$' <<<"$output"
		run_ktrace objects --symbols --json t
		[ "$(jq -c '[.objects[] | [.variable, .variable_offset]] | sort' <<<"$output")" = '[[null,null],["cleared",0],["set",0],["shelves",104]]' ]
	done
	run_ktrace objects t
	fails grep cleared <<<"$output"
	# By what the file says in which the lock was taken, whichever is named first.
	run_ktraced -o other -- "$EXAMPLES/hello"
	run_ktrace lock-order --symbols other t
	grep -E ' \(cleared\) from main' <<<"$output"
	run_ktrace lock-order --dot --symbols t
	grep -E '^  "[0-9]+ mutex 0x[0-9a-f]+ \(set\)" -> "[0-9]+ mutex 0x[0-9a-f]+ \(cleared\)" \[label="1"\];$' <<<"$output"
	run_ktrace lock-order t
	fails grep set <<<"$output"
	strip variables
	run_ktrace lock-order --symbols t
	fails grep set <<<"$output"
}

# inlined FLAG...: a program whose only call is in functions that are inlined; CC compiles
inlined()
{
	cat >inlined.c <<-'END'
		#include <pthread.h>
		static pthread_mutex_t mutex;
		static inline __attribute__((always_inline)) void leaf(void)
		{
			pthread_mutex_init(&mutex, NULL);
		}
		static inline __attribute__((always_inline)) void middle(void)
		{
			leaf();
		}
		__attribute__((noinline)) void work(int n)
		{
			while (n--)
				middle();
		}
		int main(void)
		{
			work(3);
			return 0;
		}
	END
	"${CC:-gcc}" -pthread -O1 -g inlined.c -o inlined "$@"
}

# as_addr2line FILE: what binutils say of the first caller in t, as ktrace would
as_addr2line()
{
	local offset
	offset=$("$KTRACE" list --symbols --json -e pthread:mutex_init_in t 2>>err |
		jq -s '.[0].symbols.caller.offset')
	# The call, not where it returns to
	printf '0x%x\n' $((0x$(nm "$1" | sed -n 's/ T work$//p') + offset - 1)) >address
	addr2line -e "$1" -f -i "$(cat address)" | paste - - | sed 's,\t.*/,\t,; s, (disc.*,,'
}

@test "debug information that files share, of dwz" {
	inlined
	mv inlined another
	inlined -DANOTHER
	dwz -m "$PWD/shared.debug" -M "$PWD/shared.debug" inlined another
	readelf -SW inlined | grep -q gnu_debugaltlink
	traced ./inlined
	callers --symbols | sort -u >list
	grep -q '^(caller leaf at inlined.c:5, inlined in middle at inlined.c:9, inlined in work+0x' list
	# Not one of another build
	cp another shared.debug
	callers --symbols | sort -u >list
	grep -q '^(caller ? at inlined.c:5, inlined in ? at inlined.c:9, inlined in work+0x' list
}

# shared_by OPTION...: the caller of inlined is told with what dwz(1) moved to another file
shared_by()
{
	callers "$@" | sort -u >list
	grep -q '^(caller leaf at inlined.c:5, inlined in middle at inlined.c:9, inlined in work+0x' list
}

@test "debug information in a file of its own that shares some with others" {
	inlined
	cp inlined whole
	traced ./inlined
	id=$(readelf -n inlined | sed -n 's/.*Build ID: //p')
	debug=debug/.build-id/${id:0:2}
	mkdir -p "$debug"
	for relative in "" -r; do
		rm -f inlined
		cp whole inlined
		inlined -DANOTHER -o another
		# shellcheck disable=SC2086 # an option or none
		dwz $relative -m "$PWD/shared.debug" inlined another
		objcopy --only-keep-debug inlined "$debug/${id:2}.debug"
		strip inlined
		[ -z "$relative" ] || mv shared.debug "$debug/"
		shared_by --debug-dir debug
	done
	# By its own build id
	shared=$(readelf -n "$debug/shared.debug" | sed -n 's/.*Build ID: //p')
	mkdir -p "debug/.build-id/${shared:0:2}"
	mv "$debug/shared.debug" "debug/.build-id/${shared:0:2}/${shared:2}.debug"
	shared_by --debug-dir debug
}

@test "a pipe where shared debug information should be is not waited for" {
	inlined
	inlined -DANOTHER -o another
	dwz -m "$PWD/shared.debug" -M "$PWD/shared.debug" inlined another
	traced ./inlined
	shared_by --symbols
	rm shared.debug
	mkfifo shared.debug
	timeout 60 "$KTRACE" list --symbols -e pthread:mutex_init_in t >list
	grep -q '(caller ? at inlined.c:5, inlined in ? at inlined.c:9, inlined in work+0x' list
}

@test "functions that are inlined are a chain, as addr2line has it, of any compiler" {
	for CC in gcc clang; do
		for flags in "-pie" "-no-pie" "-gdwarf-4"; do
			# shellcheck disable=SC2086 # words
			inlined $flags
			traced ./inlined
			callers --symbols >list
			cat list err
			sort -u list >once
			grep -qE '^\(caller leaf at inlined\.c:5, inlined in middle at inlined\.c:9, inlined in work\+0x[0-9a-f]+ at inlined\.c:1[34]\)$' once
			[ "$(wc -l <once)" = 1 ]
			[ ! -s err ]
			as_addr2line inlined >theirs
			cat theirs
			"$KTRACE" list --symbols --json -e pthread:mutex_init_in t | jq -sr '.[0].symbols.caller |
				(.inlined[] | [.function, (.file | sub(".*/"; "")) + ":" + (.line | tostring)]),
				[.function, (.file | sub(".*/"; "")) + ":" + (.line | tostring)] | join("\t")' >ours
			[ "$(grep -c . ours)" = 3 ]
			diff ours theirs
		done
	done
}

@test "debug information that the compiler has split gives function, file and line" {
	inlined -gsplit-dwarf
	[ -f inlined.dwo ]
	traced ./inlined
	callers --symbols >list
	sort -u list >once
	grep -qE '^\(caller work\+0x[0-9a-f]+ at inlined\.c:5\)$' once
	[ "$(wc -l <once)" = 1 ]
	[ ! -s err ]
}

@test "prefixes of paths are mapped, debug information is in several folders" {
	build -g
	objcopy --only-keep-debug places places.debug
	strip places
	traced ./places
	id=$(readelf -n places | sed -n 's/.*Build ID: //p')
	mkdir -p one "two/.build-id/${id:0:2}" there
	mv places there/
	mv places.debug "two/.build-id/${id:0:2}/${id:2}.debug"
	callers --debug-dir one --debug-dir two --path-map "$PWD=$PWD/there" >list
	[ "$(grep -c '^(caller set_up+0x.* at places.c:' list)" = 2 ]
	# The longest one counts, and whole names only.
	callers --debug-dir two --path-map /=/nowhere/ --path-map "$PWD/=there/" >list
	[ "$(grep -c '^(caller set_up+0x.* at places.c:' list)" = 2 ]
	callers --debug-dir two --path-map "${PWD%?}=$PWD/there" >list
	[ "$(grep -c 'not there or not a file' err)" = 1 ]
	for wrong in there "=there" "there=$PWD"; do
		run_ktrace list --path-map "$wrong" t
		[ "$status" -eq 2 ]
		[[ $stderr == *"--path-map: not as /from=/to"* ]]
	done
}

@test "a file without names is told once, however many addresses are in it" {
	build -s
	traced ./places
	callers --symbols >list
	[ "$(grep -c '^(caller places+0x' list)" = 2 ]
	[ "$(grep -c 'places: has no name for some addresses: stripped' err)" = 1 ]
	[ "$(wc -l <err)" = 1 ]
}

# has_both: the file has the events already
has_both()
{
	[ -e done ]
	[ "$("$KTRACE" list -e pthread:mutex_init_in t | wc -l)" = 2 ]
}

@test "a program in a mount namespace of its own" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	unshare -m true || skip "needs mount namespaces"
	build -g
	mkdir inside
	cat >enter <<-'END'
		mount -t tmpfs none inside && mv places inside/ && inside/places && touch done && cat gate
	END
	mkfifo gate
	start_ktraced --pthread --policy block -o t -- unshare -m --propagation private sh enter
	exec 5<>gate
	retry 0.1 has_both
	contained=$(pgrep -P "$(pgrep -P "$pid")" cat || pgrep -P "$pid" cat)
	callers --symbols >list
	[ "$(grep -c 'places: not there or not a file' err)" = 1 ]
	callers --sysroot "/proc/$contained/root" >list
	cat list err
	[ "$(grep -c '^(caller set_up+0x.* at places.c:' list)" = 2 ]
	callers --path-map "$PWD/inside=/proc/$contained/root$PWD/inside" >list
	[ "$(grep -c '^(caller set_up+0x.* at places.c:' list)" = 2 ]
	echo >&5
	exec 5>&-
	wait_for "$pid"
}

@test "programs that are damaged give no names, and nothing worse" {
	inlined
	traced ./inlined
	id=$(readelf -n inlined | sed -n 's/.*Build ID: //p')
	cp inlined whole
	python3 - <<-'END'
		import os, random
		whole = open("whole", "rb").read()
		shoff = int.from_bytes(whole[40:48], "little")
		os.mkdir("bad")
		def put(n, data):
		    open(f"bad/{n}", "wb").write(data)
		for n in range(20):
		    put(f"cut{n}", whole[:len(whole) * n // 20])
		r = random.Random(1)
		for n in range(60):
		    data = bytearray(whole)
		    # Headers of the file, of its segments, of its sections; anything
		    area = [(0, 64), (64, 800), (shoff, len(whole)), (0, len(whole))][n % 4]
		    for _ in range(r.choice((1, 4, 30))):
		        data[r.randrange(*area)] = r.choice((0, 1, 0x7f, 0x80, 0xff, r.randrange(256)))
		    put(f"forged{n}", data)
	END
	for file in bad/*; do
		cp "$file" inlined
		"$KTRACE" list --symbols -e pthread:mutex_init_in t >list 2>err || {
			code=$?
			echo "$file: status $code"
			cat err
			[ "$code" -lt 2 ]
		}
		[ "$(wc -l <list)" = 3 ]
	done
}

# random_places FILE N: a trace t of events that have N addresses of FILE's code; those to addresses
random_places()
{
	local off at size build
	read -r off at size < <(readelf -lW "$1" | awk '$1 == "LOAD" && /R E/ { print $2, $3, $5 }')
	build=$(readelf -n "$1" | sed -n 's/.*Build ID: //p')
	{
		echo "meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000"
		echo "meta event kind=user id=64 desc=a:b{ptr%20x;}"
		echo "meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop"
		echo "meta process pid=5 ppid=1 ts=0 comm=x maps=own"
		echo "meta map pid=5 ts=0 start=268435456 end=$((268435456 + size)) offset=$((off)) build=$build path=$1"
		awk -v size=$((size)) -v n="$2" -v at=$((at)) 'BEGIN { srand(7); for (i = 0; i < n; i++) {
			if (i % 100 == 0) print "block 0"
			p = int(rand() * size)
			print "rec", 1000 + i, "64 5 u64:" 268435456 + p
			printf "0x%x\n", at + p >"addresses" } }'
	} | "$PROGS/mktrace" t
}

@test "places all over a program are where addr2line has them" {
	random_places "$(readlink -f "$KTRACE")" 2000
	"$KTRACE" list --symbols --json t >json
	jq -r '(.symbols.x // {}) | [((.inlined // [])[], .) |
		(.file // "?" | sub(".*/"; "")) + ":" + (.line // "?" | tostring)] | join(" ")' json >ours
	addr2line -e "$KTRACE" -f -i -a <addresses | awk '
		/^0x/ { if (s) print s; s = ""; next }
		{ getline l; sub(/.*\//, "", l); sub(/ \(disc.*/, "", l); s = s (s ? " " : "") l }
		END { print s }' >theirs
	[ "$(wc -l <ours)" = 2000 ]
	# Between functions is nothing; one of them takes that for the function before.
	[ "$(grep -c '\.c:[0-9]' ours)" -gt 1500 ]
	paste ours theirs | awk -F '\t' '$1 != $2 && $1 !~ /\?/ && $2 !~ /\?/' >differ
	cat differ
	[ ! -s differ ]
}

# as_kernel FILE: META lines of what is the kernel in a trace of its making, 0x1000000 from its place
as_kernel()
{
	echo "meta host name=h kernel=6.6.6-test machine=x86_64 cpus=1 boot=b"
	echo "meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000"
	echo "meta event kind=user id=64 desc=a:b{ptr%20x;}"
	echo "meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop"
	echo "meta image name=vmlinux build=$(readelf -n "$1" | sed -n 's/.*Build ID: //p')"
}

# kernel_function NAME ADDRESS SIZE: the META line
kernel_function()
{
	printf 'meta symbol start=%u end=%u name=%s\n' "$2" "$(($2 + $3))" "$1"
}

@test "functions of the kernel and its modules have lines, wherever they were at that boot" {
	cat >kernel.c <<-'END'
		volatile int sink;
		static inline __attribute__((always_inline)) void leaf(int n)
		{
			sink = n;
		}
		__attribute__((noinline)) void other(void)
		{
			sink++;
		}
		__attribute__((noinline)) void work(int n)
		{
			leaf(n);
			other();
		}
		#ifndef MODULE
		void _start(void)
		{
			work(1);
		}
		#endif
	END
	gcc -g -O1 -fno-pic -nostdlib -static -no-pie -Wl,--build-id -Wl,-Ttext=0xffffffff81000000 -mcmodel=kernel \
		-fcf-protection=none kernel.c -o vmlinux
	gcc -g -O1 -DMODULE -fno-pic -mcmodel=kernel -fcf-protection=none -c kernel.c
	ld -r --build-id kernel.o -o a_module.ko
	at=$((0x$(nm vmlinux | sed -n 's/ T work$//p') + 0x1000000))
	loaded=$((0xffffffffc0100000 + 0x$(nm a_module.ko | sed -n 's/ T work$//p')))
	{
		as_kernel vmlinux
		echo "meta image name=a_module build=$(readelf -n a_module.ko | sed -n 's/.*Build ID: //p') text=$(printf %u 0xffffffffc0100000)"
		kernel_function work "$at" 64
		kernel_function 'work%20[a_module]' "$loaded" 64
		echo "block 0"
		printf 'rec 1000 64 5 u64:%u\n' "$at" "$loaded" $((at + 1048576))
	} | "$PROGS/mktrace" t
	"$KTRACE" list --symbols t 2>err | sed -n 's/.* (x \(.*\))$/\1/p' >list
	[ "$(cat list)" = "work+0x0"$'\n'"work [a_module]+0x0" ]
	"$KTRACE" list --debug-dir . t 2>err | sed -n 's/.* (x \(.*\))$/\1/p' >list
	cat list err
	grep -q '^leaf at kernel\.c:4, inlined in work+0x0 at kernel\.c:1[0-2]$\|^work+0x0 at kernel\.c:1[0-2]$' list
	grep -q 'work \[a_module\]+0x0 at kernel\.c:1[0-2]$' list
	[ "$(wc -l <list)" = 2 ]
	[ ! -s err ]
	# Where packages put them
	mkdir -p root/boot root/usr/lib/debug/lib/modules/6.6.6-test/kernel/x root/lib/modules/6.6.6-test
	cp vmlinux root/boot/vmlinux-6.6.6-test
	cp a_module.ko root/usr/lib/debug/lib/modules/6.6.6-test/kernel/x/a-module.ko
	echo 'kernel/x/a-module.ko.xz: kernel/x/b.ko.xz' >root/lib/modules/6.6.6-test/modules.dep
	"$KTRACE" list --sysroot root t 2>err | sed -n 's/.* (x \(.*\))$/\1/p' >there
	diff there list
	# The list may be anything.
	mv root/lib/modules/6.6.6-test/modules.dep list.dep
	{ printf '%0100000d\nnothing\n.ko:\n:\n' 0; cat list.dep; } >root/lib/modules/6.6.6-test/modules.dep
	"$KTRACE" list --sysroot root t 2>err | sed -n 's/.* (x \(.*\))$/\1/p' >there
	diff there list
	rm root/lib/modules/6.6.6-test/modules.dep
	mkfifo root/lib/modules/6.6.6-test/modules.dep
	timeout 60 "$KTRACE" list --sysroot root t >there
	grep -q 'work \[a_module\]+0x0)$' there
	# Another build
	gcc -g -O2 -nostdlib -static -no-pie -Wl,--build-id kernel.c -o root/boot/vmlinux-6.6.6-test
	"$KTRACE" list --sysroot root t 2>err | sed -n 's/.* (x \(.*\))$/\1/p' >there
	grep -q '^work+0x0$' there
}
