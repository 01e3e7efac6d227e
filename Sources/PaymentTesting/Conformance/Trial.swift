import PaymentCore
import PaymentRouting

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
    /// Answers every request from the one of this number on, without carrying it out, until another process goes on.
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
