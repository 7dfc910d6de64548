# iosweep: one Makefile. `make help` tells the targets.
#   VARIANT=release|asan|ubsan|san|tsan   build/<variant>/ (san: asan + ubsan)
#   V=1 shows commands, WERROR=1 makes warnings errors
# CC, CFLAGS, CPPFLAGS, LDFLAGS, LDLIBS, PREFIX and DESTDIR are honoured.

VERSION := 0.1.0
VARIANT ?= release
PREFIX ?= /usr/local
DESTDIR ?=

B := build/$(VARIANT)

SANITIZE_asan := -fsanitize=address -fno-omit-frame-pointer
SANITIZE_ubsan := -fsanitize=undefined -fno-sanitize-recover=undefined
SANITIZE_san := $(SANITIZE_asan) $(SANITIZE_ubsan)
SANITIZE_tsan := -fsanitize=thread
SANITIZE_fuzz := $(SANITIZE_san) -fsanitize=fuzzer-no-link
SANITIZE := $(SANITIZE_$(VARIANT))

CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wpointer-arith -Wwrite-strings -Wvla -Wundef -Wformat=2 \
	-Wimplicit-fallthrough
ifeq ($(WERROR),1)
WARNINGS += -Werror
endif
# Fortified sources need optimisation and do not go with sanitizers.
ifeq ($(SANITIZE),)
HARDEN := -D_FORTIFY_SOURCE=2
endif
OUR_CFLAGS := -std=c11 -fPIC -pthread -fstack-protector-strong $(WARNINGS) \
	$(SANITIZE)
OUR_CPPFLAGS := -I. -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 $(HARDEN)
OUR_LDFLAGS := -pthread $(SANITIZE) -Wl,-z,relro,-z,now
VERSION_FLAGS := -DIOSWEEP_VERSION='"$(VERSION)"' \
	-DIOSWEEP_DATADIR='"$(PREFIX)/share/iosweep"'

# What each folder may use of the outside world.
ENGINE_LIBS := -luring -laio -lblkid -lxxhash -lm
EXPORT_LIBS := -lxlsxwriter -lzip -lcsv
SWEEP_LIBS := -ljson-c
# A file system that fails on command, where its library is there.
TEST_LIBS := -lcmocka $(if $(wildcard /usr/include/fuse3/fuse.h),-lfuse3)

ifeq ($(V),1)
Q :=
else
Q := @
endif
say = @echo "  $(1)	$(2)"
ifeq ($(V),1)
say =
endif

FOLDERS := engine export sweep
SRC_engine := $(wildcard engine/*.c)
SRC_export := $(wildcard export/*.c)
SRC_sweep := $(wildcard sweep/*.c)
SRC_support := $(filter-out $(wildcard tests/test_*.c), $(wildcard tests/*.c))
OBJ_engine := $(SRC_engine:%.c=$(B)/%.o)
OBJ_export := $(SRC_export:%.c=$(B)/%.o)
OBJ_sweep := $(SRC_sweep:%.c=$(B)/%.o)
OBJ_support := $(SRC_support:%.c=$(B)/%.o)
ARCHIVES := $(B)/libsweep.a $(B)/libexport.a $(B)/libengine.a
ALL_LIBS := $(SWEEP_LIBS) $(EXPORT_LIBS) $(ENGINE_LIBS)

TEST_SRC := $(wildcard tests/test_*.c)
TESTS := $(TEST_SRC:%.c=$(B)/%)

.PHONY: all check check-links check-asan check-ubsan check-tsan format \
	check-format check-memcheck golden fuzz install uninstall clean help tests
.SECONDARY:

all: $(B)/iosweep

$(B)/iosweep: $(ARCHIVES)
	$(call say,LINK,$@)
	$(Q)$(CC) $(OUR_LDFLAGS) $(LDFLAGS) -pie -o $@ $(ARCHIVES) $(ALL_LIBS) $(LDLIBS)

$(B)/libengine.a: $(OBJ_engine)
$(B)/libexport.a: $(OBJ_export)
$(B)/libsweep.a: $(OBJ_sweep)
$(B)/libsupport.a: $(OBJ_support)
$(B)/lib%.a:
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

# The version is in one object only, so that it does not rebuild the world.
$(B)/sweep/main.o: OUR_CPPFLAGS += $(VERSION_FLAGS)
$(B)/sweep/main.o: Makefile

$(B)/%.o: %.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(B)/tests/test_%: $(B)/tests/test_%.o $(B)/libsupport.a $(ARCHIVES)
	$(call say,LINK,$@)
	$(Q)$(CC) $(OUR_LDFLAGS) $(LDFLAGS) -pie -o $@ $< $(B)/libsupport.a $(ARCHIVES) $(TEST_LIBS) $(ALL_LIBS) $(LDLIBS)

tests: $(TESTS)

# Each folder alone, with only what it may use, must link: a call in the wrong
# direction is an undefined symbol.
LINK_ALONE = $(CC) $(OUR_LDFLAGS) -shared -Wl,-z,defs -o /dev/null \
	-Wl,--whole-archive $(1) -Wl,--no-whole-archive
check-links: $(ARCHIVES)
	$(call say,CHECK,direction of the folders)
	$(Q)$(call LINK_ALONE,$(B)/libengine.a) $(ENGINE_LIBS)
	$(Q)$(call LINK_ALONE,$(B)/libexport.a) $(B)/libengine.a $(EXPORT_LIBS) $(ENGINE_LIBS)
	$(Q)$(call LINK_ALONE,$(B)/libsweep.a) $(B)/libexport.a $(B)/libengine.a $(ALL_LIBS)

ifeq ($(SANITIZE),)
check: check-links
endif
check: all tests
	@IOSWEEP=$(B)/iosweep scripts/run-tests $(TESTS)

check-asan:
	@$(MAKE) --no-print-directory VARIANT=asan check
check-ubsan:
	@$(MAKE) --no-print-directory VARIANT=ubsan check
check-tsan:
	@$(MAKE) --no-print-directory VARIANT=tsan check

# Under valgrind, as released: what sanitizers do not see (memory that was never
# set). Not the programs as a whole, nor tests that simulate for minutes, count
# allocations, or measure time, which stands still there.
MEMCHECK := valgrind -q --error-exitcode=99 --leak-check=full \
	--errors-for-leak-kinds=definite --child-silent-after-fork=yes
MEMCHECK_NOT := alloc book book_% command compare coverage hang kill power \
	program_% rawbook schedule_search search soak starved verdict_real
check-memcheck: all tests
	@UNDER="$(MEMCHECK)" IOSWEEP=$(B)/iosweep scripts/run-tests \
		$(filter-out $(MEMCHECK_NOT:%=$(B)/tests/test_%),$(TESTS))

# A libFuzzer program for each reader, build/fuzz/reader_NAME: scripts/fuzz
# runs them. clang with its runtime is needed.
FUZZ_READERS := axis units cell csv facts plan options theme logo counts run
fuzz:
	@$(MAKE) --no-print-directory VARIANT=fuzz CC="$(FUZZ_CC)" \
		$(FUZZ_READERS:%=build/fuzz/reader_%)
FUZZ_CC ?= clang
$(B)/reader_%: tests/fuzz/entry.c $(B)/libsupport.a $(ARCHIVES)
	$(call say,LINK,$@)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) -fsanitize=fuzzer \
		-DFUZZ_READER='"$*"' -o $@ $< $(B)/libsupport.a $(ARCHIVES) \
		$(TEST_LIBS) $(ALL_LIBS) $(LDLIBS)

# The program of scripts/bench-book.
$(B)/bench_%: tests/bench/%.c $(B)/libsupport.a $(ARCHIVES)
	$(call say,LINK,$@)
	$(Q)$(CC) $(OUR_CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS) $(OUR_LDFLAGS) \
		$(LDFLAGS) -pie -o $@ $< $(B)/libsupport.a $(ARCHIVES) \
		$(TEST_LIBS) $(ALL_LIBS) $(LDLIBS)

# Rewrite the golden files from what the program says now. Look at the diff.
golden: all tests
	@GOLDEN=1 IOSWEEP=$(B)/iosweep scripts/run-tests $(TESTS)

C_FILES = $(wildcard engine/*.[ch] export/*.[ch] sweep/*.[ch] tests/*.[ch] \
	tests/fuzz/*.c tests/bench/*.c)
format:
	clang-format -i $(C_FILES)
check-format:
	@clang-format --dry-run --Werror $(C_FILES)

install: all
	install -D -m 755 $(B)/iosweep $(DESTDIR)$(PREFIX)/bin/iosweep
	set -e; for f in $(wildcard templates/*/*); do \
		install -D -m 644 $$f $(DESTDIR)$(PREFIX)/share/iosweep/$$f; done

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/iosweep
	rm -rf $(DESTDIR)$(PREFIX)/share/iosweep

clean:
	rm -rf build

help:
	@echo "make              build $(B)/iosweep"
	@echo "make check        build and run every test; the folders' direction too"
	@echo "make check-asan   the same under AddressSanitizer (check-ubsan, check-tsan)"
	@echo "make check-memcheck  most tests of one module each under valgrind"
	@echo "make fuzz         libFuzzer programs of the readers, for scripts/fuzz"
	@echo "make golden       rewrite the golden files of the tests"
	@echo "make format       clang-format all sources (check-format only looks)"
	@echo "make install      to PREFIX ($(PREFIX)), DESTDIR honoured; uninstall"
	@echo "make clean        remove build/"
	@echo "VARIANT=release|asan|ubsan|san|tsan, V=1, WERROR=1, CC, CFLAGS, LDFLAGS"

-include $(shell find $(B) -name '*.d' 2>/dev/null)
