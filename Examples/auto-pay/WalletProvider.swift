import PaymentCore

/// A provider that moves no money: links look like `purse:<payee>/<number>/<euros>`.
struct WalletProvider: PaymentProvider {
    let descriptor = ProviderDescriptor(id: "purse", name: "Purse", patterns: [.scheme("purse")], outboundHosts: [])

    func recognize(_ link: PaymentLink) -> LinkMatch? {
        LinkMatch(reference: link.text.split(separator: "/").dropFirst().first.map(String.init))
    }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> PaymentQuote {
        let parts = request.link.text.split(whereSeparator: { $0 == ":" || $0 == "/" }).map(String.init)
        guard parts.count == 4 else { throw PaymentError(.notFound, "there is no such payment") }
        let amount = try Money(decimal: parts[3], currency: .eur)
        return PaymentQuote(
            reference: request.reference, payee: Payee(name: parts[1], id: parts[1]), amount: amount,
            options: [PaymentMethodOption(id: "cash", title: "Cash", amount: amount)])
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
