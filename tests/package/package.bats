#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# package.bats - Debian's packages, as `make deb` makes them: what is in them, installed beside this
# machine's file system and in the VM, upgraded, purged

bats_require_minimum_version 1.5.0
load ../bats/helpers

# Packages are built and installed, modules built, a VM booted.
[ -n "${KTRACE_LONG:-}" ] || BATS_TEST_TIMEOUT=900
KERNELS=${KTRACE_KERNELS:-6.1-cloud 6.12-cloud}
DEBS=$BUILD/deb
VERSION=$(sed -n 's/^VERSION *:= *//p' "$ROOT/Makefile")
PACKAGES="ktrace ktrace-dkms ktrace-doc libktrace0 libktrace-posix0 libktrace-shark0 libktraceset0 libktrace-dev python3-ktrace"

setup_file()
{
	load ../bats/helpers
	local pid=
	requires_root
	cd "$ROOT" || return
	# Nobody here looks for symbols, which take long to compress.
	[ -n "${KTRACE_LONG:-}" ] || export DEB_BUILD_OPTIONS=noautodbgsym
	make -s deb
	# Those to install, and what the guest needs with them
	mkdir "$BATS_FILE_TMPDIR/debs"
	ln "$DEBS"/*.deb "$BATS_FILE_TMPDIR/debs/"
	rm -f "$BATS_FILE_TMPDIR"/debs/*-dbgsym_*
	readme_program >"$BATS_FILE_TMPDIR/debs/server.c"
	# shellcheck disable=SC2086
	tests/package/root "$BATS_FILE_TMPDIR/pid" $KERNELS 3>&- 4>&- &
	retry 0.2 test -s "$BATS_FILE_TMPDIR/pid"
	in_root sh -c 'rm -f /var/lib/man-db/auto-update'
	changed | sort >"$BATS_FILE_TMPDIR/before"
	in_root env DEBIAN_FRONTEND=noninteractive dpkg -i "$BATS_FILE_TMPDIR"/debs/*.deb \
		>"$BATS_FILE_TMPDIR/installed" 2>&1
}

teardown_file()
{
	[ ! -s "$BATS_FILE_TMPDIR/pid" ] || kill "$(cat "$BATS_FILE_TMPDIR/pid")"
}

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# readme_program: the program of the README
readme_program()
{
	sed -n '/^```c$/,/^```$/p' "$ROOT/README.md" | sed '1d;$d'
}

# in_root COMMAND...: where the packages are installed
in_root()
{
	nsenter -t "$(cat "$BATS_FILE_TMPDIR/pid")" -m chroot /mnt/root "$@"
}

# changed: names there that are not on this machine, and "gone NAME" for the other way round
changed()
{
	nsenter -t "$(cat "$BATS_FILE_TMPDIR/pid")" -m bash -c '
		cd /mnt/upper
		find . \( -path ./tmp -o -path ./root -o -path ./dev -o -path ./run \) -prune -o -printf "%y %P\n" |
		while read -r type name; do
			if [ "$type" = c ]; then
				echo "gone $name"
			elif [ ! -e "/$name" ] && [ ! -L "/$name" ]; then
				echo "$name"
			fi
		done'
}

# files PACKAGE: what is in it
files()
{
	dpkg-deb -c "$DEBS/$1"_*.deb | sed -E 's|^([^ ]+ +){5}\.||'
}

@test "what records 32-bit programs is a package of their architecture, installed beside ours" {
	local narrow wide
	narrow=$(echo "$DEBS"/i386/libktrace0_*_i386.deb)
	wide=$(echo "$DEBS"/libktrace0_*_amd64.deb)
	[ "$(dpkg-deb -f "$narrow" Architecture Multi-Arch | sort)" = "$(printf '%s\n' 'Architecture: i386' 'Multi-Arch: same')" ]
	[[ $(dpkg-deb -f "$narrow" Depends) == "libc6 (>= 2."* ]]
	[ "$(dpkg-deb -f "$narrow" Version)" = "$(dpkg-deb -f "$wide" Version)" ]
	# Files of the same name are the same.
	dpkg-deb -x "$narrow" narrow
	dpkg-deb -x "$wide" wide
	(cd narrow && find . -type f) | while read -r f; do
		[ ! -e "wide/$f" ] || cmp "narrow/$f" "wide/$f"
	done
	cd narrow/usr/lib/i386-linux-gnu
	for f in libktrace.so.0 libktrace-pthread.so.0; do
		[[ $(readelf -h "$f") == *ELF32* ]]
		[[ $(readelf -d "$f") != *R*PATH* ]]
	done
}

@test "each package has what it is to have, and nothing else has it" {
	local package where
	# shellcheck disable=SC2086
	for package in $PACKAGES; do
		files "$package" | grep -v '/$' | sed "s|^|$package |"
	done >files
	while read -r package where; do
		echo "$package $where"
		grep -q "^$package $where$" files
		[ "$(grep -c " $where$" files)" -eq 1 ]
	done <<-'END'
		ktrace /usr/bin/ktrace
		ktrace /usr/bin/ktraced
		ktrace /usr/libexec/ktrace/tui
		ktrace /usr/libexec/ktrace/posix-keeper
		ktrace /usr/libexec/ktrace/mark
		ktrace /usr/share/man/man8/ktraced.8.gz
		ktrace /usr/share/bash-completion/completions/ktrace
		ktrace /usr/share/zsh/vendor-completions/_ktrace
		ktrace /usr/lib/sysusers.d/ktrace.conf
		ktrace /usr/lib/tmpfiles.d/ktrace.conf
		ktrace /lib/udev/rules.d/60-ktrace.rules
		ktrace /lib/systemd/system/ktraced.service
		ktrace /etc/apparmor.d/ktraced-service
		ktrace-dkms /usr/lib/modules-load.d/ktrace.conf
		ktrace-dkms /usr/src/ktrace-[0-9.]*/dkms.conf
		ktrace-dkms /usr/src/ktrace-[0-9.]*/module/ring/writer.c
		ktrace-doc /usr/share/doc/ktrace-doc/Documentation/index.md
		ktrace-doc /usr/share/doc/ktrace-doc/examples/hello/hello.c
		libktrace0 /usr/lib/[^ ]*/libktrace.so.0 -> libktrace.so.[0-9.]*
		libktrace0 /usr/lib/[^ ]*/libktrace-pthread.so.0
		libktrace-posix0 /usr/lib/[^ ]*/libktrace-posix.so.0 -> libktrace-posix.so.[0-9.]*
		libktrace-shark0 /usr/lib/[^ ]*/libktrace-shark.so.0 -> libktrace-shark.so.[0-9.]*
		libktraceset0 /usr/lib/[^ ]*/libktraceset.so.0 -> libktraceset.so.[0-9.]*
		libktrace-dev /usr/include/trace.h
		libktrace-dev /usr/include/ktrace/ktrace.h
		libktrace-dev /usr/include/linux/ktrace.h
		libktrace-dev /usr/lib/[^ ]*/libktraceset.a
		libktrace-dev /usr/lib/[^ ]*/libktrace.so -> libktrace.so.0
		libktrace-dev /usr/lib/[^ ]*/pkgconfig/libktrace-posix.pc
		libktrace-dev /usr/share/man/man3/posix_trace_create.3.gz
		python3-ktrace /usr/lib/python3/dist-packages/ktrace/__init__.py
	END
}

# bats test_tags=long
@test "lintian finds no errors" {
	lintian --allow-root --fail-on error "$DEBS"/*.changes
}

@test "the module is built for each kernel, and signed by the key of this machine's DKMS" {
	local kernel release
	cat "$BATS_FILE_TMPDIR/installed"
	for kernel in $KERNELS; do
		release=$("$ROOT/tests/vm/vm" kernel "$kernel")
		in_root dkms status -m ktrace -k "$release" | grep -q ': installed$'
		in_root modinfo -k "$release" ktrace >info
		cat info
		grep -q "^vermagic: *$release " info
		grep -q '^signer: *DKMS module signing key' info
	done
}

@test "a program is built against the packages, and traced by them" {
	in_root sh -ec '
		mkdir -p /run/program && cd /run/program
		gcc -Wall -Werror '"$BATS_FILE_TMPDIR"'/debs/server.c -o server $(pkg-config --cflags --libs libktrace)
		for library in libktrace libktraceset libktrace-shark libktrace-posix; do
			echo "int main(void) { return 0; }" | gcc -xc - -o static -static $(pkg-config --static --cflags --libs $library)
		done
		ktraced -q --backend=shm -o trace.bin -- ./server
		ktraced -q --backend=shm --pthread -o pthread.bin -- /usr/bin/python3 -c "import threading; t = threading.Thread(target = print); t.start(); t.join()"'
	in_root sh -ec 'cd /run/program; ktrace list trace.bin; ktrace list pthread.bin; /usr/bin/python3 -c "
import ktrace
print(len(list(ktrace.Traceset(\"trace.bin\"))), \"by Python\")"' >said
	cat said
	grep -q 'server:request id=7 path="/index"' said
	grep -q 'pthread:thread_create_in ' said
	grep -q '^1 by Python' said
}

@test "programs of the packages look for libraries where the system has them only" {
	local file
	in_root dpkg -L ktrace libktrace0 libktrace-posix0 libktrace-shark0 libktraceset0 |
		grep -E '/(bin|libexec/ktrace)/|\.so\.' >programs
	while read -r file; do
		in_root readelf -d "$file" >dynamic
		grep -q NEEDED dynamic
		fails grep -E 'RPATH|RUNPATH' dynamic
	done <programs
	[ -s programs ]
}

@test "the group is there, folders are made, units are in order" {
	in_root getent group tracing
	[ "$(in_root stat -c '%U %a' /run/perfetto)" = "root 755" ]
	in_root systemd-analyze verify --man=no ktraced.service ktraced.socket ktraced-consumer.socket 2>said ||
		fails cat said
	cat said
	fails grep ktraced said
	# 10 is all a service of root's may do; with what must be open it is 4.6.
	in_root systemd-analyze security --offline=yes --threshold=50 ktraced.service
	# Nobody is served who has not asked for it.
	[ "$(in_root systemctl is-enabled ktraced.socket || true)" = disabled ]
}

# in_vm SCRIPT [ARG...]: with the packages and what DKMS has built from them, in the VM; all is ok
in_vm()
{
	local script=$ROOT/tests/package/$1 kernel kernels=$KERNELS
	local archive=$BATS_TEST_TMPDIR/ktrace-$VERSION.dkms.tar.gz
	shift
	[ -n "${KTRACE_LONG:-}" ] || kernels=${KERNELS##* }
	for kernel in $kernels; do
		in_root dkms mktarball -m ktrace -v "$VERSION" -k "$("$ROOT/tests/vm/vm" kernel "$kernel")" \
			--archive /run/built.tar.gz
		in_root cat /run/built.tar.gz >"$archive"
		in_root cat /var/lib/dkms/mok.pub >"$BATS_FILE_TMPDIR/debs/mok.pub"
		"$ROOT/tests/vm/vm" run -k "$kernel" -m 1536 -t 800 -- "$script" \
			"$BATS_FILE_TMPDIR/debs" "$archive" "$@" >said 2>&1 || echo "ended with status $?" >>said
		cat said
		fails grep '^ended with' said
		[ "$(grep -c '^ok - ' said)" -eq "$(grep -cP '^\t?ok "' "$script")" ]
	done
}

# bats test_tags=long
@test "installed in the VM: a build that fails, udev, a user of the group, signatures, removal" {
	in_vm guest
}

# bats test_tags=long
@test "in the VM, booted with systemd: module, device, sockets, service, users" {
	in_vm booted "$EXAMPLES/hello"
}

# bats test_tags=long
@test "an upgrade builds the module anew, and keeps nothing of the old one" {
	local deb
	mkdir upgrade
	for deb in "$BATS_FILE_TMPDIR"/debs/*.deb; do
		rm -rf new
		dpkg-deb -R "$deb" new
		sed -i -E "/^(Version|Depends):/s/$VERSION-1\b/$VERSION-2/g" new/DEBIAN/control
		dpkg-deb -Znone -b new upgrade >/dev/null
	done
	in_root sh -c "dpkg -i $BATS_TEST_TMPDIR/upgrade/*.deb"
	# shellcheck disable=SC2086
	[ "$(in_root dpkg-query -W -f '${Version} ${db:Status-Abbrev}\n' $PACKAGES | sort -u)" = "$VERSION-2 ii " ]
	[ "$(in_root dkms status -m ktrace | grep -c ': installed$')" -eq "$(wc -w <<<"$KERNELS")" ]
	in_root ktrace --version
}

@test "purged, the packages leave nothing" {
	# shellcheck disable=SC2086
	in_root dpkg -P $PACKAGES
	[ -z "$(in_root dkms status -m ktrace)" ]
	# The key is DKMS's own. Scripts of dh_apparmor remove this folder of AppArmor's if it is empty.
	changed | sort | grep -vE '^var/lib/dkms/mok\.|^gone etc/apparmor\.d/disable$' | diff "$BATS_FILE_TMPDIR/before" - >left || true
	cat left
	[ ! -s left ]
	# Files may be the group's.
	in_root getent group tracing
}
