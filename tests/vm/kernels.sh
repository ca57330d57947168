# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables are shared among the files that vm sources
#
# Debian's own kernels and their headers, unpacked into
# $CACHE/kernels/<release>/ without installing. A release is unpacked elsewhere
# and renamed, so a folder with its final name is complete.

KERNEL_FLAVOURS="6.1-cloud 6.1 6.1-rt 6.12-cloud 6.12 6.12-rt"

# The releases that belong to a flavour, as an extended regular expression.
kernel_regex()
{
	local version=${1%%-*} variant=

	if [[ $1 == *-amd64 ]]; then
		# an exact release: dots and pluses stand for themselves
		printf '%s\n' "$1" | sed 's/[.+]/\\&/g'
		return
	fi
	[[ " $KERNEL_FLAVOURS " == *" $1 "* ]] ||
		die "unknown kernel '$1'; known: $KERNEL_FLAVOURS $KBUILD_FLAVOURS, or a release"
	[ "$version" = "$1" ] || variant="${1#*-}-"
	echo "${version/./\\.}\.[0-9]+(-[0-9]+)?(\+[a-z0-9]+)?-${variant}amd64"
}

# Print the newest cached release of a flavour, or nothing.
kernel_cached()
{
	local regex
	regex=$(kernel_regex "$1")
	find "$CACHE/kernels" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' |
		{ grep -Ex "$regex" || true; } | sort -V | tail -n 1
}

# Print the newest release of a flavour for which apt knows both image and
# headers.
kernel_newest()
{
	local regex release
	regex=$(kernel_regex "$1")
	while read -r release; do
		if apt-cache show "linux-image-$release" >/dev/null 2>&1 &&
			apt-cache show "linux-headers-$release" >/dev/null 2>&1; then
			echo "$release"
			return
		fi
	done < <(apt-cache pkgnames linux-image- | sed 's/^linux-image-//' |
		{ grep -Ex "$regex" || true; } | sort -rV)
}

# The header packages of a release: its own, the common part, and the build
# tools.
kernel_packages()
{
	echo "linux-image-$1"
	echo "linux-headers-$1"
	apt-cache show --no-all-versions "linux-headers-$1" | sed -n 's/^Depends: //p' |
		tr -s ',|' '\n' | awk '{ print $1 }' | grep -E '^linux-(headers|kbuild)-'
}

kernel_download()
{
	local release=$1 dir=$2
	local packages=()

	mapfile -t packages < <(kernel_packages "$release" | sort -u)
	mkdir -p "$dir"
	# The sandbox user of apt may not be able to write into the cache.
	(cd "$dir" && apt-get -qq -o APT::Sandbox::User=root download "${packages[@]}")
}

# Make unpacked headers usable in their folder.  They refer to their common part
# by the absolute path of an installed package, and need pahole to give modules
# BTF, which nothing here reads.
kernel_mend()
{
	local root=$1 release=$2 headers=$1/usr/src/linux-headers-$2

	# shellcheck disable=SC2016 # the variables are make's
	sed -i 's|^include /usr/src/|include $(dir $(realpath $(lastword $(MAKEFILE_LIST))))../|' \
		"$headers/Makefile"
	sed -i '/^CONFIG_DEBUG_INFO_BTF_MODULES=/d' "$headers/include/config/auto.conf"
	rm -f "$headers/vmlinux" "$root/lib/modules/$release/source"
	ln -sfn "../../../usr/src/linux-headers-$release" "$root/lib/modules/$release/build"
	depmod -b "$root" "$release"
}

kernel_fetch()
{
	local release=$1 tmp deb

	tmp=$(mktemp -d "$CACHE/kernels/.tmp.XXXXXX")
	cleanup_add "rm -rf '$tmp'"
	say "downloading $release"
	if ! kernel_download "$release" "$tmp/deb" 2>/dev/null; then
		# apt's lists may name a version that the mirror has replaced.
		as_root apt-get -qq update
		kernel_download "$release" "$tmp/deb" || die "cannot download $release"
	fi
	for deb in "$tmp"/deb/*.deb; do
		dpkg-deb -x "$deb" "$tmp/root"
	done
	kernel_mend "$tmp/root" "$release"
	chmod 755 "$tmp/root"
	mv -T "$tmp/root" "$CACHE/kernels/$release"
	rm -rf "$tmp"
}

# Make sure that a kernel of the flavour is in the cache; sets KERNEL_RELEASE.
kernel_ensure()
{
	local flavour=$1

	KERNEL_RELEASE=$(kernel_cached "$flavour")
	[ -z "$KERNEL_RELEASE" ] || return 0

	"$DEPS" vm
	exec 9>"$CACHE/kernels/.lock"
	flock 9
	KERNEL_RELEASE=$(kernel_cached "$flavour")
	if [ -z "$KERNEL_RELEASE" ]; then
		KERNEL_RELEASE=$(kernel_newest "$flavour")
		if [ -z "$KERNEL_RELEASE" ]; then
			as_root apt-get -qq update
			KERNEL_RELEASE=$(kernel_newest "$flavour")
		fi
		[ -n "$KERNEL_RELEASE" ] || die "apt knows no kernel '$flavour' with headers"
		kernel_fetch "$KERNEL_RELEASE"
	fi
	exec 9>&-
}
