# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables are shared among the files that vm sources
#
# Debian's suites, read from the mirror that this machine's apt uses, whatever suite the machine has
# itself. Nothing is installed and apt's own state stays as it is:
#   $CACHE/apt/<suite>/    lists of the suite; .errors: what apt said; .updated: when
#   $CACHE/tools/<suite>-<compiler>/  packages to compile with, unpacked: a chroot for scripts/in-tools
# A suite is named NAME or, for the packages of another architecture than amd64, NAME-ARCH.

SUITES="bullseye bookworm trixie forky sid experimental"
# Architectures of kernels besides amd64, whose modules are cross-built
FOREIGN="arm64 riscv64"
# Lists older than this are read again, in minutes.
SUITE_AGE=1440

# Packages beside the compiler that a build of modules calls
TOOL_PACKAGES="binutils make bash dash coreutils findutils diffutils sed grep gawk perl-base kmod gzip bc"

# suite_name SUITE: without its architecture
suite_name()
{
	echo "${1%%-*}"
}

# suite_arch SUITE
suite_arch()
{
	[[ $1 != *-* ]] && echo amd64 || echo "${1#*-}"
}

# suite_sources SUITE: what the suite consists of: suites of the main archive, and of the security archive
suite_sources()
{
	case $(suite_name "$1") in
	bullseye) echo bullseye bullseye-updates bullseye-security ;;
	bookworm) echo bookworm bookworm-updates bookworm-security bookworm-backports ;;
	trixie) echo trixie trixie-updates trixie-security trixie-backports ;;
	forky) echo forky forky-updates forky-security ;;
	sid) echo sid ;;
	experimental) echo sid experimental ;;
	*) die "unknown suite '$1'; known: $SUITES" ;;
	esac
}

# suite_site LABEL: the address of an archive, from apt's configuration
suite_site()
{
	# shellcheck disable=SC2016 # apt's variables
	apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(SITE)' 'Created-By: Packages' |
		awk -F'|' -v label="$1" '$1 == "Debian" && $2 == label { print $3; exit }'
}

# suite_apt SUITE PROGRAM ARG...: runs apt-get or apt-cache with the lists of the suite, as if nothing was
# installed
suite_apt()
{
	local dir=$CACHE/apt/$1 program=$2 arch
	arch=$(suite_arch "$1")
	shift 2

	# The sandbox user of apt may not be able to write into the cache.
	"$program" -qq -o Dir::State="$dir" -o Dir::State::status="$dir/status" -o Dir::Cache="$dir/cache" \
		-o Dir::Cache::pkgcache=pkgcache.bin -o Dir::Cache::srcpkgcache=srcpkgcache.bin \
		-o Dir::Etc::sourcelist="$dir/sources.list" -o Dir::Etc::sourceparts=- \
		-o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts="$dir/parts" \
		-o APT::Architecture="$arch" -o APT::Architectures="$arch" -o APT::Sandbox::User=root \
		-o Acquire::Languages=none -o Acquire::GzipIndexes=true -o Debug::NoLocking=true "$@"
}

# The keys that verify suites: a newer set if the machine's was too old once
suite_keys()
{
	local file
	for file in "$CACHE"/apt/keys/usr/share/keyrings/debian-archive-keyring.{pgp,gpg} \
		/usr/share/keyrings/debian-archive-keyring.{gpg,pgp}; do
		if [ -e "$file" ]; then
			echo "$file"
			return
		fi
	done
	die "no keys of Debian's archive (package debian-archive-keyring)"
}

suite_write_sources()
{
	local suite=$1 dir=$CACHE/apt/$1 name site keys main security

	main=$(suite_site Debian)
	security=$(suite_site Debian-Security)
	[ -n "$main" ] || die "apt's configuration has no mirror of Debian"
	keys=$(suite_keys)
	for name in $(suite_sources "$suite"); do
		site=$main
		[[ $name != *-security ]] || site=$security
		[ -z "$site" ] || echo "deb [signed-by=$keys] $site $name main"
	done >"$dir/sources.list"
}

# suite_read SUITE: reads the lists; false: not all of them
suite_read()
{
	local dir=$CACHE/apt/$1
	mkdir -p "$dir/lists/partial" "$dir/parts" "$dir/cache/archives/partial"
	: >"$dir/status"
	suite_write_sources "$1"
	suite_apt "$1" apt-get update >"$dir/.errors" 2>&1
}

# suite_newer_keys SUITE: true if another suite, which can be verified, has keys that the machine lacks
suite_newer_keys()
{
	local other tmp

	[ ! -e "$CACHE/apt/keys" ] || return
	for other in trixie bookworm bullseye; do
		if [ "$other" = "$1" ] || ! suite_read "$other"; then
			continue
		fi
		tmp=$(mktemp -d "$CACHE/apt/.tmp.XXXXXX")
		cleanup_add "rm -rf '$tmp'"
		if (cd "$tmp" && suite_apt "$other" apt-get download debian-archive-keyring) >/dev/null 2>&1; then
			say "keys of $other, to verify $1"
			dpkg-deb -x "$tmp"/*.deb "$tmp/root"
			mv -T "$tmp/root" "$CACHE/apt/keys"
			return
		fi
	done
	return 1
}

# suite_update SUITE: makes sure that there are lists, at most a day old. What could not be read is in .errors.
suite_update()
{
	local suite=$1 dir=$CACHE/apt/$1

	mkdir -p "$dir"
	exec 7>"$dir/.lock"
	flock 7
	if [ -z "$(find "$dir/.updated" -mmin "-$SUITE_AGE" 2>/dev/null)" ]; then
		if ! suite_read "$suite" && grep -q NO_PUBKEY "$dir/.errors" && suite_newer_keys "$suite"; then
			suite_read "$suite" || true
		fi
		touch "$dir/.updated"
	fi
	exec 7>&-
}

# suite_kernels SUITE: the releases for which the suite has headers, each on a line
suite_kernels()
{
	local names
	mapfile -t names < <(suite_apt "$1" apt-cache pkgnames linux-headers- |
		grep -E "^linux-headers-[0-9].*-$(suite_arch "$1")(-16k)?\$")
	[ ${#names[@]} -gt 0 ] || return 0
	# Those without a common part are names for the newest.
	suite_apt "$1" apt-cache show --no-all-versions "${names[@]}" | awk '
		/^Package: / { sub("linux-headers-", "", $2); release = $2 }
		/^Depends: .*linux-headers-[^ ]*-common/ { print release }'
}

# suite_newest SUITE: of each series and variant the newest release, each on a line
suite_newest()
{
	suite_kernels "$1" | sort -rV | awk '{
		series = $1
		sub(/^[0-9]+\.[0-9]+/, "& ", series)
		sub(/ .*/, "", series)
		variant = $1
		sub(/^.*[0-9]-/, "", variant)
		if (!seen[series, variant]++)
			print
	}' | sort -V
}

# suite_has SUITE PACKAGE...
suite_has()
{
	local suite=$1 package
	shift
	for package in "$@"; do
		suite_apt "$suite" apt-cache show --no-all-versions "$package" >/dev/null 2>&1 || return
	done
}

# suite_depends SUITE PACKAGE: the names of what it depends on
suite_depends()
{
	suite_apt "$1" apt-cache show --no-all-versions "$2" | sed -n 's/^\(Pre-\)\?Depends: //p' |
		tr ',' '\n' | awk '{ sub(/:.*/, "", $1); print $1 }'
}

# suite_unpack SUITE FOLDER PACKAGE...: downloads and unpacks packages
suite_unpack()
{
	local suite=$1 dir=$2 deb
	shift 2

	mkdir -p "$dir.deb"
	if ! (cd "$dir.deb" && suite_apt "$suite" apt-get download "$@") >"$dir.log" 2>&1; then
		# The lists may name a version that the mirror has replaced.
		rm -f "$CACHE/apt/$suite/.updated"
		suite_update "$suite"
		(cd "$dir.deb" && suite_apt "$suite" apt-get download "$@") >"$dir.log" 2>&1 || {
			cat "$dir.log" >&2
			die "cannot download $*"
		}
	fi
	for deb in "$dir.deb"/*.deb; do
		dpkg-deb -x "$deb" "$dir"
	done
	rm -rf "$dir.deb" "$dir.log"
}

# suite_register ROOT PREFIX DEB...: tells a database in ROOT, from which dpkg-query and dpkg-shlibdeps answer, that the
# packages are installed. The files' names in it begin with PREFIX.
suite_register()
{
	local root=$1 prefix=$2 info=$1/var/lib/dpkg/info deb name file
	shift 2

	rm -rf "$root/var/lib/dpkg"
	mkdir -p "$info" "$root/var/lib/dpkg/updates"
	echo 1 >"$info/format"
	for deb; do
		dpkg-deb -e "$deb" "$info/.control"
		name=$(awk '$1 == "Package:" { name = $2 } $1 == "Architecture:" { arch = $2 } /^Multi-Arch: same/ { is_same = 1 }
			END { print name (is_same ? ":" arch : "") }' "$info/.control/control")
		{
			cat "$info/.control/control"
			printf 'Status: install ok installed\n\n'
		} >>"$root/var/lib/dpkg/status"
		for file in shlibs symbols; do
			[ ! -e "$info/.control/$file" ] || mv "$info/.control/$file" "$info/$name.$file"
		done
		rm -rf "$info/.control"
		dpkg-deb --fsys-tarfile "$deb" | tar -t | sed -e 's|^\./|/|' -e 's|/$||' -e "s|^|$prefix|" -e 's|^$|/.|' >"$info/$name.list"
	done
}

# ---- tools ----

# The names of the machine's own suite: its kernels are compiled with its own compiler.
suite_is_own()
{
	local codename
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	[ "$codename" = "$(suite_name "$1")" ]
}

# suite_triplet SUITE: how GNU names the architecture
suite_triplet()
{
	case $(suite_arch "$1") in
	amd64) echo x86-64-linux-gnu ;;
	arm64) echo aarch64-linux-gnu ;;
	*) echo "$(suite_arch "$1")-linux-gnu" ;;
	esac
}

# tools_wanted SUITE RELEASE: the packages with which headers of this release are compiled, those of this machine's
# architecture
tools_wanted()
{
	local suite=$1 package triplet=''
	[ "$(suite_arch "$1")" = amd64 ] || triplet=$(suite_triplet "$1")
	{
		echo "${TOOL_PACKAGES// /$'\n'}"
		for package in $(suite_depends "$suite" "linux-headers-$2"); do
			case $package in
			gcc-* | linux-compiler-*)
				[ -z "$triplet" ] && echo "$package" ||
					sed -E "s/^(linux-compiler-)?(gcc-[0-9]+).*/\\2-$triplet/" <<<"$package"
				;;
			linux-kbuild-*) suite_depends "$(suite_name "$suite")" "$package" ;;
			esac
		done
	} | sort -u
}

# tools_links ROOT: what packages make when they are installed
tools_links()
{
	local name
	for name in bin sbin lib lib64; do
		[ -e "$1/$name" ] || ln -s "usr/$name" "$1/$name"
	done
	mkdir -p "$1/mnt"
	[ -e "$1/bin/sh" ] || ln -s dash "$1/bin/sh"
	[ -e "$1/usr/bin/awk" ] || ln -s gawk "$1/usr/bin/awk"
}

# tools_ensure SUITE RELEASE: sets TOOLS, the folder with its compiler, make and libraries
tools_ensure()
{
	local suite=$1 wanted tmp uris deb name

	name=$(suite_name "$suite")
	[ "$name" = "$suite" ] || suite_update "$name"
	wanted=$(tools_wanted "$suite" "$2")
	TOOLS=$CACHE/tools/$suite-$(sed -n 's/^\(linux-compiler-\)\?\(gcc-[0-9]*\).*/\2/p' <<<"$wanted" | head -n 1)
	[ ! -d "$TOOLS" ] || return 0

	mkdir -p "$CACHE/tools"
	exec 6>"$CACHE/tools/.lock"
	flock 6
	if [ ! -d "$TOOLS" ]; then
		say "downloading the compiler of $suite"
		tmp=$(mktemp -d "$CACHE/tools/.tmp.XXXXXX")
		mkdir -p "$tmp/deb/partial"
		cleanup_add "rm -rf '$tmp'"
		# shellcheck disable=SC2086 # names of packages
		suite_apt "$name" apt-get -y --no-install-recommends --download-only \
			-o Dir::Cache::archives="$tmp/deb/" install $wanted >"$tmp/log" 2>&1 || {
			cat "$tmp/log" >&2
			die "cannot download the compiler of $suite"
		}
		for deb in "$tmp"/deb/*.deb; do
			dpkg-deb -x "$deb" "$tmp/root"
		done
		rm -rf "$tmp/root"/usr/share/{doc,man,locale,info}
		tools_links "$tmp/root"
		chmod 755 "$tmp/root"
		mv -T "$tmp/root" "$TOOLS"
		rm -rf "$tmp"
	fi
	exec 6>&-
}
