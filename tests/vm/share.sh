#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Export a directory to the guest through virtiofsd.  Runs in a mount namespace
# of its own, which the caller has made private: mounts made here are invisible
# outside and end with virtiofsd.
#
#   share.sh root TREE SOCKET		the host's file systems, mounted at TREE, read-only
#   share.sh root TREE SOCKET ROOT FOLDER...	the folder ROOT, and in it those of the host, under their names
#   share.sh control DIR SOCKET OUT	DIR, with OUT mounted at DIR/out, read-write
set -euo pipefail

VIRTIOFSD=${KTRACE_VIRTIOFSD:-/usr/libexec/virtiofsd}
[ -x "$VIRTIOFSD" ] || VIRTIOFSD=/usr/lib/qemu/virtiofsd	# of Debian 12

# Other mounts with files that a test may need: those of a repository, a home or
# /tmp.
real_mounts()
{
	local fields dir type i
	while read -r -a fields; do
		dir=${fields[4]}
		for ((i = 6; i < ${#fields[@]}; i++)); do
			[ "${fields[i]}" != - ] || break
		done
		type=${fields[i + 1]}
		case $dir in
		/|/proc*|/sys*|/dev*|/run*|*\\*)
			continue
			;;
		esac
		case $type in
		ext[234]|xfs|btrfs|f2fs|zfs|overlay|tmpfs|virtiofs|9p|nfs*|fuse.*)
			echo "$dir"
			;;
		esac
	done </proc/self/mountinfo
}

bind_read_only()
{
	mount --bind "$1" "$2"
	mount -o remount,ro,bind "$2"
}

role=$1 dir=$2 socket=$3
case $role in
root)
	from=${4:-/}
	if [ "$from" = / ]; then
		mapfile -t mounts < <(real_mounts)
	else
		mapfile -t mounts < <(printf '%s\n' "${@:5}" | sort -u)
		(cd "$from" && mkdir -p "${mounts[@]/#/.}")
	fi
	bind_read_only "$from" "$dir"
	for mount in "${mounts[@]}"; do
		if [ -d "$dir$mount" ]; then
			bind_read_only "$mount" "$dir$mount" 2>/dev/null || true
		fi
	done
	;;
control)
	mount --bind "$4" "$dir/out"
	;;
esac

# It keeps a file open for each that the guest knows, and may raise the soft limit only with CAP_SYS_RESOURCE.
ulimit -Sn "$(ulimit -Hn)"
exec "$VIRTIOFSD" --socket-path="$socket" -o source="$dir" -o cache=always -o sandbox=chroot \
	--thread-pool-size=0
