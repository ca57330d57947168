/* SPDX-License-Identifier: GPL-2.0 */
/*
 * input.h - the files to import: uncompressed, and readable from any place
 *
 * Converters map their files or read them twice. So pipes and compressed files are first copied
 * to temporary files, which bounds memory; messages keep the names that the user gave.
 */
#ifndef VIEWER_IMPORT_INPUT_H
#define VIEWER_IMPORT_INPUT_H

#include "import.h"

/* Bytes of a file that tell its format */
#define INPUT_HEAD (64u << 10)

/*
 * Replaces each path to a pipe or compressed file by that of a temporary file. Sets @is_damaged of
 * @x, with a message, if a file cannot be uncompressed completely. Return: 0, -ECANCELED after
 * reporting the error.
 */
int input_prepare(struct import *x, int nr, char **paths);

/*
 * Reads the first INPUT_HEAD bytes of a file, uncompressed, to @head. A pipe is copied to a
 * temporary file, which becomes standard input, and *@path becomes "-". Return: number of bytes,
 * -ECANCELED after reporting the error.
 */
ssize_t input_head(char **path, unsigned char *head);

#endif
