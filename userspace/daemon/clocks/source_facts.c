// SPDX-License-Identifier: GPL-2.0
/* source_facts.c - what a program says that synchronises a clock, as META text */
#include "source_facts.h"

void source_facts_put(const struct source_facts *f, struct ktrace_text *t)
{
	if (f->state[0])
		ktrace_text_str(t, "state", f->state);
	if (f->reference[0])
		ktrace_text_str(t, "ref", f->reference);
	if (f->has_stratum)
		ktrace_text_u64(t, "stratum", f->stratum);
	if (f->has_offset)
		ktrace_text_s64(t, "offset_ns", f->offset_ns);
	if (f->has_delay)
		ktrace_text_s64(t, "delay_ns", f->delay_ns);
	if (f->has_dispersion)
		ktrace_text_s64(t, "dispersion_ns", f->dispersion_ns);
	if (f->has_frequency) {
		ktrace_text_s64(t, "freq_ppb", f->freq_ppb);
		ktrace_text_s64(t, "skew_ppb", f->skew_ppb);
	}
}
