import PaykitProvider
import PaymentCore

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

    /// Returns the filter for the requested files. Homeservers with grants accept several paths, of which one with a
    /// trailing slash means everything below it, and report private files only to users who may read them.
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
