import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a wallet call must say before a payer is asked to sign it: this account, this chain, this token, this amount,
/// and not for ever.
///
/// The quote is what the payer agreed to; a call that says anything else is refused.
struct ActionRules: Sendable {
    private static let permit2 = "0x000000000022d473030f116ddee9f6b43ac78ba3"
    /// The selector of ERC-20 `approve(address,uint256)`.
    private static let approve = "0x095ea7b3"
    /// Signatures are good for a few minutes past the payment; a day is already far too long.
    private static let longestValidity = 86_400.0

    private let account: AccountID
    private let amount: UInt128
    private let asset: AssetID?
    private let paymentExpiry: Date?

    init(option: PaymentCore.PaymentOption, account: AccountID, paymentExpiry: Date?) {
        self.account = account
        amount = option.amount.minorUnits
        if case .asset(let asset) = option.amount.currency { self.asset = asset } else { asset = nil }
        self.paymentExpiry = paymentExpiry
    }

    /// - Throws: ``PaymentError`` with code `integrity` or `unsupported`.
    func check(_ call: WalletCallBody, now: Date) throws {
        try require(call.chainID == account.chain.text, "it is for another chain than the option's account")
        switch call.method {
        case "eth_signTypedData_v4", "eth_signTypedData_v3", "eth_signTypedData":
            try require(isAccount(call.params[0]), "it asks another account to sign")
            try checkTypedData(try typedData(call.params[1]), now: now)
        case "personal_sign":
            try require(isAccount(call.params[0]) || isAccount(call.params[1]), "it asks another account to sign")
        case OptionActions.sendTransaction:
            try checkTransaction(call.params[0] ?? .null)
        default:
            // Other chains' payloads are opaque here; the payer's own signer knows them.
            try require(!account.text.hasPrefix("eip155:"), "it uses the method \(call.method), which is not known")
        }
    }

    // MARK: Typed data

    private func typedData(_ value: JSONValue?) throws -> JSONValue {
        guard let text = value?.string else { return value ?? .null }
        guard let parsed = try? JSONValue(parsing: text) else { throw refusal("its typed data is not JSON") }
        return parsed
    }

    private func checkTypedData(_ data: JSONValue, now: Date) throws {
        let domain = data["domain"] ?? .null
        let message = data["message"] ?? .null
        try require(
            number(domain["chainId"]).map(String.init) == String(account.chain.reference),
            "its domain names another chain")
        let token = asset.map { String($0.reference).lowercased() }
        let contract = domain["verifyingContract"]?.string?.lowercased()
        switch data["primaryType"]?.string {
        case "PermitTransferFrom":
            try require(contract == Self.permit2, "it permits through another contract than Permit2")
            let permitted = message["permitted"] ?? .null
            try require(permitted["token"]?.string?.lowercased() == token, "it is for another token than the option")
            try require(number(permitted["amount"]) == amount, "it is for another amount than the option")
            try checkEnd(message["deadline"], now)
        case "ReceiveWithAuthorization", "TransferWithAuthorization":
            try require(contract == token, "it is for another token than the option")
            try require(isAccount(message["from"]), "it takes from another account")
            try require(number(message["value"]) == amount, "it is for another amount than the option")
            try checkEnd(message["validBefore"], now)
        default:
            throw refusal("it signs a kind of message that is not known as a payment")
        }
    }

    private func checkEnd(_ value: JSONValue?, _ now: Date) throws {
        guard let end = number(value) else { throw refusal("it does not say how long it is good for") }
        let latest = max(now, paymentExpiry ?? now).addingTimeInterval(Self.longestValidity)
        try require(Double(end) > now.timeIntervalSince1970, "it is no longer good")
        try require(Double(end) < latest.timeIntervalSince1970, "it would be good for far too long")
    }

    // MARK: Transactions

    private func checkTransaction(_ transaction: JSONValue) throws {
        try require(isAccount(transaction["from"]), "it sends from another account")
        let value = transaction["value"].map { number($0) } ?? 0
        guard let asset else { throw refusal("the option names no token") }
        if asset.namespace == "slip44" {
            try require(value == amount, "it sends another amount than the option")
            return
        }
        let data = transaction["data"]?.string?.lowercased() ?? ""
        let spender = Self.permit2.dropFirst(2)
        try require(
            transaction["to"]?.string?.lowercased() == String(asset.reference).lowercased() && value == 0
                && data.hasPrefix(Self.approve + String(repeating: "0", count: 24) + spender),
            "it is neither an approval of Permit2 nor a payment in the chain's own coin")
    }

    // MARK: Reading

    private func isAccount(_ value: JSONValue?) -> Bool {
        value?.string?.lowercased() == account.address.lowercased()
    }

    /// A whole number as typed data writes it: minimal hexadecimal, decimal text or a JSON number. Nil when it is not
    /// one or larger than any amount.
    private func number(_ value: JSONValue?) -> UInt128? {
        if let number = value?.number { return number.exactly() }
        guard let text = value?.string else { return nil }
        let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
        guard digits.utf8.allSatisfy({ Hex.value(of: $0) != nil }) else { return nil }
        return UInt128(digits, radix: text.hasPrefix("0x") ? 16 : 10)
    }

    private func require(_ condition: Bool, _ reason: String) throws {
        guard condition else { throw refusal(reason) }
    }

    private func refusal(_ reason: String) -> PaymentError {
        PaymentError(
            .integrity, "the service asks the wallet for something else than was agreed: \(reason)",
            provider: WalletConnectPayProvider.id)
    }
}
