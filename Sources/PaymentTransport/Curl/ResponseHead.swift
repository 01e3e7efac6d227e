import PaymentCore

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
    /// - Returns: the reason for which the answer cannot be used; nil when there is none.
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
