# SPDX-License-Identifier: GPL-2.0
# ktrace. `make help` lists the targets.

VERSION  := 0.1.0
SOVERSION := 0
# As for the kernel's build: the processor to compile for, and the prefix of its compiler. The libraries of
# another processor than the machine's own are in SYSROOT, which scripts/deps cross makes.
HOST_ARCH := $(patsubst aarch64,arm64,$(shell uname -m))
ARCH     ?= $(HOST_ARCH)
override ARCH := $(patsubst x86,x86_64,$(patsubst aarch64,arm64,$(patsubst riscv,riscv64,$(ARCH))))
TRIPLET  := $(patsubst arm64,aarch64,$(ARCH))-linux-gnu
ifeq ($(ARCH),$(HOST_ARCH))
BUILD    ?= build
PLAIN_CC := gcc
PLAIN_CXX := g++
else
IS_CROSS := 1
BUILD    ?= build/$(ARCH)
CROSS_COMPILE ?= $(TRIPLET)-
SYSROOT  ?= $(shell scripts/sysroot --name $(ARCH))
ifeq ($(SYSROOT),)
$(error ARCH=$(ARCH): known are arm64 and riscv64, on $(HOST_ARCH))
endif
# The C library beside the others may be newer than the cross compiler's own, which it must precede.
CROSS_FLAGS := --sysroot=$(SYSROOT) -L$(SYSROOT)/usr/lib/$(TRIPLET)
PLAIN_CC := $(CROSS_COMPILE)gcc $(CROSS_FLAGS)
PLAIN_CXX := $(CROSS_COMPILE)g++ $(CROSS_FLAGS)
CC       := $(PLAIN_CC)
CXX      := $(PLAIN_CXX)
AR       := $(CROSS_COMPILE)ar
PKG_CONFIG := PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/$(TRIPLET)/pkgconfig pkg-config
endif
PKG_CONFIG ?= pkg-config
PREFIX   ?= /usr/local
LIBDIR   ?= $(PREFIX)/lib
KDIR     ?= /lib/modules/$(shell uname -r)/build
CFLAGS   ?= -O2 -g
V        ?= 0
Q        := $(if $(filter 1,$(V)),,@)
say       = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' $(1) $(2))

# Blocks of a tracefile can be compressed; the kernel describes its events in its own way.
TRACESET_LIBS := -lzstd -lm

comma := ,
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif

WARN    := -Wall -Wextra -Wshadow -Wvla -Wmissing-prototypes $(if $(WERROR),-Werror)
INCLUDE := -Iuapi -Iuserspace/include -Iuserspace/lib
# Reproducible: the same bytes in any build folder.
STD     := -std=gnu11 -D_GNU_SOURCE -DKTRACE_VERSION='"$(VERSION)"' -pthread -MMD -MP \
	   -ffile-prefix-map=$(CURDIR)=.

.DEFAULT_GOAL := all
.PHONY: all lib tools module examples logevent shark_kernel bench-programs progs posix-suite help

# Sources of each target. A new file in one of these folders is found by its name.
ring_src     := $(wildcard module/ring/*.c)
writer_src   := $(ring_src) module/match/glob.c userspace/lib/base/glob_list.c \
		$(wildcard userspace/lib/writer/*.c)
pthread_src  := $(wildcard userspace/lib/pthread/*.c)
traceset_rooms := base session tracefile live decode traceset filter state sync
traceset_src := $(ring_src) $(wildcard $(traceset_rooms:%=userspace/lib/%/*.c)) module/match/glob.c module/match/filter_vm.c \
		userspace/lib/shark/packet.c
# Models that the viewer and SQL share
model_src    := $(wildcard userspace/lib/model/*.c) userspace/lib/base/hash_table.c
# SQL over a traceset, for ktrace sql and Python; its header is not installed
sql_src      := $(wildcard userspace/lib/sql/*.c) $(model_src)
# The S.Ha.R.K. tracer for programs; the module has the same core.
shark_src    := $(wildcard module/shark/*.c userspace/lib/shark/*.c) userspace/lib/session/clock.c
# Producers, consumers, sessions: ktraced --service
service_src  := $(wildcard userspace/daemon/service/*.c userspace/daemon/service/*/*.c)
# A producer's writers, for tests of the service
service_writer_src := $(wildcard tests/unit/pft_writer/*.c)
posix_rooms  := base registry stream log api
posix_src    := $(wildcard $(posix_rooms:%=userspace/lib/posix/%/*.c)) userspace/lib/posix/keeper/client.c
# Metrics of ktraced and ktrace store
metrics_src  := $(wildcard userspace/lib/metrics/*.c)
daemon_rooms := base clocks events context shark output
daemon_src   := $(wildcard userspace/daemon/*.c $(daemon_rooms:%=userspace/daemon/%/*.c)) $(service_src) userspace/lib/base/disk_room.c \
		userspace/lib/base/option_table.c userspace/lib/base/unused_registries.c $(metrics_src)
service_libs := -lprotobuf-c -lpcre2-8 -lzstd -lz
# Protobuf messages as text
pbtxt_src    := $(wildcard userspace/proto/*.c)
viewer_rooms := base symbols events analysis pthread html export import import/perf commands
viewer_src   := userspace/viewer/main.c $(wildcard $(viewer_rooms:%=userspace/viewer/%/*.c)) $(model_src) \
		userspace/lib/base/option_table.c userspace/lib/base/output_file.c \
		userspace/lib/base/disk_room.c userspace/lib/base/unused_registries.c
# Pages that ktrace help shows, in the folder where it looks for them
pages        := $(wildcard Documentation/man/ktrace*.1)
# Commands with libraries that no other command needs are separate programs; apart_dir is the folder of each.
apart        := export-perfetto export-sqlite fleet import-chrome import-ctf import-perfetto import-systrace \
		import-trace-dat load serve session ship sql store tui
apart_dir     = userspace/viewer/$(if $(filter serve,$(1)),html/serve,$(if $(filter \
		fleet load ship store,$(1)),fleet/$(1),$(subst export-,export/,$(subst import-,import/,$(1)))))
tui_libs     := -lncursesw -ltinfo
serve_libs   := -lmicrohttpd -lz
fleet_libs   := -lnats
ship_libs    := -lnats
store_libs   := -lnats
sql_libs     := -lsqlite3 -ledit -lm -lcurl
load_libs    := -lsqlite3 -lm -lcurl
example_src  := $(filter-out examples/logevent/% examples/shark_kernel/% examples/chunks/% examples/posix/% examples/readers/% examples/supervisor/%,\
		$(wildcard examples/*/*.c))
# Folders hold programs for benchmarks that are scripts.
bench_parts  := bench/event/variants.c bench/event/owner.c bench/event/chunk.c bench/event/posix.c \
		bench/lttng/lttng_events.c
bench_src    := $(filter-out $(bench_parts) bench/module/%,$(wildcard bench/*.c bench/*/*.c))
prog_src     := $(wildcard tests/progs/*.c)
spec_src     := $(wildcard tests/spec/*.c)
pthread_progs := calls leave mutexes stack smallest confined contended shared kinds steady states measured unjoined orderly renamed locks abba cancel unwind processes signals versions cxx openmp \
		asan static malloc plugin.so hook.so
unit_src     := $(wildcard tests/unit/test_*.c)

libs     := $(BUILD)/lib/libktrace.so $(BUILD)/lib/libktrace.a $(BUILD)/lib/libktrace-pthread.so \
	    $(BUILD)/lib/libktraceset.so $(BUILD)/lib/libktraceset.a $(BUILD)/lib/libktracesql.so \
	    $(BUILD)/lib/libktrace-shark.so $(BUILD)/lib/libktrace-shark.a \
	    $(BUILD)/lib/libktrace-posix.so $(BUILD)/lib/libktrace-posix.a
posix_examples := $(patsubst examples/posix/%.c,$(BUILD)/examples/%,$(wildcard examples/posix/*.c))
examples := $(BUILD)/examples/chunks $(BUILD)/examples/readers $(BUILD)/examples/supervisor $(posix_examples) $(foreach s,$(example_src),$(BUILD)/examples/$(notdir $(s:.c=)))
benches  := $(foreach s,$(bench_src),$(BUILD)/bench/$(notdir $(s:.c=)))
preloaded := $(addprefix $(BUILD)/progs/,bad_disk.so bad_library.so emulated.so record_ioctls.so skewed_clock.so slow_library.so)
progs    := $(patsubst tests/progs/%.c,$(BUILD)/progs/%,$(prog_src)) \
	    $(patsubst tests/spec/%.c,$(BUILD)/progs/spec_%,$(spec_src)) $(preloaded) \
	    $(addprefix $(BUILD)/progs/pthread_,$(pthread_progs))
shark_progs := $(patsubst tests/progs/shark/%.c,$(BUILD)/progs/shark_%,$(wildcard tests/progs/shark/*.c))
posix_progs := $(patsubst tests/progs/posix/%.c,$(BUILD)/progs/posix_%,$(wildcard tests/progs/posix/*.c))
progs    += $(shark_progs) $(posix_progs) $(BUILD)/progs/html_turns
steps    := $(patsubst tests/%.c,$(BUILD)/%,$(wildcard tests/singlestep/step_*.c))
units    := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(unit_src))

all: lib tools examples logevent shark_kernel
lib: $(libs)
helped := $(BUILD)/bin/ktraced $(BUILD)/bin/ktrace $(apart:%=$(BUILD)/libexec/ktrace/%)
tools: $(helped) $(BUILD)/libexec/ktrace/posix-keeper $(BUILD)/libexec/ktrace/mark $(pages:Documentation/man/%=$(BUILD)/share/man/man1/%)
examples: $(examples)
# bench-programs: also the programs that benchmarks start
bench-programs: lib tools $(benches) $(addprefix $(BUILD)/progs/,pace flood mkhosts)
progs: $(progs) posix-suite
# The conformance suite for <trace.h> uses only the header and the library.
posix-suite: $(BUILD)/lib/libktrace-posix.so
	$(call say,MAKE,tests/posix)
	$(Q)LIBS='-L$(abspath $(BUILD))/lib -Wl,-rpath,\$$$$ORIGIN/../lib -lktrace-posix' \
		$(MAKE) -s -C tests/posix OUT=$(abspath $(BUILD))/posix CC='$(CC)' WERROR=$(WERROR) \
		CPPFLAGS=-I$(CURDIR)/userspace/include

# Tests inspect the stacks of these programs.
$(addprefix $(BUILD)/obj/tests/progs/,chain.o blocks.o): STD += -fno-omit-frame-pointer -fno-optimize-sibling-calls
# This one signs return addresses where the processor can do so.
$(BUILD)/obj/tests/progs/chain.o: STD += $(if $(filter arm64,$(ARCH)),-mbranch-protection=standard)

# Objects: obj/ for programs and archives, pic/ for shared libraries, asan/ for unit tests.
$(BUILD)/obj/module/% $(BUILD)/obj/userspace/lib/%: INCLUDE += -Imodule
$(BUILD)/pic/%: INCLUDE += -Imodule
$(foreach d,obj tsan fuzz/obj,$(BUILD)/$(d)/userspace/viewer/%): INCLUDE += -Iuserspace/viewer
$(BUILD)/obj/userspace/viewer/%: INCLUDE += -I$(BUILD)/include

# The page that ktrace html writes: page.html with the lines @STYLE@ and @SCRIPT@ replaced by its parts
page_src := $(sort $(wildcard userspace/viewer/html/page/*.js))
html_page := $(BUILD)/include/page.html
$(html_page): userspace/viewer/html/page/page.html userspace/viewer/html/page/page.css $(page_src)
	$(call say,JOIN,$@)
	@mkdir -p $(@D)
	$(Q)sed -e '/^@STYLE@$$/{r userspace/viewer/html/page/page.css' -e 'd}' \
		$(foreach s,$(page_src),-e '/^@SCRIPT@$$/r $(s)') -e '/^@SCRIPT@$$/d' $< >$@.tmp
	$(Q)mv $@.tmp $@
page_objects := $(foreach d,obj tsan fuzz/obj,$(BUILD)/$(d)/userspace/viewer/html/html_page.o)
$(page_objects): $(html_page)
$(page_objects): STD += -DHTML_PAGE='"$(html_page)"'

# Loading two freshly stored members of an event as one vector would be slow.
$(BUILD)/obj/userspace/lib/traceset/iterate.o $(BUILD)/pic/userspace/lib/traceset/iterate.o: \
		STD += -fno-tree-slp-vectorize

$(BUILD)/obj/%.o: %.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(WARN) $(CFLAGS) $(INCLUDE) -c $< -o $@

$(BUILD)/pic/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(WARN) $(CFLAGS) $(INCLUDE) -fPIC -fvisibility=hidden -c $< -o $@

$(BUILD)/lib/%.a:
	$(call say,AR,$@)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^
$(BUILD)/lib/libktrace.a: $(writer_src:%.c=$(BUILD)/obj/%.o)
$(BUILD)/lib/libktraceset.a: $(traceset_src:%.c=$(BUILD)/obj/%.o)
$(BUILD)/lib/libktrace-shark.a: $(shark_src:%.c=$(BUILD)/obj/%.o)
$(BUILD)/lib/libktracesql.a: $(sql_src:%.c=$(BUILD)/obj/%.o)
$(BUILD)/lib/libktrace-posix.a: $(posix_src:%.c=$(BUILD)/obj/%.o)

$(BUILD)/lib/%.so:
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -pthread $(LDFLAGS) -Wl,-soname,$(@F).$(SOVERSION) -Wl,-z,defs -Wl,-z,relro \
		-Wl,--version-script=$(filter %.map,$^) $(filter %.o,$^) $(LIBS) -o $@
	@ln -sf $(@F) $@.$(SOVERSION)
$(BUILD)/lib/libktrace.so: $(writer_src:%.c=$(BUILD)/pic/%.o) userspace/lib/libktrace.map
# nodelete: threads have a destructor in the library, so it stays when the plug-in that needed it is unloaded.
# now: lazy binding would need a kilobyte of a signal handler's stack.
# sort-section: see SYSTEM_LATE. noseparate-code: each program that starts maps and touches less.
$(BUILD)/lib/libktrace.so: LDFLAGS += -Wl,-z,nodelete -Wl,-z,now -Wl,-z,noseparate-code -Wl,--sort-section=name
# Is preloaded, so finds libktrace beside itself. Exceptions and cancellations unwind through it.
$(BUILD)/lib/libktrace-pthread.so: $(pthread_src:%.c=$(BUILD)/pic/%.o) \
		userspace/lib/libktrace-pthread.map | $(BUILD)/lib/libktrace.so
$(BUILD)/lib/libktrace-pthread.so: LDFLAGS += -Wl,-z,nodelete -Wl,-z,now -Wl,-z,noseparate-code \
		-L$(BUILD)/lib -Wl,--no-as-needed -lktrace -Wl,-z,start-stop-visibility=hidden \
		-Wl,-rpath,'$$ORIGIN'
# Both for 32-bit programs, if the compiler supports them: Debian's gcc-VERSION-multilib. Headers of the
# kernel lack a link to them that only gcc-multilib has, which excludes compilers for other processors.
SYSTEM_HEADERS := -idirafter /usr/include/$(shell gcc -print-multiarch)
.PHONY: lib32
lib32:		## libktrace for --pthread of 32-bit programs; install then installs it, too
	$(Q)$(MAKE) CC='$(CC) -m32 $(SYSTEM_HEADERS)' BUILD=$(BUILD)/32 $(addprefix $(BUILD)/32/lib/,libktrace.so libktrace-pthread.so)
$(BUILD)/pic/userspace/lib/pthread/%: STD += -fexceptions
# With exceptions, pthread_cleanup_push() would be the compiler's clean-up code: see there.
$(BUILD)/pic/userspace/lib/pthread/thread.o: STD += -fno-exceptions
# nodelete: it runs code when the process forks, and has thread-local memory.
$(BUILD)/lib/libktrace-shark.so: $(shark_src:%.c=$(BUILD)/pic/%.o) userspace/lib/libktrace-shark.map \
		| $(BUILD)/lib/libktrace.so
$(BUILD)/lib/libktrace-shark.so: LDFLAGS += -Wl,-z,nodelete -Wl,-z,now
$(BUILD)/lib/libktrace-shark.so: LIBS := -L$(BUILD)/lib -Wl,-rpath,'$$ORIGIN' -lktrace $(TRACESET_LIBS)
# Functions of <trace.h>: recording by libktrace, streams and logs by libktraceset.
$(BUILD)/lib/libktrace-posix.so: $(posix_src:%.c=$(BUILD)/pic/%.o) userspace/lib/libktrace-posix.map \
		| $(BUILD)/lib/libktrace.so $(BUILD)/lib/libktraceset.so
$(BUILD)/lib/libktrace-posix.so: LDFLAGS += -Wl,-z,nodelete -Wl,-z,now
$(BUILD)/lib/libktrace-posix.so: LIBS := -L$(BUILD)/lib -Wl,-rpath,'$$ORIGIN' -lktrace -lktraceset -ldl
$(BUILD)/lib/libktraceset.so: $(traceset_src:%.c=$(BUILD)/pic/%.o) userspace/lib/libktraceset.map
# Lets its functions call each other directly: listings call very short functions.
$(BUILD)/lib/libktraceset.so: LDFLAGS += -Wl,-Bsymbolic-functions
$(BUILD)/lib/libktraceset.so: LIBS := $(TRACESET_LIBS)

$(BUILD)/lib/libktracesql.so: $(sql_src:%.c=$(BUILD)/pic/%.o) userspace/lib/libktracesql.map \
		| $(BUILD)/lib/libktraceset.so
# Installed in a folder below that of the other libraries
$(BUILD)/lib/libktracesql.so: LIBS := -L$(BUILD)/lib -Wl,-rpath,'$$ORIGIN:$$ORIGIN/..' -lktraceset -lsqlite3 -lm

# Programs of the build folder find their libraries beside them.
LINK = $(Q)$(CC) -pthread $(LDFLAGS) $(filter %.o,$^) -L$(BUILD)/lib -Wl,-rpath,'$$ORIGIN/../lib'

$(BUILD)/bin/ktraced: $(daemon_src:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/service.pb-c.o \
		$(BUILD)/obj/perfetto.pb-c.o $(BUILD)/lib/libktraceset.so
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(LINK) -lktraceset -lbpf -lelf -ldl -lzstd $(service_libs) -o $@
$(BUILD)/bin/ktrace: $(viewer_src:%.c=$(BUILD)/obj/%.o) $(BUILD)/lib/libktraceset.so
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(LINK) -lktraceset -ldw -lelf -lm -lz -lzstd -llzma -o $@

# What the viewer's programs share with ktrace: everything except its table of commands
$(BUILD)/lib/viewer.a: $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out %/main.c,$(viewer_src)))
export-sqlite_libs = -lsqlite3
export-perfetto_libs = -lprotobuf-c
import-perfetto_libs := -lprotobuf-c
session_libs := -lprotobuf-c -lz -lzstd
import-ctf_libs := -ljansson
import-trace-dat_libs := -ltraceevent -lz
$(BUILD)/obj/userspace/viewer/import/trace-dat/%: INCLUDE += \
		$(shell $(PKG_CONFIG) --cflags libtraceevent 2>/dev/null)
define apart_program
$(BUILD)/libexec/ktrace/$(1): $(patsubst %.c,$(BUILD)/obj/%.o,\
		$(wildcard $(apart_dir)/*.c)) \
		$(BUILD)/lib/viewer.a $(BUILD)/lib/libktraceset.so
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) -pthread $$(LDFLAGS) $$(filter %.o,$$^) $$(filter %.a,$$^) -L$(BUILD)/lib \
		-Wl,-rpath,'$$$$ORIGIN/../../lib' $($(1)_libs) -lktraceset -ldw -lelf -lm -lz -lzstd -llzma -o $$@
endef
$(foreach p,$(apart),$(eval $(call apart_program,$(p))))

$(BUILD)/libexec/ktrace/load $(BUILD)/libexec/ktrace/sql: $(BUILD)/lib/libktracesql.a \
		$(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard userspace/viewer/clickhouse/*.c))
$(BUILD)/libexec/ktrace/load: $(BUILD)/obj/userspace/viewer/fleet/message.o
$(BUILD)/libexec/ktrace/store: $(metrics_src:%.c=$(BUILD)/obj/%.o)
# They know the broker and its messages.
$(foreach p,fleet ship store,$(BUILD)/libexec/ktrace/$(p)): $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard \
		userspace/viewer/fleet/*.c))

# What a server of pages has meanwhile
$(BUILD)/obj/tests/progs/html/%: INCLUDE += -Iuserspace/viewer
$(BUILD)/progs/html_turns: $(BUILD)/obj/tests/progs/html/turns.o $(BUILD)/lib/viewer.a \
		$(BUILD)/lib/libktraceset.so
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -pthread $(LDFLAGS) $(filter %.o %.a,$^) -L$(BUILD)/lib -Wl,-rpath,'$$ORIGIN/../lib' \
		-lktraceset -ldw -lelf -lm -lz -lzstd -llzma -o $@

# Messages of other tools
$(BUILD)/include/%.pb-c.c $(BUILD)/include/%.pb-c.h: userspace/proto/%.proto
	@mkdir -p $(@D)
	$(Q)protoc-c --proto_path=userspace/proto --c_out=$(BUILD)/include $<
$(BUILD)/obj/%.pb-c.o: $(BUILD)/include/%.pb-c.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(CFLAGS) $(INCLUDE) -c $< -o $@
$(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard userspace/viewer/*/perfetto/*.c)): \
		| $(BUILD)/include/perfetto.pb-c.h
$(BUILD)/libexec/ktrace/export-perfetto $(BUILD)/libexec/ktrace/import-perfetto: \
		$(BUILD)/obj/perfetto.pb-c.o
# A trace of Chrome's format may contain text of the kernel's.
$(BUILD)/libexec/ktrace/import-chrome: $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out %/main.c,$(wildcard \
		userspace/viewer/import/systrace/*.c)))
# Descriptions of packets, which schema.c has in it
packets_schema := $(BUILD)/include/perfetto_packets.ds
$(packets_schema): userspace/proto/perfetto_packets.proto
	@mkdir -p $(@D)
	$(Q)protoc-c --proto_path=userspace/proto --descriptor_set_out=$@ $<
schema_objects := $(foreach d,obj asan tsan fuzz/obj,$(BUILD)/$(d)/userspace/viewer/import/perfetto/schema.o)
$(schema_objects): $(packets_schema)
$(schema_objects): STD += -DPACKETS_SCHEMA='"$(packets_schema)"'
# A session's packets become a tracefile as those of a file do.
$(BUILD)/libexec/ktrace/session: $(BUILD)/obj/perfetto.pb-c.o $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out \
		%/main.c,$(wildcard userspace/viewer/import/perfetto/*.c)))
$(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard userspace/viewer/session/*.c)): \
		| $(BUILD)/include/perfetto.pb-c.h
# Those of the service, with some of the packets': what includes them is compiled after they were made.
$(BUILD)/include/service.pb-c.h $(BUILD)/include/service.pb-c.c: | $(BUILD)/include/perfetto.pb-c.h
service_users := $(service_src) $(service_writer_src) $(wildcard userspace/viewer/session/*.c)
$(foreach d,obj asan tsan plain fuzz/obj,$(service_users:%.c=$(BUILD)/$(d)/%.o)) \
$(foreach d,asan tsan plain fuzz/obj,$(patsubst %.c,$(BUILD)/$(d)/%.o,$(wildcard tests/unit/test_pft_*.c \
		tests/fuzz/fuzz_pft_*.c))): | $(BUILD)/include/service.pb-c.h
$(BUILD)/obj/userspace/daemon/%: INCLUDE += -Iuserspace/daemon -I$(BUILD)/include
$(BUILD)/obj/bench/service.o: INCLUDE += -Iuserspace/daemon
$(BUILD)/bench/service: $(patsubst %,$(BUILD)/obj/userspace/daemon/service/%.o,ipc/wire $(addprefix buffer/,trace_buffer \
		trace_buffer_copy trace_buffer_read trace_buffer_ring fragment sequence shmem shmem_page))
$(BUILD)/libexec/ktrace/session: $(pbtxt_src:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/service.pb-c.o
$(BUILD)/obj/userspace/viewer/session/%: INCLUDE += -Iuserspace/proto -I$(BUILD)/include

# It has a stream and its log, and outlives the program that made them: posix/keeper/main.c
$(BUILD)/libexec/ktrace/posix-keeper: $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out $(posix_src),\
		$(wildcard userspace/lib/posix/keeper/*.c))) $(BUILD)/lib/libktrace-posix.a \
		$(BUILD)/lib/libktraceset.so $(BUILD)/lib/libktrace.so
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -pthread $(LDFLAGS) $(filter %.o %.a,$^) -L$(BUILD)/lib \
		-Wl,-rpath,'$$ORIGIN/../../lib' -lktraceset -lktrace -o $@

# Takes part in a recording, for ktrace control
$(BUILD)/libexec/ktrace/mark: $(BUILD)/obj/userspace/viewer/mark/main.o $(BUILD)/lib/libktrace.so
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -pthread $(LDFLAGS) $(filter %.o,$^) -L$(BUILD)/lib -Wl,-rpath,'$$ORIGIN/../../lib' -lktrace -o $@

define program
$(BUILD)/$(1)/$(notdir $(2:.c=)): $(BUILD)/obj/$(2:.c=.o) $(BUILD)/lib/$(3)
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(LINK) $(4) -ldl -o $$@
endef
$(foreach s,$(example_src),$(eval $(call program,examples,$(s),libktrace.so,-lktrace)))
$(foreach s,readers supervisor,$(eval $(call program,examples,examples/$(s)/$(s).c,libktraceset.so,-lktraceset)))
$(foreach s,$(bench_src) $(prog_src),$(eval $(call program,$(if $(filter bench/%,$(s)),bench,progs),$(s),libktrace.so $(BUILD)/lib/libktraceset.a $(BUILD)/lib/libktrace.a,$(BUILD)/lib/libktraceset.a -lktrace $(TRACESET_LIBS))))
$(benches) $(progs): INCLUDE += -Imodule
$(BUILD)/bench/event_cost: $(BUILD)/obj/bench/event/variants.o $(BUILD)/obj/bench/event/owner.o \
	$(BUILD)/obj/bench/event/chunk.o $(BUILD)/obj/bench/event/posix.o \
	$(BUILD)/lib/libktrace-shark.so $(BUILD)/lib/libktrace-posix.so
# private: what it is made of is linked without.
$(BUILD)/bench/event_cost: private LDFLAGS += -L$(BUILD)/lib -Wl,--no-as-needed -lktrace-shark -lktrace-posix

# The peer LTTng-UST, where its headers are.
ifeq ($(shell $(PKG_CONFIG) --exists lttng-ust 2>/dev/null && echo yes),yes)
bench-programs: $(BUILD)/bench/lttng_events.so
$(BUILD)/bench/lttng_events.so: bench/lttng/lttng_events.c bench/lttng/bench_tp.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(WARN) $(CFLAGS) -MF $(BUILD)/obj/lttng_events.d -fPIC -shared \
		-Ibench/lttng $< -o $@ $(shell $(PKG_CONFIG) --cflags --libs lttng-ust)
endif

$(BUILD)/examples/chunks: $(BUILD)/obj/examples/chunks/chunks.o
$(shark_progs): $(BUILD)/progs/shark_%: $(BUILD)/obj/tests/progs/shark/%.o
$(BUILD)/examples/chunks $(shark_progs): $(BUILD)/lib/libktrace-shark.so
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(LINK) -lktrace-shark -lktrace $(TRACESET_LIBS) -o $@

$(BUILD)/progs/mkhosts $(BUILD)/progs/split_hosts: $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/progs/hosts/*.c))
# By the functions that a keeper of streams has.
$(BUILD)/progs/mklog: $(patsubst %.c,$(BUILD)/obj/%.o,userspace/lib/posix/base/attr.c \
	userspace/lib/posix/base/eventset.c $(wildcard userspace/lib/posix/log/*.c))

$(posix_examples): $(BUILD)/examples/%: $(BUILD)/obj/examples/posix/%.o
$(posix_progs): $(BUILD)/progs/posix_%: $(BUILD)/obj/tests/progs/posix/%.o
$(posix_examples) $(posix_progs): $(BUILD)/lib/libktrace-posix.so
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(LINK) -lktrace-posix -lktrace -lktraceset -o $@

# From the uapi headers alone, whatever INCLUDE says.
$(BUILD)/progs/spec_%: tests/spec/%.c $(wildcard uapi/linux/*.h)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -pthread $(WARN) $(CFLAGS) -Iuapi $< -o $@

# Programs of other kinds, with a libktrace of theirs: of 32 bits, and of musl, to which Debian
# gives no headers of Linux.
define other_kind
$(BUILD)/$(1)/%.o: INCLUDE += -Imodule
$(BUILD)/$(1)/%.o: %.c
	@mkdir -p $$(@D)
	$$(Q)$(2) $$(STD) $$(WARN) $$(CFLAGS) $$(INCLUDE) -fPIC -fvisibility=hidden -c $$< -o $$@
$(BUILD)/$(1)/libktrace.a: $(writer_src:%.c=$(BUILD)/$(1)/%.o)
	@rm -f $$@
	$$(Q)$$(AR) rcs $$@ $$^
$(BUILD)/$(1)/libktrace.so: $(writer_src:%.c=$(BUILD)/$(1)/%.o) userspace/lib/libktrace.map
	$$(Q)$(2) -shared -pthread -Wl,-soname,$$(@F) -Wl,-z,defs,-z,nodelete,-z,now \
		-Wl,--version-script=$$(filter %.map,$$^) $$(filter %.o,$$^) -o $$@
$(BUILD)/$(1)/user_flood $(BUILD)/$(1)/user_flood-static: tests/progs/user_flood.c
$(BUILD)/$(1)/every $(BUILD)/$(1)/every-static: tests/progs/user/every.c tests/progs/user/elsewhere.c
$(BUILD)/$(1)/user_flood $(BUILD)/$(1)/every: $(BUILD)/$(1)/libktrace.so
	$$(call say,CC,$$@)
	$$(Q)$(2) $$(STD) $$(CFLAGS) $$(INCLUDE) -MF $$@.d $$(filter %.c,$$^) $$(filter %.so,$$^) \
		-Wl,-rpath,'$$$$ORIGIN' -o $$@
$(BUILD)/$(1)/user_flood-static $(BUILD)/$(1)/every-static: $(BUILD)/$(1)/libktrace.a
	$$(call say,CC,$$@)
	$$(Q)$(2) $$(STD) $$(CFLAGS) $$(INCLUDE) -MF $$@.d -static $$(filter %.c,$$^) $$(filter %.a,$$^) -o $$@
progs: $(foreach p,user_flood every,$(BUILD)/$(1)/$(p) $(BUILD)/$(1)/$(p)-static)
endef
ifeq ($(ARCH),x86_64)
$(eval $(call other_kind,m32,gcc -m32 $(SYSTEM_HEADERS)))
endif
ifndef IS_CROSS
$(eval $(call other_kind,musl,musl-gcc -idirafter /usr/include $(SYSTEM_HEADERS)))
endif

# Programs that know nothing of ktrace, built as others are; always by gcc, whose OpenMP and
# sanitizer come with it.
PLAIN := -std=gnu11 -D_GNU_SOURCE -pthread
$(BUILD)/progs/pthread_%: tests/progs/pthread/%.c tests/progs/pthread/common.h
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(PLAIN_CC) $(PLAIN) $(WARN) $(CFLAGS) $< $(EXTRA) -o $@ -ldl
$(BUILD)/progs/pthread_%.so: tests/progs/pthread/%.c tests/progs/pthread/common.h
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(PLAIN_CC) $(PLAIN) $(WARN) $(CFLAGS) -fPIC -shared $< -o $@
$(BUILD)/progs/pthread_cxx: tests/progs/pthread/cxx.cc
	$(call say,CXX,$@)
	@mkdir -p $(@D)
	$(Q)$(PLAIN_CXX) -std=c++17 -Wall -Wextra $(if $(WERROR),-Werror) $(CFLAGS) -pthread $< -o $@
$(BUILD)/progs/pthread_openmp: EXTRA = -fopenmp
$(BUILD)/progs/pthread_unwind: EXTRA = -fexceptions
$(BUILD)/progs/pthread_asan $(BUILD)/progs/pthread_static: tests/progs/pthread/contended.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(PLAIN_CC) $(PLAIN) $(WARN) $(CFLAGS) $< \
		$(if $(filter %asan,$@),-fsanitize=address,-static) -o $@

# Calls of the other tables of an x86 kernel: of a 32-bit program, which has no C library, and of a
# 64-bit one whose addresses have 32 bits.
$(BUILD)/progs/calls_i386: tests/progs/user/calls_i386.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)gcc -m32 $(SYSTEM_HEADERS) -O1 -static -nostdlib -fno-pic -no-pie -fno-stack-protector $< -o $@
$(BUILD)/progs/calls_mixed: tests/progs/user/calls_mixed.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)gcc $(PLAIN) $(WARN) -O1 -static -no-pie $< -o $@
# Those of /dev/ktrace, as 32-bit programs of the same kernel.
m32_progs := $(addprefix $(BUILD)/m32/,dev_ioctl dev_keep dev_mmap dev_mutate)
$(m32_progs): $(BUILD)/m32/%: tests/progs/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)gcc -m32 $(SYSTEM_HEADERS) -D_FILE_OFFSET_BITS=64 $(STD) $(WARN) $(CFLAGS) $(INCLUDE) -Imodule -MF $@.d $< -o $@
ifeq ($(ARCH),x86_64)
progs: $(BUILD)/progs/calls_i386 $(BUILD)/progs/calls_mixed $(m32_progs)
endif

# A disk that is slow, full, or kills, libraries with bugs, and who writes down ioctls: to be preloaded.
$(preloaded): $(BUILD)/progs/%.so: tests/progs/user/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -fPIC -shared $(CFLAGS) -Iuserspace/include -Iuapi $< -o $@

# Unit tests, once for each tool that watches them: $(1) objects, $(2) programs, $(3) flags.
# An archive: a test that includes a source file uses its own copy of it.
define unit_objects
$(BUILD)/$(1)/%: INCLUDE += -Imodule
$(BUILD)/$(1)/userspace/daemon/%: INCLUDE += -Iuserspace/daemon -I$(BUILD)/include
$(BUILD)/$(1)/%.pb-c.o: $(BUILD)/include/%.pb-c.c
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(STD) -O1 -g $(3) $$(INCLUDE) -c $$< -o $$@
$(BUILD)/$(1)/%.o: %.c
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(STD) $$(WARN) -O1 -g $(3) $$(INCLUDE) -c $$< -o $$@
endef
define unit_programs
$(BUILD)/$(1)/tests/unit/%: INCLUDE += -Imodule -I$(BUILD)/include
$(BUILD)/$(1)/tests/unit/%: INCLUDE += -Itests/kunit/shim -Itests/kunit -Iuserspace/daemon -Iuserspace/proto \
	-Iuserspace/viewer
$(BUILD)/$(1)/service.a: $(patsubst %.c,$(BUILD)/$(1)/%.o,$(service_src) \
		$(wildcard userspace/daemon/base/*.c) $(service_writer_src) $(pbtxt_src)) \
		$(BUILD)/$(1)/service.pb-c.o $(BUILD)/$(1)/perfetto.pb-c.o
	@rm -f $$@
	$$(Q)$$(AR) rcs $$@ $$^
$(BUILD)/$(1)/lib.a: $(traceset_src:%.c=$(BUILD)/$(1)/%.o)
	@rm -f $$@
	$$(Q)$$(AR) rcs $$@ $$^
$(BUILD)/$(1)/writer.a: $(writer_src:%.c=$(BUILD)/$(1)/%.o)
	@rm -f $$@
	$$(Q)$$(AR) rcs $$@ $$^
$(BUILD)/$(1)/shark.a: $(shark_src:%.c=$(BUILD)/$(1)/%.o)
	@rm -f $$@
	$$(Q)$$(AR) rcs $$@ $$^
$(BUILD)/$(1)/posix.a: $(posix_src:%.c=$(BUILD)/$(1)/%.o)
	@rm -f $$@
	$$(Q)$$(AR) rcs $$@ $$^
$(BUILD)/$(1)/sql.a: $(sql_src:%.c=$(BUILD)/$(1)/%.o)
	@rm -f $$@
	$$(Q)$$(AR) rcs $$@ $$^
$(BUILD)/$(2)/%: $(BUILD)/$(1)/tests/unit/%.o $(BUILD)/$(1)/tests/unit/inherited.o $(BUILD)/$(1)/lib.a
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) -pthread $(3) $$(filter-out $$(if $$(filter %/writer.a,$$^),%/lib.a),$$^) \
		$$(if $$(filter %/posix.a %/service.a %/sql.a,$$^),$(BUILD)/$(1)/lib.a) \
		$$(if $$(filter %/sql.a,$$^),-lsqlite3) \
		$$(if $$(filter %/service.a,$$^),$(service_libs)) $(TRACESET_LIBS) -o $$@
# These link libktrace itself, without the reader's half, which defines the same names.
$(addprefix $(BUILD)/$(2)/test_,interrupted own patience writer_threads): $(BUILD)/$(1)/writer.a
$(patsubst tests/unit/%.c,$(BUILD)/$(2)/%,$(wildcard tests/unit/test_posix_*.c)): $(BUILD)/$(1)/posix.a
$(BUILD)/$(2)/test_sql: $(BUILD)/$(1)/sql.a
$(BUILD)/$(2)/test_shark_library $(BUILD)/$(2)/test_shark_threads: $(BUILD)/$(1)/shark.a $(BUILD)/$(1)/writer.a
$(filter $(BUILD)/$(2)/test_pft_%,$(units:$(BUILD)/unit/%=$(BUILD)/$(2)/%)): $(BUILD)/$(1)/service.a
endef
# ThreadSanitizer does not model fences, so tests of the policy "overwrite" are not run under it.
asan := -fsanitize=address$(comma)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
tsan := -fsanitize=thread -Wno-tsan
$(foreach v,asan tsan,$(eval $(call unit_objects,$(v),,$($(v)))))
$(eval $(call unit_programs,asan,unit,$(asan)))
$(eval $(call unit_programs,tsan,unit-tsan,$(tsan)))
# For valgrind, with the objects of the programs
$(eval $(call unit_programs,obj,unit-plain,))
$(BUILD)/unit-tsan/ktrace: $(viewer_src:%.c=$(BUILD)/tsan/%.o) $(BUILD)/tsan/lib.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -pthread -fsanitize=thread $^ -ldw -lelf -lm -lz -llzma $(TRACESET_LIBS) -o $@

# Programs that step through the library's own code: see tests/singlestep/step.h
$(BUILD)/obj/tests/singlestep/%: INCLUDE += -Imodule
$(BUILD)/singlestep/%: $(BUILD)/obj/tests/singlestep/%.o $(BUILD)/obj/tests/singlestep/step.o \
		$(BUILD)/obj/tests/singlestep/tids.o $(BUILD)/lib/libktrace.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -pthread -Wl,-z,now,--wrap=syscall $^ -o $@
.SECONDARY:

# The ring on a weakly ordered machine: see Documentation/model.md.
ring_model_src := $(wildcard tests/model/*.c) $(ring_src)
$(BUILD)/model/publishes.h: tests/model/publishes userspace/include/ktrace/rseq_arm64.h userspace/lib/arch/arm64_rseq.h
	@mkdir -p $(@D)
	$(Q)tests/model/publishes . >$@.tmp && mv $@.tmp $@
$(BUILD)/model/tests/model/rseq.o: $(BUILD)/model/publishes.h
$(BUILD)/model/%.o: %.c tests/model/port_model.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(WARN) -O2 -g $(INCLUDE) -I$(BUILD)/model -Imodule -include tests/model/port_model.h \
		-c $< -o $@
$(BUILD)/model/model: $(ring_model_src:%.c=$(BUILD)/model/%.o)
	$(call say,LD,$@)
	$(Q)$(CC) $^ -o $@
model: $(BUILD)/model/model

# The module is built from a folder of links, so that the tree stays clean and several
# kernels can be served side by side: build/kernel/<release>/ktrace.ko
# RELEASE is that of "uname -r"; Debian's kernels have another one in kernel.release.
KREL = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h 2>/dev/null)
KOUT = $(BUILD)/kernel/$(KREL)
module logevent shark_kernel:
	$(Q)if [ ! -e $(KDIR)/Makefile ]; then \
		echo "  $(if $(filter $@,$(MAKECMDGOALS)),FAILED,SKIP)  $@: no kernel headers in $(KDIR)" \
			"(Debian: linux-headers-..., or make $@ KDIR=...)"; \
		$(if $(filter $@,$(MAKECMDGOALS)),false,true); \
	else $(if $(WERROR),KBUILD_ARGS="W=1 KCFLAGS=-Werror") \
		scripts/kbuild $@ $(KDIR) $(KOUT) $(V); fi
logevent shark_kernel: module
.PHONY: print-krel
print-krel:
	@echo $(KREL)

.PHONY: load install uninstall deb rpm pacman clean check long unit style demo demo-fleet vm bats kunit matrix module-matrix bench unit-programs
.PHONY: singlestep-programs model completions

help:		## this list
	@echo 'all                    libraries, programs, examples, modules'
	@echo 'lib tools examples     only these, without the modules'
	@echo 'module                 ktrace.ko, in build/kernel/RELEASE; KDIR=headers of another kernel,'
	@echo '                       KTRACE_DEBUG=1: with self-checks'
	@echo 'ARCH=arm64             any of them for arm64, in build/arm64; user space also for riscv64'
	@echo 'logevent shark_kernel  example modules that log events to ktrace.ko'
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## */\1\t/p' Makefile tests/fuzz/fuzz.mk | expand -t 23
load:		## load ktrace.ko into the running kernel (root; PARAMS='group_kernel=1 ...')
	$(Q)scripts/load $(BUILD)/kernel/$$(uname -r)/ktrace.ko $(PARAMS)
install: lib tools completions ## install to $(DESTDIR)$(PREFIX): PREFIX=/usr/local, LIBDIR=PREFIX/lib
	$(Q)scripts/install '$(DESTDIR)' '$(PREFIX)' '$(LIBDIR)' '$(BUILD)' '$(VERSION)' '$(SOVERSION)'
uninstall: lib tools completions ## remove the installed files; with the same variables
	$(Q)scripts/uninstall '$(DESTDIR)' '$(PREFIX)' '$(LIBDIR)' '$(BUILD)' '$(VERSION)' '$(SOVERSION)'
deb:		## build Debian packages, in build/deb; with ARCH=arm64 those of arm64, in build/arm64/deb
	$(Q)scripts/deb $(BUILD)/deb $(VERSION) $(if $(IS_CROSS),$(ARCH) $(SYSROOT))
rpm:		## build RPM packages, in build/rpm
	$(Q)scripts/rpm $(BUILD)/rpm $(VERSION)
pacman:		## build packages of Arch Linux, in build/pacman
	$(Q)scripts/pacman $(BUILD)/pacman $(VERSION)
$(BUILD)/share/man/man1/%.1: Documentation/man/%.1
	$(Q)mkdir -p $(@D) && cp $< $@

completions: $(BUILD)/completions/ktrace ## completions for bash and zsh, from the help of the programs
ifdef IS_CROSS
# Programs for this machine say the same. COMPLETIONS: where theirs are
$(BUILD)/completions/ktrace: $(wildcard packaging/completion/*) $(helped)
ifndef COMPLETIONS
	$(Q)env -u CC -u CXX -u AR -u PKG_CONFIG -u CFLAGS -u LDFLAGS $(MAKE) ARCH=$(HOST_ARCH) BUILD=build completions
endif
	$(Q)mkdir -p $(@D) && cp $(or $(COMPLETIONS),build/completions)/* $(@D)/
else
$(BUILD)/completions/ktrace: scripts/completions $(wildcard packaging/completion/*) $(helped)
	$(call say,WRITE,$@)
	$(Q)scripts/completions $(BUILD)
endif
clean:		## remove the build folder
	rm -rf $(BUILD)

demo:		## install packages, boot a VM, trace two programs there, show the trace
	$(Q)scripts/demo $(if $(IS_CROSS),$(ARCH))
demo-fleet:	## install packages, record three hosts with clocks that differ, follow a request through them
	$(Q)scripts/demo-fleet
vm:		## an interactive shell in the VM
	$(Q)tests/vm/vm shell
check:		## install packages, run every test; with ARCH=arm64 those of arm64
	$(Q)tests/run all$(if $(IS_CROSS),-$(ARCH))
long:		## run every test in full, on all kernels: many hours; with ARCH=arm64 those of arm64
	$(Q)tests/run long$(if $(IS_CROSS),-$(ARCH))
unit:		## unit tests on the host, under ASan and UBSan
	$(Q)tests/run unit
bats:		## feature tests with the shared-memory back end
	$(Q)tests/run bats
kunit:		## KUnit suites and device tests in a kernel with KASAN and lockdep
	$(Q)tests/run kunit
matrix:		## module and device tests on six kernels with 1, 2 and 4 CPUs
	$(Q)tests/run matrix
module-matrix:	## compile the module for every kernel that Debian serves, print and write the table of them
	$(Q)scripts/module-matrix
style:		## layering, ordering labels, limits, headers, clang, checkpatch, sparse, scripts, documents
	$(Q)tests/run style
bench: ## run all benchmarks, also of other tracers: Documentation/performance.md
	$(Q)bench/run
unit-programs: $(units)
include tests/fuzz/fuzz.mk
singlestep-programs: $(steps)
sanitize-programs: $(units:$(BUILD)/unit/%=$(BUILD)/unit-plain/%) \
	$(addprefix $(BUILD)/unit-tsan/test_,session ring_threads writer_threads ahead shark_threads pft_disk) \
	$(BUILD)/unit-tsan/ktrace $(BUILD)/progs/mktrace

-include $(shell find $(BUILD) -path $(BUILD)/deb -prune -o -type f -name '*.d' -print 2>/dev/null)
