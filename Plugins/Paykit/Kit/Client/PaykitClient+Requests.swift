/// Requests for payments, sealed on their senders' homeservers.
extension PaykitClient {
    /// Asks a user to pay. Only they can read the request. `amount` is the amount in satoshis. `method` is the method,
    /// such as `lightning`. `note` is the purpose. `lifetime` is the time until it expires; nil for no expiry.
    ///
    /// - Returns: the request.
    /// - Throws: ``PaykitError``, of the type `methodNotSupported` when they have published no key to seal it for.
    public func requestPayment(
        fromPubkey pubkey: String, amount: UInt64, method: String = "lightning", note: String? = nil,
        lifetime: Duration? = nil
    ) async throws -> PaykitPaymentRequest {
        try await signedIn { session in
            let now = Int64(clock.now.timeIntervalSince1970)
            let request = PaykitPaymentRequest(
                id: "req_\(random.uuid())", sender: session.user, recipient: try Self.key(pubkey), amount: amount,
                methodID: method, note: note, createdAt: now, expiresAt: lifetime.map { now + $0.components.seconds })
            try await messageStore().leave(
                request.content, as: .request, named: request.id, for: request.recipient, session)
            return request
        }
    }

    /// Withdraws one of this user's requests.
    ///
    /// - Returns: true if it was still there.
    /// - Throws: ``PaykitError``.
    @discardableResult
    public func withdraw(_ request: PaykitPaymentRequest) async throws -> Bool {
        try await signedIn { session in
            try await messageStore().takeBack(.request, request.id, for: request.recipient, session)
        }
    }

    /// Returns the requests that `pubkey` has left for this user: those that are valid, that name the owner of the
    /// storage as their author, and that ``note(_:)`` was not called with.
    ///
    /// - Throws: ``PaykitError``.
    public func paymentRequests(fromPubkey pubkey: String) async throws -> [PaykitPaymentRequest] {
        try await mappingErrors {
            let (sender, own) = (try Self.key(pubkey), try identity().owner.publicKey)
            let now = Int64(clock.now.timeIntervalSince1970)
            var found: [PaykitPaymentRequest] = []
            for letter in try await messageStore().messages(.request, from: sender).messages {
                guard let request = PaykitPaymentRequest(letter, for: own), !request.isOver(at: now),
                    try await !storing("what was noted cannot be read", { try await $0.isNoted(letter.arrival) })
                else { continue }
                found.append(request)
            }
            return found
        }
    }

    /// Records that a request was dealt with: paid, declined or shown. It is not returned again.
    ///
    /// - Returns: true if it was not recorded before: for one of several devices that share a store.
    /// - Throws: ``PaykitError``.
    @discardableResult
    public func note(_ request: PaykitPaymentRequest) async throws -> Bool {
        try await mappingErrors {
            let arrival = ChannelArrival(
                kind: SealedMessageStore.Kind.request.rawValue, sender: request.sender.text, name: request.id)
            return try await storing("the request cannot be noted") { try await $0.note(arrival) }
        }
    }

    /// Publishes the key with which others seal messages for this user: requests, and proposals of subscriptions. It
    /// names no address to connect to; ``listen(at:asHost:port:for:)`` publishes the same key with one.
    public func publishMessageKey() async throws {
        try await signedIn { session in
            let endpoint = PaykitNoiseEndpoint(
                owner: session.user, host: "pending", port: 0, key: try identity().publicKey)
            guard try await directory.noiseEndpoint(of: session.user)?.key != endpoint.key else { return }
            try await directory.publish(endpoint, session)
        }
    }

    func messageStore() throws(PaykitNetworkError) -> SealedMessageStore {
        SealedMessageStore(directory, try identity(), random: random)
    }
}
