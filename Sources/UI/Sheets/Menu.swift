import Model

/// An entry of the item's menu.
struct MenuEntry: Sendable, Equatable {
    var action: Action
    var text: String
}

extension State {
    /// What can be done with the current item: nothing that does not apply to it.
    var menu: [MenuEntry] {
        var entries: [MenuEntry] = []
        func add(_ action: Action, _ text: String) { entries.append(MenuEntry(action: action, text: text)) }
        /// What leads to a list or a text field, where more is chosen.
        func addList(_ action: Action, _ text: String) { add(action, text + (options.isASCII ? "..." : "…")) }
        if let item = content?.item {
            let reaction = reactions[item.id]
            if clip.failure != nil { add(.retry, "Retry") }
            add(.like, reaction.isLiked ? "Unlike" : "Like")
            add(.dislike, reaction.isDisliked ? "Remove dislike" : "Dislike")
            if showsComments || (item.stats?.comments ?? 0) > 0 { addList(.comments, "Comments") }
            if acceptsComments { addList(.message, "Add a comment") }
            add(.save, reaction.isSaved ? "Unsave" : "Save")
            add(.copyLink, "Share: copy the link")
            if item.author != nil, !item.own { add(.follow, reactions.follows(item) ? "Unfollow" : "Follow") }
            if FeedPart.maker(of: item) != nil {
                add(.creator, item.creator == nil ? "Clips in this folder" : "Clips by this creator")
            }
            if topics.count > 1 { addList(.topics, "Topics") }
            // It is opened at once.
            if topics.count == 1 { add(.topics, "Clips with this topic") }
            let turnsOff = feed.places.current == .forYou
            addList(.notInterested, turnsOff ? "Not interested, or turn For You off" : "Not interested")
            add(.open, "Open in another program")
            if RemoteURL(item.url) != nil {
                add(.keepOffline, clip.isKeptOffline ? "Remove the download" : "Download")
            }
            if clip.failure == nil, !isCovered, clip.facts != nil {
                add(.saveClip, playback.saving.contains(item.id) ? "Cancel saving the clip" : "Save the clip as a file")
            }
            if clip.failure == nil, clip.facts?.hasVideo == true { add(.saveFrame, "Save this frame") }
            if let words = nextSubtitlesWords { add(.subtitles, words) }
            if let words = nextSoundWords { add(.soundTrack, words) }
            if clip.failure == nil, clip.facts?.hasVideo == true { addList(.quality, "Quality") }
            if clip.failure == nil, clip.facts != nil, !clip.chapters.isEmpty {
                add(.chapterForward, "Next chapter")
                add(.chapterBack, "Previous chapter")
            }
            if clip.failure == nil, clip.facts?.isSeekable == true, clip.duration != nil {
                add(.repeatPart, nextRepeatWords)
            }
            if canDeleteItem { add(.deleteItem, "Delete from the server") }
            if content?.trust != nil { add(.trust, "About this trust score") }
        }
        if items.count > 1 { addList(.filter, "Find a clip") }
        add(.sleepTimer, playback.sleep.words)
        add(.diagnostics, forYouReason.map { "Why: \($0)" } ?? "Diagnostics")
        add(.help, "All keys")
        return entries
    }

    /// Why For You has the current clip; nil in other places.
    var forYouReason: String? {
        feed.places.current == .forYou ? currentID.flatMap { feed.reasons[$0] } : nil
    }
}
