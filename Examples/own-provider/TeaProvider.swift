import PaymentCore

/// Pays orders at the fictional tea house: links look like `https://tea.example/order/7`.
struct TeaProvider: PaymentProvider {
    let service: HTTPURL
    let key: Redacted<String>

    var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: "tea", name: "Tea House", patterns: [.host("tea.example", path: "/order")],
            outboundHosts: [service.authority], replayWindow: .seconds(600))
    }

    func recognize(_ link: PaymentLink) -> LinkMatch? {
        let parts = link.path.split(separator: "/")
        guard parts.count == 2, PathSegment.isSafe(parts[1]) else { return nil }
        return LinkMatch(.payment(String(parts[1])))
    }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        let order = try await ask(request.reference, context)
        let (price, report) = (try order.money(), order.report(of: request.reference))
        let isOpen = order.state == "open"
        return ProviderQuote(
            reference: request.reference, payee: Payee(name: order.shop), amount: price,
            options: isOpen ? [PaymentMethodOption(id: "tab", title: "Put it on the tab", amount: price)] : [],
            report: isOpen ? nil : report)
    }

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        let url = try orders([attempt.reference.id, "charge"])
        let price = attempt.option.amount.decimalText
        var order: TeaOrder
        do {
            order = try await context.step("charge", .mutation(replay: .sameKey)) {
                try await context.json(
                    .post, url, body: ["price": .string(price)], headers: credentials,
                    idempotencyKey: attempt.idempotencyKey)
            }
        } catch let error as PaymentError where error.code == .requestRefused && error.phase == .answered {
            return .declined(DeclineReason(.refused, "the tea house does not take the payment"))
        }
        for _ in 0..<20 where !order.report(of: attempt.reference).isFinal {
            try await context.clock.sleep(for: .seconds(1))
            order = try await ask(attempt.reference, context)
        }
        return order.report(of: attempt.reference)
    }

    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        try await ask(payment, context).report(of: payment)
    }

    private func ask(_ payment: PaymentReference, _ context: ProviderContext) async throws -> TeaOrder {
        try await context.json(.get, orders([payment.id]), headers: credentials)
    }

    func orders(_ path: [String]) throws -> HTTPURL { try service.appending(["orders"] + path) }
    var credentials: HTTPHeaders { ["Authorization": "Bearer \(key.reveal())"] }
}

/// An order as the tea house reports it.
struct TeaOrder: Codable, Sendable {
    let id: String
    let shop: String
    let price: String
    let state: String

    func money() throws -> Money {
        do { return try Money(decimal: price, currency: .eur) } catch {
            throw PaymentError(.invalidResponse, "the order's price is no amount: \(error)", phase: .answered)
        }
    }

    func report(of payment: PaymentReference) -> ServiceReport {
        switch (id == payment.id, state) {
        case (true, "paid"): .succeeded(PaymentReceipt(reference: payment, amount: try? money()))
        case (true, "void"): .expired
        case (true, "open"), (true, "brewing"): .pending(retryAfter: .seconds(1))
        default:
            .unknown(
                UnknownOutcome(
                    reference: payment, rawStatus: String(state.prefix(40)), message: "a state that is not known"))
        }
    }
}
