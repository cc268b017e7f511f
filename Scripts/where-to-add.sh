#!/bin/bash
# Checks what docs/architecture.md says under "Where to add": adds things where that page says, one step after the
# other, to a copy of the last commit, and fails unless the compiler or a test names what is still missing.
# Usage: Scripts/where-to-add.sh        half an hour on two cores
set -euo pipefail
cd "$(dirname "$0")/.."
copy=$(mktemp -d "${TMPDIR:-/tmp}/flick-adds.XXXXXX")
trap 'rm -rf "$copy"' EXIT
swift=${SWIFT:-swift}
failed=0

git clone -q . "$copy"
cd "$copy"
"$swift" package resolve > log 2>&1 || { tail -20 log; exit 1; }

# Puts a line below the first that matches a pattern.
add() {
    local before
    before=$(cksum < "$1")
    sed -i "0,/$2/s/$2/&\n$3/" "$1"
    [[ $(cksum < "$1") != "$before" ]] || { echo "where-to-add.sh: $1 has no line $2" >&2; exit 1; }
}
# What is missing after a step, and what must name it in the log.
named() {
    if grep -qE "$3" "$2"; then
        printf '%-58s named by: %s\n' "$1" "$(grep -oE "$3" "$2" | head -1)"
    else
        printf '%-58s NOT NAMED\n' "$1"
        failed=1
    fi
}
compile() { "$swift" build --target "$1" > "$copy/log" 2>&1 || true; }
perform=$(grep -lE 'mutating func perform\(_ action: Action' Sources/UI/*.swift)
reading=$(grep -lrE 'switch kind' Sources/Feeds/Pages | head -1)

echo "A key"
add Sources/UI/Actions/Action.swift 'public enum Action.*{' '    case wave'
compile UI
file=${perform##*/}
named "a case of Action: its line in State.perform" log "${file/+/[+]}:[0-9]+:[0-9]+: error: switch must be exhaustive"
sed -i '0,/case .next: return trigger == .wheel/s//case .wave: return []\n        &/' "$perform"

echo "A cause for recovery"
add Sources/Player/RecoveryCause.swift 'enum RecoveryCause.*{' '    case wave'
compile Player
named "a case of RecoveryCause: its words" log 'RecoveryCause.swift:[0-9]+:[0-9]+: error: switch must be exhaustive'
sed -i 's/case .busy: "/case .wave: "wave"\n        &/' Sources/Player/RecoveryCause.swift

echo "A format of feeds"
add Sources/Feeds/Texts/ContentKind.swift 'enum ContentKind.*{' '    case wave'
compile Feeds
named "a case of ContentKind: its reader" log "${reading##*/}:[0-9]+:[0-9]+: error: switch must be exhaustive"
git checkout -q Sources/Feeds/Texts/ContentKind.swift

echo "A picture mode"
add Sources/Model/PictureMode.swift 'public enum PictureMode.*{' '    case wave'
compile Model
named "a case of PictureMode: what it needs" log 'PictureMode.swift:[0-9]+:[0-9]+: error: switch must be exhaustive'
sed -i 's/case .ascii/case .wave, .ascii/' Sources/Model/PictureMode.swift
compile TermGraphics
named "a case of PictureMode: how it is painted" log 'TermGraphics/[^:]*:[0-9]+:[0-9]+: error: switch must be exhaustive'
git checkout -q Sources/Model/PictureMode.swift

echo "An option, a field of the manifest; the tests of all"
add Sources/App/Configuration/Configuration.swift 'public struct ForYou.*{' '        public var wave = false'
add Sources/App/Configuration/ConfigKey.swift 'private static let forYou = \[' \
    '        ConfigKey("for_you.wave", .flag, \\.forYou.wave),'
add Sources/Model/Item.swift 'public var blurHash: String?' '    public var wave: String?'
add Sources/Feeds/Manifest/ItemField.swift 'enum ItemField.*{' '    case wave'
"$swift" build --build-tests > log 2>&1 || { tail -20 log; exit 1; }
tests='KeyTableTests|ConfigTests|ItemFieldTests|WatchdogTests|UserStringsTests'
"$swift" test --skip-build --filter "$tests" > log 2>&1 || true
named "an action in State.perform: its row and keys in KeyTable" log 'everyActionIsInOneRow\(\) recorded an issue'
named "a key of the configuration: its documentation" log 'for_you.wave'
named "a property of Item: what reads it from manifests" log 'missing.*"wave".*|ItemReader does not set these'
named "a case of ItemField: what prints it" log 'printedItemHasEveryField\(\) recorded an issue'
named "a case of ItemField: its documentation" log 'manifest.md does not name these'
named "a case of RecoveryCause: its documentation" log 'recovery.md does not list these'
named "a text that users read: the list of all" log 'UserStringsTests|strings.txt'
exit $failed
