import CitconProvider
public import PaymentCore

/// What a merchant's server does beside paying: it makes charges and takes money that was set aside.
///
/// ```swift
/// let shop = merchant.client(over: StandardTransport(), clock: SystemPaymentClock())
/// let charge = try await shop.createCharge(order)
/// ```
public struct CitconMerchantClient: Sendable {
    let service: MerchantService

    /// Returns an access token for an app: with it charges can be confirmed and asked about, and nothing else. It is
    /// what `setAccessToken` takes; the private key never leaves the server.
    ///
    /// While one is good, the service gives the same one again.
    ///
    /// - Returns: the token and when it ends.
    /// - Throws: ``PaymentError`` when the service gives none.
    public func appToken() async throws(PaymentError) -> CitconAppToken {
        try await asMerchant(service.id) { () throws(CitconCallError) in try await service.newToken("client") }
    }

    /// Creates a charge: once. When the answer is lost, the service is asked for the reference; nothing is sent twice.
    ///
    /// - Returns: the charge; without its token when it was found only by asking.
    /// - Throws: ``PaymentError``. With phase `maybeSent`, the charge may still appear: look with ``charge(for:)``
    ///   before ordering under another reference.
    public func createCharge(_ order: CitconOrder) async throws(PaymentError) -> CitconCharge {
        let body = try order.body(at: service.id)
        // A token that is not there yet must not blur whether the order itself was sent.
        try await asMerchant(service.id) { () throws(CitconCallError) in try await service.prepare() }
        let fields: TransactionFields
        do { fields = try await service.create(body) } catch {
            guard error.leavesFateOpen, let charge = try? await charge(for: order) else {
                // A charge moves no money by itself; whether a refused reference is taken, ``charge(for:)`` tells.
                throw error.merchantError(isMutation: error.leavesFateOpen, of: service.id)
            }
            return charge
        }
        return try CitconCharge(fields, for: order, at: service.id)
    }

    /// Looks for the charge that `order` made; nil when the service knows of none.
    ///
    /// - Returns: the charge; nil when the service knows of none.
    /// - Throws: ``PaymentError``; `integrity` when its reference belongs to something else.
    public func charge(for order: CitconOrder) async throws(PaymentError) -> CitconCharge? {
        let data = try await asMerchant(service.id) { () throws(CitconCallError) in
            try await service.inquire(reference: order.reference)
        }
        guard let data else { return nil }
        return try CitconCharge(TransactionFields(data), for: order, at: service.id)
    }

    /// Takes money that was set aside: all of it, or `amount`. Asked again, it says what became of it.
    ///
    /// How the service answers is not published; the charge itself is asked about afterwards. A charge is captured
    /// once, by a reference that follows from it: asked for another amount after a lost answer, it is not captured
    /// again.
    ///
    /// - Parameters:
    ///   - payment: the charge.
    ///   - amount: how much of it; nil for all.
    /// - Returns: what has become of the charge, with what was taken; pending when the service does not tell yet.
    /// - Throws: ``PaymentError``; with phase `maybeSent` it may have been captured. `integrity` when another amount
    ///   was taken than `amount`, now or before.
    public func capture(
        _ payment: PaymentReference, amount: Money? = nil
    ) async throws(PaymentError) -> PaymentOutcome {
        let charge = try await found(payment)
        guard charge.state == .authorized, let id = charge.id else {
            return try captured(payment, charge, as: amount)
        }
        guard let whole = charge.money, let wanted = Self.units(of: amount ?? whole, as: whole) else {
            throw PaymentError(
                .requestRefused, "the amount is in another currency than the charge", provider: service.id)
        }
        let body: JSONValue = [
            "id": .string(id), "reference": .string(MerchantReference.capture(payment)),
            "transaction_reference": .string(payment.id), "amount": .number(JSONNumber(wanted)),
        ]
        var failure: CitconCallError?
        do throws(CitconCallError) { _ = try await service.capture(body) } catch { failure = error }
        let after = try? await found(payment)
        if let after, after.state != .authorized { return try captured(payment, after, as: amount ?? whole) }
        if let failure {
            let refusal = failure.merchantError(isMutation: true, of: service.id)
            // "The reference was used before": by an earlier copy of this, which may be on its way.
            let isOpen = after == nil || failure.leavesFateOpen || refusal.vendorCode == "4100"
            throw isOpen ? refusal : failure.merchantError(isMutation: false, of: service.id)
        }
        return .pending(retryAfter: nil)
    }

    /// What has become of a charge whose capture was wanted.
    ///
    /// - Throws: ``PaymentError``, `integrity`, when something else was taken.
    private func captured(
        _ payment: PaymentReference, _ charge: TransactionFields, as amount: Money?
    ) throws(PaymentError) -> PaymentOutcome {
        let outcome = charge.merchantOutcome(of: payment)
        guard case .succeeded(let receipt) = outcome, let amount, receipt.amount != amount else { return outcome }
        let taken = receipt.amount.map { "\($0)" } ?? "an amount that is not stated"
        throw PaymentError(
            .integrity, "\(taken) was taken of the charge, not \(amount)", provider: service.id, phase: .answered)
    }

    func found(_ payment: PaymentReference) async throws(PaymentError) -> TransactionFields {
        let data = try await asMerchant(service.id) { () throws(CitconCallError) in
            try await service.inquire(reference: payment.id)
        }
        guard let data else {
            throw PaymentError(
                .notFound, "Citcon does not know the payment", provider: service.id, phase: .answered)
        }
        let fields = TransactionFields(data)
        guard fields.reference == payment.id, fields.object != "refund" else {
            throw PaymentError(
                .integrity, "Citcon answered with another payment", provider: service.id, phase: .answered)
        }
        return fields
    }

    /// The minor units of `amount`, when it is in the currency of `other`, and its digits too.
    static func units(of amount: Money, as other: Money) -> Int64? {
        guard amount.currency == other.currency, amount.exponent == other.exponent else { return nil }
        return Int64(exactly: amount.minorUnits)
    }
}
