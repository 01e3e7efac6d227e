import PaymentCore
import PaymentCrypto

/// The bare address of an account of Ethereum or a chain like it. Source: ERC-55.
///
/// The text shows neither the chain nor the token.
struct ERC55: PaymentStandard {
    static let id = "eip55"
    static let specification = "ERC-55"
    /// One digit too few or too many is a mistake worth naming.
    static let patterns: [StandardPattern] = [.bare(BareShape("0x", lengths: 41...43, .hex))]

    let address: EthereumAddress
    let text: String

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let part = source.all().trimmed
        address = try Self.address(part, "address")
        text = part.text
    }

    /// Reads the address in `part`, which its standard calls `name`.
    static func address(_ part: TextPart, _ name: String) throws(StandardDefect) -> EthereumAddress {
        do throws(EthereumAddressError) {
            return try EthereumAddress(spelling: part.bytes)
        } catch {
            switch error {
            case .missingPrefix: throw part.defect(.malformed, name, "must begin with 0x")
            case .invalidDigit:
                let stray = part.bytes.indices.dropFirst(2).first { Hex.value(of: part.bytes[$0]) == nil }
                throw StandardDefect(
                    .malformed, name, at: part.place(stray ?? part.bytes.startIndex),
                    "has a character that is no hexadecimal digit; copy it again")
            case .wrongLength(let digits):
                throw part.defect(.length, name, "has \(digits) digits after 0x, not 40; copy all of it")
            case .wrongChecksum:
                throw part.defect(
                    .checksum, name,
                    "the checksum (ERC-55) does not match: at least one character is wrong; copy it again")
            }
        }
    }

    /// True if capitals and small letters are a checksum, which then has been checked.
    var isChecksummed: Bool { text == address.checksummed }

    var fields: InstructionFields {
        ["checksummed": .bool(isChecksummed), "checksum": .string(address.checksummed)]
    }

    /// Pays the address, on the chain that the payer chooses.
    var instruction: PaymentInstruction {
        var instruction = bareInstruction
        instruction.payee = .init(account: address.checksummed, check: isChecksummed ? .checksum : .none)
        instruction.network = "eip155"
        if !isChecksummed { instruction.warnings.append(.missingChecksum) }
        return instruction
    }
}
