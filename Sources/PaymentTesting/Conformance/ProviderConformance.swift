import Dispatch
import PaymentCore
import PaymentRouting

/// Probes a provider: the same battery for every one of them.
///
/// ```swift
/// let report = await ProviderConformance.check(subject)
/// #expect(report.isPassed, "\(report)")
/// ```
public enum ProviderConformance {
    /// One thing that every provider must get right.
    public enum Probe: String, Sendable, Hashable, CaseIterable {
        /// Id, name, patterns and hosts are sound and do not change.
        case descriptor = "descriptor is sound and stable"
        /// What it is meant to be able to do is what it conforms to.
        case capabilities = "capabilities are the conformances"
        /// A registry accepts its patterns.
        case patterns = "patterns are valid"
        /// It looks at any link without trapping, the same way twice, and trusts no impostor.
        case links = "every link is read, impostors are not trusted"
        /// It pays.
        case payment = "a payment is paid once"
        /// Spoilt answers never become a false success or failure.
        case hostileAnswers = "spoilt answers deceive nobody"
        /// An answer that does not prove that a mutation was not carried out is not taken for such a proof.
        case refusals = "only a proof is taken for a refusal"
        /// Secrets are nowhere.
        case secrets = "secrets appear nowhere"
        /// It reaches only the hosts that it declares.
        case hosts = "only declared hosts are reached"
        /// Cancelled at any moment, it tells the truth and can go on.
        case cancellation = "cancelling at any moment is safe"
        /// After a crash at any moment it goes on, and sends nothing twice that must not be repeated.
        case crashes = "a crash at any moment is survived"
        /// A service that never settles does not keep it for ever.
        case polling = "waiting is bounded"
    }

    /// What was found of a provider.
    public typealias Report = ConformanceReport<Probe>

    /// Runs all probes, each in simulated worlds of its own.
    public static func check(_ subject: ConformanceSubject) async -> Report {
        // The worlds compute without a pause, for long: on a thread of their own, so that whoever waits for something
        // meanwhile gets on with it.
        await withCheckedContinuation { report in
            DispatchQueue.global().async {
                let probes = Probe.allCases.map { probe in
                    Report.Probe(name: probe, verdict: verdict(probe, subject))
                }
                report.resume(
                    returning: Report(subject: subject.provider.descriptor.name, probes: probes))
            }
        }
    }

    /// Why a probe cannot be made.
    private struct Skip: Error { let reason: String }

    private static func verdict(_ probe: Probe, _ subject: ConformanceSubject) -> Report.Verdict {
        do {
            let findings =
                switch probe {
                case .descriptor: descriptor(subject)
                case .capabilities: capabilities(subject)
                case .patterns: patterns(subject)
                case .links: try links(subject)
                case .payment: try payment(subject)
                case .hostileAnswers: try hostileAnswers(subject)
                case .refusals: try refusals(subject)
                case .secrets: try secrets(subject)
                case .hosts: try hosts(subject)
                case .cancellation: try cancellation(subject)
                case .crashes: try crashes(subject)
                case .polling: try polling(subject)
                }
            return findings.isEmpty ? .passed : .failed(findings)
        } catch let skip as Skip {
            return .skipped(skip.reason)
        } catch {
            return .failed(["the probe failed: \(error)"])
        }
    }

    // MARK: Words

    private static func descriptor(_ subject: ConformanceSubject) -> [String] {
        let descriptor = subject.provider.descriptor
        var findings: [String] = []
        if subject.provider.descriptor != descriptor { findings.append("two looks at the descriptor differ") }
        if descriptor.name.isEmpty { findings.append("it has no name") }
        if descriptor.patterns.isEmpty { findings.append("it claims no links") }
        for host in descriptor.outboundHosts where !OutboundHosts.isWellFormed(host) {
            findings.append("'\(host)' is not a host as requests name it; write it in lower case, without a scheme")
        }
        if descriptor.replayWindow < .zero { findings.append("the replay window is negative") }
        return findings
    }

    private static func capabilities(_ subject: ConformanceSubject) -> [String] {
        let conformances = Set(ProviderDescriptor.capabilities(of: subject.provider))
        return ProviderDescriptor.Capability.allCases.compactMap { capability in
            switch (subject.capabilities.contains(capability), conformances.contains(capability)) {
            case (true, false): "'\(capability.rawValue)' is meant, but the provider does not conform to its protocol"
            case (false, true): "'\(capability.rawValue)' is not meant, but the provider conforms to its protocol"
            default: nil
            }
        }
    }

    private static func patterns(_ subject: ConformanceSubject) -> [String] {
        do { _ = try ProviderRegistry([subject.provider]) } catch { return ["\(error)"] }
        return []
    }

    private static func links(_ subject: ConformanceSubject) throws -> [String] {
        let world = SimulatedWorld(seed: 1)
        defer { world.end() }
        let link = try world.run {
            guard let backend = try await subject.backend(.payable, world.clock, world.random) else {
                throw Skip(reason: "there is no payment")
            }
            return backend.link
        }
        var findings: [String] = []
        for text in HostileLinks.around(link) {
            guard let link = try? PaymentLink(text) else { continue }
            let match = subject.provider.recognize(link)
            if match != subject.provider.recognize(link) { findings.append("two looks at one link differ") }
            if match?.reference?.isEmpty == true { findings.append("a link names a payment without an id") }
        }
        guard let registry = try? ProviderRegistry([subject.provider]) else { return findings }
        let router = PaymentRouter(
            registry: registry, transport: ScriptedTransport([]), journal: world.start().journal)
        for text in HostileLinks.impostors(of: link) {
            guard case .matched(let route) = router.route(text) else { continue }
            if route.match.trust == .verified { findings.append("a link to a host of somebody else is trusted") }
        }
        return findings
    }

    // MARK: Payments

    private static func run(_ trial: Trial) throws -> Trial.Result {
        guard let result = try trial.run() else { throw Skip(reason: "the backend has no such payment") }
        return result
    }

    private static func payment(_ subject: ConformanceSubject) throws -> [String] {
        let result = try run(Trial(subject: subject))
        var findings = result.lies + JournalRules.breaches(in: result.histories)
        guard case .success(.succeeded) = result.first else { return findings + ["it ended with \(result.first)"] }
        if result.captures.count != 1 { findings.append("money was taken \(result.captures.count) times") }
        return findings
    }

    private static func hostileAnswers(_ subject: ConformanceSubject) throws -> [String] {
        let usual = try run(Trial(subject: subject))
        var findings: [String] = []
        for (index, response) in usual.observation.responses.prefix(20).enumerated() {
            for mutation in Mutation.all(of: response) {
                let result = try run(Trial(subject: subject, spoiling: (index, mutation)))
                findings += result.lies.map { "answer \(index + 1), \(mutation.name): \($0)" }
            }
        }
        return findings
    }

    /// Answers the requests of mutations, after they were carried out, with what proves nothing of that.
    private static func refusals(_ subject: ConformanceSubject) throws -> [String] {
        let sent = try run(Trial(subject: subject)).observation.sent
        var findings: [String] = []
        for (index, sent) in sent.enumerated().prefix(20) where !sent.request.method.isSafe {
            guard case .mutation? = sent.kind else { continue }
            for status in Mutation.openStatuses {
                let mutation = Mutation(name: "HTTP \(status)") { _ in HTTPResponse(status: status) }
                let result = try run(Trial(subject: subject, spoiling: (index, mutation)))
                var found = result.lies
                // Money may be taken later, when the payer has done their part: the journal says what was made of it now.
                // Who asks the service afterwards may know better.
                let isClosed = result.histories.flatMap(\.entries).contains { entry in
                    if case .stepFailed(let name, _) = entry.event { name == sent.step } else { false }
                }
                let hasAsked = result.observation.sent.count > index + 1
                if isClosed, !hasAsked { found.append("'\(sent.step ?? "")' is said to have done nothing") }
                findings += found.map { "answer \(index + 1), HTTP \(status) after it was carried out: \($0)" }
            }
        }
        return findings
    }

    private static func secrets(_ subject: ConformanceSubject) throws -> [String] {
        guard !subject.canaries.isEmpty else { throw Skip(reason: "the subject names no secrets") }
        let usual = try run(Trial(subject: subject))
        var results = [usual]
        for (index, response) in usual.observation.responses.prefix(20).enumerated() {
            for mutation in Mutation.all(of: response).prefix(9) {
                results.append(try run(Trial(subject: subject, spoiling: (index, mutation))))
            }
        }
        var places = results.flatMap(\.texts)
        var dumped = ""
        dump(subject.provider, to: &dumped)
        places += [dumped, "\(subject.provider)"]
        let count = places.count { text in subject.canaries.contains { text.contains($0) } }
        return count == 0
            ? [] : ["a secret appears in \(count) of \(places.count) texts: logs, errors, dumps, journal, URLs"]
    }

    private static func hosts(_ subject: ConformanceSubject) throws -> [String] {
        let declared = OutboundHosts(subject.provider.descriptor.outboundHosts)
        let usual = try run(Trial(subject: subject))
        var sent = usual.observation.sent
        for index in usual.observation.responses.indices.prefix(20) {
            let redirect = Mutation(name: "redirect", isInstead: true) { _ in
                HTTPResponse(status: 307, headers: ["Location": "https://elsewhere.example/"])
            }
            sent += try run(Trial(subject: subject, spoiling: (index, redirect))).observation.sent
        }
        return Set(sent.map(\.request.url).filter { !declared.permits($0) }.map(\.authority)).sorted().map {
            "it calls \($0), which it does not declare"
        }
    }

    private static func cancellation(_ subject: ConformanceSubject) throws -> [String] {
        let moments = try run(Trial(subject: subject)).observation.moments
        var findings: [String] = []
        for moment in 0..<min(moments, 200) {
            let result = try run(Trial(subject: subject, cancellation: moment, goesOn: true))
            findings += (result.lies + JournalRules.breaches(in: result.histories) + unsettled(result)).map {
                "cancelled at moment \(moment + 1): \($0)"
            }
        }
        return findings
    }

    private static func crashes(_ subject: ConformanceSubject) throws -> [String] {
        let usual = mutations(try run(Trial(subject: subject)))
        var findings: [String] = []
        for index in 0..<300 {
            let result = try run(Trial(subject: subject, crash: index, goesOn: true))
            guard result.hasDied else { break }
            var found = result.captures.count > 1 ? ["money was taken \(result.captures.count) times"] : []
            found += JournalRules.breaches(in: result.histories) + unsettled(result)
            for (step, count) in mutations(result).sorted(by: { $0.key < $1.key }) where count > usual[step] ?? 1 {
                found.append("'\(step)', which must not be repeated, was sent again")
            }
            findings += found.map { "crashed at operation \(index + 1): \($0)" }
        }
        return findings
    }

    /// How many requests each step that must not be repeated has sent.
    private static func mutations(_ result: Trial.Result) -> [String: Int] {
        result.observation.sent.reduce(into: [:]) { counts, sent in
            guard sent.kind == .mutation(replay: .never), !sent.request.method.isSafe, let step = sent.step else {
                return
            }
            counts[step, default: 0] += 1
        }
    }

    private static func unsettled(_ result: Trial.Result) -> [String] {
        switch result.last {
        case .success(.succeeded): result.captures.isEmpty ? ["it is called paid, but no money was taken"] : []
        case .success(let outcome) where outcome.isFinal:
            result.captures.isEmpty ? [] : ["it is called \(outcome), but money was taken"]
        default: ["it comes to no end within 40 minutes"]
        }
    }

    private static func polling(_ subject: ConformanceSubject) throws -> [String] {
        let result = try run(Trial(subject: subject, behaviour: .neverSettles))
        var findings: [String] = []
        if case .success(let outcome) = result.first, outcome.isFinal { findings.append("it ended with \(outcome)") }
        if result.elapsed > 3600 { findings.append("it waited for \(Int(result.elapsed)) seconds") }
        if result.observation.sent.count > 1000 { findings.append("it sent \(result.observation.sent.count) requests") }
        return findings
    }
}
