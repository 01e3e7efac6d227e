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
        let parts = link.path.split(separator: "/")
        return parts.count == 2 && PathSegment.isSafe(parts[1]) ? LinkMatch(.payment(String(parts[1]))) : nil
    }
    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        let order: JSONValue = try await context.json(.get, gateway.appending(["orders", request.reference.id]))
        let (price, payee) = (try money(order["price"]), Payee(name: order["shop"]?.string ?? "unknown"))
        let option = PaymentMethodOption(id: "tab", title: "Put it on the tab", amount: price)
        return ProviderQuote(reference: request.reference, payee: payee, amount: price, options: [option])
    }
    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        let (url, price) = (try gateway.appending(["orders", attempt.reference.id, "pay"]), attempt.option.amount)
        let order: JSONValue = try await context.step("pay", .mutation(replay: .never)) {
            try await context.json(.post, url, body: ["price": .string(price.decimalText)])
        }
        return report(order, attempt.reference)
    }
    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        report(try await context.json(.get, gateway.appending(["orders", payment.id])), payment)
    }
    private func money(_ text: JSONValue?) throws -> Money { try Money(decimal: text?.string ?? "", currency: .eur) }
    private func report(_ order: JSONValue, _ payment: PaymentReference) -> ServiceReport {
        switch (order["id"]?.string, order["state"]?.string) {
        case (payment.id, "paid"): .succeeded(PaymentReceipt(reference: payment, amount: try? money(order["price"])))
        case (payment.id, "void"): .cancelled
        case (payment.id, "open"), (payment.id, "brewing"): .pending(retryAfter: nil)
        case (_, let word): .unknown(UnknownOutcome(reference: payment, rawStatus: word, message: "unknown to us"))
        }
    }
}
