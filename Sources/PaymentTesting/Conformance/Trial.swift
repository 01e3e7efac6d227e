import PaymentCore
import PaymentRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One case at a watched provider or service in its own world.
struct Trial: Sendable {
    /// The case.
    enum ProbeCase: String, Sendable, CaseIterable {
        /// The payer pays.
        case payment
        /// The merchant captures a part of an authorised payment.
        case capture
        /// The merchant refunds a part of a paid payment.
        case refund
        /// The merchant cancels an unpaid payment.
        case cancellation
    }

    let subject: ProbeSubject
    var probeCase = ProbeCase.payment
    var behaviour = ProbeSubject.Behaviour.payable
    /// The answer to spoil.
    var spoiling: (index: Int, mutation: Mutation)?
    /// Changes every answer from the one of this number on.
    var distortion: (from: Int, change: @Sendable (HTTPResponse) -> HTTPResponse)?
    /// Answers every request from the one of this number on, without carrying it out, until another process continues.
    var refusal: (from: Int, answer: HTTPResponse)?
    /// The number of a request that arrives twice; only the second answer comes back.
    var doubled: Int?
    /// The request before or after which the payer pays by other means.
    var race: (index: Int, isAfter: Bool)?
    /// The operation at which the process dies.
    var crash: Int?
    /// The moment at which the payment is cancelled.
    var cancellation: Int?
    /// True if a new process repeats the case until its outcome is final.
    var goesOn = false
    /// The seed of chance and of the order of tasks.
    var seed: UInt64 = 1
    /// Returns the refund that is requested, or the capture by its payment and amount.
    var asking: @Sendable (ProbeSubject.Backend) throws -> RefundRequest = { try $0.part() }
    /// Returns the payment that is to be cancelled.
    var target: @Sendable (ProbeSubject.Backend) -> PaymentReference = \.payment.reference
    /// Acts after the first process has ended, before another one resumes. Returns the defects.
    var afterwards: @Sendable (ProbeContext, Ending) async throws -> [String] = { _, _ in [] }

    typealias Ending = Swift.Result<PaymentOutcome, PaymentError>

    /// The world of a trial.
    struct ProbeContext: Sendable {
        let trial: Trial
        let world: SimulatedWorld
        let backend: ProbeSubject.Backend
        let observation: Observation

        func router(of process: SimulatedProcess) throws -> PaymentRouter {
            process.router(
                try ProviderRegistry([observation.watching(backend.service)]),
                log: PaymentLog { observation.note($0) }
            ) { transport, journal in
                let network = SpoilingTransport(
                    base: transport, observation: observation, spoiling: trial.spoiling, distortion: trial.distortion,
                    refusal: trial.refusal, doubled: trial.doubled,
                    meanwhile: trial.race.map { race in
                        (race.index, race.isAfter, { await backend.payment.pay() })
                    })
                return (network, journal)
            }
        }

        /// Runs the case, once, in its own task: it may be cancelled.
        func ask(_ router: PaymentRouter) async throws -> Ending {
            let work = try trial.work(backend)
            let task = Task(executorPreference: world.executor) { () async throws -> Ending in
                do { return .success(try await work(router)) } catch let error as PaymentError {
                    return .failure(error)
                }
            }
            return try await task.value
        }

        var ledger: ProbeLedger {
            get async {
                let truth = await backend.payment.truth()
                return ProbeLedger(
                    captures: truth.taken, collected: truth.captured, given: truth.refunded,
                    cancellations: truth.cancellations)
            }
        }
    }

    struct Result: Sendable {
        let probeCase: ProbeCase
        let observation: Observation
        /// The requested refund, or the capture by its payment and amount.
        let asked: RefundRequest?
        /// The results in the first process, and in the last one.
        let first: Ending
        let last: Ending
        /// The service's records when the first process ended, and in the end.
        let before: ProbeLedger
        let after: ProbeLedger
        /// The findings of ``Trial/afterwards``.
        let findings: [String]
        let histories: [AttemptHistory]
        let hasDied: Bool
        /// Virtual seconds.
        let elapsed: Double
    }

    /// Runs the trial. Returns nil when the subject has no backend of this behaviour, or one without this case.
    func run() throws -> Result? {
        let world = SimulatedWorld(seed: seed)
        defer { world.end() }
        let observation = Observation(cancellation: cancellation)
        return try world.run {
            guard let backend = try await subject.makeBackend(behaviour, in: world),
                subject.probeCases(in: backend).contains(probeCase)
            else { return nil }
            if probeCase == .refund { await backend.payment.pay() }
            if probeCase == .capture { await backend.payment.authorize() }
            let probeContext = ProbeContext(trial: self, world: world, backend: backend, observation: observation)
            let process = world.start(crashingAt: crash)
            let start = world.elapsed
            let first = try await probeContext.ask(try probeContext.router(of: process))
            let elapsed = world.elapsed - start
            let hasDied = process.isDead
            let before = await probeContext.ledger
            process.crash()
            let findings = try await afterwards(probeContext, first)
            observation.endRefusals()
            var last = first
            if goesOn {
                let next = try probeContext.router(of: world.start())
                for turn in 0..<40 {
                    last = try await probeContext.ask(next)
                    if case .success(let outcome) = last, outcome.isFinal { break }
                    if turn < 39 { try await world.clock.sleep(for: .seconds(60)) }
                }
            }
            let isMerchants = probeCase == .refund || probeCase == .capture
            return Result(
                probeCase: probeCase, observation: observation,
                asked: isMerchants ? try asking(backend) : nil, first: first, last: last,
                before: before, after: await probeContext.ledger, findings: findings, histories: world.disk.histories,
                hasDied: hasDied, elapsed: elapsed)
        }
    }

    /// Returns the work for a router.
    private func work(
        _ backend: ProbeSubject.Backend
    ) throws -> @Sendable (PaymentRouter) async throws -> PaymentOutcome {
        switch probeCase {
        case .payment:
            guard let link = backend.link else { throw SkipError(reason: "the payment has no link") }
            return { try await $0.pay(link, as: backend.payer, acceptingUnverified: true) }
        case .capture:
            return { [part = try asking(backend)] in
                try await $0.capture(CaptureRequest(of: part.payment, amount: part.amount))
            }
        case .refund: return { [request = try asking(backend)] in try await $0.refund(request) }
        case .cancellation: return { [payment = target(backend)] in try await $0.cancel(payment) }
        }
    }
}

// MARK: - Subject

/// One service of a vendor, as it is probed: in each world another vendor is opened.
struct ProbeSubject: Sendable {
    typealias Open = @Sendable (any PaymentClock, any RandomSource) throws -> any SimulatedVendor

    /// The vendor of one world, with a payment at it.
    struct Backend: Sendable {
        let service: any PaymentService
        let payer: Payer
        let payment: any SimulatedPayment

        /// The text that leads to the payment; nil if payers do not pay it by one, or pay at another service.
        var link: String? { service is any PaymentProvider ? payment.links.first : nil }

        var refundsOnce: Bool { (service as? any RefundingService)?.refundsOnce ?? false }

        /// Returns the refund of a part, with an amount that no other has; of the whole if parts are impossible.
        func part(_ id: String = "conformance-7") throws -> RefundRequest {
            let price = try price
            if refundsOnce { return RefundRequest(of: payment.reference, amount: price, id: id) }
            let third = try price.with(minorUnits: max(1, price.minorUnits / 3))
            return RefundRequest(of: payment.reference, amount: third, id: id)
        }

        var price: Money {
            get throws {
                guard let price = payment.price else { throw SkipError(reason: "the payment has no known price") }
                return price
            }
        }
    }

    /// The behaviour of the probed payment.
    enum Behaviour: Sendable, Hashable {
        /// It can be paid, and settles.
        case payable
        /// Once paid, it stays in progress permanently.
        case neverSettles
    }

    let open: Open
    /// The service's place among the vendor's.
    let index: Int
    /// The name of the usual scenario; nil for the vendor's own.
    let scenario: String?
    /// The service, in no world: for its statements about itself and about links.
    let service: any PaymentService
    /// The capabilities of all services of the vendor together, meant and real.
    let capabilities: (meant: Set<ProviderDescriptor.Capability>, real: [ProviderDescriptor.Capability])
    let secrets: [String]

    /// Returns a subject for each service of a vendor.
    static func all(paying scenario: String?, _ open: @escaping Open) throws -> [ProbeSubject] {
        let world = SimulatedWorld(seed: 1)
        defer { world.end() }
        let vendor = try open(world.clock, world.random)
        let real = vendor.services.flatMap { ProviderDescriptor.capabilities(of: $0) }
        return vendor.services.enumerated().map { index, service in
            ProbeSubject(
                open: open, index: index, scenario: scenario, service: service,
                capabilities: (vendor.capabilities, real), secrets: vendor.secrets)
        }
    }

    /// The service as a provider; nil for a merchant's service.
    var provider: (any PaymentProvider)? { service as? any PaymentProvider }

    /// Opens the vendor in a world, and makes a payment there; nil when there is none of this behaviour.
    func makeBackend(_ behaviour: Behaviour, in world: SimulatedWorld) async throws -> Backend? {
        let vendor = try open(world.clock, world.random)
        guard let scenario = usual(behaviour, among: vendor.scenarios) else { return nil }
        let payment = try await vendor.makePayment(scenario, over: nil)
        for (host, service) in vendor.hosts { world.connect(service, to: host) }
        var payer = vendor.payer
        if payer.chooser == nil, payer.policy == nil { payer.policy = .firstWhateverItCosts }
        return Backend(service: vendor.services[index], payer: payer, payment: payment)
    }

    private func usual(_ behaviour: Behaviour, among scenarios: [SimulatedScenario]) -> SimulatedScenario? {
        func first(_ ending: SimulatedScenario.Ending) -> SimulatedScenario? { scenarios.first { $0.ending == ending } }
        guard behaviour == .payable else { return provider == nil ? nil : first(.open) }
        // A merchant's service that captures needs what it can capture.
        if provider == nil, service is any CapturingService, let authorized = first(.authorized) { return authorized }
        // Which one is paid is the payer's matter.
        guard provider != nil, let scenario else { return first(.paid) }
        return scenarios.first { $0.name == scenario }
    }

    /// Returns the cases that can be tried with `backend`.
    func probeCases(in backend: Backend) -> [Trial.ProbeCase] {
        Trial.ProbeCase.allCases.filter { probeCase in
            switch probeCase {
            case .payment: backend.link != nil
            case .capture: service is any CapturingService && backend.payment.price != nil
            case .refund: service is any RefundingService && backend.payment.price != nil
            case .cancellation: service is any CancellingService && backend.payment.price != nil
            }
        }
    }
}

/// The reason why a probe cannot be made.
struct SkipError: Error { let reason: String }

extension Money {
    /// Returns another amount in the same currency.
    func with(minorUnits: UInt128) throws -> Money {
        try Money(minorUnits: minorUnits, currency: currency, exponent: exponent)
    }
}

// MARK: - Judgement

/// The service's records of the payment: the truth that reported outcomes are compared with.
struct ProbeLedger: Sendable, Hashable {
    /// The amount of each capture.
    let captures: [UInt128?]
    /// The amount of each capture by the merchant.
    let collected: [UInt128]
    /// The amount of each refund.
    let given: [UInt128]
    /// The number of times that the payment was cancelled.
    let cancellations: Int
}

extension Trial.Result {
    /// The false statements about the result, by the service's own records.
    var falseStatements: [String] {
        switch probeCase {
        case .payment: falsePaymentStatements
        case .capture: falseStatements(about: \.collected, "captured")
        case .refund: falseStatements(about: \.given, "refunded")
        case .cancellation: falseCancellationStatements
        }
    }

    private var endings: [(ending: Trial.Ending, ledger: ProbeLedger)] { [(first, before), (last, after)] }

    private var falsePaymentStatements: [String] {
        var falseStatements: [String] = []
        if after.captures.count > 1 { falseStatements.append("money was taken \(after.captures.count) times") }
        for (ending, ledger) in endings {
            let captures = ledger.captures
            switch ending {
            case .success(.succeeded(let receipt)):
                if captures.isEmpty { falseStatements.append("it is called paid, but no money was taken") }
                let agreed = observation.agreed?.minorUnits
                if let agreed, let taken = captures.first ?? nil, taken != agreed {
                    falseStatements.append("another amount was taken than was agreed")
                }
                if let told = receipt.amount?.minorUnits, let taken = captures.first ?? nil, told != taken {
                    falseStatements.append("the receipt states another amount than was taken")
                }
            case .success(let outcome) where outcome.saysPaidElsewhere:
                if captures.isEmpty { falseStatements.append("it is called paid before, but no money was taken") }
            case .success(let outcome) where outcome.isFinal:
                if !captures.isEmpty { falseStatements.append("it is called \(outcome), but money was taken") }
            case .success: break
            case .failure(let error):
                falseStatements += Self.denial(error, isDone: !captures.isEmpty, "money was taken")
            }
        }
        return falseStatements
    }

    private func falseStatements(about movements: KeyPath<ProbeLedger, [UInt128]>, _ word: String) -> [String] {
        var falseStatements: [String] = []
        let count = after[keyPath: movements].count
        if count > 1 { falseStatements.append("money was \(word) \(count) times") }
        for (ending, ledger) in endings {
            let (moved, units) = (ledger[keyPath: movements].first, asked?.amount.minorUnits)
            switch ending {
            case .success(.succeeded(let receipt)):
                if moved == nil { falseStatements.append("it is called \(word), but nothing was") }
                if let moved, moved != units {
                    falseStatements.append("another amount was \(word) than was asked for")
                }
                if let told = receipt.amount, let moved, told.minorUnits != moved {
                    falseStatements.append("the receipt states another amount than was \(word)")
                }
            case .success(let outcome) where outcome.isFinal:
                if moved != nil { falseStatements.append("it is called \(outcome), but money was \(word)") }
            case .success: break
            case .failure(let error):
                falseStatements += Self.denial(error, isDone: moved != nil, "money was \(word)")
            }
        }
        return falseStatements
    }

    private var falseCancellationStatements: [String] {
        var falseStatements: [String] = []
        if after.cancellations > 1 { falseStatements.append("the payment was cancelled \(after.cancellations) times") }
        for (ending, ledger) in endings {
            switch ending {
            case .success(.succeeded):
                if ledger.captures.isEmpty { falseStatements.append("it is called paid, but no money was taken") }
            case .success(.cancelled) where ledger.cancellations == 0:
                falseStatements.append("it is called cancelled, but it was not cancelled")
            case .success(let outcome) where outcome.isFinal:
                if !ledger.captures.isEmpty { falseStatements.append("it is called \(outcome), but money was taken") }
            case .success, .failure: break
            }
        }
        if case .failure(let error) = first {
            falseStatements += Self.denial(error, isDone: before.cancellations > 0, "the payment was cancelled")
        }
        return falseStatements
    }

    private static func denial(_ error: PaymentError, isDone: Bool, _ what: String) -> [String] {
        if error.code == .providerFault { return ["an untyped error: \(error.message)"] }
        guard error.phase != .maybeSent, isDone else { return [] }
        return ["an error says that nothing happened, but \(what): \(error.message)"]
    }

    /// Every text that was written or shown, for the search for secrets.
    var texts: [String] {
        writtenTexts
            + observation.sent.flatMap { sent in
                var dumped = ""
                dump(sent.request, to: &dumped)
                return [sent.request.url.text, dumped]
            }
    }

    /// The texts of logs, endings and the journal.
    var writtenTexts: [String] {
        var texts = observation.events.map(\.description)
        for ending in [first, last] {
            var dumped = ""
            dump(ending, to: &dumped)
            texts += ["\(ending)", dumped]
        }
        for history in histories {
            let encoder = JSONEncoder()
            for data in [try? encoder.encode(history.attempt), try? encoder.encode(history.entries)] {
                texts.append(String(decoding: data ?? Data(), as: UTF8.self))
            }
        }
        return texts
    }
}

extension PaymentOutcome {
    /// True if it reports that this attempt paid nothing because another one has paid.
    var saysPaidElsewhere: Bool {
        if case .declined(let reason) = self { reason.code == .paidElsewhere } else { false }
    }
}
