import PaymentCore
import PaymentRouting
import SandboxSupport

/// `payroute refund`: refunds money, as a merchant does.
enum RefundCommand: Command {
    static let name = "refund"
    static let summary = "Give money of a payment back, once."
    static let syntax = CommandSyntax(
        path: "payroute refund",
        overview: "Give money of a payment back at a sandbox, as its merchant does.",
        discussion: """
            The same refund asked for again is made once: it is known by --id, or by the payment and the amount. A second refund of the same amount needs an id of its own. With --journal it survives a crash; 'payroute journal list' shows it.

            Ends with 0 only when the money is given back.
            """,
        arguments: [PaymentName.argument],
        options: [
            .init(
                name: "amount", value: "amount", help: "How much, with its currency: '12.50 USD'.", isRequired: true),
            .init(
                name: "id", value: "text",
                help: "The refund's own id, such as a credit note's. (default: by payment and amount)"),
            ServiceSession.json,
        ] + PaymentOptions.merchants)

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        guard let amount = try Self.amount(arguments) else {
            throw UsageError("Missing '--amount <amount>': how much is given back, such as '12.50 USD'", syntax)
        }
        let session = try ServiceSession(arguments, console, creatingJournal: true)
        let payment = await session.asMerchant(try PaymentName.read(arguments, console, session.router))
        let id =
            arguments.value("id") ?? session.vendor(of: payment.provider)?.refundID(of: payment, amount)
            ?? Self.defaultID(payment, amount)
        let request = RefundRequest(of: payment, amount: amount, id: id)
        return await ServiceSession.finish(request.reference, arguments, console) {
            if case .succeeded = $0 { true } else { false }
        } by: { () async throws(PaymentError) in
            try await session.router.refund(request)
        }
    }

    /// Returns an id that follows from payment and amount, so that a repeated command asks for the same refund.
    private static func defaultID(_ payment: PaymentReference, _ amount: Money) -> String {
        "\(payment.id)-\(amount.decimalText)-\(amount.currency)"
    }

    /// `12.50 USD`, in either order.
    static func amount(_ arguments: ParsedArguments) throws -> Money? {
        guard let text = arguments.value("amount") else { return nil }
        let words = text.split(separator: " ").map(String.init)
        func money(_ number: String, _ code: String) -> Money? {
            guard let currency = try? FiatCurrency(code) else { return nil }
            return try? Money(decimal: number, currency: .fiat(currency))
        }
        if words.count == 2, let amount = money(words[0], words[1]) ?? money(words[1], words[0]) { return amount }
        throw UsageError(
            "The value \(UsageError.quoted(text)) is no amount with its currency: write '12.50 USD', with at most as many "
                + "digits behind the point as the currency has", arguments.syntax)
    }
}
