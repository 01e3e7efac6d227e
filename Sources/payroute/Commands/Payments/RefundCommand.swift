import PaymentCore
import PaymentRouting
import SandboxSupport

/// `payroute refund`: refunds money, as a merchant does.
enum RefundCommand: Command {
    static let name = "refund"
    static let summary = "Refund a payment, in whole or in part, once."
    static let syntax = CommandSyntax(
        path: "payroute refund",
        overview: "Refund a payment, as its merchant does: at a sandbox, or with your account at the service.",
        discussion: """
            A repeated refund is made once: it is identified by --id, or by the payment and the amount. A second refund of the same amount needs another --id. With --journal it survives a crash; 'payroute journal list' shows it.

            Exits with 0 only if the refund is made.
            """,
        arguments: [PaymentName.argument],
        options: [
            .init(
                name: "amount", value: "amount", help: "The amount with its currency: '12.50 USD'.", isRequired: true),
            .init(
                name: "id", value: "text",
                help: "The refund's id, such as a credit note's. (default: by payment and amount)"),
            ServiceSession.json,
        ] + PaymentOptions.merchants,
        examples: [
            .init(
                "payroute refund citcon/order-7 --amount '5.00 USD' --id note-7",
                "a part, once")
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        guard let amount = try Self.amount(arguments) else {
            throw UsageError("Missing '--amount <amount>': the amount to refund, such as '12.50 USD'", syntax)
        }
        let session = try await ServiceSession(arguments, console, creatingJournal: true)
        let payment = await session.asMerchant(try PaymentName.read(arguments, console, session.router))
        let id = arguments.value("id") ?? Self.defaultID(payment, amount)
        let request = RefundRequest(of: payment, amount: amount, id: id)
        return await session.finish(request.reference, arguments, console) {
            $0 == .succeeded
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
            "The value \(UsageError.quoted(text)) is not an amount with its currency: write '12.50 USD', with at most as many "
                + "digits behind the point as the currency has", arguments.syntax)
    }
}
