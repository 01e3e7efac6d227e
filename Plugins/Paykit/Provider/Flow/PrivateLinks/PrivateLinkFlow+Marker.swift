/// The markers by which apps publish that they accept private links (Protocol 12.3).
extension PrivateLinkFlow {
    /// Publishes this app's marker: the app accepts requests and lists, pays, and issues receipts.
    package func publishMarker(_ session: PubkySession) async throws(PaykitNetworkError) {
        let marker = ReceiverMarker(receiver, noiseKey: keys.routing)
        try await reader.homeserver(of: user).write(
            marker.bytes, to: try PubkyAddress(in: user, at: ReceiverMarker.path(of: receiver)), session)
    }

    /// Removes the marker. Links stay as they are.
    package func removeMarker(_ session: PubkySession) async throws(PaykitNetworkError) {
        try await reader.homeserver(of: user).delete(
            try PubkyAddress(in: user, at: ReceiverMarker.path(of: receiver)), session)
    }

    /// Returns the apps of a user that accept private links: wallets before servers, then by name.
    package func peerReceivers(of peer: PubkyKey) async throws(PaykitNetworkError) -> [PaykitReceiverPath] {
        let server = try await reader.homeserver(of: peer)
        let directory = ReceiverDirectory(reader)
        guard let survey = try await directory.survey(peer, at: server) else { return [] }
        var found: [PaykitReceiverPath] = []
        for receiver in try await directory.receivers(of: peer, survey, at: server) {
            let address = try PubkyAddress(in: peer, at: ReceiverMarker.path(of: receiver))
            guard let file = try await server.read(address),
                let marker = try? ReceiverMarker(file, of: receiver), marker.isReachable
            else { continue }
            found.append(receiver)
        }
        if found.isEmpty, survey.isLater { throw ReceiverDirectory.later(peer) }
        return found
    }

    /// Returns the app of a user that accepts private links: the only one, or the only one of several with which there
    /// is a link already.
    package func peerReceiver(of peer: PubkyKey) async throws(PaykitNetworkError) -> PaykitReceiverPath {
        let all = try await peerReceivers(of: peer)
        try require(
            !all.isEmpty, .methodNotSupported, "\(peer) has no app that private messages reach; pay what they publish")
        var found = all
        if all.count > 1 {
            found = []
            for app in all where try await peerKeys(party(peer, app)) != nil { found.append(app) }
        }
        guard found.count == 1 else {
            throw PaykitNetworkError(
                .validationFailed,
                "\(peer) has several apps that private messages reach (\(all.map(\.text).joined(separator: ", "))), and any app "
                    + "that they have let in may be one of them: ask them which")
        }
        return found[0]
    }

    func key(
        of peer: PubkyKey, _ peerReceiver: PaykitReceiverPath, at server: Homeserver
    ) async throws(PaykitNetworkError) -> PubkyKey {
        let address = try PubkyAddress(in: peer, at: ReceiverMarker.path(of: peerReceiver))
        guard let file = try await server.read(address) else {
            let survey = try await ReceiverDirectory(reader).survey(peer, at: server)
            if survey?.isLater == true { throw ReceiverDirectory.later(peer) }
            throw PaykitNetworkError(
                .methodNotSupported, "\(peer) has no app called '\(peerReceiver)' that private messages reach")
        }
        let marker: ReceiverMarker
        do { marker = try ReceiverMarker(file, of: peerReceiver) } catch {
            throw PaykitNetworkError(.invalidData, "what \(peer) says of '\(peerReceiver)' cannot be read: \(error)")
        }
        guard let key = marker.noiseKey else {
            throw PaykitNetworkError(
                .methodNotSupported,
                "the app '\(peerReceiver)' of \(peer) is too old for private payments: ask them to "
                    + "update it")
        }
        return key
    }
}
