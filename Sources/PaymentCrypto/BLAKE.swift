#if !canImport(CryptoKit)
    import CLibcrypto
#endif

/// BLAKE2b without a key (RFC 7693), as Nano checks its addresses.
public enum BLAKE2b {
    private static let initial: [UInt64] = [
        0x6A09_E667_F3BC_C908, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1,
        0x510E_527F_ADE6_82D1, 0x9B05_688C_2B3E_6C1F, 0x1F83_D9AB_FB41_BD6B, 0x5BE0_CD19_137E_2179,
    ]
    /// The order of the message words in each round; BLAKE2s has the same ten.
    static let order: [[Int]] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
        [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4], [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
        [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13], [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
        [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11], [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
        [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5], [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
    ]

    /// Returns the digest of `bytes`, `byteCount` bytes long: 1 to 64.
    public static func hash(_ bytes: [UInt8], byteCount: Int) -> [UInt8] {
        precondition(1...64 ~= byteCount, "BLAKE2b makes digests of 1 to 64 bytes")
        var state = initial
        state[0] ^= 0x0101_0000 ^ UInt64(byteCount)
        var start = 0
        repeat {
            let end = min(start + 128, bytes.count)
            compress(&state, bytes[start..<end], total: UInt64(end), isLast: end == bytes.count)
            start = end
        } while start < bytes.count
        return (0..<byteCount).map { UInt8(truncatingIfNeeded: state[$0 / 8] >> UInt64($0 % 8 * 8)) }
    }

    private static func compress(_ state: inout [UInt64], _ block: ArraySlice<UInt8>, total: UInt64, isLast: Bool) {
        var words = [UInt64](repeating: 0, count: 16)
        for (index, byte) in block.enumerated() { words[index / 8] |= UInt64(byte) << UInt64(index % 8 * 8) }
        var work = state + initial
        work[12] ^= total
        if isLast { work[14] = ~work[14] }
        func mix(_ a: Int, _ b: Int, _ c: Int, _ d: Int, _ x: UInt64, _ y: UInt64) {
            work[a] = work[a] &+ work[b] &+ x
            work[d] = turn(work[d] ^ work[a], 32)
            work[c] = work[c] &+ work[d]
            work[b] = turn(work[b] ^ work[c], 24)
            work[a] = work[a] &+ work[b] &+ y
            work[d] = turn(work[d] ^ work[a], 16)
            work[c] = work[c] &+ work[d]
            work[b] = turn(work[b] ^ work[c], 63)
        }
        for round in 0..<12 {
            let order = order[round % 10]
            for column in 0..<4 {
                mix(column, column + 4, column + 8, column + 12, words[order[2 * column]], words[order[2 * column + 1]])
            }
            for row in 0..<4 {
                mix(
                    row, 4 + (row + 1) % 4, 8 + (row + 2) % 4, 12 + (row + 3) % 4, words[order[8 + 2 * row]],
                    words[order[9 + 2 * row]])
            }
        }
        for index in 0..<8 { state[index] ^= work[index] ^ work[index + 8] }
    }

    private static func turn(_ word: UInt64, _ distance: UInt64) -> UInt64 {
        word >> distance | word << (64 - distance)
    }
}

// MARK: - BLAKE2s

/// BLAKE2s with a digest of 32 bytes and without a key (RFC 7693), the hash of Pubky's Noise channels.
public enum BLAKE2s {
    /// The bytes of a digest.
    public static let byteCount = 32
    /// The bytes of a block, which HMAC needs to know.
    public static let blockLength = 64

    /// Returns the digest of `bytes`.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        #if canImport(CryptoKit)
            return portable(bytes)
        #else
            var digest = [UInt8](repeating: 0, count: byteCount)
            guard Libcrypto.isReady, EVP_Digest(bytes, bytes.count, &digest, nil, EVP_blake2s256(), nil) == 1 else {
                return portable(bytes)
            }
            return digest
        #endif
    }

    /// Returns the keyed hash of `message` (HMAC, RFC 2104): what Noise calls HMAC-BLAKE2s.
    public static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        let key = key.count > blockLength ? hash(key) : key
        let padded = key + [UInt8](repeating: 0, count: blockLength - key.count)
        return hash(padded.map { $0 ^ 0x5C } + hash(padded.map { $0 ^ 0x36 } + message))
    }

    private static let initial: [UInt32] = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]

    /// The same without a library: CryptoKit has no BLAKE2s.
    static func portable(_ bytes: [UInt8]) -> [UInt8] {
        var state = initial
        state[0] ^= 0x0101_0000 ^ UInt32(byteCount)
        var start = 0
        repeat {
            let end = min(start + blockLength, bytes.count)
            compress(&state, bytes[start..<end], total: UInt64(end), isLast: end == bytes.count)
            start = end
        } while start < bytes.count
        return (0..<byteCount).map { UInt8(truncatingIfNeeded: state[$0 / 4] >> UInt32($0 % 4 * 8)) }
    }

    private static func compress(_ state: inout [UInt32], _ block: ArraySlice<UInt8>, total: UInt64, isLast: Bool) {
        var words = [UInt32](repeating: 0, count: 16)
        for (index, byte) in block.enumerated() { words[index / 4] |= UInt32(byte) << UInt32(index % 4 * 8) }
        var work = state + initial
        work[12] ^= UInt32(truncatingIfNeeded: total)
        work[13] ^= UInt32(truncatingIfNeeded: total >> 32)
        if isLast { work[14] = ~work[14] }
        func mix(_ a: Int, _ b: Int, _ c: Int, _ d: Int, _ x: UInt32, _ y: UInt32) {
            work[a] = work[a] &+ work[b] &+ x
            work[d] = turn(work[d] ^ work[a], 16)
            work[c] = work[c] &+ work[d]
            work[b] = turn(work[b] ^ work[c], 12)
            work[a] = work[a] &+ work[b] &+ y
            work[d] = turn(work[d] ^ work[a], 8)
            work[c] = work[c] &+ work[d]
            work[b] = turn(work[b] ^ work[c], 7)
        }
        for order in BLAKE2b.order {
            for column in 0..<4 {
                mix(column, column + 4, column + 8, column + 12, words[order[2 * column]], words[order[2 * column + 1]])
            }
            for row in 0..<4 {
                mix(
                    row, 4 + (row + 1) % 4, 8 + (row + 2) % 4, 12 + (row + 3) % 4, words[order[8 + 2 * row]],
                    words[order[9 + 2 * row]])
            }
        }
        for index in 0..<8 { state[index] ^= work[index] ^ work[index + 8] }
    }

    private static func turn(_ word: UInt32, _ distance: UInt32) -> UInt32 {
        word >> distance | word << (32 - distance)
    }
}

// MARK: - BLAKE3

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
