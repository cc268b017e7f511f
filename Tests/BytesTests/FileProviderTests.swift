import Bytes
import Foundation
import Model
import TestSupport
import Testing

@Suite struct FileProviderTests {
    let folder = TemporaryFolder()
    let provider = FileProvider()

    private func url(_ path: String) -> String { FileURL.url(path: path.utf8) }

    private func refusal(_ url: String, for asset: String? = nil) -> String? {
        do {
            _ = try provider.open(url, for: asset ?? url)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func filesKeepTheContract() throws {
        let faults = try ByteSourceContract.faults { bytes in
            let file = url(try folder.write("\(UUID().uuidString)\n#?%.bin", bytes))
            return try provider.open(file, for: file)
        }
        #expect(faults == [])
    }

    @Test func lengthIsKnown() throws {
        let file = url(try folder.write("x", [1, 2, 3]))
        #expect(try provider.open(file, for: file).length == 3)
    }

    @Test func aMissingFileSaysSo() {
        #expect(refusal("file:///no/such.mp4") == "cannot open '/no/such.mp4': no such file")
    }

    @Test func aFolderIsNoFile() {
        #expect(refusal(url(folder.path)) == "cannot open '\(folder.path)': is a folder")
    }

    @Test func aFIFOIsRefusedAtOnce() {
        let path = folder.path + "/fifo"
        #expect(mkfifo(path, 0o600) == 0)
        #expect(refusal(url(path)) == "cannot open '\(path)': not a regular file; copy it to a file first")
    }

    @Test func aForbiddenFileSaysSo() throws {
        let path = try folder.write("secret", [1])
        chmod(path, 0)
        #expect(
            OrdinaryUser.runs(owning: path) { refusal(url(path)) } == "cannot open '\(path)': permission denied")
    }

    @Test func networkURLsAreRefused() {
        #expect(
            refusal("https://user:secret@h/x.mp4")
                == "cannot open 'https://h/x.mp4': not supported here; download it and open the file")
    }

    @Test func aRemoteAssetNeverReadsFiles() throws {
        let file = url(try folder.write("x", [1]))
        #expect(
            refusal(file, for: "https://h/feed.m3u8")?.hasSuffix("may only link to http and https addresses") == true)
    }

    @Test func otherSchemesAreRefused() {
        #expect(refusal("rtsp://h/x") == "cannot open 'rtsp://h/x': flick does not read 'rtsp' addresses")
        #expect(refusal("nothing")?.contains("not a valid URL") == true)
    }

    @Test func messagesAreOneCleanLine() {
        let message = refusal(url("/no/\u{1B}[31m\n\u{202E}x.mp4"))
        #expect(message == "cannot open '/no/\u{FFFD}[31m\u{FFFD}\u{FFFD}x.mp4': no such file")
    }

    @Test func readingAllStopsAtTheLimit() throws {
        let file = url(try folder.write("x", [UInt8](repeating: 7, count: 3 << 20)))
        #expect(try provider.readAll(file, limit: 3 << 20).count == 3 << 20)
        #expect(throws: BytesError(verb: .read, url: file, reason: .tooLarge(limit: 2 << 20))) {
            try provider.readAll(file, limit: 2 << 20)
        }
    }
}
