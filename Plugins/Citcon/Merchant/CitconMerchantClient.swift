import CitconProvider
public import PaymentCore

/// The calls of a merchant's server besides those about payments: it makes charges and captures authorised amounts.
///
/// ```swift
/// let shop = merchant.client(over: StandardTransport(), clock: SystemPaymentClock())
/// let charge = try await shop.createCharge(order)
/// ```
public struct CitconMerchantClient: Sendable {
    let service: MerchantService

    /// Returns an access token for an app: it allows only confirming and inquiring about charges. Pass it to
    /// `setAccessToken`; the private key never leaves the server.
    ///
    /// While a token is valid, the service returns the same one again.
    ///
    /// - Returns: the token and its expiry.
    /// - Throws: ``PaymentError`` when the service issues none.
    public func appToken() async throws(PaymentError) -> CitconAppToken {
        try await asMerchant(service.id) { () throws(CitconCallError) in try await service.newToken("client") }
    }

    /// Creates a charge: once. After a lost answer the client inquires about the reference; it sends nothing twice.
    ///
    /// - Returns: the charge; without its token when only an inquiry found it.
    /// - Throws: ``PaymentError``. With phase `maybeSent`, the charge may still appear: look with ``charge(for:)``
    ///   before ordering under another reference.
    public func createCharge(_ order: CitconOrder) async throws(PaymentError) -> CitconCharge {
        let body = try order.body(at: service.id)
        // A failure to get a token must not obscure if the order itself was sent.
        try await asMerchant(service.id) { () throws(CitconCallError) in try await service.prepare() }
        let fields: TransactionFields
        do { fields = try await service.create(body) } catch {
            guard error.leavesFateOpen, let charge = try? await charge(for: order) else {
                // A charge moves no money by itself; ``charge(for:)`` shows if a refused reference is in use.
                throw error.merchantError(isMutation: error.leavesFateOpen, of: service.id)
            }
            return charge
        }
        return try CitconCharge(fields, for: order, at: service.id)
    }

    /// Looks up the charge that `order` made; nil when the service knows none.
    ///
    /// - Returns: the charge; nil when the service knows none.
    /// - Throws: ``PaymentError``; `integrity` when its reference belongs to something else.
    public func charge(for order: CitconOrder) async throws(PaymentError) -> CitconCharge? {
        let data = try await asMerchant(service.id) { () throws(CitconCallError) in
            try await service.inquire(reference: order.reference)
        }
        guard let data else { return nil }
        return try CitconCharge(TransactionFields(data), for: order, at: service.id)
    }

    /// Captures an authorised amount: all of it, or `amount`. A repetition returns the report.
    ///
    /// The vendor does not document the service's answer, so the client inquires about the charge afterwards. A charge
    /// is captured once, by a reference derived from it: a repetition with another amount after a lost answer does not
    /// capture it again.
    ///
    /// - Parameters:
    ///   - payment: the charge.
    ///   - amount: the amount to capture; nil for all.
    /// - Returns: the report of the charge, with the captured amount; pending when the service does not report it yet.
    /// - Throws: ``PaymentError``; with phase `maybeSent` it may have been captured. `integrity` when another amount
    ///   than `amount` was captured, now or before.
    public func capture(
        _ payment: PaymentReference, amount: Money? = nil
    ) async throws(PaymentError) -> ServiceReport {
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
            // "The reference was used before": by an earlier copy of this request, which may be in flight.
            let isOpen = after == nil || failure.leavesFateOpen || refusal.vendorCode == "4100"
            throw isOpen ? refusal : failure.merchantError(isMutation: false, of: service.id)
        }
        return .pending(retryAfter: nil)
    }

    /// Returns the report of a charge after a capture.
    ///
    /// - Throws: ``PaymentError``, `integrity`, when another amount was captured.
    private func captured(
        _ payment: PaymentReference, _ charge: TransactionFields, as amount: Money?
    ) throws(PaymentError) -> ServiceReport {
        let report = charge.merchantReport(of: payment)
        guard case .succeeded(let receipt) = report, let amount, receipt.amount != amount else { return report }
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

    /// Returns the minor units of `amount` if its currency and its number of digits are those of `other`.
    static func units(of amount: Money, as other: Money) -> Int64? {
        guard amount.currency == other.currency, amount.exponent == other.exponent else { return nil }
        return Int64(exactly: amount.minorUnits)
    }
}
