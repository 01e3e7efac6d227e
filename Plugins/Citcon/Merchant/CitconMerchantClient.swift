import CitconProvider
public import PaymentCore

/// The calls of a merchant's server besides those about payments: it makes charges and changes them.
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
