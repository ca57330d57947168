# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# own_vm.bash - tests on the host that boot a VM of their own, as their kernel does not go on as it was

VM=$BATS_TEST_DIRNAME/../vm/vm
KERNEL=${KTRACE_KERNELS:-6.12-cloud}
KERNEL=${KERNEL##* }

# modules_for_vm [NAME...]: ktrace.ko for that kernel, and what scripts/kbuild knows by these names, in $modules
modules_for_vm()
{
	local kdir name
	requires_root
	kdir=$("$VM" kdir "$KERNEL")
	modules=$BUILD/kernel/$(make -s -C "$ROOT" print-krel KDIR="$kdir")
	make -s -C "$ROOT" module KDIR="$kdir"
	for name; do
		"$ROOT/scripts/kbuild" "$name" "$kdir" "$modules"
	done
}
