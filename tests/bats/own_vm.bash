# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# own_vm.bash - for tests on the host that boot a VM of their own, because they disturb its kernel

VM=$BATS_TEST_DIRNAME/../vm/vm
KERNEL=${KTRACE_KERNELS:-6.12-cloud}
KERNEL=${KERNEL##* }

# modules_for_vm [NAME...]: builds ktrace.ko for that kernel, and the targets NAME of scripts/kbuild, in $modules
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
