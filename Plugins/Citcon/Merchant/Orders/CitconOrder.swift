public import CitconProvider
public import PaymentCore
import ServiceSupport

/// An order of a merchant: the content of a new charge.
public struct CitconOrder: Sendable, Hashable {
    /// The addresses for Citcon's notifications and for payers after the payment pages.
    public struct URLs: Sendable, Hashable {
        /// The address for notifications. Without it there are none.
        public var ipn: String?
        /// The payer's destination after paying.
        public var success: String?
        /// The payer's destination after a failure.
        public var fail: String?
        /// The payer's destination after cancelling.
        public var cancel: String?

        /// Creates a set of addresses.
        public init(ipn: String? = nil, success: String? = nil, fail: String? = nil, cancel: String? = nil) {
            self.ipn = ipn
            self.success = success
            self.fail = fail
            self.cancel = cancel
        }
    }

    /// The merchant's own id of the charge, unique among all references that the merchant ever sends: up to 128
    /// printable ASCII characters other than `&`, which would make signatures ambiguous.
    public var reference: String
    /// The amount. Citcon counts in the currency's minor units.
    public var amount: Money
    /// The country, ISO 3166-1, two letters.
    public var country: String
    /// True if the money is captured automatically. Nil leaves it to Citcon, which decides by method.
    public var autoCapture: Bool?
    /// A text for the merchant's own records.
    public var note: String?
    /// The payment method. Nil lets the app choose.
    public var method: String?
    /// The kinds of clients to make pages for: `desktop`, `mobile_browser`, `mobile_native`.
    public var clients: [String] = []
    /// The addresses for notifications and payers.
    public var urls: URLs
    /// The merchant's own id of the payer.
    public var consumer: Redacted<String>?
    /// True if Citcon should use its accelerated pages for mainland China.
    public var isForMainlandChina = false

    /// Creates an order.
    public init(reference: String, amount: Money, country: String, method: String? = nil, urls: URLs = URLs()) {
        self.reference = reference
        self.amount = amount
        self.country = country
        self.method = method
        self.urls = urls
    }

    /// Returns the body of `charges`.
    ///
    /// - Throws: ``PaymentError`` with code `requestRefused` when a part cannot be sent.
    func body(at merchant: ProviderID) throws(PaymentError) -> JSONValue {
        func unfit(_ message: String) -> PaymentError {
            PaymentError(.requestRefused, "the order cannot be sent: \(message)", provider: merchant)
        }
        guard MerchantReference.isFree(reference) else {
            throw unfit(
                "the reference must be 1 to 128 printable ASCII characters, without & / \\ ? # ; % and .., and not begin with "
                    + MerchantReference.prefixes.map { "'\($0)'" }.joined(separator: ", "))
        }
        guard case .fiat(let currency) = amount.currency, amount.exponent == currency.exponent,
            let units = Int64(exactly: amount.minorUnits), units > 0
        else { throw unfit("the amount must be above zero, in minor units of a state's currency") }
        guard country.utf8.count == 2, country.allSatisfy({ $0.isASCII && $0.isUppercase }) else {
            throw unfit("the country must be two capital letters")
        }
        var transaction: JSONValue = [
            "reference": .string(reference), "amount": .number(JSONNumber(units)), "currency": .string(currency.code),
            "country": .string(country),
        ]
        transaction["auto_capture"] = autoCapture.map(JSONValue.bool)
        transaction["note"] = note.map(JSONValue.string)
        if isForMainlandChina { transaction["country_accelerator"] = "CN" }
        var addresses: JSONValue = [:]
        addresses["ipn"] = urls.ipn.map(JSONValue.string)
        addresses["success"] = urls.success.map(JSONValue.string)
        addresses["fail"] = urls.fail.map(JSONValue.string)
        addresses["cancel"] = urls.cancel.map(JSONValue.string)
        var body: JSONValue = ["transaction": transaction, "urls": addresses]
        if let method {
            body["payment"] = ["method": .string(method), "client": .array(clients.map(JSONValue.string))]
        }
        if let consumer { body["consumer"] = ["reference": .string(consumer.reveal())] }
        return body
    }

}

/// A charge on a merchant's server.
public struct CitconCharge: Sendable, Hashable {
    /// Citcon's id.
    public let id: String
    /// The payment's reference in routers and journals, with the merchant's own reference.
    public let reference: PaymentReference
    /// The token for the app's confirmation, once. Nil when the answer to the request was lost: Citcon sends the token
    /// only there, so such a charge can only be cancelled.
    public let token: Redacted<String>?
    /// The amount.
    public let amount: Money
    /// The country.
    public let country: String
    /// The payment method, when it was ordered.
    public let method: String?
    /// The merchant's own id of the payer.
    public let consumer: Redacted<String>?
    /// The status.
    public let status: CitconStatus
    /// The pages for the requested kinds of clients.
    public let pages: [Page]

    /// A page that can pay the charge.
    public struct Page: Sendable, Hashable {
        /// The kind of client.
        public let client: String
        /// `redirect`, or `qr` for a page that shows a code.
        public let format: String
        /// The page's URL. Any holder of it can pay there.
        public let url: Redacted<String>
    }

    /// - Throws: ``PaymentError`` with code `integrity` when the charge is not the one that was ordered.
    init(
        _ fields: TransactionFields, for order: CitconOrder, at merchant: ProviderID
    ) throws(PaymentError) {
        func error(_ code: PaymentError.Code, _ message: String) -> PaymentError {
            PaymentError(code, message, provider: merchant, phase: .maybeSent)
        }
        guard let id = fields.id, !id.isEmpty, let amount = fields.money else {
            throw error(.invalidResponse, "Citcon's answer lacks the charge's id, amount or currency")
        }
        guard fields.reference == order.reference, amount == order.amount else {
            throw error(.integrity, "Citcon answered with another charge than was ordered")
        }
        self.id = id
        reference = PaymentReference(provider: merchant, id: order.reference)
        token = fields.chargeToken
        self.amount = amount
        country = order.country
        method = order.method
        consumer = order.consumer
        status = fields.state ?? .unknown("")
        pages = fields.client.compactMap { entry in
            guard let client = entry.client, let format = entry.format, let url = entry.content else { return nil }
            return Page(client: client, format: format, url: url)
        }
    }

    /// Returns the link that passes the charge to the payer's app. It contains the token: any holder of it can pay the
    /// charge, once.
    ///
    /// - Parameters:
    ///   - mode: the environment of the charge.
    ///   - method: the payment method, if none was ordered.
    /// - Returns: the link; nil when the token or the method is not known.
    /// - Throws: ``CitconOrderLink/Defect`` when the charge does not fit the links' grammar.
    public func link(
        in mode: CitconEndpoint.Mode, method: String? = nil
    ) throws(CitconOrderLink.Defect) -> CitconOrderLink? {
        guard let token, let method = self.method ?? method else { return nil }
        return try CitconOrderLink(
            token: token, method: method, reference: reference.id, amount: amount, country: country, mode: mode,
            consumer: consumer)
    }
}

/// The references of a merchant's requests. Charges, captures, cancellations and refunds share one namespace.
enum MerchantReference {
    static let prefixes = ["refund-", "cancel-", "capture-", LandingPage.referencePrefix]

    /// Returns true if a merchant may use `text` as the reference of a charge.
    static func isFree(_ text: String) -> Bool {
        isSound(text) && !prefixes.contains(where: text.hasPrefix)
    }

    private static let longest = 128

    static func isSound(_ text: String) -> Bool {
        text.utf8.count <= longest && PathSegment.isSafe(text)
            && text.unicodeScalars.allSatisfy { $0.isASCII && $0 != "&" }
    }

    /// Returns the reference of a refund. It contains the charge, with its length: the references of refunds of
    /// different charges differ, whatever their ids. A refund after one that failed has another reference, since Citcon
    /// takes none twice.
    static func refund(_ request: RefundRequest) -> String {
        refundPrefix(of: request.payment.id)
            + ServiceName.make(request.id, turn: request.earlierFailures, limit: longest, isSound: isSound)
    }

    private static func refundPrefix(of charge: String) -> String { "refund-\(charge.utf8.count)-\(charge)-" }

    /// Returns the charge and the id of the refund that has this reference; nil when it was requested elsewhere, or has
    /// only a digest of the id.
    static func refund(in reference: String) -> (charge: String, id: String)? {
        let parts = reference.split(separator: "-", maxSplits: 2)
        guard parts.count == 3, let length = Int(parts[1]), length > 0,
            let charge = String(parts[2].utf8.prefix(length)), reference.hasPrefix(refundPrefix(of: charge)),
            case let name = reference.dropFirst(refundPrefix(of: charge).count), !name.isEmpty,
            let id = ServiceName.read(String(name))
        else { return nil }
        return (charge, id)
    }

    /// A payment is cancelled and captured at most once, so these references are derived from it.
    static func cancel(_ payment: PaymentReference) -> String { "cancel-" + payment.id }
    static func capture(_ payment: PaymentReference) -> String { "capture-" + payment.id }
}

// MARK: - Changes

/// The result of a change of a charge.
@nonexhaustive
public enum CitconChange: Sendable, Hashable {
    /// The charge is final and unpaid, and another one replaces it.
    case replaced(CitconCharge)
    /// It is unchanged, because it is paid, a payment is in progress, or its status is unknown.
    case unchanged(ServiceReport)
}

extension CitconMerchantClient {
    /// Changes an unpaid charge, such as its amount: cancels it, and makes another one in its place.
    ///
    /// The vendor documents no call that changes a charge (Protocol 2.12). The other charge is made only after the
    /// service itself reports the first one as final, so there are never two to pay. A repetition resumes the change.
    ///
    /// - Parameters:
    ///   - payment: the charge.
    ///   - order: the replacement, under its own reference.
    /// - Returns: the other charge, without its token when only an inquiry found it; or the report that keeps the
    ///   first one.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the charge may be cancelled, or the other one made: repeat
    ///   the call.
    public func change(
        _ payment: PaymentReference, to order: CitconOrder
    ) async throws -> CitconChange {
        guard order.reference != payment.id else {
            throw PaymentError(
                .requestRefused, "the changed charge needs another reference: Citcon takes none twice",
                provider: service.id)
        }
        // Refuses an invalid order before the cancellation.
        _ = try order.body(at: service.id)
        let before = try await found(payment)
        // An authorised or pending amount is not released for a change.
        guard before.state == .initiated || before.state?.isUnpaid == true else {
            return .unchanged(before.merchantReport(of: payment))
        }
        let report = try await performCancellation(payment, before) { body in
            try await asMerchant(service.id, isMutation: true) { () throws(CitconCallError) in
                _ = try await service.cancel(body)
            }
        }
        switch report {
        case .cancelled, .expired, .declined: break
        default: return .unchanged(report)
        }
        do throws(PaymentError) { return .replaced(try await createCharge(order)) } catch {
            // Made by an earlier call of this method.
            guard let charge = try? await charge(for: order) else { throw error }
            return .replaced(charge)
        }
    }

    /// Cancels a charge that is not final, and asks for the report. The cancellation's own reference is derived from
    /// the payment, so a repetition cancels only once.
    ///
    /// - Parameter send: sends the request, once.
    /// - Throws: ``PaymentError``, or what `send` throws; with phase `maybeSent` the charge may have been cancelled.
    func performCancellation(
        _ payment: PaymentReference, _ charge: TransactionFields, _ send: (JSONValue) async throws -> Void
    ) async throws -> ServiceReport {
        guard charge.state?.isOver != true, let id = charge.id else { return charge.merchantReport(of: payment) }
        do {
            try await send([
                "id": .string(id), "reference": .string(MerchantReference.cancel(payment)),
                "transaction_reference": .string(payment.id),
            ])
        } catch let failure as PaymentError {
            // Paid just now, cancelled before, or the answer was lost: the charge's own state decides.
            guard let after = try? await found(payment), after.state?.isOver == true else { throw failure }
            return after.merchantReport(of: payment)
        }
        do { return try await found(payment).merchantReport(of: payment) } catch {
            // The inquiry failed after the cancellation succeeded.
            throw error.with(
                message:
                    "the cancellation was accepted, but what has become of the charge is not known: \(error.message)",
                phase: .maybeSent, retry: .later)
        }
    }
}
