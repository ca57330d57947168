#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# arm64.bats - Debian's packages for arm64, as `make ARCH=arm64 deb` makes them on another machine: what is in them,
# installed in a VM

load ../bats/helpers

[ -n "${KTRACE_LONG:-}" ] || BATS_TEST_TIMEOUT=900
KERNEL=arm64-6.12-cloud
DEBS=$BUILD/arm64/deb
VERSION=$(sed -n 's/^VERSION *:= *//p' "$ROOT/Makefile")

setup_file()
{
	load ../bats/helpers
	requires_root
	[ "$(uname -m)" != aarch64 ] || skip "on arm64 they are the machine's own: package.bats"
	cd "$ROOT" || return
	[ -n "${KTRACE_LONG:-}" ] || export DEB_BUILD_OPTIONS=noautodbgsym
	make -s ARCH=arm64 BUILD="$BUILD/arm64" deb
	mkdir "$BATS_FILE_TMPDIR/debs"
	ln "$DEBS"/*.deb "$BATS_FILE_TMPDIR/debs/"
	rm -f "$BATS_FILE_TMPDIR"/debs/*-dbgsym_*
	sed -n '/^```c$/,/^```$/p' README.md | sed '1d;$d' >"$BATS_FILE_TMPDIR/debs/server.c"
}

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# package NAME: its file
package()
{
	echo "$DEBS/$1"_*_arm64.deb
}

@test "programs and libraries are for arm64, without run paths, and depend on libraries of some version" {
	local name file machine
	for name in ktrace libktrace0 libktrace-posix0 libktrace-shark0 libktraceset0 libktrace-dev; do
		dpkg-deb -x "$(package $name)" "$name"
	done
	find . -type f \( -path '*/bin/*' -o -path '*/libexec/*' -o -name '*.so.*' \) ! -name '*.py' >files
	while read -r file; do
		machine=$(readelf -h "$file" | sed -n 's/^ *Machine: *//p')
		echo "$file $machine"
		[ "$machine" = AArch64 ]
		readelf -d "$file" >dynamic
		fails grep -E 'RPATH|RUNPATH' dynamic
	done <files
	[ "$(wc -l <files)" -gt 15 ]
	[ -e libktrace0/usr/lib/aarch64-linux-gnu/libktrace-pthread.so.0 ]
	dpkg-deb -f "$(package ktrace)" Depends >depends
	cat depends
	for name in 'libc6 (>= 2\.' 'libdw1 (>= ' 'libncursesw6 (>= ' 'libsqlite3-0 (>= ' 'libzstd1 (>= ' 'libktraceset0 (>= '; do
		grep -q "$name" depends
	done
	[[ $(dpkg-deb -f "$(package libktrace0)" Depends) == "libc6 (>= 2."* ]]
}

@test "completions are those that this machine's programs give" {
	dpkg-deb -x "$(package ktrace)" here
	grep -q 'ktraced.*--pthread' here/usr/share/bash-completion/completions/ktrace
	[ -s here/usr/share/zsh/vendor-completions/_ktrace ]
}

# bats test_tags=long
@test "lintian finds no errors" {
	lintian --allow-root --fail-on error "$DEBS"/*.changes
}

# in_vm NUMBER [ARG...]: the checks of tests/package/guest_arm64 in a VM; so many are ok
in_vm()
{
	local number=$1
	shift
	"$ROOT/tests/vm/vm" run -k "$KERNEL" -m 3000 -t "${KTRACE_VM_TIMEOUT:-800}" -- "$ROOT/tests/package/guest_arm64" \
		"$BATS_FILE_TMPDIR/debs" "$@" >said 2>&1 || echo "ended with status $?" >>said
	cat said
	fails grep '^ended with' said
	[ "$(grep -c '^ok - ' said)" -eq "$number" ]
}

# build_module: DKMS and a cross compiler make ktrace.ko in this folder from the package
build_module()
{
	local release kdir
	release=$("$ROOT/tests/vm/vm" kernel "$KERNEL")
	kdir=$("$ROOT/tests/vm/vm" kdir "$KERNEL")
	dpkg-deb -x "$DEBS"/ktrace-dkms_*.deb source
	mkdir -p tree
	ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- dkms build --dkmstree "$PWD/tree" --sourcetree "$PWD/source/usr/src" \
		-m ktrace -v "$VERSION" -k "$release" -a arm64 --kernelsourcedir "$kdir"
	find tree -name 'ktrace.ko*' -path '*/arm64/*' -exec cp {} . \;
	[ ! -e ktrace.ko.xz ] || xz -d ktrace.ko.xz
	[[ $(readelf -h ktrace.ko) == *AArch64* ]]
}

@test "DKMS cross-builds the module; in a VM, the packages record programs and the kernel" {
	build_module
	in_vm 9 "$PWD/ktrace.ko"
}

# The compiler is emulated: 10 to 30 minutes.
# bats test_tags=long
@test "in a VM DKMS builds the module, which records the kernel; purged, nothing of it is left" {
	"$ROOT/tests/vm/vm" packages "$KERNEL" "$BATS_TEST_TMPDIR/more" dkms gcc pkg-config libc6-dev \
		"linux-headers-$("$ROOT/tests/vm/vm" kernel "$KERNEL")"
	build_module
	in_vm 17 "$PWD/ktrace.ko" "$BATS_TEST_TMPDIR/more"
}
