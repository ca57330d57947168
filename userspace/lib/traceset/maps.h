/* SPDX-License-Identifier: LGPL-2.1 */
/* maps.h - which code processes had where, and when */
#ifndef KTRACE_TRACESET_MAPS_H
#define KTRACE_TRACESET_MAPS_H

#include <ktrace/traceset.h>
#include <stdbool.h>
#include <stddef.h>

/* MAP_OWN, MAP_PARENT: the process begins, with no known code or with that of @parent. */
enum map_kind { MAP_OWN, MAP_PARENT, MAP_CODE };

/**
 * struct map_fact - a line of META
 * @kind:	its kind
 * @pid:	the process
 * @parent:	its parent, for MAP_PARENT
 * @raw:	stamp
 * @nr:		number of the fact
 * @version:	what the process has from then on: a tree, see maps.c
 * @map:	for MAP_CODE; the fact owns its texts
 */
struct map_fact {
	enum map_kind kind;
	__u32 pid;
	__u32 parent;
	__u64 raw;
	__u64 nr;
	__u32 version;
	struct ktrace_map map;
};

/* struct map_node - the halves of a range of places; @has_begin: some known code begins in it */
struct map_node {
	__u32 half[2];
	bool has_begin;
};

/**
 * struct maps - facts
 * @facts:	ordered by process, stamp and number once they are queried
 * @nr:		how many
 * @cap:	how many there is room for
 * @is_ordered:	@facts are ordered, and the members below cover all of them
 * @error:	-ENOMEM: ordering @facts failed
 * @places:	addresses where code begins or ends, ascending
 * @place_nr:	how many
 * @nodes:	nodes of trees
 * @node_nr:	how many
 * @node_cap:	how many there is room for
 */
struct maps {
	struct map_fact *facts;
	size_t nr;
	size_t cap;
	bool is_ordered;
	int error;
	__u64 *places;
	size_t place_nr;
	struct map_node *nodes;
	size_t node_nr;
	size_t node_cap;
};

int ktrace_maps_text(struct map_fact *fact, const char *path, const char *build);
int ktrace_maps_add(struct maps *m, const struct map_fact *fact);
void ktrace_maps_free(struct maps *m);

#endif
