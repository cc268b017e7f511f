import Foundation
import TestSupport
import Testing

@testable import FeedServer

@Suite struct RouteTests {
    private func find(_ method: String, _ path: String) throws -> Route { try Route.find(method, path[...]).route }

    @Test func everyRouteIsFound() throws {
        #expect(try find("GET", "/") == .root)
        #expect(try find("GET", "/feed.json") == .feed)
        #expect(try find("HEAD", "/media/0123") == .media("0123"))
        #expect(try find("GET", "/media/0123/720p/a%20b.ts") == .part("0123", "720p/a b.ts"))
        #expect(try find("GET", "/still/ab.jpg") == .still("ab"))
        #expect(try find("GET", "/subtitles/ab.vtt") == .subtitles("ab", ".vtt"))
        #expect(try find("HEAD", "/subtitles/ab.pt-BR.srt") == .subtitles("ab", ".pt-BR.srt"))
        #expect(try find("GET", "/videos/ab/comments") == .listComments("ab"))
        #expect(try find("POST", "/videos/ab/comments") == .addComment("ab"))
        #expect(try find("PUT", "/videos/ab/dislike") == .react(.dislike, "ab", isOn: true))
        #expect(try find("DELETE", "/creators/a%20b/follow") == .follow("a b", isOn: false))
        #expect(try find("POST", "/videos/track_view") == .trackView)
        #expect(try find("DELETE", "/videos/ab") == .keepItem("ab", isThere: false))
        #expect(try find("PUT", "/videos/ab/comments/7") == .keepComment("ab", "7", isThere: true))
        #expect(try find("DELETE", "/videos/ab/comments/7/like") == .likeComment("ab", "7", isOn: false))
        #expect(try find("POST", "/videos/ab/comments/7/report") == .reportComment("ab", "7"))
        #expect(try find("GET", "/reports.json") == .reports)
    }

    @Test(arguments: [
        "", "//", "feed.json", "//feed.json", "/feed.json/", "/media", "/media/", "/media//b", "/still/.jpg",
        "/still/a", "/subtitles/", "/subtitles/ab", "/subtitles/ab.", "/subtitles/.vtt", "/subtitles/ab.vtt/x",
        "/still/abcdef", "/still/abc.png", "xfeed.json",
        "/videos//like", "/videos/a/comments/", "/videos/a/comments//like", "/FEED.JSON", "/media/%", "/media/%ff",
        "/media/%00", "/videos/a/love", "/../feed.json",
        "http://h/feed.json",
    ])
    func invalidPathIsNotFound(path: String) {
        #expect(throws: RequestError.unknownPath) { try find("GET", path) }
    }

    @Test func wrongMethodListsTheAllowedOnes() throws {
        let error = #expect(throws: RequestError.self) { try find("PATCH", "/videos/a/comments") }
        #expect(error?.status.code == 405 && error?.headers[.allow] == "GET, HEAD, POST")
    }
}

@Suite struct OpenAPITests {
    @Test func theServedDocumentIsTheOneInDocs() throws {
        let file = FlickBinary.root.appendingPathComponent("docs/openapi.json")
        #expect(try Data(contentsOf: file) == Data(OpenAPI.document))
    }

    @Test func itDescribesTheRoutesThatThereAre() throws {
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(OpenAPI.document)) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        let described = Set(paths.flatMap { path, methods in methods.keys.map { "\($0.uppercased()) \(path)" } })
        let served = Set(
            Route.table.flatMap { row in
                let path = row.path.replacing("ID", with: "{ID}").replacing("COMMENT", with: "{COMMENT}").replacing(
                    "PATH", with: "{PATH}"
                ).replacing(
                    "REST", with: "{REST}")
                return row.methods.map { "\($0) \(path)" }
            })
        #expect(described == served)
    }

    /// A request that is no HTTP, too slow or too large is refused before anybody looks at what it is for.
    @Test func everyOperationDocumentsCommonErrors() throws {
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(OpenAPI.document)) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        for (path, methods) in paths {
            for (method, operation) in methods {
                let answers = try #require(operation["responses"] as? [String: Any])
                #expect(
                    Set(["400", "403", "408", "417", "421", "431"]).isSubset(of: answers.keys), "\(method) \(path)")
            }
        }
    }

    /// The document contains everything that it references.
    @Test func itsReferencesLeadSomewhere() throws {
        let document = try JSONSerialization.jsonObject(with: Data(OpenAPI.document))
        func references(_ value: Any) -> [String] {
            if let list = value as? [Any] { return list.flatMap(references) }
            guard let object = value as? [String: Any] else { return [] }
            return object.flatMap { key, value in key == "$ref" ? [value as? String ?? ""] : references(value) }
        }
        let all = references(document)
        #expect(all.count > 50)
        for reference in Set(all) {
            var place = document
            for step in reference.split(separator: "/").dropFirst() {
                place = try #require((place as? [String: Any])?[String(step)], "\(reference)")
            }
        }
    }
}
