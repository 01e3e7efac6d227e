/// Payments that are agreed on over private channels before they are made.
extension PaykitClient {
    // MARK: Asking

    /// Asks a payee how a payment to them is to be made: over a private channel, for its own invoice. Nothing is paid.
    ///
    /// The answer is checked field by field against the request. Only the payee's homeserver vouches that the channel's
    /// key is the payee's. `request` is the amount, the method, and further data for the payee. `receiptId` is the id
    /// of an earlier receipt, to ask again for the same payment and get the same answer; nil for a new payment.
    ///
    /// - Returns: the receipt; its metadata hold the `invoice` or `address`.
    /// - Throws: ``PaykitError``.
    public func requestReceipt(
        fromPubkey pubkey: String, _ request: PaykitReceiptRequest, receiptId: String? = nil
    ) async throws -> PaykitReceipt {
        try await mappingErrors {
            let payee = try Self.key(pubkey)
            return PaykitReceipt(try await checkout().agree(inquiry(request, receiptId, to: payee)).receipt)
        }
    }

    /// Asks for a receipt, has the payment made, and sends the proof to the payee, who confirms it. `request` is the
    /// amount, the method, and further data for the payee. `receiptId` is as in
    /// ``requestReceipt(fromPubkey:_:receiptId:)``. A receipt is paid once: a repeated call after the wallet was asked
    /// returns the known result, or throws an error that the payment is in doubt. `settle` pays the endpoint, and
    /// returns the proof. When it throws, the payment is in doubt, and not repeated before ``resolvePayment(_:as:)``.
    ///
    /// - Returns: the receipt, its confirmation by the payee, and the proof.
    /// - Throws: ``PaykitError``.
    public func payOverChannel(
        pubkey: String, _ request: PaykitReceiptRequest, receiptId: String? = nil,
        settle: @Sendable (_ receipt: PaykitReceipt, _ endpoint: String) async throws -> PaykitSettlement
    ) async throws -> PaykitChannelPayment {
        try await mappingErrors {
            let payee = try Self.key(pubkey)
            let (receipt, isConfirmed) = try await checkout().pay(inquiry(request, receiptId, to: payee)) {
                agreement async throws(PaykitNetworkError) in
                do { return try await settle(PaykitReceipt(agreement.receipt), agreement.endpoint.endpoint) } catch {
                    throw PaykitNetworkError(
                        .paymentInDoubt, "whether it was paid is not known: ask the wallet before paying again",
                        methodID: agreement.endpoint.methodID)
                }
            }
            return PaykitChannelPayment(
                receipt: PaykitReceipt(receipt), proof: receipt.proof.flatMap { PaykitProof($0) },
                isConfirmed: isConfirmed)
        }
    }

    /// Records the wallet's result for a payment that was left in doubt.
    ///
    /// - Returns: true if it was in doubt.
    /// - Throws: ``PaykitError``.
    @discardableResult
    public func resolvePayment(_ id: ChannelReceipt.ID, as settlement: PaykitSettlement) async throws -> Bool {
        try await mappingErrors {
            guard let known = try await stored(id) else { return false }
            return try await checkout().resolve(known, as: settlement)
        }
    }

    /// Sends the proof of a paid receipt to the payee again, if they have not confirmed it yet.
    ///
    /// - Throws: ``PaykitError``; the receipt is paid all the same.
    public func confirmPayment(_ id: ChannelReceipt.ID) async throws {
        try await mappingErrors {
            guard let known = try await stored(id) else {
                throw PaykitNetworkError(.notFound, "no receipt \(id.name) is kept here")
            }
            try await checkout().confirm(known)
        }
    }

    // MARK: Receipts

    /// Returns the stored receipts, the latest first: of payments by this user and to this user. `earlier` is the
    /// receipt before which all returned ones were stored; nil for all. `limit` is the most receipts.
    ///
    /// - Throws: ``PaykitError``.
    public func receipts(before earlier: ChannelReceipt.ID? = nil, limit: Int = 100) async throws -> [ChannelReceipt] {
        try await mappingErrors {
            try await storing("the receipts cannot be read") { try await $0.receipts(before: earlier, limit: limit) }
        }
    }

    // MARK: What all of it uses

    func identity() throws(PaykitNetworkError) -> ChannelIdentity {
        guard let account else {
            throw PaykitNetworkError(
                .notInitialized, "private channels need this user's own key: call paykit_initialize first")
        }
        return try ChannelIdentity(
            account.keyPair, device: configuration.device ?? ChannelIdentity.unnamed, epoch: configuration.epoch)
    }

    func dialer() throws(PaykitNetworkError) -> ChannelDialer {
        var timeout = PrivateChannel.Timeouts()
        timeout.message = configuration.channelTimeout
        timeout.handshake = min(timeout.handshake, configuration.channelTimeout)
        return ChannelDialer(
            try identity(), over: streams, allowsLocal: configuration.network.allowsLocalHomeservers, clock: clock,
            random: random, timeout: timeout)
    }

    func checkout() throws(PaykitNetworkError) -> ChannelCheckout {
        ChannelCheckout(directory, try dialer(), receiptStore, clock: clock)
    }

    func inquiry(
        _ request: PaykitReceiptRequest, _ receiptId: String? = nil, to payee: PubkyKey
    ) throws(PaykitNetworkError) -> PaykitReceiptRecord {
        try checkout().inquiry(
            named: receiptId ?? "rcpt_\(random.uuid())", request.method, "\(request.amount)", to: payee,
            metadata: .object(request.metadata.mapValues { .string($0) }))
    }

    private func stored(_ id: ChannelReceipt.ID) async throws(PaykitNetworkError) -> ChannelReceipt? {
        try await storing("the receipt cannot be read") { try await $0.receipt(id) }
    }

    /// Calls the store of receipts. `failure` is the text of the error where the store fails.
    func storing<Value: Sendable>(
        _ failure: String, _ work: @Sendable (any ReceiptStore) async throws -> Value
    ) async throws(PaykitNetworkError) -> Value {
        do { return try await work(receiptStore) } catch { throw PaykitNetworkError(.storage, "\(failure): \(error)") }
    }
}
