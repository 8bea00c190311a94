# A thin front of meson. `make run`, `make fast` and `make test` also install what is missing (tools/setup).
BUILD ?= build
PREFIX ?= /usr/local
QUIET ?= --quiet
# Where ccache is installed, nothing is compiled twice; this mode costs next to nothing when it is the first time.
export CCACHE_DEPEND ?= 1

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD) $(QUIET) kedge

$(BUILD)/build.ninja:
	@tools/setup build
	@meson setup $(BUILD) --prefix=$(PREFIX) >/dev/null || { cat $(BUILD)/meson-logs/meson-log.txt; exit 1; }

# Shows the main job on servers of its own: an issue is read, fixed, pushed, and its CI run watched.
run:
	@tools/setup run
	@test -x $(BUILD)/kedge || echo "Compiling kedge into $(BUILD)/: some minutes the first time. Nothing is installed."
	@$(MAKE) --no-print-directory all QUIET=
	@tools/demo $(BUILD)/kedge
	@echo
	@echo "That was the main job, on servers of its own. For your own repositories:"
	@echo "  sudo make install         puts kedge on your PATH"
	@echo "  kedge login anthropic     or set ANTHROPIC_API_KEY, OPENAI_API_KEY, ..."
	@echo "  kedge doctor              says what is missing"
	@echo "  kedge                     begins a conversation"

# What one runs while one works: unit tests, house rules and end-to-end tests that take no time (suite `fast`), in a
# minute at most. `tools/test --times` says what took how long.
fast: $(BUILD)/build.ninja
	@tools/setup test
	@tools/test --fast $(BUILD)

# All behaviour, in some minutes.
test:
	@tools/setup test
	@$(MAKE) --no-print-directory all
	@tools/test $(BUILD)

# What a change must pass beside that: format, other compiler, sanitizers, short fuzz runs. .ci/run is all there is.
check:
	@tools/setup check
	@tools/check

bench:
	@tools/setup run
	@$(MAKE) --no-print-directory all
	@bench/run $(BUILD)/kedge

# Mermaid's browser build for `kedge arcade`, which draws diagrams with it (needs npm and the network).
mermaid:
	@tools/mermaid

# What is installed is stripped; `make install-debug` adds the debug files. `make uninstall` removes all of it.
install: all
	@$(if $(filter command% environment%,$(origin PREFIX)),PREFIX=$(PREFIX)) tools/install $(BUILD)

install-debug: all
	@tools/install --debug $(BUILD)

uninstall:
	@tools/install --remove $(BUILD)

clean:
	@rm -rf $(BUILD)

.PHONY: all run fast test check bench mermaid install install-debug uninstall clean
