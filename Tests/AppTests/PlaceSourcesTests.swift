import Feeds
import Model
import Testing

@testable import App
@testable import UI

@Suite struct PlaceSourcesTests {
    private let named = [FeedSource("/clips")]
    private let home = [FeedSource("https://h.example/feed.xml"), FeedSource("/more")]

    @Test func startsWhereTheUserSays() throws {
        #expect(try PlaceSources(named: named, home: home).first == .source)
        #expect(try PlaceSources(named: [], home: home).first == .home)
        #expect(try PlaceSources(named: [FeedSource("library:saved")], home: home).first == .saved)
        #expect(try PlaceSources(named: named, home: home, first: .forYou).first == .forYou)
    }

    @Test(
        arguments: [
            ("demo/feed.json", "feed.json"), ("/home/me/Clips/", "Clips"),
            ("https://me:secret@h.example/a/b?token=x", "h.example"), ("-", nil), (".", nil),
        ] as [(String, String?)])
    func unreadSourceHasAName(text: String, name: String?) throws {
        #expect(try PlaceSources(named: [FeedSource(text)], home: home).sourceName == name)
        #expect(try PlaceSources(named: [FeedSource(text, name: "Mine")], home: home).sourceName == "Mine")
        #expect(try PlaceSources(named: [FeedSource(text), FeedSource("/b")], home: home).sourceName == nil)
        #expect(try PlaceSources(named: [], home: home).sourceName == nil)
    }

    @Test func listsThePlacesThatThereAre() throws {
        let library: [Place] = [.following, .liked, .saved, .history, .offline, .hidden]
        #expect(try PlaceSources(named: named, home: home).all == [.source, .home, .forYou] + library)
        #expect(try PlaceSources(named: [], home: home).all == [.home, .forYou] + library)
        #expect(try PlaceSources(named: [FeedSource("library:liked")], home: []).all == Array(library.dropFirst()))
        #expect(
            try PlaceSources(named: [], home: home, keepsCache: false).all
                == [.home, .forYou, .following, .liked, .saved, .history, .hidden])
        #expect(try PlaceSources(named: named, home: home, hasForYou: false).all == [.source, .home] + library)
        #expect(try PlaceSources(named: named, home: home, remembers: false).all == [.source, .home])
        #expect(try PlaceSources(named: [FeedSource("library:liked")], home: [], remembers: false).all == [.liked])
    }

    @Test func forYouIsTurnedOffAndOn() throws {
        var places = try PlaceSources(named: [], home: home)
        places.change(hidden: [HideRule(.topic, value: "for-you"), HideRule(place: .forYou)])
        #expect(places.all.prefix(2) == [.home, .following])
        places.change(hidden: [HideRule(.topic, value: "for-you")])
        #expect(places.all.prefix(2) == [.home, .forYou])
        var without = try PlaceSources(named: [], home: home, hasForYou: false)
        without.change(hidden: [])
        #expect(without.all.prefix(2) == [.home, .following])
    }

    @Test func placeThatIsNotThereIsRefused() {
        func message(
            _ place: Place, home: [FeedSource] = [], hasForYou: Bool = true, remembers: Bool = true,
            keepsCache: Bool = true
        ) -> String? {
            let error = #expect(throws: AppError.self) {
                try PlaceSources(
                    named: named, home: home, first: place, hasForYou: hasForYou, remembers: remembers,
                    keepsCache: keepsCache)
            }
            return error?.message
        }
        #expect(message(.home)?.contains("flick add") == true)
        #expect(message(.forYou, hasForYou: false)?.contains("[for_you]") == true)
        #expect(message(.saved, remembers: false)?.contains("[engagement]") == true)
        #expect(message(.offline, keepsCache: false)?.contains("[cache]") == true)
        #expect(message(.offline, remembers: false, keepsCache: false)?.contains("[engagement]") == true)
    }

    @Test func forYouChoosesFromHomeOrElseFromTheSources() throws {
        let places = try PlaceSources(named: named, home: home)
        #expect(places.sources(of: .forYou) == (home, true))
        #expect(places.sources(of: .source) == (named, false))
        #expect(try PlaceSources(named: named, home: []).sources(of: .forYou) == (named, false))
        #expect(places.sources(of: .liked).sources.map(\.text) == ["library:liked"])
    }

    @Test func eachPlaceHasItsSources() throws {
        let places = try PlaceSources(named: named, home: home)
        #expect(places.sources(of: .home) == (home, true))
        #expect(places.sources(of: .following) == (home, true))
        #expect(try PlaceSources(named: named, home: []).sources(of: .following) == (named, false))
        for place in [Place.saved, .history, .offline, .hidden] {
            #expect(places.sources(of: place) == ([FeedSource("library:\(place.rawValue)")], false))
        }
    }

    @Test func changedSourcesChangeThePlaces() throws {
        var places = try PlaceSources(named: named, home: [])
        let library: [Place] = [.following, .liked, .saved, .history, .offline, .hidden]
        #expect(places.all == [.source, .forYou] + library)
        places.change(home: home)
        #expect(places.home == home && places.named == named && places.all == [.source, .home, .forYou] + library)
        places.name(FeedSource("library:saved"))
        #expect(places.named == [FeedSource("library:saved")] && places.all == [.home, .forYou] + library)
        places.change(home: [])
        // No clips are left to choose from.
        #expect(places.all == Array(library.dropFirst()))
        places.name(FeedSource("/other"))
        #expect(places.sources(of: .source) == ([FeedSource("/other")], false))
    }

    @Test func refusedPlaceIsNamed() {
        func message(_ place: Place, remembers: Bool) -> String? {
            let error = #expect(throws: AppError.self) {
                try PlaceSources(
                    named: named, home: home, first: place, hasForYou: false, remembers: remembers, keepsCache: false)
            }
            return error?.message
        }
        #expect(message(.forYou, remembers: true)?.hasPrefix("--place for-you: For You is off") == true)
        #expect(message(.forYou, remembers: false)?.hasPrefix("--place for-you: history is off") == true)
        #expect(message(.offline, remembers: true)?.hasPrefix("--place offline: the cache is off") == true)
        #expect(message(.saved, remembers: false)?.hasPrefix("--place saved: history is off") == true)
    }
}
