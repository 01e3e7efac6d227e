import PaymentCore
import PaymentRouting

/// One errand at a watched provider or service in a world of its own.
struct Trial: Sendable {
    /// What is done.
    enum ProbeCase: String, Sendable, CaseIterable {
        /// The payer pays.
        case payment
        /// The merchant gives a part of a paid payment back.
        case refund
        /// The merchant calls a payment off that nobody has paid.
        case cancellation
    }

    let subject: ConformanceSubject
    var probeCase = ProbeCase.payment
    var behaviour = ConformanceSubject.Behaviour.payable
    /// The answer to spoil.
    var spoiling: (index: Int, mutation: Mutation)?
    /// What every answer becomes.
    var distortion: (@Sendable (HTTPResponse) -> HTTPResponse)?
    /// The request before or after which the payer pays by other means.
    var race: (index: Int, isAfter: Bool)?
    /// The operation at which the process dies.
    var crash: Int?
    /// The moment at which the payment is cancelled.
    var cancellation: Int?
    /// Whether the errand is begun again, by a new process, until it has ended.
    var goesOn = false
    /// What chance and the order of tasks follow from.
    var seed: UInt64 = 1
    /// The refund that is asked for.
    var asking: @Sendable (ConformanceSubject.Sale) throws -> RefundRequest = { try $0.part() }
    /// The payment that is to be called off.
    var target: @Sendable (ConformanceSubject.Sale) -> PaymentReference = \.payment
    /// What happens after the first process has ended, before anybody goes on. Returns what is wrong.
    var afterwards: @Sendable (ProbeContext, Ending) async throws -> [String] = { _, _ in [] }

    typealias Ending = Swift.Result<PaymentOutcome, PaymentError>

    /// The world of a trial.
    struct ProbeContext: Sendable {
        let trial: Trial
        let world: SimulatedWorld
        let backend: ConformanceSubject.Backend
        let observation: Observation

        func router(of process: SimulatedProcess) throws -> PaymentRouter {
            process.router(
                try ProviderRegistry([observation.watching(trial.subject.service)]),
                log: PaymentLog { observation.note($0) }
            ) { transport, journal in
                let network = SpoilingTransport(
                    base: transport, observation: observation, spoiling: trial.spoiling, distortion: trial.distortion,
                    meanwhile: trial.race.flatMap { race in
                        backend.sale.map { sale in (race.index, race.isAfter, { await sale.pay() }) }
                    })
                return (network, journal)
            }
        }

        /// Does the errand, once, in a task of its own: it may be cancelled.
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
                ProbeLedger(
                    captures: await backend.captures(), given: await backend.sale?.refunds?() ?? [],
                    cancellations: await backend.sale?.cancellations?() ?? 0)
            }
        }
    }

    struct Result: Sendable {
        let probeCase: ProbeCase
        let observation: Observation
        /// What was asked to be given back.
        let asked: RefundRequest?
        /// How the first process saw it end, and the last one.
        let first: Ending
        let last: Ending
        /// The service's books when the first process ended, and in the end.
        let before: ProbeLedger
        let after: ProbeLedger
        /// What ``Trial/afterwards`` found.
        let findings: [String]
        let histories: [AttemptHistory]
        let hasDied: Bool
        /// Virtual seconds.
        let elapsed: Double
    }

    /// Nil when the subject has no backend of this behaviour, or one that knows nothing of such an errand.
    func run() throws -> Result? {
        let world = SimulatedWorld(seed: seed)
        defer { world.end() }
        let observation = Observation(cancellation: cancellation)
        return try world.run {
            guard let backend = try await subject.backend(behaviour, world.clock, world.random),
                subject.probeCases(in: backend).contains(probeCase)
            else { return nil }
            for (host, service) in backend.services { world.connect(service, to: host) }
            if probeCase == .refund { await backend.sale?.pay() }
            let probeContext = ProbeContext(trial: self, world: world, backend: backend, observation: observation)
            let process = world.start(crashingAt: crash)
            let start = world.elapsed
            let first = try await probeContext.ask(try probeContext.router(of: process))
            let elapsed = world.elapsed - start
            let hasDied = process.isDead
            let before = await probeContext.ledger
            process.crash()
            let findings = try await afterwards(probeContext, first)
            var last = first
            if goesOn {
                let next = try probeContext.router(of: world.start())
                for turn in 0..<40 {
                    last = try await probeContext.ask(next)
                    if case .success(let outcome) = last, outcome.isFinal { break }
                    if turn < 39 { try await world.clock.sleep(for: .seconds(60)) }
                }
            }
            return Result(
                probeCase: probeCase, observation: observation,
                asked: probeCase == .refund ? try backend.sale.map(asking) : nil, first: first, last: last,
                before: before, after: await probeContext.ledger, findings: findings, histories: world.disk.histories,
                hasDied: hasDied, elapsed: elapsed)
        }
    }

    /// What is asked of a router.
    private func work(
        _ backend: ConformanceSubject.Backend
    ) throws -> @Sendable (PaymentRouter) async throws -> PaymentOutcome {
        switch (probeCase, backend.link, backend.sale) {
        case (.payment, let link?, _):
            { try await $0.pay(link, as: subject.payer, acceptingUnverified: true) }
        case (.refund, _, let sale?):
            { [request = try asking(sale)] in try await $0.refund(request) }
        case (.cancellation, _, let sale?):
            { [payment = target(sale)] in try await $0.cancel(payment) }
        default: throw SkipError(reason: "the backend has nothing for it")
        }
    }
}

/// Why a probe cannot be made.
struct SkipError: Error { let reason: String }

extension ConformanceSubject {
    /// What can be tried with `backend`.
    func probeCases(in backend: Backend) -> [Trial.ProbeCase] {
        Trial.ProbeCase.allCases.filter { probeCase in
            switch probeCase {
            case .payment: provider != nil && backend.link != nil
            case .refund: service is any RefundingService && backend.sale?.refunds != nil
            case .cancellation: service is any CancellingService && backend.sale?.cancellations != nil
            }
        }
    }
}

extension ConformanceSubject.Sale {
    /// The refund of a part, by an amount that is easily told from all others; of the whole where there are no parts.
    func part(_ id: String = "conformance-7") throws -> RefundRequest {
        if let wholeRefundID { return RefundRequest(of: payment, amount: price, id: wholeRefundID(price)) }
        return RefundRequest(of: payment, amount: try price.with(minorUnits: max(1, price.minorUnits / 3)), id: id)
    }
}

extension Money {
    /// Another amount of the same.
    func with(minorUnits: UInt128) throws -> Money {
        try Money(minorUnits: minorUnits, currency: currency, exponent: exponent)
    }
}
