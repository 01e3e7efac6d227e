import PaymentCore
import PaymentCrypto

/// The text form of Stellar's accounts, contracts and other names. Source: SEP-23.
struct StellarKey: PaymentStandard {
    static let id = "strkey"
    static let specification = "SEP-23"
    static let patterns: [StandardPattern] =
        ["G", "C", "T", "X", "L", "B", "S"].map { .bare(BareShape($0, lengths: 56...58, .base32)) } + [
            .bare(BareShape("M", lengths: 69...69, .base32)), .bare(BareShape("P", lengths: 69...165, .base32)),
        ]

    /// The kinds of keys and hashes.
    enum Kind: String, Sendable, Hashable {
        /// An account, by its Ed25519 key.
        case account
        /// An account and a number by which its owner distinguishes payers.
        case muxed
        /// A contract.
        case contract
        /// A signer that also needs a payload.
        case signedPayload = "signed-payload"
        /// A hash of a transaction that is signed beforehand.
        case preauthTransaction = "pre-authorized-transaction"
        /// A hash whose preimage signs.
        case hashSigner = "hash-x"
        /// A pool of liquidity.
        case liquidityPool = "liquidity-pool"
        /// Money that a named account may claim.
        case claimableBalance = "claimable-balance"
    }

    let text: String
    let kind: Kind
    /// The bytes, without version and checksum.
    let payload: [UInt8]

    /// A bare text is recognised by its checksum; the commonest kinds also by their beginning and length.
    init(_ source: inout PaymentText) throws(StandardDefect) {
        do throws(StandardDefect) {
            try self.init(source.all().trimmed, "key")
        } catch {
            let isMeant =
                source.link.text.hasPrefix("G") || source.link.text.hasPrefix("M") || source.link.text.hasPrefix("P")
            guard error.kind != .secret, !isMeant else { throw error }
            throw StandardDefect(.foreign, error.part, at: error.offset, error.advice)
        }
    }

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        guard let bytes = Base32.standard.bytes(of: part.bytes), bytes.count > 3 else {
            throw part.defect(.malformed, name, "must be capitals and the digits 2 to 7; copy all of it")
        }
        let (body, sum) = (bytes.dropLast(2), bytes.suffix(2))
        let crc = CyclicRedundancy.crc16(body, initial: 0)
        guard sum.first == UInt8(crc & 0xFF), sum.last == UInt8(crc >> 8) else {
            throw part.defect(
                .checksum, name, "the checksum does not match: at least one character is wrong; copy it again")
        }
        payload = Array(body.dropFirst())
        text = part.text
        if bytes[0] == 0x90 {
            throw part.defect(
                .secret, name, "is a secret seed: anyone who has seen it can take the money; move it to a new account")
        }
        guard let (kind, count) = Self.kinds[bytes[0]] else {
            throw part.defect(.unsupported, name, "is of a kind that is not known")
        }
        let isSound =
            switch kind {
            case .signedPayload: Self.isSignedPayload(payload)
            case .claimableBalance: payload.count == count && payload[0] == 0
            default: payload.count == count
            }
        guard isSound else { throw part.defect(.length, name, "does not hold what its kind must hold") }
        self.kind = kind
    }

    /// The meaning of the first byte, and the number of bytes behind it.
    private static let kinds: [UInt8: (Kind, Int?)] = [
        0x30: (.account, 32), 0x60: (.muxed, 40), 0x10: (.contract, 32), 0x78: (.signedPayload, nil),
        0x98: (.preauthTransaction, 32), 0xB8: (.hashSigner, 32), 0x58: (.liquidityPool, 32),
        0x08: (.claimableBalance, 33),
    ]

    /// A key, the payload's length from 1 to 64, and the payload filled up with zeros to whole words.
    private static func isSignedPayload(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 36 else { return false }
        let length = bytes[32..<36].reduce(0) { $0 << 8 | Int($1) }
        return 1...64 ~= length && bytes.count == 36 + (length + 3) / 4 * 4
            && bytes[(36 + length)...].allSatisfy { $0 == 0 }
    }

    var fields: InstructionFields {
        var fields: InstructionFields = ["kind": .string(kind.rawValue), "payload": .string(Hex.encode(payload))]
        if kind == .muxed {
            fields.set("ed25519", Hex.encode(payload[..<32]))
            fields.set("id", String(payload[32...].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }))
        }
        return fields
    }

    /// Pays an account or contract; the other kinds are not payees.
    var instruction: PaymentInstruction {
        var instruction = bareInstruction
        instruction.payee = .init(account: text, check: .checksum)
        instruction.network = ChainCoin.stellar.chain
        switch kind {
        case .account: instruction.warnings = [.missingTag]
        case .muxed, .contract: break
        default: instruction.purpose = .information
        }
        return instruction
    }
}
