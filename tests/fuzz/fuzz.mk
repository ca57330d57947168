# SPDX-License-Identifier: GPL-2.0
# fuzz.mk - the harnesses of tests/fuzz, with clang and libFuzzer whatever CC is
#
# A harness is linked with the archives named for it below; one that includes a source
# file uses its own copy of it. FUZZ_EXTRA adds flags, as for a coverage report.

FUZZ := $(BUILD)/fuzz
FUZZ_CC ?= clang
FUZZ_SANITIZE := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
FUZZ_FLAGS := -O1 -g -fno-omit-frame-pointer $(FUZZ_SANITIZE) $(FUZZ_EXTRA)
# Without their main(); a harness has its own of what else a program has to itself.
fuzz_daemon_src := $(filter-out %/main.c,$(daemon_src))
fuzz_viewer_src := $(filter-out %/main.c,$(viewer_src))

fuzz_src := $(wildcard tests/fuzz/fuzz_*.c)
fuzzers := $(patsubst tests/fuzz/fuzz_%.c,$(FUZZ)/bin/fuzz_%,$(fuzz_src))

$(FUZZ)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(STD) $(WARN) $(FUZZ_FLAGS) $(INCLUDE) -Imodule -c $< -o $@

$(FUZZ)/obj/%.pb-c.o: $(BUILD)/include/%.pb-c.c
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(STD) $(FUZZ_FLAGS) $(INCLUDE) -c $< -o $@
$(FUZZ)/obj/userspace/daemon/%: INCLUDE += -Iuserspace/daemon
$(FUZZ)/obj/userspace/daemon/service/% $(FUZZ)/obj/tests/fuzz/fuzz_pft_%: INCLUDE += -I$(BUILD)/include
$(FUZZ)/obj/tests/fuzz/fuzz_pft_%: INCLUDE += -Itests/unit -Iuserspace/proto
$(FUZZ)/obj/tests/fuzz/%: INCLUDE += -Iuserspace/daemon
$(addprefix $(FUZZ)/obj/tests/fuzz/fuzz_,elf.o options.o perf.o shark.o text_import.o viewer.o): INCLUDE += -Iuserspace/viewer

define fuzz_archive
$(FUZZ)/$(1).a: $(2:%.c=$(FUZZ)/obj/%.o) tests/fuzz/fuzz.mk
	@rm -f $$@
	$$(Q)$$(AR) rcs $$@ $$(filter %.o,$$^)
endef
$(eval $(call fuzz_archive,traceset,$(traceset_src)))
$(eval $(call fuzz_archive,writer,$(writer_src)))
$(eval $(call fuzz_archive,daemon,$(fuzz_daemon_src) $(pbtxt_src)))
$(FUZZ)/daemon.a: $(FUZZ)/obj/service.pb-c.o $(FUZZ)/obj/perfetto.pb-c.o
$(eval $(call fuzz_archive,viewer,$(fuzz_viewer_src)))
$(eval $(call fuzz_archive,posix,$(posix_src)))
$(eval $(call fuzz_archive,sql,$(sql_src)))

$(FUZZ)/bin/fuzz_attach $(FUZZ)/bin/fuzz_options: $(FUZZ)/writer.a
$(FUZZ)/bin/fuzz_options $(FUZZ)/bin/fuzz_proc $(FUZZ)/bin/fuzz_registry: $(FUZZ)/daemon.a
$(filter $(FUZZ)/bin/fuzz_pft_%,$(fuzzers)): $(FUZZ)/daemon.a
$(FUZZ)/bin/fuzz_options $(FUZZ)/bin/fuzz_viewer $(FUZZ)/bin/fuzz_shark: $(FUZZ)/viewer.a
$(FUZZ)/bin/fuzz_perf: $(FUZZ)/viewer.a
$(FUZZ)/bin/fuzz_text_import: $(FUZZ)/obj/userspace/viewer/import/systrace/line.o \
		$(FUZZ)/obj/userspace/viewer/import/chrome/json.o $(FUZZ)/viewer.a
$(FUZZ)/bin/fuzz_posix_log: $(FUZZ)/posix.a
$(FUZZ)/bin/fuzz_sql: $(FUZZ)/sql.a
$(FUZZ)/bin/%: $(FUZZ)/obj/tests/fuzz/%.o $(FUZZ)/traceset.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) -pthread -fsanitize=fuzzer,address,undefined $(FUZZ_EXTRA) \
		$(filter %.o,$^) $(sort $(filter-out %/traceset.a,$(filter %.a,$^))) \
		$(FUZZ)/traceset.a $(TRACESET_LIBS) -ldw -lelf -lbpf -lm -llzma -lsqlite3 $(service_libs) -o $@

.PHONY: fuzz fuzz-programs
fuzz-programs: $(fuzzers)
fuzz:		## fuzz all readers and parsers
	$(Q)tests/run fuzz
