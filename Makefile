# `make run` and `make test` are all there is to learn. `make help` lists the rest.
SHELL := /bin/bash
PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
# The Swift runtime is linked in, where that can be: an installed flick needs no toolchain (docs/decisions/static-runtime.md).
RELEASE := -c release $(if $(filter Linux,$(shell uname)),--static-swift-stdlib)
BIN = $(shell $(SWIFT) build $(RELEASE) --show-bin-path)
# What `flick --version` shows once it is installed. A tree that is not a checkout has no commit.
COMMIT ?= $(shell [ -e .git ] && git describe --always --exclude '*' --abbrev=10 --dirty 2>/dev/null)
# Debian's zsh looks in share/zsh/vendor-completions.
ZSH_COMPLETIONS ?= share/zsh/site-functions
VERSION = $(shell sed -n 's/^public let version = "\(.*\)"/\1/p' Sources/App/Configuration/Settings.swift)

.PHONY: help run setup setup-test build test bench soak compat check-service check-packages format lint ci demo-assets screen \
    half-drawn demo-recording readme-pictures install install-symbols uninstall deb tarball clean

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
	$(SWIFT) build --build-tests
	SWIFT="$(SWIFT)" Scripts/test.sh

bench: build ## measure flick and its peers, mpv, timg, chafa and jp2a
	@Scripts/setup.sh build test peers
	"$(BIN)/flick-bench" "$(BIN)/flick"

# A filter that matches no test passes.
SOME_RAN := tee /dev/stderr | grep -qE 'Test run with [1-9]'
soak: setup-test build ## 20,000 decoder starts, 10,000 runs of probe and preview, ten minutes of random seeks and page turns against a faulty server, 2,100 damaged clips, ten minutes of random messages, 300 kills while reports are sent
	"$(BIN)/flick-bench" "$(BIN)/flick" starts commands long-soak mutants
	set -o pipefail; FLICK_FUZZ_SECONDS=600 $(SWIFT) test --filter randomMessages | $(SOME_RAN)
	set -o pipefail; FLICK_KILLS=300 $(SWIFT) test --skip-build --filter killedAtAnyMoment | $(SOME_RAN)

compat: setup-test ## compile Media against the FFmpeg of Debian 12, 13 and sid, and run its tests there
	Scripts/compat.sh

format: ## format the sources
	$(SWIFT) format -i -r Package.swift Sources Tests

# Warnings are errors. Other options rebuild everything, so these have their own folder, from which `ci` runs the tests.
CHECKED := --scratch-path .build/lint -Xswiftc -warnings-as-errors
lint: setup ## check formatting and warnings
	$(SWIFT) format lint --strict -r Package.swift Sources Tests
	$(SWIFT) build --build-tests $(CHECKED)
	clang++ -std=c++17 -fsyntax-only -Wall -Wextra -Werror -fno-exceptions -fno-rtti \
	    $$(pkg-config --cflags-only-I tomlplusplus) -I Sources/CTOML/include Sources/CTOML/toml.cpp
	@for file in Sources/C*/*.c Tests/C*/*.c; do clang -fsyntax-only -Wall -Wextra -Werror $$(pkg-config --cflags libxml-2.0) -I Sources/CLoadedLibrary/include -I "$$(dirname "$$file")/include" "$$file" || exit; done

ci: lint setup-test ## run lint and all tests, as CI does
	FLICK_TEST_BOTH_OUTPUTS=1 SWIFT="$(SWIFT)" Scripts/test.sh $(CHECKED)

check-service: setup-test build ## check flick serve against docs/openapi.json with tools from PyPI
	python3 Scripts/check-service.py "$(BIN)/flick"

demo-assets: setup-test ## rebuild the demo feed
	Assets/make-demo.sh

# All of it takes some ten minutes; `make screen ONLY="page- sheet-help"` makes the pictures whose names begin so, `ONLY=?` lists the names.
screen: setup-test build ## draw every size, surface and colour depth into .build/screens
	"$(BIN)/flick-screens" "$(BIN)/flick" .build/screens $(ONLY)

# Half an hour for 500 screenshots of each terminal; `make half-drawn COUNT=50` takes fewer.
half-drawn: setup-test build ## count screenshots of page turns in kitty and xterm that show parts of two states
	rm -rf .build/half-drawn
	"$(BIN)/flick-screens" "$(BIN)/flick" --half-drawn .build/half-drawn $(COUNT)

README_SCREENS := sheet-places-120x40-half-truecolor \
	state-scrubbing-120x40-half-truecolor state-liked-80x24-half-truecolor color-demo-80x24-ascii-truecolor
demo-recording: setup-test build ## record the moving picture of the README
	"$(BIN)/flick-screens" "$(BIN)/flick" --recording docs/demo.gif

readme-pictures: ## make the pictures of the documentation again
	$(MAKE) screen ONLY="$(README_SCREENS) parts-market pixels-demo-120x40"
	for name in $(README_SCREENS); do cp ".build/screens/$$name.png" "docs/screen-$${name%%-[0-9]*}.png"; done
	for surface in half octant; do cp ".build/screens/parts-market-120x40-$$surface-truecolor.png" "docs/screen-$$surface.png"; done
	for surface in kitty sixel; do cp ".build/screens/pixels-demo-120x40-$$surface-truecolor.png" "docs/screen-$$surface.png"; done

TREE := $(DESTDIR)$(PREFIX)
install: build ## install below PREFIX (/usr/local)
	FLICK_COMMIT="$(COMMIT)" Scripts/install-program.sh "$(BIN)/flick" "$(TREE)/bin"
	Scripts/install-program.sh "$(BIN)/flick-decoder" "$(TREE)/libexec/flick"
	Scripts/install-program.sh "$(BIN)/flick-server" "$(TREE)/libexec/flick"
	install -d "$(TREE)/share/man/man1" "$(TREE)/share/flick/demo/abyss"
	install -m 644 docs/flick.1 "$(TREE)/share/man/man1/flick.1"
	install -m 644 $(wildcard Assets/demo/*.*) "$(TREE)/share/flick/demo"
	install -m 644 $(wildcard Assets/demo/abyss/*) "$(TREE)/share/flick/demo/abyss"
	for folder in user internals decisions; do \
	    install -d "$(TREE)/share/doc/flick/$$folder" && install -m 644 docs/$$folder/*.md "$(TREE)/share/doc/flick/$$folder" || exit; done
	install -m 644 docs/openapi.json "$(TREE)/share/doc/flick/openapi.json"
	install -d "$(TREE)/share/bash-completion/completions" "$(TREE)/$(ZSH_COMPLETIONS)" "$(TREE)/share/fish/vendor_completions.d"
	"$(BIN)/flick" --generate-completion-script bash > "$(TREE)/share/bash-completion/completions/flick"
	"$(BIN)/flick" --generate-completion-script zsh > "$(TREE)/$(ZSH_COMPLETIONS)/_flick"
	"$(BIN)/flick" --generate-completion-script fish > "$(TREE)/share/fish/vendor_completions.d/flick.fish"
	install -d "$(TREE)/share/applications" "$(TREE)/share/metainfo" "$(TREE)/share/icons/hicolor/scalable/apps"
	install -m 644 Assets/desktop/flick.desktop "$(TREE)/share/applications/flick.desktop"
	install -m 644 Assets/desktop/org.example.flick.metainfo.xml "$(TREE)/share/metainfo/org.example.flick.metainfo.xml"
	install -m 644 Assets/desktop/flick.svg "$(TREE)/share/icons/hicolor/scalable/apps/flick.svg"

install-symbols: build ## install what debuggers read of them, 40 MB, in .debug beside each program
	Scripts/install-program.sh "$(BIN)/flick" "$(TREE)/bin" symbols
	Scripts/install-program.sh "$(BIN)/flick-decoder" "$(TREE)/libexec/flick" symbols
	Scripts/install-program.sh "$(BIN)/flick-server" "$(TREE)/libexec/flick" symbols

uninstall: ## remove what install installed
	rm -f "$(TREE)/bin/flick" "$(TREE)/bin/.debug/flick.debug" "$(TREE)/share/man/man1/flick.1" \
	    "$(TREE)/share/bash-completion/completions/flick" "$(TREE)/$(ZSH_COMPLETIONS)/_flick" \
	    "$(TREE)/share/fish/vendor_completions.d/flick.fish" "$(TREE)/share/applications/flick.desktop" \
	    "$(TREE)/share/metainfo/org.example.flick.metainfo.xml" "$(TREE)/share/icons/hicolor/scalable/apps/flick.svg"
	rm -rf "$(TREE)/libexec/flick" "$(TREE)/share/flick" "$(TREE)/share/doc/flick"

deb: build ## make a Debian package for this release of Debian, in .build/packages
	VERSION=$(VERSION) COMMIT="$(COMMIT)" Scripts/deb.sh

tarball: build ## make a tarball for this machine's FFmpeg, in .build/packages
	VERSION=$(VERSION) COMMIT="$(COMMIT)" Scripts/tarball.sh

check-packages: deb tarball ## install, use and remove both in bare chroots; takes root, a Debian mirror and most of an hour
	Scripts/check-packages.sh

clean: ## remove the build
	rm -rf .build
