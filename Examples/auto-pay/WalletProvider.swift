import PaymentCore

/// A provider that moves no money: links look like `purse:<payee>/<number>/<euros>`.
struct WalletProvider: PaymentProvider {
    let descriptor = ProviderDescriptor(id: "purse", name: "Purse", patterns: [.scheme("purse")], outboundHosts: [])

    func recognize(_ link: PaymentLink) -> LinkMatch? {
        guard let order = order(link) else { return nil }
        return LinkMatch(.payment("\(order.payee)/\(order.number)/\(order.amount.minorUnitText)"))
    }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        guard let order = order(request.link) else { throw PaymentError(.notFound, "there is no such payment") }
        return ProviderQuote(
            reference: request.reference, payee: Payee(name: order.payee, id: order.payee), amount: order.amount,
            options: [PaymentMethodOption(id: "cash", title: "Cash", amount: order.amount)])
    }

    private func order(_ link: PaymentLink) -> (payee: String, number: String, amount: Money)? {
        let parts = link.path.split(separator: "/").map(String.init)
        guard parts.count == 3, let amount = try? Money(decimal: parts[2], currency: .eur) else { return nil }
        return (parts[0], parts[1], amount)
    }

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        _ = try await context.step("take", .mutation(replay: .never)) { true }
        return .succeeded(PaymentReceipt(reference: attempt.reference))
    }

    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        .succeeded(PaymentReceipt(reference: payment))
    }
}

/// There is nothing to be called.
struct NoNetwork: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        throw TransportError(.notSent, .hostNotFound, origin: request.url.origin)
    }
}
