#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
# kernels.bats - kernels that the module does not fit: DKMS leaves them out, and a failed build says why
load helpers

REPO=$BATS_TEST_DIRNAME/../..

setup() { setup_test; }
teardown() { teardown_test; }

# with_dkms ACTION ARG...: dkms with the module's configuration, and folders of its own
with_dkms()
{
	local dir=$BATS_TEST_TMPDIR
	dkms "$@" --dkmstree "$dir/tree" --sourcetree "$dir/src" --installtree "$dir/installed"
}

# Installs the module's configuration for DKMS, and a module whose build writes the file "built" and fails.
setup_dkms()
{
	local src=$BATS_TEST_TMPDIR/src/ktrace-1
	mkdir -p "$src" "$BATS_TEST_TMPDIR"/{tree,installed,headers/include}
	{
		sed -e 's/@VERSION@/1/' -e '/^MAKE/d' -e '/^CLEAN/d' "$REPO/packaging/dkms/dkms.conf"
		echo "MAKE[0]=\"touch $BATS_TEST_TMPDIR/built; false\""
		echo 'CLEAN=true'
	} >"$src/dkms.conf"
	touch "$src/Kbuild"
	with_dkms add ktrace/1
}

@test "DKMS builds the module for kernels that it fits" {
	setup_dkms
	local release
	for release in 5.10.0-46-amd64 6.1.0-57-cloud-amd64 6.12.118+deb13-amd64 7.3.4+deb13-rt-amd64; do
		rm -f "$BATS_TEST_TMPDIR/built"
		run with_dkms autoinstall -k "$release" --kernelsourcedir "$BATS_TEST_TMPDIR/headers"
		echo "$output"
		[ -e "$BATS_TEST_TMPDIR/built" ]
		[ "$status" -ne 0 ]	# this module's build fails
	done
}

@test "DKMS leaves out kernels that are too old or too new, which is no failure" {
	setup_dkms
	local release
	for release in 5.4.0-1-amd64 7.4.1-amd64 7.10.0-amd64 8.0-amd64; do
		run with_dkms autoinstall -k "$release" --kernelsourcedir "$BATS_TEST_TMPDIR/headers"
		[ "$status" -eq 0 ]
		run with_dkms build ktrace/1 -k "$release" --kernelsourcedir "$BATS_TEST_TMPDIR/headers"
		[ "$status" -eq 77 ]
		[ ! -e "$BATS_TEST_TMPDIR/built" ]
	done
}

# plant TEXT: a tree whose module is one file with that text
plant()
{
	local tree=$BATS_TEST_TMPDIR/planted
	mkdir -p "$tree"/{module,uapi,scripts}
	cp "$REPO"/scripts/{kbuild,in-tools} "$tree/scripts/"
	printf 'obj-m := ktrace.o\nktrace-y := module/planted.o\n' >"$tree/Kbuild"
	printf '#include <linux/module.h>\nMODULE_LICENSE("GPL");\n%s\n' "$1" >"$tree/module/planted.c"
}

@test "a build that fails names the kernel and the symbol, and says what to do" {
	local kdir
	kdir=$("$REPO/tests/vm/vm" kdir 6.1-cloud)
	plant 'void planted(void); void planted(void) { no_such_function(); }'
	run "$BATS_TEST_TMPDIR/planted/scripts/kbuild" module "$kdir" "$BATS_TEST_TMPDIR/out"
	echo "$output"
	[ "$status" -ne 0 ]
	grep -qE '^kbuild: module cannot be built for kernel 6\.1\.0-[0-9]+-cloud-amd64$' <<<"$output"
	grep -q '^  symbol: no_such_function$' <<<"$output"
	grep -q 'Take a newer' <<<"$output"
	plant 'extern void not_exported(void); void planted(void); void planted(void) { not_exported(); }'
	run "$BATS_TEST_TMPDIR/planted/scripts/kbuild" module "$kdir" "$BATS_TEST_TMPDIR/out"
	echo "$output"
	[ "$status" -ne 0 ]
	grep -q '^  symbol: not_exported$' <<<"$output"
	plant ''
	run "$BATS_TEST_TMPDIR/planted/scripts/kbuild" module "$kdir" "$BATS_TEST_TMPDIR/out"
	[ "$status" -eq 0 ]
	[ -e "$BATS_TEST_TMPDIR/out/ktrace.ko" ]
}
