/// Languages as tags name them (RFC 5646; ISO 639-1 and 639-2), and as they call themselves. Pure.
public enum Language {
    /// The code of two letters, those of three letters, and the language's own name (CLDR 45, autonyms).
    private static let table: [(short: String, long: [String], name: String)] = [
        ("af", ["afr"], "Afrikaans"), ("am", ["amh"], "አማርኛ"), ("ar", ["ara"], "العربية"),
        ("az", ["aze"], "Azərbaycan"),
        ("be", ["bel"], "Беларуская"), ("bg", ["bul"], "Български"), ("bn", ["ben"], "বাংলা"), ("bs", ["bos"], "Bosanski"),
        ("ca", ["cat"], "Català"), ("cs", ["ces", "cze"], "Čeština"), ("cy", ["cym", "wel"], "Cymraeg"),
        ("da", ["dan"], "Dansk"), ("de", ["deu", "ger"], "Deutsch"), ("el", ["ell", "gre"], "Ελληνικά"),
        ("en", ["eng"], "English"), ("eo", ["epo"], "Esperanto"), ("es", ["spa"], "Español"), ("et", ["est"], "Eesti"),
        ("eu", ["eus", "baq"], "Euskara"), ("fa", ["fas", "per"], "فارسی"), ("fi", ["fin"], "Suomi"),
        ("fil", ["fil"], "Filipino"), ("fr", ["fra", "fre"], "Français"), ("ga", ["gle"], "Gaeilge"),
        ("gl", ["glg"], "Galego"), ("gu", ["guj"], "ગુજરાતી"), ("he", ["heb"], "עברית"), ("hi", ["hin"], "हिन्दी"),
        ("hr", ["hrv"], "Hrvatski"), ("hu", ["hun"], "Magyar"), ("hy", ["hye", "arm"], "Հայերեն"),
        ("id", ["ind"], "Indonesia"), ("is", ["isl", "ice"], "Íslenska"), ("it", ["ita"], "Italiano"),
        ("ja", ["jpn"], "日本語"), ("ka", ["kat", "geo"], "ქართული"), ("kk", ["kaz"], "Қазақ тілі"),
        ("km", ["khm"], "ខ្មែរ"),
        ("kn", ["kan"], "ಕನ್ನಡ"), ("ko", ["kor"], "한국어"), ("la", ["lat"], "Latina"), ("lb", ["ltz"], "Lëtzebuergesch"),
        ("lt", ["lit"], "Lietuvių"), ("lv", ["lav"], "Latviešu"), ("mk", ["mkd", "mac"], "Македонски"),
        ("ml", ["mal"], "മലയാളം"), ("mn", ["mon"], "Монгол"), ("mr", ["mar"], "मराठी"), ("ms", ["msa", "may"], "Melayu"),
        ("my", ["mya", "bur"], "မြန်မာ"), ("nb", ["nob"], "Norsk bokmål"), ("ne", ["nep"], "नेपाली"),
        ("nl", ["nld", "dut"], "Nederlands"), ("nn", ["nno"], "Norsk nynorsk"), ("no", ["nor"], "Norsk"),
        ("pa", ["pan"], "ਪੰਜਾਬੀ"), ("pl", ["pol"], "Polski"), ("pt", ["por"], "Português"),
        ("ro", ["ron", "rum"], "Română"), ("ru", ["rus"], "Русский"), ("sk", ["slk", "slo"], "Slovenčina"),
        ("sl", ["slv"], "Slovenščina"), ("sq", ["sqi", "alb"], "Shqip"), ("sr", ["srp"], "Српски"),
        ("sv", ["swe"], "Svenska"),
        ("sw", ["swa"], "Kiswahili"), ("ta", ["tam"], "தமிழ்"), ("te", ["tel"], "తెలుగు"), ("th", ["tha"], "ไทย"),
        ("tl", ["tgl"], "Tagalog"), ("tr", ["tur"], "Türkçe"), ("uk", ["ukr"], "Українська"), ("ur", ["urd"], "اردو"),
        ("uz", ["uzb"], "Oʻzbek"), ("vi", ["vie"], "Tiếng Việt"), ("zh", ["zho", "chi"], "中文"),
        ("zu", ["zul"], "isiZulu"),
    ]

    private static let places: [String: Int] = {
        var places: [String: Int] = [:]
        for (place, language) in table.enumerated() {
            for code in [language.short] + language.long { places[code] = place }
        }
        return places
    }()

    /// "de" of "de-AT" and "de_AT", in lower case.
    private static func primary(_ tag: String) -> String {
        String(tag.prefix { $0 != "-" && $0 != "_" }).lowercased()
    }

    /// Whether a text can be a tag: letters first, then letters, digits and hyphens, at most 35 (RFC 5646, 4.4.1).
    public static func isTag(_ text: String) -> Bool {
        let code = text.utf8.prefix { $0 != UInt8(ascii: "-") }
        let isLetters = code.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
        return (2...8).contains(code.count) && isLetters && text.utf8.count <= 35
            && text.utf8.allSatisfy { $0 < 0x80 && ($0 == UInt8(ascii: "-") || isLetterOrDigit($0)) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Whether two tags name the same language: "de-AT" and "ger" do. An empty one names none.
    public static func isSame(_ left: String, _ right: String) -> Bool {
        let (left, right) = (primary(left), primary(right))
        guard !left.isEmpty, left != right else { return !left.isEmpty }
        return places[left].map { $0 == places[right] } ?? false
    }

    /// All codes of a tag's language, its own first: "de", "deu", "ger".
    public static func codes(of tag: String) -> [String] {
        let code = primary(tag)
        guard let language = places[code].map({ table[$0] }) else { return code.isEmpty ? [] : [code] }
        return [code] + ([language.short] + language.long).filter { $0 != code }
    }

    /// The language's name in the language itself; nil if it is not in the table of common ones.
    public static func name(of tag: String) -> String? { places[primary(tag)].map { table[$0].name } }
}

extension ClipTrack {
    /// The label of the track at place `number`, from 1 on: "Deutsch", "Deutsch, Director's comments", "track 2".
    public func name(number: Int) -> String {
        let known = Language.name(of: language) ?? (language.isEmpty ? nil : language)
        guard let known else { return title.isEmpty ? "track \(number)" : title }
        return title.isEmpty || title.lowercased() == known.lowercased() ? known : "\(known), \(title)"
    }
}
