import PaymentCore

/// A URL as browsers and the vendor's core read it (WHATWG URL), as far as the payment id depends on it.
///
/// Lenient by design: it finds the id that the vendor would send, and never decides trust. Host names are lower-cased;
/// internationalised names stay unchanged, since none is a WalletConnect Pay host.
struct LenientURL {
    let scheme: String
    let host: String?
    let path: String
    let query: String?

    init?(_ text: String) {
        var bytes = Array(text.utf8)
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        bytes.removeFirst(bytes.prefix { $0 <= 0x20 }.count)
        bytes.removeAll { $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }

        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, bytes[0].isASCIILetter,
            bytes[..<colon].allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) })
        else { return nil }
        scheme = String(decoding: bytes[..<colon].map(\.lowercasedASCII), as: UTF8.self)
        var rest = bytes[(colon + 1)...]

        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = String(decoding: rest[(mark + 1)...], as: UTF8.self)
            rest = rest[..<mark]
        } else {
            query = nil
        }
        guard scheme == "http" || scheme == "https" else {
            host = nil
            path = String(decoding: rest, as: UTF8.self)
            return
        }
        // Browsers accept any number of slashes, forward or backward, for the two before the host.
        rest = rest.drop { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") } ?? rest.endIndex
        guard let host = Self.host(rest[..<end]) else { return nil }
        self.host = host
        path = Self.path(rest[end...])
    }

    /// Returns the first query item named exactly `name`, form-decoded.
    func queryItem(_ name: String) -> String? {
        for item in QueryItems(Substring(query ?? ""))
        where PercentCoding.decodeLeniently(item.name, plusIsSpace: true) == name {
            return PercentCoding.decodeLeniently(item.value, plusIsSpace: true)
        }
        return nil
    }

    private static func host(_ authority: ArraySlice<UInt8>) -> String? {
        var host = authority
        if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[(at + 1)...] }
        if host.first != UInt8(ascii: "["), let colon = host.lastIndex(of: UInt8(ascii: ":")) {
            let port = host[(colon + 1)...]
            guard port.allSatisfy(\.isASCIIDigit), port.isEmpty || UInt16(String(decoding: port, as: UTF8.self)) != nil
            else { return nil }
            host = host[..<colon]
        }
        let decoded = PercentCoding.decodeLeniently(String(decoding: host, as: UTF8.self)).lowercased()
        let isForbidden = decoded.utf8.contains { $0 <= 0x20 || $0 == 0x7F || "#/<>?@\\^|%".utf8.contains($0) }
        return decoded.isEmpty || isForbidden ? nil : decoded
    }

    /// Resolves `.` and `..` segments and encodes the characters that a path cannot hold.
    private static func path(_ bytes: ArraySlice<UInt8>) -> String {
        let normalized = bytes.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
        var segments: [String] = []
        let parts = normalized.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        for (index, part) in parts.enumerated() {
            let text = String(decoding: part, as: UTF8.self)
            let isLast = index == parts.count - 1
            switch PercentCoding.decodeLeniently(text) {
            case "..":
                _ = segments.popLast()
                if isLast { segments.append("") }
            case ".":
                if isLast { segments.append("") }
            default:
                segments.append(
                    PercentCoding.encode(text) { $0 > 0x20 && $0 < 0x7F && !"\"#<>?`{}".utf8.contains($0) })
            }
        }
        return "/" + segments.joined(separator: "/")
    }
}
