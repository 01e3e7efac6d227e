/// Why a wallet must not be asked to answer a list of calls.
public struct SigningError: Error, Sendable, Hashable {
    /// The rule that was broken. When a list breaks several, the first in this order is named.
    @nonexhaustive
    public enum Code: String, Sendable, Hashable, CaseIterable {
        // The option.
        /// The account that pays is not a CAIP-10 account that can be reviewed.
        case optionAccount = "option-account"
        /// The amount is not a whole number above zero in plain decimal digits.
        case optionAmount = "option-amount"
        /// The asset's id is malformed, or names no asset that can be reviewed.
        case optionAsset = "option-asset"
        /// The asset is on another chain than the account that pays.
        case optionChain = "option-chain"
        /// A name that is shown has letters that can imitate others, or is not one word although it has to be.
        case displayText = "display-text"
        /// The number of decimal digits is not valid, or not the token's own.
        case displayDecimals = "display-decimals"
        /// The coin is not the chain's own.
        case nativeCoin = "native-coin"
        /// The asset is called otherwise than it is known to be.
        case displaySymbol = "display-symbol"
        /// No table knows the token, and the application does not allow it by name.
        case tokenUnlisted = "token-unlisted"
        // The list.
        /// There is nothing to sign.
        case listEmpty = "list-empty"
        /// A call has other members than the chain, the method and the parameters.
        case callShape = "call-shape"
        /// A call uses a method whose effect on its chain cannot be reviewed.
        case methodNotAllowed = "method-not-allowed"
        /// A call is for another chain than the account.
        case callChain = "call-chain"
        /// There are more calls than a payment has.
        case listTooLong = "list-too-long"
        /// An approval comes after the call that needs it.
        case listOrder = "list-order"
        /// One amount would be paid twice.
        case listTwoPayments = "list-two-payments"
        /// Nothing is paid.
        case listNoPayment = "list-no-payment"
        // Each call.
        /// The parameters are not what the method takes.
        case paramsShape = "params-shape"
        /// Another account is asked to sign.
        case signer
        /// The asset cannot be paid in this way.
        case assetKind = "asset-kind"
        /// A number is missing, not whole, or larger than 256 bits.
        case numberMalformed = "number-malformed"
        /// An address is missing, or not written as one.
        case addressMalformed = "address-malformed"
        /// An address fails its checksum.
        case addressChecksum = "address-checksum"
        /// Another token would be paid.
        case token
        /// Another amount would be paid.
        case amount
        /// Another account would pay.
        case from
        /// The money would go to the payer, to the zero address, or to a token's contract.
        case recipientInvalid = "recipient-invalid"
        /// The signature becomes valid only later.
        case notYetValid = "not-yet-valid"
        /// The signature was valid until a time that is over.
        case deadlinePast = "deadline-past"
        /// The signature would be valid for longer than a day.
        case deadlineTooFar = "deadline-too-far"
        // Typed data (EIP-712).
        /// The typed data is not one JSON object with its four members alone.
        case typedDataMalformed = "typed-data-malformed"
        /// The message is of a kind that is not known as a payment.
        case primaryType = "primary-type"
        /// The message declares other types than its kind has.
        case types
        /// The domain has other members than its type.
        case domain
        /// The message has other members than its type.
        case messageMembers = "message-members"
        /// The message is valid on another chain.
        case domainChain = "domain-chain"
        /// The message is for another contract.
        case domainContract = "domain-contract"
        /// The domain's name or version is not its contract's.
        case domainName = "domain-name"
        // Transactions of EVM chains.
        /// A transaction has another member than `from`, `to`, `value` and `data`.
        case transactionMember = "tx-member"
        /// The sender is missing, or a contract would be created.
        case transactionMemberMissing = "tx-member-missing"
        /// The value is not `0x` and digits.
        case transactionValueMalformed = "tx-value-malformed"
        /// The calldata is not `0x` and digits, or not as long as its function takes.
        case calldataMalformed = "calldata-malformed"
        /// A transaction does something that is not part of the payment.
        case calldata
        /// An approval is asked for that the payment does not need.
        case approvalUnneeded = "approval-unneeded"
        /// The approval is for another token.
        case approvalToken = "approval-token"
        /// The approval sends coins along.
        case approvalValue = "approval-value"
        /// Another spender than Permit2 would be approved.
        case approvalSpender = "approval-spender"
        /// The approval is too small for the payment.
        case approvalAmount = "approval-amount"
        /// The settlement belongs to another contract.
        case settlementOperator = "settlement-operator"
        /// The payment would be booked to another payer.
        case settlementPayer = "settlement-payer"
        /// The settlement is not in the chain's own coin.
        case settlementToken = "settlement-token"
        /// The settlement is for another amount.
        case settlementAmount = "settlement-amount"
        /// The settlement's ends are out of order.
        case settlementExpiries = "settlement-expiries"
        /// The settlement takes a fee, as none was seen to do.
        case settlementFee = "settlement-fee"
        // Transactions of Solana.
        /// The transaction is not one of Solana's.
        case solanaMalformed = "solana-malformed"
        /// The transaction is of a version that is not known.
        case solanaVersion = "solana-version"
        /// The transaction names accounts by a table that cannot be seen.
        case solanaLookupTable = "solana-lookup-table"
        /// Another signer than the payer and one sponsor of the fee is required, or the payer's place is taken.
        case solanaSigners = "solana-signers"
        /// The signature would never expire.
        case solanaDurableNonce = "solana-durable-nonce"
        /// A program is called that payments do not need.
        case solanaProgram = "solana-program"
        /// The transaction does something that is not part of a payment.
        case solanaInstruction = "solana-instruction"
        /// A transfer does not name its token.
        case solanaUncheckedTransfer = "solana-unchecked-transfer"
        /// The money does not come from the payer's own account.
        case solanaSource = "solana-source"
        /// A token account is not the one it is said to be, or the payment does not go to it.
        case solanaTokenAccount = "solana-ata"
        /// The fee that the payer would pay is out of all proportion.
        case solanaFee = "solana-fee"
    }

    /// The rule that was broken.
    public let code: Code
    /// The member that breaks it, as a JSON pointer into an object with `option` and `calls`:
    /// `/calls/0/params/1/message/spender`.
    public let member: String
    /// The defect, as the end of a sentence; nothing of the member's content but names that this library chose.
    public let reason: String

    init(_ code: Code, _ member: String, _ reason: String) {
        self.code = code
        self.member = member
        self.reason = reason
    }
}

extension SigningError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        "the service asks the wallet for something else than was agreed: \(reason) (\(code.rawValue), \(member))"
    }
}
