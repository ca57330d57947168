/* SPDX-License-Identifier: GPL-2.0 */
/*
 * output_dir.h - files that are to appear together
 *
 * They lie in a folder of a temporary name beside the one asked for, until output_dir_end() gives
 * it that name. A signal that ends the process takes it away.
 */
#ifndef VIEWER_BASE_OUTPUT_DIR_H
#define VIEWER_BASE_OUTPUT_DIR_H

#include <ktrace/decode.h>

/* @path must not be there, or be empty. Return: 0, -errno, which it has complained about. */
int output_dir_begin(const char *path);
/* Appends @size bytes to file "metadata", or of a number to "stream_NUMBER". Return: 0, -errno. */
int output_dir_append_metadata(const char *data, size_t size);
int output_dir_append_stream(__u32 number, const char *head, size_t head_size, const char *data,
			     size_t size);
/*
 * Gives it its name, or, if it is not whole, takes it away. Return: 0, -errno, which it has
 * complained about.
 */
int output_dir_end(bool is_whole);

#endif
