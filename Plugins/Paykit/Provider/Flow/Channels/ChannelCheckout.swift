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
    let receipts: Receipts
    private let clock: any PaymentClock

    /// The most messages that are read while waiting for an answer: pings, offers, repetitions.
    static let mostMessages = 8

    package init(
        _ directory: PaykitDirectory, _ dialer: ChannelDialer, _ receipts: Receipts, clock: any PaymentClock
    ) {
        self.directory = directory
        self.dialer = dialer
        self.receipts = receipts
        self.clock = clock
    }

    // MARK: Asking

    /// Returns a question to a payee, in satoshis. `name` is the identifier of the payment for both parties. Each
    /// question about one payment has the same name.
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
        let kept = try await receipts.keep(ChannelReceipt(record, .requested))
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
        if try await receipts.advance(confirmed, from: [.requested]) {
            return Agreement(receipt: confirmed, endpoint: endpoint)
        }
        // Another task or process has asked at the same time and was answered first: that answer counts.
        guard let first = try await receipts.receipt(confirmed.id),
            let place = first.endpoint
        else { throw PaykitNetworkError(.storage, "the receipt has gone from the store, so nothing is paid") }
        return Agreement(receipt: first, endpoint: place)
    }

    // MARK: Paying

    /// Agrees, pays once, and notifies the payee. `settle` pays the agreed endpoint. It is called once for a receipt,
    /// by one of all concurrent calls, unless it reports that no money has moved. An error from it leaves the payment
    /// in doubt, and it is not called again. Returns the paid receipt, and true if the payee has confirmed it.
    package func pay(
        _ inquiry: PaykitReceiptRecord,
        _ settle: @Sendable (Agreement) async throws(PaykitNetworkError) -> PaykitSettlement
    ) async throws(PaykitNetworkError) -> (receipt: ChannelReceipt, isConfirmed: Bool) {
        let (agreement, channel) = try await agreement(inquiry)
        defer { channel?.close() }
        var receipt = agreement.receipt
        guard receipt.stage != .paid else { return (receipt, false) }
        receipt.stage = .paying
        guard try await receipts.advance(receipt, from: [.confirmed]) else {
            throw PaykitNetworkError(
                .paymentInDoubt,
                "the receipt \(receipt.id.name) was paid before, or is being paid: ask the wallet before paying again",
                methodID: inquiry.methodID)
        }
        switch try await settle(agreement) {
        case .notPaid(let reason):
            receipt.stage = .confirmed
            _ = try await receipts.advance(receipt, from: [.paying])
            throw PaykitNetworkError(.paymentRejected, "nothing was paid: \(reason)", methodID: inquiry.methodID)
        case .paid(let proof):
            // The money is sent, but no proof shows where: no further payment is made before that is clear.
            try require(
                proof.isSound, .paymentInDoubt,
                "the wallet's proof proves nothing: ask it before paying again", methodID: inquiry.methodID)
            receipt.stage = .paid
            receipt.proof = proof.json
        }
        _ = try await receipts.advance(receipt, from: [.paying])
        return (receipt, await isConfirmed(receipt, over: channel))
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
        return try await receipts.advance(known, from: [.paying])
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

/// A wallet's result for a payment that it was asked to make.
@nonexhaustive
public enum PaykitSettlement: Sendable, Hashable {
    /// It is paid.
    case paid(PaykitProof)
    /// No money has moved, nor will any; the reason is for people.
    case notPaid(String)
}

/// Notifications of payments to payees. A payment is complete whatever they answer.
extension ChannelCheckout {
    package func confirm(_ receipt: ChannelReceipt) async throws(PaykitNetworkError) {
        guard let record = receipt.record else {
            throw PaykitNetworkError(.validationFailed, "the receipt names no users")
        }
        let channel = try await channel(to: record.payee)
        defer { channel.close() }
        try await confirm(receipt, over: channel)
    }

    /// Notifies payees again of payments that they have not confirmed, the latest first. `payee` is the payee to
    /// notify; nil for all. Returns the number of payments confirmed now. Throws ``PaykitNetworkError``, `storage`. An
    /// unreachable payee is no error.
    @discardableResult
    package func confirmAll(to payee: String? = nil, atMost limit: Int) async throws(PaykitNetworkError) -> Int {
        var (asked, confirmed) = (0, 0)
        var last: ChannelReceipt.ID?
        while true {
            let page = try await receipts.receipts(before: last, limit: 100)
            for receipt in page
            where receipt.stage == .paid && receipt.id.payer == dialer.owner.text
                && payee ?? receipt.id.payee == receipt.id.payee
            {
                guard asked < limit else { return confirmed }
                guard try await !receipts.isNoted(Self.word(of: receipt)) else { continue }
                asked += 1
                if await isConfirmed(receipt, over: nil) { confirmed += 1 }
            }
            guard page.count == 100, let end = page.last else { return confirmed }
            last = end.id
        }
    }

    private static func word(of receipt: ChannelReceipt) -> ChannelArrival {
        ChannelArrival(kind: "confirmation", sender: receipt.id.payee, name: "\(receipt.id.payer)/\(receipt.id.name)")
    }

    /// Returns true if the payee confirms. The payment is complete in any case.
    func isConfirmed(_ receipt: ChannelReceipt, over channel: PrivateChannel?) async -> Bool {
        if let channel, (try? await confirm(receipt, over: channel)) != nil { return true }
        return (try? await confirm(receipt)) != nil
    }

    private func confirm(_ receipt: ChannelReceipt, over channel: PrivateChannel) async throws(PaykitNetworkError) {
        guard var record = receipt.record, let proof = receipt.proof, receipt.stage == .paid else {
            throw PaykitNetworkError(.validationFailed, "only what is paid can be confirmed")
        }
        record.metadata["proof"] = proof
        try await channel.send(.confirmReceipt(record))
        for _ in 0..<Self.mostMessages {
            switch try await next(from: channel) {
            case .acknowledgement:
                // An unrecorded confirmation only causes another notification, which is harmless.
                _ = try? await receipts.note(Self.word(of: receipt))
                return
            case .ping: try await channel.send(.pong)
            // A repetition of the payee's earlier answer.
            case .confirmReceipt(let again) where again.id == record.id: continue
            case .offer, .pong: continue
            case .error(let code, let message): throw Self.refusal(code, message, record.methodID)
            default: throw Self.unexpected(channel.peer)
            }
        }
        throw Self.unexpected(channel.peer)
    }
}

/// The amount of a Lightning invoice, read from its beginning (BOLT 11, "Human-Readable Part").
enum InvoiceAmount {
    /// The value of each unit in ten-thousandths of a satoshi, the smallest amount that an invoice can name.
    private static let units: [Character: UInt64] = ["m": 1_000_000_000, "u": 1_000_000, "n": 1000, "p": 1]
    private static let bitcoin: UInt64 = 1_000_000_000_000
    private static let satoshi: UInt64 = 10_000
    private static let networks = ["bcrt", "tbs", "bc", "tb"]

    /// Returns true if an invoice's amount differs from the agreed one. An invoice with an open amount does not differ,
    /// and a text that is not an invoice is for the payer to judge.
    static func differs(_ endpoint: PaykitEndpoint, from amount: String?, _ currency: String?) -> Bool {
        guard endpoint.methodID == "lightning", currency == "SAT", amount != nil,
            read(endpoint.endpoint.lowercased()) != nil
        else { return false }
        return !isExactly(endpoint, amount, currency)
    }

    /// Returns true if an endpoint is an invoice that names exactly the agreed amount: it is not paid with less.
    static func isExactly(_ endpoint: PaykitEndpoint, _ amount: String?, _ currency: String?) -> Bool {
        guard endpoint.methodID == "lightning", currency == "SAT", let amount,
            let asked = read(endpoint.endpoint.lowercased())
        else { return false }
        return scaled(amount) == asked
    }

    /// Returns the amount of an invoice; nil if it names no amount.
    private static func read(_ text: String) -> UInt64? {
        guard text.hasPrefix("ln"), let end = text.lastIndex(of: "1"),
            let network = networks.first(where: { text.dropFirst(2).hasPrefix($0) })
        else { return nil }
        let part = text[..<end].dropFirst(2 + network.count)
        let digits = part.prefix { $0.isASCII && $0.isNumber }
        guard let number = UInt64(digits) else { return nil }
        let rest = part.dropFirst(digits.count)
        guard rest.count <= 1 else { return nil }
        let unit = rest.first.map { units[$0] } ?? bitcoin
        guard let unit else { return nil }
        let (product, isTooLarge) = number.multipliedReportingOverflow(by: unit)
        // More than exists: certainly not the agreed amount.
        return isTooLarge ? .max : product
    }

    /// Returns a decimal text of satoshis in the same unit; nil for an amount that no invoice can have.
    private static func scaled(_ amount: String) -> UInt64? {
        let parts = amount.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count > 1 ? String(parts[1]) : ""
        guard fraction.utf8.count <= 4, let whole = UInt64(parts[0]),
            let tail = UInt64(fraction + String(repeating: "0", count: 4 - fraction.utf8.count))
        else { return nil }
        let (product, isTooLarge) = whole.multipliedReportingOverflow(by: satoshi)
        let (sum, isStillTooLarge) = product.addingReportingOverflow(tail)
        return isTooLarge || isStillTooLarge ? nil : sum
    }
}
