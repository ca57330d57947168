# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables are shared among the files that vm sources
#
# One guest: its shares, its initramfs and its QEMU.
#
# Each guest has a work directory of its own, $work:
#   control/	shared read-write with the guest: command, its output and status, dmesg.log
#   tree/	the host's file systems, mounted read-only in virtiofsd's mount namespace
#   console.log	output of the guest's kernel; also qemu.log, *.sock

# Modules that the initramfs must load before it can mount the shares; built-in
# ones are skipped.
GUEST_MODULES="virtio_pci virtiofs overlay"

# Programs that the guest's own scripts call
GUEST_APPLETS="cat chmod cp dmesg grep head hostname ifconfig insmod ln mkdir
	mount poweroff setsid sh sleep stty switch_root uname"

# loglevel=5: warnings reach the console, whose log outlives a panic.  A crash
# ends the guest at once (with -no-reboot).
GUEST_PARAMETERS="loglevel=5 log_buf_len=4M panic=-1 oops=panic mitigations=off"

# Soft lockups are reported after twice as long. The check of the timer waits for some milliseconds
# of the cycle counter; on a busy host the CPU may get no tick in that time, and the kernel panics.
GUEST_PATIENCE="watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=120"

# Started programs end with this script even if it is killed.
spawn()
{
	exec setpriv --pdeathsig TERM -- "$@"
}

# Set GUEST_IMAGE, GUEST_TREE (unpacked package or build tree), GUEST_RELEASE, GUEST_ARCH and GUEST_ROOT (where its
# programs are) for a flavour.
guest_kernel()
{
	local flavour=$1

	GUEST_APPEND=
	GUEST_ROOT=/
	GUEST_ARCH=$(kernel_arch "$flavour")
	if [ "$GUEST_ARCH" != amd64 ]; then
		"$DEPS" "vm-$GUEST_ARCH"
		root_ensure "$GUEST_ARCH"
		GUEST_ROOT=$ROOT
	fi
	if is_kbuild_flavour "$flavour"; then
		kbuild_ensure "$flavour"
		GUEST_TREE=$KBUILD_DIR
		GUEST_IMAGE=$GUEST_TREE/bzImage
		[ "$GUEST_ARCH" = amd64 ] || GUEST_IMAGE=$GUEST_TREE/Image
		GUEST_RELEASE=$(cat "$GUEST_TREE/include/config/kernel.release")
		# ACPI's interrupt routing takes most of the boot on
		# instrumented kernels
		[ "$GUEST_ARCH" != amd64 ] || GUEST_APPEND="pci=noacpi"
	else
		kernel_ensure "$flavour"
		GUEST_RELEASE=$KERNEL_RELEASE
		GUEST_TREE=$CACHE/kernels/$GUEST_RELEASE
		GUEST_IMAGE=$GUEST_TREE/boot/vmlinuz-$GUEST_RELEASE
		[ -e "$GUEST_IMAGE" ] || GUEST_IMAGE=$GUEST_TREE/lib/modules/$GUEST_RELEASE/vmlinuz
	fi
}

# Copy the modules of $GUEST_MODULES and their dependencies to a directory, with
# their order.
initrd_modules()
{
	local dir=$1 module kind path name

	: >"$dir/order"
	[ -d "$GUEST_TREE/lib/modules/$GUEST_RELEASE" ] || return 0
	for module in $GUEST_MODULES; do
		while read -r kind path _; do
			[ "$kind" = insmod ] || continue
			name=$(basename "$path" .xz)
			[ ! -e "$dir/$name" ] || continue
			case $path in
			*.xz)
				xz -dc "$path" >"$dir/$name"
				;;
			*)
				cp "$path" "$dir/$name"
				;;
			esac
			echo "$name" >>"$dir/order"
		done < <(modprobe -d "$GUEST_TREE" -S "$GUEST_RELEASE" --show-depends "$module")
	done
}

# Set GUEST_INITRD, built once for each kernel and version of the guest's
# scripts.
guest_initrd()
{
	local busybox applet hash tmp

	busybox=$(command -v busybox)
	[ "$GUEST_ROOT" = / ] || busybox=$GUEST_ROOT/bin/busybox
	hash=$(cat "$VM_DIR"/guest/* "$VM_DIR/guest.sh" "$busybox" | sha256sum | cut -c 1-12)
	GUEST_INITRD=$CACHE/initrd/$(basename "$GUEST_TREE")-$hash.cpio
	touch -c "$GUEST_INITRD"
	[ ! -e "$GUEST_INITRD" ] || return 0

	mkdir -p "$CACHE/initrd"
	tmp=$(mktemp -d "$CACHE/initrd/.tmp.XXXXXX")
	cleanup_add "rm -rf '$tmp'"
	mkdir -p "$tmp/root"/{bin,modules,dev,proc,sys,lower,rw,root}
	cp "$busybox" "$tmp/root/bin/busybox"
	for applet in $GUEST_APPLETS; do
		ln -s busybox "$tmp/root/bin/$applet"
	done
	cp "$VM_DIR/guest/main" "$tmp/root/main"
	install -m 755 "$VM_DIR/guest/init" "$tmp/root/init"
	initrd_modules "$tmp/root/modules"
	# Not compressed: unpacking under emulation costs more than reading.
	(cd "$tmp/root" && find . | LC_ALL=C sort | cpio -o -H newc --quiet -R 0:0) >"$tmp/cpio"
	# Another version of this script may be using its own.
	find "$CACHE/initrd" -maxdepth 1 -name '*.cpio' -mtime +1 -delete
	mv "$tmp/cpio" "$GUEST_INITRD"
	rm -rf "$tmp"
}

guest_share()
{
	local role=$1
	shift
	spawn unshare --mount --propagation private bash "$VM_DIR/share.sh" "$role" "$@" \
		>"$work/$role.log" 2>&1 </dev/null &
	pids+=($!)
}

# Wait until a file exists; false if the process that should create it is gone.
wait_for()
{
	local file=$1 pid=$2
	until [ -e "$file" ]; do
		kill -0 "$pid" 2>/dev/null || return 1
		sleep 0.02
	done
}

guest_shares()
{
	local role
	local -A share_pid=()

	if [ "$GUEST_ROOT" = / ]; then
		guest_share root "$work/tree" "$work/root.sock"
	else
		guest_share root "$work/tree" "$work/root.sock" "$GUEST_ROOT" "$CACHE" "$(realpath "$VM_DIR/../..")" "$PWD"
	fi
	share_pid[root]=$!
	guest_share control "$work/control" "$work/control.sock" "$out"
	share_pid[control]=$!
	for role in root control; do
		wait_for "$work/$role.sock" "${share_pid[$role]}" || {
			cat "$work/$role.log" >&2
			die "virtiofsd failed for the $role share"
		}
	done
}

# /dev/kvm alone is not enough: it may exist and not run a stock kernel.
has_kvm()
{
	[ "$GUEST_ARCH" = amd64 ] && [ -r /dev/kvm ] && [ -w /dev/kvm ] || return
	case ${KTRACE_VM_ACCEL:-} in
	kvm)
		return 0
		;;
	tcg)
		return 1
		;;
	*)
		grep -qwE 'vmx|svm' /proc/cpuinfo &&
			! cmp -s "$CACHE/no-kvm" /proc/sys/kernel/random/boot_id
		;;
	esac
}

# Remembers a failure until the host boots again.
forget_kvm()
{
	cat /proc/sys/kernel/random/boot_id >"$CACHE/no-kvm"
}

# Parameter for an emulated guest with the rate of its time stamp counter, which is the host's.
# With counted instructions it has another rate, which the guest measures itself.
guest_tsc()
{
	local khz

	[ "$(uname -m)-$GUEST_ARCH" = x86_64-amd64 ] && [ -z "${want_icount:-}" ] || return 0
	khz=$("$VM_DIR/tsc-khz" 2>/dev/null) && echo " tsc_early_khz=$khz" || return 0
}

# guest_machine ACCEL: sets machine to QEMU's options for the guest's processor and console, and adds to append what
# its kernel needs
guest_machine()
{
	local features='' cpu
	# shellcheck disable=SC2054 # the commas are QEMU's
	case $GUEST_ARCH-$1 in
	amd64-*)
		append+=" console=ttyS0 edd=off"
		machine=(qemu-system-x86_64 -machine "pc,memory-backend=mem,usb=off")
		;;
	arm64-*)
		# Without firmware and ACPI the kernel reads QEMU's device tree.
		append+=" console=ttyAMA0"
		machine=(qemu-system-aarch64 -machine "virt,memory-backend=mem,gic-version=3")
		;;
	esac
	case $GUEST_ARCH-$1 in
	*-kvm)
		machine+=(-accel kvm -cpu host)
		;;
	amd64-tcg)
		append+=" no_timer_check"
		# Emulated string instructions and wide vectors make copies slower.
		# Counted instructions are those that a real processor would execute.
		# Writing to PKRU empties the whole TLB, and SMAP has a TLB of its own for kernel access to
		# user memory; our own kernels keep it.
		if [ -z "${want_icount:-}" ]; then
			features=,-erms,-fsrm,-avx,-avx2,-pku,-pks,-mpx
			is_kbuild_flavour "$flavour" || features+=,-smap,-smep
		fi
		# One host thread for all CPUs: with one each, QEMU 7.2 at times goes on running
		# stale code after the guest patched its text (static keys), and hangs or dies of
		# "Oops: int3".
		machine+=(-accel "tcg,thread=single" -cpu "max,la57=off$features")
		;;
	arm64-tcg)
		# Signing pointers with the architecture's cipher would take most of the time. Vectors as above.
		cpu=max,pauth-impdef=on,sve=off,sme=off,lpa2=off
		# The counter then counts nanoseconds, which are instructions.
		[ -z "${want_icount:-}" ] || cpu+=,cntfrq=1000000000
		machine+=(-accel "tcg,thread=single" -cpu "$cpu")
		;;
	esac
}

# Start QEMU in the background; sets qemu_pid.
guest_qemu()
{
	local accel=$1 args=() machine=()
	local append="${GUEST_PARAMETERS//[$'\n\t']/ } $GUEST_APPEND"

	guest_machine "$accel"
	# QEMU caches translated code by its address, so without norandmaps it would translate
	# the code of each program again. It does not see virtiofsd's writes to the guest's memory, and
	# would run the old code there: the guest must have cleared the memory (selftest/stale.c).
	# Clearing at allocation is Debian's default, but not that of our own kernels; init_on_free=1
	# would clear the whole memory at boot.
	# Security modules without rules only slow down each open.
	# The host may be busy for many seconds, which is not a lockup of the guest.
	[ "$accel" != tcg ] || append+=" norandmaps init_on_alloc=1 lsm=lockdown,yama audit=0 $GUEST_PATIENCE$(guest_tsc)"
	# The last one counts.
	append+=" ${KTRACE_VM_APPEND:-}"
	# shellcheck disable=SC2054 # the commas are QEMU's
	args=(-nodefaults -display none -no-reboot -nic none
		-smp "$cpus" -m "$memory"
		-object "memory-backend-memfd,id=mem,size=${memory}M,share=on"
		-kernel "$GUEST_IMAGE" -initrd "$GUEST_INITRD"
		-append "$append"
		-chardev "file,id=console,path=$work/console.log" -serial chardev:console
		-chardev "socket,id=root,path=$work/root.sock"
		-device vhost-user-fs-pci,chardev=root,tag=root
		-chardev "socket,id=control,path=$work/control.sock"
		-device vhost-user-fs-pci,chardev=control,tag=control
		-blockdev "driver=null-co,node-name=disk,size=67108864,read-zeroes=on"
		-device virtio-blk-pci,drive=disk)
	: >"$work/console.log"
	spawn "${machine[@]}" "${args[@]}" "${qemu_extra[@]}" \
		</dev/null >"$work/qemu.log" 2>&1 &
	qemu_pid=$!
	pids+=("$qemu_pid")
}

# The name of the work directory has the pid of its owner, so that directories of
# killed runs can be removed.
guest_work()
{
	local dir pid

	for dir in "${TMPDIR:-/tmp}"/ktrace-vm.*; do
		pid=${dir##*/ktrace-vm.}
		pid=${pid%%.*}
		if [ -d "$dir" ] && [ -O "$dir" ] && ! [ -d "/proc/$pid" ]; then
			# Another process may remove it, too.
			rm -rf "$dir" || true
		fi
	done
	work=$(mktemp -d "${TMPDIR:-/tmp}/ktrace-vm.$$.XXXXXX")
	cleanup_add "rm -rf '$work'"
	mkdir "$work/tree" "$work/control" "$work/control/out"
}

# Write the command file ID.command that the guest's shell runs: the caller's
# directory, variables and command. Beside it are the files for its output; if
# both streams go to the same place they share one, which keeps their order.
guest_command()
{
	local control=$1 id=$2 name
	shift 2

	{
		echo "echo \$\$ >/run/ktrace-vm/$id.pid"
		echo 'export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
		echo 'export HOME=/root'
		for name in TERM CI "${!KTRACE_@}"; do
			[ -z "${!name+set}" ] || printf 'export %s=%q\n' "$name" "${!name}"
		done
		printf 'cd %q || exit 127\n' "$PWD"
		printf 'exec'
		printf ' %q' "$@"
		echo
	} >"$control/$id.command"
	: >"$control/$id.stdout"
	if [ /proc/self/fd/1 -ef /proc/self/fd/2 ]; then
		ln -s "$id.stdout" "$control/$id.stderr"
	else
		: >"$control/$id.stderr"
	fi
}

# Copy the output of a command to the caller while it grows, until process $1
# has ended.
follow_output()
{
	local pid=$1 file=$2

	spawn tail -q -c +1 -f -s 0.1 --pid="$pid" "$file.stdout" &
	follow_pids=($!)
	if [ ! -L "$file.stderr" ]; then
		spawn tail -q -c +1 -f -s 0.1 --pid="$pid" "$file.stderr" >&2 &
		follow_pids+=($!)
	fi
	pids+=("${follow_pids[@]}")
}
