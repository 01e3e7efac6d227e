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
