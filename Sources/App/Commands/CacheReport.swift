import Cache
import Model

/// What `flick cache` prints. Pure.
struct CacheReport {
    /// NDJSON, or lines for people.
    var json: Bool
    /// Seconds since 1970.
    var now: Double
    /// The columns of the terminal that lines have to fit; nil where they may be longer.
    var columns: Int?
    /// The titles of clips, by their URLs.
    var titles: [String: String] = [:]

    func status(_ status: CacheInspection.Status) -> String {
        if json {
            return line { line in
                line.put("folder", .text(status.folder))
                line.put("bytes", .integer(Int(status.bytes)))
                line.put("limit", .integer(Int(status.limit)))
                line.put("entries", .integer(status.entries))
                line.put("offline_bytes", .integer(Int(status.offlineBytes)))
                line.put("offline_entries", .integer(status.offlineEntries))
                line.put("version", .integer(status.version))
                line.put("encrypted", .flag(status.isSealed))
            }
        }
        // What is kept offline is beside the limit.
        let bytes = status.bytes - status.offlineBytes
        let part = status.limit > 0 ? Int(Double(bytes) / Double(status.limit) * 100) : 0
        let kept = "\(Amount.text(bytes: bytes)) of \(Amount.text(bytes: status.limit)) (\(part) %)"
        let offline = "\(Amount.text(bytes: status.offlineBytes)) in \(CacheReport.count(status.offlineEntries))"
        return """
            folder     \(CleanText.line(status.folder))
            cached     \(kept) in \(CacheReport.count(status.entries - status.offlineEntries))
            offline    \(offline)
            encrypted  \(status.isSealed ? "yes" : "no")
            version    \(status.version)

            """
    }

    func list(_ entries: [CacheInspection.Entry]) -> String {
        if json { return entries.map { entry in line { put(entry, into: &$0) } }.joined() }
        guard !entries.isEmpty else { return "the cache is empty\n" }
        let columns = entries.map { entry in
            [
                Amount.text(bytes: entry.bytes), part(entry), Amount.text(ago: now - entry.lastUsed),
                CleanText.line(entry.type ?? "-", limit: 40), name(of: entry),
            ]
        }
        let rows = [["SIZE", "CACHED", "LAST USED", "TYPE", titles.isEmpty ? "ADDRESS" : "CLIP"]] + columns
        // The name comes last, and has the rest of the line.
        let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = widths.indices.map { column in
                let gap = String(repeating: " ", count: widths[column] - row[column].count)
                // Right-aligns sizes, so that they can be compared.
                return column == 0 ? gap + row[column] : row[column] + gap
            }
            let line = cells.joined(separator: "  ") + "  "
            return line + Self.shortened(row[4], to: self.columns.map { max($0 - line.count, 12) }) + "\n"
        }.joined()
    }

    /// Reports an entry with damaged bytes.
    func damage(_ entry: CacheInspection.Entry, badBytes: Int64) -> String {
        if json {
            return line { line in
                line.put("url", .text(entry.url))
                line.put("bad_bytes", .integer(Int(badBytes)))
            }
        }
        return "\(ShownName.of(entry.url)): \(Amount.text(bytes: badBytes)) damaged\n"
    }

    func verification(_ result: CacheInspection.Verification) -> String {
        if json {
            return line { line in
                line.put("entries", .integer(result.entries))
                line.put("bytes", .integer(Int(result.bytes)))
                line.put("bad_bytes", .integer(Int(result.badBytes)))
                line.put("dropped", .integer(Int(result.dropped)))
            }
        }
        let read = "read \(Amount.text(bytes: result.bytes)) in \(CacheReport.count(result.entries))"
        guard result.badBytes > 0 else { return "\(read): no damage found\n" }
        let bad = Amount.text(bytes: result.badBytes)
        return "\(read): \(bad) damaged and removed; will be downloaded again\n"
    }

    func cleared(_ bytes: Int64) -> String {
        json ? line { $0.put("freed", .integer(Int(bytes))) } : "freed \(Amount.text(bytes: bytes))\n"
    }

    private func put(_ entry: CacheInspection.Entry, into line: inout JSONLine) {
        line.put("url", .text(entry.url))
        if let title = titles[entry.url] { line.put("title", .text(title)) }
        line.put("bytes", .integer(Int(entry.bytes)))
        line.put("length", entry.length.map { .integer(Int($0)) } ?? .null)
        line.put("whole", .flag(entry.isWhole))
        line.put("type", entry.type.map { .text($0) } ?? .null)
        line.put("last_used", .number(entry.lastUsed))
        line.put("retention", .text(entry.retention.rawValue))
    }

    /// The clip's title, else the address.
    private func name(of entry: CacheInspection.Entry) -> String {
        titles[entry.url].map { CleanText.line($0, limit: 80) } ?? ShownName.of(entry.url)
    }

    /// Without its middle, as host and file say most.
    private static func shortened(_ name: String, to room: Int?) -> String {
        guard let room else { return name }
        return GlyphLine(name).shortened(to: room).text
    }

    /// How much of a resource is cached.
    private func part(_ entry: CacheInspection.Entry) -> String {
        if entry.isWhole { return "all" }
        guard let length = entry.length, length > 0 else { return "-" }
        // Limited before it is rounded, because a damaged index can contain any number.
        return "\(Int(min(99, Double(entry.bytes) / Double(length) * 100))) %"
    }

    private func line(_ body: (inout JSONLine) -> Void) -> String {
        var line = JSONLine()
        body(&line)
        return line.object + "\n"
    }

    private static func count(_ entries: Int) -> String { entries == 1 ? "1 entry" : "\(entries) entries" }
}
