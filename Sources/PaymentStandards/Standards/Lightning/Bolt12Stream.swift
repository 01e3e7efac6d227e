import PaymentCore
import PaymentCrypto
import PaymentSecp256k1

/// The type-length-value records of a BOLT 12 text, each with its place. Source: BOLT 12, "Encoding" and "Signature
/// calculation"; BOLT 1 for BigSize numbers.
struct Bolt12Stream: Sendable, Hashable {
    /// One record.
    struct Record: Sendable, Hashable {
        let type: UInt64
        let value: [UInt8]
        /// The whole record as written: type, length, value.
        let bytes: [UInt8]
        /// The place in the text.
        let offset: Int

        func defect(_ kind: StandardDefect.Kind, _ advice: String) -> StandardDefect {
            StandardDefect(kind, "record \(type)", at: offset, advice)
        }
    }

    /// `lno`, `lnr` or `lni`.
    let prefix: String
    /// The records, their types ascending.
    let records: [Record]

    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let values: [UInt8] = (UInt8.min...UInt8.max).map { byte in
        alphabet.firstIndex(of: byte.lowercasedASCII).map(UInt8.init) ?? 0xFF
    }

    /// Returns the letter of a group of five bits.
    static func letter(of group: UInt8) -> UInt8 { alphabet[Int(group & 31)] }

    /// Reads `part`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        let (characters, places) = try Self.joined(part, name)
        var hasLower = false
        var hasUpper = false
        for (byte, place) in zip(characters, places) where byte.isASCIILetter {
            if byte & 0x20 == 0 { hasUpper = true } else { hasLower = true }
            guard !(hasLower && hasUpper) else {
                throw StandardDefect(.malformed, name, at: place, "mixes capital and small letters; copy it again")
            }
        }
        let text = String(decoding: characters.map(\.lowercasedASCII), as: UTF8.self)
        guard characters.count > 4, ["lno1", "lnr1", "lni1"].contains(text.prefix(4)) else {
            throw part.defect(.length, name, "ends before anything is in it; copy all of it")
        }
        prefix = String(text.prefix(3))
        var groups: [UInt8] = []
        for (byte, place) in zip(characters, places).dropFirst(4) {
            guard Self.values[Int(byte)] < 32 else {
                throw StandardDefect(
                    .malformed, name, at: place, "has a character that such texts do not use; copy it again")
            }
            groups.append(Self.values[Int(byte)])
        }
        guard let bytes = Bech32.bytes(of: groups) else {
            throw StandardDefect(
                .malformed, name, at: places.last ?? part.offset, "has stray characters at its end; copy it again")
        }
        records = try Self.records(bytes, name) { places[min(4 + $0 * 8 / 5, places.count - 1)] }
    }

    /// Returns the characters without joins (a `+`, and white space behind it), and the place of each.
    private static func joined(_ part: TextPart, _ name: String) throws(StandardDefect) -> ([UInt8], [Int]) {
        var characters: [UInt8] = []
        var places: [Int] = []
        let bytes = part.bytes
        var index = bytes.startIndex
        while index < bytes.endIndex {
            guard bytes[index] == UInt8(ascii: "+") else {
                characters.append(bytes[index])
                places.append(part.place(index))
                index += 1
                continue
            }
            let join = index
            index += 1
            while index < bytes.endIndex, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
            // BOLT 12, "Encoding": between any two characters, those of the prefix included.
            let isInPrefix = characters.count < 3
            guard let last = characters.last, index < bytes.endIndex,
                isInPrefix || values[Int(last)] < 32 || last == UInt8(ascii: "1"),
                isInPrefix && bytes[index].isASCIILetter || values[Int(bytes[index])] < 32
            else {
                throw StandardDefect(
                    .malformed, name, at: part.place(join), "has a + that joins nothing; copy all parts of it")
            }
        }
        return (characters, places)
    }

    private static func records(
        _ bytes: [UInt8], _ name: String, _ place: (Int) -> Int
    ) throws(StandardDefect) -> [Record] {
        var records: [Record] = []
        var index = 0
        while index < bytes.count {
            let start = index
            guard let type = bigSize(bytes, &index), let length = bigSize(bytes, &index),
                length <= UInt64(bytes.count - index)
            else {
                throw StandardDefect(.length, name, at: place(start), "breaks off within a record; copy all of it")
            }
            if let last = records.last, last.type >= type {
                throw StandardDefect(
                    last.type == type ? .duplicate : .malformed, "record \(type)", at: place(start),
                    "stands twice or out of order; ask for a new text")
            }
            let end = index + Int(length)
            records.append(
                Record(
                    type: type, value: Array(bytes[index..<end]), bytes: Array(bytes[start..<end]),
                    offset: place(start)))
            index = end
        }
        return records
    }

    /// Returns a number in as few bytes as it needs; nil where it ends early or has more.
    private static func bigSize(_ bytes: [UInt8], _ index: inout Int) -> UInt64? {
        guard index < bytes.count else { return nil }
        let first = bytes[index]
        index += 1
        guard first >= 0xFD else { return UInt64(first) }
        let count = 1 << Int(first - 0xFC)
        guard bytes.count - index >= count else { return nil }
        let number = bytes[index..<index + count].reduce(0) { $0 << 8 | UInt64($1) }
        index += count
        let least: [Int: UInt64] = [2: 0xFD, 4: 0x1_0000, 8: 0x1_0000_0000]
        return number >= least[count] ?? 0 ? number : nil
    }

    /// The record of `type`.
    subscript(_ type: UInt64) -> Record? { records.first { $0.type == type } }

    // MARK: Signature

    /// Signature records, which are not signed themselves.
    private static let signatures: ClosedRange<UInt64> = 240...1000

    /// The root over all records but signatures.
    private var merkleRoot: [UInt8] {
        let signed = records.filter { !Self.signatures.contains($0.type) }
        guard let first = signed.first else { return [] }
        let nonceTag = Array("LnNonce".utf8) + first.bytes
        var level = signed.map { record in
            let typeLength = record.bytes.count - record.value.count - Self.lengthBytes(record.value.count)
            return Self.branch(
                Self.tagged(Array("LnLeaf".utf8), record.bytes),
                Self.tagged(nonceTag, Array(record.bytes[..<typeLength])))
        }
        while level.count > 1 {
            var next: [[UInt8]] = []
            for index in stride(from: 0, to: level.count, by: 2) {
                next.append(index + 1 < level.count ? Self.branch(level[index], level[index + 1]) : level[index])
            }
            level = next
        }
        return level[0]
    }

    private static func lengthBytes(_ length: Int) -> Int { length < 0xFD ? 1 : length < 0x1_0000 ? 3 : 5 }

    private static func branch(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        let isOrdered = left.lexicographicallyPrecedes(right)
        return tagged(Array("LnBranch".utf8), isOrdered ? left + right : right + left)
    }

    private static func tagged(_ tag: [UInt8], _ message: [UInt8]) -> [UInt8] {
        let hash = Digest.sha256.hash(tag)
        return Digest.sha256.hash(hash + hash + message)
    }

    /// The digest of all other records that is signed, as a `message` (`invoice`).
    func digest(_ message: String) -> [UInt8] {
        Self.tagged(Array("lightning\(message)signature".utf8), merkleRoot)
    }

    /// Requires the signature record (240) to be a signature of `key` over all other records, as a `message`
    /// (`invoice`).
    func requireSignature(_ message: String, by key: Secp256k1PublicKey, _ end: Int) throws(StandardDefect) {
        guard let record = self[240] else {
            throw StandardDefect(.missing, "signature", at: end, "is missing; ask for a new text")
        }
        guard let signature = SchnorrSignature(record.value), signature.isValid(message: digest(message), key: key)
        else {
            throw StandardDefect(
                .signature, "signature", at: record.offset, "does not fit; the text was changed, ask for a new one")
        }
    }
}
