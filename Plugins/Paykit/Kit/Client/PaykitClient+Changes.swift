/// Changes since users' methods were cached.
extension PaykitClient {
    /// Forgets the cached methods of users who have changed them, so that they are requested again. One request covers
    /// up to 50 users of a homeserver; methods that cannot be checked stay until they expire.
    ///
    /// - Returns: the forgotten users.
    @discardableResult
    public func forgetChanged() async -> [PubkyKey] {
        var byServer: [String: (server: Homeserver, users: [PubkyKey])] = [:]
        for user in cache.keys {
            guard let server = try? await reader.homeserver(of: user) else { continue }
            byServer[server.url.origin, default: (server, [])].users.append(user)
        }
        var forgotten: Set<PubkyKey> = []
        // Older homeservers report one directory at a time; each has its own cursor.
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
        // Users that are no longer cached need not be followed permanently.
        let kept = Set(cache.keys)
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
