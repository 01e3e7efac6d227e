import PaymentCrypto

/// The files of one link on both homeservers (Protocol 12.2).
struct PrivateLinkFiles: Sendable {
    let own: PubkyAddress
    let peers: PubkyAddress
    let ownMarker: PubkyAddress
    let peersMarker: PubkyAddress

    /// The most rounds of emptying a folder: a homeserver could list files without end.
    private static let mostRounds = 50

    init(_ parties: PrivateLinkParty, _ keys: PrivateLinkKeys, peerKey: PubkyKey, _ shared: [UInt8])
        throws(PaykitNetworkError)
    {
        do {
            func folder(_ purpose: PrivateLinkParty.Purpose, _ writer: PubkyKey) -> String {
                parties.folder(purpose, agreement: shared, writer: writer)
            }
            own = try PubkyAddress(
                parties.user, path: PrivateLinkParty.messages(parties.receiver, folder(.messages, keys.routing)))
            peers = try PubkyAddress(
                parties.peer, path: PrivateLinkParty.messages(parties.peerReceiver, folder(.messages, peerKey)))
            ownMarker = try PubkyAddress(
                parties.user, path: PrivateLinkParty.marker(parties.receiver, folder(.recovery, keys.routing)))
            peersMarker = try PubkyAddress(
                parties.peer, path: PrivateLinkParty.marker(parties.peerReceiver, folder(.recovery, peerKey)))
        } catch {
            throw PaykitNetworkError(.validationFailed, "a private link with \(parties.peer) has no place: \(error)")
        }
    }

    static func slot(_ number: UInt32, in folder: PubkyAddress) throws(PaykitNetworkError) -> PubkyAddress {
        try PubkyAddress(in: folder.owner, at: folder.path + "\(number)")
    }

    /// Returns true if a folder holds a file of a number, or of a higher one.
    static func has(
        from number: UInt32, in folder: PubkyAddress, at server: Homeserver
    ) async throws(PaykitNetworkError) -> Bool {
        // Names are sorted as texts: those with as many digits as the number, then those with more.
        for start in ["\(number)", "1" + String(repeating: "0", count: "\(number)".count)] {
            // A name's beginning stands before it.
            var cursor =
                start.utf8.count > 1 ? try PubkyAddress(in: folder.owner, at: folder.path + start.dropLast()) : nil
            for _ in 0..<mostRounds {
                guard let names = try await server.list(folder, after: cursor, isShallow: true), !names.isEmpty else {
                    break
                }
                let numbers = names.compactMap { UInt32($0.path.dropFirst(folder.path.utf8.count)) }
                if numbers.contains(where: { $0 >= number }) { return true }
                cursor = names.last
            }
        }
        return false
    }

    /// Deletes everything in a folder of this side, until nothing is listed there. Returns true if anything was there.
    @discardableResult
    static func clear(
        _ folder: PubkyAddress, at server: Homeserver, _ session: PubkySession
    ) async throws(PaykitNetworkError) -> Bool {
        var found = false
        for _ in 0..<mostRounds {
            guard let names = try await server.list(folder, limit: 100, isShallow: true), !names.isEmpty else {
                return found
            }
            found = true
            for name in names { try await server.delete(name, session) }
        }
        throw PaykitNetworkError(
            .transport, "old private messages cannot be taken away: the homeserver lists them again")
    }
}

extension PrivateLinkParty {
    var name: String { "\(user)/\(receiver)/\(peer)/\(peerReceiver)" }

    var channelName: String { "\(name)/channel" }

    func rowName(_ id: String) -> String { "\(name)/\(id)" }

    /// Returns the name under which a request is stored that is over, apart from the link's state.
    func pastName(_ id: String) -> String { "past/\(name)/\(id)" }

    /// Returns the name by which the payer's wallet or settler knows a payment of this link, the same for all programs
    /// that share the link's state. Peers choose the ids of requests, and two may choose the same one.
    func paymentName(_ words: [String]) -> String {
        "request-" + Hex.encode(Digest.sha256.hash(Array(([name] + words).joined(separator: "\n").utf8))).prefix(48)
    }

    /// Returns the name of a recurring request for schedulers: the peer, their app, and the request. Names of apps are
    /// long, so their hash is used.
    package func planName(_ id: String) -> String {
        "\(peer)/\(Hex.encode(Digest.sha256.hash(Array(peerReceiver.text.utf8)).prefix(8)))/\(id)"
    }
}
