# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# corpus.bash - the inputs of each harness, an archive for each in the tree
#
# They are used, and changed, in build/fuzz/HARNESS/tree. An archive of the same inputs has the same bytes.

ARCHIVES=tests/data/fuzz

# corpus_of HARNESS: the folder where they are unpacked
corpus_of()
{
	echo "$FUZZ/$1/tree"
}

corpus_unpack()
{
	local to
	to=$(corpus_of "$1")
	rm -rf "$to"
	mkdir -p "$to"
	[ ! -e "$ARCHIVES/$1.tar.xz" ] || tar -C "$to" -xJf "$ARCHIVES/$1.tar.xz"
}

corpus_pack()
{
	tar -C "$(corpus_of "$1")" --sort=name --owner=0 --group=0 --numeric-owner --mode=0644 --mtime=@0 \
		--transform='s,^\./,,' -cJf "$ARCHIVES/$1.tar.xz" $(cd "$(corpus_of "$1")" && ls)
}
