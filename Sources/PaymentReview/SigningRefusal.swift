/// Why a wallet must not be asked to answer a list of calls.
public struct SigningRefusal: Error, Sendable, Hashable {
    /// The rule that was broken. Where one lie breaks several, the first in this order is named.
    @nonexhaustive
    public enum Code: String, Sendable, Hashable, CaseIterable {
        // The option.
        case optionAccount = "option-account"
        case optionAmount = "option-amount"
        case optionAsset = "option-asset"
        case optionChain = "option-chain"
        case displayText = "display-text"
        case displayDecimals = "display-decimals"
        case nativeCoin = "native-coin"
        case displaySymbol = "display-symbol"
        // The list.
        case listEmpty = "list-empty"
        case callShape = "call-shape"
        case methodNotAllowed = "method-not-allowed"
        case callChain = "call-chain"
        case listTooLong = "list-too-long"
        case listOrder = "list-order"
        case listTwoPayments = "list-two-payments"
        case listNoPayment = "list-no-payment"
        // Each call.
        case paramsShape = "params-shape"
        case signer
        case assetKind = "asset-kind"
        case numberMalformed = "number-malformed"
        case addressMalformed = "address-malformed"
        case addressChecksum = "address-checksum"
        case token
        case amount
        case from
        case recipientInvalid = "recipient-invalid"
        case notYetValid = "not-yet-valid"
        case deadlinePast = "deadline-past"
        case deadlineTooFar = "deadline-too-far"
        // Typed data (EIP-712).
        case typedDataMalformed = "typed-data-malformed"
        case primaryType = "primary-type"
        case types
        case domain
        case messageMembers = "message-members"
        case domainChain = "domain-chain"
        case domainContract = "domain-contract"
        case domainName = "domain-name"
        // Transactions of EVM chains.
        case transactionMember = "tx-member"
        case transactionMemberMissing = "tx-member-missing"
        case transactionValueMalformed = "tx-value-malformed"
        case calldataMalformed = "calldata-malformed"
        case calldata
        case approvalUnneeded = "approval-unneeded"
        case approvalToken = "approval-token"
        case approvalValue = "approval-value"
        case approvalSpender = "approval-spender"
        case approvalAmount = "approval-amount"
        case settlementOperator = "settlement-operator"
        case settlementPayer = "settlement-payer"
        case settlementToken = "settlement-token"
        case settlementAmount = "settlement-amount"
        case settlementExpiries = "settlement-expiries"
        case settlementFee = "settlement-fee"
        // Transactions of Solana.
        case solanaMalformed = "solana-malformed"
        case solanaVersion = "solana-version"
        case solanaLookupTable = "solana-lookup-table"
        case solanaSigners = "solana-signers"
        case solanaDurableNonce = "solana-durable-nonce"
        case solanaProgram = "solana-program"
        case solanaInstruction = "solana-instruction"
        case solanaUncheckedTransfer = "solana-unchecked-transfer"
        case solanaSource = "solana-source"
        case solanaTokenAccount = "solana-ata"
        case solanaFee = "solana-fee"
    }

    /// The rule that was broken.
    public let code: Code
    /// The member that breaks it, as a JSON pointer into an object with `option` and `calls`:
    /// `/calls/0/params/1/message/spender`.
    public let member: String
    /// What is wrong, as the end of a sentence; nothing of the member's content but names that this library chose.
    public let reason: String

    init(_ code: Code, _ member: String, _ reason: String) {
        self.code = code
        self.member = member
        self.reason = reason
    }
}

extension SigningRefusal: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        "the service asks the wallet for something else than was agreed: \(reason) (\(code.rawValue), \(member))"
    }
}
