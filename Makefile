# `make run` and `make test` are all there is to learn. `make help` lists the rest.
SHELL := /bin/bash
PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
# The Swift runtime is linked in, where that can be: an installed flick needs no toolchain (docs/decisions/static-runtime.md).
RELEASE := -c release $(if $(filter Linux,$(shell uname)),--static-swift-stdlib)
BIN = $(shell $(SWIFT) build $(RELEASE) --show-bin-path)

.PHONY: help run setup setup-test build test bench soak compat check-service format lint ci demo-assets screen demo-recording readme-pictures install install-symbols uninstall clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

run: setup ## install what is missing, build, and play the demo feed
	$(SWIFT) build $(RELEASE) --product flick
	$(SWIFT) build $(RELEASE) --product flick-decoder
	@"$(BIN)/flick" Assets/demo/feed.json

setup: ## install what building and playing require
	@Scripts/setup.sh build

setup-test: ## install what the tests require
	@Scripts/setup.sh build test

build: setup ## build for use
	$(SWIFT) build $(RELEASE)

test: setup-test ## run all tests
	$(SWIFT) build --build-tests $(TEST_BUILD)
	SWIFT="$(SWIFT)" Scripts/test.sh $(TEST_BUILD)

bench: build ## measure flick and its peers, mpv, timg, chafa and jp2a
	@Scripts/setup.sh build test peers
	"$(BIN)/flick-bench" "$(BIN)/flick"

# A filter that matches no test passes.
SOME_RAN := tee /dev/stderr | grep -qE 'Test run with [1-9]'
soak: setup-test build ## 20,000 decoder starts, ten minutes of random seeks and page turns against a faulty server, 2,100 damaged clips, ten minutes of random messages, 300 kills while reports are sent
	"$(BIN)/flick-bench" "$(BIN)/flick" starts long-soak mutants
	set -o pipefail; FLICK_FUZZ_SECONDS=600 $(SWIFT) test --filter randomMessages | $(SOME_RAN)
	set -o pipefail; FLICK_KILLS=300 $(SWIFT) test --skip-build --filter killedAtAnyMoment | $(SOME_RAN)

compat: setup-test ## compile Media against the FFmpeg of Debian 12, 13 and sid, and run its tests there
	Scripts/compat.sh

format: ## format the sources
	$(SWIFT) format -i -r Package.swift Sources Tests

# Warnings are errors. A folder of its own, as other options would have everything built anew each time; `ci` runs the tests from it.
CHECKED := --scratch-path .build/lint -Xswiftc -warnings-as-errors
lint: setup ## check formatting and warnings
	$(SWIFT) format lint --strict -r Package.swift Sources Tests
	$(SWIFT) build --build-tests $(CHECKED)
	@for file in Sources/C*/*.c Tests/C*/*.c; do clang -fsyntax-only -Wall -Wextra -Werror $$(pkg-config --cflags libxml-2.0) -I Sources/CLoadedLibrary/include -I "$$(dirname "$$file")/include" "$$file" || exit; done

ci: lint ## run lint and all tests, as CI does
	FLICK_TEST_BOTH_OUTPUTS=1 $(MAKE) test TEST_BUILD="$(CHECKED)"

check-service: setup-test build ## check flick serve against docs/openapi.json with tools from PyPI
	python3 Scripts/check-service.py "$(BIN)/flick"

demo-assets: setup-test ## rebuild the demo feed
	Assets/make-demo.sh

# All of it takes three minutes; `make screen ONLY="page- sheet-help"` makes the pictures whose names begin so, `ONLY=?` lists the names.
screen: setup-test build ## draw every size, surface and colour depth into .build/screens
	"$(BIN)/flick-screens" "$(BIN)/flick" .build/screens $(ONLY)

README_SCREENS := state-scrubbing-120x40-half-truecolor state-liked-80x24-half-truecolor color-demo-80x24-ascii-truecolor
demo-recording: setup-test build ## record the moving picture of the README
	"$(BIN)/flick-screens" "$(BIN)/flick" --recording docs/demo.gif

readme-pictures: ## make the pictures of the documentation again
	$(MAKE) screen ONLY="$(README_SCREENS) parts-market"
	for name in $(README_SCREENS); do cp ".build/screens/$$name.png" "docs/screen-$${name%%-[0-9]*}.png"; done
	for surface in half octant; do cp ".build/screens/parts-market-120x40-$$surface-truecolor.png" "docs/screen-$$surface.png"; done

install: build ## install below PREFIX (/usr/local)
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/libexec/flick" "$(DESTDIR)$(PREFIX)/share/man/man1"
	Scripts/install-program.sh "$(BIN)/flick" "$(DESTDIR)$(PREFIX)/bin"
	Scripts/install-program.sh "$(BIN)/flick-decoder" "$(DESTDIR)$(PREFIX)/libexec/flick"
	Scripts/install-program.sh "$(BIN)/flick-server" "$(DESTDIR)$(PREFIX)/libexec/flick"
	install -m 644 docs/flick.1 "$(DESTDIR)$(PREFIX)/share/man/man1/flick.1"
	install -d "$(DESTDIR)$(PREFIX)/share/flick/demo/abyss"
	install -m 644 $(wildcard Assets/demo/*.*) "$(DESTDIR)$(PREFIX)/share/flick/demo"
	install -m 644 $(wildcard Assets/demo/abyss/*) "$(DESTDIR)$(PREFIX)/share/flick/demo/abyss"
	install -d "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" "$(DESTDIR)$(PREFIX)/share/zsh/site-functions" \
	    "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	"$(BIN)/flick" --generate-completion-script bash > "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/flick"
	"$(BIN)/flick" --generate-completion-script zsh > "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_flick"
	"$(BIN)/flick" --generate-completion-script fish > "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/flick.fish"

install-symbols: build ## install what debuggers read of them, 40 MB, in .debug beside each program
	Scripts/install-program.sh "$(BIN)/flick" "$(DESTDIR)$(PREFIX)/bin" symbols
	Scripts/install-program.sh "$(BIN)/flick-decoder" "$(DESTDIR)$(PREFIX)/libexec/flick" symbols
	Scripts/install-program.sh "$(BIN)/flick-server" "$(DESTDIR)$(PREFIX)/libexec/flick" symbols

uninstall: ## remove what install installed
	rm -f "$(DESTDIR)$(PREFIX)/bin/flick" "$(DESTDIR)$(PREFIX)/bin/.debug/flick.debug" "$(DESTDIR)$(PREFIX)/share/man/man1/flick.1" \
	    "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/flick" "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_flick" \
	    "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/flick.fish"
	rm -rf "$(DESTDIR)$(PREFIX)/libexec/flick" "$(DESTDIR)$(PREFIX)/share/flick"

clean: ## remove the build
	rm -rf .build
