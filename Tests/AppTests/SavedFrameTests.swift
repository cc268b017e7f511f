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
