# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables are shared among the files that vm sources
#
# Debug kernels (kasan, kcsan, kunit) built from Debian's linux-source package.
#
# A finished tree is in $CACHE/kbuild/<flavour>-<source version>-<hash of the
# config>/ and never changes.  It is built elsewhere and renamed, so an
# interrupted build leaves nothing that looks finished.  Files that modules do
# not need to be built are removed: 1.7 GB become about 150 MB.

KBUILD_SOURCE=linux-source-6.12
KBUILD_FLAVOURS="kasan kcsan kunit arm64-kasan"

is_kbuild_flavour()
{
	[[ " $KBUILD_FLAVOURS " == *" $1 "* ]]
}

# kbuild_base FLAVOUR: base.config, and what its architecture changes
kbuild_base()
{
	local arch
	arch=$(kernel_arch "$1")
	if [ "$arch" = amd64 ]; then
		cat "$VM_DIR/configs/base.config"
	else
		grep -vwFf <(sed -n 's/^# without //p' "$VM_DIR/configs/$arch.config") "$VM_DIR/configs/base.config"
		cat "$VM_DIR/configs/$arch.config"
	fi
}

# kbuild_files FLAVOUR: the other configs
kbuild_files()
{
	printf '%s\n' "$VM_DIR/configs/${1#"$(kernel_arch "$1")-"}.config" "$VM_DIR/configs/module.config"
}

# The hash ignores comments, except those that disable an option.
kbuild_hash()
{
	{ kbuild_base "$1"; kbuild_files "$1" | xargs cat; } |
		sed -e '/^# CONFIG_/b' -e '/^#/d' -e '/^$/d' | sha256sum | cut -c 1-12
}

# Accepts any source version, so that a security update does not cost twenty
# minutes of building.
kbuild_find()
{
	local hash
	hash=$(kbuild_hash "$1")
	find "$CACHE/kbuild" -maxdepth 1 -type d -name "$1-*-$hash" |
		sort -V | tail -n 1
}

# Make sure that the tree of a flavour exists; sets KBUILD_DIR.
kbuild_ensure()
{
	KBUILD_DIR=$(kbuild_find "$1")
	if [ -z "$KBUILD_DIR" ]; then
		kbuild_build "$1"
		KBUILD_DIR=$(kbuild_find "$1")
	fi
}

kbuild_configure()
{
	local flavour=$1 dir=$2 files

	kbuild_base "$flavour" >"$dir/base.config"
	mapfile -t files < <(kbuild_files "$flavour")
	# -n: disable everything that the configs do not enable, so that the
	# kernel stays small.
	(cd "$dir" && env "${KBUILD_FOR[@]}" scripts/kconfig/merge_config.sh -n base.config "${files[@]}" >merge.log 2>&1)
	if grep -A 2 'not in final .config' "$dir/merge.log" >&2; then
		die "the configs for $flavour ask for options this source does not have"
	fi
}

kbuild_make()
{
	local dir=$1 pid start=$SECONDS next=$((SECONDS + 60))

	spawn make -C "$dir" -s -j"${KTRACE_JOBS:-$(nproc)}" KBUILD_BUILD_USER=ktrace \
		KBUILD_BUILD_HOST=ktrace "${KBUILD_FOR[@]}" "$KBUILD_IMAGE" modules >"$dir/build.log" 2>&1 &
	pid=$!
	pids+=("$pid")
	while kill -0 "$pid" 2>/dev/null; do
		sleep 1
		if [ "$SECONDS" -ge "$next" ]; then
			next=$((SECONDS + 60))
			say "building for $(((SECONDS - start) / 60)) min," \
				"$(find "$dir" -name '*.o' | wc -l) objects"
		fi
	done
	wait "$pid" || {
		tail -n 30 "$dir/build.log" >&2
		die "the build failed"
	}
}

# kbuild_target FLAVOUR: sets KBUILD_ARCH, the folder's name below arch/, KBUILD_IMAGE and KBUILD_FOR, the words for make
kbuild_target()
{
	case $(kernel_arch "$1") in
	arm64)
		"$DEPS" vm-arm64
		KBUILD_ARCH=arm64 KBUILD_IMAGE=Image
		KBUILD_FOR=(ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-)
		;;
	*)
		KBUILD_ARCH=x86 KBUILD_IMAGE=bzImage
		KBUILD_FOR=(ARCH=x86_64)
		;;
	esac
}

# Keep the files that modules are built against, the image, and the symbols for
# reading stack traces.
kbuild_prune()
{
	cp -L "arch/$KBUILD_ARCH/boot/$KBUILD_IMAGE" "$KBUILD_IMAGE"
	rm -rf Documentation LICENSES block certs crypto debian drivers fs init \
		io_uring ipc kernel lib mm net rust samples security sound usr \
		virt .tmp_* vmlinux.o vmlinux.a built-in.a
	find tools -mindepth 1 -maxdepth 1 ! -name objtool ! -name include -exec rm -rf {} +
	find arch -mindepth 1 -maxdepth 1 ! -name "$KBUILD_ARCH" -exec rm -rf {} +
	find arch tools -type f ! -name '*.h' ! -name 'Makefile*' ! -name objtool -delete
	find . -name '*.o' ! -path './scripts/*' -delete
	find . -name '.*.cmd' -delete
	find . -type d -empty -delete
}

kbuild_build()
{
	local flavour=$1 tarball version hash tmp start=$SECONDS

	"$DEPS" kunit
	kbuild_target "$flavour"
	tarball=/usr/src/$KBUILD_SOURCE.tar.xz
	version=$(dpkg-query -W -f '${source:Upstream-Version}' "$KBUILD_SOURCE")
	hash=$(kbuild_hash "$flavour")

	exec 8>"$CACHE/kbuild/.$flavour.lock"
	flock -n 8 || {
		say "waiting for another build of $flavour"
		flock 8
	}
	if [ -n "$(kbuild_find "$flavour")" ]; then
		exec 8>&-
		return
	fi

	tmp=$(mktemp -d "$CACHE/kbuild/.tmp.XXXXXX")
	cleanup_add "rm -rf '$tmp'"
	say "building $flavour from $KBUILD_SOURCE $version (10 to 20 minutes with 2 CPUs)"
	tar -xf "$tarball" -C "$tmp" --strip-components=1 --exclude='*/boot/dts'
	kbuild_configure "$flavour" "$tmp"
	kbuild_make "$tmp"
	(cd "$tmp" && kbuild_prune)
	chmod 755 "$tmp"
	mv -T "$tmp" "$CACHE/kbuild/$flavour-$version-$hash"
	exec 8>&-
	say "built $flavour in $((SECONDS - start)) s: $CACHE/kbuild/$flavour-$version-$hash"
}
