# `make run` and `make test` are all there is to learn. `make help` lists the rest.
SHELL := /bin/bash
PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
# The Swift runtime is linked in, where that can be: an installed flick needs no toolchain (docs/decisions/static-runtime.md).
RELEASE := -c release $(if $(filter Linux,$(shell uname)),--static-swift-stdlib)
BIN = $(shell $(SWIFT) build $(RELEASE) --show-bin-path)

.PHONY: help run setup setup-test build test bench soak format lint demo-assets screen install uninstall clean

help: ## list what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

run: build ## install what is missing, build, and browse the demo feed
	@"$(BIN)/flick" Assets/demo/feed.json

setup: ## install what building and playing need
	@Scripts/setup.sh build

setup-test: ## install what the tests need
	@Scripts/setup.sh build test

build: setup ## build for use
	$(SWIFT) build $(RELEASE)

# Tests of the network wait in tasks. Others block, and beside them would keep the few threads that tasks have.
test: setup-test ## run every test
	$(SWIFT) build
	$(SWIFT) test --filter BytesTests
	$(SWIFT) test --skip BytesTests

bench: setup-test build ## measure flick beside its peers
	"$(BIN)/flick-bench" "$(BIN)/flick"

soak: setup-test build ## ten minutes of random seeks and page turns against a faulty server
	"$(BIN)/flick-bench" "$(BIN)/flick" long-soak

format: ## put the code in shape
	$(SWIFT) format -i -r Package.swift Sources Tests

# A folder of its own, as other options would have everything built anew each time.
lint: setup ## check shape, and that nothing warns
	$(SWIFT) format lint --strict -r Package.swift Sources Tests
	$(SWIFT) build --build-tests --scratch-path .build/lint -Xswiftc -warnings-as-errors
	@for file in Sources/C*/*.c Tests/C*/*.c; do clang -fsyntax-only -Wall -Wextra -Werror -I "$$(dirname "$$file")/include" "$$file" || exit; done

demo-assets: setup-test ## make the demo feed anew
	Assets/make-demo.sh

screen: setup-test build ## take the picture of the README anew
	Scripts/capture-screen.sh "$(BIN)/flick" docs/screen.png

install: build ## install below PREFIX (/usr/local)
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/libexec/flick" "$(DESTDIR)$(PREFIX)/share/man/man1"
	install -m 755 "$(BIN)/flick" "$(DESTDIR)$(PREFIX)/bin/flick"
	install -m 755 "$(BIN)/flick-decoder" "$(DESTDIR)$(PREFIX)/libexec/flick/flick-decoder"
	install -m 644 docs/flick.1 "$(DESTDIR)$(PREFIX)/share/man/man1/flick.1"
	install -d "$(DESTDIR)$(PREFIX)/share/flick/demo/abyss"
	install -m 644 $(wildcard Assets/demo/*.*) "$(DESTDIR)$(PREFIX)/share/flick/demo"
	install -m 644 $(wildcard Assets/demo/abyss/*) "$(DESTDIR)$(PREFIX)/share/flick/demo/abyss"
	install -d "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" "$(DESTDIR)$(PREFIX)/share/zsh/site-functions" \
	    "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	"$(BIN)/flick" --generate-completion-script bash > "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/flick"
	"$(BIN)/flick" --generate-completion-script zsh > "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_flick"
	"$(BIN)/flick" --generate-completion-script fish > "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/flick.fish"

uninstall: ## take away what install put there
	rm -f "$(DESTDIR)$(PREFIX)/bin/flick" "$(DESTDIR)$(PREFIX)/share/man/man1/flick.1" \
	    "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/flick" "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_flick" \
	    "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/flick.fish"
	rm -rf "$(DESTDIR)$(PREFIX)/libexec/flick" "$(DESTDIR)$(PREFIX)/share/flick"

clean: ## remove what was built
	rm -rf .build
