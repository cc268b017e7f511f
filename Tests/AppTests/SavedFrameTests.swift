import Bytes
import Foundation
import Model
import Platform
import TestSupport
import Testing

@testable import App

struct SavedFrameTests {
    private func folder(
        _ there: Set<String>, settings: String? = nil, _ environment: [String: String] = ["HOME": "/home/u"]
    ) -> String? {
        UserFolder.pictures.path(environment: { environment[$0] }, settings: settings, exists: there.contains)
    }

    @Test func framesGoToTheFolderForPictures() {
        #expect(folder(["/home/u/Pictures", "/home/u/Downloads", "/home/u"]) == "/home/u/Pictures")
        #expect(folder(["/home/u/Downloads", "/home/u"]) == "/home/u/Downloads")
        #expect(folder(["/home/u"]) == "/home/u")
        #expect(folder([], [:]) == nil)
    }

    @Test func clipsGoToTheFolderForTheirKind() {
        let there: Set = ["/home/u/Videos", "/home/u/Music", "/home/u"]
        let folders = [UserFolder.videos, .music, .pictures].map { folder in
            folder.path(environment: { ["HOME": "/home/u"][$0] }, settings: nil, exists: there.contains)
        }
        #expect(folders == ["/home/u/Videos", "/home/u/Music", "/home/u"])
    }

    @Test func foldersInTheUsersLanguageAreFound() {
        let settings = """
            # XDG_PICTURES_DIR="$HOME/No"
            XDG_DOWNLOAD_DIR="/data/neu"
            XDG_PICTURES_DIR="$HOME/Bilder"
            """
        #expect(folder(["/home/u/Bilder", "/home/u/Pictures"], settings: settings) == "/home/u/Bilder")
        #expect(folder(["/data/neu", "/home/u"], settings: settings) == "/data/neu")
        #expect(
            folder(["/pics", "/home/u/Bilder"], settings: settings, ["HOME": "/home/u", "XDG_PICTURES_DIR": "/pics"])
                == "/pics")
    }

    @Test func variablesNameTheFolders() {
        let environment = [
            "HOME": "/home/u", "XDG_PICTURES_DIR": "/p", "XDG_VIDEOS_DIR": "/v", "XDG_MUSIC_DIR": "/m",
            "XDG_DOWNLOAD_DIR": "/d",
        ]
        let folders = [UserFolder.pictures, .videos, .music].map { folder in
            folder.path(environment: { environment[$0] }, settings: nil, exists: { _ in true })
        }
        #expect(folders == ["/p", "/v", "/m"])
        #expect(folder(["/d", "/home/u/Downloads", "/home/u"], environment) == "/d")
        // The specification asks for absolute paths.
        let relative = ["HOME": "/home/u", "XDG_PICTURES_DIR": "p"]
        #expect(folder(["p", "/home/u/Pictures"], relative) == "/home/u/Pictures")
    }

    @Test func namesAreShortAndPlain() {
        #expect(FileName.clean(String(repeating: "\u{E9}", count: 199)) == String(repeating: "\u{E9}", count: 90))
        #expect(FileName.clean("~-.. a. .") == "a" && FileName.clean(" .-~").isEmpty)
    }

    @Test func filesGetTheirNamesTogether() throws {
        let folder = TemporaryFolder()
        let files = UnfinishedFiles(folder: folder.path)
        try files.add(".mp4", [1])
        try files.add(".json", [2, 3])
        #expect(files.has(".mp4") && files.has(".json") && !files.has(".vtt"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { $0.hasPrefix(".flick-") })
        #expect(try files.publish(as: "a") == folder.path + "/a.mp4")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a.json", "a.mp4"])
        #expect(FileManager.default.contents(atPath: folder.path + "/a.mp4") == Data([1]))
        #expect(FileManager.default.contents(atPath: folder.path + "/a.json") == Data([2, 3]))
    }

    /// Those that the user's umask leaves, as any program's files.
    @Test func savedFilesHaveTheUsersPermissions() throws {
        let folder = TemporaryFolder()
        let before = umask(0o027)
        defer { umask(before) }
        let (path, descriptor) = try SavedFrame.create(in: folder.path, named: "frame")
        descriptor.close()
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
        let (other, second) = try SavedFrame.create(in: folder.path, named: "frame")
        second.close()
        #expect(other == folder.path + "/frame (2).png")
    }

    @Test(arguments: [
        ("Night market", Duration.milliseconds(62_345), "Night market 1m2.345s"),
        ("../../etc/passwd\u{1B}[2J", .zero, "etc-passwd\u{FFFD} 0m0.000s"),
        ("a/b: c?", .seconds(3_601), "a-b- c- 60m1.000s"), ("...", .seconds(1), "clip 0m1.000s"),
    ])
    func filesAreNamedAfterClipAndTime(title: String, time: Duration, name: String) {
        let item = Item(id: "a", url: "file:///a.mp4", title: title)
        #expect(SavedFrame(item: item, time: time, size: PixelSize(width: 1, height: 1)).name == name)
    }
}
