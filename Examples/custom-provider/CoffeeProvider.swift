import PaymentCore

/// Pays orders at the fictional gateway Coffee: links look like `https://coffee.example/order/42`.
struct CoffeeProvider: PaymentProvider {
    let gateway: HTTPURL

    var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: "coffee", name: "Coffee", patterns: [.host("coffee.example", path: "/order")],
            outboundHosts: [gateway.authority])
    }
    func recognize(_ link: PaymentLink) -> LinkMatch? {
        link.path.split(separator: "/").dropFirst().first.map { LinkMatch(reference: String($0)) }
    }
    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> PaymentQuote {
        let order = try await call(.get, [request.reference.id], context)
        let price = try Money(decimal: order["price"]?.string ?? "", currency: .eur)
        return PaymentQuote(
            reference: request.reference, payee: Payee(name: order["shop"]?.string ?? "unknown"), amount: price,
            options: [PaymentOption(id: "tab", title: "Put it on the tab", amount: price)])
    }
    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> PaymentOutcome {
        let order = try await context.step("pay", .mutation(replay: .never)) {
            try await call(.post, [attempt.reference.id, "pay"], context)
        }
        return outcome(order, attempt.reference)
    }
    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> PaymentOutcome {
        outcome(try await call(.get, [payment.id], context), payment)
    }
    private func outcome(_ order: JSONValue, _ payment: PaymentReference) -> PaymentOutcome {
        order["paid"]?.bool == true ? .succeeded(PaymentReceipt(reference: payment)) : .pending(retryAfter: nil)
    }
    private func call(_ verb: HTTPRequest.Method, _ path: [String], _ use: ProviderContext) async throws -> JSONValue {
        try JSONValue(parsing: await use.http.send(HTTPRequest(verb, gateway.appending(["orders"] + path))).body)
    }
}
