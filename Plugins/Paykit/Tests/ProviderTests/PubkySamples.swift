import PaykitKit
import PaykitPubky
import PaymentCore
import Testing

/// Keys and bytes that several suites use.
enum PubkySamples {
    /// Returns the keys of a seed of 32 equal bytes.
    static func pair(_ byte: UInt8) throws -> PubkyKeyPair {
        try PubkyKeyPair(seed: [UInt8](repeating: byte, count: 32))
    }

    static func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }
}

/// The code of what is thrown; nil where nothing is.
func code(_ work: () async throws -> Void) async -> PaykitNetworkError.Code? {
    do {
        try await work()
        return nil
    } catch { return (error as? PaykitNetworkError ?? (error as? PaykitError)?.failure)?.code }
}
