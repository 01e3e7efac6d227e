import PaymentCore

/// Refuses requests that cannot be sent faithfully, before any byte leaves.
enum RequestCheck {
    /// Fields that describe the framing of the message. The transport writes them itself; a second description could
    /// make two servers on the way disagree about the end of the request.
    private static let framing: Set = [
        "connection", "content-length", "expect", "host", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    /// - Throws: ``TransportError/Reason/invalidRequest(_:)`` with a text that names the field but never its value.
    static func check(_ request: HTTPRequest) throws(TransportError) {
        if let problem = problem(request) {
            throw TransportError(.notSent, .invalidRequest(problem), origin: request.url.origin)
        }
        // A deadline that has already passed; zero would mean "forever" to the system's libraries.
        if request.timeout <= .zero { throw TransportError(.notSent, .timedOut, origin: request.url.origin) }
    }

    private static func problem(_ request: HTTPRequest) -> String? {
        if !isToken(request.method.rawValue) { return "the method is not an HTTP token" }
        if request.method.rawValue == "HEAD" && !request.body.isEmpty { return "a HEAD request has no body" }
        if request.method.rawValue == "CONNECT" { return "the method CONNECT is for proxies" }
        for field in request.headers.fields {
            // The name itself may be an attempt at injection, so it is not repeated.
            if !isToken(field.name) { return "the name of a header field is not an HTTP token" }
            if !isFieldValue(field.value) { return "the header field \(field.name) holds a control character" }
            if framing.contains(field.name.lowercased()) {
                return "the header field \(field.name) is set by the transport"
            }
        }
        return nil
    }

    /// RFC 9110 section 5.6.2.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2D || "!#$%&'*+.^_`|~".utf8.contains($0)
            }
    }

    /// RFC 9110 section 5.5: visible characters, spaces, tabs, and bytes outside ASCII.
    private static func isFieldValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }
}

// MARK: - Answers

/// The header section of an answer, collected line by line as it arrives and read once at the end.
struct ResponseHead {
    /// The most bytes accepted, interim answers and trailers included.
    static let limit = 64 << 10
    /// The most lines accepted, likewise.
    static let mostLines = 500

    private var lines: [UInt8] = []
    private var received = 0
    private var count = 0
    private var isComplete = false

    /// Forgets everything but keeps the memory.
    mutating func clear() {
        lines.removeAll(keepingCapacity: true)
        received = 0
        count = 0
        isComplete = false
    }

    /// Adds one line with its line end.
    ///
    /// - Returns: why the answer cannot be used; nil when it can.
    mutating func append(_ line: UnsafeRawBufferPointer) -> String? {
        received += line.count
        count += 1
        guard received <= Self.limit, count <= Self.mostLines else {
            return "the header section is larger than \(Self.limit) bytes or \(Self.mostLines) lines"
        }
        if line.starts(with: "HTTP/".utf8) {
            // Neither another version nor a switch to one was asked for (RFC 9112 section 2.3, RFC 9110 section 7.8).
            guard line.starts(with: "HTTP/1.".utf8), !line.dropFirst(8).starts(with: " 101".utf8) else {
                return "it speaks another version of HTTP than it was asked in"
            }
            // The section of an interim answer (1xx) is replaced by that of the real one.
            lines.removeAll(keepingCapacity: true)
            isComplete = false
        } else if !isComplete {
            if line.first == 0x0D || line.first == 0x0A {
                isComplete = true
            } else {
                lines.append(contentsOf: line)
            }
        }
        // Lines after a complete section are trailers; they must not pass for header fields and are dropped.
        return nil
    }

    /// Returns true if a line describes the framing of the body.
    static func isTransferEncoding(_ line: UnsafeRawBufferPointer) -> Bool {
        line.prefix(18).lazy.map(\.lowercasedASCII).elementsEqual("transfer-encoding:".utf8)
    }

    /// The fields in the order received; nil when a line is not a header field.
    func fields() -> HTTPHeaders? {
        var headers: HTTPHeaders = [:]
        for line in lines.split(separator: 0x0A) {
            // A line that begins with white space would continue the one before it, a form withdrawn from HTTP
            // because servers and proxies read it differently (RFC 9112 section 5.2).
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[line.startIndex] > 0x20
            else { return nil }
            var value = line[line.index(after: colon)...]
            while let last = value.last, last <= 0x20 { value.removeLast() }
            while let first = value.first, first <= 0x20 { value.removeFirst() }
            headers.append(
                String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
        }
        return headers
    }
}
