import Model

/// Actions on the current clip and its item.
extension State {
    mutating func togglePlay(now: Duration) -> [Effect] {
        guard items.count > 0, clip.failure == nil, !isCovered else { return [] }
        var effects = commitScrub(now: now)
        if isPaused {
            playback.wantsPlay = true
            clip.wasStopped = false
            if clip.hasEnded {
                effects += onCurrent { .seek($0, to: .zero) }
                clip.hasEnded = false
            }
            effects += onCurrent { .play($0) }
        } else {
            playback.wantsPlay = false
            effects += onCurrent { .pause($0) }
            freeze(now: now)
        }
        if !options.reducedMotion { playback.showPop(now: now) }
        return effects
    }

    /// The clip waits while another window has the keyboard. A key says that this one has it: a terminal may not.
    mutating func focus(_ isThere: Bool, now: Duration) -> [Effect] {
        guard isThere == playback.lacksFocus else { return [] }
        let wasPaused = isPaused
        playback.lacksFocus = !isThere
        guard items.count > 0, isPaused != wasPaused else { return [] }
        if isThere { return onCurrent { .play($0) } }
        freeze(now: now)
        return onCurrent { .pause($0) }
    }

    /// Freezes the scrubber where the picture stopped.
    mutating func freeze(now: Duration) {
        clip.freeze(speed: playback.speed, now: now)
    }

    mutating func retry(now: Duration) -> [Effect] {
        clip = Clip(page: current)
        playback.wantsPlay = true
        loading.startOver(now: now)
        return onCurrent { .retry($0) } + onCurrent { .play($0) }
    }

    // MARK: Time

    /// The clip's length if seeking is possible; otherwise shows a notice and returns nil.
    mutating func seekableDuration(now: Duration) -> Duration? {
        guard clip.failure == nil else { return nil }
        guard clip.facts?.isSeekable ?? true, let duration = clip.duration else {
            if clip.facts != nil { toasts.show("Cannot seek in this clip", as: .failure, about: .clip, now: now) }
            return nil
        }
        return duration
    }

    mutating func scrub(by step: Duration, now: Duration) -> [Effect] {
        guard let duration = seekableDuration(now: now), let id = currentID else { return [] }
        let position = shownPosition(now: now)
        return [.preview(id, to: seeking.scrub(id, by: step, from: position, within: duration, now: now))]
    }

    mutating func scrub(toShare share: Double, now: Duration) -> [Effect] {
        guard let duration = seekableDuration(now: now), let id = currentID else { return [] }
        let position = shownPosition(now: now)
        let target = seeking.drag(id, to: duration * share, from: position, within: duration)
        return target.map { [.preview(id, to: $0)] } ?? []
    }

    mutating func commitScrub(now: Duration) -> [Effect] {
        seeking.takeScrub().map { seek(to: $0, now: now) } ?? []
    }

    /// Ends a scrub without a seek, because the user leaves the page.
    mutating func endScrub() {
        seeking.dropScrub()
        if pointer.press?.purpose == .scrubbing { pointer.decide(.done) }
    }

    mutating func seek(toTenth tenth: Int, now: Duration) -> [Effect] {
        guard let duration = seekableDuration(now: now) else { return [] }
        return seek(to: duration * tenth / 10, now: now)
    }

    /// Returns nothing but a notice if the clip is not seekable.
    mutating func seek(toTime time: Duration, now: Duration) -> [Effect] {
        guard let duration = seekableDuration(now: now) else { return [] }
        return seek(to: min(time, duration), now: now)
    }

    private mutating func seek(to time: Duration, now: Duration) -> [Effect] {
        seeking.seek(to: time, now: now)
        clip.hasEnded = false
        return onCurrent { .seek($0, to: time) }
    }

    mutating func step(by pictures: Int, now: Duration) -> [Effect] {
        guard clip.failure == nil, !isCovered, currentID != nil else { return [] }
        var effects: [Effect] = []
        if !isPaused {
            playback.wantsPlay = false
            effects += onCurrent { .pause($0) }
            freeze(now: now)
        }
        if options.isPlain {
            toasts.show(pictures > 0 ? "One frame forward" : "One frame back", about: .clip, now: now)
        }
        return effects + onCurrent { .step($0, by: pictures) }
    }

    /// The frame in view becomes a file.
    mutating func saveFrame(now: Duration) -> [Effect] {
        guard let id = currentID, clip.failure == nil, !isCovered, clip.facts?.hasVideo == true else {
            toasts.show("No frame to save", as: .failure, about: .clip, now: now)
            return []
        }
        return [.saveFrame(id)]
    }

    /// The clip in view becomes a file; what is being saved of it no longer does.
    mutating func saveClip(now: Duration) -> [Effect] {
        guard let id = currentID, clip.failure == nil, !isCovered else {
            toasts.show("No clip to save", as: .failure, about: .clip, now: now)
            return []
        }
        return [.saveClip(id)]
    }

    /// A clip that is being saved has this many bytes on disk.
    ///
    /// - Parameter length: in bytes; nil while unknown.
    mutating func saving(_ id: Item.ID, bytes: Int64, of length: Int64?, now: Duration) {
        playback.saving.insert(id)
        let share = length.map { "\(Int((Double(bytes) / Double(max($0, 1)) * 100).rounded(.down))) %" }
        let amount = share ?? (bytes > 0 ? "\(bytes / 1_000_000) MB" : nil)
        let words = "Saving the clip" + (amount.map { ": \($0)" } ?? "")
        let shown = id == currentID ? offering(.saveClip, "to cancel", after: words) : words
        // The beginning answers a key.
        toasts.show(shown, as: bytes == 0 ? .news : .progress, now: now)
    }

    mutating func setSpeed(_ wanted: Double, now: Duration) -> [Effect] {
        clip.hold(speed: playback.speed, now: now)
        playback.setSpeed(wanted)
        toasts.show("Speed \(playback.speedText)", now: now)
        return [.setSpeed(playback.speed)]
    }

    // MARK: Sound

    mutating func mute(_ muted: Bool, now: Duration) -> [Effect] {
        playback.sound.isMuted = muted
        return setSound(now: now)
    }

    mutating func setVolume(_ wanted: Double, now: Duration) -> [Effect] {
        playback.sound.setVolume(wanted)
        return setSound(now: now)
    }

    private mutating func setSound(now: Duration) -> [Effect] {
        let sound = playback.sound
        toasts.show(sound.words(isASCII: options.isASCII, isPlain: options.isPlain), now: now)
        return [.setVolume(sound.level)]
    }

    // MARK: Reactions

    /// The user has changed a reaction.
    ///
    /// - Parameters:
    ///   - action: what the user did.
    ///   - words: shown for it; without words, what was shown of the clip before ends.
    private mutating func reacted(_ action: Action, to item: Item.ID, words: String?, now: Duration) -> [Effect] {
        if let words { toasts.show(words, about: .clip, now: now) } else { toasts.dropClip() }
        send(action, of: item, now: now)
        return [.react(item, reactions[item])]
    }

    mutating func like(by trigger: Trigger, now: Duration) -> [Effect] {
        guard let item = currentID else { return [] }
        var point: GridPoint?
        if case .doubleClick(let at) = trigger { point = at }
        let isLiked = point != nil || !reactions[item].isLiked
        let burst = isLiked && !options.reducedMotion ? Reactions.Burst(at: point, start: now) : nil
        reactions.like(item, isLiked, burst: burst)
        let words = isLiked ? (burst == nil ? "Liked" : nil) : offering(.like, "to undo", after: "Unliked")
        return reacted(.like, to: item, words: words, now: now)
    }

    mutating func dislike(now: Duration) -> [Effect] {
        guard let item = currentID else { return [] }
        reactions.toggleDislike(item)
        let isDisliked = reactions[item].isDisliked
        let words = isDisliked ? "Disliked" : offering(.dislike, "to undo", after: "Dislike removed")
        return reacted(.dislike, to: item, words: words, now: now)
    }

    mutating func save(now: Duration) -> [Effect] {
        guard let item = currentID else { return [] }
        reactions.toggleSave(item)
        let words = reactions[item].isSaved ? "Saved" : offering(.save, "to undo", after: "Unsaved")
        return reacted(.save, to: item, words: words, now: now)
    }

    mutating func copyLink(now: Duration) -> [Effect] {
        guard let item = content?.item else { return [] }
        reactions.share(item.id)
        send(.copyLink, of: item.id, now: now)
        let address = Self.address(of: item)
        return [.share(item.id), .copy(options.copiesSecrets ? address : SafeURL.shareable(address))]
    }

    mutating func openElsewhere(now: Duration) -> [Effect] {
        guard let item = content?.item else { return [] }
        return [.openElsewhere(Self.address(of: item))]
    }

    /// Another program has opened this: if it is the current item, it continues there.
    mutating func openedElsewhere(_ address: String, now: Duration) -> [Effect] {
        toasts.show("Opened in another program", about: .clip, now: now)
        guard let item = content?.item, Self.address(of: item) == address, !isPaused else { return [] }
        playback.wantsPlay = false
        clip.isPlaying = false
        return [.pause(item.id)]
    }

    /// The item's link as the feed gives it, without control characters, which could command a terminal.
    private static func address(of item: Item) -> String {
        String((item.link ?? item.url).unicodeScalars.filter { $0.value > 0x20 && !(0x7F..<0xA0).contains($0.value) })
    }

    mutating func follow(now: Duration) -> [Effect] {
        guard let content else { return [] }
        guard let creator = content.item.author else {
            toasts.show("This clip has no creator to follow", about: .clip, now: now)
            return []
        }
        guard !content.item.own else {
            toasts.show("This is your own clip", about: .clip, now: now)
            return []
        }
        let follows = reactions.toggleFollow(creator.key)
        let name = content.name.truncated(to: 24).text
        let words = follows ? "Following \(name)" : offering(.follow, "to undo", after: "Unfollowed \(name)")
        toasts.show(words, about: .clip, now: now)
        send(.follow, of: content.item.id, now: now)
        return [.follow(content.item.id, follows)]
    }

    /// The service did not take a reaction.
    mutating func takeBack(_ id: Item.ID, to before: Reaction, why: String, now: Duration) {
        reactions.takeBack(id, to: before)
        if id == currentID { reactions.dropBurst() }
        toasts.show("Change not saved: \(CleanText.line(why, limit: 200))", as: .failure, now: now)
    }

    mutating func takeBack(follow creator: String, to before: Bool, why: String, now: Duration) {
        reactions.takeBack(follow: creator, to: before)
        toasts.show("Change not saved: \(CleanText.line(why, limit: 200))", as: .failure, now: now)
    }

    /// Some feeds have the number of comments, but not their texts.
    mutating func comments(now: Duration) -> [Effect] {
        if showsComments || view.sheet == .comments { return openComments(now: now) }
        guard let stats = content?.item.stats, let count = stats.comments, count > 0 else {
            toasts.show("This feed has no comments", about: .clip, sheet: .comments, now: now)
            return []
        }
        let comments = count == 1 ? "1 comment" : "\(Label.count(count)) comments"
        toasts.show("\(comments); this feed doesn't share them", about: .clip, sheet: .comments, now: now)
        return []
    }
}
