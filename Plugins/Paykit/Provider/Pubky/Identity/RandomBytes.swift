package import PaymentCrypto

package typealias ByteReader = PaymentCrypto.ByteReader
package typealias WireDefect = PaymentCrypto.WireDefect

extension RandomSource {
    package func bytes(_ count: Int) -> [UInt8] {
        Array((0..<(count + 7) / 8).flatMap { _ in next().bigEndianBytes }.prefix(count))
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// The bytes of the number, most significant first.
    package var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> Self($0)) }
    }
}
