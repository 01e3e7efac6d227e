import PaykitKit
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentTesting
import TestSupport
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

extension PubkySandbox {
    /// Returns a client of this sandbox, signed in with a secret key of 32 equal bytes where there is one.
    nonisolated func client(
        _ byte: UInt8? = 0x11, clock: VirtualClock = VirtualClock(), seed: UInt64 = 2,
        _ change: (inout PaykitClientConfiguration) -> Void = { _ in }
    ) async throws -> PaykitClient {
        var configuration = PaykitClientConfiguration(network: try .sandbox(HTTPURL("http://localhost:6286")))
        change(&configuration)
        let client = PaykitClient(
            configuration: configuration, transport: SandboxTransport(self), clock: clock,
            random: SeededRandomSource(seed: seed))
        // Homeservers identify tokens by key and time.
        clock.advance(by: .milliseconds(1))
        if let byte {
            try await client.initialize(
                secretKeyHex: Hex.encode([UInt8](repeating: byte, count: 32)), homeserverPubkey: homeserver.text)
        }
        return client
    }
}
