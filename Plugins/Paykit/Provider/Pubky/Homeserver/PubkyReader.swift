import PaymentCrypto

/// Reads files of users of the Pubky network, at whichever homeserver keeps them.
package struct PubkyReader: Sendable {
    package let locator: HomeserverLocator
    private let http: any HTTPTransport
    /// The features of homeservers; nil to ask none, and to use only what all of them support.
    private let features: HomeserverFeatures?

    package init(_ locator: HomeserverLocator, over http: any HTTPTransport, features: HomeserverFeatures? = nil) {
        self.locator = locator
        self.http = http
        self.features = features
    }

    package func homeserver(of user: PubkyKey) async throws(PaykitNetworkError) -> Homeserver {
        let url = try await locator.address(of: user)
        let server = Homeserver(url, over: http)
        guard let features, await features.hasStoragePaths(server, for: user) else { return server }
        return Homeserver(url, over: http, hasStoragePaths: true)
    }

    package func homeserver(called server: PubkyKey) async throws(PaykitNetworkError) -> Homeserver {
        Homeserver(try await locator.address(ofServer: server), over: http)
    }

    package func file(_ address: PubkyAddress) async throws(PaykitNetworkError) -> [UInt8]? {
        try await homeserver(of: address.owner).read(address)
    }

    /// Returns all files in a directory, page by page. Files in subdirectories are included, unless `isShallow`. `most`
    /// is the greatest number of files, because a server could list files without end.
    package func list(
        _ directory: PubkyAddress, isShallow: Bool, most: Int
    ) async throws(PaykitNetworkError) -> [PubkyAddress] {
        let server = try await homeserver(of: directory.owner)
        var found: [PubkyAddress] = []
        while found.count < most {
            let limit = min(1000, most - found.count)
            guard let page = try await server.list(directory, limit: limit, after: found.last, isShallow: isShallow),
                !page.isEmpty
            else { break }
            // Ends the listing when a server begins again, which would otherwise repeat without end.
            if let last = found.last, let next = page.first, next.path <= last.path { break }
            found += page
            if page.count < limit { break }
        }
        return Array(found.prefix(most))
    }
}

/// The features of each homeserver, asked once and cached for a while, because homeservers are upgraded.
package actor HomeserverFeatures {
    private let clock: any PaymentClock
    private var grants = RecentCache<String, Bool>(capacity: most)
    private var paths = RecentCache<String, Bool>(capacity: most)

    /// The lifetimes of cached answers: the form of paths, and the support of grants.
    package static let times = (paths: Duration.seconds(60), grants: Duration.seconds(3600))
    package static let most = 1000

    package init(clock: any PaymentClock) { self.clock = clock }

    /// Returns true if the homeserver accepts grants. Older ones accept signed tokens and set cookies. Throws when it
    /// cannot be asked. A failure is not cached: the homeserver may answer next time.
    package func takesGrants(_ server: Homeserver, for user: PubkyKey) async throws(PaykitNetworkError) -> Bool {
        let name = server.url.origin
        if let known = grants.value(of: name, at: clock.uptime) { return known }
        guard let found = try await server.takesGrants(for: user) else { return false }
        grants.keep(found, of: name, until: clock.uptime + Self.times.grants)
        return found
    }

    /// Removes the answer about grants from the cache, after the homeserver acted otherwise.
    package func forgetGrants(_ server: Homeserver) { grants.remove(server.url.origin) }

    /// Returns true if the homeserver's paths name the owner of the storage. One that does not answer counts as older.
    package func hasStoragePaths(_ server: Homeserver, for user: PubkyKey) async -> Bool {
        let name = server.url.origin
        if let known = paths.value(of: name, at: clock.uptime) { return known }
        let found = await server.reportsStoragePaths(for: user)
        paths.keep(found, of: name, until: clock.uptime + Self.times.paths)
        return found
    }
}

/// Finds the ordinary web address of a user's homeserver (Protocol 2.3 and 3.1).
package struct HomeserverLocator: Sendable {
    /// Resolves the names of homeservers, so that a stranger's record directs no request into the device's own network.
    /// Returns the addresses of a host; nil if they cannot be found.
    package typealias Names = @Sendable (_ host: String) async -> [StreamAddress]?

    private let pkarr: PkarrClient
    private let allowsLocal: Bool
    private let names: Names?

    package static let maximumDepth = 7

    /// - Parameters:
    ///   - allowsLocal: true if homeservers on this machine are allowed.
    ///   - names: resolves names before they are used; nil to check only what a name itself says.
    package init(_ pkarr: PkarrClient, allowsLocal: Bool, names: Names? = nil) {
        self.pkarr = pkarr
        self.allowsLocal = allowsLocal
        self.names = names
    }

    /// Returns the homeserver that `user` names. `isFresh` is true to ask all relays and the DHT, as before something
    /// is signed for that homeserver. Throws `notFound` when the key has no packet, or its packet names no homeserver.
    package func homeserver(of user: PubkyKey, isFresh: Bool = false) async throws(PaykitNetworkError) -> PubkyKey {
        guard let packet = try await pkarr.resolve(user, isFresh: isFresh) else { throw Self.unknown(user) }
        guard let target = packet.services(at: "_pubky").first?.target,
            let key = try? PubkyKey(bare: target.description)
        else {
            throw PaykitNetworkError(.notFound, "\(user) is known, but says of no homeserver that it keeps their data")
        }
        return key
    }

    /// Returns the web address of the homeserver of `user`. Throws ``PaykitNetworkError``, `notFound` without a packet.
    package func address(of user: PubkyKey) async throws(PaykitNetworkError) -> HTTPURL {
        try await address(ofServer: try await homeserver(of: user))
    }

    /// Returns the web address of a homeserver. Throws ``PaykitNetworkError`` when it is unknown, or can be reached
    /// only by TLS to its key.
    package func address(ofServer server: PubkyKey) async throws(PaykitNetworkError) -> HTTPURL {
        // An explicit stack, so that each key is asked at most once: two keys that name each other end here too.
        var asked: Set<PubkyKey> = []
        var next = [server]
        var isKnown = false
        while let key = next.first, asked.count < Self.maximumDepth {
            next.removeFirst()
            guard asked.insert(key).inserted else { continue }
            guard let packet = try await pkarr.resolve(key) else { continue }
            if key == server { isKnown = !packet.records(at: "").isEmpty }
            var deeper: [PubkyKey] = []
            for service in packet.services(at: "") {
                let name = service.target.description
                if let key = try? PubkyKey(bare: name) {
                    deeper.append(key)
                } else if let url = webAddress(name, service), await isPublic(url) {
                    return url
                }
            }
            next = deeper + next
        }
        try require(isKnown, .notFound, "the homeserver \(server) is not known on the network; it may be down")
        throw PaykitNetworkError(
            .connectionFailed,
            "the homeserver \(server) names no ordinary web address on the internet; reaching it by its key alone is not "
                + "supported")
    }

    /// Returns the web address in a record, if a stranger may direct requests there.
    private func webAddress(_ name: String, _ service: DNSService) -> HTTPURL? {
        if name == "localhost" {
            guard allowsLocal, let port = service.port(DNSService.localHTTPPortKey) else { return nil }
            return try? HTTPURL("http://localhost:\(port)")
        }
        let port = service.port().map { $0 == 443 ? "" : ":\($0)" } ?? ""
        guard !OutboundHosts.isPrivate(name), let link = try? PaymentLink("https://\(name)\(port)/"),
            [.name, .internationalName].contains(link.hostKind)
        else { return nil }
        return try? HTTPURL(link.text)
    }

    /// Returns false if a name leads to an address that is not on the internet. A name that cannot be resolved here
    /// leads nowhere, or through a proxy.
    private func isPublic(_ url: HTTPURL) async -> Bool {
        guard let names, !(allowsLocal && url.isLoopback), let found = await names(url.host) else { return true }
        return found.allSatisfy(\.isPublic)
    }

    static func unknown(_ user: PubkyKey) -> PaykitNetworkError {
        PaykitNetworkError(
            .notFound,
            "no user with the key \(user) is known on the network: compare the key, or ask its owner to sign in")
    }
}
