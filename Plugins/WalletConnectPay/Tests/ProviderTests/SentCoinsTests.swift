import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import PaymentWallet
import Synchronization
import TestSupport
import Testing
import WalletConnectPaySandbox

@testable import WalletConnectPayKit
@testable import WalletConnectPayProvider

/// Coins that the wallet has sent are spent, whatever status the service reports afterwards.
@Suite struct SentCoinsTests {
    typealias Scenario = WalletConnectPaySandbox.Scenario

    struct Lost: Error {}

    /// Pays with the chain's native coin if it can.
    static func payer(_ wallet: CountingWallet, _ world: TestWorld) -> Payer {
        var payer = SandboxWallet(world.wallet).payer(chooser: { quote in
            let coin = quote.options.first { $0.needs.contains(.signing(method: "eth_sendTransaction")) }
            return (coin ?? quote.options.first)?.id
        })
        payer.signer = wallet
        return payer
    }

    @Test(
        "No refusal is final after coins were sent",
        arguments: [
            Scenario.expiresWhilePaying, .cancelledByUser, .routeExpired, .sanctionedAtConfirm, .failsAfterConfirm,
        ])
    func noRefusalIsFinalAfterThem(_ scenario: Scenario) async throws {
        let (world, payment) = try await TestWorld.made(scenario)
        let wallet = CountingWallet(SandboxWallet(world.wallet))
        for turn in 1...3 {
            let outcome = try await world.router.pay(payment.link, as: Self.payer(wallet, world))
            let unknown = try #require(outcome.unknownOutcome, "turn \(turn): \(outcome)")
            // The payer learns the transaction's hash, and it is never sent again.
            #expect(wallet.sent.count == 1)
            #expect(unknown.message.contains(try #require(wallet.sent.first)), "\(unknown.message)")
            #expect(unknown.message.contains("do not pay again"))
            #expect(await world.journal.unfinished().count == 1)
        }
        let reports = try await world.router.recover(as: Self.payer(wallet, world))
        #expect(reports.map(\.isSettled) == [false])
        #expect(wallet.sent.count == 1)
    }

    @Test("A wallet that dies after sending leaves the payment unknown")
    func aWalletThatDiesAfterSendingLeavesThemUnknown() async throws {
        let (world, payment) = try await TestWorld.made(.nativeCoin)
        let wallet = CountingWallet(SandboxWallet(world.wallet), after: { throw Lost() })
        let payer = Self.payer(wallet, world)
        for pause in [0, 1000, 100_000] as [Int64] {
            world.clock.advance(by: .seconds(pause))
            let outcome = try await world.router.pay(payment.link, as: payer)
            #expect(outcome.isUnknown, "after \(pause) s: \(outcome)")
            #expect(wallet.sent.count == 1)
            #expect(await world.journal.unfinished().count == 1)
        }
    }

    @Test("A service that takes the coins later is believed")
    func aServiceThatTakesThemLaterIsBelieved() async throws {
        let (world, payment) = try await TestWorld.made(.nativeCoin)
        world.faults.inject(.dropBefore) { $1.hasSuffix("/confirm") }
        let wallet = CountingWallet(SandboxWallet(world.wallet))
        let first = try await world.router.pay(payment.link, as: Self.payer(wallet, world))
        #expect(first.isUnknown)
        #expect(await world.journal.unfinished().count == 1)
        #expect(wallet.sent.count == 1)
    }

    @Test("An approval is no payment")
    func anApprovalIsNoPayment() async throws {
        let (world, payment) = try await TestWorld.made(.approvalAndPermit)
        // The payer declines to sign after the approval is on the chain.
        let count = Mutex(0)
        let wallet = CountingWallet(
            SandboxWallet(world.wallet),
            before: {
                guard
                    count.withLock({
                        $0 += 1; return $0
                    }) > 1
                else { return }
                throw PaymentError(.payer, "declined in the wallet")
            })
        _ = try? await world.router.pay(payment.link, as: Self.payer(wallet, world))
        #expect(wallet.sent.count == 1)
        // The service still waits: nothing is reported as paid, and the same attempt resumes without a second approval.
        count.withLock { $0 = -10 }
        let outcome = try await world.router.pay(payment.link, as: Self.payer(wallet, world))
        #expect(outcome.description.hasPrefix("paid"), "\(outcome)")
        #expect(wallet.sent.count == 1)
    }

    // MARK: One payment, however its link is spelt

    static func spellings(_ id: String) -> [String] {
        [
            "https://pay.walletconnect.com/?pid=\(id)", "https://pay.walletconnect.com/\(id)",
            "HTTPS://PAY.walletconnect.com/?pid=\(id)", "http://pay.walletconnect.com/\(id)",
            "https://staging.pay.walletconnect.com/?pid=\(id)",
            "https://pay.walletconnect.com/?pid=pay%5F\(id.dropFirst(4))",
            "https://pay.walletconnect.com//\(id)", "https://pay.walletconnect.com/\(id)/",
            "https://pay.walletconnect.com/?x=1&pid=\(id)", "https://pay.walletconnect.com/\(id)#f", id,
            "https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3D\(id)",
            "wc:abc@2?symKey=x&pay=" + PercentCoding.encode("https://pay.walletconnect.com/?pid=\(id)"),
            "wc:abc@2?symKey=x&pay=" + PercentCoding.encode("https://pay.wct.me/\(id)"), "https://pay.wct.me/\(id)",
            "http://pay.wct.me/\(id)", "https://pay.wct.me/\(id)?a=1", "HTTPS://pay.WCT.me/\(id)",
        ]
    }

    @Test("Every spelling of a link is its payment, or sends nothing")
    func everySpellingIsThePaymentOrSendsNothing() async throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let id = "pay_7fa2ecc1" + SeededRandomSource(seed: seed).hex(26).uppercased()
            let world = try TestWorld(.inProcess)
            for link in Self.spellings(id) {
                guard case .matched(let route) = world.router.route(link), let reference = route.match.reference else {
                    continue
                }
                #expect(reference == id || !PaymentID.isWellFormed(reference), "\(link) is \(reference)")
            }
        }
    }

    @Test("Two spellings of a link send coins once", arguments: 0..<18)
    func twoSpellingsSendOnce(_ index: Int) async throws {
        let (world, payment) = try await TestWorld.made(.nativeCoin)
        let other = Self.spellings(payment.id)[index]
        let wallet = CountingWallet(SandboxWallet(world.wallet))
        // The first one's confirmation is lost, so the service waits for another.
        world.faults.inject(.dropBefore) { $1.hasSuffix("/confirm") }
        for link in [other, payment.link, other] {
            _ = try? await world.router.pay(link, as: Self.payer(wallet, world), acceptingUnverified: true)
        }
        #expect(wallet.sent.count == 1)
        async let first = try? world.router.pay(other, as: Self.payer(wallet, world), acceptingUnverified: true)
        async let second = try? world.router.pay(payment.link, as: Self.payer(wallet, world))
        _ = await (first, second)
        #expect(wallet.sent.count == 1)
    }

    @Test("A short link can be paid with a token, but not with a coin")
    func aShortLinkCanBePaidWithATokenButNotWithACoin() async throws {
        let world = try TestWorld(.inProcess)
        let coin = await world.sandbox.createPayment(.nativeCoin)
        let wallet = CountingWallet(SandboxWallet(world.wallet))
        let error = await failure {
            _ = try await world.router.pay("https://pay.wct.me/\(coin.id)", as: Self.payer(wallet, world))
        }
        #expect(error?.message.contains("the merchant's full link") == true)
        let token = await world.sandbox.createPayment(.paidAtOnce)
        let outcome = try await world.router.pay("https://pay.wct.me/\(token.id)", as: Self.payer(wallet, world))
        #expect(outcome.description.hasPrefix("paid"), "\(outcome)")
        #expect(wallet.sent.isEmpty)
    }

    @Test("The vendor's client hands out no coin to be sent for a short link")
    func theVendorsClientHandsOutNoCoinToBeSentForAShortLink() async throws {
        let world = try TestWorld(.inProcess)
        let client = PayClient(
            configuration: try GatewayConfiguration(credentials: .apiKey(Redacted("key"))),
            transport: SandboxTransport(world.faults), clock: world.clock)
        func actions(_ link: String) async throws -> [Action] {
            let accounts = world.wallet.accounts(onChains: [1, 10, 8453]).map(\.text)
            let response = try await client.getPaymentOptions(paymentLink: link, accounts: accounts)
            let option = try #require(response.options.first)
            return try await client.getRequiredPaymentActions(paymentId: response.paymentId, optionId: option.id)
        }
        let coin = await world.sandbox.createPayment(.nativeCoin)
        #expect(try await actions(coin.link).isEmpty == false)
        await #expect(throws: GetPaymentRequestError.self) { try await actions("https://pay.wct.me/\(coin.id)") }
        // Only the ends distinguish the two payments.
        world.clock.advance(by: .seconds(1))
        let token = await world.sandbox.createPayment(.paidAtOnce)
        #expect(try await actions("https://pay.wct.me/\(token.id)").isEmpty == false)
    }

    @Test("A preview of a coin is not handed out for a short link either")
    func aPreviewOfACoinIsNotHandedOutForAShortLinkEither() async throws {
        let option = Script.coinOption("o", 1000)
        let world = try ClientWorld(["options": [.ok(Script.options([option]))]])
        func preview(_ link: String) async throws -> [Action] {
            let response = try await world.client.getPaymentOptions(paymentLink: link, accounts: [Script.account])
            return try #require(response.options.first).actions
        }
        #expect(try await preview("https://pay.walletconnect.com/pay_1").count == 1)
        #expect(try await preview("https://pay.wct.me/1").isEmpty)
    }

    // MARK: What was stored

    /// A call that sends more coins than any option asks for.
    private static func dearCalls(_ world: TestWorld) -> JSONValue {
        [
            [
                "chain_id": "eip155:8453", "method": "eth_sendTransaction",
                "params": [["from": .string("\(world.wallet.address)"), "to": "0x1", "value": "0xffff"]],
            ]
        ]
    }

    /// Stores an attempt at the first option of `link` as an earlier run left it, with its steps.
    private static func store(
        _ link: String, for payer: Payer, in world: TestWorld, _ events: [JournalEntry.Event]
    ) async throws -> AttemptID {
        let quote = try await world.router.quote(world.router.matched(link), as: payer)
        let coin = quote.options.first { $0.needs.contains(.signing(method: "eth_sendTransaction")) }
        let attempt = PaymentAttempt(
            id: AttemptID(rawValue: "att_stored"), reference: quote.reference,
            option: try #require(coin ?? quote.options.first), idempotencyKey: "k", startedAt: world.clock.now,
            expiresAt: quote.expiresAt)
        let lease = PaymentLease(payment: quote.reference, holder: "crashed", duration: .seconds(1))
        _ = await world.journal.acquire(lease, at: world.clock.now)
        try await world.journal.open(attempt, under: lease)
        for event in [JournalEntry.Event.stepStarted(name: "fetch actions", kind: .query)] + events {
            try await world.journal.append(
                JournalEntry(date: world.clock.now, event: event), to: attempt.id, under: lease)
        }
        await world.journal.release(lease)
        return attempt.id
    }

    /// The journal has no review of the calls by which the wallet sent the coins, and the payment has expired since.
    /// The service is notified of them all the same, and its answer is reported.
    @Test("Coins whose calls have no stored review are confirmed")
    func coinsWithoutReviewAreConfirmed() async throws {
        let (world, payment) = try await TestWorld.made(.nativeCoin)
        let wallet = CountingWallet(SandboxWallet(world.wallet))
        let attempt = try await Self.store(
            payment.link, for: Self.payer(wallet, world), in: world,
            [
                .stepFinished(name: "fetch actions", result: Self.dearCalls(world)),
                .stepStarted(name: "sign 1 of 1", kind: .walletTransfer),
                .stepFinished(name: "sign 1 of 1", result: "0xaa"),
            ])
        world.clock.advance(by: .seconds(100_000))
        let outcome = try await world.router.resume(attempt, as: Self.payer(wallet, world))
        #expect(world.confirmRequests == 1)
        #expect(wallet.sent.isEmpty)
        let unknown = try #require(outcome.unknownOutcome)
        #expect(unknown.message.contains("0xaa"), "\(unknown.message)")
        #expect(await world.journal.unfinished().count == 1)
    }

    /// Stored calls that no longer fit the chosen option are not signed: the payer chooses again.
    @Test("Stored calls that do not fit are chosen anew")
    func storedCallsThatDoNotFitAreChosenAnew() async throws {
        let (world, payment) = try await TestWorld.made(.paidAtOnce)
        let wallet = CountingWallet(SandboxWallet(world.wallet))
        let payer = Self.payer(wallet, world)
        let attempt = try await Self.store(
            payment.link, for: payer, in: world, [.stepFinished(name: "fetch actions", result: Self.dearCalls(world))])
        let error = await failure { _ = try await world.router.resume(attempt, as: payer) }
        #expect(error?.code == .optionChanged && error?.phase == .beforeSend)
        #expect(wallet.sent.isEmpty)
        let outcome = try await world.router.pay(payment.link, as: payer)
        #expect(outcome.description.hasPrefix("paid"), "\(outcome)")
    }

    // MARK: The authoritative status

    @Test("A clock that is ahead is not believed against the service")
    func aClockAheadIsNotBelieved() async throws {
        let (world, payment) = try await TestWorld.made(.paidAtOnce)
        // Another device pays while this payer decides; then this one's payment expires.
        let other = try world.router(
            of: world.service, over: SandboxTransport(world.sandbox), journal: InMemoryJournal(), seed: 8)
        let wallet = CountingWallet(
            SandboxWallet(world.wallet),
            before: {
                _ = try await other.pay(payment.link, as: SandboxWallet(DevelopmentWallet(seed: 8)).payer())
                world.clock.advance(by: .seconds(1000))
            })
        let outcome = try await world.router.pay(payment.link, as: Self.payer(wallet, world))
        #expect(!outcome.description.hasPrefix("expired"), "\(outcome)")
        #expect(await world.sandbox.ledger.captures(of: payment.id) == 1)
    }
}
