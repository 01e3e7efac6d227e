import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import PaymentTransport
import PaymentWallet
import Synchronization
import TestSupport
import Testing
import WalletConnectPayProvider
import WalletConnectPaySandbox

/// The provider's use of the client's parts: data about the payer, expiry, refusals, resumption.
@Suite struct ClientProviderTests {
    /// The payer's entries; every value is a canary.
    static let data: [String: Redacted<String>] = [
        "fullName": Redacted("Canary Person"), "dob": Redacted("1990-01-15"), "pobCountry": Redacted("US"),
        "pobAddress": Redacted("Canary Street"), "tosConfirmed": Redacted("true"),
        "notAskedFor": Redacted("canary of another form"),
    ]

    /// A payer who answers data requests by `collect`.
    static func payer(
        _ world: TestWorld, option: Int = 0,
        collect: @escaping @Sendable (DataRequest) async throws -> [String: Redacted<String>]?
    ) -> Payer {
        var payer = world.payer { $0.options[option].id }
        payer.dataCollector = collect
        return payer
    }

    static func body(_ world: TestWorld, _ verb: String) -> String {
        world.faults.requests.last { $0.path.hasSuffix("/" + verb) }.map { String(decoding: $0.body, as: UTF8.self) }
            ?? ""
    }

    static func journal(_ world: TestWorld, _ payment: WalletConnectPaySandbox.Payment) async throws -> String {
        let histories = await world.journal.histories(
            of: PaymentReference(provider: WalletConnectPayProvider.id, id: payment.id))
        var text = ""
        dump(histories, to: &text)
        for history in histories {
            text += try JSONValue.encode(history.attempt).text + JSONValue.encode(history.entries).text
        }
        return text
    }

    @Test("The payer's data go with the confirmation only", arguments: Wire.allCases)
    func valuesGoWithTheConfirmationOnly(_ wire: Wire) async throws {
        let lines = Mutex("")
        let world = try TestWorld(wire, log: PaymentLog { event in lines.withLock { $0 += "\(event)\n" } })
        let payment = await world.sandbox.createPayment(.dataCollection)
        let asked = Mutex<[DataRequest]>([])
        let payer = Self.payer(world) { request in
            asked.withLock { $0.append(request) }
            return Self.data
        }
        let outcome = try await world.router.pay(payment.link, as: payer)
        #expect(outcome.description.hasPrefix("paid"), "\(outcome)")
        let request = try #require(asked.withLock { $0 }.first)
        #expect(asked.withLock { $0.count } == 1)
        #expect(request.fields.map(\.id).prefix(3) == ["fullName", "dob", "tosConfirmed"])
        #expect(request.fields.first { $0.id == "tosConfirmed" }?.kind == .checkbox)
        #expect(request.formURL?.path == "/collect/")
        let fields = try JSONValue(parsing: Self.body(world, "confirm"))["collectedData"]?["fields"]?.array ?? []
        #expect(
            fields.map { $0["id"]?.string } == ["fullName", "dob", "tosConfirmed", "pobCountry", "pobAddress"])
        #expect(fields.first?["value"] == "Canary Person")
        // Nowhere else.
        let others = world.faults.requests.filter { !$0.path.hasSuffix("/confirm") }
        let everything =
            lines.withLock { $0 } + (try await Self.journal(world, payment))
            + others.map { $0.path + String(decoding: $0.body, as: UTF8.self) }.joined()
        #expect(!everything.lowercased().contains("canary"))
    }

    @Test("The service's form hands in by itself")
    func theServicesFormHandsInByItself() async throws {
        let (world, payment) = try await TestWorld.made(.dataCollection, on: .loopback)
        // Option 2 has to be fetched, which the service allows only after the data.
        let payer = Self.payer(world, option: 2) { request in
            let url = try #require(request.formURL)
            let items = QueryItems(Substring(url.query ?? ""))
            let accounts = items.values("accounts").first.flatMap { PercentCoding.decode($0) }
            let body: JSONValue = [
                "pid": .string(payment.id), "accounts": .string(accounts ?? ""), "fullName": "A", "dob": "1990-01-15",
                "pobCountry": "US", "pobAddress": "B", "tosConfirmed": "true",
            ]
            let submit = try HTTPURL(url.origin).appending(["collect", "submit"])
            let pairs = (body.object ?? [:]).map { "\($0)=\(PercentCoding.encode($1.string ?? ""))" }
            let answer = try await PlatformTransport().send(
                HTTPRequest(
                    .post, submit, headers: ["Content-Type": "application/x-www-form-urlencoded"],
                    body: Array(pairs.joined(separator: "&").utf8)))
            #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
            return [:]
        }
        let outcome = try await world.router.pay(payment.link, as: payer)
        #expect(outcome.description.hasPrefix("paid"), "\(outcome)")
        #expect(!Self.body(world, "confirm").contains("collectedData"))
    }

    @Test("Data come before the actions")
    func dataComesBeforeTheActions() async throws {
        let (world, payment) = try await TestWorld.made(.dataCollection)
        let before = Mutex<[String]>([])
        let payer = Self.payer(world, option: 2) { _ in
            before.withLock { $0 = world.faults.requests.map(\.path) }
            return Self.data
        }
        // Values arrive with the confirmation, too late for an option that the service has to build.
        let refusal = await told { try await world.router.pay(payment.link, as: payer) }
        #expect(refusal.name != "returned" && refusal.text.contains("data about the payer"))
        #expect(before.withLock { $0 }.allSatisfy { $0.hasSuffix("/options") })
        #expect(world.confirmRequests == 0)
    }

    @Test("Declining to give data cancels")
    func decliningToGiveDataCancels() async throws {
        let (world, payment) = try await TestWorld.made(.dataCollection)
        #expect(try await world.router.pay(payment.link, as: Self.payer(world) { _ in nil }) == .cancelled)
        #expect(world.confirmRequests == 0)
        // The payment is still open.
        let outcome = try await world.router.pay(payment.link, as: Self.payer(world) { _ in Self.data })
        #expect(outcome.description.hasPrefix("paid"))
    }

    @Test("Bad data are refused here")
    func badDataIsRefusedHere() async throws {
        struct Closed: Error {}
        let (world, payment) = try await TestWorld.made(.dataCollection)
        var wrong = Self.data
        wrong["dob"] = Redacted("canary")
        let bad = wrong
        for collect in [{ _ in bad }, { _ in throw Closed() }]
            as [@Sendable (DataRequest) async throws -> [String: Redacted<String>]?]
        {
            let error = await failure {
                _ = try await world.router.pay(payment.link, as: Self.payer(world, collect: collect))
            }
            #expect(error?.code == .payer && error.map { "\($0)".contains("canary") } == false)
        }
        #expect(world.confirmRequests == 0)
    }

    @Test("Without a collector the option cannot be chosen")
    func withoutACollectorTheOptionCannotBeChosen() async throws {
        let (world, payment) = try await TestWorld.made(.dataForSomeOptions)
        let quote = try await world.router.quote(world.router.matched(payment.link), as: world.payer())
        #expect(quote.options.map { $0.unmet.contains(.data) } == [false, true, true, false])
    }

    // MARK: Expiry

    /// A wallet that signs slowly, and can send transactions.
    struct SlowWallet: PaymentSigner {
        let wallet: DevelopmentWallet
        let clock: VirtualClock
        let time: Duration

        func supports(method: String) -> Bool { true }

        func sign(_ request: SigningRequest) async throws -> String {
            clock.advance(by: time)
            if request.method == "eth_sendTransaction" { return "0x" + String(repeating: "ab", count: 32) }
            return try await wallet.sign(request)
        }
    }

    static func pay(
        _ scenario: WalletConnectPaySandbox.Scenario, option: Int, signingTakes time: Duration
    ) async throws -> (outcome: Result<PaymentOutcome, any Error>, requests: [String]) {
        let world = PayWorld(at: 1_800_000_000)
        let router = try world.router(of: try world.provider())
        let wallet = DevelopmentWallet(seed: 7)
        let payer = Payer(
            accounts: wallet.accounts(onChains: [1, 10, 8453]),
            signer: SlowWallet(wallet: wallet, clock: world.clock, time: time), chooser: { $0.options[option].id })
        let payment = await world.sandbox.createPayment(scenario)
        let outcome: Result<PaymentOutcome, any Error>
        do { outcome = .success(try await router.pay(payment.link, as: payer)) } catch { outcome = .failure(error) }
        return (outcome, world.faults.requests.map { String($0.path.split(separator: "/").last ?? "") })
    }

    @Test("A payment that expires while it is signed is not confirmed")
    func aPaymentThatExpiresWhileSigningIsNotConfirmed() async throws {
        let (inTime, requests) = try await Self.pay(.paidAtOnce, option: 0, signingTakes: .seconds(899))
        #expect(try inTime.get().description.hasPrefix("paid"))
        #expect(requests.last == "confirm")
        let (late, fewer) = try await Self.pay(.paidAtOnce, option: 0, signingTakes: .seconds(900))
        #expect(try late.get() == .expired)
        #expect(!fewer.contains("confirm"))
    }

    @Test("What was sent to the chain is reported, however late")
    func whatWasSentToTheChainIsReportedHoweverLate() async throws {
        // The price of the chain's native coin is valid for 300 s.
        let (_, requests) = try await Self.pay(.nativeCoin, option: 0, signingTakes: .seconds(400))
        #expect(requests.contains("confirm"))
    }

    // MARK: Resumption

    @Test("A signer that fails midway leaves the payment open")
    func aSignerThatFailsMidwayLeavesThePaymentOpen() async throws {
        struct NoBattery: Error {}
        let (world, payment) = try await TestWorld.made()
        let isCharged = Mutex(false)
        let flaky = CountingWallet(
            SandboxWallet(world.wallet),
            before: {
                try isCharged.withLock { isCharged in
                    defer { isCharged = true }
                    if !isCharged { throw NoBattery() }
                }
            })
        let payer = Payer(
            accounts: world.wallet.accounts(onChains: [8453]), signer: flaky, policy: .firstWhateverItCosts)
        await #expect(throws: PaymentError.self) { try await world.router.pay(payment.link, as: payer) }
        #expect(world.confirmRequests == 0)
        #expect(try await world.router.pay(payment.link, as: payer).description.hasPrefix("paid"))
        #expect(world.confirmRequests == 1)
    }
}
