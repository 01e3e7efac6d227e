import PaymentCore
import PaymentTesting
import SandboxSupport

/// The calls of merchants that create, inspect and cancel payments.
extension WalletConnectPaySandbox {
    /// The service's minimum, in cents: a smaller amount does not cover its fees.
    private static let smallestAmount: UInt128 = 14
    /// The lifetime of a payment when the merchant specifies none, in seconds.
    private static let defaultLifetime: Int64 = 300

    func merchant(_ request: HTTPRequest, _ path: [String]) async throws(ServiceError) -> HTTPResponse {
        if request.method == .get, path.isEmpty { return try list(request, ofMerchant: false) }
        let caller = try RequestChecks.caller(request.headers, configuration, needsMerchant: true, isCore: true)
        switch (request.method, path.count, path.dropFirst().first) {
        case (.post, 0, _): return try create(request, caller)
        case (.get, 1, _): return .json(try view(try own(path[0], caller).id))
        case (.get, 2, "status"): return try await status(request, try own(path[0], caller).id)
        case (.post, 2, "cancel"): return try cancel(try own(path[0], caller).id, reason: "cancelled_by_merchant")
        default: throw .unknownPath
        }
    }

    /// Returns the payment with `id`, if it is the caller's: of the same environment and merchant.
    func own(_ id: String, _ caller: RequestChecks.Caller) throws(ServiceError) -> PaymentRecord {
        let payment = try payment(id)
        guard payment.world == caller.world, payment.merchantID == caller.merchant else { throw .paymentNotFound }
        return payment
    }

    private func create(_ request: HTTPRequest, _ caller: RequestChecks.Caller) throws(ServiceError) -> HTTPResponse {
        let body = try RequestChecks.body(request)
        let key = try RequestChecks.idempotencyKey(request.headers, isRequired: false).map {
            "payment/\(caller.scope)/\($0)"
        }
        if let key, let earlier = keys[key] {
            guard earlier.body == request.body else { throw .conflict }
            return created(try payment(earlier.payment))
        }
        guard let merchant = merchants[caller.world]?.first(where: { $0.id == caller.merchant && !$0.isDeleted }) else {
            throw ServiceError(status: 404, code: "merchant_not_found", message: "Merchant not found")
        }
        guard let reference = body["referenceId"]?.string, Self.isReference(reference) else {
            throw .validation(
                "Validation error: referenceId must be 1 to 35 characters of A-Z a-z 0-9 space / - : . , +")
        }
        guard let pricing = Pricing(unit: body["amount"]?["unit"]?.string),
            let value = body["amount"]?["value"]?.string, let units = UInt64(value),
            value.utf8.allSatisfy(\.isASCIIDigit)
        else { throw .validation("Validation error: amount must be in USD, EUR, GBP or JPY, in minor units") }
        let least = pricing.units(worth: Self.smallestAmount)
        guard UInt128(units) >= least else {
            throw .validation("Validation error: Amount must be at least \(least) to cover fees")
        }
        if let most = configuration.largestAmount, pricing.cents(UInt128(units)) > most {
            throw .validation("Validation error: Amount exceeds the limit per payment")
        }
        var expiresAt = now + Self.defaultLifetime
        if let wanted = body["expiresAt"], !wanted.isNull {
            // The bound, the end of the year 9999, keeps sums with it in range.
            guard let time = wanted.int64, time > now, time < 253_402_300_800 else {
                throw .validation("Validation error: expiresAt must be in the future")
            }
            expiresAt = time
        }
        var record = PaymentRecord(
            id: PaymentIDs.make(at: clock.now, random), referenceID: reference, units: UInt128(units),
            pricing: pricing, merchant: merchant.name, scenario: .paidAfterPolling, expiresAt: expiresAt)
        record.world = caller.world
        record.merchantID = caller.merchant
        // The generally available version does not have the member.
        if caller.isPreview { record.returns = try CheckoutPages.read(body["checkout"]) }
        add(record)
        if let key { keys[key] = (request.body, record.id) }
        return created(record)
    }

    private func created(_ payment: PaymentRecord) -> HTTPResponse {
        .json(
            [
                "paymentId": .string(payment.id), "status": .string(payment.status.rawValue),
                "expiresAt": .number(JSONNumber(payment.expiresAt)), "isFinal": .bool(payment.status.isFinal),
                "pollInMs": payment.status.isFinal ? nil : .number(JSONNumber(configuration.pollInMs)),
                "gatewayUrl": .string(PaymentIDs.link(to: payment.id)),
            ], status: 201)
    }

    private func view(_ id: String) throws(ServiceError) -> JSONValue {
        let payment = try payment(id)
        let transfer = payment.status == .succeeded ? payment.transfer : nil
        var body: JSONValue = [
            "status": .string(payment.status.rawValue), "referenceId": .string(payment.referenceID),
            "info": transfer?.info ?? nil, "settlement": nil,
        ]
        if let transfer {
            body["settlement"] = [
                "successful": ["txId": .string(transfer.transactionID), "amount": ["unit": .string(transfer.unit)]]
            ]
        }
        if let code = payment.failureCode { body["failureCode"] = .string(code) }
        return body
    }

    private static func isReference(_ text: String) -> Bool {
        (1...35).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIIDigit || $0.isASCIILetter || " /-:.,+".utf8.contains($0) }
    }
}

// MARK: - Refunds

/// Refunds: a mark on a whole payment, which no later answer shows.
extension WalletConnectPaySandbox {
    func refund(_ request: HTTPRequest) throws(ServiceError) -> HTTPResponse {
        let caller = try RequestChecks.caller(request.headers, configuration, needsMerchant: true, isCore: false)
        let body = try RequestChecks.body(request)
        guard let id = body["paymentId"]?.string, Self.isRefundable(id) else {
            throw .invalid("paymentId", "must be a payment's id")
        }
        guard let payment = try? own(id, caller) else { throw .notFound }
        guard payment.status == .succeeded else {
            throw ServiceError(
                status: 400, code: "payment_not_succeeded", message: "Payment is not in a refundable state")
        }
        guard !payment.isRefunded else {
            throw ServiceError(status: 409, code: "already_refunded", message: "Payment is already refunded")
        }
        payments[id]?.isRefunded = true
        record(id, .refunded(amount: "\(payment.units) \(payment.pricing.unit)"))
        return .json(["paymentId": .string(id)]).speaking(caller.version)
    }

    /// Returns true for `^pay_[A-Za-z0-9]+$`, at most 64 characters.
    private static func isRefundable(_ id: String) -> Bool {
        id.hasPrefix("pay_") && (5...64).contains(id.utf8.count)
            && id.utf8.dropFirst(4).allSatisfy { $0.isASCIIDigit || $0.isASCIILetter }
    }
}

extension HTTPResponse {
    /// Returns the response with the version of the request.
    func speaking(_ version: String) -> HTTPResponse {
        var response = self
        response.headers["WCP-Version"] = version
        return response
    }
}

// MARK: - The buyer's page

/// The pages for a buyer after the payment has ended.
struct CheckoutPages: Sendable {
    let success: String
    let error: String

    /// Reads the pages of a `checkout`; nil when there is none, or when one of them cannot be used. Then the buyer is
    /// not redirected.
    static func read(_ checkout: JSONValue?) throws(ServiceError) -> CheckoutPages? {
        guard let checkout, !checkout.isNull else { return nil }
        guard let success = checkout["successUrl"]?.string, let error = checkout["errorUrl"]?.string else {
            throw .validation("Validation error: checkout needs successUrl and errorUrl")
        }
        let isUsable = [success, error].allSatisfy { (try? HTTPURL($0))?.isSecure ?? false }
        return isUsable ? CheckoutPages(success: success, error: error) : nil
    }

    /// Returns the address with the payment's id: behind a query, before a fragment.
    static func adding(_ id: String, to page: String) -> String {
        let parts = page.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let sign = parts[0].contains("?") ? "&" : "?"
        return "\(parts[0])\(sign)payment_id=\(id)" + (parts.count > 1 ? "#\(parts[1])" : "")
    }
}

extension WalletConnectPaySandbox {
    /// Returns the address for the buyer of a payment that has ended; nil while it is open, and if the merchant set no
    /// usable pages.
    ///
    /// - Parameter id: the payment's id.
    public func returnURL(of id: String) -> String? {
        guard let payment = try? payment(id), payment.status.isFinal, let pages = payment.returns else { return nil }
        return CheckoutPages.adding(id, to: payment.status == .succeeded ? pages.success : pages.error)
    }

    /// Simulates the service's page for buyers: `GET /buyer/{id}`. The real page is at the link's own host, and nothing
    /// here leads to it. The code is for a wallet that calls this sandbox, the button for the simulated one.
    func buyerPage(_ id: String) throws(ServiceError) -> HTTPResponse {
        let payment = try payment(id)
        if let url = returnURL(of: id) { return HTTPResponse(status: 303, headers: ["Location": url]) }
        let price = payment.priceText
        let link = PaymentIDs.link(to: id)
        let state =
            payment.status.isFinal
            ? "<p class=\"\(payment.status == .succeeded ? "good" : "bad")\">This payment is over: "
                + "\(HTMLText.escape(payment.status.words)).</p>\n"
            : """
            <form method="post" action="/ledger/\(PercentCoding.encode(id))/pay" class="choices">
            <button class="primary">Pay \(HTMLText.escape(price)) with the simulated wallet</button></form>
            <p>Or scan the code with a wallet under test:</p>
            <img class="qr" src="/_sandbox/qr.svg?text=\(PercentCoding.encode(link))" alt="QR code of the link">
            <p class="code">Pay with a wallet: \(HTMLText.escape(link))</p>

            """
        let page = HTMLPage(
            title: payment.merchant, nonce: random.hex(32),
            content: """
                <h1>\(HTMLText.escape(payment.merchant))</h1>
                <p class="price">\(HTMLText.escape(price))</p>
                \(state)<dl class="card">
                <dt>Order</dt><dd>\(HTMLText.escape(payment.referenceID))</dd>
                <dt>Pay until</dt><dd>\(PageTime.text(payment.expiresAt))</dd>
                </dl>

                """, usesOwnAddress: true)
        return page.response()
    }
}

extension PaymentRecord.Status {
    /// The text for buyers.
    fileprivate var words: String {
        switch self {
        case .requiresAction: "waiting"
        case .processing: "on its way"
        case .succeeded: "paid"
        case .failed: "not paid, it failed"
        case .expired: "not paid, too late"
        case .cancelled: "not paid, cancelled"
        case .unfamiliar: "being looked at"
        }
    }
}
