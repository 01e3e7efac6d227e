import PaymentCore
import PaymentRouting
import PaymentTesting
import PaymentWallet
import Testing
import WalletConnectPayProvider
import WalletConnectPaySandbox

/// One payment, without other faults, that dies at each of its input and output operations in turn.
@Suite("Crashes everywhere")
struct CrashTests {
    enum Service: Sendable, CaseIterable { case walletConnectPay, keyed }

    struct Case: Sendable, CustomTestStringConvertible {
        let service: Service
        let cause: SimulatedCrash
        var testDescription: String { "\(service), \(cause)" }
    }

    private static let cases = Service.allCases.flatMap { service in
        [
            SimulatedCrash.process, .machine(.clean), .machine(.torn), .machine(.lostTail), .machine(.cut(17)),
        ].map { Case(service: service, cause: $0) }
    }

    @Test("A crash at every operation leads to one capture after the next start", arguments: cases)
    func everyOperation(subject: Case) throws {
        var index = 0
        while true {
            let crashed = try Payment(subject.service, seed: UInt64(index)).isDead(at: index, by: subject.cause)
            guard crashed else { break }
            index += 1
            try #require(index < 200, "a payment has a bounded number of operations")
        }
        #expect(index > 15, "only \(index) operations were tried")
    }

    @Test(
        "Wherever the bytes end that reached the disk when the power fails, the payment is made once",
        arguments: Service.allCases)
    func everyByte(service: Service) throws {
        // The operation at which the most bytes are at risk, and how many.
        var most = (operation: 0, bytes: 0)
        for operation in 0..<200 {
            let payment = try Payment(service, seed: 1)
            var bytes = 0
            guard try payment.isDead(at: operation, by: .process, before: { bytes = payment.world.disk.bytesAtRisk })
            else { break }
            if bytes > most.bytes { most = (operation, bytes) }
        }
        try #require(most.bytes > 100)
        // Each takes a while if answers of the service are at risk, too.
        for byte in stride(from: 0, through: most.bytes, by: service == .keyed ? 1 : 13) {
            #expect(try Payment(service, seed: 1).isDead(at: most.operation, by: .machine(.cut(byte))))
        }
    }
}

/// A payment that is interrupted and then resumed.
private struct Payment {
    let world: SimulatedWorld
    private let service: CrashTests.Service

    init(_ service: CrashTests.Service, seed: UInt64) throws {
        self.service = service
        world = SimulatedWorld(seed: seed)
    }

    /// Pays in a process that dies at operation `index`, then in another one, and checks that it is paid once.
    /// - Parameter observe: called after the first process has ended.
    /// - Returns: true if the first process died.
    /// - Returns: whether the first process died.
    func isDead(at index: Int, by cause: SimulatedCrash, before observe: () -> Void = {}) throws -> Bool {
        defer { world.end() }
        let (clock, random) = (world.clock, world.random)
        let sandbox = WalletConnectPaySandbox(clock: clock, random: random)
        let keyed = KeyedService(clock: clock)
        world.connect(sandbox, to: "api.pay.walletconnect.com")
        world.connect(keyed, to: KeyedService.host)
        let gateway = try GatewayConfiguration(credentials: .apiKey(Redacted("key")))
        let registry = try ProviderRegistry([WalletConnectPayProvider(configuration: gateway), KeyedProvider()])
        let payer = DevelopmentWallet(seed: 7).payer(policy: .firstWhateverItCosts)
        let (world, service) = (world, service)
        let first = world.start(crashingAt: index, by: cause)
        let (link, id) = try world.run {
            let payment: (String, String)
            switch service {
            case .walletConnectPay:
                let made = await sandbox.createPayment(.paidAfterPolling)
                payment = (made.link, made.id)
            case .keyed: payment = (await keyed.createPayment("p1", .paidAfterPolling), "p1")
            }
            _ = try? await first.router(registry).pay(payment.0, as: payer)
            return payment
        }
        observe()
        let died = first.isDead
        first.crash()
        let (outcome, captures) = try world.run {
            let router = world.start().router(registry)
            var outcome: PaymentOutcome?
            // An attempt whose request was cut off is settled when the payment expires.
            for _ in 0..<30 {
                outcome = try await router.pay(link, as: payer)
                if outcome?.isFinal == true { break }
                try await world.clock.sleep(for: .seconds(60))
            }
            let captures =
                service == .keyed ? await keyed.captures(of: id) : await sandbox.ledger.captures(of: id)
            return (outcome, captures)
        }
        let place = "operation \(index), \(cause)"
        switch outcome {
        case .succeeded: #expect(captures == 1, "\(place)")
        case .expired: #expect(captures == 0, "\(place)")
        default: Issue.record("\(place): \(outcome?.description ?? "none")")
        }
        #expect(JournalRules.breaches(in: world.disk.histories) == [], "\(place)")
        return died
    }
}
