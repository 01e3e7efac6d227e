import PaymentCore

/// An account of TON: `EQ…`, or workchain and hash. Source: TEP-2.
struct TONAddress: Sendable, Hashable {
    let text: String
    let workchain: Int8
    let hash: [UInt8]
    /// The flags: whether an unaccepted payment bounces, and whether only test networks may use it; nil for the raw
    /// form, which has neither flags nor a checksum.
    let flags: Flags?

    struct Flags: Sendable, Hashable {
        let isBounceable: Bool
        let isTestOnly: Bool
    }

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        text = part.text
        let (number, digits) = part.cut(at: ":")
        if let digits {
            guard number.equals("0") || number.equals("-1"), digits.count == 64, let hash = Hex.bytes(of: digits.bytes)
            else {
                throw part.defect(.malformed, name, "must be 0 or -1, a colon and 64 hexadecimal digits")
            }
            (self.hash, flags) = (hash, nil)
            workchain = number.equals("0") ? 0 : -1
            return
        }
        guard part.count == 48 else { throw part.defect(.length, name, "must have 48 characters; copy all of it") }
        guard let bytes = Base64Text.decode(part), bytes.count == 36 else {
            throw part.defect(.malformed, name, "must be base64 or base64url; copy it again")
        }
        let sum = CyclicRedundancy.crc16(bytes.prefix(34), initial: 0)
        guard bytes[34] == UInt8(sum >> 8), bytes[35] == UInt8(sum & 0xFF) else {
            throw part.defect(
                .checksum, name, "the checksum does not match: at least one character is wrong; copy it again")
        }
        guard bytes[0] & 0x7F == 0x11 || bytes[0] & 0x7F == 0x51, bytes[1] == 0 || bytes[1] == 0xFF else {
            throw part.defect(.malformed, name, "is of a kind or workchain that is not known")
        }
        workchain = Int8(bitPattern: bytes[1])
        hash = Array(bytes[2..<34])
        flags = Flags(isBounceable: bytes[0] & 0x40 == 0, isTestOnly: bytes[0] & 0x80 != 0)
    }
}
