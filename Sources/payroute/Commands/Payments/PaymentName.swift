import PaymentCore
import PaymentRouting

/// The payment that a command is about: by its link, or by its name, `provider/id`, as `pay` and `journal` show it.
enum PaymentName {
    static let argument = CommandSyntax.Argument(
        name: "payment",
        help: "The payment's link, or its name as 'payroute pay' shows it: provider/id. - reads it from standard input."
    )

    /// - Throws: ``UsageError`` when the text names no payment.
    static func read(_ arguments: ParsedArguments, _ console: Console, _ router: PaymentRouter) throws
        -> PaymentReference
    {
        let text = try SingleLink.read(arguments, console)
        if let slash = text.firstIndex(of: "/") {
            let provider = ProviderID(rawValue: String(text[..<slash]))
            let id = text[text.index(after: slash)...]
            if !id.isEmpty, router.registry.descriptors.contains(where: { $0.id == provider }) {
                return PaymentReference(provider: provider, id: String(id))
            }
        }
        let decision = router.route(text)
        guard case .matched(let route) = decision, let id = route.match.reference else {
            throw UsageError(
                "\(UsageError.quoted(text)) names no payment: give its link, or provider/id with a provider that "
                    + "'payroute providers' lists", arguments.syntax)
        }
        return PaymentReference(provider: route.provider, id: id)
    }
}
