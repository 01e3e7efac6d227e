import PaymentCore
import PaymentRouting
import SandboxSupport

/// `payroute status`: the outcome of a payment.
enum StatusCommand: Command {
    static let name = "status"
    static let summary = "Ask for the outcome of a payment."
    static let syntax = CommandSyntax(
        path: "payroute status",
        overview: "Ask the service for the outcome of a payment. Nothing is changed by it.",
        discussion:
            "Exits with 0 only if the payment is made; of a link that names a payee, each payment of the journal is shown, and all have to be made. With --journal this machine's records count, too: while an attempt "
            + "is open there, or after the wallet itself has sent coins, no refusal of the service is final.",
        arguments: [PaymentName.argument],
        options: [ServiceSession.json, AccountsOption.option] + PaymentOptions.payers,
        examples: [.init("payroute status citcon/order-7", "by provider and id")])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let session = try await ServiceSession(arguments, console, creatingJournal: false)
        let payments = try await PaymentName.readAll(arguments, console, session.router)
        var code = ExitCode.done
        for payment in payments {
            let ended = await session.finish(payment, arguments, console) {
                $0 == .succeeded
            } by: { () async throws(PaymentError) in
                try await session.status(of: payment)
            }
            if ended != .done { code = ended }
        }
        return code
    }
}

/// `payroute cancel`: cancels a payment, as its merchant does.
enum CancelCommand: Command {
    static let name = "cancel"
    static let summary = "Cancel a payment that is not paid yet."
    static let syntax = CommandSyntax(
        path: "payroute cancel",
        overview: "Cancel a payment that is not paid yet, as its merchant does.",
        discussion:
            "Exits with 0 only if the payment is cancelled. A payment that was paid meanwhile is reported as paid and not "
            + "refunded: 'payroute refund' does that.",
        arguments: [PaymentName.argument], options: [ServiceSession.json] + PaymentOptions.merchants,
        examples: [.init("payroute cancel citcon/order-7", "by provider and id")])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let session = try await ServiceSession(arguments, console, creatingJournal: true)
        let payment = await session.asMerchant(try PaymentName.read(arguments, console, session.router))
        return await session.finish(payment, arguments, console) {
            $0 == .cancelled
        } by: { () async throws(PaymentError) in
            try await session.router.cancel(payment)
        }
    }
}

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

/// The payment that a command is about: by its link, or by its name, `provider/id`, as `pay` and `journal` show it.
enum PaymentName {
    static let argument = CommandSyntax.Argument(
        name: "payment",
        help:
            "The payment's link, or its name as 'payroute pay' shows it: provider/id. - reads it from standard input.",
        names: .payments)

    /// - Throws: ``UsageError`` if the text names no payment.
    static func read(_ arguments: ParsedArguments, _ console: Console, _ router: PaymentRouter) throws
        -> PaymentReference
    {
        let text = try SingleLink.read(arguments, console)
        guard let payment = reference(text, router) else {
            throw noPayment(text, arguments)
        }
        return payment
    }

    private static func noPayment(_ text: String, _ arguments: ParsedArguments) -> UsageError {
        UsageError(
            "\(UsageError.quoted(text)) names no payment: give its link, or provider/id with a provider that "
                + "'payroute providers' lists", arguments.syntax)
    }

    /// Reads the payments that a line is about: all payments of the journal to the payee that its link names, or
    /// otherwise one.
    ///
    /// - Throws: ``UsageError`` if the text names no payment, ``PaymentError`` when the journal cannot be read.
    static func readAll(_ arguments: ParsedArguments, _ console: Console, _ router: PaymentRouter) async throws
        -> [PaymentReference]
    {
        let text = try SingleLink.read(arguments, console)
        if case .matched(let route) = router.route(text), route.match.payee != nil {
            let payments = try await router.payments(toPayeeOf: route)
            if !payments.isEmpty { return payments }
        }
        guard let payment = reference(text, router) else { throw noPayment(text, arguments) }
        return [payment]
    }

    /// Returns the payment that a text names, or nil if there is none.
    static func reference(_ text: String, _ router: PaymentRouter) -> PaymentReference? {
        if let slash = text.firstIndex(of: "/") {
            let provider = ProviderID(rawValue: String(text[..<slash]))
            let id = text[text.index(after: slash)...]
            if !id.isEmpty, router.registry.descriptors.contains(where: { $0.id == provider }) {
                return PaymentReference(provider: provider, id: String(id))
            }
        }
        guard case .matched(let route) = router.route(text), let id = route.match.reference else { return nil }
        return PaymentReference(provider: route.provider, id: id)
    }
}
