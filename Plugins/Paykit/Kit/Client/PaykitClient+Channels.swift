/// The published addresses of private channels, and channels to them.
extension PaykitClient {
    /// Returns the address of a user's private channel; nil when they have published none. Only its place on their
    /// homeserver shows that the key is theirs.
    ///
    /// - Throws: ``PaykitError``.
    public func noiseEndpoint(pubkey: String) async throws -> PaykitNoiseEndpoint? {
        try await mappingErrors { try await directory.noiseEndpoint(of: Self.key(pubkey)) }
    }

    /// Opens a private channel. `endpoint` is the result of ``noiseEndpoint(pubkey:)``.
    ///
    /// - Throws: ``PaykitError``.
    public func openChannel(to endpoint: PaykitNoiseEndpoint) async throws -> PaykitNoiseChannel {
        try await mappingErrors { PaykitNoiseChannel(try await dialer().open(to: endpoint), of: self) }
    }

    /// Offers endpoints to one user alone, who may keep them and pay there.
    ///
    /// - Returns: the methods that were accepted.
    /// - Throws: ``PaykitError``.
    public func offer(_ offers: [PaykitChannelOffer], toPubkey pubkey: String) async throws -> [String] {
        guard let endpoint = try await noiseEndpoint(pubkey: pubkey) else {
            throw PaykitError(.methodNotSupported, "\(pubkey) cannot be spoken to privately")
        }
        return try await openChannel(to: endpoint).offer(offers)
    }

    // MARK: Being paid

    /// Listens for payers, and publishes the address: a payer that opens a channel may ask `payee` how to pay. The
    /// receipts are kept in this client's store. Other users' subscriptions are taken in as by
    /// ``PaykitSubscriptions/poll()``.
    ///
    /// - Parameters:
    ///   - address: the local address to listen at.
    ///   - host: the name or address by which others reach this device.
    ///   - port: the port at which others reach it; nil for the local port.
    ///   - payee: provides the terms of payments.
    /// - Returns: the listener; call ``PaykitListener/run()``. Once it is closed, others cannot connect.
    /// - Throws: ``PaykitError``.
    public func listen(
        at address: StreamAddress, asHost host: String, port: UInt16? = nil, for payee: any PaykitPayee
    ) async throws -> PaykitListener {
        try await signedIn { session in
            let identity = try identity()
            let socket: any StreamListener
            do throws(StreamError) { socket = try await streams.listen(at: address) } catch {
                throw PaykitNetworkError(.connectionFailed, "\(error)")
            }
            let responder = ReceiptResponder(
                session.user, payee, receiptStore,
                offers: { [weak self] offer, user in await self?.keep(offer, of: user) ?? false },
                subscriptions: { [weak self] view, user in try? await self?.exchange(with: user).answer(view) })
            let listener = PayeeListener(socket, as: identity, responder, clock: clock, random: random)
            let place = PaykitNoiseEndpoint(
                owner: session.user, host: host, port: port ?? socket.localAddress.port, key: identity.publicKey)
            do { try await directory.publish(place, session) } catch {
                listener.close()
                throw error
            }
            return PaykitListener(listener, at: place)
        }
    }

    /// Removes the published address of this user's private channels.
    public func removeNoiseEndpoint() async throws {
        try await signedIn { session in try await directory.removeNoiseEndpoint(session) }
    }
}

/// A payee's listener for private channels.
public final class PaykitListener: Sendable {
    /// The address that payers connect to, as it was published.
    public let endpoint: PaykitNoiseEndpoint
    private let listener: PayeeListener

    init(_ listener: PayeeListener, at endpoint: PaykitNoiseEndpoint) {
        self.listener = listener
        self.endpoint = endpoint
    }

    deinit { listener.close() }

    /// Answers payers until the task is cancelled, or the listener is closed.
    public func run() async { await listener.run() }

    /// Stops listening.
    public func close() { listener.close() }
}
