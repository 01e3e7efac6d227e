public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Looks at a whole list of wallet calls, before the first signature, and says what it would do, or refuses it.
///
/// Accepted lists have exactly one paying call: a Permit2 permit for one transfer, a transfer authorisation
/// (EIP-3009), a transfer of the chain's own coin, plain or through the recorded settlement call, or one transfer on
/// Solana. Before a permit an approval of Permit2 for the same token may stand. Everything else is refused, with the
/// member that is wrong.
///
/// What no review can know: whether the spender passes the money on to the merchant, what the code behind a contract
/// does, and whether an account has given allowances before. See the rules of `SigningError/Code`.
public struct SigningReviewer: Sendable {
    /// Recipients and spenders that the payer knows, with their chains, beside those that this library has recorded.
    public var knownRecipients: [AccountID]
    /// Methods whose calls pass without being looked at, on any chain, as the only call of their list. The payer signs
    /// blindly what they hold: a log-in elsewhere, a transaction of another chain, a blank cheque. Empty unless the
    /// application says otherwise.
    public var unreviewedMethods: Set<String>

    /// Creates a reviewer.
    public init(knownRecipients: [AccountID] = [], unreviewedMethods: Set<String> = []) {
        self.knownRecipients = knownRecipients
        self.unreviewedMethods = unreviewedMethods
    }

    /// Checks what an option says of itself: before it is shown.
    ///
    /// - Parameters:
    ///   - option: what the service offers.
    ///   - payer: the accounts of the payer.
    /// - Returns: the option with what was found out about its asset.
    /// - Throws: ``SigningError``; the option may not be shown then.
    public func check(_ option: AgreedOption, payer: [AccountID]) throws(SigningError) -> CheckedOption {
        try OptionRules(option: option, payer: payer).check()
    }

    /// Reviews `calls`, in the order in which they would be answered, against what the payer agreed to.
    ///
    /// - Parameters:
    ///   - option: what the payer agreed to.
    ///   - calls: each an object with `chain_id`, `method` and `params`, as the service sent it.
    ///   - payer: the accounts of the payer.
    ///   - now: the time by this device's clock. The service's clock is not asked: a day from now is the longest that a
    ///     signature may be good.
    /// - Returns: what the calls would do together, for the payer to see before the first of them is answered.
    /// - Throws: ``SigningError``; nothing of the list may be signed then.
    public func review(
        _ option: AgreedOption, calls: [JSONValue], payer: [AccountID], now: Date
    ) throws(SigningError) -> SigningReview {
        let option = try check(option, payer: payer)
        let list = try CallList(calls, of: option, letting: unreviewedMethods)
        var findings = Findings(option: option, now: now, known: knownRecipients)
        try list.review(&findings)
        return findings.review()
    }
}
