import PaymentCore

/// Texts of a service in a form that is safe to show: positions and codes, not contents.
package enum WireText {
    /// Returns the position at which decoding failed.
    package static func place(of error: any Error) -> String {
        func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
            (context.codingPath.map(\.stringValue) + [key?.stringValue].compactMap(\.self)).joined(separator: ".")
        }
        switch error {
        case DecodingError.keyNotFound(let key, let context): return "'\(path(context, key))' is missing"
        case DecodingError.valueNotFound(_, let context): return "'\(path(context))' is null"
        case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
            return "'\(path(context))' is not as expected: \(context.debugDescription)"
        default: return "it is not JSON"
        }
    }

    /// Returns `text` if it has the form of a code: letters, digits, `.`, `-`, `_`, at most 64 of them.
    package static func code(_ text: String?) -> String? {
        guard let text, !text.isEmpty, text.utf8.count <= 64 else { return nil }
        let isPlain = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) && byte < 0x80
                || ".-_".utf8.contains(byte)
        }
        return isPlain ? text : nil
    }
}

extension WireText {
    /// Returns `text` if it has the form of a code and is safe in a path.
    package static func id(_ text: String?) -> String? { code(text).flatMap { PathSegment.isSafe($0) ? $0 : nil } }

    /// Returns `text` as one line of plain ASCII, at most 120 characters; nil if it is empty.
    package static func line(_ text: String) -> String? {
        let plain = text.unicodeScalars.prefix(120).map { (0x20..<0x7F).contains($0.value) ? Character($0) : "?" }
        return String(plain).nonEmpty
    }
}
