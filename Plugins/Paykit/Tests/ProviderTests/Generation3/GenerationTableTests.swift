import Foundation
import PaykitSandbox
import PaymentCore
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitKit
@testable import PaykitProvider

/// The documentation's table of generations says what the client does (Protocol 11.4).
@Suite("Table of generations")
struct GenerationTableTests {
    private static let page = Vectors.root.appending(path: "Plugins/Paykit/Kit/PaykitKit.docc/Generations.md")

    private static let head = """
        # Generations

        The abilities of this library's client with wallets and homeservers of each generation of Paykit. The client finds out
        by itself which generation it meets. Each entry was tried at the sandbox, none with a wallet or server by other authors.

        Written by `UPDATE_GENERATIONS_TABLE=1 swift test --filter GenerationTableTests` and checked by that test.

        """

    @Test("It is the one that trying makes")
    func isTrue() async throws {
        let table = try await Self.table()
        if ProcessInfo.processInfo.environment["UPDATE_GENERATIONS_TABLE"] == "1" {
            try table.write(to: Self.page, atomically: true, encoding: .utf8)
        }
        let written = try String(contentsOf: Self.page, encoding: .utf8)
        #expect(written == table, "run UPDATE_GENERATIONS_TABLE=1 swift test --filter GenerationTableTests")
    }

    // MARK: The world

    private struct World {
        let clock = PatientClock()
        let sandbox: PubkySandbox
        let streams = LocalStreams()

        init(_ generation: PubkySandbox.Generation) {
            var configuration = PubkySandbox.Configuration()
            configuration.generation = generation
            sandbox = PubkySandbox(configuration, clock: clock, random: SeededRandomSource(seed: 1))
        }

        func client(_ number: UInt8, _ app: String, signsIn: Bool = true) async throws -> PaykitClient {
            clock.advance(by: .seconds(1))
            return try await sandbox.client(
                signsIn ? number : nil, clock: clock, seed: UInt64(number), streams: streams
            ) {
                $0.receiver = PaykitReceiverPath(app)
                $0.receiverSecret = Redacted([UInt8](repeating: number, count: 32))
            }
        }
    }

    /// The result of a trial: yes, no, or the demand for a newer app.
    private static func word(_ work: () async throws -> Bool) async -> String {
        do { return try await work() ? "yes" : "–" } catch {
            let failure = (error as? PaykitError)?.failure
            return failure?.message.contains("newer form") == true ? "says that a newer app is needed" : "–"
        }
    }

    private static func row(_ name: String, _ words: [String]) -> String {
        "| \(([name] + words).joined(separator: " | ")) |"
    }

    private static func table() async throws -> String {
        var lines = [head, "## Payees", ""]
        let columns = ["found", "chosen by `lightning`", "in a batch", "private channel", "private link"]
        lines += [row("a payee who publishes", columns), row("---", columns.map { _ in "---" })]
        let scenarios: [(String, PubkySandbox.Scenario)] = [
            ("the guide's form", .ready), ("identifiers without an app", .flatIdentifiers),
            ("receiver paths", .thirdGeneration), ("several receivers", .receivers),
            ("the guide's form and receiver paths", .bothGenerations), ("an app registry", .appRegistry),
        ]
        let world = World(.cookies)
        let client = try await world.client(1, "router/wallet")
        for (name, scenario) in scenarios {
            let user = await world.sandbox.createUser(scenario)
            lines.append(row(name, await payee(user.key.text, client)))
        }
        let peer = try await world.sandbox.createPeer(.ready, over: world.streams)
        let listening = Task { await peer.run() }
        lines.append(row("the guide's form, and listens", await payee(peer.user.key.text, client)))
        listening.cancel()
        peer.close()
        let other = try await world.client(2, "bitkit/wallet")
        try await other.setEndpoint(
            methodId: "lightning", endpoint: await world.sandbox.createInvoice(nil, for: peer.user.key))
        try await other.publishReceiver()
        let key = try #require(await other.user?.text)
        lines.append(row("both, as this library does with a receiver", await payee(key, client)))

        let servers = [
            "sign up", "sign in again", "publish in both forms", "remove both forms", "see changes", "private link",
        ]
        lines += [
            "", "## Homeservers", "", row("a homeserver with", servers), row("---", servers.map { _ in "---" }),
        ]
        for (name, generation) in [
            ("cookies (to 0.9)", .cookies), ("grants (0.10)", .grants),
            ("grants, paths with owners (0.12)", .storagePaths),
        ] as [(String, PubkySandbox.Generation)] {
            lines.append(row(name, try await server(generation)))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func payee(_ key: String, _ client: PaykitClient) async -> [String] {
        await [
            word {
                let methods: [PaykitSupportedMethod] = try await client.getSupportedMethods(pubkey: key).methods
                return !methods.isEmpty
            },
            word { !(try await client.smartCheckout(pubkey: key, preferredMethod: "lightning").endpoint.isEmpty) },
            word {
                let found = await client.discoverBatch(pubkeys: [key])
                if let error = found.errors[key] { throw error }
                let methods: [PaykitSupportedMethod]? = found.methods[key]?.methods
                return methods?.isEmpty == false
            },
            word {
                try await client.requestReceipt(fromPubkey: key, .init(amount: 100, method: "lightning")).amount != nil
            },
            word {
                try await client.publishReceiver()
                // A peer with a place for links has answered, or will.
                return try await client.privateLink(with: key).poll() != .unreadable
            },
        ]
    }

    private static func server(_ generation: PubkySandbox.Generation) async throws -> [String] {
        let world = World(generation)
        let first = try await world.client(1, "router/wallet", signsIn: false)
        let second = try await world.client(2, "bitkit/wallet")
        let secret = String(repeating: "01", count: 32)
        let home = world.sandbox.homeserver.text
        func open() async throws -> Bool {
            world.clock.advance(by: .seconds(1))
            try await first.initialize(secretKeyHex: secret, homeserverPubkey: home)
            return try await first.checkSession()
        }
        func published() async throws -> Int {
            let key = try #require(await first.user)
            return await world.sandbox.paths(of: key).count { $0.hasSuffix("lightning") || $0.hasSuffix("bolt11") }
        }
        return await [
            word { try await open() }, word { try await open() },
            word {
                let key = try #require(await first.user)
                try await first.setEndpoint(
                    methodId: "lightning", endpoint: await world.sandbox.createInvoice(nil, for: key))
                return try await published() == 2
            },
            word {
                let before = try await published()
                try await first.removeEndpoint(methodId: "lightning")
                return try await [before, published()] == [2, 0]
            },
            word {
                let key = try #require(await first.user?.text)
                _ = try await second.getSupportedMethods(pubkey: key)
                _ = await second.forgetChanged()
                _ = try await second.getSupportedMethods(pubkey: key)
                try await first.setEndpoint(methodId: "btc-lightning-lnurl", endpoint: "mina@paykit-sandbox.example")
                return await second.forgetChanged().map(\.text) == [key]
            },
            word {
                try await first.publishReceiver()
                try await second.publishReceiver()
                let there = try await first.privateLink(with: #require(await second.user?.text))
                let back = try await second.privateLink(with: #require(await first.user?.text))
                for _ in 0..<3 {
                    try await there.poll()
                    try await back.poll()
                }
                return try await [there.poll(), back.poll()] == [.linked, .linked]
            },
        ]
    }
}
