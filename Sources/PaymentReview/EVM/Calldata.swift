import PaymentCore
import PaymentCrypto

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
