import PaymentCore
import PaymentTesting

/// A provider whose step charges first, and then sends other requests.
struct SeveralRequestsProvider: PaymentProvider {
    private let base = KeyedProvider(replay: .never)
    /// The number of requests in the step.
    let requests: Int
    /// True for the mistake of calling the charge a request that changes nothing.
    var hidesCharge = false

    var descriptor: ProviderDescriptor { base.descriptor }

    func recognize(_ link: PaymentLink) -> LinkMatch? { base.recognize(link) }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        try await base.quote(request, in: context)
    }

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        let payment = try HTTPURL("https://\(KeyedService.host)").appending(["payments", attempt.reference.id])
        let charge = try payment.appending(["charge"])
        let headers: HTTPHeaders = ["Idempotency-Key": attempt.idempotencyKey]
        let amount: JSONValue = ["amount": .string(String(attempt.option.amount.minorUnits))]
        let (count, isHidden) = (requests, hidesCharge)
        _ = try await context.step("charge", .mutation(replay: .never)) {
            if isHidden {
                var request = HTTPRequest(.post, charge, headers: headers, body: amount.serialized())
                request.changesNothing = true
                guard try await context.http.send(request).status == 200 else { return JSONValue.null }
            } else {
                let _: JSONValue = try await context.json(.post, charge, body: amount, headers: headers)
            }
            // A question, and a receipt: the service recognises the key.
            let state: JSONValue = try await context.json(.get, payment)
            guard count > 2 else { return state }
            return try await context.json(.post, charge, body: amount, headers: headers)
        }
        var report = try await base.status(of: attempt.reference, in: context)
        for _ in 0..<20 where !report.isFinal {
            try await context.clock.sleep(for: .seconds(1))
            report = try await base.status(of: attempt.reference, in: context)
        }
        return report
    }

    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        try await base.status(of: payment, in: context)
    }
}
