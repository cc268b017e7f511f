import Model

/// What the mouse did. Positions are in cells from the top left. A value.
public struct Mouse: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        case press(Button), release(Button)
        /// The pointer moved while a button was down.
        case drag
        /// It moved while none was.
        case move
        case wheelUp, wheelDown, wheelLeft, wheelRight
    }
    public enum Button: Hashable, Sendable { case left, middle, right }

    public var action: Action
    public var at: GridPoint

    public init(_ action: Action, at: GridPoint) {
        self.action = action
        self.at = at
    }
}

/// Mouse reports in the SGR form (mode 1006): `CSI < buttons ; column ; row M`
/// for a press or a move, `m` for a release.
enum MouseGrammar {
    static func mouse(body: ArraySlice<UInt8>, final: UInt8) -> Mouse? {
        guard final == UInt8(ascii: "M") || final == UInt8(ascii: "m"), body.first == UInt8(ascii: "<"),
            let fields = KeyGrammar.fields(of: body.dropFirst()), fields.count == 3,
            let code = fields[0].first, let column = fields[1].first, let row = fields[2].first,
            column >= 1, row >= 1, column <= 100_000, row <= 100_000
        else { return nil }
        let at = GridPoint(column: column - 1, row: row - 1)
        let isRelease = final == UInt8(ascii: "m")
        let button: Mouse.Button? =
            switch code & 0b1100_0011 {
            case 0: .left
            case 1: .middle
            case 2: .right
            default: nil
            }
        switch code & 0b1100_0011 {
        case 64 where !isRelease: return Mouse(.wheelUp, at: at)
        case 65 where !isRelease: return Mouse(.wheelDown, at: at)
        case 66 where !isRelease: return Mouse(.wheelLeft, at: at)
        case 67 where !isRelease: return Mouse(.wheelRight, at: at)
        case 3 where code & 32 != 0 && !isRelease: return Mouse(.move, at: at)
        default: break
        }
        guard let button else { return nil }
        // Bit 32: it moved while the button was down.
        if code & 32 != 0 { return isRelease ? nil : Mouse(.drag, at: at) }
        return Mouse(isRelease ? .release(button) : .press(button), at: at)
    }
}
