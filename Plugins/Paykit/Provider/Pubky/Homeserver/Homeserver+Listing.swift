/// Directories and changes of a homeserver (Protocol 3.5 and 3.6).
extension Homeserver {
    /// Returns one page of the paths below the directory `address`, in their order; nil when there are none. `limit` is
    /// the most entries of a page: 1 to 1000. `cursor` is the last entry of the previous page. `isShallow` is true to
    /// list only the directory itself; directories in it end with a slash.
    package func list(
        _ address: PubkyAddress, limit: Int = 1000, after cursor: PubkyAddress? = nil, isShallow: Bool = false,
        session: PubkySession? = nil
    ) async throws(PaykitNetworkError) -> [PubkyAddress]? {
        var query = "limit=\(min(max(limit, 1), 1000))"
        if let cursor { query += "&cursor=\(PercentCoding.encode(cursor.text))" }
        if isShallow { query += "&shallow=true" }
        let response = try await send(
            .get, "\(path(address))?\(query)", of: address.owner, try session.map(credential), limit: Self.listingLimit)
        switch response.status {
        case 200: break
        case 404, 410: return nil
        default: throw refusal(response, of: address.owner, .file)
        }
        guard let text = String(validating: response.body, as: UTF8.self) else { throw unreadable }
        // Paths outside the directory are ignored: a server could name anything.
        return text.split(separator: "\n").compactMap { try? PubkyAddress(listed: $0) }
            .filter { $0.owner == address.owner && $0.path.hasPrefix(address.path) }
    }

    package static let mostUsers = 50

    package struct Change: Sendable, Hashable {
        package let owner: PubkyKey
        package let cursor: String
    }

    /// Returns those of `users` that have changed something below `path`, each since the given cursor.
    package func changes(
        of users: [PubkyKey: String?], below path: String
    ) async throws(PaykitNetworkError) -> [Change] {
        guard let first = users.keys.first else { return [] }
        let names = users.sorted { $0.key.text < $1.key.text }.map { user, cursor in
            "user=\(user)" + (cursor.map { ":" + PercentCoding.encode($0) } ?? "")
        }
        let response = try await send(
            .get, "/events-stream?\(names.joined(separator: "&"))&path=\(PercentCoding.encode(path))&limit=1000",
            of: first, limit: Self.listingLimit)
        guard response.status == 200 else { throw refusal(response, of: first, .file) }
        guard let text = String(validating: response.body, as: UTF8.self) else { throw unreadable }
        var latest: [PubkyKey: Change] = [:]
        var owner: PubkyKey?
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("data: ") {
            let data = line.dropFirst(6)
            if let address = try? PubkyAddress(listed: data) {
                owner = address.path.hasPrefix(path) && users.keys.contains(address.owner) ? address.owner : nil
            } else if data.hasPrefix("cursor: "), let owner {
                latest[owner] = Change(owner: owner, cursor: String(data.dropFirst(8)))
            }
        }
        return latest.values.sorted { $0.owner.text < $1.owner.text }
    }

    private var unreadable: PaykitNetworkError {
        PaykitNetworkError(.invalidData, "\(url.host) sent a list that is not text")
    }
}
