import PaymentCore

/// The file of a form (RFC 7578): the part with its name; other parts are ignored.
struct UploadedFile {
    let bytes: [UInt8]

    /// Reads the part called `name` of a body; nil where there is none, or the body is truncated.
    init?(_ name: String, of body: [UInt8], contentType: String) {
        guard let boundary = Self.boundary(contentType) else { return nil }
        let line = Array("\r\n".utf8)
        let mark = line + Array("--\(boundary)".utf8)
        // The first boundary has no line before it.
        let parts = (line + body).split(separator: mark, omittingEmptySubsequences: false).dropFirst().dropLast()
        for part in parts {
            guard part.starts(with: line), let end = part.firstRange(of: line + line) else { continue }
            let head = String(decoding: part[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
            let disposition = head.first { $0.lowercased().hasPrefix("content-disposition:") }
            guard let disposition,
                disposition.split(separator: ";").contains(where: { item in
                    let word = item.drop { $0 == " " }
                    return word == "name=\"\(name)\"" || word == "name=\(name)"
                })
            else { continue }
            bytes = Array(part[end.upperBound...])
            return
        }
        return nil
    }

    private static func boundary(_ type: String) -> String? {
        for item in type.split(separator: ";").dropFirst() {
            let item = item.drop { $0 == " " }
            guard item.lowercased().hasPrefix("boundary=") else { continue }
            let value = item.dropFirst(9).filter { $0 != "\"" }
            return (1...70).contains(value.utf8.count) ? value : nil
        }
        return nil
    }
}
