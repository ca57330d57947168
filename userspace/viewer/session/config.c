// SPDX-License-Identifier: GPL-2.0
/* config.c - reads configurations */
#include "config.h"

#include "base/viewer.h"
#include "pbtxt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFIG_MAX (1u << 20)

static bool is_text(const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const unsigned char c = (unsigned char)data[i];

		if ((c < ' ' && c != '\n' && c != '\t' && c != '\r') || c == 0x7f)
			return false;
	}
	return true;
}

static Pft__TraceConfig *parse(const char *path, const char *data, size_t size)
{
	ProtobufCMessage *m = NULL;
	struct pbtxt_error error;
	Pft__TraceConfig *config;
	int ret;

	if (!is_text(data, size)) {
		config = pft__trace_config__unpack(NULL, size, (const uint8_t *)data);
		if (!config)
			complain_about(path, "neither a text nor a message of type TraceConfig");
		return config;
	}
	ret = pbtxt_parse(&pft__trace_config__descriptor, data, size, &m, &error);
	if (ret == -EINVAL)
		complain_about(path, "line %u, column %u: %s", error.line, error.column,
			       error.text);
	else if (ret)
		complain_about(path, "%s", strerror(-ret));
	return ret ? NULL : (Pft__TraceConfig *)m;
}

Pft__TraceConfig *config_read(const char *path)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	Pft__TraceConfig *config = NULL;
	char *data = malloc(CONFIG_MAX + 1);
	size_t size;

	if (!file || !data) {
		complain_about(path, "%s", strerror(errno));
	} else {
		size = fread(data, 1, CONFIG_MAX + 1, file);
		if (ferror(file))
			complain_about(path, "%s", strerror(errno));
		else if (size > CONFIG_MAX)
			complain_about(path, "larger than 1 MiB");
		else
			config = parse(path, data, size);
	}
	if (file && file != stdin)
		fclose(file);
	free(data);
	return config;
}

void config_free(Pft__TraceConfig *config)
{
	if (config)
		pft__trace_config__free_unpacked(config, NULL);
}
