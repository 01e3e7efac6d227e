import PaymentCore
import PaymentCrypto

/// A Cardano address: of the Shelley era in bech32, or of the Byron era in base58. Source: CIP-19.
struct CardanoAddress: Sendable, Hashable {
    let text: String
    /// `addr`, `addr_test`, `stake` or `stake_test`; nil for Byron's.
    let prefix: String?
    /// The header and the bytes behind it; for Byron, all bytes.
    let bytes: [UInt8]

    /// The kind of address: the header's upper half.
    var type: UInt8 { bytes[0] >> 4 }
    /// 1 for the main network, 0 for test networks; nil where the address does not state it.
    var networkID: UInt8? { prefix == nil ? nil : bytes[0] & 15 }
    /// True if it can be paid.
    var isPayment: Bool { prefix == nil || type < 8 }

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        guard !part.isEmpty else { throw part.defect(.missing, name, "is missing; it says who is paid") }
        text = part.text
        guard part.startsIgnoringCase("addr") || part.startsIgnoringCase("stake") else {
            bytes = try Self.byron(part, name)
            prefix = nil
            return
        }
        let decoded = try Bech32(part, name, limit: 1023)
        guard decoded.variant == .bech32, let bytes = Bech32.bytes(of: decoded.groups), let header = bytes.first else {
            throw part.defect(.malformed, name, "is no address of Cardano; ask the payee for a new one")
        }
        let count = bytes.count
        let isSound =
            switch header >> 4 {
            case 0...3: count == 57
            // A pointer is three numbers of one byte or more.
            case 4, 5: 32...60 ~= count
            case 6, 7, 14, 15: count == 29
            default: false
            }
        guard isSound else { throw part.defect(.length, name, "does not hold what its kind must hold") }
        let expected = (header >> 4 < 8 ? "addr" : "stake") + (header & 15 == 1 ? "" : "_test")
        guard decoded.prefix == expected, header & 15 < 2 else {
            throw part.defect(.mismatch, name, "says another kind or network than its beginning")
        }
        self.bytes = bytes
        prefix = decoded.prefix
    }

    /// Reads CBOR: a list of the tagged payload and its CRC-32.
    private static func byron(_ part: TextPart, _ name: String) throws(StandardDefect) -> [UInt8] {
        guard let bytes = Base58.decode(part.bytes, limit: 128),
            case .array(let items)? = try? CBORValue(parsing: bytes), items.count == 2,
            case .bytes(let payload) = items[0], case .unsigned(let sum) = items[1]
        else { throw part.defect(.malformed, name, "is no address of Cardano; copy all of it") }
        guard CyclicRedundancy.crc32(payload) == sum else {
            throw part.defect(
                .checksum, name, "the checksum does not match: at least one character is wrong; copy it again")
        }
        return bytes
    }
}
