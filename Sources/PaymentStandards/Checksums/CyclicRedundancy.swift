/// Cyclic redundancy checks. They detect mistakes, not forgery.
package enum CyclicRedundancy {
    /// CRC-16 with polynomial 1021, most significant bit first, no final change. "123456789" gives 29B1 from FFFF
    /// (CCITT-FALSE: EMVCo) and 31C3 from 0 (XMODEM: Stellar, TON).
    static func crc16(_ bytes: some Sequence<UInt8>, initial: UInt16) -> UInt16 {
        var state = initial
        for byte in bytes { state = state << 8 ^ table16[Int(UInt8(state >> 8) ^ byte)] }
        return state
    }

    /// CRC-32 of IEEE 802.3, reflected: SPD, PAY by square, Cardano's Byron addresses, PNG. "123456789" gives CBF43926.
    package static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var state = UInt32.max
        for byte in bytes { state = state >> 8 ^ table32[Int(UInt8(truncatingIfNeeded: state) ^ byte)] }
        return ~state
    }

    private static let table16: [UInt16] = (0..<256).map { index in
        (0..<8).reduce(UInt16(index) << 8) { state, _ in state & 0x8000 != 0 ? state << 1 ^ 0x1021 : state << 1 }
    }

    private static let table32: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { state, _ in state & 1 != 0 ? state >> 1 ^ 0xEDB8_8320 : state >> 1 }
    }
}
