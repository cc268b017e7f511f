import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Page {
    /// The wall-clock time at which the tests begin.
    static let midnight = Date(timeIntervalSince1970: 1_780_000_000)

    static let feed: [Item] = [
        Item(
            id: "v1", url: "file:///clips/night-market.mp4", title: "Night market in the rain",
            text:
                "Steam, neon and forty kinds of dumplings. We walked from the river gate to the old theatre and tried one of everything; the list is in the comments, the recipes are on the site.",
            duration: .seconds(21), published: midnight.addingTimeInterval(-190),
            creator: .init(id: "c7", name: "Mira Okafor"), tags: ["street", "food", "rain"],
            sound: .init(title: "Paper lanterns, long evening mix with strings and a choir", artist: "The Low Tide"),
            trust: .init(score: 82, label: "Verified source", reasons: ["Known since 2019", "Signed upload"]),
            stats: .init(likes: 1_234, dislikes: 3, comments: 45, saves: 9, shares: 2),
            link: "https://example.org/v1"),
        Item(
            id: "v2", url: "file:///clips/wide.mp4", title: "東京の夜、雨のあと e\u{301}tude",
            text: "日本語のとても長い説明文がここに入ります。列はまっすぐ。",
            published: midnight.addingTimeInterval(-86_400 * 3), creator: .init(name: "田中さくら"), tags: ["東京"],
            sound: .init(title: "雨"), trust: .init(score: 31), stats: .init(likes: 3_456_789, comments: 12_345)),
        Item(
            id: "v3", url: "file:///clips/rtl.mp4", title: "שלום \u{202E}עולם", text: "a\u{1B}[31mred\u{7}\nline two",
            creator: .init(name: "علي"), stats: .init(likes: 0)),
        Item(id: "v4", url: "file:///clips/plain%20name.mp4", title: "plain name"),
    ]
}
