import Bytes
import Model

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The sources read so far.
struct Gathering {
    private let door: any ByteDoor
    private let options: FeedOptions
    private var parts: [any ItemList] = []
    /// Clips named one by one, until something else comes between.
    private var clips = PathList()
    private var warnings: [String] = []
    private var failures: [FeedsError] = []
    private var named: [String] = []
    private var titles: [String?] = []
    private var manifests: [Manifest] = []

    init(door: any ByteDoor, options: FeedOptions) {
        self.door = door
        self.options = options
    }

    mutating func add(_ argument: String) {
        do throws(FeedsError) {
            switch try source(argument) {
            case .folder(let path): try addFolder(path)
            case .clip(let url): addClip(url)
            case .manifest(let url): try addManifest(try read(url), at: url)
            case .standardInput: try addList(try readStandardInput())
            }
        } catch {
            failures.append(error)
        }
    }

    mutating func feed() throws(FeedsError) -> Feed {
        endClips()
        let isEmpty = parts.allSatisfy { $0.count == 0 }
        if isEmpty { throw failures.first ?? .noItems(named.joined(separator: " "), skipped: 0, first: nil) }
        let items: any ItemList =
            parts.count == 1 && options.shuffle == nil && options.limit == nil
            ? parts[0] : ArrangedList(parts, shuffle: options.shuffle, limit: options.limit)
        // A feed of several sources has no next page and nobody to report to.
        let only = named.count == 1 ? manifests.first : nil
        return Feed(
            title: titles.count == 1 ? titles[0] : nil, items: items, next: only?.next, engagement: only?.engagement,
            warnings: failures.map(\.description) + warnings, source: named.joined(separator: " "))
    }

    private func source(_ argument: String) throws(FeedsError) -> Source {
        do throws(BytesError) { return try Source.parse(argument, door: door) } catch { throw .unreadable(error) }
    }

    private func read(_ url: String) throws(FeedsError) -> [UInt8] {
        do throws(BytesError) {
            return try door.readAll(url, limit: Manifest.sizeLimit)
        } catch {
            throw .unreadable(error)
        }
    }

    private mutating func addFolder(_ path: [UInt8]) throws(FeedsError) {
        let url = FileURL.url(path: path)
        var walk: FolderWalk
        do throws(BytesError) { walk = try FolderWalk(path: path) } catch { throw .unreadable(error) }
        guard walk.clips.count > 0 else { throw walk.sawAnything ? .noMedia(url) : .emptyFolder(url) }
        walk.arrange(options.order)
        warnings += walk.warnings
        endClips()
        parts.append(walk.clips)
        named.append(url)
        titles.append(path.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) })
    }

    private mutating func addClip(_ url: String) {
        named.append(url)
        titles.append(nil)
        take(url)
    }

    private mutating func take(_ url: String) {
        if let path = FileURL.path(of: url), clips.append(path) { return }
        endClips()
        parts.append([Item(id: ItemID.hash(of: url), url: url)])
    }

    private mutating func endClips() {
        if clips.count > 0 { parts.append(clips) }
        clips = PathList()
    }

    private mutating func addManifest(_ bytes: [UInt8], at url: String) throws(FeedsError) {
        let manifest = try Manifest.parse(bytes, at: url)
        warnings += manifest.warnings.map { "\(ShownName.of(url)): \($0)" }
        guard !manifest.items.isEmpty else {
            throw .noItems(url, skipped: manifest.skipped, first: manifest.warnings.first)
        }
        endClips()
        parts.append(manifest.items)
        named.append(url)
        titles.append(manifest.title)
        manifests.append(manifest)
    }

    /// A list of sources, a line each, or each ended by NUL if there is one (`find -print0`); or a manifest.
    private mutating func addList(_ bytes: [UInt8]) throws(FeedsError) {
        let here = FileURL.url(path: FileURL.absolute([]) + [UInt8(ascii: "/")])
        if Manifest.isLikely(bytes) { return try addManifest(bytes, at: here) }
        named.append("-")
        titles.append(nil)
        let separator: UInt8 = bytes.contains(0) ? 0 : 0x0A
        for entry in bytes.split(separator: separator) {
            var entry = entry
            if separator == 0x0A, entry.last == 0x0D { entry = entry.dropLast() }
            guard !entry.isEmpty, !entry.elementsEqual([UInt8(ascii: "-")]) else { continue }
            addEntry(entry)
        }
    }

    private mutating func addEntry(_ entry: ArraySlice<UInt8>) {
        let text = String(decoding: entry, as: UTF8.self)
        let isURL = URLParts(text)?.scheme != nil && URLParts(text)?.authority != nil
        if !isURL && ClipName.isClip(entry) {
            // No look at the file: a list may be long, and a clip that is missing gets its error page.
            take(FileURL.url(path: FileURL.absolute(entry)))
            return
        }
        do throws(FeedsError) {
            switch try source(text) {
            case .folder(let path): try addFolder(path)
            case .clip(let url): take(url)
            case .manifest(let url): try addManifest(try read(url), at: url)
            case .standardInput: break
            }
        } catch {
            failures.append(error)
        }
    }

    private func readStandardInput() throws(FeedsError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = chunk.withUnsafeMutableBytes { readSome(options.standardInput, $0) }
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw .unreadable(BytesError(verb: .read, url: "standard input", reason: .system(errno)))
            }
            bytes += chunk[..<count]
            guard bytes.count <= Manifest.sizeLimit else { throw .listTooLarge(limit: Manifest.sizeLimit) }
        }
    }
}

/// The system's `read`, which `Gathering`'s own method of that name hides.
private func readSome(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
