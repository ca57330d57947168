#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# Defining events: all kinds of fields, compilers, standards and ways of linking, and
# what the compiler refuses.

# shellcheck disable=SC2154 # capture sets status and output

load helpers

SOURCES=$ROOT/tests/progs/user
WARNINGS=(-Wall -Wextra -Wshadow -Wvla -Werror -pedantic)

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# has_all: the numbers that every.c and every.cc must give
has_all()
{
	[ "$status" = 0 ] || return 1
	grep -q '^ledger ok' <<<"$output" || return 1
	grep -q '^calls 4' <<<"$output" || return 1
	local event
	for event in every:none every:small every:kind trace:TR_NONE trace:TR_EIGHT; do
		grep -q "^event $event 2\$" <<<"$output" || return 1
	done
}

# build_c CC FLAG...: every.c and elsewhere.c
build_c()
{
	local cc=$1
	shift
	"$cc" "${WARNINGS[@]}" "$@" -I"$ROOT/userspace/include" "$SOURCES/every.c" "$SOURCES/elsewhere.c" -o every \
		-L"$BUILD/lib" "-Wl,-rpath,$BUILD/lib" -lktrace -pthread
}

build_cxx()
{
	local cc=$1
	shift
	"$cc" "${WARNINGS[@]}" "$@" -I"$ROOT/userspace/include" -L"$BUILD/lib" "-Wl,-rpath,$BUILD/lib" -o every \
		"$SOURCES/every.cc" -lktrace -pthread -x c++ "$SOURCES/elsewhere.c"
}

run_every()
{
	capture "$PROGS/user_ledger" ./every
	show "$@"
	has_all
}

# is_left_out STD OPT: but for KTRACE_LONG, each level of optimisation with one standard, each standard with one
is_left_out()
{
	[ -z "${KTRACE_LONG:-}" ] && [ "$2" != -O2 ] && [[ $1 != gnu11 && $1 != c++11 ]]
}

@test "C: gcc and clang, C99 to C17, with and without optimisation" {
	local cc std opt
	for cc in gcc clang; do
		for std in c99 gnu11 c17; do
			for opt in -O0 -O1 -O2 -O3 -Os; do
				! is_left_out "$std" "$opt" || continue
				build_c "$cc" "-std=$std" "$opt"
				run_every "$cc" "$std" "$opt"
			done
		done
	done
}

@test "C++: g++ and clang++, C++11 to C++20" {
	local cc std opt
	for cc in g++ clang++; do
		for std in c++11 c++17 c++20; do
			for opt in -O0 -O2; do
				! is_left_out "$std" "$opt" || continue
				build_cxx "$cc" "-std=$std" "$opt"
				run_every "$cc" "$std" "$opt"
				grep '^event cxx:method 6' <<<"$output"
			done
		done
	done
}

# old_sources: every.h and the files that include it as programs have them that keep to C90
old_sources()
{
	local file
	for file in every.h every.c elsewhere.c; do
		sed 's|^// \(.*\)|/* \1 */|; s/static inline/static __inline__/' "$SOURCES/$file" >"$file"
	done
}

@test "C90 to C23, C++98 to C++23: no warning, neither in the macros nor in the headers" {
	local std cc include c=(c89 gnu11 c2x) cxx=(c++98 gnu++17 c++2b)
	[ -z "${KTRACE_LONG:-}" ] || {
		c=(c89 gnu89 iso9899:199409 c99 gnu99 c11 gnu11 c17 gnu17 c2x gnu2x)
		cxx=(c++98 gnu++98 c++03 c++11 gnu++11 c++14 c++17 gnu++17 c++20 gnu++20 c++2b)
	}
	old_sources
	for include in -isystem -I; do
		for std in "${c[@]}"; do
			for cc in gcc clang; do
				"$cc" -fsyntax-only "-std=$std" "${WARNINGS[@]}" -Wconversion -Wdeclaration-after-statement \
					"$include" "$ROOT/userspace/include" every.c elsewhere.c
			done
		done
		for std in "${cxx[@]}"; do
			for cc in g++ clang++; do
				"$cc" -x c++ -fsyntax-only "-std=$std" "${WARNINGS[@]}" -Wconversion \
					"$include" "$ROOT/userspace/include" every.c elsewhere.c
			done
		done
	done
}

@test "programs in C90 and C++98 are recorded" {
	local cc language std
	old_sources
	while read -r cc language std; do
		"$cc" -x "$language" "-std=$std" "${WARNINGS[@]}" -O2 -I"$ROOT/userspace/include" every.c elsewhere.c \
			-o every -L"$BUILD/lib" "-Wl,-rpath,$BUILD/lib" -lktrace -pthread
		run_every "$cc" "$std"
	done <<-'END'
		gcc c c89
		clang c c89
		clang c gnu89
		g++ c++ c++98
		clang++ c++ c++98
	END
}

@test "position independent or not, sections collected, link-time optimisation" {
	local flags
	for flags in "-fPIE -pie" "-fno-pie -no-pie" "-fPIC -ffunction-sections -Wl,--gc-sections" -flto; do
		# shellcheck disable=SC2086
		build_c gcc -O2 $flags
		run_every "$flags"
	done
}

@test "linked statically" {
	local flags
	for flags in -static -static-pie; do
		gcc -O2 "$flags" -I"$ROOT/userspace/include" "$SOURCES/every.c" "$SOURCES/elsewhere.c" -o every \
			"$BUILD/lib/libktrace.a" -pthread
		run_every "$flags"
	done
}

@test "under AddressSanitizer, UBSan and ThreadSanitizer" {
	local flags
	for flags in -fsanitize=address,undefined -fsanitize=thread; do
		build_c gcc -O1 -g "$flags" -fno-sanitize-recover=all
		run_every "$flags"
	done
}

@test "values reach the viewer as they were" {
	build_c gcc -O2
	run_ktraced -o t.bin -- ./every
	[ "$status" = 0 ]
	run_ktrace list --json t.bin
	[ "$status" = 0 ]
	line=$(grep -m1 every:kind <<<"$output")
	python3 - "$line" <<-'EOF'
		import json, sys
		text = sys.argv[1]
		assert '"' in json.dumps(json.loads(text))
		f = json.loads(text)["fields"]
		assert f["u8"] == 1 and f["u64"] == 4 and f["s8"] == -5 and f["s64"] == -6, f
		assert f["f64"] == 2.5 and f["text"] == 'a "text"' and f["last"] == "(null)", f
		assert f["array"] == [-1, 0, 1] and f["sequence"] == [0.5, 1.5], f
	EOF
	line=$(grep -m1 every:small <<<"$output")
	python3 - "$line" <<-'EOF'
		import json, sys
		f = json.loads(sys.argv[1])["fields"]
		assert f["a"] == 255 and f["b"] == -2 and f["f"] == -3 and f["e"] == 0.25, f
		assert f["key"] == [1, 2, 3, 4], f
	EOF
}

@test "descriptions lie in the object, readable without running it" {
	build_c gcc -O2
	objcopy -O binary --only-section=ktrace_desc --set-section-flags ktrace_desc=alloc every desc.bin
	tr '\0' '\n' <desc.bin >desc
	cat desc
	grep -F 'every:small{u8 a;s16 b;x32 c;char d;u8[4] key;f32 e;s64 f;}@' desc
	grep -F 'u64 u64;s8 s8;s64 s64;x64 x64;f64 f64;ptr ptr;string text;s32[3] array;f32[] sequence;enum<s16>(IDLE=0,BUSY=1,GONE=-1) state;string last;}@' desc
	grep -F 'every:none{}@' desc
	grep -F 'trace:TR_EIGHT{x64 a;x64 b;x64 c;x64 d;x64 e;x64 f;x64 g;x64 h;}@' desc
}

# compiles STATEMENT
compiles()
{
	printf '%s\n' '#include <ktrace/ktrace.h>' \
		'KTRACE_EVENT(t, e, ktrace_u32(a), ktrace_string(b));' \
		"void f(void) { $1; }" >statement.c
	gcc -Werror -fsyntax-only -I"$ROOT/userspace/include" statement.c
}

@test "wrong values are refused by the compiler" {
	local statement
	for statement in 'ktrace(t, e, 1)' 'ktrace(t, e, 1, "a", 2)' 'ktrace(t, e, "a", 1)' \
		'ktrace(t, e, 1, 2)' 'ktrace(t, unknown)'; do
		if compiles "$statement"; then
			echo "accepted: $statement"
			return 1
		fi
	done
	compiles 'ktrace(t, e, 1, "a")'
}

@test "values are not evaluated when nobody records" {
	build_c gcc -O2
	capture ./every
	show ./every
	[ "$output" = "calls 0" ]
}

@test "the example records what it says" {
	capture "$PROGS/user_ledger" "$EXAMPLES/hello"
	show hello
	grep '^event hello:item_begin 40$' <<<"$output"
	grep '^event hello:item_end 40$' <<<"$output"
}
