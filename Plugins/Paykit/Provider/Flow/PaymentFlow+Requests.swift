import PaymentSettlement

/// Payments of generation 2 requests, which lie sealed on their senders' homeservers (Protocol 5.9).
extension PaymentFlow {
    /// Quotes the request of a link: exactly its amount, at the sender's public endpoints of its method.
    func quote(_ request: QuoteRequest, named name: String, from sender: PubkyKey) async throws -> PaymentQuote {
        guard let privately else {
            throw PaymentError(
                .unsupported,
                "this is a payment request that only its payer can read: register the provider with the payer's key, as "
                    + "PaykitChannelPayments, or ask the sender for an invoice", provider: id)
        }
        let found: PaykitPaymentRequest?
        do {
            let store = SealedMessageStore(directory, privately.identity, random: context.random)
            found = try await store.messages(.request, from: sender).messages.lazy
                .filter { $0.name == name }.compactMap { PaykitPaymentRequest($0, for: privately.payer) }.first
        } catch { throw PaymentError(error, provider: id) }
        guard let found else {
            throw PaymentError(
                .notFound,
                "\(sender) has no request of this name for this user: it was withdrawn, or is for another user",
                provider: id, phase: .answered)
        }
        guard !found.isOver(at: Int64(context.clock.now.timeIntervalSince1970)) else {
            throw PaymentError(
                .unusableOption, "the request has expired: ask its sender for a new one", provider: id,
                phase: .answered)
        }
        guard let amount = try? PaykitSubscriptionTerms.money(found.amount, found.currency), amount.currency == .satoshi
        else {
            throw PaymentError(
                .unusableOption, "the request is not for an amount of bitcoin: ask its sender for one that is",
                provider: id, phase: .answered)
        }
        let (offers, apps) = try await published(by: sender, orNone: false)
        let usable = offers.filter { $0.endpoint.methodID == found.methodID && $0.offer.takes(amount) }
        guard !usable.isEmpty else {
            throw PaymentError(
                .unusableOption,
                "the sender publishes nothing that takes this amount by '\(found.methodID)': ask them for an invoice",
                provider: id, phase: .answered, retry: .later)
        }
        let reference = request.match.reference ?? request.reference.id
        let named = named(
            usable.map { endpoint, offer in
                (
                    endpoint,
                    SettlementOffer(endpoint: offer.endpoint, amount: .fixed(amount), expiresAt: offer.expiresAt)
                )
            }, of: apps, ", as asked for")
        // A published invoice may be paid by another payment meanwhile: the name has it checked again.
        return try await SettlementFlow.quote(
            named, of: request.reference, payee: Payee(sender), payeeID: reference, in: context)
    }
}
