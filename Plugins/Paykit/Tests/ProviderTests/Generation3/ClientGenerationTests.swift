import PaykitSandbox
import PaymentCore
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitKit
@testable import PaykitProvider

/// The client among payees of several generations (Protocol 11.4).
@Suite("Paykit's client among generations")
struct ClientGenerationTests: NetworkSuite {
    let network = TestNetwork()
    private let wire: ClientGrantTests.Wire
    private static let mine = "/pub/paykit/v0/router/wallet/endpoints/"
    private static let old = "/pub/paykit.app/v0/"

    init() { wire = ClientGrantTests.Wire(network.sandbox) }

    private func client(_ change: (inout PaykitClientConfiguration) -> Void = { _ in }) throws -> PaykitClient {
        try sandbox.newClient(over: wire, clock: clock, change)
    }

    private func publisher(
        _ generations: PaykitGenerations = .both, receiver: String? = "router/wallet"
    ) async throws -> PaykitClient {
        try await signedIn(
            client {
                $0.generations = generations
                $0.receiver = receiver.flatMap { PaykitReceiverPath($0) }
            })
    }

    private func paths() async throws -> [String] {
        await sandbox.paths(of: try PubkyKey(Self.me)).filter { $0.hasPrefix("/pub/paykit") }
    }

    @Test("Payees of each generation are found and paid without a setting that names it")
    func payees() async throws {
        let client = try client()
        for (scenario, expected) in [
            (.ready, ["lightning", "onchain"]), (.thirdGeneration, ["btc-lightning-bolt11", "btc-regtest-p2wpkh"]),
            (.receivers, ["btc-lightning-bolt11"]), (.flatIdentifiers, ["btc-lightning-bolt11"]),
            (.bothGenerations, ["btc-lightning-bolt11", "btc-regtest-p2wpkh"]),
        ] as [(PubkySandbox.Scenario, [String])] {
            let user = await sandbox.createUser(scenario)
            #expect(try await methods(client, user.key.text) == expected, "\(scenario)")
            let checkout = try await client.smartCheckout(pubkey: user.key.text, preferredMethod: "lightning")
            #expect(checkout.methodId == expected[0] && checkout.endpoint.hasPrefix("lnbcrt"))
            #expect(
                try await client.getEndpoint(pubkey: user.key.text, methodId: "lightning") == checkout.endpoint)
            if expected.count > 1 {
                let chain = try await client.smartCheckout(pubkey: user.key.text, preferredMethod: "onchain")
                #expect(chain.methodId == expected[1] && chain.endpoint.hasPrefix("bcrt1"))
            }
        }
    }

    @Test("By choice one generation is read, and who publishes in the other only offers nothing")
    func choice() async throws {
        let (old, new) = (await sandbox.createUser(.ready), await sandbox.createUser(.thirdGeneration))
        let both = await sandbox.createUser(.bothGenerations)
        let second = try client { $0.generations = .second }
        let third = try client { $0.generations = .third }
        #expect(try await methods(second, new.key.text).isEmpty)
        #expect(try await methods(third, old.key.text).isEmpty)
        #expect(try await methods(second, both.key.text) == ["lightning"])
        #expect(try await methods(third, both.key.text) == ["btc-lightning-bolt11", "btc-regtest-p2wpkh"])
        wire.forget()
        _ = try await methods(second, old.key.text)
        #expect(wire.lines.allSatisfy { !$0.contains("/pub/paykit/v0") })
    }

    @Test("A payee of the older generation costs one question more than before, and a second look none")
    func cost() async throws {
        let client = try client()
        let user = await sandbox.createUser(.ready)
        _ = try await methods(client, user.key.text)
        #expect(wire.count("GET /pub/paykit/v0/") == 1)
        #expect(wire.count("GET /info") == 1)
        wire.forget()
        _ = try await methods(client, user.key.text)
        #expect(wire.lines.isEmpty)
    }

    @Test("A payee who publishes in a later form is distinguished from one who publishes nothing")
    func later() async throws {
        let client = try client()
        let user = await sandbox.createUser(.appRegistry)
        let failure = await failure { _ = try await methods(client, user.key.text) }
        #expect(failure?.code == .methodNotSupported && failure?.message.contains("update the app") == true)
        let empty = await sandbox.createUser(.emptyDirectory)
        #expect(try await methods(client, empty.key.text).isEmpty)
        // Their endpoints beside it in a form that this client reads are used.
        await sandbox.publish(Array("lnbc1".utf8), at: Self.old + "lightning", of: user.key)
        #expect(try await methods(client, user.key.text) == ["lightning"])
    }

    @Test(
        "A newer directory that fails is not taken for an empty one: the older might be long gone",
        arguments: [500, 429])
    func failing(_ status: Int) async throws {
        let user = await sandbox.createUser(.bothGenerations)
        wire.change { request, response in
            request.url.path.hasPrefix("/pub/paykit/v0/") ? HTTPResponse(status: status) : response
        }
        let client = try client()
        #expect(await failure { _ = try await methods(client, user.key.text) }?.isRetryable == true)
        wire.change(nil)
        #expect(try await methods(client, user.key.text) == ["btc-lightning-bolt11", "btc-regtest-p2wpkh"])
    }

    @Test("A payee who changes generation in the middle is followed")
    func upgrade() async throws {
        let client = try client()
        let user = await sandbox.createUser(.ready)
        #expect(try await methods(client, user.key.text) == ["lightning", "onchain"])
        // The initial endpoints are reported once.
        _ = await client.forgetChanged()
        #expect(try await methods(client, user.key.text) == ["lightning", "onchain"])
        await sandbox.publish(
            Array(#"{"value":"lnbcrt1new"}"#.utf8), at: "/pub/paykit/v0/bitkit/wallet/endpoints/btc-lightning-bolt11",
            of: user.key)
        #expect(try await methods(client, user.key.text) == ["lightning", "onchain"])
        #expect(await client.forgetChanged() == [user.key])
        #expect(try await methods(client, user.key.text) == ["btc-lightning-bolt11"])
        // A method that the newer form names, but does not have, is no longer offered.
        #expect(try await client.getEndpoint(pubkey: user.key.text, methodId: "onchain") == nil)
        #expect(await client.forgetChanged().isEmpty)
    }

    @Test("As a receiver one's own endpoints are published in both forms, and taken back from both")
    func publishing() async throws {
        let client = try await publisher()
        let address = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"
        try await client.setEndpoint(methodId: "lightning", endpoint: "lnbc1xyz")
        try await client.setEndpoint(methodId: "onchain", endpoint: address)
        try await client.setEndpoint(methodId: "paypal", endpoint: "mina")
        #expect(
            try await paths() == [
                Self.old + "lightning", Self.old + "onchain", Self.old + "paypal", Self.mine + "btc-bitcoin-p2wpkh",
                Self.mine + "btc-lightning-bolt11",
            ])
        let file = await sandbox.file(at: Self.mine + "btc-bitcoin-p2wpkh", of: try PubkyKey(Self.me))
        #expect(file == Array(#"{"value":"\#(address)"}"#.utf8))
        #expect(try await methods(self.client(), Self.me) == ["btc-bitcoin-p2wpkh", "btc-lightning-bolt11"])
        #expect(
            try await methods(self.client { $0.generations = .second }, Self.me) == ["lightning", "onchain", "paypal"])
        try await client.removeEndpoint(methodId: "lightning")
        try await client.removeEndpoint(methodId: "btc-bitcoin-p2wpkh")
        try await client.removeEndpoint(methodId: "paypal")
        try await client.removeEndpoint(methodId: "paypal")
        #expect(try await paths().isEmpty)
    }

    @Test("An endpoint of another form takes the place of the one before, in both generations")
    func replacing() async throws {
        let client = try await publisher()
        try await client.setEndpoint(methodId: "lightning", endpoint: "lnbc1xyz")
        try await client.setEndpoint(methodId: "lightning", endpoint: "mina@pay.example")
        #expect(try await paths() == [Self.old + "lightning", Self.mine + "btc-lightning-lnurl"])
        // With their own identifiers several exist beside each other.
        try await client.setEndpoint(methodId: "btc-lightning-bolt11", endpoint: "lnbc1abc")
        #expect(
            try await paths() == [
                Self.old + "lightning", Self.mine + "btc-lightning-bolt11", Self.mine + "btc-lightning-lnurl",
            ])
        #expect(
            await code { try await client.setEndpoint(methodId: "btc-lightning-bolt11", endpoint: "bc1q") }
                == .validationFailed)
    }

    @Test("By choice one generation is published, and generation 3 needs to know as which app")
    func publishingOne() async throws {
        let third = try await publisher(.third)
        try await third.setEndpoint(methodId: "lightning", endpoint: "lnbc1xyz")
        #expect(try await paths() == [Self.mine + "btc-lightning-bolt11"])
        let failure = await failure { try await third.setEndpoint(methodId: "paypal", endpoint: "mina") }
        #expect(failure?.code == .validationFailed && failure?.message.contains("asset-rail-format") == true)
        try await third.removeEndpoint(methodId: "lightning")
        let second = try await publisher(.second)
        try await second.setEndpoint(methodId: "lightning", endpoint: "lnbc1xyz")
        #expect(try await paths() == [Self.old + "lightning"])
        let nameless = try await publisher(.third, receiver: nil)
        #expect(
            await self.failure { try await nameless.setEndpoint(methodId: "lightning", endpoint: "lnbc1") }?.message
                .contains("receiver") == true)
    }

    @Test("Endpoints in both forms are replaced together when they were used")
    func rotation() async throws {
        let client = try await publisher()
        try await client.setEndpoint(methodId: "lightning", endpoint: "lnbc1xyz")
        try await client.setEndpoint(methodId: "onchain", endpoint: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq")
        #expect(try await client.checkRotationNeeded(pubkey: Self.me).isEmpty)
        await client.noteUse(methodId: "btc-lightning-bolt11")
        #expect(try await client.checkRotationNeeded(pubkey: Self.me) == ["lightning"])
        #expect(try await client.rotateEndpoints { _ in "lnbc1new" } == ["lightning"])
        let reader = try self.client()
        #expect(try await reader.getEndpoint(pubkey: Self.me, methodId: "lightning") == "lnbc1new")
        let older = try self.client { $0.generations = .second }
        #expect(try await older.getEndpoint(pubkey: Self.me, methodId: "lightning") == "lnbc1new")
        #expect(try await client.checkRotationNeeded(pubkey: Self.me).isEmpty)
    }

    @Test("A batch finds payees of all generations")
    func batch() async throws {
        let client = try client()
        var keys: [String] = []
        for scenario in [.ready, .thirdGeneration, .flatIdentifiers, .appRegistry, .unknownKey]
            as [PubkySandbox.Scenario]
        {
            keys.append(await sandbox.createUser(scenario).key.text)
        }
        let found = await client.discoverBatch(pubkeys: keys)
        #expect(Set(found.methods.keys) == Set(keys.prefix(3)) && Set(found.errors.keys) == Set(keys.suffix(2)))
        #expect(found.errors[keys[3]]?.type == .methodNotSupported)
    }
}
