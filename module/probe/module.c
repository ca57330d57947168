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

/* Never called: fails to compile when a tracepoint's arguments are not those above. */
static void __maybe_unused mod_arguments_match(void)
{
	check_trace_callback_type_module_load(on_mod_load);
	check_trace_callback_type_module_free(on_mod_free);
	check_trace_callback_type_module_request(on_mod_request);
}

struct kt_probe kt_probe_module[] = {
	{ .id = KTRACE_EV_MODULE_LOAD, .tracepoint = "module_load", .func = on_mod_load },
	{ .id = KTRACE_EV_MODULE_FREE, .tracepoint = "module_free", .func = on_mod_free },
	{ .id = KTRACE_EV_MODULE_REQUEST, .tracepoint = "module_request", .func = on_mod_request },
	{ }
};
