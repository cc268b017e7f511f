import CProcess
import Platform

/// The memory that a decoder writes pictures to and flick reads them from: `slots` places of `slotBytes`, of which only
/// touched pages cost memory.
///
/// The messages say who may touch a slot: the decoder from the start and after `release`, flick between `picture` and
/// `release`. A decoder that breaks this rule spoils its own pictures and nothing else: the size is sealed, and headers
/// travel as messages. From any thread.
// @unchecked: `base` never changes, and the messages say whose a slot is.
public final class PictureRing: @unchecked Sendable {
    public static let slots: UInt32 = 12
    /// 16 MiB: 1920 × 1080 pixels and then some.
    public static let slotBytes = 16 << 20

    /// Owned by the ring's creator; closed with the ring.
    public let descriptor: Int32
    private let base: UnsafeMutableRawPointer

    /// A new ring.
    public convenience init() throws(WireError) {
        let descriptor = flick_shared_memory(Int(PictureRing.slots) * PictureRing.slotBytes)
        guard descriptor >= 0 else { throw .system(call: "memfd_create", code: -descriptor) }
        try self.init(descriptor: descriptor)
    }

    /// The ring behind a descriptor, which is closed with the ring.
    public init(descriptor: Int32) throws(WireError) {
        let size = Int(PictureRing.slots) * PictureRing.slotBytes
        let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let mapped, mapped != MAP_FAILED else {
            let code = errno
            close(descriptor)
            throw .system(call: "mmap", code: code)
        }
        self.descriptor = descriptor
        base = mapped
    }

    deinit {
        munmap(base, Int(PictureRing.slots) * PictureRing.slotBytes)
        close(descriptor)
    }

    /// The first pixel of a slot, which must be under `slots`.
    public func pixels(of slot: UInt32) -> UnsafeMutablePointer<UInt32> {
        precondition(slot < PictureRing.slots, "the ring has no slot \(slot)")
        return (base + Int(slot) * PictureRing.slotBytes).assumingMemoryBound(to: UInt32.self)
    }

    /// Whether `height` rows of `stride` pixels fit in a slot.
    public static func fits(stride: UInt32, height: UInt32) -> Bool {
        stride <= 65_536 && height <= 65_536 && Int(stride) * Int(height) * 4 <= slotBytes
    }
}
