import PaymentCore
import PaymentRouting

/// The payment that a command is about: by its link, or by its name, `provider/id`, as `pay` and `journal` show it.
enum PaymentName {
    static let argument = CommandSyntax.Argument(
        name: "payment",
        help:
            "The payment's link, or its name as 'payroute pay' shows it: provider/id. - reads it from standard input.",
        names: .payments)

    /// - Throws: ``UsageError`` when the text names no payment.
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

    /// Reads the payments that a line is about: of a link that names a payee, all that the journal has; otherwise one.
    ///
    /// - Throws: ``UsageError`` when the text names no payment, ``PaymentError`` when the journal cannot be read.
    static func readAll(_ arguments: ParsedArguments, _ console: Console, _ router: PaymentRouter) async throws
        -> [PaymentReference]
    {
        let text = try SingleLink.read(arguments, console)
        if case .matched(let route) = router.route(text), route.match.namesPayee {
            let payments = try await router.payments(toPayeeOf: route)
            if !payments.isEmpty { return payments }
        }
        guard let payment = reference(text, router) else { throw noPayment(text, arguments) }
        return [payment]
    }

    /// Returns the payment that a text names; nil for none.
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
