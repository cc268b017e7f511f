import Testing
import UI

@testable import App

/// `[keys]` of a configuration.
@Suite struct KeyConfigTests {
    private func read(_ text: String) -> ConfigReader { ConfigReader(Array(text.utf8)) }

    private func remarks(_ text: String) -> [String] { read(text).remarks.map { $0.text(of: "c") } }

    @Test func bindingsAreANameOrAListOfNames() {
        let reader = read("[keys]\nnext = [\"down\", \"j\", 3]\nlike = \"f5\"\nopen = []\nseek_90 = 0")
        #expect(reader.remarks.filter { $0.weight != .note }.isEmpty)
        #expect(
            reader.configuration.keys == [
                .next: [.down, .character("j"), .character("3")], .like: [.function(5)], .open: [],
                .seek90: [.character("0")],
            ])
    }

    @Test(arguments: [
        ("[keys]\n\nnxt = \"j\"", "c line 3: unknown key 'keys.nxt'; did you mean keys.next?"),
        (
            "[keys]\nnext = [\"j\", \"pgdwn\"]",
            "c line 2: keys.next has pgdwn, which is not a key (did you mean pgdn?); expected keys such as \"j\", \"down\", \"space\", \"ctrl-l\", \"alt-left\", \"f5\", or [] for none"
        ),
        (
            "[keys]\nlike = true",
            "c line 2: keys.like is true; expected keys such as \"j\", \"down\", \"space\", \"ctrl-l\", \"alt-left\", \"f5\", or [] for none"
        ),
        (
            "[keys]\nlike = [\"x\"]\nopen = [\n  \"x\"]",
            "c line 3: keys.open: x is already bound to keys.like on line 2; choose another key"
        ),
        ("[keys]\nnext = [\"q\"]", "c line 2: keys.next has q, which always quits; choose another key"),
        ("[keys]\nnext = \"ctrl-c\"", "c line 2: keys.next has ctrl-c, which always quits; choose another key"),
        (
            "[keys]\nscroll_up = \"esc\"",
            "c line 2: keys.scroll_up has esc, which always closes what is open; choose another key"
        ),
        ("keys = 3", "c line 1: keys is 3; [keys] is a section, with its keys below it"),
        ("[keys]\nlike = [\"d\"]", "c line 2: dislike has no key; bind one: dislike = [\"...\"]"),
    ])
    func mistakesAreNamedByLine(text: String, remark: String) {
        #expect(remarks(text) == [remark])
    }

    /// A default binding may be repeated; a key may do one thing on a page and another in a sheet.
    @Test(arguments: [
        "quit = [\"q\", \"f10\"]", "close = \"esc\"", "quit = []", "next = [\"n\"]\nscroll_down = [\"n\"]",
        "like = [\"Y\", \"Y\"]", "like = \"d\"\ndislike = \"l\"",
    ])
    func validBindingsGetNoRemarks(text: String) {
        #expect(remarks("[keys]\n" + text).isEmpty)
    }

    @Test func everyActionCanBeBound() {
        for action in Action.allCases {
            let reader = read("keys.\(action.rawValue) = \"f12\"")
            #expect(reader.configuration.keys == [action: [.function(12)]], "\(action)")
        }
    }
}
