import PaymentCore
import PaymentCrypto

/// A call that sends a transaction: with exactly the four members that payments have.
///
/// Fees, gas, nonce, chain and type are the wallet's to choose; a service that chooses them can take money with them,
/// hand the account over (EIP-7702), or show other calldata than is sent (`input` beside `data`).
struct TransactionCall {
    private let call: WalletCall
    private let option: CheckedOption
    private let recipient: EthereumAddress
    /// Nil when the member is absent.
    private let value: UInt256?
    private let data: [UInt8]

    init(_ call: WalletCall, _ option: CheckedOption) throws(SigningError) {
        guard let params = call.params.array, params.count == 1, let members = params[0].object else {
            throw SigningError(
                .paramsShape, call.member(""), "a transaction is asked for with anything but one object")
        }
        let known: Set = ["from", "to", "value", "data"]
        if let other = members.keys.filter({ !known.contains($0) }).min() {
            let place = Self.isPlain(other) ? "/0/\(other)" : "/0"
            throw SigningError(
                .transactionMember, call.member(place),
                "a transaction has another member than from, to, value and data")
        }
        guard let to = members["to"], !to.isNull else {
            throw SigningError(.transactionMemberMissing, call.member("/0/to"), "a contract would be created")
        }
        guard members["from"] != nil else {
            throw SigningError(.transactionMemberMissing, call.member("/0/from"), "the sender is missing")
        }
        self.call = call
        self.option = option
        value = try members["value"].map { value throws(SigningError) in
            try Self.quantity(value, at: call.member("/0/value"))
        }
        data = try Self.calldata(members["data"], at: call.member("/0/data"))
        let sender = try EthereumAddress.read(members["from"], at: call.member("/0/from"))
        recipient = try EthereumAddress.read(to, at: call.member("/0/to"))
        guard sender.isAddress(of: option.account) else {
            throw SigningError(.from, call.member("/0/from"), "another account would pay")
        }
    }

    /// Reviews the transaction as the approval before a permit.
    func reviewApproval(_ findings: inout Findings) throws(SigningError) {
        guard case .token(let token) = option.kind else {
            throw SigningError(.assetKind, call.member(""), "a chain's own coin needs no approval")
        }
        guard let approval = try ApprovalCalldata(data, at: dataMember) else {
            throw SigningError(.calldata, dataMember, "a transaction does something else than approve Permit2")
        }
        guard recipient == token.address else {
            throw SigningError(.approvalToken, call.member("/0/to"), "the approval is for another token")
        }
        guard value ?? UInt256(0) == UInt256(0) else {
            throw SigningError(.approvalValue, call.member("/0/value"), "the approval sends coins along")
        }
        guard approval.spender == KnownContracts.permit2(on: option.chainID) else {
            throw SigningError(.approvalSpender, dataMember, "another spender than Permit2 would be approved")
        }
        guard approval.amount >= option.amount else {
            throw SigningError(.approvalAmount, dataMember, "the approval is too small for the payment")
        }
        // Of a contract that may be anything, nothing is left to Permit2 beyond this payment.
        guard option.isVerified || approval.amount == option.amount else {
            throw SigningError(
                .tokenUnlisted, dataMember, "more would be approved than is paid, of a token that no table knows")
        }
        findings.addApproval(of: approval.spender, approval.amount, call.index)
    }

    /// Reviews the transaction as the payment itself.
    func reviewPayment(_ findings: inout Findings) throws(SigningError) {
        if case .token = option.kind {
            // The one transaction that a token's payment has is its approval.
            guard !data.isEmpty else {
                throw SigningError(.assetKind, call.member(""), "coins would be sent instead of the token")
            }
            var ignored = findings
            try reviewApproval(&ignored)
            throw SigningError(.listNoPayment, "/calls", "there is an approval, but nothing is paid")
        }
        guard data.isEmpty || data.starts(with: SettlementCalldata.selector) else {
            throw SigningError(
                .calldata, dataMember, "the transaction calls a contract in a way that is not known as a payment")
        }
        let settlement = try data.isEmpty ? nil : SettlementCalldata(data, at: dataMember)
        guard value == option.amount else {
            throw SigningError(.amount, call.member("/0/value"), "the transaction sends another amount")
        }
        try RecipientRule(option).check(recipient, at: call.member("/0/to"))
        guard let settlement else {
            findings.addTransfer(to: recipient, call.index)
            return
        }
        let end = try findings.deadline.check(settlement.preApprovalExpiry, at: dataMember)
        try settlement.check(option, calledAt: recipient, at: dataMember)
        findings.addSettlement(through: recipient, to: settlement.receiver, until: end, call.index)
    }

    private var dataMember: String { call.member("/0/data") }

    /// True for names of members that may be repeated in a refusal.
    private static func isPlain(_ name: String) -> Bool {
        name.utf8.count <= 40 && name.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
    }

    /// `0x` and one to 64 hexadecimal digits, as nodes write quantities.
    private static func quantity(_ value: JSONValue, at member: String) throws(SigningError) -> UInt256 {
        guard let text = value.string, text.hasPrefix("0x"), text.utf8.count <= 66,
            let number = UInt256(digits: Array(text.utf8.dropFirst(2)), radix: 16)
        else { throw SigningError(.transactionValueMalformed, member, "the value is not 0x and digits") }
        return number
    }

    /// The bytes of `data`; none when it is absent or `0x`.
    private static func calldata(_ value: JSONValue?, at member: String) throws(SigningError) -> [UInt8] {
        guard let value else { return [] }
        guard let text = value.string, text.hasPrefix("0x"), let bytes = Hex.decode(text) else {
            throw SigningError(.calldataMalformed, member, "the calldata is not 0x and an even number of digits")
        }
        return bytes
    }
}
