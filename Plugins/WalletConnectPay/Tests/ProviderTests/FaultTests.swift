import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentTesting
import PaymentTransport
import TestSupport
import Testing
import WalletConnectPayProvider
import WalletConnectPaySandbox

/// With any fault of the service or the network: a clear end, never a second confirmation, never a false success.
@Suite struct FaultTests {
    static let faults: [(String, FaultInjector.Fault)] = [
        ("500", .status(500, body: "{}")), ("503", .status(503)), ("400 without a body", .status(400)),
        ("204", .status(204)), ("garbage", .garbage), ("100 MB", .hugeBody(bytes: 100 << 20)),
        ("redirect", .redirect(to: "http://127.0.0.1:1/elsewhere")), ("stall", .stall(nil)),
        ("drop before", .dropBefore), ("drop after", .dropAfter),
        ("unknown status", .status(200, body: #"{"status":"reversed","isFinal":false}"#)),
    ]

    @Test("Every fault ends clearly", arguments: ["options", "fetch", "confirm", "status"], faults)
    func everyFaultEndsClearly(_ verb: String, _ fault: (name: String, kind: FaultInjector.Fault)) async throws {
        let world = try TestWorld(.loopback, requestTimeout: .milliseconds(400))
        let payment = await world.sandbox.createPayment(.paidAfterPolling)
        world.faults.inject(fault.kind, times: 50) { $1.hasSuffix("/" + verb) }
        defer { world.faults.release() }

        // The third option is the one that has to be fetched.
        let payer = world.payer { $0.options[verb == "fetch" ? 2 : 0].id }
        let ending: Result<PaymentOutcome, any Error>
        do { ending = .success(try await world.router.pay(payment.link, as: payer)) } catch { ending = .failure(error) }

        let captures = await world.sandbox.ledger.captures(of: payment.id)
        #expect(world.confirmRequests <= 1)
        #expect(captures <= 1)
        switch ending {
        case .success(.succeeded): #expect(captures == 1)
        case .success(.pending): #expect(captures == 0 && verb == "confirm")
        case .success(.unknown(let unknown)): #expect(unknown.reference.id == payment.id && !unknown.message.isEmpty)
        case .success(let other): Issue.record("\(verb), \(fault.name): \(other)")
        case .failure(let error):
            let error = try #require(error as? PaymentError)
            #expect(captures == 0)
            #expect(error.phase != .maybeSent)
            #expect(!error.message.isEmpty)
        }
        if verb == "options" || verb == "fetch" { #expect(world.confirmRequests == 0) }
    }

    @Test("A lost answer is settled by the status")
    func aLostAnswerIsSettledByStatus() async throws {
        let (world, payment) = try await TestWorld.made(.paidAfterPolling, on: .loopback)
        world.faults.inject(.dropAfter) { $1.hasSuffix("/confirm") }
        let outcome = try await world.router.pay(payment.link, as: world.payer())
        #expect(outcome.description.hasPrefix("paid"), "\(outcome)")
        #expect(world.confirmRequests == 1)
    }

    @Test("A confirmation that never arrived stays unknown and is not repeated")
    func aConfirmationThatNeverArrivedStaysUnknownAndIsNotRepeated() async throws {
        let (world, payment) = try await TestWorld.made(on: .loopback)
        world.faults.inject(.dropBefore) { $1.hasSuffix("/confirm") }
        for _ in 0..<2 {
            #expect(
                try await world.router.pay(payment.link, as: world.payer()).isUnknown, "the outcome cannot be known")
            #expect(world.confirmRequests == 1)
        }
    }

    /// The service answers 200 with an unreadable body: it may have taken the money.
    @Test(
        "An unreadable answer to the confirmation is unknown, and nothing is repeated",
        arguments: ["", "<html>", "[]", "{}", #"{"status":7}"#, #"{"status":"succeeded""#])
    func anUnreadableAnswerToTheConfirmationIsUnknownAndIsNotRepeated(_ body: String) async throws {
        let (world, payment) = try await TestWorld.made()
        world.faults.inject(.status(200, body: body)) { $1.hasSuffix("/confirm") }
        for _ in 0..<2 {
            #expect(
                try await world.router.pay(payment.link, as: world.payer()).isUnknown, "the outcome cannot be known")
            #expect(world.confirmRequests == 1)
        }
        #expect(await world.journal.unfinished().map(\.mayHaveMovedMoney) == [true])
    }

    @Test("After an outage the first attempt is finished")
    func afterAnOutageTheFirstAttemptIsFinished() async throws {
        let (world, payment) = try await TestWorld.made(.paidAfterPolling, on: .loopback)
        world.faults.inject(.status(503), times: 100) { $1.hasSuffix("/status") }
        #expect(try await world.router.pay(payment.link, as: world.payer()).isUnknown, "the status cannot be known")
        // A new injector over the same sandbox: the service works again, and the journal has the attempt.
        let server = try LoopbackServer(world.sandbox)
        defer { server.stop() }
        let router = PaymentRouter(
            registry: try ProviderRegistry([
                WalletConnectPayProvider(
                    configuration: try GatewayConfiguration(
                        credentials: .apiKey(Redacted("key")), baseURL: server.baseURL.text))
            ]), transport: PlatformTransport(), journal: world.journal, clock: VirtualClock())
        let outcome = try await router.pay(payment.link, as: world.payer())
        #expect(outcome.description.hasPrefix("paid"), "\(outcome)")
        #expect(await world.sandbox.ledger.confirmRequests(of: payment.id) == 1)
    }

    @Test("A service that dies in the middle of a payment leaves it unknown")
    func killingTheServiceMidPaymentIsUnknown() async throws {
        let (world, payment) = try await TestWorld.made(on: .loopback)
        world.faults.inject(.stall(nil)) { $1.hasSuffix("/confirm") }
        let paying = Task { try await world.router.pay(payment.link, as: world.payer()) }
        while world.faults.stalledCount == 0 { await Task.yield() }
        world.server?.stop()
        world.faults.release()
        let unknown = try #require(try await paying.value.unknownOutcome, "the service is gone")
        #expect(unknown.reference.id == payment.id)
        #expect(world.confirmRequests == 1)
    }

    @Test("Cancelling after the confirmation left leaves the payment unknown")
    func cancellingAfterTheConfirmationLeftIsUnknown() async throws {
        let (world, payment) = try await TestWorld.made(on: .loopback)
        world.faults.inject(.stall(nil)) { $1.hasSuffix("/confirm") }
        let paying = Task { try await world.router.pay(payment.link, as: world.payer()) }
        while world.faults.stalledCount == 0 { await Task.yield() }
        paying.cancel()
        let outcome = try await paying.value
        world.faults.release()
        #expect(outcome.isUnknown)
    }

    @Test("Redirects carry nothing elsewhere")
    func redirectsCarryNothingElsewhere() async throws {
        let elsewhere = FaultInjector(WalletConnectPaySandbox())
        let other = try LoopbackServer(elsewhere)
        defer { other.stop() }
        for verb in ["options", "confirm", "status"] {
            let (world, payment) = try await TestWorld.made(.paidAfterPolling, on: .loopback)
            world.faults.inject(.redirect(to: other.baseURL.text), times: 50) { $1.hasSuffix("/" + verb) }
            _ = try? await world.router.pay(payment.link, as: world.payer())
        }
        #expect(elsewhere.requests.isEmpty)
    }
}
