import PaykitKit
import PaykitSandbox
import PaymentCore
import PaymentLoopback
import PaymentTesting
import PaymentTransport
import Testing

/// The code of PaykitKit's Differences.md.
@Suite("Article: move from Paykit's bindings")
struct MovingFromPaykitTests {
    /// A wallet's checkout, by a payee's endpoints.
    struct Checkout {
        func payTo(_ payee: String) async throws -> String {
            do {
                let result = try await paykit_smart_checkout(pubkey: payee, preferredMethod: "lightning")
                return "pay by \(result.methodId): \(result.endpoint)"
            } catch let error as PaykitError {
                switch error {
                case .notInitialized: return "call paykit_initialize first"
                case .sessionExpired: return "sign in again"
                case .endpointUsed: return "publish another \(error.methodId)"
                case .networkError: return "\(error.type): \(error.recovery)"
                }
            }
        }
    }

    @Test("The code after the move finds how to pay a person, and distinguishes every failure")
    func finds() async throws {
        let service = PubkySandbox(random: SeededRandomSource(seed: 7))
        let server = try LoopbackServer(service)
        defer { server.stop() }
        let network = try PubkyNetwork.sandbox(HTTPURL("http://localhost:\(server.baseURL.port)"))
        let client = PaykitClient(
            configuration: PaykitClientConfiguration(network: network), transport: StandardTransport())
        let (secretKeyHex, homeserverPubkey) = (String(repeating: "07", count: 32), service.homeserver.text)
        Paykit.use(client)
        try await paykit_initialize(secretKeyHex: secretKeyHex, homeserverPubkey: homeserverPubkey)
        try await paykit_set_endpoint(methodId: "onchain", endpoint: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq")
        let me = try #require(await client.user?.text)
        for (payee, words) in [
            (await service.createUser(.ready).key.text, "pay by lightning: "), (me, "pay by onchain: bc1q"),
            (await service.createUser(.unknownKey).key.text, "peerNotFound: "), ("nobody", "networkError: "),
        ] {
            let told = try await Checkout().payTo(payee)
            #expect(told.hasPrefix(words), "\(told)")
        }
        try await client.signOut()
        await #expect(throws: PaykitError.self) { try await paykit_set_endpoint(methodId: "onchain", endpoint: "bc1q") }
    }
}
