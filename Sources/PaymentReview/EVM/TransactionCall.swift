import PaymentCore
import PaymentCrypto

/// A call that sends a transaction: with exactly the four members that payments have.
///
/// Fees, gas, nonce, chain and type are the wallet's to choose; a service that chooses them can take money with them,
/// hand the account over (EIP-7702), or show other calldata than is sent (`input` next to `data`).
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

// MARK: - Calldata

/// ERC-20 `approve(address,uint256)`: exactly two words.
struct ApprovalCalldata {
    private static let selector: [UInt8] = [0x09, 0x5E, 0xA7, 0xB3]

    let spender: EthereumAddress
    let amount: UInt256

    /// Nil when the calldata is of another function.
    init?(_ data: [UInt8], at member: String) throws(SigningError) {
        guard data.starts(with: Self.selector) else { return nil }
        var words = try Words(data, count: 2, at: member)
        spender = try words.address()
        amount = try words.number(bits: 256)
    }
}

/// `chargeNative(PaymentInfo,address,bytes,uint16,address)`: the recorded form of payments in a chain's own coin.
///
/// The structure, its names and widths are those of Base's Commerce Payments (`AuthCaptureEscrow.PaymentInfo`); the
/// recorded calls fit it word by word. 20 words: 12 of the structure, 5 of the other parameters, the length of the
/// collector's data and its 65 bytes.
struct SettlementCalldata {
    static let selector: [UInt8] = [0xD3, 0x90, 0x64, 0x88]

    let receiver: EthereumAddress
    let preApprovalExpiry: UInt256
    private let contract: EthereumAddress
    private let payer: EthereumAddress
    private let token: EthereumAddress
    private let amount: UInt256
    private let authorizationExpiry: UInt256
    private let refundExpiry: UInt256
    private let hasFee: Bool

    init(_ data: [UInt8], at member: String) throws(SigningError) {
        var words = try Words(data, count: 20, at: member)
        contract = try words.address()
        payer = try words.address()
        receiver = try words.address()
        token = try words.address()
        amount = try words.number(bits: 120)
        preApprovalExpiry = try words.number(bits: 48)
        authorizationExpiry = try words.number(bits: 48)
        refundExpiry = try words.number(bits: 48)
        let fees = [try words.number(bits: 16), try words.number(bits: 16)]
        let feeReceiver = try words.address()
        _ = try words.number(bits: 256)  // salt
        _ = try words.address()  // the contract that collects the wrapped coin
        try words.expect(512)  // the start of the collector's data
        let fee = try words.number(bits: 16)
        let secondFeeReceiver = try words.address()
        try words.expect(65)  // the length of the collector's data
        try words.expectZeros(from: 65)
        hasFee = (fees + [fee]).contains { $0 != UInt256(0) } || !feeReceiver.isZero || !secondFeeReceiver.isZero
    }

    func check(
        _ option: CheckedOption, calledAt address: EthereumAddress, at member: String
    ) throws(SigningError) {
        guard contract == address else {
            throw SigningError(.settlementOperator, member, "the settlement belongs to another contract")
        }
        guard payer.isAddress(of: option.account) else {
            throw SigningError(.settlementPayer, member, "the payment would be booked to another payer")
        }
        guard token == option.chain?.wrapped else {
            throw SigningError(.settlementToken, member, "the settlement is not in the chain's own coin")
        }
        guard amount == option.amount else {
            throw SigningError(.settlementAmount, member, "the settlement is for another amount")
        }
        guard preApprovalExpiry <= authorizationExpiry, authorizationExpiry <= refundExpiry else {
            throw SigningError(.settlementExpiries, member, "the settlement's ends are out of order")
        }
        guard !hasFee else {
            throw SigningError(.settlementFee, member, "the settlement takes a fee, as none was seen to do")
        }
        try RecipientRule(option).check(receiver, at: member)
    }
}

/// Reads the words behind a selector, all of them and nothing more.
private struct Words {
    private let words: [[UInt8]]
    private var index = 0
    private let member: String

    init(_ data: [UInt8], count: Int, at member: String) throws(SigningError) {
        self.member = member
        guard data.count == 4 + count * 32 else { throw Self.malformed(member) }
        words = stride(from: 4, to: data.count, by: 32).map { Array(data[$0..<$0 + 32]) }
    }

    private static func malformed(_ member: String) -> SigningError {
        SigningError(.calldataMalformed, member, "the calldata is longer, shorter or wider than its function takes")
    }

    private mutating func next() throws(SigningError) -> [UInt8] {
        guard index < words.count else { throw Self.malformed(member) }
        defer { index += 1 }
        return words[index]
    }

    /// An address: the twelve bytes before it are zero. Contracts disagree about others.
    mutating func address() throws(SigningError) -> EthereumAddress {
        let word = try next()
        guard word.prefix(12).allSatisfy({ $0 == 0 }), let address = EthereumAddress(bytes: word.suffix(20)) else {
            throw Self.malformed(member)
        }
        return address
    }

    mutating func number(bits: Int) throws(SigningError) -> UInt256 {
        let word = try next()
        guard word.prefix(32 - bits / 8).allSatisfy({ $0 == 0 }), let number = UInt256(word: word) else {
            throw Self.malformed(member)
        }
        return number
    }

    mutating func expect(_ number: UInt128) throws(SigningError) {
        guard try self.number(bits: 256) == UInt256(number) else { throw Self.malformed(member) }
    }

    /// Checks that the rest is data of up to `count` bytes with zeros behind.
    mutating func expectZeros(from count: Int) throws(SigningError) {
        guard words[index...].joined().dropFirst(count).allSatisfy({ $0 == 0 }) else { throw Self.malformed(member) }
        index = words.count
    }
}
