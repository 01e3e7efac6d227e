/// An ECDSA signature over secp256k1, with the two bits that let the key be found from it.
public struct RecoverableSignature: Sendable, Hashable {
    /// x of the nonce's point modulo the order of the curve: 32 bytes, big-endian.
    public let r: [UInt8]
    /// The proof: 32 bytes, big-endian.
    public let s: [UInt8]
    /// The index of the point among those with this `r`: bit 0 is y's parity, bit 1 says that x was reduced. 0 to 3.
    public let recoveryID: UInt8

    /// Creates a signature from its parts after checking their ranges.
    ///
    /// - Parameter allowingHighS: true to keep a malleable signature, for instance to report the reason for its
    ///   refusal.
    /// - Throws: ``Secp256k1Error/invalidSignature``, ``Secp256k1Error/highS``.
    public init(r: [UInt8], s: [UInt8], recoveryID: UInt8, allowingHighS: Bool = false) throws(Secp256k1Error) {
        guard Self.isScalar(r), Self.isScalar(s), recoveryID <= 3 else { throw .invalidSignature }
        self.r = r
        self.s = s
        self.recoveryID = recoveryID
        guard allowingHighS || hasLowS else { throw .highS }
    }

    /// True if `s` is at most half the order of the curve.
    public var hasLowS: Bool { !Self.halfOrder.lexicographicallyPrecedes(s) }

    private static func isScalar(_ bytes: [UInt8]) -> Bool {
        bytes.count == 32 && bytes.contains { $0 != 0 } && bytes.lexicographicallyPrecedes(order)
    }

    /// The order of the curve, n (SEC 2 section 2.4.1).
    private static let order: [UInt8] =
        [UInt8](repeating: 0xFF, count: 15) + [
            0xFE, 0xBA, 0xAE, 0xDC, 0xE6, 0xAF, 0x48, 0xA0, 0x3B, 0xBF, 0xD2, 0x5E, 0x8C, 0xD0, 0x36, 0x41, 0x41,
        ]

    /// n / 2, rounded down.
    private static let halfOrder: [UInt8] =
        [0x7F] + [UInt8](repeating: 0xFF, count: 15) + [
            0x5D, 0x57, 0x6E, 0x73, 0x57, 0xA4, 0x50, 0x1D, 0xDF, 0xE9, 0x2F, 0x46, 0x68, 0x1B, 0x20, 0xA0,
        ]
}
