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
# Beside another group: each line of the output begins with the group.
beside() { group "$@" 2>&1 | sed -u "s/^/$1: /"; }
# Tests of the network wait in tasks. Others block, and beside them would keep the few threads that tasks have. Those of
# hostile decoders and the sandbox measure or limit the memory of their own process, so each has one; they only wait.
{
    beside hostile-decoders --filter HostileDecoderTests
    beside sandbox --filter SandboxTests
} &
beside network --filter 'BytesTests|FeedServerTests'
wait
group parts --skip BytesTests --skip FeedServerTests --skip EndToEndTests --skip HostileDecoderTests --skip SandboxTests
# Tests of the whole program press keys and look at when something is seen: beside a thousand others they would measure
# those. But they wait as long as they compute, so two run at a time.
# flick chooses its own output on the terminals of these tests. Films of odd files look the same with both.
with_ncurses() {
    [ "${FLICK_TEST_BOTH_OUTPUTS:-}" != 1 ] || FLICK_TEST_OUTPUT=ncurses beside "$@" --skip WildFilmTests
}
# Both halves take equally long.
slow='WildFilmTests|SeekingTests|ServedTests|SoundTests'
{
    beside films --filter "EndToEnd/($slow)"
    with_ncurses ncurses-2 --filter 'EndToEnd/[P-Z]'
} &
{
    beside pages --filter EndToEndTests --skip "$slow"
    with_ncurses ncurses-1 --filter 'EndToEnd/[A-O]'
} &
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
