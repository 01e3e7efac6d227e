import PaykitKit
import PaykitSandbox
import PaymentCore
import PaymentRouting
import PaymentStandards
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PaykitProvider

/// Payees who are paid through several apps: one that was let in for its own directory only may be among them.
@Suite("Several apps of one payee")
struct ReceiverChoiceTests {
    private let sandbox: PubkySandbox
    private let transport: SandboxTransport
    private let clock = VirtualClock()

    init() {
        sandbox = PubkySandbox(clock: clock, random: SeededRandomSource(seed: 1))
        transport = SandboxTransport(sandbox)
    }

    private func router() throws -> PaymentRouter {
        PaymentRouter(
            registry: try ProviderRegistry([
                PaykitProvider(network: try .sandbox(HTTPURL("http://127.0.0.1:6287")), reader: StandardsReader())
            ]), transport: transport, journal: InMemoryJournal(), readers: [StandardsReader()], clock: clock,
            random: SeededRandomSource(seed: 2))
    }

    private var settler: SandboxSettler {
        get throws { SandboxSettler(at: try HTTPURL("http://127.0.0.1:6287"), over: transport) }
    }

    /// A user of a wallet of generation 3, and a thief whose app the user has let in.
    private func users() async -> (user: PubkySandbox.User, thief: PubkySandbox.User) {
        let (user, thief) = (await sandbox.createUser(.thirdGeneration), await sandbox.createUser(.emptyDirectory))
        let invoice = await sandbox.createInvoice(2100, for: thief.key)
        await sandbox.publish(
            Array("{\"value\":\"\(invoice)\"}".utf8),
            at: "/pub/paykit/v0/aaa/wallet/endpoints/btc-lightning-bolt11", of: user.key)
        return (user, thief)
    }

    @Test("None is paid without a question")
    func byItself() async throws {
        let (user, thief) = await users()
        let payer = Payer(policy: .firstWhateverItCosts, settler: try settler)
        let error = await #expect(throws: PaymentError.self) { try await router().pay(user.link, as: payer) }
        #expect(error?.code == .unusableOption)
        #expect(error?.message.contains("aaa/wallet, bitkit/wallet") == true, "\(error?.message ?? "")")
        for key in [user.key, thief.key] { #expect(await sandbox.ledger.captures(of: key.text) == 0) }
    }

    @Test("The payer chooses among options with the apps' names")
    func chosen() async throws {
        let (user, thief) = await users()
        let titles = Mutex<[String]>([])
        var payer = Payer(settler: try settler)
        payer.chooser = { quote in
            titles.withLock { $0 = quote.options.map(\.title) }
            return quote.options.first { $0.title.hasSuffix("Lightning, to the app bitkit/wallet") }?.id
        }
        guard case .succeeded = try await router().pay(user.link, as: payer) else {
            Issue.record("not paid")
            return
        }
        #expect(titles.withLock { $0.contains { $0.hasSuffix("Lightning, to the app aaa/wallet") } })
        #expect(await sandbox.ledger.captures(of: user.key.text) == 1)
        #expect(await sandbox.ledger.captures(of: thief.key.text) == 0)
    }

    @Test("A client chooses none either")
    func client() async throws {
        let (user, _) = await users()
        let client = PaykitClient(
            configuration: PaykitClientConfiguration(network: try .sandbox(HTTPURL("http://127.0.0.1:6287"))),
            transport: transport, clock: clock, random: SeededRandomSource(seed: 3))
        await #expect {
            _ = try await client.getSupportedMethods(pubkey: user.key.text)
        } throws: {
            ($0 as? PaykitError)?.failure.code == .validationFailed
        }
    }
}
