// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ktrace fleet: how recordings of many hosts go, and commands for them
 *
 *   question to all --> answers, for a bounded time --> choose --> command to each --> results
 *
 * A broker does not say who listens, so a recording that does not answer cannot be told from one
 * that does not exist: the end says how many have answered, and --store names hosts that are known
 * otherwise. Commands go only to recordings that have answered.
 */
#include "fleet.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/viewer.h"
#include "base/when.h"

/* Default of --wait */
#define WAIT_MS 2000
/* Time that a host may take to carry out a command, in addition: ktraced answers within 10 s. */
#define COMMAND_MS 11000

bool fleet_means_host(const struct fleet *f, const char *folder)
{
	return !f->host || !fnmatch(f->host, folder, 0);
}

static bool is_meant(const struct fleet *f, const struct answer *a)
{
	char folder[MESSAGE_HOST_MAX + 1];

	message_folder(folder, a->from.host);
	if (!fleet_means_host(f, folder))
		return false;
	for (unsigned int i = 0; i < f->label_nr; i++)
		if (!answer_has_label(a, f->labels[i]))
			return false;
	return true;
}

/* Moves the recordings that are meant before the others. */
static void choose(const struct fleet *f, struct answers *all)
{
	size_t nr = 0;

	for (size_t i = 0; i < all->nr; i++) {
		const struct answer one = all->list[i];

		if (!is_meant(f, &one))
			continue;
		all->list[i] = all->list[nr];
		all->list[nr++] = one;
	}
	all->others = all->nr - nr;
	all->nr = nr;
}

static size_t count_hosts(const struct answers *all)
{
	size_t nr = 0;

	for (size_t i = 0; i < all->nr; i++)
		nr += !i || strcmp(all->list[i].from.host, all->list[i - 1].from.host) != 0;
	return nr;
}

static void tell_dropped(const struct answers *a)
{
	if (a->bad || a->repeats || a->too_many)
		complain_safely("ktrace fleet: dropped %llu messages that are no answers, %llu "
				"that came again, %llu for which there is no room", a->bad,
				a->repeats, a->too_many);
	if (a->late)
		complain_safely("ktrace fleet: the connection to the broker has ended: later "
				"answers are missing");
}

/* Return: the exit status of a list */
static int list(const struct fleet *f, const struct answers *all, size_t answered)
{
	int absent = 0;

	show_list(f, all);
	if (f->store)
		absent = show_absent(f, all);
	if (absent < 0)
		complain_about(f->store, "%s", strerror(-absent));
	else if (absent)
		complain_safely("ktrace fleet: %d host%s of the store did not answer: switched "
				"off, not recording, or cut off", absent, absent == 1 ? "" : "s");
	report_safely("ktrace fleet: %zu recording%s on %zu host%s answered within %llu ms%s; "
		      "there may be others: no answer proves nothing", all->nr,
		      all->nr == 1 ? "" : "s", count_hosts(all), count_hosts(all) == 1 ? "" : "s",
		      f->wait_ms, answered > all->nr ? ", of those that are meant" : "");
	return all->nr && absent >= 0 && !all->late && !all->too_many ? STATUS_OK
								       : STATUS_DAMAGED;
}

/* The recordings that have answered become those that are asked again. */
static void forget_texts(struct answers *all)
{
	for (size_t i = 0; i < all->nr; i++) {
		free(all->list[i].text);
		all->list[i].text = NULL;
	}
	all->bytes = 0;
}

/* Return: the exit status of a command */
static int command(const struct fleet *f, struct broker *b, struct answers *all)
{
	size_t silent = 0;
	bool is_done;

	if (!all->nr) {
		complain_safely("ktrace fleet: no recording that is meant has answered within %llu "
				"ms", f->wait_ms);
		return STATUS_DAMAGED;
	}
	forget_texts(all);
	is_done = answers_command(all, b, fleet_actions[f->action], f->value,
				  f->wait_ms + COMMAND_MS);
	is_done &= show_results(f, all);
	for (size_t i = 0; i < all->nr; i++)
		silent += !all->list[i].text;
	if (silent)
		complain_safely("ktrace fleet: %zu recording%s did not answer the command: whether "
				"it was done there is not known", silent, silent == 1 ? "" : "s");
	return is_done ? STATUS_OK : STATUS_DAMAGED;
}

static int serve(const struct fleet *f)
{
	struct answers all = { .list = NULL };
	struct broker b;
	int status = STATUS_DAMAGED;
	size_t answered;

	broker_init(&b, &f->options);
	b.is_once = true;
	if (broker_open(&b) && answers_ask(&all, &b, f->wait_ms)) {
		answers_sort(&all);
		answered = all.nr;
		choose(f, &all);
		status = f->action == FLEET_ACTION_NR ? list(f, &all, answered) :
			 command(f, &b, &all);
		tell_dropped(&all);
	}
	broker_disconnect(&b);
	nats_Close();
	answers_free(&all);
	return output_end(status);
}

static const char *set_wait(void *to, const char *text)
{
	return when_parse_wait(text, &((struct fleet *)to)->wait_ms) ? NULL :
	       "--wait: " NO_WAIT("1ms");
}

static const char *add_label(void *to, const char *text)
{
	struct fleet *f = to;

	if (!fleet_is_label(text) || f->label_nr == FLEET_LABEL_NR)
		return option_wrong("--label needs KEY=VALUE, at most %u times, not '%s'",
				    FLEET_LABEL_NR, text);
	f->labels[f->label_nr++] = text;
	return NULL;
}

#define MEMBER(member) OPTION_MEMBER(struct fleet, member)

static const struct option_row rows[] = {
	{ .help =
	  "Without ACTION: how recordings of ktraced --ship go, of all hosts that answer.\n"
	  "With it: what became of it in each. A recorder does only what its own options\n"
	  "allow (ktraced --ship-allow).\n"
	  "\n"
	  "  pause           record nothing from now on\n"
	  "  resume          record again, or start what began with ktraced --paused\n"
	  "  enable EVENTS   add to the list of -e\n"
	  "  disable EVENTS  remove from it\n"
	  "  rotate          end the current file, and begin the next one\n"
	  "  mark TEXT       write an event ktrace:mark with this text\n"
	  "  stop            end the recording\n"
	  "\n" },
	{ .name = "to", .value = "URL", .text = MEMBER(options.url),
	  .help = "the broker: nats://HOST:PORT, or tls://; several hosts\n"
		  "with commas; /NAME at the end: the stream (default:\n"
		  "ktrace)" },
	{ .name = "host", .value = "GLOB", .text = MEMBER(host),
	  .help = "only recordings of hosts with such a name" },
	{ .name = "label", .value = "KEY=VALUE", .set = add_label,
	  .help = "only those with this label (ktraced --label); with\n"
		  "several, those that have all" },
	{ .name = "wait", .value = "TIME", .set = set_wait,
	  .help = "take answers for TIME (default: 2s)" },
	{ .name = "store", .value = "DIR", .text = MEMBER(store),
	  .help = "also name hosts that have files in this folder of\n"
		  "ktrace store and do not answer" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ json_options, offsetof(struct fleet, is_json) },
	{ broker_options, offsetof(struct fleet, options) },
	{ NULL, 0 },
};

/* Takes the words; returns what is wrong with them, NULL = nothing. */
static const char *take_words(struct fleet *f, int nr, char **words)
{
	f->action = nr ? fleet_action_find(words[0], strlen(words[0])) : FLEET_ACTION_NR;
	if (nr && f->action == FLEET_ACTION_NR)
		return option_wrong("unknown action '%s'; actions are " FLEET_ACTIONS, words[0]);
	if (!nr)
		return NULL;
	if (nr != 1 + fleet_action_needs(f->action))
		return option_wrong(nr == 1 ? "%s needs a value" : "too many words after %s",
				    words[0]);
	f->value = words[1];
	if (f->value && !*f->value)
		return option_wrong("%s needs a value", words[0]);
	if (f->value && strlen(f->value) > COMMAND_MARK_MAX)
		return option_wrong("the value of %s is longer than %u bytes", words[0],
				    COMMAND_MARK_MAX);
	return NULL;
}

static const char *check(struct fleet *f, int nr, char **words)
{
	const char *wrong = f->options.url ? broker_wrong(&f->options) : "--to URL is missing";

	return wrong ? wrong : take_words(f, nr, words);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	static struct fleet f = { .wait_ms = WAIT_MS };
	int status = command_parse(cmd, &f, argc, argv);

	if (status < 0)
		status = command_check(cmd, check(&f, argc - optind, argv + optind));
	return status >= 0 ? status : serve(&f);
}

static const struct command cmd_fleet = {
	.name = "fleet",
	.args = "--to URL [OPTION...] [ACTION [TEXT]]",
	.summary = "Show how recordings of many hosts go, and control them",
	.options = sets,
	.run = run,
};

static int run_program(int argc, char **argv)
{
	return command_run(&cmd_fleet, argc, argv);
}

int main(int argc, char **argv)
{
	return command_main(run_program, argc, argv);
}
