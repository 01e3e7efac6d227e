import PaymentCore
import PaymentRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One payment by a watched provider in a world of its own.
struct Trial: Sendable {
    let subject: ConformanceSubject
    var behaviour = ConformanceSubject.Behaviour.payable
    /// The answer to spoil.
    var spoiling: (index: Int, mutation: Mutation)?
    /// The operation at which the process dies.
    var crash: Int?
    /// The moment at which the payment is cancelled.
    var cancellation: Int?
    /// Whether the payment is started again, by a new process, until it has ended.
    var goesOn = false

    typealias Ending = Swift.Result<PaymentOutcome, PaymentError>

    struct Result: Sendable {
        let observation: Observation
        /// How the first process saw it end, and the last one.
        let first: Ending
        let last: Ending
        /// What had been taken when the first process ended, and in the end.
        let capturesBefore: [UInt128?]
        let captures: [UInt128?]
        let histories: [AttemptHistory]
        let hasDied: Bool
        /// Virtual seconds.
        let elapsed: Double
    }

    /// Nil when the subject has no backend of this behaviour.
    func run() throws -> Result? {
        let world = SimulatedWorld(seed: 1)
        defer { world.end() }
        let observation = Observation(cancellation: cancellation)
        return try world.run {
            guard let backend = try await subject.backend(behaviour, world.clock, world.random) else { return nil }
            for (host, service) in backend.services { world.connect(service, to: host) }
            let process = world.start(crashingAt: crash)
            let start = world.elapsed
            let first = try await pay(backend, process, observation)
            let elapsed = world.elapsed - start
            let hasDied = process.isDead
            let before = await backend.captures()
            process.crash()
            var last = first
            if goesOn {
                let next = world.start()
                for turn in 0..<40 {
                    last = try await pay(backend, next, observation)
                    if case .success(let outcome) = last, outcome.isFinal { break }
                    if turn < 39 { try await world.clock.sleep(for: .seconds(60)) }
                }
            }
            return Result(
                observation: observation, first: first, last: last, capturesBefore: before,
                captures: await backend.captures(), histories: world.disk.histories, hasDied: hasDied, elapsed: elapsed)
        }
    }

    private func pay(
        _ backend: ConformanceSubject.Backend, _ process: SimulatedProcess, _ observation: Observation
    ) async throws -> Ending {
        let provider = WatchedProvider(base: subject.provider, observation: observation)
        let router = process.router(
            try ProviderRegistry([provider]), log: PaymentLog { observation.note($0) }
        ) { transport, journal in
            (SpoilingTransport(base: transport, observation: observation, spoiling: spoiling), journal)
        }
        do {
            return .success(try await router.pay(backend.link, as: subject.payer, acceptingUnverified: true))
        } catch {
            return .failure(error)
        }
    }
}

extension Trial.Result {
    /// Everything that was written or shown, for the search for secrets.
    var texts: [String] {
        var texts = observation.events.map(\.message)
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
        for sent in observation.sent {
            var dumped = ""
            dump(sent.request, to: &dumped)
            texts += [sent.request.url.text, dumped]
        }
        return texts
    }

    /// What is wrong with how it ended, by the service's own books.
    var lies: [String] {
        var lies: [String] = []
        if captures.count > 1 { lies.append("money was taken \(captures.count) times") }
        for (ending, captures) in [(first, capturesBefore), (last, captures)] {
            switch ending {
            case .success(.succeeded(let receipt)):
                if captures.isEmpty { lies.append("it is called paid, but no money was taken") }
                let agreed = observation.agreed?.minorUnits
                if let agreed, let taken = captures.first ?? nil, taken != agreed {
                    lies.append("another amount was taken than was agreed")
                }
                if let told = receipt.amount?.minorUnits, let taken = captures.first ?? nil, told != taken {
                    lies.append("the receipt states another amount than was taken")
                }
            case .success(let outcome) where outcome.isFinal:
                if !captures.isEmpty { lies.append("it is called \(outcome), but money was taken") }
            case .success: break
            case .failure(let error):
                if error.code == .providerFault { lies.append("an untyped error: \(error.message)") }
                if error.phase != .maybeSent, !captures.isEmpty {
                    lies.append("an error says that nothing happened, but money was taken: \(error.message)")
                }
            }
        }
        return lies
    }
}
