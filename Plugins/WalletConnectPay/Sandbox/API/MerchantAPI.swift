import PaymentCore
import SandboxSupport

/// The calls with which merchants create, inspect and cancel payments.
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
