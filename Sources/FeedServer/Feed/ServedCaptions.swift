import Feeds
import Model

/// Files of subtitles beside the clips of the served folder: those that the walk found, and no other file.
enum ServedCaptions {
    /// Those of an item that are there and may be served. Blocks on the disk.
    static func found(
        beside clip: ArraySlice<UInt8>, at place: Int, of index: FolderIndex, below root: Int32
    ) -> [CaptionSidecar] {
        index.paths.chosenCaptions(at: place).filter { file($0, beside: clip, below: root) != nil }
    }

    /// The file; nil if it is gone since the walk, or larger than clients read. Blocks on the disk.
    static func file(_ caption: CaptionSidecar, beside clip: ArraySlice<UInt8>, below root: Int32) -> ServedFile? {
        guard let file = ServedFile(below: root, path: caption.path(of: clip)), file.size <= CaptionLink.sizeLimit
        else { return nil }
        return file
    }
}
