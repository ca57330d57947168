# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables are shared among the files that vm sources
#
# Debian's own kernels and their headers, unpacked without installing:
#   $CACHE/kernels/<release>/   image, modules and headers of one kernel
#   $CACHE/headers/<release without variant>/  headers of all its variants
# A release is unpacked elsewhere and renamed, so a folder with its final name is complete.

# [ARCH-]VERSION[-SUITE][-VARIANT]; 7.x is the newest that there is, 16k has pages of 16 KiB.
KERNEL_FLAVOURS="6.1-cloud 6.1 6.1-rt 6.12-cloud 6.12 6.12-rt 5.10-cloud 5.10 5.10-rt
	6.12-trixie-cloud 6.12-trixie 6.12-trixie-rt 7.x-cloud 7.x 7.x-rt
	arm64-6.1-cloud arm64-6.1 arm64-6.12-cloud arm64-6.12 arm64-6.12-rt arm64-6.12-16k
	arm64-6.12-trixie-cloud arm64-6.12-trixie-16k arm64-7.x-cloud arm64-7.x arm64-7.x-16k"

# Ends of releases, as an extended regular expression; the variant precedes the architecture, except 16k.
RELEASE_END="-((cloud|rt)-)?(amd64|arm64(-16k)?|riscv64)"

is_release()
{
	[[ $1 =~ [0-9.]$RELEASE_END$ ]]
}

# kernel_arch RELEASE|FLAVOUR: its architecture, as Debian names it
kernel_arch()
{
	local arch
	for arch in $FOREIGN; do
		if [[ $1 == "$arch"-* || $1 == *-"$arch" || $1 == *-"$arch"-16k ]]; then
			echo "$arch"
			return
		fi
	done
	echo amd64
}

# flavour_suite FLAVOUR: where it comes from; a release: where it can be had
flavour_suite()
{
	local suite arch name

	arch=$(kernel_arch "$1")
	[ "$arch" != amd64 ] || arch=
	if is_release "$1"; then
		for name in $SUITES; do
			suite=$name${arch:+-$arch}
			suite_update "$suite"
			if suite_has "$suite" "linux-headers-$1"; then
				echo "$suite"
				return
			fi
		done
		return
	fi
	case ${1#"$arch-"} in
	5.10*) name=bullseye ;;
	*-trixie* | 7.x*) name=trixie ;;
	*) name=bookworm ;;
	esac
	echo "$name${arch:+-$arch}"
}

# The releases that belong to a flavour, as an extended regular expression.
kernel_regex()
{
	local flavour=$1 version variant='' suffix='(\+deb12[.0-9]*)?' arch

	if is_release "$flavour"; then
		# an exact release: dots and pluses stand for themselves
		printf '%s\n' "$flavour" | sed 's/[.+]/\\&/g'
		return
	fi
	[[ " ${KERNEL_FLAVOURS//[$'\n\t']/ } " == *" $flavour "* ]] ||
		die "unknown kernel '$1'; known: ${KERNEL_FLAVOURS//[$'\n\t']/ } $KBUILD_FLAVOURS, or a release"
	[[ "$(flavour_suite "$flavour")" != trixie* ]] || suffix='\+deb13[.0-9]*'
	arch=$(kernel_arch "$flavour")
	flavour=${flavour/-trixie/}
	flavour=${flavour#"$arch-"}
	version=${flavour%%-*}
	case ${flavour#"$version"} in
	'') ;;
	-16k) arch+=-16k ;;
	*) variant="${flavour#*-}-" ;;
	esac
	version=${version/./\\.}
	echo "${version/x/[0-9]+}\.[0-9]+(-[0-9]+)?$suffix-$variant$arch"
}

# Print the newest cached release of a flavour, or nothing.
kernel_cached()
{
	local regex
	regex=$(kernel_regex "$1")
	find "$CACHE/kernels" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' |
		{ grep -Ex "$regex" || true; } | sort -V | tail -n 1
}

# kernel_newest FLAVOUR SUITE: the newest release of which the suite has image and headers
kernel_newest()
{
	local regex release
	regex=$(kernel_regex "$1")
	while read -r release; do
		if suite_has "$2" "linux-image-$release"; then
			echo "$release"
			return
		fi
	done < <(suite_kernels "$2" | { grep -Ex "$regex" || true; } | sort -rV)
}

# headers_packages SUITE RELEASE: its own headers, the common part, and the build tools
headers_packages()
{
	echo "linux-headers-$2"
	suite_depends "$1" "linux-headers-$2" | grep -E '^linux-(headers|kbuild)-'
}

# image_packages SUITE RELEASE: with 7.x, the image consists of three other packages
image_packages()
{
	echo "linux-image-$2"
	suite_depends "$1" "linux-image-$2" | grep -E '^linux-(base|binary|modules)-[0-9]' || true
}

# packages_unpack SUITE FOLDER PACKAGE...: downloads and unpacks packages; the kernel's build tools are those for
# this machine
packages_unpack()
{
	local suite=$1 dir=$2 name own=() tools=()
	shift 2

	for name; do
		case $name in
		linux-kbuild-*) tools+=("$name") ;;
		*) own+=("$name") ;;
		esac
	done
	suite_unpack "$suite" "$dir" "${own[@]}"
	suite=$(suite_name "$suite")
	suite_update "$suite"
	suite_unpack "$suite" "$dir" "${tools[@]}"
}

# Make unpacked headers usable in their folder.  They refer to their common part
# by the absolute path of an installed package, and need pahole to give modules
# BTF, which nothing here reads.
headers_mend()
{
	local headers=$1/usr/src/linux-headers-$2 common

	# shellcheck disable=SC2016 # the variables are make's
	sed -i -e 's|^include /usr/src/|include $(dir $(realpath $(lastword $(MAKEFILE_LIST))))../|' \
		-e 's|^KBUILD_OUTPUT=.*|KBUILD_OUTPUT := $(patsubst %/,%,$(dir $(realpath $(lastword $(MAKEFILE_LIST)))))|' \
		"$headers/Makefile"
	sed -i '/^CONFIG_DEBUG_INFO_BTF_MODULES=/d' "$headers/include/config/auto.conf"
	rm -f "$headers/vmlinux"
	[ -z "$TOOLS" ] || ln -sfn "$TOOLS" "$headers/.tools"
}

kernel_mend()
{
	local root=$1 release=$2

	# With 7.x, modules are in /usr/lib, where the link /lib of an installed system leads.
	if [ ! -d "$root/lib/modules" ]; then
		mkdir -p "$root/lib"
		ln -s ../usr/lib/modules "$root/lib/modules"
	fi
	rm -f "$root/lib/modules/$release"/{source,build}
	ln -sr "$root/usr/src/linux-headers-$release" "$root/lib/modules/$release/build"
	depmod -b "$root" "$release"
}

# Sets TOOLS for a release of a suite; empty: the machine's own compiler
kernel_tools()
{
	TOOLS=
	if ! suite_is_own "$1"; then
		tools_ensure "$1" "$2"
	elif [ "$(suite_arch "$1")" = arm64 ]; then
		"$DEPS" vm-arm64
	fi
}

kernel_fetch()
{
	local suite=$1 release=$2 tmp packages

	kernel_tools "$suite" "$release"
	tmp=$(mktemp -d "$CACHE/kernels/.tmp.XXXXXX")
	cleanup_add "rm -rf '$tmp'"
	say "downloading $release"
	mapfile -t packages < <({
		headers_packages "$suite" "$release"
		image_packages "$suite" "$release"
	} | sort -u)
	packages_unpack "$suite" "$tmp/root" "${packages[@]}"
	headers_mend "$tmp/root" "$release"
	kernel_mend "$tmp/root" "$release"
	chmod 755 "$tmp/root"
	mv -T "$tmp/root" "$CACHE/kernels/$release"
	rm -rf "$tmp"
}

# Make sure that a kernel of the flavour is in the cache; sets KERNEL_RELEASE.
kernel_ensure()
{
	local flavour=$1 suite

	KERNEL_RELEASE=$(kernel_cached "$flavour")
	[ -z "$KERNEL_RELEASE" ] || return 0

	"$DEPS" vm
	exec 9>"$CACHE/kernels/.lock"
	flock 9
	KERNEL_RELEASE=$(kernel_cached "$flavour")
	if [ -z "$KERNEL_RELEASE" ]; then
		suite=$(flavour_suite "$flavour")
		[ -n "$suite" ] || die "no suite of Debian has headers of '$flavour'"
		suite_update "$suite"
		KERNEL_RELEASE=$(kernel_newest "$flavour" "$suite")
		[ -n "$KERNEL_RELEASE" ] || {
			cat "$CACHE/apt/$suite/.errors" >&2
			die "$suite has no kernel '$flavour' with headers"
		}
		kernel_fetch "$suite" "$KERNEL_RELEASE"
	fi
	exec 9>&-
}

# headers_ensure SUITE RELEASE: makes sure that its headers are in the cache; sets KDIR
headers_ensure()
{
	local suite=$1 release=$2 base tmp variant packages releases

	base=$(sed -E "s/$RELEASE_END\$//" <<<"$release")
	KDIR=$CACHE/headers/$suite-$base/usr/src/linux-headers-$release
	touch -c "$CACHE/headers/$suite-$base"
	[ ! -d "$KDIR" ] || return 0

	kernel_tools "$suite" "$release"
	mkdir -p "$CACHE/headers"
	exec 5>"$CACHE/headers/.lock"
	flock 5
	if [ ! -d "$KDIR" ]; then
		find "$CACHE/headers" -mindepth 1 -maxdepth 1 -type d -mtime +30 -exec rm -rf {} +
		mapfile -t releases < <(suite_kernels "$suite" | grep -E "^${base//[.+]/\\&}$RELEASE_END\$")
		say "downloading headers of $base"
		mapfile -t packages < <(for variant in "${releases[@]}"; do
			headers_packages "$suite" "$variant"
		done | sort -u)
		tmp=$(mktemp -d "$CACHE/headers/.tmp.XXXXXX")
		cleanup_add "rm -rf '$tmp'"
		packages_unpack "$suite" "$tmp/root" "${packages[@]}"
		for variant in "${releases[@]}"; do
			headers_mend "$tmp/root" "$variant"
		done
		chmod 755 "$tmp/root"
		rm -rf "$CACHE/headers/$suite-$base"
		mv -T "$tmp/root" "$CACHE/headers/$suite-$base"
		rm -rf "$tmp"
	fi
	exec 5>&-
}
