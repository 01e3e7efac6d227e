import PaymentCore
import SandboxSupport

/// The payer's consent to a payment with real money.
enum PaymentConsent {
    /// The line gives it, or it is not needed: no real money moves, or limits decide.
    case given
    /// The user at the terminal is asked.
    case asked

    static let option = CommandSyntax.Option(
        name: "yes", help: "Pay real money from your own wallet without a question.")

    /// Reads the consent of a line.
    ///
    /// - Throws: ``UsageError`` where the line does not consent and no user can be asked.
    static func read(
        _ arguments: ParsedArguments, _ console: Console, isJSON: Bool
    ) throws(UsageError) -> PaymentConsent {
        guard try WalletOption.movesRealMoney(arguments), !arguments.has(option.name),
            arguments.value(AutoPayOption.option.name) == nil
        else { return .given }
        guard console.isInteractive, !isJSON else {
            throw UsageError(
                "This pays real money, and no user can be asked here: add '--yes' to pay whatever the link asks for, or "
                    + "'--auto-within <limits>'", arguments.syntax)
        }
        return .asked
    }

    /// Shows what an option costs, and asks the user whether it is paid.
    ///
    /// - Parameter id: the option; nil for the first that can be paid.
    /// - Returns: the option, only if the user types `yes`.
    static func choose(
        _ id: PaymentMethodOption.ID?, from quote: PaymentQuote, paidBy wallet: OpenedWallet, _ console: Console
    ) async -> PaymentMethodOption.ID? {
        let option = quote.options.first { option in id.map { $0 == option.id } ?? option.unmet.isEmpty }
        // The router explains what cannot be paid.
        guard let option, option.unmet.isEmpty else { return id }
        let answer = await console.answer(
            to: "\nPay \(AmountText.words(option.amount)) to \(Printable.name(quote.payee.name)), "
                + "\(terms(option, wallet))? Type yes to pay: ")
        guard answer?.lowercased() == "yes" else {
            console.output.line("Nothing was paid.")
            return nil
        }
        return option.id
    }

    /// The source of the money, and the most that it costs to send it.
    static func terms(_ option: PaymentMethodOption, _ wallet: OpenedWallet) -> String {
        let fees = wallet.feeLimit(option).map { "at most \(AmountText.words($0)) of fees" } ?? "unlimited fees"
        return "with real money from \(Printable.text(wallet.name)) and \(fees)"
    }
}

/// A settler that is asked about what it has begun, and pays nothing: real money moves only with the payer's consent.
struct UnpaidSettler: PaymentSettler {
    let base: any PaymentSettler

    var name: String { base.name }
    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool { base.canSettle(kind, on: network) }
    func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? {
        base.feeLimit(for: amount, to: kind)
    }
    func register(_ name: String) async throws { throw Self.noConsent }
    func order(named name: String) async throws -> SettlementOrder? { try await base.order(named: name) }
    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try await base.order(paying: endpoint)
    }
    func settle(_ settlement: Settlement) async throws -> SettlementState { throw Self.noConsent }
    func abandon(_ name: String) async throws -> SettlementState { try await base.abandon(name) }
    func end(_ name: String, because evidence: String) async throws -> SettlementState {
        try await base.end(name, because: evidence)
    }

    private static var noConsent: PaymentError {
        PaymentError(.consentNeeded, "this pays real money; add '--yes' to pay what is left to be paid")
    }
}
