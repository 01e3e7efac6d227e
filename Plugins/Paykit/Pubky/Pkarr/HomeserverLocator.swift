package import PaymentCore

/// Finds the ordinary web address of a user's homeserver (Protocol 2.3 and 3.1).
package struct HomeserverLocator: Sendable {
    private let pkarr: PkarrClient
    private let allowsLocal: Bool

    /// The most keys that are followed from one to the next.
    package static let maximumDepth = 7

    package init(_ pkarr: PkarrClient, allowsLocal: Bool) {
        self.pkarr = pkarr
        self.allowsLocal = allowsLocal
    }

    /// Returns the homeserver that `user` names.
    ///
    /// - Parameter isFresh: true to ask all relays and the DHT, as before something is signed for that homeserver.
    /// - Throws: `notFound` when the key has no packet, or its packet names no homeserver.
    package func homeserver(of user: PubkyKey, isFresh: Bool = false) async throws(PaykitNetworkError) -> PubkyKey {
        guard let packet = try await pkarr.resolve(user, isFresh: isFresh) else { throw Self.unknown(user) }
        guard let target = packet.records(at: "_pubky").lazy.compactMap(\.data.service).first?.target,
            let key = try? PubkyKey(bare: target.description)
        else {
            throw PaykitNetworkError(.notFound, "\(user) is known, but says of no homeserver that it keeps their data")
        }
        return key
    }

    /// Returns the web address of the homeserver of `user`.
    ///
    /// - Throws: ``PaykitNetworkError``, `notFound` when the key has no packet.
    package func address(of user: PubkyKey) async throws(PaykitNetworkError) -> HTTPURL {
        try await address(ofServer: try await homeserver(of: user))
    }

    /// Returns the web address of a homeserver.
    ///
    /// - Throws: ``PaykitNetworkError`` when it is unknown, or can be reached only by TLS to its key.
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
            for service in packet.records(at: "").compactMap(\.data.service).sorted(by: { $0.priority < $1.priority }) {
                let name = service.target.description
                if let key = try? PubkyKey(bare: name) {
                    deeper.append(key)
                } else if let url = webAddress(name, service) {
                    return url
                }
            }
            next = deeper + next
        }
        guard isKnown else {
            throw PaykitNetworkError(.notFound, "the homeserver \(server) is not known on the network; it may be down")
        }
        throw PaykitNetworkError(
            .connectionFailed,
            "the homeserver \(server) names no ordinary web address; reaching it by its key alone is not supported")
    }

    /// Returns the web address in a record, if a stranger may direct requests there.
    private func webAddress(_ name: String, _ service: DNSService) -> HTTPURL? {
        if name == "localhost" {
            guard allowsLocal, let port = service.port(DNSService.localHTTPPortKey) else { return nil }
            return try? HTTPURL("http://localhost:\(port)")
        }
        let port = service.port().map { $0 == 443 ? "" : ":\($0)" } ?? ""
        guard let link = try? PaymentLink("https://\(name)\(port)/"),
            [.name, .internationalName].contains(link.hostKind)
        else { return nil }
        return try? HTTPURL(link.text)
    }

    static func unknown(_ user: PubkyKey) -> PaykitNetworkError {
        PaykitNetworkError(
            .notFound,
            "no user with the key \(user) is known on the network: compare the key, or ask its owner to sign in")
    }
}
