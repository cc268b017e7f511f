import Platform

/// One connection to the control socket. A value.
struct ControlConnection {
    enum Step: Equatable {
        /// It is to send its request.
        case asks
        /// The main loop is to answer.
        case waits
        /// It is to read the answer.
        case reads
        case isDone
    }

    /// How long it may take for each step.
    static let patience = Duration.seconds(2)

    /// How long after it came a client without a request makes room for another one.
    static let idle = Duration.milliseconds(200)

    let number: Int
    let socket: Descriptor
    var step = Step.asks
    /// Whether the socket had something when it was last looked at.
    var isReady = false
    private var received: [UInt8] = []
    private(set) var unsent: ArraySlice<UInt8> = []
    /// When the step is over, and the connection with it.
    private(set) var deadline: ContinuousClock.Instant
    /// From when on it counts as idle, unless it has sent its request.
    let idleAt: ContinuousClock.Instant

    init(_ number: Int, _ socket: Descriptor, now: ContinuousClock.Instant) {
        (self.number, self.socket) = (number, socket)
        (deadline, idleAt) = (now + Self.patience, now + Self.idle)
    }

    /// More of the request has come. Returns the command once it is whole, or why it is refused; nil before.
    mutating func take(
        _ bytes: some Collection<UInt8>, now: ContinuousClock.Instant
    ) -> Result<DesktopCommand, DesktopError>? {
        received += bytes
        guard let end = received.firstIndex(of: UInt8(ascii: "\n")) else {
            guard received.count > ControlProtocol.requestLimit else { return nil }
            return .failure(Self.tooLong)
        }
        guard end <= ControlProtocol.requestLimit else { return .failure(Self.tooLong) }
        (step, deadline) = (.waits, now + Self.patience)
        return ControlProtocol.command(of: received[..<end])
    }

    private static let tooLong = DesktopError("the request is longer than \(ControlProtocol.requestLimit) bytes")

    mutating func reply(_ line: [UInt8], now: ContinuousClock.Instant) {
        (step, unsent, deadline) = (.reads, line[...], now + Self.patience)
    }

    /// - Parameter count: the bytes that were sent; negative if it failed.
    mutating func sent(_ count: Int) {
        if count > 0 { unsent = unsent.dropFirst(count) }
        if count < 0 || unsent.isEmpty { step = .isDone }
    }
}

/// The connections to the control socket, and which of them end when. A value that is given the time.
struct ControlClients {
    /// The most connections at once. More wait in the listener's queue.
    static let limit = 64
    /// How long no connection is accepted after the system had no descriptor for one.
    static let pause = Duration.milliseconds(100)

    var all: [ControlConnection] = []
    private var last = 0
    private var pausedUntil: ContinuousClock.Instant?

    func accepts(now: ContinuousClock.Instant) -> Bool {
        if let pausedUntil, now < pausedUntil { return false }
        return all.count < Self.limit || all.contains { Self.isIdle($0, now: now) }
    }

    private static func isIdle(_ client: ControlConnection, now: ContinuousClock.Instant) -> Bool {
        client.step == .asks && now >= client.idleAt
    }

    /// A new connection. If there are too many, one that is idle ends at the next `takeDone`.
    mutating func add(_ socket: Descriptor, now: ContinuousClock.Instant) {
        if all.count >= Self.limit, let idle = all.firstIndex(where: { Self.isIdle($0, now: now) }) {
            all[idle].step = .isDone
        }
        last += 1
        all.append(ControlConnection(last, socket, now: now))
    }

    mutating func pause(now: ContinuousClock.Instant) { pausedUntil = now + Self.pause }

    mutating func answer(_ number: Int, _ line: [UInt8], now: ContinuousClock.Instant) {
        // It may be gone.
        guard let index = all.firstIndex(where: { $0.number == number && $0.step == .waits }) else { return }
        all[index].reply(line, now: now)
    }

    /// Removes and returns the connections that have ended, by themselves or with their time.
    mutating func takeDone(now: ContinuousClock.Instant) -> [ControlConnection] {
        let isOver = { (client: ControlConnection) in client.step == .isDone || now >= client.deadline }
        defer { all.removeAll(where: isOver) }
        return all.filter(isOver)
    }

    /// When something is to be done although nothing has come; nil while nothing is.
    func nextDeadline(after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        var due = all.map(\.deadline)
        // What waits in the listener's queue may be accepted then.
        if let pausedUntil { due.append(pausedUntil) }
        if all.count >= Self.limit { due += all.filter { $0.step == .asks }.map(\.idleAt) }
        return due.filter { $0 > now }.min()
    }
}
