import PaykitProvider
import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One user's data on the homeserver.
struct PubkyTenant: Sendable {
    /// The files by their paths, decoded.
    private(set) var files: [String: PubkyFile] = [:]
    /// The number of bytes of the files.
    private(set) var used = 0
    /// The most bytes of the files; nil for no limit.
    var quota: Int?
    var isDisabled = false

    init(quota: Int?) { self.quota = quota }

    /// Returns true if `count` bytes at `path` exceed the quota, each file counting `perFile` more than its content.
    func isFull(for count: Int, at path: String, perFile: Int = 0) -> Bool {
        guard let quota else { return false }
        let others = used - (files[path]?.content.count ?? 0)
        let names = files.count + (files[path] == nil ? 1 : 0)
        return others + count + names * perFile > quota
    }

    mutating func write(_ file: PubkyFile, at path: String) {
        used += file.content.count - (files[path]?.content.count ?? 0)
        files[path] = file
    }

    /// Removes a file; false if there is none.
    mutating func remove(_ path: String) -> Bool {
        guard let file = files.removeValue(forKey: path) else { return false }
        used -= file.content.count
        return true
    }
}

/// A file as it was last written.
struct PubkyFile: Sendable {
    let content: [UInt8]
    let modified: Date
    /// The BLAKE3 of the content, in base 64.
    let hash: String
    /// The status of the answer when it is read; it is listed nevertheless.
    let refusal: Int?

    init(_ content: [UInt8], at modified: Date, refusal: Int? = nil) {
        self.content = content
        self.modified = modified
        self.refusal = refusal
        hash = Data(BLAKE3.hash(content)).base64EncodedString()
    }

    /// The tag of this content.
    var tag: String { "\"\(hash)\"" }

    /// Returns true if a conditional request needs no copy. Tags count before times.
    func isKnown(_ headers: HTTPHeaders, now: Date) -> Bool {
        if let tags = headers["If-None-Match"] {
            return tags.split(separator: ",").contains { $0.drop { $0 == " " }.prefix { $0 != " " } == tag }
        }
        guard let since = headers["If-Modified-Since"].flatMap({ HTTPDate.parse($0, now: now) }) else { return false }
        return since.timeIntervalSince1970 >= modified.timeIntervalSince1970.rounded(.down)
    }

    func headers(_ path: String) -> HTTPHeaders {
        [
            "Content-Length": "\(content.count)", "Content-Type": type(path), "Last-Modified": HTTPDate.text(modified),
            "ETag": tag, "Vary": "pubky-host", "Cache-Control": "private, must-revalidate",
        ]
    }

    /// Returns the media type: by the first bytes, otherwise by the name.
    private func type(_ path: String) -> String {
        if let known = Self.beginnings.first(where: { content.starts(with: $0.0) }) { return known.1 }
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return "application/octet-stream" }
        return Self.extensions[name[name.index(after: dot)...].lowercased()] ?? "application/octet-stream"
    }

    private static let beginnings: [([UInt8], String)] = [
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"), ([0xFF, 0xD8, 0xFF], "image/jpeg"),
        (Array("GIF8".utf8), "image/gif"), (Array("%PDF".utf8), "application/pdf"),
        ([0x50, 0x4B, 0x03, 0x04], "application/zip"),
    ]
    private static let extensions = [
        "json": "application/json", "txt": "text/plain", "html": "text/html", "css": "text/css", "png": "image/png",
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "svg": "image/svg+xml", "pdf": "application/pdf",
        "mp4": "video/mp4", "md": "text/markdown", "csv": "text/csv",
    ]
}

/// A path of a user's storage as the homeserver has it: decoded, without empty segments, `.` or `..`.
struct PubkyPath: Sendable, Hashable {
    let text: String

    /// Reads a path as it is written in a request.
    ///
    /// - Throws: 400 with the reason.
    init(_ encoded: String, most: Int = 4096) throws(PubkySandboxError) {
        guard let decoded = PercentCoding.decode(encoded) else { throw Self.invalid("it is not UTF-8") }
        try self.init(decoded: decoded, most: most)
    }

    init(decoded: String, most: Int = 4096) throws(PubkySandboxError) {
        let parts = decoded.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.first == "" else { throw Self.invalid("it has to begin with a slash") }
        var segments: [Substring] = []
        for part in parts where !part.isEmpty && part != "." {
            guard part.utf8.count <= 255 else { throw Self.invalid("a segment has more than 255 bytes") }
            guard !part.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
                throw Self.invalid("control characters are not allowed")
            }
            if part == ".." {
                guard segments.popLast() != nil else { throw Self.invalid("it leads above the root") }
            } else {
                segments.append(part)
            }
        }
        let isDirectory = decoded.hasSuffix("/") || decoded.hasSuffix("..")
        let text = "/" + segments.joined(separator: "/") + (isDirectory && !segments.isEmpty ? "/" : "")
        guard text.utf8.count <= most else { throw Self.invalid("it has more than \(most) bytes") }
        self.text = text
    }

    var isDirectory: Bool { text.hasSuffix("/") }

    private static func invalid(_ reason: String) -> PubkySandboxError {
        PubkySandboxError(400, "Invalid path: \(reason)")
    }
}
