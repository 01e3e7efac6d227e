public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Reviews a whole list of wallet calls before the first signature, and returns their effects, or refuses the list.
///
/// Accepted lists have exactly one paying call: a Permit2 permit for one transfer, a transfer authorisation
/// (EIP-3009), a transfer of the chain's own coin, plain or through the recorded settlement call, or one transfer on
/// Solana. Before a permit an approval of Permit2 for the same token may stand. Everything else is refused, with the
/// member that is wrong.
///
/// Unknown to any review: whether the spender passes the money on to the merchant, what the code behind a contract
/// does, and whether an account has granted allowances before. See the rules of `SigningError/Code`.
public struct SigningReviewer: Sendable {
    /// Recipients and spenders that the payer knows, with their chains, beside those that this library has recorded.
    public var knownRecipients: [AccountID]
    /// Methods whose calls pass without review, on any chain, as the only call of their list. The payer signs their
    /// content blindly: a log-in elsewhere, a transaction of another chain, a blank cheque. Empty unless the
    /// application sets it.
    public var unreviewedMethods: Set<String>
    /// Tokens that may be paid although no table of this library knows them: CAIP-19 ids. Their names and decimals are
    /// the service's claim, and whether they are tokens at all: an item of a collection (ERC-721) is moved by the same
    /// calls. Empty unless the application sets it.
    public var allowedTokens: [AssetID]

    /// Creates a reviewer.
    public init(
        knownRecipients: [AccountID] = [], unreviewedMethods: Set<String> = [], allowedTokens: [AssetID] = []
    ) {
        self.knownRecipients = knownRecipients
        self.allowedTokens = allowedTokens
        self.unreviewedMethods = unreviewedMethods
    }

    /// Checks an option's own statements before it is shown.
    ///
    /// - Parameters:
    ///   - option: the service's offer.
    ///   - payer: the accounts of the payer.
    /// - Returns: the option with the facts about its asset.
    /// - Throws: ``SigningError``; the option may not be shown then.
    public func check(_ option: AgreedOption, payer: [AccountID]) throws(SigningError) -> CheckedOption {
        try OptionRules(option: option, payer: payer, allowed: allowedTokens).check()
    }

    /// Reviews `calls`, in the order in which they would be answered, against the option that the payer agreed to.
    ///
    /// - Parameters:
    ///   - option: the option that the payer agreed to.
    ///   - calls: objects with `chain_id`, `method` and `params`, as the service sent them.
    ///   - payer: the accounts of the payer.
    ///   - now: the time by this device's clock. The service's clock is not asked: a signature may be valid for a day
    ///     from now at most.
    /// - Returns: the effects of the calls together, for the payer to see before the first of them is answered.
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
