/* SPDX-License-Identifier: GPL-2.0 */
/*
 * output_dir.h - files that appear together, in a folder
 *
 * The files are in a folder with a temporary name beside the requested one, until output_dir_end()
 * renames it. A signal that ends the process removes the folder.
 */
#ifndef VIEWER_BASE_OUTPUT_DIR_H
#define VIEWER_BASE_OUTPUT_DIR_H

#include <ktrace/decode.h>

/* @path must not exist, or be an empty folder. Return: 0, -errno; errors are already reported. */
int output_dir_begin(const char *path);
/* Appends @size bytes to file "metadata", or to "stream_NUMBER". Return: 0, -errno. */
int output_dir_append_metadata(const char *data, size_t size);
int output_dir_append_stream(__u32 number, const char *head, size_t head_size, const char *data,
			     size_t size);
/*
 * Gives the folder its final name, or removes it if it is not complete. Return: 0, -errno; errors
 * are already reported.
 */
int output_dir_end(bool is_whole);

#endif
