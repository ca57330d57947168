#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# others.bats - packages for other distributions, as far as tools in Debian build them: `make rpm`, `make pacman`

bats_require_minimum_version 1.5.0
load ../bats/helpers

# Everything is compiled twice, with the options of those tools.
[ -n "${KTRACE_LONG:-}" ] || BATS_TEST_TIMEOUT=1800

setup_file()
{
	load ../bats/helpers
	cd "$ROOT" || return
	make -s rpm pacman
	cd "$BATS_FILE_TMPDIR" || return
	mkdir rpm pacman
	for package in "$BUILD"/rpm/RPMS/*/*.rpm; do
		rpm2cpio "$package" | (cd rpm && cpio -idm --quiet)
	done
	for package in "$BUILD"/pacman/*.pkg.tar*; do
		tar -xf "$package" -C pacman
	done
}

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# names FOLDER: what is in it, without what only one of the tools has, in the same folders
names()
{
	(cd "$BATS_FILE_TMPDIR/$1" && find . ! -type d -printf '%P\n') |
		sed -E '/^(\.[A-Z]|usr\/lib\/(debug|\.build-id)|usr\/src\/debug|usr\/share\/licenses|etc\/apparmor)/d
			s/\.(gz|zst)$//; s/usr\/lib64/usr\/lib/; s/usr\/lib\/python3[^k]*/usr\/lib\/python3/' | sort
}

# runs FOLDER LIBRARIES: its programs record and read one of ours
runs()
{
	local root=$BATS_FILE_TMPDIR/$1
	export LD_LIBRARY_PATH=$root/$2
	"$root/usr/bin/ktraced" --backend=shm -q -o t -- "$EXAMPLES/hello"
	[ "$("$root/usr/bin/ktrace" list -e hello:item_end t | wc -l)" = 40 ]
	[ "$("$root/usr/bin/ktrace" sql t 'SELECT count(*) AS n FROM "hello:item_end"' | xargs)" = "n 40" ]
	readelf -d "$root/usr/bin/ktrace" "$root/$2"/libktraceset.so.* >dynamic
	fails grep -E 'R(UN)?PATH' dynamic
}

@test "packages of Arch and RPM packages have the same files" {
	names rpm >rpm
	names pacman >pacman
	diff rpm pacman
	for name in usr/bin/ktraced usr/bin/ktrace usr/libexec/ktrace/sql usr/include/ktrace/ktrace.h usr/lib/libktrace.so.0 \
		usr/lib/systemd/system/ktraced.service usr/lib/udev/rules.d/60-ktrace.rules usr/lib/python3/site-packages/ktrace/__init__.py \
		usr/share/man/man8/ktraced.8 usr/share/zsh/site-functions/_ktrace usr/lib/modules-load.d/ktrace.conf \
		"usr/src/ktrace-$(sed -n 's/^VERSION *:= *//p' "$ROOT/Makefile")/dkms.conf"; do
		grep -qx "$name" rpm
	done
}

@test "each file is in one RPM package" {
	rpm -qlp "$BUILD"/rpm/RPMS/*/*.rpm 2>/dev/null | grep -v '/\.build-id\|/licenses/' | sort | uniq -d >twice
	[ ! -s twice ]
}

@test "programs of the RPM packages record and read" {
	runs rpm "$(cd "$BATS_FILE_TMPDIR/rpm" && dirname usr/lib*/libktraceset.so.0)"
}

@test "programs of the packages of Arch record and read" {
	runs pacman usr/lib
}
