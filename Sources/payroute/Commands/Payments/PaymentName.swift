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
            throw UsageError(
                "\(UsageError.quoted(text)) names no payment: give its link, or provider/id with a provider that "
                    + "'payroute providers' lists", arguments.syntax)
        }
        return payment
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
