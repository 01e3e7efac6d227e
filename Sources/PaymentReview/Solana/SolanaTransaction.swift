import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A transaction of Solana as it is signed: the legacy form or version 0, without lookup tables.
///
/// Source: anza-xyz/solana-sdk. With a lookup table an account is a number whose key is on the chain: such a
/// transaction cannot be read here.
struct SolanaTransaction {
    struct Instruction {
        let program: [UInt8]
        let accounts: [[UInt8]]
        let data: [UInt8]
    }

    /// The most bytes that the network takes.
    private static let longest = 1232

    /// One signature for each signer; zeros if it is missing.
    let signatures: [[UInt8]]
    /// The keys that have to sign; the first one pays the fee.
    let signers: [[UInt8]]
    let instructions: [Instruction]

    /// - Throws: ``SigningError``, about `member`.
    init(base64 text: String, at member: String) throws(SigningError) {
        let malformed = SigningError(.solanaMalformed, member, "the transaction is not one of Solana's")
        // Decoders disagree about spare padding, letters behind it and spare bits: only the one form that all write.
        guard text.utf8.count <= 4 * Self.longest, let bytes = Data(base64Encoded: text), bytes.count <= Self.longest,
            bytes.base64EncodedString().utf8.elementsEqual(text.utf8)
        else { throw malformed }
        var reader = ByteReader(Array(bytes))
        do {
            signatures = try reader.list { reader throws(WireDefect) in try reader.bytes(64) }
            if try reader.peek() >= 0x80 {
                guard try reader.byte() == 0x80 else {
                    throw SigningError(.solanaVersion, member, "the transaction is of a version that is not known")
                }
                (signers, instructions) = try Self.message(&reader)
                guard try reader.count() == 0 else {
                    throw SigningError(
                        .solanaLookupTable, member, "the transaction names accounts by a table that cannot be seen")
                }
            } else {
                (signers, instructions) = try Self.message(&reader)
            }
        } catch let error as SigningError {
            throw error
        } catch {
            throw malformed
        }
        guard reader.isAtEnd, signatures.count == signers.count else { throw malformed }
    }

    private static func message(
        _ reader: inout ByteReader
    ) throws(WireDefect) -> (signers: [[UInt8]], instructions: [Instruction]) {
        let (required, readOnlySigned, readOnlyUnsigned) = (
            Int(try reader.byte()), Int(try reader.byte()), Int(try reader.byte())
        )
        let keys = try reader.list { reader throws(WireDefect) in try reader.bytes(32) }
        guard required > readOnlySigned, required + readOnlyUnsigned <= keys.count, Set(keys).count == keys.count
        else { throw WireDefect.solana }
        _ = try reader.bytes(32)  // the recent block's hash
        let instructions = try reader.list { reader throws(WireDefect) in
            let program = Int(try reader.byte())
            let accounts = try reader.list { reader throws(WireDefect) in Int(try reader.byte()) }
            let data = try reader.bytes(try reader.count())
            guard program > 0, (accounts + [program]).allSatisfy(keys.indices.contains) else {
                throw WireDefect.solana
            }
            return Instruction(program: keys[program], accounts: accounts.map { keys[$0] }, data: data)
        }
        return (Array(keys.prefix(required)), instructions)
    }
}

/// Compact numbers and lists, in order.
extension ByteReader {
    /// A compact-u16: seven bits a byte, low first; the shortest form only.
    mutating func count() throws(WireDefect) -> Int {
        var value = 0
        for shift in [0, 7, 14] {
            let byte = try byte()
            value |= Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 {
                guard value <= Int(UInt16.max), shift == 0 || byte != 0 else { throw WireDefect.solana }
                return value
            }
        }
        throw WireDefect.solana
    }

    /// As many elements as a compact number in front says; each takes a byte at least, which bounds the list.
    mutating func list<Element>(_ element: (inout ByteReader) throws(WireDefect) -> Element) throws(WireDefect)
        -> [Element]
    {
        let count = try count()
        guard count <= remaining else { throw WireDefect.solana }
        var elements: [Element] = []
        for _ in 0..<count { elements.append(try element(&self)) }
        return elements
    }

    /// A number, low byte first.
    static func littleEndian(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension WireDefect {
    fileprivate static let solana = WireDefect("it is not a transaction of Solana")
}

// MARK: - Programs

/// The programs that payments on Solana use.
enum SolanaProgram: String, CaseIterable {
    case system = "11111111111111111111111111111111"
    case token = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
    case token2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"
    case associatedToken = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
    case computeBudget = "ComputeBudget111111111111111111111111111111"
    case memo = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
    case firstMemo = "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo"

    /// The program's key.
    var key: [UInt8] { Self.keys[self] ?? [] }

    init?(key: [UInt8]) {
        guard let program = Self.keys.first(where: { $0.value == key })?.key else { return nil }
        self = program
    }

    private static let keys = Dictionary(
        uniqueKeysWithValues: allCases.compactMap { program in Base58.decode(program.rawValue).map { (program, $0) } })
}

/// The account that keeps a wallet's tokens of one mint, as the Associated Token Account program derives it.
enum AssociatedTokenAccount {
    /// Returns true if `account` is the one of `wallet` and `mint` under a token program.
    ///
    /// Every bump is accepted: a wrong one gives an address that the program never makes, or a point whose key is
    /// unknown. Neither can be a thief's account, so no curve arithmetic is needed.
    static func isAccount(_ account: [UInt8], of wallet: [UInt8], mint: [UInt8], program: [UInt8]) -> Bool {
        let suffix = SolanaProgram.associatedToken.key + Array("ProgramDerivedAddress".utf8)
        return (UInt8.min...UInt8.max).reversed().contains { bump in
            Digest.sha256.hash(wallet + program + mint + [bump] + suffix) == account
        }
    }
}
