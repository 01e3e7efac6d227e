public import PaykitProvider
import PaymentCore

/// What is kept, and has changed since.
extension PaykitClient {
    /// Forgets what is kept of users who have changed how they can be paid, so that they are asked again. One request tells
    /// of up to 50 users of a homeserver; what cannot be asked stays until its time is over.
    ///
    /// - Returns: who was forgotten.
    @discardableResult
    public func forgetChanged() async -> [PubkyKey] {
        var byServer: [String: (server: Homeserver, users: [PubkyKey])] = [:]
        for user in cache.users {
            guard let server = try? await reader.homeserver(of: user) else { continue }
            byServer[server.url.origin, default: (server, [])].users.append(user)
        }
        var forgotten: [PubkyKey] = []
        for (server, users) in byServer.values {
            for start in stride(from: 0, to: users.count, by: Homeserver.mostUsers) {
                let some = users[start..<min(start + Homeserver.mostUsers, users.count)]
                let asked = Dictionary(uniqueKeysWithValues: some.map { ($0, cursors[$0]) })
                let changes = (try? await server.changes(of: asked, below: PaykitDirectory.root)) ?? []
                for change in changes {
                    cursors[change.owner] = change.cursor
                    cache.remove(change.owner)
                    forgotten.append(change.owner)
                }
            }
        }
        // Who is kept no longer need not be followed for ever.
        if cursors.count > 4 * configuration.cacheCapacity {
            let kept = Set(cache.users)
            cursors = cursors.filter { kept.contains($0.key) }
        }
        return forgotten.sorted { $0.text < $1.text }
    }
}
