import PaymentCore
import PaymentCrypto

/// An account of the XRP Ledger. Source: XRPL's address encodings; XLS-5 for addresses with a tag inside.
struct XRPAddress: Sendable, Hashable {
    let text: String
    /// The account, 20 bytes.
    let account: [UInt8]
    /// True if an X-address is of the main network; nil for classic ones, which do not state it.
    let isMainnet: Bool?
    /// The destination tag inside.
    let tag: UInt32?

    private static let secret = "is a secret seed: anyone who has seen it can take the money; move it to a new account"

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        guard let bytes = Base58Check.decode(part, .ripple) else {
            throw part.defect(
                .checksum, name, "the checksum does not match: at least one character is wrong; copy it again")
        }
        text = part.text
        if bytes.count == 21, bytes[0] == 0 {
            account = Array(bytes[1...])
            (isMainnet, tag) = (nil, nil)
            return
        }
        if bytes.count == 17 && bytes[0] == 0x21
            || bytes.count == 19 && bytes[0] == 0x01 && bytes[1] == 0xE1 && bytes[2] == 0x4B
        {
            throw part.defect(.secret, name, Self.secret)
        }
        let prefix = bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        let isMainnet = prefix == 0x0544
        guard bytes.count == 31, isMainnet || prefix == 0x0493 else {
            throw part.defect(.malformed, name, "is no account of the XRP Ledger")
        }
        let number = bytes[23...].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        guard bytes[22] <= 1, number <= UInt64(UInt32.max), bytes[22] == 1 || number == 0 else {
            throw part.defect(.range, name, "holds a destination tag that cannot be; ask for another address")
        }
        account = Array(bytes[2..<22])
        self.isMainnet = isMainnet
        tag = bytes[22] == 1 ? UInt32(number) : nil
    }

    /// The account without tag and network.
    var classic: String { Base58Check.encode([0] + account, .ripple) }
}
