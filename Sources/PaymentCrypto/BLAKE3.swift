/// BLAKE3 without a key: the hash of Pubky's files, relay channels and envelopes. No library of the system has it.
///
/// Follows the BLAKE3 specification, version 20211102: sections 2.1 to 2.5.
public enum BLAKE3 {
    /// The bytes of a digest.
    public static let byteCount = 32

    private static let chunkLength = 1024
    private static let blockLength = 64
    private static let initial: [UInt32] = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]
    private static let permutation = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]

    private enum Flag {
        static let chunkStart: UInt32 = 1
        static let chunkEnd: UInt32 = 2
        static let parent: UInt32 = 4
        static let root: UInt32 = 8
    }

    /// The last compression of a node, put off until it is known whether the node is the root.
    private struct Node {
        let chaining: [UInt32]
        let words: [UInt32]
        let counter: UInt64
        let length: UInt32
        let flags: UInt32

        func value(_ extra: UInt32 = 0) -> [UInt32] {
            Array(BLAKE3.compress(chaining, words, counter: counter, length: length, flags: flags | extra).prefix(8))
        }
    }

    /// Returns the digest of `bytes`.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        // One finished subtree per power of two, as in a binary counter of the chunks so far.
        var subtrees: [[UInt32]] = []
        var chunks: UInt64 = 0
        var start = 0
        while bytes.count - start > chunkLength {
            var value = chunk(bytes[start..<start + chunkLength], counter: chunks).value()
            chunks += 1
            start += chunkLength
            for _ in 0..<chunks.trailingZeroBitCount { value = parent(subtrees.removeLast(), value).value() }
            subtrees.append(value)
        }
        var node = chunk(bytes[start...], counter: chunks)
        while let left = subtrees.popLast() { node = parent(left, node.value()) }
        return node.value(Flag.root).flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }

    private static func parent(_ left: [UInt32], _ right: [UInt32]) -> Node {
        Node(chaining: initial, words: left + right, counter: 0, length: UInt32(blockLength), flags: Flag.parent)
    }

    private static func chunk(_ bytes: ArraySlice<UInt8>, counter: UInt64) -> Node {
        var chaining = initial
        var flags = Flag.chunkStart
        var start = bytes.startIndex
        while bytes.endIndex - start > blockLength {
            let block = words(bytes[start..<start + blockLength])
            chaining = Array(
                compress(chaining, block, counter: counter, length: UInt32(blockLength), flags: flags).prefix(8))
            flags = 0
            start += blockLength
        }
        let rest = bytes[start...]
        return Node(
            chaining: chaining, words: words(rest), counter: counter, length: UInt32(rest.count),
            flags: flags | Flag.chunkEnd)
    }

    private static func words(_ block: ArraySlice<UInt8>) -> [UInt32] {
        var words = [UInt32](repeating: 0, count: 16)
        for (index, byte) in block.enumerated() { words[index / 4] |= UInt32(byte) << UInt32(index % 4 * 8) }
        return words
    }

    private static func compress(
        _ chaining: [UInt32], _ block: [UInt32], counter: UInt64, length: UInt32, flags: UInt32
    ) -> [UInt32] {
        var words = block
        var state =
            chaining + initial.prefix(4) + [
                UInt32(truncatingIfNeeded: counter), UInt32(truncatingIfNeeded: counter >> 32), length, flags,
            ]
        func mix(_ a: Int, _ b: Int, _ c: Int, _ d: Int, _ x: UInt32, _ y: UInt32) {
            state[a] = state[a] &+ state[b] &+ x
            state[d] = turn(state[d] ^ state[a], 16)
            state[c] = state[c] &+ state[d]
            state[b] = turn(state[b] ^ state[c], 12)
            state[a] = state[a] &+ state[b] &+ y
            state[d] = turn(state[d] ^ state[a], 8)
            state[c] = state[c] &+ state[d]
            state[b] = turn(state[b] ^ state[c], 7)
        }
        for round in 0..<7 {
            for column in 0..<4 {
                mix(column, column + 4, column + 8, column + 12, words[2 * column], words[2 * column + 1])
            }
            for row in 0..<4 {
                mix(
                    row, 4 + (row + 1) % 4, 8 + (row + 2) % 4, 12 + (row + 3) % 4, words[8 + 2 * row],
                    words[9 + 2 * row])
            }
            if round < 6 {
                let before = words
                for index in 0..<16 { words[index] = before[permutation[index]] }
            }
        }
        for index in 0..<8 { state[index] ^= state[index + 8] }
        return state
    }

    private static func turn(_ word: UInt32, _ distance: UInt32) -> UInt32 {
        word >> distance | word << (32 - distance)
    }
}
