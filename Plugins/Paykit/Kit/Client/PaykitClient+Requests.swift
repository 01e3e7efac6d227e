public import PaykitProvider
import PaymentCore

/// Requests for payments, which lie sealed on their senders' homeservers.
extension PaykitClient {
    /// Asks somebody to pay. Only they can read it.
    ///
    /// - Parameters:
    ///   - pubkey: who is asked, in any form that a key has.
    ///   - amount: in satoshis.
    ///   - method: the method, such as `lightning`.
    ///   - note: what it is for.
    ///   - lifetime: how long it counts; nil for until it is taken back.
    /// - Returns: the request.
    /// - Throws: ``PaykitError``, of the type `methodNotSupported` when they have published no key to seal it for.
    public func requestPayment(
        fromPubkey pubkey: String, amount: UInt64, method: String = "lightning", note: String? = nil,
        lifetime: Duration? = nil
    ) async throws -> PaykitPaymentRequest {
        try await signedIn { session throws(PaykitNetworkError) in
            let now = Int64(clock.now.timeIntervalSince1970)
            let request = PaykitPaymentRequest(
                id: "req_\(random.uuid())", sender: session.user, recipient: try Self.key(pubkey), amount: amount,
                methodID: method, note: note, createdAt: now, expiresAt: lifetime.map { now + $0.components.seconds })
            try await messageStore().leave(
                request.content, as: .request, named: request.id, for: request.recipient, session)
            return request
        }
    }

    /// Takes a request of one's own back.
    ///
    /// - Parameter request: which.
    /// - Returns: whether it still lay there.
    /// - Throws: ``PaykitError``.
    @discardableResult
    public func withdraw(_ request: PaykitPaymentRequest) async throws -> Bool {
        try await signedIn { session throws(PaykitNetworkError) in
            try await messageStore().takeBack(.request, request.id, for: request.recipient, session)
        }
    }

    /// Looks for requests that `pubkey` has left for this user: those that count, that the owner of the storage says to
    /// have written, and that ``note(_:)`` was not called with.
    ///
    /// - Parameter pubkey: whose storage is looked into.
    /// - Throws: ``PaykitError``.
    public func paymentRequests(fromPubkey pubkey: String) async throws -> [PaykitPaymentRequest] {
        try await mappingErrors { () async throws(PaykitNetworkError) in
            let (sender, own) = (try Self.key(pubkey), try identity().owner.publicKey)
            let now = Int64(clock.now.timeIntervalSince1970)
            var found: [PaykitPaymentRequest] = []
            for letter in try await messageStore().messages(.request, from: sender).messages {
                guard let request = PaykitPaymentRequest(letter, for: own), !request.isOver(at: now),
                    try await !isNoted(letter.arrival)
                else { continue }
                found.append(request)
            }
            return found
        }
    }

    /// Notes that a request was dealt with: paid, declined or shown. It is not found again.
    ///
    /// - Parameter request: which.
    /// - Returns: whether it was not noted before: of several devices with one store, one is told so.
    /// - Throws: ``PaykitError``.
    @discardableResult
    public func note(_ request: PaykitPaymentRequest) async throws -> Bool {
        try await mappingErrors { () async throws(PaykitNetworkError) in
            let arrival = ChannelArrival(
                kind: SealedMessageStore.Kind.request.rawValue, sender: request.sender.text, name: request.id)
            do { return try await receiptStore.note(arrival) } catch {
                throw PaykitNetworkError(.storage, "the request cannot be noted: \(error)")
            }
        }
    }

    func messageStore() throws(PaykitNetworkError) -> SealedMessageStore {
        SealedMessageStore(directory, try identity(), random: random)
    }

    private func isNoted(_ arrival: ChannelArrival) async throws(PaykitNetworkError) -> Bool {
        do { return try await receiptStore.isNoted(arrival) } catch {
            throw PaykitNetworkError(.storage, "what was noted cannot be read: \(error)")
        }
    }
}
