import PaymentCore
import PaymentStandards

/// Pays invoices of Lightning and links of Bitcoin from a balance at a fictional custodian, in every spelling.
struct CustodianProvider: PaymentProvider {
    let service: HTTPURL
    private let reader = StandardsReader()

    init(service: HTTPURL) { self.service = service }

    var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: "custodian", name: "Custodian", patterns: [.standard(Bolt11.id), .standard(BIP321.id)],
            outboundHosts: [service.authority], replayWindow: .seconds(600))
    }

    /// The order of a text that the custodian can pay: an exact amount on the main network.
    private struct Order {
        /// Identifies the order: another amount or payee is another payment.
        let name: String
        let text: String
        let payee: String
        let amount: Money
        let instruction: PaymentInstruction
    }

    private func order(_ link: PaymentLink) -> Order? {
        guard case .instruction(let instruction) = reader.read(link), case .fixed(let amount) = instruction.amount,
            instruction.fields["network"]?.string == "mainnet", let account = instruction.payee?.account
        else { return nil }
        // An invoice is identified by its payment hash, also inside of a link of Bitcoin; other links have no name but
        // what they ask for. The reading is the same in every spelling.
        let hash = ([instruction] + instruction.alternatives).compactMap { $0.fields["paymentHash"]?.string }.min()
        let words = hash.map { [$0] } ?? [account, instruction.payee?.name ?? "", instruction.memo ?? ""]
        return Order(
            name: (words + [amount.minorUnitText]).map { PercentCoding.encode($0) }.joined(separator: ":"),
            text: link.text,
            payee: instruction.payee?.name ?? String(account.prefix(12)), amount: amount, instruction: instruction)
    }

    func recognize(_ link: PaymentLink) -> LinkMatch? {
        order(link).map { LinkMatch(.payment($0.name), holdsSecret: false) }
    }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        guard let order = order(request.link) else { throw PaymentError(.notAPayment, "it asks for no exact amount") }
        let isOver = order.instruction.expiresAt.map { $0 <= context.clock.now } ?? false
        let known = try await status(of: request.reference, in: context)
        let report: ServiceReport? = if case .pending = known { isOver ? .expired : nil } else { known }
        return ProviderQuote(
            reference: request.reference, payee: Payee(name: order.payee), amount: order.amount,
            options: report == nil
                ? [
                    PaymentMethodOption(
                        id: "balance", title: "From the balance", amount: order.amount,
                        providerData: ["text": .string(order.text)])
                ] : [],
            expiresAt: order.instruction.expiresAt, report: report)
    }

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        let text = attempt.option.providerData?["text"]?.string ?? ""
        let body: JSONValue = [
            "name": .string(attempt.reference.id), "text": .string(text),
            "amount": .string(attempt.option.amount.decimalText),
        ]
        let url = try service.appending(["payments"])
        let payment: JSONValue = try await context.step("send", .mutation(replay: .sameKey)) {
            try await context.json(.post, url, body: body, idempotencyKey: attempt.idempotencyKey)
        }
        return report(payment, attempt.reference)
    }

    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        report(try await context.json(.get, service.appending(["payments", payment.id])), payment)
    }

    private func report(_ answer: JSONValue, _ payment: PaymentReference) -> ServiceReport {
        switch (answer["name"]?.string, answer["state"]?.string) {
        case (payment.id, "sent"): .succeeded(PaymentReceipt(reference: payment))
        case (payment.id, "none"), (payment.id, "sending"): .pending(retryAfter: nil)
        case (_, let word): .unknown(UnknownOutcome(reference: payment, rawStatus: word, message: "unknown to us"))
        }
    }
}
