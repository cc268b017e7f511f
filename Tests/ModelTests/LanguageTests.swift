import Model
import Testing

@Suite struct LanguageTests {
    @Test(arguments: [("de", "ger"), ("deu", "de-AT"), ("EN_us", "eng"), ("fil", "fil"), ("xx", "XX-y")])
    func tagsOfOneLanguageAreTheSame(left: String, right: String) {
        #expect(Language.isSame(left, right) && Language.isSame(right, left))
    }

    @Test(arguments: [("de", "en"), ("", ""), ("", "de"), ("nb", "nn"), ("xx", "xy")])
    func otherTagsAreNot(left: String, right: String) {
        #expect(!Language.isSame(left, right) && !Language.isSame(right, left))
    }

    @Test func languageCodesStartWithTheGivenOne() {
        #expect(Language.codes(of: "ger") == ["ger", "de", "deu"])
        #expect(Language.codes(of: "fr-CA") == ["fr", "fra", "fre"])
        #expect(Language.codes(of: "tlh") == ["tlh"] && Language.codes(of: "").isEmpty)
    }

    @Test(arguments: ["de", "de-AT", "fil", "zh-Hant-TW"]) func tagsAreRecognized(text: String) {
        #expect(Language.isTag(text))
    }

    @Test(arguments: ["", "d", "deutsche!", "d3", "de AT", "abcdefghi", "de-\u{E9}", "de_AT", "-de"])
    func otherTextsAreNoTags(text: String) { #expect(!Language.isTag(text)) }

    @Test func tracksAreCalledByLanguageThenTitle() {
        #expect(ClipTrack(language: "ger", title: "").name(number: 1) == "Deutsch")
        #expect(ClipTrack(language: "de", title: "deutsch").name(number: 1) == "Deutsch")
        #expect(ClipTrack(language: "eng", title: "Commentary").name(number: 2) == "English, Commentary")
        #expect(ClipTrack(language: "", title: "Music").name(number: 2) == "Music")
        #expect(ClipTrack(language: "tlh", title: "").name(number: 2) == "tlh")
        #expect(ClipTrack(language: "", title: "").name(number: 3) == "track 3")
    }
}
