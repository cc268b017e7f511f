#!/bin/bash
# Runs the tests of the build, in groups that do not disturb each other. Ends with the ten slowest tests and the failed
# ones. Arguments are the options of the build. With FLICK_TEST_BOTH_OUTPUTS=1, the end-to-end tests also run with
# ncurses.
set -uo pipefail
cd "$(dirname "$0")/.."

swift=${SWIFT:-swift}
output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT

# All tests at once on a busy machine would measure how long the others take: eight at a time are enough for two cores.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8

# A group that takes longer than this, in seconds, has a test that never ends: it is ended, and the test named.
longest=1800

failures=$output/failures
mkdir "$output/logs"
group() {
    local name=$1
    local log=$output/logs/$name
    shift
    NO_COLOR=1 timeout --kill-after=10 "$longest" "${tests[@]}" "$@" 2>&1 \
        | tee "$log" || echo "$name" >> "$failures"
    # A filter that matches nothing passes.
    grep -qE 'Test run with [1-9]' "$log" || { echo "$name: no test ran"; echo "$name" >> "$failures"; }
}

# The tests of a log that began and did not end.
unended() {
    awk '$2 == "Test" && $1 == "◇" && $NF == "started." { open[$3] = 1 }
        $2 == "Test" && / (passed|failed) after / { delete open[$3] }
        END { for (name in open) if (name ~ /\(/) print name " did not end" }' "$1"
}

# On Linux the tests are one program. Run by itself it can run twice at once, as `swift test` cannot.
tests=("$("$swift" build "$@" --show-bin-path)/flickPackageTests.xctest" --testing-library swift-testing)
[ -f "${tests[0]}" ] || tests=("$swift" test --skip-build "$@")
# Tests wait about as long as they compute, so one group more than there are cores runs at a time.
most=$(($(getconf _NPROCESSORS_ONLN) + 1))
# Starts a group once there is room for it. Each line of its output begins with its name.
start() {
    while [ "$(jobs -pr | wc -l)" -ge "$most" ]; do wait -n; done
    group "$@" 2>&1 | sed -u "s/^/$1: /" &
}
# flick chooses its own output on the terminals of these tests. Films of odd files look the same with both.
with_ncurses() {
    [ "${FLICK_TEST_BOTH_OUTPUTS:-}" != 1 ] || FLICK_TEST_OUTPUT=ncurses start "$@" --skip WildFilmTests
}
# Each group is a process, which has one thread per core for its tests: those that block keep the others waiting. So the
# tests that mostly wait, those of the network and the rest, which compute, have a group each. Tests of hostile decoders
# and the sandbox measure or limit the memory of their process. The longest groups start first, and no group that mostly
# waits runs alone at the end.
long='WildFilmTests|SeekingTests|ServedTests|SoundTests'
network='^(BytesTests|FeedServerTests)\.'
waiting='^(AppTests|EngagementTests|PlayerTests|ScreenTests)\.'
start pages --filter EndToEndTests --skip "$long"
start films --filter "EndToEnd/($long)"
with_ncurses ncurses-2 --filter 'EndToEnd/[P-Z]'
with_ncurses ncurses-1 --filter 'EndToEnd/[A-O]'
start hostile-decoders --filter HostileDecoderTests
start parts --skip "$waiting" --skip "$network" --skip EndToEndTests --skip HostileDecoderTests --skip SandboxTests
start waiting --filter "$waiting" --skip HostileDecoderTests
start network --filter "$network"
start sandbox --filter SandboxTests
wait

echo "The ten slowest tests, in seconds (many wait for others):"
cat "$output"/logs/* | sed -nE 's/.* Test (.*) (passed|failed) after ([0-9.]+) seconds.*/\3 \1/p' \
    | grep -v " run with " | sort -rn | head -10

if [ -e "$failures" ]; then
    echo "What failed:"
    for log in "$output"/logs/*; do
        grep -qE 'Test run with .* (passed|failed) after' "$log" || unended "$log" | sed "s/^/$(basename "$log"): /"
        grep -hE -A 3 'recorded an issue|^error: |Fatal error|unexpected signal' "$log" | grep -vE '^◇|^✔|^--' | sed "s/^/$(basename "$log"): /" | cut -c 1-300
    done
fi
[ ! -e "$failures" ]
