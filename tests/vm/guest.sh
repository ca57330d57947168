# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables are shared among the files that vm sources
#
# One guest: its shares, its initramfs and its QEMU.
#
# Each guest has a work directory of its own, $work:
#   control/	shared read-write with the guest: command, its output and status, dmesg.log
#   tree/	where the host's file systems are mounted read-only, in virtiofsd's mount namespace
#   console.log	what the guest's kernel printed, qemu.log, *.sock

# What the initramfs must load before it can mount the shares; built-in ones are
# skipped.
GUEST_MODULES="virtio_pci virtiofs overlay"

# What the guest's own scripts call.
GUEST_APPLETS="cat chmod cp dmesg grep head hostname ifconfig insmod ln mkdir
	mount poweroff setsid sh sleep stty switch_root uname"

# loglevel=5: warnings reach the console, whose log outlives a panic.  A crash
# ends the guest at once (with -no-reboot).
GUEST_PARAMETERS="console=ttyS0 loglevel=5 log_buf_len=4M panic=-1 oops=panic
	edd=off mitigations=off"

# Soft lockups are told after twice as long. The check whether the timer ticks waits for some
# milliseconds of the cycle counter: a CPU of a busy host's may have had none, which is a panic.
GUEST_PATIENCE="no_timer_check watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=120"

# Started programs die with this script even when it is killed outright.
spawn()
{
	exec setpriv --pdeathsig TERM -- "$@"
}

# Set GUEST_IMAGE, GUEST_TREE (unpacked package or build tree) and GUEST_RELEASE
# for a flavour.
guest_kernel()
{
	local flavour=$1

	GUEST_APPEND=
	if is_kbuild_flavour "$flavour"; then
		kbuild_ensure "$flavour"
		GUEST_TREE=$KBUILD_DIR
		GUEST_IMAGE=$GUEST_TREE/bzImage
		GUEST_RELEASE=$(cat "$GUEST_TREE/include/config/kernel.release")
		# ACPI's interrupt routing takes most of the boot on
		# instrumented kernels
		GUEST_APPEND="pci=noacpi"
	else
		kernel_ensure "$flavour"
		GUEST_RELEASE=$KERNEL_RELEASE
		GUEST_TREE=$CACHE/kernels/$GUEST_RELEASE
		GUEST_IMAGE=$GUEST_TREE/boot/vmlinuz-$GUEST_RELEASE
	fi
}

# Copy the modules of $GUEST_MODULES and what they need to a directory, with
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
	# Another version of this script may be about to use its own.
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

# Wait until a file exists; false when the process that should make it is gone.
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

	guest_share root "$work/tree" "$work/root.sock"
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

# /dev/kvm alone proves nothing: it can be there and not run a stock kernel.
has_kvm()
{
	[ -r /dev/kvm ] && [ -w /dev/kvm ] || return
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

# One failure is enough until the host boots again.
forget_kvm()
{
	cat /proc/sys/kernel/random/boot_id >"$CACHE/no-kvm"
}

# What to tell an emulated guest of its time stamp counter, which is the host's. Where
# instructions are counted it has another rate, and the guest finds that out by itself.
guest_tsc()
{
	local khz

	[ "$(uname -m)" = x86_64 ] && [ -z "${want_icount:-}" ] || return 0
	khz=$("$VM_DIR/tsc-khz" 2>/dev/null) && echo " tsc_early_khz=$khz" || return 0
}

# Start QEMU in the background; sets qemu_pid.
guest_qemu()
{
	local accel=$1 args=() features=
	local append="${GUEST_PARAMETERS//[$'\n\t']/ } $GUEST_APPEND"

	# QEMU keeps translated code by its address: where each program gets others, all of it
	# is translated again. It does not see what virtiofsd writes into the guest's memory, and
	# would run the code that was there before: the guest must have cleared it (selftest/stale.c).
	# Clearing at allocation is Debian's default, but not that of kernels of our own; with
	# init_on_free=1, the whole memory would be cleared at boot.
	# Security modules that have no rules need not be asked at each open.
	# The host may have other work for many seconds: that is no lockup of the guest's.
	[ "$accel" != tcg ] || append+=" norandmaps init_on_alloc=1 lsm=lockdown,yama audit=0 $GUEST_PATIENCE$(guest_tsc)"
	# The last one counts.
	append+=" ${KTRACE_VM_APPEND:-}"
	# shellcheck disable=SC2054 # the commas are QEMU's
	args=(-nodefaults -display none -no-reboot -nic none
		-smp "$cpus" -m "$memory"
		-object "memory-backend-memfd,id=mem,size=${memory}M,share=on"
		-machine "pc,memory-backend=mem,usb=off"
		-kernel "$GUEST_IMAGE" -initrd "$GUEST_INITRD"
		-append "$append"
		-chardev "file,id=console,path=$work/console.log" -serial chardev:console
		-chardev "socket,id=root,path=$work/root.sock"
		-device vhost-user-fs-pci,chardev=root,tag=root
		-chardev "socket,id=control,path=$work/control.sock"
		-device vhost-user-fs-pci,chardev=control,tag=control
		-blockdev "driver=null-co,node-name=disk,size=67108864,read-zeroes=on"
		-device virtio-blk-pci,drive=disk)
	case $accel in
	kvm)
		args+=(-accel kvm -cpu host)
		;;
	tcg)
		# Copies by string instructions and wide vectors are slower emulated than without.
		# A count of instructions is of those that a real processor is given.
		# Writing to PKRU empties the whole TLB, and SMAP has one of its own for when the kernel may
		# reach user memory, which kernels of our own keep.
		if [ -z "${want_icount:-}" ]; then
			features=,-erms,-fsrm,-avx,-avx2,-pku,-pks,-mpx
			is_kbuild_flavour "$flavour" || features+=,-smap,-smep
		fi
		# One host thread for all CPUs: with one each, QEMU 7.2 at times goes on running
		# stale code after the guest patched its text (static keys), and hangs or dies of
		# "Oops: int3".
		args+=(-accel "tcg,thread=single" -cpu "max,la57=off$features")
		;;
	esac
	: >"$work/console.log"
	spawn qemu-system-x86_64 "${args[@]}" "${qemu_extra[@]}" \
		</dev/null >"$work/qemu.log" 2>&1 &
	qemu_pid=$!
	pids+=("$qemu_pid")
}

# The work directory names its owner, so that what a killed run left can be told
# from what is in use.
guest_work()
{
	local dir pid

	for dir in "${TMPDIR:-/tmp}"/ktrace-vm.*; do
		pid=${dir##*/ktrace-vm.}
		pid=${pid%%.*}
		if [ -d "$dir" ] && [ -O "$dir" ] && ! [ -d "/proc/$pid" ]; then
			# Another may be at it, too.
			rm -rf "$dir" || true
		fi
	done
	work=$(mktemp -d "${TMPDIR:-/tmp}/ktrace-vm.$$.XXXXXX")
	cleanup_add "rm -rf '$work'"
	mkdir "$work/tree" "$work/control" "$work/control/out"
}

# The command file ID.command that the guest's shell runs: the caller's
# directory, variables and command. Beside it the files for its output; one
# serves both streams when they go to the same place, which keeps their order.
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
# has gone.
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
