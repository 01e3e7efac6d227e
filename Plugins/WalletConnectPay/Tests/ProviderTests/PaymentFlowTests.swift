import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import PaymentWallet
import Synchronization
import TestSupport
import Testing
import WalletConnectPayProvider
import WalletConnectPaySandbox

/// Whole payments against the sandbox, in process and over loopback HTTP.
@Suite struct PaymentFlowTests {
    typealias Scenario = WalletConnectPaySandbox.Scenario

    /// The beginning of an outcome's description; nil for an error.
    static func words(_ outcome: Scenario.Outcome) -> String? {
        switch outcome {
        case .error: nil
        default: outcome.rawValue
        }
    }

    @Test("Each scenario ends as it should", arguments: Wire.allCases, Scenario.allCases)
    func endsEachScenarioAsItShould(_ wire: Wire, _ scenario: Scenario) async throws {
        let (world, payment) = try await TestWorld.made(scenario, on: wire)
        let payer = SandboxWallet(world.wallet).payer()
        do {
            let outcome = try await world.router.pay(payment.link, as: payer)
            #expect(outcome.description.hasPrefix(Self.words(scenario.statedOutcome) ?? "an error"), "\(outcome)")
        } catch {
            #expect(Self.words(scenario.statedOutcome) == nil, "\(error)")
        }
        if scenario.statedOutcome != scenario.expectedOutcome {
            // No signature of a review is good for longer. What was refused may have expired by then.
            world.clock.advance(by: .seconds(86_400))
            let outcome = try await world.router.pay(payment.link, as: payer)
            #expect(
                outcome == .expired || outcome.description.hasPrefix(scenario.expectedOutcome.rawValue), "\(outcome)")
            #expect(await world.journal.unfinished().isEmpty)
        }
        #expect(await world.sandbox.ledger.captures(of: payment.id) <= 1)
        #expect(world.confirmRequests <= 1)
    }

    @Test(
        "A wallet that lacks a method is reported by name", arguments: Scenario.allCases.filter { !$0.demands.isEmpty })
    func aWalletThatCannotIsTold(_ scenario: Scenario) async throws {
        let (world, payment) = try await TestWorld.made(scenario)
        let outcome = try await world.router.pay(payment.link, as: world.wallet.payer())
        let reason = try #require(outcome.declineReason)
        #expect(reason.code == .noUsableOption)
        #expect(world.confirmRequests == 0)
    }

    @Test("The receipt states what was paid")
    func statesWhatWasPaid() async throws {
        let world = try TestWorld(.inProcess)
        let payment = await world.sandbox.createPayment(.paidAfterPolling, cents: 1999)
        let receipt = try #require(try await world.router.pay(payment.link, as: world.payer()).receipt, "not paid")
        #expect(receipt.reference == PaymentReference(provider: WalletConnectPayProvider.id, id: payment.id))
        #expect(receipt.amount?.decimalText == "19.990000")
        #expect(receipt.transactionID?.count == 66)
    }

    @Test("The quote has what the payer can do")
    func quotesWhatThePayerCanDo() async throws {
        let world = try TestWorld(.inProcess)
        let payment = await world.sandbox.createPayment(cents: 1250, merchant: "Café Ö")
        let quote = try await world.router.quote(world.router.matched(payment.link), as: world.payer())
        #expect(quote.payee.name == "Café Ö")
        #expect(quote.amount?.description == "12.50 USD")
        #expect(
            quote.options.map(\.title) == ["USDC on Base", "USDT on Ethereum", "PYUSD on Ethereum", "ETH on Optimism"])
        // The development wallet sends no transactions, so the native coin is shown but cannot be chosen.
        #expect(quote.options.map(\.unmet.isEmpty) == [true, true, true, false])
        await #expect(throws: PaymentError.self) {
            try await world.router.pay(quote, option: quote.options[3].id, as: world.payer())
        }
        #expect(world.confirmRequests == 0)
    }

    @Test("Each kind of option pays once", arguments: Wire.allCases, [0, 1, 2])
    func paysWithEachSignature(_ wire: Wire, _ index: Int) async throws {
        let (world, payment) = try await TestWorld.made(on: wire)
        let outcome = try await world.router.pay(payment.link, as: world.payer { $0.options[index].id })
        #expect(outcome.description.hasPrefix("paid"), "\(outcome)")
        #expect(await world.sandbox.ledger.captures(of: payment.id) == 1)
    }

    @Test("Nothing happens when the payer declines")
    func nothingHappensWhenThePayerDeclines() async throws {
        let (world, payment) = try await TestWorld.made(on: .loopback)
        #expect(try await world.router.pay(payment.link, as: world.payer { _ in nil }) == .cancelled)
        #expect(await world.sandbox.ledger.events(of: payment.id) == [.created])
    }

    @Test("Every form of the link is paid")
    func paysEveryFormOfTheLink() async throws {
        let world = try TestWorld(.inProcess)
        let forms: [@Sendable (String) -> String] = [
            { "https://pay.walletconnect.com/\($0)" },
            { "HTTPS://PAY.WALLETCONNECT.COM/?pid=\($0)" },
            { PercentCoding.encode("https://pay.walletconnect.com/?pid=\($0)") },
            { "wc:abc@2?symKey=x&pay=" + PercentCoding.encode("https://pay.walletconnect.com/?pid=\($0)") },
            { "https://pay.wct.me/\($0)" },
        ]
        for form in forms {
            let payment = await world.sandbox.createPayment()
            let outcome = try await world.router.pay(form(payment.id), as: world.payer())
            #expect(outcome.description.hasPrefix("paid"), "\(form(payment.id)): \(outcome)")
        }
    }

    @Test("Unverified links need consent")
    func unverifiedLinksNeedConsent() async throws {
        let (world, payment) = try await TestWorld.made()
        #expect(await failure { _ = try await world.router.pay(payment.id, as: world.payer()) }?.code == .untrustedLink)
        #expect(world.faults.requests.isEmpty)
        let outcome = try await world.router.pay(payment.id, as: world.payer(), acceptingUnverified: true)
        #expect(outcome.description.hasPrefix("paid"))
    }

    @Test("Payments of one link at once are one", arguments: Wire.allCases)
    func twoPaymentsAtOnceAreOne(_ wire: Wire) async throws {
        let (world, payment) = try await TestWorld.made(.paidAfterPolling, on: wire)
        let outcomes = try await withThrowingTaskGroup(of: PaymentOutcome.self) { group in
            for _ in 0..<8 { group.addTask { try await world.router.pay(payment.link, as: world.payer()) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(outcomes.count == 1)
        #expect(world.confirmRequests == 1)
        // And once more, after the end.
        #expect(outcomes.contains(try await world.router.pay(payment.link, as: world.payer())))
        #expect(world.confirmRequests == 1)
    }

    @Test("Both kinds of credentials are spoken")
    func speaksBothKindsOfCredentials() async throws {
        for credentials in [
            GatewayConfiguration.Credentials.apiKey(Redacted("k")), .app(id: Redacted("a"), clientID: "c"),
        ] {
            let world = try TestWorld(.loopback, credentials: credentials)
            let payment = await world.sandbox.createPayment()
            #expect(try await world.router.pay(payment.link, as: world.payer()).description.hasPrefix("paid"))
        }
        let world = try TestWorld(.loopback, credentials: .app(id: Redacted("a"), clientID: ""))
        let payment = await world.sandbox.createPayment()
        #expect(
            await failure { _ = try await world.router.pay(payment.link, as: world.payer()) }?.code == .unauthorized)
    }

    @Test("Unknown payments, and payers without means, are reported as such")
    func unknownPaymentsAndPayersWithoutMeans() async throws {
        let world = try TestWorld(.inProcess)
        #expect(
            await failure {
                _ = try await world.router.pay("https://pay.walletconnect.com/pay_nothing", as: world.payer())
            }?.code == .notFound)
        let payment = await world.sandbox.createPayment()
        #expect(await failure { _ = try await world.router.pay(payment.link, as: Payer()) }?.code == .payer)
        let watching = Payer(accounts: world.wallet.accounts(onChains: [8453]))
        let outcome = try await world.router.pay(payment.link, as: watching)
        #expect(outcome.description.hasPrefix("declined: every option needs something"), "\(outcome)")
    }

    @Test("A failing or foreign signer pays nothing")
    func aFailingOrForeignSignerPaysNothing() async throws {
        struct Broken: PaymentSigner {
            struct NoBattery: Error {}
            func supports(method: String) -> Bool { true }
            func sign(_ request: SigningRequest) async throws -> String { throw NoBattery() }
        }
        struct Foreign: PaymentSigner {
            func supports(method: String) -> Bool { true }
            func sign(_ request: SigningRequest) async throws -> String {
                try DevelopmentWallet(seed: 8).signTypedData(request.parameters[1] ?? .null)
            }
        }
        let world = try TestWorld(.inProcess)
        let payments = (await world.sandbox.createPayment(), await world.sandbox.createPayment())
        func payer(_ signer: some PaymentSigner) -> Payer {
            Payer(accounts: world.wallet.accounts(onChains: [8453]), signer: signer, policy: .firstWhateverItCosts)
        }
        #expect(await failure { _ = try await world.router.pay(payments.0.link, as: payer(Broken())) }?.code == .payer)
        // Nothing was signed: a working wallet pays it.
        #expect(try await world.router.pay(payments.0.link, as: world.payer()).description.hasPrefix("paid"))
        // What was signed might be another payer's money.
        for payer in [payer(Foreign()), world.payer()] {
            let outcome = try await world.router.pay(payments.1.link, as: payer)
            #expect(
                outcome.description.hasPrefix("unknown: the service has the payer's signature, which pays until 2"),
                "\(outcome)")
        }
        #expect(await world.sandbox.ledger.captures(of: payments.1.id) == 0)
    }

    @Test("No secret is logged")
    func noSecretIsLogged() async throws {
        let lines = Mutex<[String]>([])
        let world = try TestWorld(
            .loopback, credentials: .apiKey(Redacted("canary-api-key")),
            log: PaymentLog { event in lines.withLock { $0.append("\(event)") } })
        let payment = await world.sandbox.createPayment(.paidAfterPolling)
        let link = "wc:abc@2?symKey=canary-sym-key&pay=" + PercentCoding.encode(payment.link)
        _ = try await world.router.pay(link, as: world.payer())
        let histories = await world.journal.histories(
            of: PaymentReference(provider: WalletConnectPayProvider.id, id: payment.id))
        var journal = ""
        dump(histories, to: &journal)
        journal += try JSONValue.encode(histories[0].attempt).text
        let everything = lines.withLock { $0.joined(separator: "\n") } + journal
        #expect(everything.contains("confirm"))
        #expect(!everything.contains("canary"))
    }
}

extension TestWorld {
    /// A world with a payment.
    static func made(
        _ scenario: WalletConnectPaySandbox.Scenario = .paidAtOnce, on wire: Wire = .inProcess
    ) async throws -> (TestWorld, WalletConnectPaySandbox.Payment) {
        let world = try TestWorld(wire)
        return (world, await world.sandbox.createPayment(scenario))
    }
}
