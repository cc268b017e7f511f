import Bytes
import Foundation
import Model
import Player
import TestSupport
import Testing
import UI
import Wire

@testable import App

/// Frames that are saved one after the other.
@Suite(.timeLimit(.minutes(2))) struct FrameSessionTests {
    private let folder = TemporaryFolder()
    private let inbox: Inbox<LoopMessage>

    init() throws { inbox = try Inbox<LoopMessage>() }

    private func session(decoderPath: @escaping @Sendable () throws(AppError) -> String) throws -> FrameSession {
        let report = ReportSettings(stateFolder: folder.path)
        let journal = try Journal(report, file: LogFile(path: folder.path + "/log"), clock: ProcessClock())
        let saved = try folder.folder("saved")
        return FrameSession(
            provider: FileProvider(), inbox: inbox, journal: journal, folder: { () throws(AppError) in saved },
            decoderPath: decoderPath)
    }

    private func frame(_ title: String, of path: String, at time: Duration = .zero) -> SavedFrame {
        SavedFrame(
            item: Item(id: title, url: FileURL.url(path: path.utf8), title: title), time: time,
            size: PixelSize(width: 1_280, height: 720))
    }

    /// Waits for that many notices.
    private func posted(_ count: Int) -> [String] {
        var found: [String] = []
        #expect(
            holds(within: .seconds(30)) {
                found += inbox.drain().compactMap { message -> String? in
                    switch message {
                    case .event(.notice(let text, .failure)): text
                    case .event(.linkNotice(let words, let link, .news)): "\(words): \(link)"
                    default: nil
                    }
                }
                return found.count >= count
            })
        return found
    }

    /// The number of the frame in a file.
    private func number(inFile name: String) throws -> Int? {
        let url = FileURL.url(path: "\(folder.path)/saved/\(name)".utf8)
        let decode = try LinearDecode(
            url: url, pictures: SurfaceRequest(generation: 1, width: 1_280, height: 720, fit: .fit), start: .zero,
            decoderPath: FlickBinary.sibling("flick-decoder"), bytes: MediaBytes(local: FileProvider()))
        while true {
            switch try decode.next() {
            case .opened: break
            case .picture(let header):
                return try decode.withPicture(header) { view in
                    FrameCode.decode { x, y in
                        let (column, row) = (Int(x * Double(view.size.width)), Int(y * Double(view.size.height)))
                        // Black and white: any channel will do.
                        return Double(view.pixels[row * view.stride + column] & 0xFF)
                    }
                }
            case .ended: return nil
            }
        }
    }

    @Test func framesAreSavedInOrderEachWithItsItemAndTime() async throws {
        let clip = try TestClips.path(TestClips.landscape)
        let session = try session { () throws(AppError) in FlickBinary.sibling("flick-decoder") }
        let frames = [
            frame("One", of: clip, at: .seconds(1)), frame("Gone", of: "/nowhere.mp4"),
            frame("Two", of: clip, at: .seconds(2)),
        ]
        for frame in frames { session.save(frame, retention: .home) }
        let posted = posted(3)
        let saved = folder.path + "/saved/"
        #expect(posted.first == "Frame saved: \(saved)One 0m1.000s.png")
        #expect(posted.last == "Frame saved: \(saved)Two 0m2.000s.png")
        #expect(posted.count == 3 && posted[1].hasPrefix("Couldn't save the frame: "))
        let files = try FileManager.default.contentsOfDirectory(atPath: saved)
        #expect(files.sorted() == ["One 0m1.000s.png", "Two 0m2.000s.png"])
        let numbers = try await onThread { try files.sorted().map { try number(inFile: $0) } }
        #expect(numbers == [30, 60])
    }

    /// One is being saved, and eight wait. That the first cannot be saved does not stop them.
    @Test func framesBeyondTheLimitAreRefused() throws {
        let gate = DispatchSemaphore(value: 0)
        let session = try session { () throws(AppError) -> String in
            gate.wait()
            gate.signal()
            throw AppError("no decoder")
        }
        for number in 0...FrameSession.limit { session.save(frame("\(number)", of: "/a.mp4"), retention: .home) }
        #expect(inbox.drain().isEmpty)
        session.save(frame("more", of: "/a.mp4"), retention: .home)
        let refused = posted(1)
        #expect(refused == ["Couldn't save the frame: too many frames are being saved"])
        gate.signal()
        let failed = posted(FrameSession.limit + 1)
        #expect(failed == Array(repeating: "Couldn't save the frame: no decoder", count: FrameSession.limit + 1))
        // There is room again.
        session.save(frame("again", of: "/a.mp4"), retention: .home)
        let again = posted(1)
        #expect(again == ["Couldn't save the frame: no decoder"])
    }
}
