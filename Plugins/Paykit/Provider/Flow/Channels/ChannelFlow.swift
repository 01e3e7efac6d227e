import PaymentSettlement

/// Pays a user over a private channel: asks for a receipt with an invoice, checks it, has the payer's settler pay,
/// notifies the payee, and keeps the receipt (Protocol 5.10).
///
/// The receipt is named after the attempt, so that another inquiry after a crash asks for the same one. The agreed
/// invoice is stored before the payment, so that no other is ever paid in its place.
struct ChannelFlow: Sendable {
    let settings: PaykitChannelPayments?
    let checkout: ChannelCheckout?
    let reader: any InstructionReader
    let provider: ProviderID
    let context: ProviderContext

    /// The step that asks the payee: an on-disk contract.
    private static let step = "agree"
    /// The longest wait for the payee's confirmation. The money is sent by then.
    private static let confirmationTimeout = Duration.seconds(15)

    /// The agreement, as the journal stores it.
    private struct Agreed: Codable, Sendable {
        let endpoint: SettlementEndpoint
        /// True if the payee has provided the endpoint for this payment alone.
        let isPrivate: Bool
    }

    func pay(_ attempt: PaymentAttempt, _ order: ChannelOrder) async throws -> ServiceReport {
        let agreed: Agreed
        do { agreed = try await context.step(Self.step, .query) { try await agree(attempt, order) } } catch let failure
            as PaykitNetworkError
        {
            if failure.isRejection { return .declined(DeclineReason(.refused, failure.message)) }
            throw Self.error(failure, provider)
        }
        // An attempt that is resumed late has sent nothing yet, and its invoice may have expired.
        if await !context.hasRun(SettlementFlow.step) {
            try checked(agreed.endpoint, attempt.option.amount, isOfPayee: agreed.isPrivate)
        }
        guard agreed.isPrivate else { return try await SettlementFlow.pay(attempt, to: agreed.endpoint, in: context) }
        let receipt = receipt(attempt, order, agreed.endpoint)
        try await begin(receipt)
        let outcome = try await SettlementFlow.pay(attempt, to: agreed.endpoint, in: context)
        await end(receipt, outcome, agreed.endpoint)
        return outcome
    }

    // MARK: Agreeing

    private func agree(_ attempt: PaymentAttempt, _ order: ChannelOrder) async throws -> Agreed {
        do throws(PaykitNetworkError) {
            return Agreed(endpoint: try await ask(attempt, order), isPrivate: true)
        } catch {
            try Task.checkCancellation()
            guard let endpoint = order.fallback, error.leavesPublicWay else { throw error }
            try checked(endpoint, attempt.option.amount, isOfPayee: false)
            // An invoice that was paid before would not pay the payee again.
            guard try await isUnknown(endpoint, attempt) else { throw error }
            context.log("\(error.message); their public endpoints are used instead")
            return Agreed(endpoint: endpoint, isPrivate: false)
        }
    }

    private func ask(
        _ attempt: PaymentAttempt, _ order: ChannelOrder
    ) async throws(PaykitNetworkError) -> SettlementEndpoint {
        guard let checkout else {
            throw PaykitNetworkError(
                .methodNotSupported, "no private channels are configured here; resume with a provider that has them",
                methodID: order.method)
        }
        let agreement = try await checkout.agree(
            checkout.inquiry(
                named: Self.name(attempt), order.method, attempt.option.amount.minorUnitText, to: order.payee,
                metadata: order.metadata))
        let offers = EndpointOffers.offers(of: agreement.endpoint, reader)
        guard let endpoint = offers.lazy.map(\.endpoint).first(where: { $0.kind == .bolt11 }) else {
            throw PaykitNetworkError.broken("the payee's answer is no invoice that can be read", order.method)
        }
        do throws(PaymentError) { try checked(endpoint, attempt.option.amount, isOfPayee: true) } catch {
            throw PaykitNetworkError.broken(error.message, order.method)
        }
        try await own(endpoint, attempt, agreement.receipt.id)
        return endpoint
    }

    /// Rejects an endpoint that differs from the agreement or has expired.
    private func checked(_ endpoint: SettlementEndpoint, _ amount: Money, isOfPayee: Bool) throws(PaymentError) {
        let whose = isOfPayee ? "the payee's invoice" : "the payee's public endpoints"
        func error(_ code: PaymentError.Code, _ reason: String) -> PaymentError {
            PaymentError(code, "\(whose) \(reason); nothing was paid, ask for a new one", provider: provider)
        }
        guard let offer = SettlementOffer.offer(endpoint, reader) else { throw error(.integrity, "cannot be read") }
        guard offer.takes(amount) else { throw error(.integrity, "is for another amount") }
        if isOfPayee, let chain = settings?.chain.rawValue, endpoint.network != chain {
            throw error(.integrity, "is of another network than \(chain)")
        }
        if let end = offer.expiresAt, end <= context.clock.now { throw error(.unusableOption, "can be paid no longer") }
    }

    /// Rejects an invoice of another payment: one that was paid before, is being paid, or was issued for another
    /// receipt. It would be reported as paid without any money moving for this payment.
    private func own(
        _ endpoint: SettlementEndpoint, _ attempt: PaymentAttempt, _ receipt: ChannelReceipt.ID
    ) async throws(PaykitNetworkError) {
        let used = PaykitNetworkError.broken("the payee's invoice was given for another payment before", nil)
        guard try await isUnknown(endpoint, attempt) else { throw used }
        guard let hash = endpoint.paymentHash, let receipts = settings?.receipts else { return }
        let invoice = ChannelArrival(kind: "invoice", sender: receipt.payer, name: hash)
        guard try await receipts.claim(invoice, for: receipt.name) else { throw used }
    }

    /// Returns true if the payer's settler has no other payment to an endpoint.
    private func isUnknown(
        _ endpoint: SettlementEndpoint, _ attempt: PaymentAttempt
    ) async throws(PaykitNetworkError) -> Bool {
        let name = SettlementFlow.name(for: attempt.idempotencyKey)
        do throws(PaymentError) {
            return try await context.payer.order(paying: endpoint, except: name) == nil
        } catch {
            throw PaykitNetworkError.broken(error.message, nil)
        }
    }

    // MARK: Receipts

    private static func name(_ attempt: PaymentAttempt) -> String { "rcpt_\(attempt.key(for: step))" }

    /// Returns the receipt of an attempt, for a store that has none.
    private func receipt(
        _ attempt: PaymentAttempt, _ order: ChannelOrder, _ endpoint: SettlementEndpoint
    ) -> ChannelReceipt? {
        guard let payer = settings?.payer else { return nil }
        var metadata = order.metadata
        metadata[ChannelReceipt.endpointName(order.method)] = .string(endpoint.text)
        let record = PaykitReceiptRecord(
            id: Self.name(attempt), payer: payer, payee: order.payee, methodID: order.method,
            amount: attempt.option.amount.minorUnitText, currency: "SAT",
            createdAt: Int64(attempt.startedAt.timeIntervalSince1970.rounded(.down)), metadata: metadata)
        return ChannelReceipt(record, .confirmed)
    }

    /// Records that the settler is about to be asked. After a crash the settler's status decides about the attempt, not
    /// the receipt.
    private func begin(_ receipt: ChannelReceipt?) async throws {
        guard let receipts = settings?.receipts, let receipt else { return }
        do throws(PaykitNetworkError) {
            var known = try await receipts.keep(receipt)
            known.stage = .paying
            _ = try await receipts.advance(known, from: [.requested, .confirmed])
        } catch { throw Self.error(error, provider) }
    }

    /// Stores the outcome in the receipt, and notifies the payee. A failure here does not change the outcome.
    private func end(_ receipt: ChannelReceipt?, _ outcome: ServiceReport, _ endpoint: SettlementEndpoint) async {
        guard let receipts = settings?.receipts, let receipt, let checkout,
            var known = try? await receipts.receipt(receipt.id)
        else { return }
        guard case .succeeded(let paid) = outcome, let preimage = paid.transactionID, let hash = endpoint.paymentHash
        else {
            if case .declined = outcome {
                known.stage = .confirmed
                _ = try? await receipts.advance(known, from: [.paying])
            }
            return
        }
        known.stage = .paid
        known.proof = PaykitProof.preimage(preimage, paymentHash: hash).json
        let done = known
        do { _ = try await receipts.advance(done, from: [.requested, .confirmed, .paying]) } catch {
            context.log("it is paid, but the receipt could not be stored: \(error)")
        }
        let isNotified = await context.clock.limit(to: Self.confirmationTimeout) {
            (try? await checkout.confirm(done)) != nil
        }
        context.log(
            isNotified == true
                ? "the payee has confirmed the payment"
                : "it is paid; the payee has not confirmed it yet, and is notified again with the next payment to them")
        if isNotified == true { _ = try? await checkout.confirmAll(to: done.id.payee, atMost: 3) }
    }

    private static func error(_ failure: PaykitNetworkError, _ provider: ProviderID) -> PaymentError {
        guard !failure.isBrokenPromise else {
            return PaymentError(.integrity, failure.message, provider: provider, phase: .answered)
        }
        return PaymentError(failure, provider: provider)
    }
}

extension PaykitNetworkError {
    /// Creates the error for a payee's answer that breaks the agreement. Nothing was or will be paid.
    static func broken(_ message: String, _ method: String?) -> PaykitNetworkError {
        var failure = PaykitNetworkError(.paymentRejected, message, methodID: method)
        failure.isBrokenPromise = true
        return failure
    }

    /// True if the payee declines before anything was agreed on.
    var isRejection: Bool { code == .paymentRejected && !isBrokenPromise }

    /// True if nothing was agreed on, for a reason that does not discredit the payee's public endpoints. A payee with a
    /// false answer is not paid at all, and a payment that this device cannot store is not made.
    var leavesPublicWay: Bool {
        !isBrokenPromise && ![.storage, .validationFailed, .paymentInDoubt].contains(code)
    }
}

struct ChannelOrder: StoredOrder, Sendable, Hashable {
    let payee: PubkyKey
    let method: String
    var subscription: String?
    /// The payee's public endpoint of the same method and amount, paid if they cannot be asked; nil if only an agreed
    /// endpoint may be paid.
    let fallback: SettlementEndpoint?

    private enum CodingKeys: String, CodingKey {
        case payee, method, subscription, fallback
    }

    static let place = "private"

    init(payee: PubkyKey, method: String, fallback: SettlementEndpoint?) {
        self.payee = payee
        self.method = method
        self.fallback = fallback
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        payee = try PubkyKey(bare: try container.decode(String.self, forKey: .payee))
        method = try container.decode(String.self, forKey: .method)
        subscription = try container.decodeIfPresent(String.self, forKey: .subscription)
        fallback = try container.decodeIfPresent(SettlementEndpoint.self, forKey: .fallback)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(payee.text, forKey: .payee)
        try container.encode(method, forKey: .method)
        try container.encodeIfPresent(subscription, forKey: .subscription)
        try container.encodeIfPresent(fallback, forKey: .fallback)
    }

    /// The data for the payee in the question: it names the subscription.
    var metadata: JSONValue {
        var metadata: JSONValue = [:]
        metadata[PaykitSubscription.nameInMetadata] = subscription.map { .string($0) }
        return metadata
    }
}
