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
    /// Recipients and spenders that the payer knows, with their chains, in addition to those that this library has
    /// recorded.
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

// MARK: - List

/// A list of calls whose shape is one of the accepted ones.
struct CallList {
    private enum Shape {
        case single(WalletCall)
        case approvalThenPermit(WalletCall, WalletCall)
    }

    private let shape: Shape

    init(_ calls: [JSONValue], of option: CheckedOption, letting unreviewed: Set<String>) throws(SigningError) {
        guard !calls.isEmpty else { throw SigningError(.listEmpty, "/calls", "there is nothing to sign") }
        var read: [WalletCall] = []
        for (index, call) in calls.enumerated() {
            read.append(try WalletCall(call, index: index, on: option.chainID, letting: unreviewed))
        }
        guard read.count <= 2 else {
            throw SigningError(.listTooLong, "/calls", "there are \(calls.count) calls; a payment has one or two")
        }
        guard let last = read.last, let first = read.first, read.count == 2 else {
            shape = .single(read[0])
            return
        }
        switch (first.method, last.method) {
        case (.sendTransaction, .signTypedData): shape = .approvalThenPermit(first, last)
        case (.signTypedData, .sendTransaction):
            throw SigningError(.listOrder, "/calls", "an approval comes after what needs it")
        default:
            throw SigningError(.listTwoPayments, "/calls", "one amount would be paid twice")
        }
    }

    func review(_ findings: inout Findings) throws(SigningError) {
        switch shape {
        case .single(let call): try Self.reviewPayment(call, &findings, approval: nil)
        case .approvalThenPermit(let approval, let permit):
            // Both are read before either is judged: the first violation in the order of the rules is named.
            let transaction = try TransactionCall(approval, findings.option)
            try Self.reviewPayment(permit, &findings, approval: transaction)
        }
    }

    private static func reviewPayment(
        _ call: WalletCall, _ findings: inout Findings, approval: TransactionCall?
    ) throws(SigningError) {
        switch call.method {
        case .signTypedData:
            let message = try TypedDataCall(call, findings.option).message(findings.deadline)
            if let approval {
                guard case .permit2 = message.kind else {
                    throw SigningError(
                        .approvalUnneeded, "/calls/0", "an approval is asked for that the payment does not need")
                }
                try approval.reviewApproval(&findings)
            }
            findings.add(message, call.index)
        case .sendTransaction:
            let transaction = try TransactionCall(call, findings.option)
            try transaction.reviewPayment(&findings)
        case .signSolanaTransaction: try SolanaCall(call, findings.option).review(&findings)
        case .unreviewed(let method): findings.addUnreviewed(method, call.index)
        }
    }
}

/// One call of the list, of exactly the known shape.
struct WalletCall: Sendable {
    /// The methods of wallets.
    enum Method: Sendable, Hashable {
        case signTypedData
        case sendTransaction
        case signSolanaTransaction
        /// A method that the application let pass by name.
        case unreviewed(String)
    }

    let method: Method
    let params: JSONValue
    /// The position of the call in the list, from 0.
    let index: Int

    /// The pointer to a member of the call's parameters.
    func member(_ path: String) -> String { "/calls/\(index)/params\(path)" }

    /// Reads a call on `chain` (CAIP-2).
    init(_ json: JSONValue, index: Int, on chain: String, letting unreviewed: Set<String>) throws(SigningError) {
        let place = "/calls/\(index)"
        guard let members = json.object, Set(members.keys) == ["chain_id", "method", "params"],
            let chainID = members["chain_id"]?.string, let name = members["method"]?.string,
            let params = members["params"]
        else {
            throw SigningError(
                .callShape, place, "a call has other members than the chain, the method and the parameters")
        }
        method = try Self.method(name, on: chain, letting: unreviewed, at: "\(place)/method")
        guard chainID.isExactly(chain) else {
            throw SigningError(.callChain, "\(place)/chain_id", "a call is for another chain than the account")
        }
        self.params = params
        self.index = index
    }

    private static func method(
        _ name: String, on chain: String, letting unreviewed: Set<String>, at member: String
    ) throws(SigningError) -> Method {
        if chain.hasPrefix("eip155:") {
            if name == "eth_signTypedData_v4" { return .signTypedData }
            if name == "eth_sendTransaction" { return .sendTransaction }
        }
        if chain == Chain.solana, name == "solana_signTransaction" { return .signSolanaTransaction }
        if unreviewed.contains(where: name.isExactly) { return .unreviewed(name) }
        throw SigningError(
            .methodNotAllowed, member, "a call uses a method whose effect on this chain cannot be reviewed")
    }
}
