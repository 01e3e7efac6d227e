import PaymentCore

/// The calls with which merchants make payments. Listing and refunding are not simulated.
extension WalletConnectPaySandbox {
    /// The least the service takes, in cents: less does not cover its fees.
    private static let smallestAmount: UInt128 = 14
    /// How long a payment can be paid when the merchant does not say, in seconds.
    private static let defaultLifetime: Int64 = 300

    func merchant(_ request: HTTPRequest, _ path: [String]) async throws(ServiceError) -> HTTPResponse {
        try RequestChecks.merchant(request.headers)
        switch (request.method, path.count, path.dropFirst().first) {
        case (.post, 0, _): return try create(request)
        case (.get, 1, _): return .json(try view(path[0]))
        case (.get, 2, "status"): return try await status(request, path[0])
        case (.post, 2, "cancel"): return try cancel(path[0], reason: "cancelled_by_merchant")
        default: throw .unknownPath
        }
    }

    private func create(_ request: HTTPRequest) throws(ServiceError) -> HTTPResponse {
        let body = try RequestChecks.body(request)
        let key = request.headers["Idempotency-Key"].map { "\(request.headers["Merchant-Id"] ?? "")/\($0)" }
        if let key, let earlier = keys[key] {
            guard earlier.body == request.body else {
                throw ServiceError(
                    status: 409, code: "idempotency_conflict", message: "Idempotency key was used with another body")
            }
            return created(try payment(earlier.payment))
        }
        guard let reference = body["referenceId"]?.string, Self.isReference(reference) else {
            throw .validation(
                "Validation error: referenceId must be 1 to 35 characters of A-Z a-z 0-9 space / - : . , +")
        }
        guard body["amount"]?["unit"]?.string == "iso4217/USD", let value = body["amount"]?["value"]?.string,
            let cents = UInt64(value), value.utf8.allSatisfy(\.isASCIIDigit)
        else { throw .validation("Validation error: amount must be in iso4217/USD, in cents") }
        guard cents >= Self.smallestAmount else {
            throw .validation("Validation error: Amount must be at least \(Self.smallestAmount) to cover fees")
        }
        var expiresAt = now + Self.defaultLifetime
        if let wanted = body["expiresAt"], !wanted.isNull {
            // The bound, the end of the year 9999, keeps sums with it in range.
            guard let time = wanted.int64, time > now, time < 253_402_300_800 else {
                throw .validation("Validation error: expiresAt must be in the future")
            }
            expiresAt = time
        }
        let record = PaymentRecord(
            id: PaymentIDs.make(at: clock.now, random), referenceID: reference, cents: UInt128(cents),
            merchant: request.headers["Merchant-Id"] ?? "", scenario: .paidAfterPolling, expiresAt: expiresAt)
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
