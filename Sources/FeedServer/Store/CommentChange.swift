import Model

/// What a viewer does with a comment. A value.
struct CommentChange: Sendable, Equatable {
    var comment: Int64
    var item: String
    var viewer: String
    /// The viewer is known by an address, which many may share: that shows no one to be an author.
    var isByAddress = false
    /// The viewer runs the server, and may delete others' comments.
    var isOperator = false
    var act: CommentAct
    /// When it was done, by the client's clock. Of likes only the latest counts.
    var at: Double
    /// When the server received it, by its own.
    var received: Double

    /// How long a deleted comment can be brought back, in seconds; the next change of a comment
    /// after that erases its text.
    static let grace = 3_600.0
}

/// Why a comment is not changed. A value.
enum CommentRefusal: Sendable, Equatable {
    /// It is not there, or not on that item.
    case unknown
    /// Another viewer has written it, or deleted it.
    case notOwn
    /// Its text is erased.
    case tooLate
}

/// What a store knows of a comment, and what follows from it: one rule for every kind of store. A value.
struct CommentState {
    var item: String
    var viewer: String
    var likes: Int
    /// In seconds since 1970; nil while it is there.
    var deleted: Double?
    /// nil: the server's operator.
    var deletedBy: String?

    /// What a store does for a change.
    enum Step: Equatable {
        case delete(by: String?)
        /// The operator deletes what its author has deleted: the author cannot bring it back.
        case seal
        case restore
        case like(Bool)
        case report(reason: String)
        case nothing(WriteOutcome)
    }

    static func step(_ change: CommentChange, at known: CommentState?) -> Step {
        guard let known, known.item == change.item else { return .nothing(.refused(.unknown)) }
        switch change.act {
        case .delete(true):
            guard change.isOperator || (known.viewer == change.viewer && !change.isByAddress) else {
                return .nothing(.refused(.notOwn))
            }
            guard known.deleted != nil else { return .delete(by: change.isOperator ? nil : change.viewer) }
            return change.isOperator && known.deletedBy != nil ? .seal : .nothing(.repeated)
        case .delete(false):
            guard let deleted = known.deleted else {
                let isAllowed = change.isOperator || known.viewer == change.viewer
                return .nothing(isAllowed ? .repeated : .refused(.notOwn))
            }
            guard change.isOperator || (known.deletedBy == change.viewer && !change.isByAddress) else {
                return .nothing(.refused(.notOwn))
            }
            return change.received - deleted <= CommentChange.grace ? .restore : .nothing(.refused(.tooLate))
        case .like(let isOn): return known.deleted == nil ? .like(isOn) : .nothing(.refused(.unknown))
        case .report(let reason):
            return known.deleted == nil ? .report(reason: reason) : .nothing(.refused(.unknown))
        }
    }
}

/// A viewer's report of a comment. A value.
struct StoredReport: Sendable, Equatable {
    var comment: StoredComment
    var reason: String
    /// In seconds since 1970.
    var at: Double
}

/// A deleted item, whose files wait in `TrashFolder`. A value.
struct ItemRemoval: Sendable, Equatable {
    var item: String
    /// false: it was brought back.
    var isRemoved: Bool
    /// Its clip's, below the served folder.
    var path: [UInt8]
    /// The name of the folder with its files.
    var place: String
}
