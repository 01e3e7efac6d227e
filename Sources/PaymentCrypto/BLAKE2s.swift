#if !canImport(CryptoKit)
    import CLibcrypto
#endif

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

    /// The same without a library: CryptoKit has none.
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
