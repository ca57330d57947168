// SPDX-License-Identifier: GPL-2.0
/* module.c - family "module": modules that are loaded, unloaded and requested */
#include "probe.h"
#include <linux/module.h>
#include <linux/string.h>
#include <trace/events/module.h>
#include "emit.h"

static void emit_name(u16 id, const char *name)
{
	struct ktrace_ev_module payload = { 0 };

	memcpy(payload.name, name, strnlen(name, sizeof(payload.name) - 1));
	kt_emit_current(id, &payload, sizeof(payload), NULL);
}

static void on_mod_load(void *data, struct module *module)
{
	emit_name(KTRACE_EV_MODULE_LOAD, module->name);
}

static void on_mod_free(void *data, struct module *module)
{
	emit_name(KTRACE_EV_MODULE_FREE, module->name);
}

static void on_mod_request(void *data, char *name, bool wait, unsigned long ip)
{
	emit_name(KTRACE_EV_MODULE_REQUEST, name);
}

struct kt_probe kt_probe_module[] = {
	{ KT_TRACEPOINT(KTRACE_EV_MODULE_LOAD, module_load, on_mod_load) },
	{ KT_TRACEPOINT(KTRACE_EV_MODULE_FREE, module_free, on_mod_free) },
	{ KT_TRACEPOINT(KTRACE_EV_MODULE_REQUEST, module_request, on_mod_request) },
	{ }
};
