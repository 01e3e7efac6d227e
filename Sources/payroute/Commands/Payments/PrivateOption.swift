import PaymentCore
import PaymentRouting
import SandboxSupport

/// `--private`: payees are paid by what they have sent over a private link, or over a private channel when asked.
enum PrivateOption {
    static let option = CommandSyntax.Option(
        name: "private",
        help: "Pay a Paykit payee only by an invoice over a private link or channel.")

    /// Returns the reason why no payee can be asked over a private channel by a link; nil where one can.
    static func objection(to vendor: (any SandboxVendor)?, _ route: Route) -> PaymentError? {
        if vendor?.paysPrivately == true, route.match.namesPayee { return nil }
        return PaymentError(
            .unsupported, "--private asks a person for an invoice, and this link names none (pubky://…): leave it out",
            provider: route.provider)
    }
}
