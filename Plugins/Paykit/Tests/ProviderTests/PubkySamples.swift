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

/// The failure of `work`; nil if it succeeds.
func networkFailure(_ work: () async throws -> Void) async -> PaykitNetworkError? {
    do {
        try await work()
        return nil
    } catch { return error as? PaykitNetworkError ?? (error as? PaykitError)?.failure }
}

/// The code of the failure of `work`; nil if it succeeds.
func code(_ work: () async throws -> Void) async -> PaykitNetworkError.Code? { await networkFailure(work)?.code }

extension PubkySandbox {
    /// Returns a client of this sandbox that is not signed in.
    nonisolated func newClient(
        over transport: (any HTTPTransport)? = nil, clock: any PaymentClock = VirtualClock(), seed: UInt64 = 2,
        streams: any StreamTransport = LocalStreams(), store: any RecordStore = InMemoryRecords(),
        _ change: (inout PaykitClientConfiguration) -> Void = { _ in }
    ) throws -> PaykitClient {
        var configuration = PaykitClientConfiguration(network: try .sandbox(HTTPURL(TestNetwork.url)))
        change(&configuration)
        return PaykitClient(
            configuration: configuration, transport: transport ?? SandboxTransport(self), clock: clock,
            random: SeededRandomSource(seed: seed), streams: streams, store: store)
    }

    /// Returns a client of this sandbox, signed in with a secret key of 32 equal bytes where there is one.
    nonisolated func client(
        _ byte: UInt8? = 0x11, over transport: (any HTTPTransport)? = nil, clock: any PaymentClock = VirtualClock(),
        seed: UInt64 = 2, streams: any StreamTransport = LocalStreams(), store: any RecordStore = InMemoryRecords(),
        _ change: (inout PaykitClientConfiguration) -> Void = { _ in }
    ) async throws -> PaykitClient {
        let client = try newClient(
            over: transport, clock: clock, seed: seed, streams: streams, store: store, change)
        // Homeservers identify tokens by key and time.
        (clock as? VirtualClock)?.advance(by: .milliseconds(1))
        if let byte {
            try await client.initialize(
                secretKeyHex: Hex.encode([UInt8](repeating: byte, count: 32)), homeserverPubkey: homeserver.text)
        }
        return client
    }
}
