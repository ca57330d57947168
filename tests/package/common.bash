# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# common.bash - functions for scripts in the guest that print "ok ..." and the time for each passed check
debs=$1 tarball=$2
release=$(uname -r)
export DEBIAN_FRONTEND=noninteractive

ok()
{
	local what=$1 start=${EPOCHREALTIME//[!0-9]/} result='not ok'
	shift
	! "$@" || result=ok
	echo "$result - $what in $(((${EPOCHREALTIME//[!0-9]/} - start) / 1000))ms"
}

fails()
{
	! "$@"
}

# says PATTERN: true if the output of the last command matches
says()
{
	grep -qE -e "$1" /run/said || { sed 's/^/# /' /run/said; return 1; }
}

says_nothing()
{
	sed 's/^/# /' /run/said
	[ ! -s /run/said ]
}

run()
{
	"$@" >/run/said 2>&1 </dev/null || { sed 's/^/# /' /run/said; return 1; }
}

as_user()
{
	setpriv --reuid 12345 --regid 12345 --groups "$1" "${@:2}"
}

# prepare: avoids work of the system that takes long and has nothing to do with the packages
prepare()
{
	# Indexing manual pages takes longer than all else here.
	rm -f /var/lib/man-db/auto-update
	# So would looking at all libraries, and at the names of all other packages' files.
	mount --bind /bin/true /sbin/ldconfig
	mkdir -p /run/dpkg/{upper/info,work}
	for list in /var/lib/dpkg/info/*.list; do
		echo /. >"/run/dpkg/upper/info/${list##*/}"
	done
	mount -t overlay -o lowerdir=/var/lib/dpkg,upperdir=/run/dpkg/upper,workdir=/run/dpkg/work dpkg /var/lib/dpkg
	# Of the kernel's modules as many as show how they are compressed: depmod reads all of them.
	mkdir -p /run/modules/kernel
	cp -r "/lib/modules/$release/kernel/lib" /run/modules/kernel/
	cp "/lib/modules/$release"/modules.builtin* "/lib/modules/$release/modules.order" /run/modules/
	mount --bind /run/modules "/lib/modules/$release"
	depmod
}

# give_module: copies the module that DKMS built for this kernel
give_module()
{
	mkdir /usr/share/ktrace-dkms
	cp "$tarball" /usr/share/ktrace-dkms/
	cp "$debs/mok.pub" /var/lib/dkms/
}
