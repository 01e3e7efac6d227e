public import PaymentCore
public import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension WalletConnectPayMerchant {
    /// The order that a buyer pays.
    public struct Order: Sendable, Hashable {
        /// The merchant's own reference of the order: 3 to 35 of `A–Z a–z 0–9`, space and `/ : . , + -`. The service
        /// accepts other characters, but then cannot find the payment by its reference, which refunds need. It need not
        /// be unique.
        public var reference: String
        /// The price in a fiat currency, in its usual minor units.
        public var amount: Money
        /// The expiry, in whole seconds. Nil leaves it to the service, which allows five minutes.
        public var expiresAt: Date?
        /// The pages for buyers who return from the service's checkout page.
        public var returns: CheckoutReturns?
        /// The key that identifies repetitions: two orders under one key create one payment, and another order under a
        /// used key is refused. At most 255 printable ASCII characters.
        public var idempotencyKey: String

        /// Creates an order.
        ///
        /// - Parameters:
        ///   - reference: the shop's own reference of the order.
        ///   - amount: the price.
        ///   - expiresAt: the expiry; nil leaves it to the service.
        ///   - returns: the pages for returning buyers.
        ///   - idempotencyKey: nil takes the reference, for shops whose references are unique.
        public init(
            reference: String, amount: Money, expiresAt: Date? = nil, returns: CheckoutReturns? = nil,
            idempotencyKey: String? = nil
        ) {
            self.reference = reference
            self.amount = amount
            self.expiresAt = expiresAt
            self.returns = returns
            self.idempotencyKey = idempotencyKey ?? reference
        }
    }
}

extension WalletConnectPayMerchant.Order {
    /// Returns the request body, always the same for the same order: the service compares repetitions with it.
    func body(at merchant: ProviderID) throws(PaymentError) -> JSONValue {
        func refused(_ text: String) -> PaymentError { PaymentError(.requestRefused, text, provider: merchant) }
        guard Self.isSearchable(reference) else {
            throw refused("the order's reference has to be 3 to 35 of letters, digits, space and / : . , + -")
        }
        guard case .fiat(let currency) = amount.currency, amount.exponent == currency.exponent, !amount.isZero else {
            throw refused("the order's price has to be above zero, in a country's money and its usual minor units")
        }
        try Self.check(key: idempotencyKey, at: merchant)
        var body: JSONValue = [
            "referenceId": .string(reference),
            "amount": ["unit": .string(amount.currency.unit), "value": .string(amount.minorUnitText)],
        ]
        if let expiresAt {
            guard let seconds = Int64(exactly: expiresAt.timeIntervalSince1970.rounded(.down)), seconds > 0 else {
                throw refused("the order's end is no time that can be written")
            }
            body["expiresAt"] = .number(JSONNumber(seconds))
        }
        if let returns {
            body["checkout"] = [
                "successUrl": .string(returns.success.text), "errorUrl": .string(returns.error.text),
            ]
        }
        return body
    }

    static func check(key: String, at merchant: ProviderID) throws(PaymentError) {
        let isPlain = key.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && key.first != " " && key.last != " "
        guard !key.isEmpty, key.utf8.count <= 255, isPlain else {
            throw PaymentError(
                .requestRefused, "an idempotency key has to be 1 to 255 printable ASCII characters", provider: merchant)
        }
    }

    /// Returns true if the service's lists can be searched for `reference`.
    static func isSearchable(_ reference: String) -> Bool {
        (3...35).contains(reference.utf8.count)
            && reference.utf8.allSatisfy { $0.isASCIIDigit || $0.isASCIILetter || " /:.,+-".utf8.contains($0) }
    }
}

extension WalletConnectPayMerchant {
    /// A created payment, for the buyer to pay.
    public struct CreatedPayment: Sendable, Hashable {
        /// The payment's reference in routers and journals.
        public let reference: PaymentReference
        /// The link for the buyer's wallet, also to be shown as a QR code.
        public let link: String
        /// The expiry of the payment.
        public let expiresAt: Date
        /// The service's raw status. A repeated order may be paid already.
        public let rawStatus: String

        init(_ body: CreatedBody, at merchant: WalletConnectPayMerchant) throws(PaymentError) {
            func failure(_ text: String) -> PaymentError {
                PaymentError(.integrity, text, provider: merchant.id, phase: .maybeSent)
            }
            let reference = PaymentReference(provider: merchant.id, id: body.paymentId)
            guard (try? merchant.paymentID(reference)) != nil else {
                throw failure("WalletConnect Pay made a payment with an id that none of its calls take")
            }
            // Buyers are shown no link that leads elsewhere, or to another payment.
            let match = (try? PaymentLink(body.gatewayUrl)).flatMap { LinkReading.routed($0) }
            guard match?.trust == .verified, match?.reference == body.paymentId else {
                throw failure("WalletConnect Pay made a payment whose link does not lead to it")
            }
            self.reference = reference
            link = body.gatewayUrl
            expiresAt = Date(timeIntervalSince1970: Double(body.expiresAt))
            rawStatus = body.status.printable
        }
    }

    /// A merchant's view of a payment at the service.
    public struct PaymentView: Sendable, Hashable {
        /// The payment's reference in routers and journals.
        public let payment: PaymentReference
        /// The merchant's own reference of the order.
        public let reference: String
        /// The service's raw status.
        public let rawStatus: String
        /// The report.
        public let report: ServiceReport
        /// The transaction that paid the merchant out, once there is one.
        public let settlementTransactionID: String?

        init(_ body: ViewBody, of payment: PaymentReference) {
            self.payment = payment
            reference = body.referenceId
            rawStatus = body.status.printable
            report =
                StatusBody(
                    status: body.status, isFinal: body.status.isFinal, info: body.info, failureCode: body.failureCode
                ).report(of: payment)
            settlementTransactionID = body.settlement?.successful?.txId
        }
    }
}
