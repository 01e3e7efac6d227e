public import PaymentCore

/// Pays orders at Sample: links look like `https://sample.example/order/42`.
public struct SampleProvider: PaymentProvider {
    /// The service's address.
    public let service: HTTPURL

    /// Creates a provider.
    ///
    /// - Parameter service: The service's address; another one for a test or a sandbox.
    public init(service: HTTPURL) { self.service = service }

    /// Its name, the links that it claims, and the only host that it may call.
    public var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: "sample", name: "Sample", patterns: [.host("sample.example", path: "/order")],
            outboundHosts: [service.authority])
    }

    /// Reads the order's id from a link. Nothing is asked for it, and no link is trusted that could lead
    /// elsewhere.
    public func recognize(_ link: PaymentLink) -> LinkMatch? {
        let parts = link.path.split(separator: "/")
        guard parts.count == 2, PathSegment.isSafe(parts[1]) else { return nil }
        return LinkMatch(.payment(String(parts[1])))
    }

    /// Asks what is to be paid.
    ///
    /// - Throws: ``PaymentError``; nothing has been paid then.
    public func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        let order: SampleOrder = try await context.json(.get, service.appending(["orders", request.reference.id]))
        let price = try order.amount()
        let report = try order.report(of: request.reference)
        return ProviderQuote(
            reference: request.reference, payee: Payee(name: order.shop), amount: price,
            options: report.isFinal
                ? [] : [PaymentMethodOption(id: "account", title: "From the account", amount: price)],
            report: report.isFinal ? report : nil)
    }

    /// Pays. What moves money stands in the step, and nothing else does.
    ///
    /// - Throws: ``PaymentError``; its phase says whether money can have moved.
    public func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        let url = try service.appending(["orders", attempt.reference.id, "pay"])
        let price = attempt.option.amount.decimalText
        // Sample does not recognise repetitions, so a payment whose fate is not known is asked about, never
        // sent again.
        let order: SampleOrder = try await context.step("pay", .mutation(replay: .never)) {
            try await context.json(.post, url, body: ["price": .string(price)])
        }
        return try order.report(of: attempt.reference)
    }

    /// Asks what has become of a payment.
    ///
    /// - Throws: ``PaymentError`` when the question is not answered, which says nothing about the payment.
    public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        let order: SampleOrder = try await context.json(.get, service.appending(["orders", payment.id]))
        return try order.report(of: payment)
    }
}

/// An order as the service reports it.
struct SampleOrder: Codable, Sendable {
    let id: String
    let shop: String
    let price: String
    let state: String

    /// The exact price.
    func amount() throws -> Money {
        do { return try Money(decimal: price, currency: .eur) } catch {
            throw PaymentError(.invalidResponse, "the order's price is no amount: \(error)", phase: .answered)
        }
    }

    /// The report that the order's state means. A state that is not known stays unknown and is kept: never a
    /// guess.
    func report(of payment: PaymentReference) throws -> ServiceReport {
        guard id == payment.id else {
            return .unknown(UnknownOutcome(reference: payment, message: "the service spoke of another order"))
        }
        switch state {
        case "paid": return .succeeded(PaymentReceipt(reference: payment, amount: try amount()))
        case "void": return .cancelled
        case "open", "working": return .pending(retryAfter: nil)
        default:
            return .unknown(
                UnknownOutcome(
                    reference: payment, rawStatus: String(state.prefix(40)), message: "the order's state is not known"))
        }
    }
}
