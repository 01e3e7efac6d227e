import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The limits of a signature's validity: by this device's clock, whatever the service states.
struct Deadline {
    /// The longest that a signature may be valid, in seconds.
    private static let longest: UInt64 = 86_400
    /// A day before the end of the year 9999: later times cannot be expressed by people or programs.
    private static let latest = 253_402_300_799 - longest

    /// Unix seconds.
    let now: UInt64

    /// Creates limits by whole seconds. A clock outside the years 1970 to 9999 is taken for 1970 or 9999, and accepts
    /// no real deadline.
    init(now: Date) {
        let seconds = now.timeIntervalSince1970.rounded(.down)
        self.now = seconds > Double(Self.latest) ? Self.latest : UInt64(exactly: seconds) ?? 0
    }

    func check(_ end: UInt256, at member: String) throws(SigningError) -> Date {
        if end <= UInt256(UInt128(now)) {
            throw SigningError(.deadlinePast, member, "it was good until a time that is over")
        }
        guard let end = end.uint64, end <= now + Self.longest else {
            throw SigningError(.deadlineTooFar, member, "it would be good for longer than a day")
        }
        return Date(timeIntervalSince1970: Double(end))
    }

    func checkStart(_ start: UInt256, at member: String) throws(SigningError) {
        guard start <= UInt256(UInt128(now)) else {
            throw SigningError(.notYetValid, member, "it becomes good only later")
        }
    }
}

/// The recipients that cannot be paid: money sent to them is lost.
struct RecipientRule {
    private let option: CheckedOption

    init(_ option: CheckedOption) { self.option = option }

    func check(_ address: EthereumAddress, at member: String) throws(SigningError) {
        let isToken = KnownToken.known("erc20", address.checksummed, on: option.chainID) != nil
        var isOwnToken = false
        if case .token(let token) = option.kind { isOwnToken = token.address == address }
        guard !address.isAddress(of: option.account), !isToken, !isOwnToken, address != option.chain?.wrapped,
            address != KnownContracts.permit2(on: option.chainID)
        else {
            throw SigningError(
                .recipientInvalid, member, "the money would go to the payer, or to a token's contract")
        }
        guard !ReservedAddresses.contain(address) else {
            throw SigningError(
                .recipientInvalid, member, "the money would be lost: the chain itself has the address, no payee")
        }
    }
}

extension EthereumAddress {
    func isAddress(of account: AccountID) -> Bool { "0x\(Hex.encode(bytes))".equalsIgnoringASCIICase(account.address) }

    /// The address as a word of the EVM.
    var word: [UInt8] { [UInt8](repeating: 0, count: 12) + bytes }
}
