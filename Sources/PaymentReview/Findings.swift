import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The findings of a review so far: effects, warnings, and the lines for people.
struct Findings {
    private static let order: [SigningReview.Warning] = [
        .displayUnverified, .recipientUnknown, .approvalUnlimited, .approvalMoreThanNeeded, .solanaRent, .unreviewed,
    ]

    let option: CheckedOption
    let deadline: Deadline
    let known: [AccountID]

    private var effects: [SigningReview.Effect] = []
    private var warnings: Set<SigningReview.Warning> = []
    private var digest: [UInt8]?
    private var lines: [String] = []

    init(option: CheckedOption, now: Date, known: [AccountID]) {
        self.option = option
        deadline = Deadline(now: now)
        self.known = known
    }

    private var place: String { "on \(option.networkName) (\(option.chainID))" }
    private var price: String { "\(option.text(of: option.amount)) \(place)" }

    // MARK: EVM

    mutating func add(_ message: TypedMessage, _ call: Int) {
        digest = message.digest
        let until = TimeText.until(message.deadline, deadline)
        switch message.kind {
        case .permit2(let spender):
            append(.permit2Transfer, call, message.amount, spender: spender, until: message.deadline)
            lines.append("Lets \(named(spender)) take up to \(price), once, \(until).")
        case .receive(let recipient):
            append(.receiveAuthorization, call, message.amount, to: recipient, until: message.deadline)
            lines.append("Pays \(price) to \(named(recipient)), which itself has to collect it \(until).")
        case .transfer(let recipient):
            append(.transferAuthorization, call, message.amount, to: recipient, until: message.deadline)
            lines.append("Pays \(price) to \(named(recipient)), if anyone hands it in \(until).")
        }
    }

    mutating func addApproval(of spender: EthereumAddress, _ amount: UInt256, _ call: Int) {
        let isUnlimited = amount == .max
        let quantity: SigningReview.Effect.Quantity = isUnlimited ? .unlimited : .minorUnits(amount.decimalText)
        append(
            SigningReview.Effect(
                .approve, call: call, asset: option.asset, quantity: quantity, spender: spender.checksummed))
        var what = "\(option.text(of: amount)), just what is paid,"
        if isUnlimited {
            warnings.insert(.approvalUnlimited)
            what = "all your \(option.symbol)"
        } else if amount > option.amount {
            warnings.insert(.approvalMoreThanNeeded)
            what = "\(option.text(of: amount)), more than is paid,"
        }
        lines.append(
            "Allows Permit2 (\(spender.checksummed)) to move \(what) \(place), until you revoke it. Costs a network fee."
        )
    }

    mutating func addTransfer(to recipient: EthereumAddress, _ call: Int) {
        append(.nativeTransfer, call, option.amount, to: recipient)
        lines.append("Sends \(price) to \(named(recipient)). The network's fee comes on top.")
    }

    mutating func addSettlement(
        through contract: EthereumAddress, to receiver: EthereumAddress, until end: Date, _ call: Int
    ) {
        append(.nativeSettlement, call, option.amount, to: receiver, spender: contract, until: end)
        lines.append(
            "Pays \(price) through \(named(contract)) for \(receiver.checksummed), \(TimeText.until(end, deadline)). "
                + "The network's fee comes on top.")
    }

    // MARK: Solana and the rest

    mutating func addTokenAccount(of wallet: String, isPaidByPayer: Bool, _ call: Int) {
        append(
            SigningReview.Effect(.createTokenAccount, call: call, asset: option.asset, recipient: wallet))
        if isPaidByPayer { warnings.insert(.solanaRent) }
        let cost = isPaidByPayer ? "at your cost, about 0.002 SOL" : "at the sponsor's cost"
        lines.append("Opens a token account for \(wallet) \(place), \(cost).")
    }

    /// - Parameter sponsor: the account that pays the network's fee; nil for the payer, who pays `fee` lamports at
    ///   most.
    mutating func addSolanaTransfer(to recipient: String, isOwner: Bool, fee: UInt128, sponsor: String?, _ call: Int) {
        let kind: SigningReview.Effect.Kind = option.kind == .coin ? .solTransfer : .splTransfer
        append(
            SigningReview.Effect(
                kind, call: call, asset: option.asset, quantity: .minorUnits(option.amount.decimalText),
                recipient: recipient))
        let what = isOwner ? recipient : "the token account \(recipient), whose owner is not proven"
        let most = CheckedOption.decimal(String(fee), 9)
        lines.append(
            "Sends \(price) to \(what)\(seen(recipient, isKnown: false)). "
                + (sponsor.map { "\($0) pays the network's fee." }
                    ?? "The network's fee, at most \(most) SOL, comes on top."))
    }

    mutating func addUnreviewed(_ method: String, _ call: Int) {
        append(SigningReview.Effect(.unreviewed, call: call, asset: nil))
        warnings.insert(.unreviewed)
        lines.append(
            "Answers \(method), which was not reviewed: the application lets it pass. It was said to pay \(price).")
    }

    // MARK: Putting together

    func review() -> SigningReview {
        var lines = lines
        lines.append("From \(option.account.address). The asset is \(option.asset.text).")
        var warnings = warnings
        if !option.isVerified {
            warnings.insert(.displayUnverified)
            lines.append(
                "The service calls this token \(option.symbol) with \(option.decimals) decimals; it is not verified "
                    + "that this is right, nor that it is a token at all.")
        }
        return SigningReview(
            effects: effects, warnings: Self.order.filter(warnings.contains), digest: digest, lines: lines)
    }

    private mutating func append(_ effect: SigningReview.Effect) { effects.append(effect) }

    private mutating func append(
        _ kind: SigningReview.Effect.Kind, _ call: Int, _ amount: UInt256, to recipient: EthereumAddress? = nil,
        spender: EthereumAddress? = nil, until end: Date? = nil
    ) {
        append(
            SigningReview.Effect(
                kind, call: call, asset: option.asset, quantity: .minorUnits(amount.decimalText),
                recipient: recipient?.checksummed, spender: spender?.checksummed, deadline: end))
    }

    /// Returns an address, with a remark whether it was seen before.
    private mutating func named(_ address: EthereumAddress) -> String {
        let isRecorded = KnownContracts.hasBeenSeen(address, on: option.chainID)
        return address.checksummed + seen(address.checksummed, isKnown: isRecorded)
    }

    private mutating func seen(_ address: String, isKnown: Bool) -> String {
        let account = try? AccountID(chain: option.account.chain, address: address)
        let isPayersOwn = account.map { account in known.contains { $0.isSameAccount(as: account) } } ?? false
        guard isKnown || isPayersOwn else {
            warnings.insert(.recipientUnknown)
            return " (not seen before)"
        }
        return " (seen before)"
    }
}

/// Times for people.
enum TimeText {
    /// `until 14:32:20 UTC on 2026-10-26, in 19 minutes`.
    static func until(_ end: Date, _ deadline: Deadline) -> String {
        let left = max(0, Int(end.timeIntervalSince1970) - Int(deadline.now))
        let span = left < 120 ? "\(left) seconds" : left < 7200 ? "\(left / 60) minutes" : "\(left / 3600) hours"
        let text = RFC3339(end).text
        return "until \(text.dropFirst(11).prefix(8)) UTC on \(text.prefix(10)), in \(span)"
    }
}
