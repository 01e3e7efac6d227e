/// Private links with other generation 3 apps.
extension PaykitClient {
    /// Publishes on the homeserver that this app accepts private links. It requires
    /// ``PaykitClientConfiguration/receiver`` and ``PaykitClientConfiguration/receiverSecret``.
    public func publishReceiver() async throws {
        try await signedIn { session in try await links(session).publishMarker(session) }
    }

    /// Removes that publication.
    public func removeReceiver() async throws {
        try await signedIn { session in try await links(session).removeMarker(session) }
    }

    /// Returns the link with an app of a user. Nothing is sent before it is polled. `app` is the user's app; nil for
    /// the only one that accepts links, or the only one of several with which there is a link already.
    ///
    /// - Throws: ``PaykitError``, of the type `methodNotSupported` when they have none; with the failure
    ///   `validationFailed` when there are several to choose from.
    public func privateLink(with pubkey: String, app: PaykitReceiverPath? = nil) async throws -> PaykitPrivateLink {
        try await signedIn { session in
            let peer = try Self.key(pubkey)
            let flow = try links(session)
            let only: PaykitReceiverPath
            if let app { only = app } else { only = try await flow.peerReceiver(of: peer) }
            return PaykitPrivateLink(peer: peer, app: only, client: self)
        }
    }

    /// Returns the means for a `PaykitProvider` to pay the requests that arrive over this client's links: the same app,
    /// and the same store. It requires a session, as links do. `chain` is the chain that the payer's settler is on.
    ///
    /// - Throws: ``PaykitError``.
    public func linkPayments(chain: PaykitEndpointCheck.Network = .mainnet) async throws -> PaykitLinkPayments {
        try await signedIn { session in
            guard let receiver = configuration.receiver, let secret = configuration.receiverSecret else {
                throw Self.noReceiver
            }
            return try PaykitLinkPayments(
                as: session.user, receiver: receiver, secret: secret, store: linkStore, chain: chain)
        }
    }

    private static let noReceiver = PaykitNetworkError(
        .notInitialized,
        "private links need the app's own receiver path and a secret of 32 bytes: set receiver and receiverSecret")

    // MARK: What links use

    func links(_ session: PubkySession) throws(PaykitNetworkError) -> PrivateLinkFlow {
        guard let receiver = configuration.receiver, let secret = configuration.receiverSecret,
            let keys = try? PrivateLinkKeys(secret: secret)
        else { throw Self.noReceiver }
        return PrivateLinkFlow(
            session.user, as: receiver, keys, reader, store: linkStore, clock: clock, random: random,
            process: linkProcess)
    }

    func withLink<Value: Sendable>(
        _ peer: PubkyKey, _ app: PaykitReceiverPath,
        _ work: @Sendable (PrivateLinkFlow, PrivateLinkParty, PubkySession) async throws -> Value
    ) async throws(PaykitError) -> Value {
        try await signedIn { session in
            let flow = try links(session)
            return try await work(flow, flow.party(peer, app), session)
        }
    }
}
