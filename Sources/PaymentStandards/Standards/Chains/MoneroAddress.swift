import PaymentCore
import PaymentCrypto

/// A Monero address: base58 in blocks, a network byte, two keys, sometimes a payment id, and four bytes of Keccak-256.
/// Source: monero-project, `docs` and `cryptonote_basic`.
struct MoneroAddress: Sendable, Hashable {
    let text: String
    /// `mainnet`, `testnet` or `stagenet`.
    let network: String
    /// `standard`, `integrated` or `subaddress`.
    let type: String
    /// The 8 bytes inside an integrated address.
    let paymentID: [UInt8]?

    private static let kinds: [UInt8: (network: String, type: String)] = [
        18: ("mainnet", "standard"), 19: ("mainnet", "integrated"), 42: ("mainnet", "subaddress"),
        53: ("testnet", "standard"), 54: ("testnet", "integrated"), 63: ("testnet", "subaddress"),
        24: ("stagenet", "standard"), 25: ("stagenet", "integrated"), 36: ("stagenet", "subaddress"),
    ]
    /// The number of characters for each number of bytes.
    private static let lengths = [0: 0, 2: 1, 3: 2, 5: 3, 6: 4, 7: 5, 9: 6, 10: 7, 11: 8]

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        guard !part.isEmpty else { throw part.defect(.missing, name, "is missing; it says who is paid") }
        guard [95, 106].contains(part.count) else {
            throw part.defect(.length, name, "must have 95 or 106 characters; copy all of it")
        }
        var bytes: [UInt8] = []
        for start in stride(from: part.bytes.startIndex, to: part.bytes.endIndex, by: 11) {
            let block = part.bytes[start..<min(start + 11, part.bytes.endIndex)]
            guard let count = Self.lengths[block.count], let value = Base58.decode(block) else {
                throw StandardDefect(
                    .malformed, name, at: part.place(start), "has a character that base58 does not use; copy it again")
            }
            // A block is a number of fixed size: its leading digits may be zeros, or too large.
            let significant = value.drop { $0 == 0 }
            guard significant.count <= count else {
                throw StandardDefect(.range, name, at: part.place(start), "has a wrong character; copy it again")
            }
            bytes += [UInt8](repeating: 0, count: count - significant.count) + significant
        }
        let body = Array(bytes.dropLast(4))
        guard Keccak256.hash(body).prefix(4).elementsEqual(bytes.suffix(4)) else {
            throw part.defect(
                .checksum, name, "the checksum does not match: at least one character is wrong; copy it again")
        }
        guard let first = body.first, let kind = Self.kinds[first],
            body.count == (kind.type == "integrated" ? 73 : 65)
        else { throw part.defect(.malformed, name, "is of another chain") }
        text = part.text
        (network, type) = kind
        paymentID = kind.type == "integrated" ? Array(body[65...]) : nil
    }
}
