import PaykitProvider
import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Files and directories (Protocol 3.5).
extension PubkySandbox {
    func read(_ path: String, _ request: HTTPRequest, of owner: PubkyKey) throws(PubkySandboxError) -> HTTPResponse {
        guard let file = tenants[owner]?.files[path] else { throw .notFound }
        if let status = file.refusal { throw PubkySandboxError(status) }
        guard request.method == .get, file.isKnown(request.headers, now: clock.now) else {
            return HTTPResponse(status: 200, headers: file.headers(path), body: file.content)
        }
        var response = HTTPResponse(status: 304)
        for name in ["ETag", "Last-Modified", "Vary", "Cache-Control"] {
            response.headers[name] = file.headers(path)[name]
        }
        return response
    }

    func write(_ path: PubkyPath, _ request: HTTPRequest, of owner: PubkyKey) throws(PubkySandboxError) -> HTTPResponse
    {
        guard request.body.count <= configuration.fileLimit else {
            throw PubkySandboxError(413, "length limit exceeded")
        }
        guard let tenant = tenants[owner] else { throw .notFound }
        guard !tenant.isDisabled else { throw PubkySandboxError(403, "User is disabled") }
        // The real service's answer to the name of a directory is not known.
        guard !path.isDirectory else { throw PubkySandboxError(400, "Invalid path: it names a directory") }
        if tenant.isFull(for: request.body.count, at: path.text), let quota = tenant.quota {
            let tenths = (Double(quota) / 1024 / 1024 * 10).rounded()
            throw PubkySandboxError(507, "Disk space quota of \(tenths / 10) MB exceeded. Write operation failed.")
        }
        store(request.body, at: path.text, of: owner)
        return HTTPResponse(status: 201)
    }

    func delete(_ path: String, of owner: PubkyKey) throws(PubkySandboxError) -> HTTPResponse {
        guard discard(path, of: owner) else { throw .notFound }
        return HTTPResponse(status: 204)
    }

    /// Returns one page of the paths below `directory`.
    func list(_ directory: String, _ request: HTTPRequest, of owner: PubkyKey) throws(PubkySandboxError) -> HTTPResponse
    {
        let below = (tenants[owner]?.files.keys ?? [:].keys).filter { $0.hasPrefix(directory) }
        guard !below.isEmpty else { throw PubkySandboxError(404, "Directory Not Found") }
        let query = PubkyQuery(request)
        let isReverse = try query.flag("reverse")
        var paths: Set<String> = Set(below)
        if try query.flag("shallow") {
            paths = Set(
                below.map { path in
                    let rest = path.dropFirst(directory.count)
                    guard let slash = rest.firstIndex(of: "/") else { return path }
                    return directory + rest[...slash]
                })
        }
        let cursor = try query["cursor"].flatMap { $0.isEmpty ? nil : $0 }.map(Self.cursor)
        var sorted = paths.sorted { Self.precedes($0, $1) }
        if isReverse { sorted.reverse() }
        if let cursor {
            sorted = sorted.filter { isReverse ? Self.precedes($0, cursor) : Self.precedes(cursor, $0) }
        }
        var lines = sorted.prefix(query.limit(usual: 100, most: 1000)).map { "pubky://\(owner)\($0)" }
        if plans[owner]?.server == .listsForeign {
            lines += ["pubky://\(homeserver)\(directory)lightning", "pubky://\(owner)/pub/other.app/lightning"]
        }
        return Self.text(lines.joined(separator: "\n"))
    }

    /// Returns the path that a cursor names: an entry as it is listed, with or without the scheme.
    private static func cursor(_ text: String) throws(PubkySandboxError) -> String {
        let entry = text.hasPrefix("pubky://") ? text.dropFirst("pubky://".count) : text[...]
        guard let slash = entry.firstIndex(of: "/"), (try? PubkyKey(bare: entry[..<slash])) != nil,
            let path = try? PubkyPath(decoded: String(entry[slash...]))
        else { throw PubkySandboxError(400, "Invalid cursor") }
        return path.text
    }

    /// The order of listings: by bytes.
    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    // MARK: Storage

    func store(_ content: [UInt8], at path: String, of owner: PubkyKey, refusal: Int? = nil) {
        let file = PubkyFile(content, at: clock.now, refusal: refusal)
        tenants[owner, default: PubkyTenant(quota: configuration.quota)].write(file, at: path)
        note(PubkyEvent(owner: owner, path: path, hash: file.hash))
    }

    func discard(_ path: String, of owner: PubkyKey) -> Bool {
        guard tenants[owner]?.remove(path) == true else { return false }
        note(PubkyEvent(owner: owner, path: path, hash: nil))
        return true
    }
}

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

/// A change of a file. Its number is its place, counted from one.
struct PubkyEvent: Sendable {
    let owner: PubkyKey
    let path: String
    /// The hash of the new content; nil if the file was deleted.
    let hash: String?

    var name: String { hash == nil ? "DEL" : "PUT" }
    var address: String { "pubky://\(owner)\(path)" }
}

/// The changes of all users' files (Protocol 3.6).
extension PubkySandbox {
    private static let mostEvents = 1000
    private static let news = "events"

    func note(_ event: PubkyEvent) {
        events.append(event)
        waiting.wake(Self.news, with: HTTPResponse(status: 200))
    }

    func listEvents(_ request: HTTPRequest) throws(PubkySandboxError) -> HTTPResponse {
        let query = PubkyQuery(request)
        let text = query["cursor"].flatMap { $0.isEmpty ? nil : $0 } ?? "0"
        let start = try cursor(text, or: "Invalid cursor")
        let page = events.dropFirst(start).prefix(query.limit(usual: Self.mostEvents, most: Self.mostEvents))
        // Changes of private storage are not shown here.
        var lines = page.filter { !$0.path.hasPrefix("/priv/") }.map { "\($0.name) \($0.address)" }
        if !page.isEmpty { lines.append("cursor: \(page.endIndex)") }
        return Self.text(lines.joined(separator: "\n"))
    }

    /// Returns the events of some users as a stream of server-sent events. A stream of this sandbox ends with the first
    /// event: for more, the client asks again from there on.
    func streamEvents(_ request: HTTPRequest) async throws(PubkySandboxError) -> HTTPResponse {
        let query = PubkyQuery(request)
        let isLive = ["true", "1"].contains(query["live"])
        let isReverse = ["true", "1"].contains(query["reverse"])
        guard !isLive || !isReverse else { throw PubkySandboxError(400, "Cannot use live mode with reverse ordering") }
        var limit = Int.max
        if let text = query["limit"] {
            guard let number = UInt16(text) else { throw PubkySandboxError(400, "Invalid limit: \(text)") }
            limit = Int(number)
        }
        let users = try users(of: query)
        guard !users.isEmpty else { throw PubkySandboxError(400, "user parameter is required") }
        guard users.count <= 50 else { throw PubkySandboxError(400, "Too many users. Maximum allowed: 50") }
        let isWanted = try filter(query, of: Set(users.keys), request)
        while true {
            let found = events.enumerated().filter { index, event in
                guard let cursor = users[event.owner], isWanted(event.path) else { return false }
                return cursor.map { isReverse ? index + 1 < $0 : index + 1 > $0 } ?? true
            }
            if found.isEmpty, isLive {
                guard waiting.count < configuration.inboxCapacity else { throw PubkySandboxError(503, "too many wait") }
                let news = await wait(Self.news, for: configuration.inboxTimeout, otherwise: HTTPResponse(status: 204))
                if news.status == 200 { continue }
            }
            let page = (isReverse ? found.reversed() : found).prefix(limit)
            return HTTPResponse(
                status: 200, headers: ["Content-Type": "text/event-stream", "Cache-Control": "no-cache"],
                body: page.flatMap { Self.block($0.offset + 1, $0.element).utf8 })
        }
    }

    /// Returns the filter for the requested files. Homeservers with grants accept several paths. A path with a trailing
    /// slash means everything below it. They report private files only to users who may read them.
    private func filter(
        _ query: PubkyQuery, of users: Set<PubkyKey>, _ request: HTTPRequest
    ) throws(PubkySandboxError) -> (String) -> Bool {
        let named = query.items.filter { $0.name == "path" }.map { $0.value.hasPrefix("/") ? $0.value : "/" + $0.value }
        guard generation != .cookies else {
            let path = named.last ?? "/"
            return { $0.hasPrefix(path) }
        }
        if query["limit"].flatMap({ UInt16($0) }) == 0 { throw PubkySandboxError(400, "limit must be at least 1") }
        let paths = named.isEmpty ? ["/pub/"] : named
        try allowStream(paths, of: users, request)
        return { path in paths.contains { $0 == path || $0.hasSuffix("/") && path.hasPrefix($0) } }
    }

    /// Returns the users whose events are requested, and the start of each.
    private func users(of query: PubkyQuery) throws(PubkySandboxError) -> [PubkyKey: Int?] {
        var users: [PubkyKey: Int?] = [:]
        for item in query.items where item.name == "user" && !item.value.isEmpty {
            let parts = item.value.split(separator: ":", maxSplits: 1)
            guard let key = parts.first.flatMap({ try? PubkyKey(bare: $0) }) else {
                throw PubkySandboxError(400, "Invalid public key: \(parts.first ?? "")")
            }
            guard tenants[key] != nil else { throw .notFound }
            var start: Int?
            if parts.count == 2 { start = try cursor(String(parts[1]), or: "Invalid cursor: \(parts[1])") }
            users.updateValue(start, forKey: key)
        }
        return users
    }

    private static func block(_ number: Int, _ event: PubkyEvent) -> String {
        let hash = event.hash.map { "data: content_hash: \($0)\n" } ?? ""
        return "event: \(event.name)\ndata: \(event.address)\ndata: cursor: \(number)\n\(hash)\n"
    }

    private func cursor(_ text: String, or words: String) throws(PubkySandboxError) -> Int {
        guard let number = UInt32(text) else { throw PubkySandboxError(400, words) }
        return Int(number)
    }
}
