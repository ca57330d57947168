/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * internal.h - what the files of the session library share
 *
 *   orphans.c         sessions whose owner died: finds them, takes them over
 *   session.c         public functions; picks the back end; streams over all channels
 *   channel.c         one mapped channel and the readers of its rings
 *   registry.c        reads the registry of the user channel
 *   slots.c           reads its slots, and frees them
 *   selection.c       which user events are on
 *   port.c            one message to a live session, one answer
 *   attacher.c        wants programs that already run
 *   boards.c          tells programs that something has changed
 *   dismiss.c         lets programs leave a session that is over
 *   owner_liveness.c  tells traced programs that the owner is alive
 *   clock.c           which clock, and readings of all clocks
 *   backend_*.c       where channels come from
 */
#ifndef KTRACE_SESSION_INTERNAL_H
#define KTRACE_SESSION_INTERNAL_H

#include <ktrace/session.h>
#include <ktrace/session_exec.h>
#include "ring/ring.h"

/**
 * struct channel - one mapped channel
 * @map:	the mapping; NULL = no such channel
 * @map_size:	its bytes
 * @control:	private copy of the control page: the geometry that is used
 * @readers:	control.ring_nr readers
 */
struct channel {
	char *map;
	size_t map_size;
	struct ktrace_control control;
	struct kt_reader *readers;
};

static inline struct ktrace_control *channel_control(const struct channel *ch)
{
	return (struct ktrace_control *)ch->map;
}

int channel_take(struct channel *ch, char *map, size_t map_size);
/*
 * For signal handlers. channel_mend() puts an empty page in place of a lost one;
 * channel_reader_at() finds the ring that contains an address, NULL = none.
 */
bool channel_mend(const struct channel *ch, void *addr);
struct kt_reader *channel_reader_at(const struct channel *ch, const void *addr);
void channel_exit(struct channel *ch);
/*
 * Counts, or frees, thread rings whose owners are dead; map: a writable mapping of the whole
 * channel.
 */
__u32 channel_dead_owners(const struct channel *ch);
__u32 channel_free_dead(const struct channel *ch, char *map);

#define REGISTRY_PENDING 64
#define EVENT_NAME_MAX 255

/**
 * struct slots - how far the slots of the registry have been read
 * @base:	the first one
 * @nr:		number of them, 0 = none
 * @size:	bytes of each
 * @next:	next position
 * @freed:	the first one that is not free for its next use
 * @pending:	positions that were busy when reading went past them
 * @pending_nr:	how many
 * @dead:	slots that were given up, by any owner
 * @oldest:	the oldest of @pending
 * @oldest_ns:	since when it has been that, 0 = none
 * @is_damaged:	none is read any more
 */
struct slots {
	char *base;
	__u32 nr;
	__u32 size;
	__u64 next;
	__u64 freed;
	__u64 pending[REGISTRY_PENDING];
	__u32 pending_nr;
	__u32 dead;
	__u64 oldest;
	__u64 oldest_ns;
	bool is_damaged;
};

void registry_slots_init(struct slots *s, const struct channel *ch);
void registry_slots_fill(char *map, const struct ktrace_control *c);
int registry_slots_next(struct slots *s, const struct ktrace_entry **entry);
void registry_slots_free(struct slots *s);
__u32 registry_slots_unread(const struct slots *s);

/**
 * struct registry - how far the registry of the user channel has been read
 * @base:	its first byte, NULL = none
 * @size:	bytes
 * @off:	next entry
 * @pending:	entries that were claimed but not ready when reading went past them
 * @pending_nr:	how many
 * @is_damaged:	nothing after @off can be read
 * @slots:	entries that are in slots
 * @pids:	processes that made entries and are not known to be gone
 * @pid_nr:	how many
 * @pid_cap:	room in @pids
 * @known:	bit for each pid in @pids
 */
struct registry {
	const char *base;
	__u64 size;
	__u64 off;
	__u64 pending[REGISTRY_PENDING];
	__u32 pending_nr;
	bool is_damaged;
	struct slots slots;
	__u32 *pids;
	__u32 pid_nr;
	__u32 pid_cap;
	unsigned char *known;
};

int registry_init(struct registry *r, const struct channel *ch);
void registry_exit(struct registry *r);
int registry_next(struct registry *r, struct ktrace_entry_copy *entry);
__u32 registry_unfinished(const struct registry *r);
void registry_forget(struct registry *r, __u32 index);

/**
 * struct clock_base - what readings of the session's clock are based on
 * @clock:	enum ktrace_clock
 * @hz:		latest estimate of the frequency, 0 = to be measured
 * @first:	the first reading since the machine slept
 */
struct clock_base {
	__u32 clock;
	__u64 hz;
	struct ktrace_reading first;
};

__u32 clock_choose(void);
void clock_init(struct clock_base *base, __u32 clock, __u64 hz);
void clock_read(struct clock_base *base, struct ktrace_reading *r);

/* Shows in *word, which is in shared memory, that this process lives. */
struct keeper;
int owner_liveness_start(struct keeper **out, __u32 *word);
void owner_liveness_stop(struct keeper *k);

/* Upper limit of the numbers of CPUs that are present, online or not; see ktrace_cpu_limit(). */
__u32 cpus_present(void);

struct session_backend;

#define SESSION_OLD_MAX 64u

/**
 * struct ktrace_session - see <ktrace/session.h>
 * @backend:	where the channels come from
 * @kernel:	kernel channel
 * @user:	user channel
 * @kernel_error: why there is no kernel channel
 * @registry:	of the user channel
 * @clock:	readings
 * @reason:	why the other back end is not used
 * @env:	KTRACE_SESSION
 * @fd:		dev: the owner's descriptor; shm: the file; -1 = none
 * @dir:	shm: directory of the session
 * @registry_most: shm: bytes that the registry may grow to
 * @keeper:	shm: holds control.reader
 * @has_context: dev: contexts were asked for
 * @is_damaged:	a page of its memory was lost
 * @is_running:	between start and stop
 * @wanted:	user events that are on while the session runs
 * @names:	of user events, by id, NULL = not known; at most EVENT_NAME_MAX bytes of each
 * @old_nr:	number of @old_pids
 * @old_pids:	processes with a library that does not leave a session, see dismiss.c
 * @is_selected: ktrace_session_select() has been called: @filter decides on new events
 * @must_poke:	an event has been switched that programs have to be told of
 * @filter:	which events are on
 */
struct ktrace_session {
	const struct session_backend *backend;
	struct channel kernel;
	struct channel user;
	int kernel_error;
	struct registry registry;
	struct clock_base clock;
	char reason[KTRACE_REASON_SIZE];
	char env[96];
	int fd;
	char dir[64];
	__u64 registry_most;
	struct keeper *keeper;
	bool has_context;
	bool is_damaged;
	bool is_running;
	__u8 wanted[KTRACE_ID_ALL];
	char *names[KTRACE_ID_ALL];
	__u32 old_nr;
	__u32 old_pids[SESSION_OLD_MAX];
	bool is_selected;
	bool must_poke;
	char filter[KTRACE_FILTER_SIZE];
};

/**
 * struct session_backend - where the channels of a session come from
 * @name:	"dev", "shm"
 * @open:	make the channels, suspended, and s->env; on failure sets s->reason; @close frees
 *		everything
 * @close:	close the channels for all processes; accepts half-built sessions
 * @leave:	let go of the session as if the owner had died: it can be adopted
 * @list:	add stale sessions to the list from *@nr on, count all
 * @adopt:	take a stale session over, stopped for good; fails like @open
 * @discard:	remove a stale session without reading it
 * @set_running: start or stop
 * @enable:	switch a kernel event
 * @filter:	give a kernel event a filter
 * @tracepoint:	give one of the kernel's own tracepoints an id
 * @missed:	get how many of its hits have no record
 * @undecided:	get how many events have a record because a filter took too long
 * @follow:	add to the process-tree filter
 * @context:	set what is recorded with a kernel event
 * @counter:	add a performance counter
 * @stacks:	hand out stacks
 * @info:	fill in the numbers that only the back end knows
 * @reclaim:	take back rings of dead owners
 * @exec:	get the next program that a descendant executed; NULL: unknown to this back end
 * @dismiss:	let programs leave, by dismiss_all()
 * @holders:	count processes that still hold the buffers, up to a limit
 *
 * Those from @enable to @stacks are NULL in a back end without kernel channels.
 */
struct session_backend {
	const char *name;
	int (*open)(struct ktrace_session *s, const struct ktrace_session_options *opts);
	void (*close)(struct ktrace_session *s);
	void (*leave)(struct ktrace_session *s);
	void (*list)(struct ktrace_stale *list, size_t max, size_t *nr);
	int (*adopt)(struct ktrace_session *s, const struct ktrace_stale *which);
	int (*discard)(const struct ktrace_stale *which);
	int (*set_running)(struct ktrace_session *s, bool running);
	int (*enable)(struct ktrace_session *s, __u16 id, bool on);
	int (*filter)(struct ktrace_session *s, const struct ktrace_kernel_filter *filter);
	int (*tracepoint)(struct ktrace_session *s, __u32 number, __u16 *id);
	int (*missed)(struct ktrace_session *s, __u16 id, __u64 *missed);
	int (*undecided)(struct ktrace_session *s, __u64 *undecided);
	int (*follow)(struct ktrace_session *s, __s32 pid);
	int (*context)(struct ktrace_session *s, __u16 id, __u16 bits);
	int (*counter)(struct ktrace_session *s, __u32 type, __u64 config, __u32 *index);
	int (*stacks)(struct ktrace_session *s, struct ktrace_stacks *arg);
	int (*info)(struct ktrace_session *s, struct ktrace_session_info *info);
	int (*reclaim)(struct ktrace_session *s);
	int (*exec)(struct ktrace_session *s, struct ktrace_exec *next);
	int (*holders)(struct ktrace_session *s, __u32 limit, struct ktrace_holders *h);
	int (*dismiss)(struct ktrace_session *s);
};

extern const struct session_backend session_backend_dev;
extern const struct session_backend session_backend_shm;

/* Grows the registry if that is allowed and it will soon be full. */
void shm_grow_registry(struct ktrace_session *s);

/* dismiss.c: about a PROCESS entry; @map: a writable mapping of the whole user channel */
void dismiss_learn(struct ktrace_session *s, const struct ktrace_entry_copy *entry);
int dismiss_all(struct ktrace_session *s, char *map);

/* Returns an empty session, or NULL. */
struct ktrace_session *session_alloc(void);

/* Sets the enable byte of a user event, or of all, from s->wanted and s->is_running. */
bool session_show_event(struct ktrace_session *s, __u32 id);

/* Makes programs of this user, for root of all users, look at what has changed: boards.c */
struct ktrace_board_slot;
void boards_poke(void);
void boards_poke_slot(struct ktrace_board_slot *slot);
void session_show_events(struct ktrace_session *s);

bool selection_starts_on(__u32 id);
/* selection_learn() adds an event that has become known; selection_exit() forgets all. */
void selection_learn(struct ktrace_session *s, const struct ktrace_entry_copy *entry);
void selection_exit(struct ktrace_session *s);

/* Writes the reason of a failure, for people, and returns @error. */
__attribute__((format(printf, 3, 4)))
int session_fail(struct ktrace_session *s, int error, const char *format, ...);

/* Writes the initial filter of a new user channel. */
void session_fill_user(char *map, const struct ktrace_control *c, const char *filter);

#endif
