/// A wallet's result for a payment that it was asked to make.
@nonexhaustive
public enum PaykitSettlement: Sendable, Hashable {
    /// It is paid.
    case paid(PaykitProof)
    /// Not one coin has moved, nor will it; the reason is for people.
    case notPaid(String)
}

/// A payment that is agreed on privately before it is made, step by step (Protocol 5.7): find the payee's private
/// endpoint, open a channel, ask for a receipt, check the answer, pay, and have it confirmed.
///
/// Each step is stored before the next one begins, so that asking again never makes a second payment.
package struct ChannelCheckout: Sendable {
    /// The payee's terms of a payment. No money has moved.
    package struct Agreement: Sendable, Hashable {
        package let receipt: ChannelReceipt
        /// The payee's untrusted text: check it before paying.
        package let endpoint: PaykitEndpoint
    }

    private let directory: PaykitDirectory
    let dialer: ChannelDialer
    let receipts: any ReceiptStore
    private let clock: any PaymentClock

    /// The most messages that are read while waiting for an answer: pings, offers, repetitions.
    static let mostMessages = 8

    package init(
        _ directory: PaykitDirectory, _ dialer: ChannelDialer, _ receipts: any ReceiptStore, clock: any PaymentClock
    ) {
        self.directory = directory
        self.dialer = dialer
        self.receipts = receipts
        self.clock = clock
    }

    // MARK: Asking

    /// Returns a question to a payee, in satoshis. `name` is the identifier of the payment for both parties. Another
    /// question about the same payment has the same one.
    package func inquiry(
        named name: String, _ method: String, _ amount: String, to payee: PubkyKey, metadata: JSONValue
    ) -> PaykitReceiptRecord {
        PaykitReceiptRecord(
            id: name, payer: dialer.owner, payee: payee, methodID: method, amount: amount, currency: "SAT",
            createdAt: Int64(clock.now.timeIntervalSince1970), metadata: metadata)
    }

    /// Asks a payee for the terms of a payment. An earlier agreement is returned without asking again.
    package func agree(_ inquiry: PaykitReceiptRecord) async throws(PaykitNetworkError) -> Agreement {
        let (agreement, channel) = try await agreement(inquiry)
        channel?.close()
        return try Self.unpaid(agreement)
    }

    /// Asks over an open channel, which stays open unless the exchange fails.
    package func agree(
        _ inquiry: PaykitReceiptRecord, over channel: PrivateChannel
    ) async throws(PaykitNetworkError) -> Agreement {
        try Self.unpaid(try await agreement(inquiry, over: channel).0)
    }

    /// Rejects an agreement that was paid before, or may have been: the caller could pay it again.
    private static func unpaid(_ agreement: Agreement) throws(PaykitNetworkError) -> Agreement {
        guard agreement.receipt.stage < .paying else {
            throw PaykitNetworkError(
                .paymentInDoubt, "the receipt \(agreement.receipt.id.name) was paid before, or may have been",
                methodID: agreement.endpoint.methodID)
        }
        return agreement
    }

    private func agreement(
        _ record: PaykitReceiptRecord, over open: PrivateChannel? = nil
    ) async throws(PaykitNetworkError) -> (Agreement, PrivateChannel?) {
        guard record.isUsable else {
            throw PaykitNetworkError(
                .validationFailed,
                "a receipt has a short name, a method, an amount above zero without sign, and an object of metadata",
                methodID: record.methodID)
        }
        let kept = try await receipts.mappingErrors { try await $0.keep(ChannelReceipt(record, .requested)) }
        guard kept.agrees(with: ChannelReceipt(record, .requested)) else {
            throw PaykitNetworkError(
                .validationFailed,
                "the receipt \(record.id) is about another payment to \(record.payee): use another name",
                methodID: record.methodID)
        }
        if kept.stage > .requested, let endpoint = kept.endpoint {
            return (Agreement(receipt: kept, endpoint: endpoint), nil)
        }
        let channel = if let open { open } else { try await channel(to: record.payee) }
        do throws(PaykitNetworkError) {
            return (try await ask(kept.record ?? record, over: channel), channel)
        } catch {
            channel.close()
            throw error
        }
    }

    package func channel(to payee: PubkyKey) async throws(PaykitNetworkError) -> PrivateChannel {
        guard let endpoint = try await directory.noiseEndpoint(of: payee) else {
            throw PaykitNetworkError(.methodNotSupported, "\(payee) has no private channel; pay their public endpoints")
        }
        return try await dialer.open(to: endpoint)
    }

    private func ask(
        _ record: PaykitReceiptRecord, over channel: PrivateChannel
    ) async throws(PaykitNetworkError) -> Agreement {
        try await channel.send(.requestReceipt(record))
        var offered: [String: PaykitEndpoint] = [:]
        for _ in 0..<Self.mostMessages {
            switch try await next(from: channel) {
            case .confirmReceipt(let answer): return try await accept(answer, to: record, offered)
            case .offer(let offers):
                // Flat receipts have no room for an endpoint: it comes before them.
                for offer in offers { offered[offer.endpoint.methodID] = offer.endpoint }
            case .ping: try await channel.send(.pong)
            case .acknowledgement, .pong: continue
            case .error(let code, let message): throw Self.refusal(code, message, record.methodID)
            default: throw Self.unexpected(channel.peer)
            }
        }
        throw Self.unexpected(channel.peer)
    }

    private func accept(
        _ answer: PaykitReceiptRecord, to record: PaykitReceiptRecord, _ offered: [String: PaykitEndpoint]
    ) async throws(PaykitNetworkError) -> Agreement {
        func agreed(_ isSame: Bool, _ what: String) throws(PaykitNetworkError) {
            guard !isSame else { return }
            throw PaykitNetworkError.broken(
                "the payee confirms another \(what) than was asked for; nothing was paid", record.methodID)
        }
        try agreed(answer.id == record.id, "receipt")
        try agreed(answer.payer == record.payer, "payer")
        try agreed(answer.payee == record.payee, "payee")
        try agreed(answer.methodID == record.methodID, "method")
        try agreed(answer.amount == record.amount, "amount")
        try agreed(answer.currency == record.currency, "currency")
        guard answer.isUsable else {
            throw PaykitNetworkError.broken("the payee's receipt cannot be used; nothing was paid", record.methodID)
        }
        var metadata = answer.metadata.isNull ? [:] : answer.metadata
        // This member is for the proof of payment, which no answer may set.
        metadata["proof"] = nil
        var confirmed = ChannelReceipt(record, .confirmed, metadata: metadata)
        if confirmed.endpoint == nil, let endpoint = offered[record.methodID] {
            confirmed.metadata[ChannelReceipt.endpointName(record.methodID)] = .string(endpoint.endpoint)
        }
        guard let endpoint = confirmed.endpoint else {
            throw PaykitNetworkError.broken(
                "the payee confirms, but does not say where to pay; nothing was paid", record.methodID)
        }
        try agreed(!InvoiceAmount.differs(endpoint, from: record.amount, record.currency), "amount in its invoice")
        let receipt = confirmed
        if try await receipts.mappingErrors({ try await $0.advance(receipt, from: [.requested]) }) {
            return Agreement(receipt: receipt, endpoint: endpoint)
        }
        // Another task or process has asked at the same time and was answered first: that answer counts.
        guard let first = try await receipts.mappingErrors({ try await $0.receipt(receipt.id) }),
            let place = first.endpoint
        else { throw PaykitNetworkError(.storage, "the receipt has gone from the store, so nothing is paid") }
        return Agreement(receipt: first, endpoint: place)
    }

    // MARK: Paying

    /// Agrees, pays once, and notifies the payee. `settle` pays the agreed endpoint. It is called once for a
    /// receipt, by one of all concurrent calls, unless it reports that no money has moved; an error from it leaves the
    /// payment in doubt, and it is not called again. Returns the paid receipt, and true if the payee has confirmed it.
    package func pay(
        _ inquiry: PaykitReceiptRecord,
        _ settle: @Sendable (Agreement) async throws(PaykitNetworkError) -> PaykitSettlement
    ) async throws(PaykitNetworkError) -> (receipt: ChannelReceipt, isConfirmed: Bool) {
        let (agreement, channel) = try await agreement(inquiry)
        defer { channel?.close() }
        var receipt = agreement.receipt
        guard receipt.stage != .paid else { return (receipt, false) }
        receipt.stage = .paying
        let paying = receipt
        guard try await receipts.mappingErrors({ try await $0.advance(paying, from: [.confirmed]) }) else {
            throw PaykitNetworkError(
                .paymentInDoubt,
                "the receipt \(receipt.id.name) was paid before, or is being paid: ask the wallet before paying again",
                methodID: inquiry.methodID)
        }
        switch try await settle(agreement) {
        case .notPaid(let reason):
            receipt.stage = .confirmed
            let open = receipt
            _ = try await receipts.mappingErrors { try await $0.advance(open, from: [.paying]) }
            throw PaykitNetworkError(.paymentRejected, "nothing was paid: \(reason)", methodID: inquiry.methodID)
        case .paid(let proof):
            // The money is sent, but no proof shows where: no further payment is made before that is clear.
            try require(
                proof.isSound, .paymentInDoubt,
                "the wallet's proof proves nothing: ask it before paying again", methodID: inquiry.methodID)
            receipt.stage = .paid
            receipt.proof = proof.json
        }
        let paid = receipt
        _ = try await receipts.mappingErrors { try await $0.advance(paid, from: [.paying]) }
        return (paid, await isConfirmed(paid, over: channel))
    }

    /// Records the wallet's result of a payment that was in doubt. Returns true if it was in doubt.
    package func resolve(_ receipt: ChannelReceipt, as settlement: PaykitSettlement) async throws(PaykitNetworkError)
        -> Bool
    {
        var known = receipt
        switch settlement {
        case .notPaid: known.stage = .confirmed
        case .paid(let proof):
            guard proof.isSound else { throw PaykitNetworkError(.validationFailed, "the proof proves nothing") }
            known.stage = .paid
            known.proof = proof.json
        }
        let found = known
        return try await receipts.mappingErrors { try await $0.advance(found, from: [.paying]) }
    }

    // MARK: Answers

    func next(from channel: PrivateChannel) async throws(PaykitNetworkError) -> ChannelMessage {
        guard let (message, _) = try await channel.receive() else {
            throw PaykitNetworkError(.transport, "\(channel.peer) has closed the channel without an answer")
        }
        return message
    }

    static func refusal(_ code: String, _ message: String, _ method: String) -> PaykitNetworkError {
        PaykitNetworkError(
            .paymentRejected, "the payee refuses (\(PeerText.shown(code))): \(PeerText.shown(message))",
            methodID: method)
    }

    static func unexpected(_ peer: PubkyKey) -> PaykitNetworkError {
        PaykitNetworkError(
            .invalidData, "\(peer) answered with something else than what was asked for; nothing was paid")
    }
}
