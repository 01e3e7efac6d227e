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

    /// One signature for each signer; zeros where it is missing.
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
        var reader = ByteReader(bytes: Array(bytes))
        do {
            signatures = try reader.list { reader throws(ByteReader.SolanaDefect) in try reader.take(64) }
            if let first = reader.peek, first >= 0x80 {
                guard first == 0x80 else {
                    throw SigningError(.solanaVersion, member, "the transaction is of a version that is not known")
                }
                _ = try reader.byte()
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
    ) throws(ByteReader.SolanaDefect) -> (signers: [[UInt8]], instructions: [Instruction]) {
        let (required, readOnlySigned, readOnlyUnsigned) = (
            Int(try reader.byte()), Int(try reader.byte()), Int(try reader.byte())
        )
        let keys = try reader.list { reader throws(ByteReader.SolanaDefect) in try reader.take(32) }
        guard required > readOnlySigned, required + readOnlyUnsigned <= keys.count, Set(keys).count == keys.count
        else { throw ByteReader.SolanaDefect() }
        _ = try reader.take(32)  // the recent block's hash
        let instructions = try reader.list { reader throws(ByteReader.SolanaDefect) in
            let program = Int(try reader.byte())
            let accounts = try reader.list { reader throws(ByteReader.SolanaDefect) in Int(try reader.byte()) }
            let data = try reader.take(try reader.count())
            guard program > 0, (accounts + [program]).allSatisfy(keys.indices.contains) else {
                throw ByteReader.SolanaDefect()
            }
            return Instruction(program: keys[program], accounts: accounts.map { keys[$0] }, data: data)
        }
        return (Array(keys.prefix(required)), instructions)
    }
}

/// Reads bytes and compact numbers, in order.
struct ByteReader {
    struct SolanaDefect: Error {}

    let bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }
    var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func byte() throws(SolanaDefect) -> UInt8 {
        guard let byte = peek else { throw SolanaDefect() }
        index += 1
        return byte
    }

    mutating func take(_ count: Int) throws(SolanaDefect) -> [UInt8] {
        guard count <= bytes.count - index else { throw SolanaDefect() }
        defer { index += count }
        return Array(bytes[index..<index + count])
    }

    /// A compact-u16: seven bits a byte, low first; the shortest form only.
    mutating func count() throws(SolanaDefect) -> Int {
        var value = 0
        for shift in [0, 7, 14] {
            let byte = try byte()
            value |= Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 {
                guard value <= Int(UInt16.max), shift == 0 || byte != 0 else { throw SolanaDefect() }
                return value
            }
        }
        throw SolanaDefect()
    }

    /// As many elements as a compact number in front says; each takes a byte at least, which bounds the list.
    mutating func list<Element>(
        _ element: (inout ByteReader) throws(SolanaDefect) -> Element
    ) throws(SolanaDefect) -> [Element] {
        let count = try count()
        guard count <= bytes.count - index else { throw SolanaDefect() }
        var elements: [Element] = []
        for _ in 0..<count { elements.append(try element(&self)) }
        return elements
    }

    /// A number, low byte first.
    static func littleEndian(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
