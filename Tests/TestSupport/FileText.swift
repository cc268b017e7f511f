import Foundation

/// The text of a file; nil if it is not there, as what another program is still to write.
public func fileText(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
}
