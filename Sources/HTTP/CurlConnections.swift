internal import CCurl

/// A client of libcurl and its transfers. On the network's thread, except for the methods from any thread.
// @unchecked: the properties are only touched on that thread.
final class CurlConnections: @unchecked Sendable {
    /// More than callers have requests under way to one host (`HostLimit` in Bytes), so that none waits here, where the
    /// clip in view would not come first.
    private static let perHost = 24
    /// How long connections stay open without a transfer.
    private static let idleTime = Duration.seconds(60)

    /// nil while there are no connections.
    private var client: OpaquePointer?
    private var transfers: [ObjectIdentifier: (transfer: CurlTransfer, handle: OpaquePointer)] = [:]
    /// The events that curl waits for on each socket.
    private var waits: [Int32: (reads: Bool, writes: Bool)] = [:]
    /// The sockets of paused transfers, which are not polled for reading. Some versions of curl keep reading
    /// (https://github.com/curl/curl/issues/12632) or polling them.
    private var unread: [ObjectIdentifier: Int32] = [:]
    private var timer: Int?
    private var idleTimer: Int?
    private var isClosed = false

    private var thread: NetworkThread { .shared }

    // MARK: From any thread

    func add(_ transfer: CurlTransfer) { thread.run { self.begin(transfer) } }

    /// A paused transfer continues.
    func resume(_ transfer: CurlTransfer) {
        thread.run {
            guard let handle = self.transfers[ObjectIdentifier(transfer)]?.handle else { return }
            self.readAgain(transfer)
            flick_curl_resume(handle)
        }
    }

    func remove(_ transfer: CurlTransfer) { thread.run { self.release(transfer) } }

    /// Ends all transfers, closes all connections, and calls `then`.
    func close(then: @escaping @Sendable () -> Void = {}) {
        thread.run {
            self.isClosed = true
            for (transfer, _) in self.transfers.values { transfer.cancel() }
            for (transfer, _) in self.transfers.values { self.release(transfer) }
            self.closeConnections()
            then()
        }
    }

    // MARK: Transfers

    private func begin(_ transfer: CurlTransfer) {
        guard !isClosed else { return transfer.cancel() }
        guard !transfer.hasEnded else { return }
        guard flick_curl_load() == 0 else { return transfer.cancel(.noLibrary) }
        if let idleTimer { thread.forget(idleTimer) }
        idleTimer = nil
        if client == nil {
            client = flick_curl_open(CurlConnections.calls, opaque(self), CurlConnections.perHost)
        }
        guard let client, let handle = prepare(transfer, client) else {
            return transfer.cancel(CurlOutcome.noMemory)
        }
        guard flick_curl_begin(handle) == 0 else {
            flick_curl_release(handle)
            return transfer.cancel(CurlOutcome.noMemory)
        }
        transfers[ObjectIdentifier(transfer)] = (transfer, handle)
    }

    private func prepare(_ transfer: CurlTransfer, _ client: OpaquePointer) -> OpaquePointer? {
        let message = transfer.message
        let isSecure = message.url.origin.scheme == .https
        guard let handle = flick_curl_prepare(client, opaque(transfer), message.url.text, isSecure ? 1 : 0) else {
            return nil
        }
        let (method, content) = (message.method, message.content?.bytes)
        flick_curl_set_method(handle, method.name, method.isIdempotent ? 1 : 0, content, content?.count ?? 0)
        for field in message.fields { flick_curl_add_field(handle, field.name, field.value) }
        flick_curl_set_timeout(handle, Int(message.connectTimeout / .milliseconds(1)))
        if isSecure { flick_curl_set_authorities(handle, message.authorities.file, message.authorities.folders) }
        if case .through(let proxy) = message.route {
            flick_curl_set_proxy(handle, proxy.url, proxy.name, proxy.password)
        }
        return handle
    }

    private func release(_ transfer: CurlTransfer) {
        guard let (_, handle) = transfers.removeValue(forKey: ObjectIdentifier(transfer)) else { return }
        readAgain(transfer)
        flick_curl_release(handle)
        guard transfers.isEmpty, !isClosed, idleTimer == nil else { return }
        idleTimer = thread.schedule(after: CurlConnections.idleTime) { [weak self] in
            self?.idleTimer = nil
            self?.closeConnections()
        }
    }

    private func closeConnections() {
        if let client { flick_curl_close(client) }
        client = nil
        for timer in [timer, idleTimer].compactMap(\.self) { thread.forget(timer) }
        (timer, idleTimer) = (nil, nil)
    }

    // MARK: What curl calls

    private func act(_ socket: Int32, canRead: Bool = false, canWrite: Bool = false) {
        guard let client else { return }
        flick_curl_act(client, socket, canRead ? 1 : 0, canWrite ? 1 : 0)
    }

    private func watch(_ socket: Int32, reads: Bool, writes: Bool) {
        waits[socket] = reads || writes ? (reads, writes) : nil
        // A descriptor that is closed may be opened again for another transfer.
        if !reads, !writes { unread = unread.filter { $0.value != socket } }
        update(socket)
    }

    private func update(_ socket: Int32) {
        let wait = waits[socket] ?? (false, false)
        let reads = wait.reads && !unread.values.contains(socket)
        thread.watch(socket, reads: reads, writes: wait.writes) { self.act($0, canRead: $1, canWrite: $2) }
    }

    private func paused(_ transfer: CurlTransfer) {
        guard let handle = transfers[ObjectIdentifier(transfer)]?.handle else { return }
        let socket = flick_curl_own_socket(handle)
        guard socket >= 0 else { return }
        unread[ObjectIdentifier(transfer)] = socket
        update(socket)
    }

    private func readAgain(_ transfer: CurlTransfer) {
        if let socket = unread.removeValue(forKey: ObjectIdentifier(transfer)) { update(socket) }
    }

    private func setTimer(_ milliseconds: Int) {
        if let timer { thread.forget(timer) }
        timer = nil
        guard milliseconds >= 0 else { return }
        timer = thread.schedule(after: .milliseconds(milliseconds)) { [weak self] in
            self?.timer = nil
            self?.act(-1)
        }
    }

    private func ended(_ transfer: CurlTransfer, _ kind: flick_curl_end_kind, _ error: Int32) {
        transfer.ended(kind, error: error)
        release(transfer)
    }

    /// The callbacks, in memory that is never freed.
    // Written once, before the first read.
    nonisolated(unsafe) private static let calls: UnsafePointer<flick_curl_calls> = {
        let calls = UnsafeMutablePointer<flick_curl_calls>.allocate(capacity: 1)
        calls.initialize(
            to: flick_curl_calls(
                watch: { object($0, CurlConnections.self).watch($1, reads: $2 != 0, writes: $3 != 0) },
                set_timer: { object($0, CurlConnections.self).setTimer($1) },
                may_connect: { transfer, address in
                    let address = address.map { String(cString: $0) } ?? ""
                    return object(transfer, CurlTransfer.self).mayConnect(to: address) ? 1 : 0
                },
                line: { object($0, CurlTransfer.self).line(UnsafeRawBufferPointer(start: $1, count: $2)).rawValue },
                body: { context, bytes, count in
                    let transfer = object(context, CurlTransfer.self)
                    if transfer.add(UnsafeRawBufferPointer(start: bytes, count: count)) { return 0 }
                    transfer.connections.paused(transfer)
                    return 1
                },
                ended: { context, kind, error in
                    let transfer = object(context, CurlTransfer.self)
                    transfer.connections.ended(transfer, kind, error)
                }))
        return UnsafePointer(calls)
    }()
}

private func opaque(_ object: AnyObject) -> UnsafeMutableRawPointer { Unmanaged.passUnretained(object).toOpaque() }

/// The object behind `opaque`: curl passes it only while the client or the transfer is in use, which keeps it alive.
private func object<Object: AnyObject>(_ pointer: UnsafeMutableRawPointer?, _ type: Object.Type) -> Object {
    Unmanaged<Object>.fromOpaque(pointer!).takeUnretainedValue()
}
