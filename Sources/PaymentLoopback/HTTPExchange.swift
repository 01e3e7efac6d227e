import CMicrohttpd
import PaymentCore
import PaymentTesting

/// One request on its way through the HTTP library. Touched by the polling thread only.
final class HTTPExchange {
    /// Bodies up to this size are read to their end before the 413, so that the client is not cut off while sending.
    private static let drainLimit = 16 << 20
    /// The most pieces of a body. The library silently skips the extensions of chunks, up to the size of its buffer
    /// each; a body of many small chunks could carry an unlimited amount of them.
    private static let mostPieces = 2048
    /// The most header fields.
    private static let mostFields = 200

    private let target: String
    private var hasBegun = false
    private var body: [UInt8] = []
    private var received = 0
    private var pieces = 0
    private var id: UInt64?
    private var stream: SandboxStream?

    init(target: String) {
        self.target = target
    }

    /// One call of the library: the headers, a piece of the body, the end of the body, or the wake-up with the answer.
    func advance(
        _ core: ServerCore, _ connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>,
        upload: UnsafeBufferPointer<CChar>
    ) -> MHD_Result {
        if !hasBegun {
            hasBegun = true
            let fields = headers(connection).fields
            guard fields.count <= Self.mostFields else { return queue(.plain(431), connection) }
            // Readers disagree about which of several lengths counts, where a NUL ends a value, and what a folded line
            // belongs to (RFC 9112, 6.3; RFC 9110, 5.5).
            guard sandbox_is_read_as_sent(connection, method, target.utf8.count, version) != 0,
                fields.count(where: { $0.name.equalsIgnoringASCIICase("Content-Length") }) <= 1
            else {
                return queue(.plain(400), connection)
            }
            let hosts = fields.filter { $0.name.equalsIgnoringASCIICase("Host") }.map(\.value)
            // A page of another site can have its own name resolved to this machine, but cannot change the name in its
            // requests.
            guard hosts.count == 1, core.isOwn(host: hosts[0]) else { return queue(.plain(421), connection) }
            // Answering here closes the connection without reading a body that is far too long.
            return declaredLength(connection) > Self.drainLimit ? queue(.plain(413), connection) : .YES
        }
        if !upload.isEmpty {
            received += upload.count
            pieces += 1
            if received <= LoopbackServer.maximumBody { body.append(contentsOf: UnsafeRawBufferPointer(upload)) }
            return received <= Self.drainLimit && pieces <= Self.mostPieces ? .YES : .NO
        }
        if let id {
            guard let answer = core.takeAnswer(id) else { return .NO }
            if case .stream(_, let stream) = answer {
                guard core.keep(stream, of: id) else { return .NO }
                self.stream = stream
            }
            return queue(answer, connection)
        }
        guard received <= LoopbackServer.maximumBody else { return queue(.plain(413), connection) }
        guard target.hasPrefix("/"), let url = try? HTTPURL(core.origin + target) else {
            return queue(.plain(400), connection)
        }
        let request = HTTPRequest(
            HTTPRequest.Method(rawValue: String(cString: method)), url, headers: headers(connection), body: body)
        body = []
        id = core.begin(request, on: connection)
        return id == nil ? .NO : .YES
    }

    private func headers(_ connection: OpaquePointer) -> HTTPHeaders {
        var headers = HTTPHeaders()
        withUnsafeMutablePointer(to: &headers) { headers in
            _ = MHD_get_connection_values(
                connection, .HEADER_KIND,
                { headers, _, name, value in
                    guard let headers, let name else { return .YES }
                    headers.assumingMemoryBound(to: HTTPHeaders.self).pointee
                        .append(String(cString: name), value.map { String(cString: $0) } ?? "")
                    return .YES
                }, headers)
        }
        return headers
    }

    private func declaredLength(_ connection: OpaquePointer) -> Int {
        guard let text = MHD_lookup_connection_value(connection, .HEADER_KIND, "Content-Length") else { return 0 }
        return Int(String(cString: text)) ?? 0
    }

    /// Ends the request, which was answered whole or cut off.
    func end(_ core: ServerCore) {
        stream?.close()
        if let id { core.forget(id) }
    }

    private func queue(_ answer: SandboxAnswer, _ connection: OpaquePointer) -> MHD_Result {
        let status: Int
        let response: OpaquePointer?
        switch answer {
        case .drop:
            return .NO
        case .endless(let bytes):
            status = 200
            response = Self.endlessResponse(bytes)
        case .stream(let answer, let stream):
            status = answer.status
            response = StreamReader.response(stream, connection)
            Self.add(answer.headers, to: response)
        case .response(let answer):
            status = answer.status
            response = answer.body.withUnsafeBytes {
                MHD_create_response_from_buffer(
                    $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
            }
            Self.add(answer.headers, to: response)
        }
        guard let response, let code = UInt32(exactly: status) else { return .NO }
        defer { MHD_destroy_response(response) }
        return MHD_queue_response(connection, code, response)
    }

    private static func add(_ headers: HTTPHeaders, to response: OpaquePointer?) {
        // The library writes these itself, and refuses to have them set against what it does.
        let own = ["content-length", "transfer-encoding", "connection", "date"]
        for field in headers.fields where !own.contains(where: field.name.equalsIgnoringASCIICase) {
            MHD_add_response_header(response, field.name, field.value)
        }
    }

    /// A chunked response. Its length is the callback's context: a number in the place of a pointer, never followed.
    private static func endlessResponse(_ bytes: Int) -> OpaquePointer? {
        MHD_create_response_from_callback(
            UInt64.max, 1 << 16,
            { context, position, buffer, capacity in
                let left = UInt64(UInt(bitPattern: context)) &- position
                guard let buffer, left > 0 else { return -1 }
                let count = Int(min(left, UInt64(capacity)))
                buffer.update(repeating: CChar(bitPattern: SandboxAnswer.filler), count: count)
                return count
            }, UnsafeMutableRawPointer(bitPattern: max(0, bytes)), nil)
    }
}

extension SandboxAnswer {
    /// An answer without a body, for requests that never reach the service.
    fileprivate static func plain(_ status: Int) -> SandboxAnswer { .response(HTTPResponse(status: status)) }
}

// The library's callbacks. `context` is the `ServerCore` that `ServerCore.start` retained; the exchange is retained by
// `beginExchange`, lives in the request's slot and is released by `endExchange`, which the library calls once for every
// request whose target it has read.

func beginExchange(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    let exchange = HTTPExchange(target: target.map { String(cString: $0) } ?? "")
    return Unmanaged.passRetained(exchange).toOpaque()
}

func handleExchange(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ upload: UnsafePointer<CChar>?,
    _ uploadSize: UnsafeMutablePointer<Int>?, _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let method, let version, let uploadSize, let exchange = slot?.pointee else {
        return .NO
    }
    let piece = UnsafeBufferPointer(start: upload, count: uploadSize.pointee)
    uploadSize.pointee = 0
    return Unmanaged<HTTPExchange>.fromOpaque(exchange).takeUnretainedValue().advance(
        Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue(), connection, method: method,
        version: version, upload: piece)
}

func endExchange(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
    guard let slot, let exchange = slot.pointee else { return }
    slot.pointee = nil
    let ended = Unmanaged<HTTPExchange>.fromOpaque(exchange).takeRetainedValue()
    if let context { ended.end(Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()) }
}

func watchConnection(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ event: MHD_ConnectionNotificationCode
) {
    guard let context, let connection else { return }
    Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue().watch(
        connection, isNew: event == .CONNECTION_NOTIFY_STARTED)
}

/// Leaves percent-encoding alone.
func keepEscapes(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ text: UnsafeMutablePointer<CChar>?
) -> Int {
    text.map { strlen($0) } ?? 0
}
