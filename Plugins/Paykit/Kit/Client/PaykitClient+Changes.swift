public import PaykitProvider
import PaymentCore

/// What is kept, and has changed since.
extension PaykitClient {
    /// Forgets what is kept of users who have changed how they can be paid, so that they are asked again. One request
    /// tells of up to 50 users of a homeserver; what cannot be asked stays until its time is over.
    ///
    /// - Returns: who was forgotten.
    @discardableResult
    public func forgetChanged() async -> [PubkyKey] {
        var byServer: [String: (server: Homeserver, users: [PubkyKey])] = [:]
        for user in cache.users {
            guard let server = try? await reader.homeserver(of: user) else { continue }
            byServer[server.url.origin, default: (server, [])].users.append(user)
        }
        var forgotten: Set<PubkyKey> = []
        // Older homeservers tell of one directory at a time; each has its own count of what was seen.
        for path in changingPaths {
            for (server, users) in byServer.values {
                for start in stride(from: 0, to: users.count, by: Homeserver.mostUsers) {
                    let some = users[start..<min(start + Homeserver.mostUsers, users.count)]
                    let asked = Dictionary(uniqueKeysWithValues: some.map { ($0, cursors[path]?[$0]) })
                    for change in (try? await server.changes(of: asked, below: path)) ?? [] {
                        cursors[path, default: [:]][change.owner] = change.cursor
                        forgotten.insert(change.owner)
                    }
                }
            }
        }
        for user in forgotten { cache.remove(user) }
        // Who is kept no longer need not be followed for ever.
        let kept = Set(cache.users)
        for (path, seen) in cursors where seen.count > 4 * configuration.cacheCapacity {
            cursors[path] = seen.filter { kept.contains($0.key) }
        }
        return forgotten.sorted { $0.text < $1.text }
    }

    private var changingPaths: [String] {
        (configuration.generations.readsThirdGeneration ? [ReceiverDirectory.root] : [])
            + (configuration.generations.readsSecond ? [PaykitDirectory.root] : [])
    }
}
