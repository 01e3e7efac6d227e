import PaymentCore
package import PaymentTesting

extension SplitMix64 {
    package mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() % UInt64(bound)) }
}

/// The parts of inputs.
package struct Corpus: Sendable {
    /// Whole inputs of every form.
    package let wholes: [[UInt8]]
    /// The pieces that mutations insert.
    package let pieces: [[UInt8]]

    package init(_ wholes: [String], pieces: [String]) {
        self.wholes = wholes.map { Array($0.utf8) }
        self.pieces = pieces.map { Array($0.utf8) }
    }

    package init(bytes wholes: [[UInt8]], pieces: [[UInt8]]) {
        self.wholes = wholes
        self.pieces = pieces
    }
}

/// Makes inputs. Number `index` of a seed is always the same, so that a failure can be repeated at once.
package struct Generator {
    private var random: SplitMix64
    private let corpus: Corpus

    package init(_ corpus: Corpus, seed: UInt64, index: UInt64) {
        self.corpus = corpus
        var mixer = SplitMix64(seed: seed)
        random = SplitMix64(seed: mixer.next() ^ index &* 0xD1B5_4A32_D192_ED03)
    }

    package mutating func input() -> [UInt8] {
        switch random.below(16) {
        case 0: noise()
        case 1...3: pileOfPieces()
        default: mutatedWhole()
        }
    }

    private mutating func noise() -> [UInt8] {
        (0..<random.below(80)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    private mutating func pileOfPieces() -> [UInt8] {
        (0...random.below(10)).flatMap { _ in corpus.pieces[random.below(corpus.pieces.count)] }
    }

    private mutating func mutatedWhole() -> [UInt8] {
        var bytes = corpus.wholes[random.below(corpus.wholes.count)]
        for _ in 0..<random.below(5) { mutate(&bytes) }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        let place = random.below(bytes.count + 1)
        switch random.below(10) {
        case 0...2: bytes.insert(contentsOf: corpus.pieces[random.below(corpus.pieces.count)], at: place)
        case 3: if place < bytes.count { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
        case 4: if place < bytes.count { bytes[place] ^= 0x20 }
        case 5: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(6)))
        case 6: replaceToken(in: &bytes, from: place)
        case 7: encode(&bytes, from: place)
        case 8:
            let other = corpus.wholes[random.below(corpus.wholes.count)]
            bytes = Array(bytes[..<place]) + other[random.below(other.count)...]
        default:
            for index in bytes.indices where random.below(2) == 0 && bytes[index] | 0x20 >= 0x61 && bytes[index] < 0x7B
            {
                bytes[index] ^= 0x20
            }
        }
    }

    /// Replaces the text between two delimiters by another piece.
    private mutating func replaceToken(in bytes: inout [UInt8], from place: Int) {
        let delimiters = Array(":/?#&=@".utf8)
        let start = bytes[place...].firstIndex { delimiters.contains($0) }.map { $0 + 1 } ?? 0
        let end = bytes[start...].firstIndex { delimiters.contains($0) } ?? bytes.count
        bytes.replaceSubrange(start..<end, with: corpus.pieces[random.below(corpus.pieces.count)])
    }

    /// Percent-encodes everything from `place` on, or everything.
    private mutating func encode(_ bytes: inout [UInt8], from place: Int) {
        let start = random.below(2) == 0 ? 0 : place
        let digits = Array("0123456789ABCDEF".utf8)
        let encoded = bytes[start...].flatMap { byte -> [UInt8] in
            let isBare = byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte >= 0x30 && byte <= 0x39
            return isBare ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        bytes.replaceSubrange(start..., with: encoded)
    }
}
