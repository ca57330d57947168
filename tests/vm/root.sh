# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables are shared among the files that vm sources
#
# Root folders for guests of another architecture, which cannot run the host's programs:
#   $CACHE/roots/<architecture>-<suite>-<checksum of the names>/  packages, unpacked
# The suite is the host's own, so that programs that are cross-built on the host find their libraries.

ROOT_PACKAGES="base-files base-passwd bash bats binutils bsdextrautils busybox-static coreutils dash
	debianutils diffutils e2fsprogs findutils gawk grep gzip hostname iproute2 jq kmod libasan8
	libc-bin libcap2-bin libgomp1 libstdc++6 login mount ncurses-base passwd procps python3 sed sqlite3 strace
	systemd tar trace-cmd udev util-linux xz-utils zstd"

# root_packages: with the libraries that the programs of this project are linked with
root_packages()
{
	{
		echo "${ROOT_PACKAGES//[$'\n\t ']/$'\n'}"
		"$DEPS" --list build | tr ' ' '\n' | grep -E '^(lib.*|zlib1g)-dev$'
	} | grep . | sort -u
}

# What packages make when they are installed. The host's Python, of the same version, compiles its modules.
root_mend()
{
	local root=$1 folder python

	mkdir -p "$root"/{dev,proc,sys,run,tmp,mnt,root,home}
	ln -sf dash "$root/bin/sh"
	ln -sf gawk "$root/usr/bin/awk"
	[ -e "$root/usr/bin/which" ] || ln -s which.debianutils "$root/usr/bin/which"
	for folder in passwd group; do
		cp "$root/usr/share/base-passwd/$folder.master" "$root/etc/$folder"
	done
	rm -rf "$root"/usr/share/{doc,man,locale,info,lintian}
	for folder in "$root"/usr/lib/python3.*; do
		python=/usr/bin/${folder##*/}
		[ ! -x "$python" ] || "$python" -m compileall -q -s "$root" "$folder" >/dev/null || true
	done
}

# root_suite ARCH: whose packages they are
root_suite()
{
	(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}-$1")
}

# root_ensure ARCH: makes sure that there is a root folder; sets ROOT
root_ensure()
{
	local arch=$1 suite tmp deb

	suite=$(root_suite "$arch")
	ROOT=$CACHE/roots/$suite-$({ root_packages; cat "$VM_DIR/root.sh"; } | cksum | cut -d ' ' -f 1)
	touch -c "$ROOT"
	[ ! -d "$ROOT" ] || return 0

	mkdir -p "$CACHE/roots"
	exec 4>"$CACHE/roots/.lock"
	flock 4
	if [ ! -d "$ROOT" ]; then
		suite_update "$suite"
		say "downloading programs for $arch"
		tmp=$(mktemp -d "$CACHE/roots/.tmp.XXXXXX")
		cleanup_add "rm -rf '$tmp'"
		mkdir -p "$tmp/deb/partial" "$tmp/root/usr"/{bin,sbin,lib}
		# The packages may be older than the merge of these folders.
		ln -s usr/bin usr/sbin usr/lib "$tmp/root/"
		# shellcheck disable=SC2046 # names of packages
		suite_apt "$suite" apt-get -y --no-install-recommends --download-only \
			-o Dir::Cache::archives="$tmp/deb/" install $(root_packages) >"$tmp/log" 2>&1 || {
			cat "$tmp/log" >&2
			die "cannot download programs of $suite"
		}
		for deb in "$tmp"/deb/*.deb; do
			dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$tmp/root"
		done
		root_mend "$tmp/root"
		suite_register "$tmp/root" '' "$tmp"/deb/*.deb
		chmod 755 "$tmp/root"
		find "$CACHE/roots" -mindepth 1 -maxdepth 1 -type d -name "$suite-*" -mtime +30 -exec rm -rf {} +
		mv -T "$tmp/root" "$ROOT"
		rm -rf "$tmp"
	fi
	exec 4>&-
}

# root_download ARCH FOLDER PACKAGE...: downloads packages, with those that they depend on and the root folder lacks
root_download()
{
	local arch=$1 dir=$2 suite
	shift 2

	root_ensure "$arch"
	suite=$(root_suite "$arch")
	suite_update "$suite"
	mkdir -p "$dir/partial"
	suite_apt "$suite" apt-get -y --no-install-recommends --download-only -o Dir::State::status="$ROOT/var/lib/dpkg/status" \
		-o Dir::Cache::archives="$(realpath "$dir")/" install "$@" >"$dir/log" 2>&1 || {
		cat "$dir/log" >&2
		die "cannot download $*"
	}
	rm -r "$dir/log" "$dir/partial"
}
