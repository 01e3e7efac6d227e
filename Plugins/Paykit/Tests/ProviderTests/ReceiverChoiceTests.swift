import PaykitKit
import PaykitSandbox
import PaymentCore
import PaymentRouting
import PaymentTesting
import Synchronization
import Testing

@testable import PaykitProvider

/// Payees who are paid through several apps: one that was let in for its own directory only may be among them.
@Suite("Several apps of one payee")
struct ReceiverChoiceTests: NetworkSuite {
    let network = TestNetwork()

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
        let payer = Payer(policy: .firstWhateverItCosts, settler: try network.settler)
        let error = await #expect(throws: PaymentError.self) { try await network.router().pay(user.link, as: payer) }
        #expect(error?.code == .unusableOption)
        #expect(error?.message.contains("aaa/wallet, bitkit/wallet") == true, "\(error?.message ?? "")")
        for key in [user.key, thief.key] { #expect(await captures(of: key) == 0) }
    }

    @Test("The payer chooses among options with the apps' names")
    func chosen() async throws {
        let (user, thief) = await users()
        let titles = Mutex<[String]>([])
        var payer = Payer(settler: try network.settler)
        payer.chooser = { quote in
            titles.withLock { $0 = quote.options.map(\.title) }
            return quote.options.first { $0.title.hasSuffix("Lightning, to the app bitkit/wallet") }?.id
        }
        #expect(try await network.router().pay(user.link, as: payer).receipt != nil)
        #expect(titles.withLock { $0.contains { $0.hasSuffix("Lightning, to the app aaa/wallet") } })
        #expect(await captures(of: user.key) == 1)
        #expect(await captures(of: thief.key) == 0)
    }

    @Test("A client chooses none either")
    func client() async throws {
        let (user, _) = await users()
        let client = try sandbox.newClient(clock: clock)
        #expect(await code { _ = try await client.getSupportedMethods(pubkey: user.key.text) } == .validationFailed)
    }
}
