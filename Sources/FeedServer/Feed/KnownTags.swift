import Model

/// The tags of clips in the edition that was read last. A value.
///
/// A folder is searched again and again. The tags of a clip hold until another edition
/// of it was read, or a whole search passed without it.
struct KnownTags {
    private struct Edition {
        var validators: Validators
        var tags: ContainerTags?
        /// Which look saw the clip last.
        var look: Int
    }

    private var clips: [UInt64: Edition] = [:]
    private var look = 0

    /// The tags of the clips that have some, by the number of their id.
    var tags: [UInt64: ContainerTags] { clips.compactMapValues(\.tags) }

    /// The look sees the clip. Returns whether it need not be read: this edition of it was.
    mutating func has(_ number: UInt64, _ validators: Validators) -> Bool {
        clips[number]?.look = look
        return clips[number]?.validators == validators
    }

    /// An edition was read; nil: it says nothing.
    mutating func note(_ tags: ContainerTags?, of number: UInt64, _ validators: Validators) {
        clips[number] = Edition(validators: validators, tags: tags, look: look)
    }

    /// A look has come to its end: forgets the clips that it did not see. The next begins.
    mutating func forgetUnseen() {
        clips = clips.filter { $0.value.look == look }
        look += 1
    }
}
