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
