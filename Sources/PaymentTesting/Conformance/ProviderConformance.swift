import Dispatch
public import PaymentCore

/// Probes the services of a vendor: the payer's provider, and the merchant's. Every vendor gets the same probes.
///
/// ```swift
/// let report = await ProviderConformance.check(SimulatedTea.self)
/// #expect(report.isComplete, "\(report)")
/// ```
///
/// No probe is left out silently: a capability that no service of the vendor has is
/// ``ConformanceReport/Verdict/inapplicable(_:)``, and one that its payments give no means to probe is
/// ``ConformanceReport/Verdict/skipped(_:)``.
public enum ProviderConformance {
    /// One rule that every subject with the capability must keep.
    @nonexhaustive
    public enum Probe: String, Sendable, Hashable, CaseIterable {
        /// Id, name, patterns and hosts are sound and do not change.
        case descriptor = "descriptor is sound and stable"
        /// The capabilities that it is meant to have are its conformances.
        case capabilities = "capabilities are the conformances"
        /// A registry accepts its patterns.
        case patterns = "patterns are valid"
        /// It reads any link without trapping, the same way twice, and trusts no impostor.
        case links = "every link is read, impostors are not trusted"
        /// A link in another spelling names the same payment, or none: never another one, which would be paid again.
        case spellings = "one payment has one name, however its link is written"
        /// It pays.
        case payment = "a payment is paid once"
        /// A payment over another amount, in another currency or of another payment is not called paid.
        case paymentDetails = "another payment is not taken for the agreed one"
        /// Spoilt answers never become a false success or failure, in any case.
        case hostileAnswers = "spoilt answers are not believed"
        /// An answer that does not prove that a mutation was not carried out is not taken for proof of it.
        case rejections = "only a proof is taken for a refusal"
        /// A step that sends several requests has done something once one of them was carried out, whatever becomes of
        /// the others.
        case laterRequests = "a failed request undoes none before it in its step"
        /// A request that arrives twice, with only the second answer coming back, is no refusal.
        case doubledRequests = "a request may arrive twice"
        /// Once the money may move, a question that is refused, fails or has an unreadable answer ends nothing.
        case questions = "a refused question proves nothing"
        /// An answer that repeats the request's secrets does not bring them into errors, logs and the journal.
        case echoes = "repeated secrets appear nowhere"
        /// Secrets are nowhere.
        case secrets = "secrets appear nowhere"
        /// It reaches only the hosts that it declares.
        case hosts = "only declared hosts are reached"
        /// Cancelled at any moment, it reports the truth and can resume.
        case cancellation = "cancelling at any moment is safe"
        /// After a crash at any moment it resumes, repeats nothing that must not be repeated, and repeats the rest with
        /// the same key.
        case crashes = "a crash at any moment is survived"
        /// A renamed step is another one for the journal: one begun under the old name could not be found again.
        case stepNames = "steps have the same names in every process"
        /// Waiting for a service that never settles ends.
        case polling = "waiting is bounded"
        /// A capture is made once, however often it is requested, and no other one over another amount.
        case capture = "a capture is made once"
        /// A capture of another amount, another payment or of more than was authorised is not reported as made.
        case captureDetails = "another capture is not taken for the one asked for"
        /// A capture is made once whatever moment its process dies at, and repeated requests have the same key.
        case captureCrashes = "a crash at any moment of a capture is survived"
        /// A refund is made once, however often it is requested, and another time for another id.
        case refund = "a refund is made once"
        /// A refund with another amount, another id, of another payment or of more than was paid is not reported as
        /// made.
        case refundDetails = "another refund is not taken for the one asked for"
        /// A refund is made once whatever moment its process dies at, and repeated requests have the same key.
        case refundCrashes = "a crash at any moment of a refund is survived"
        /// An unpaid payment is cancelled once, however often that is requested.
        case cancelling = "a payment is cancelled once"
        /// The reported outcome is true whether the payer or the merchant comes first.
        case cancellationRaces = "a payment that is paid meanwhile is not called cancelled"
        /// A return is only ever a reason to ask: forged, foreign, another payment's or repeated ones change nothing.
        case returns = "a return proves nothing by itself"
        /// Genuine notifications are read correctly, altered ones are refused.
        case notifications = "a forged notification is refused"
        /// Notifications signed with another secret are refused.
        case notificationSecrets = "a notification signed with another secret is refused"
        /// Notifications that are too old are refused.
        case notificationAge = "a stale notification is refused"
        /// A notification that comes twice, or late, is read the same way and changes nothing more.
        case notificationRepetitions = "a notification may come twice and late"
    }

    /// The results of probing a provider or a merchant's service.
    public typealias Report = ConformanceReport<Probe>

    /// Runs all probes, each in its own simulated worlds.
    ///
    /// - Parameters:
    ///   - vendor: The vendor.
    ///   - scenario: The name of the scenario that payers pay; nil for the first one that ends paid.
    public static func check<Vendor: SimulatedVendor>(
        _ vendor: Vendor.Type, paying scenario: String? = nil
    ) async -> Report {
        await check(paying: scenario) { try Vendor(clock: $0, random: $1) }
    }

    /// Runs all probes with a vendor that is opened in another way, such as with other settings.
    ///
    /// - Parameters:
    ///   - scenario: The name of the scenario that payers pay; nil for the first one that ends paid.
    ///   - open: Opens the vendor on a world's clock and random numbers.
    public static func check(
        paying scenario: String? = nil,
        _ open: @escaping @Sendable (any PaymentClock, any RandomSource) throws -> any SimulatedVendor
    ) async -> Report {
        await check(paying: scenario, only: Probe.allCases, open)
    }

    /// Runs some probes.
    package static func check(
        paying scenario: String? = nil, only probes: [Probe],
        _ open: @escaping @Sendable (any PaymentClock, any RandomSource) throws -> any SimulatedVendor
    ) async -> Report {
        // The worlds compute for a long time without a pause. On a separate thread they do not delay other tasks.
        await withCheckedContinuation { report in
            DispatchQueue.global().async {
                let suites: [ProbeSuite]
                do { suites = try ProbeSubject.all(paying: scenario, open).map(ProbeSuite.init) } catch {
                    let failed = probes.map {
                        Report.Probe(name: $0, verdict: .failed(["it cannot be opened: \(error)"]))
                    }
                    return report.resume(returning: Report(subject: "a vendor", probes: failed))
                }
                report.resume(
                    returning: Report(
                        subject: suites.first?.subject.service.descriptor.name ?? "no service",
                        probes: probes.map { probe in
                            Report.Probe(name: probe, verdict: verdict(probe, of: suites))
                        }))
            }
        }
    }

    /// Returns the verdict on all services together: the worst one of those that have the capability.
    private static func verdict(_ probe: Probe, of suites: [ProbeSuite]) -> Report.Verdict {
        guard !suites.isEmpty else { return .failed(["the vendor has no service"]) }
        var together = Report.Verdict.inapplicable("no service has it")
        for (index, suite) in suites.enumerated() {
            // A vendor's id is the same for all of its services; the merchant's is the second one.
            let place = index == 0 ? "" : "merchant's service: "
            switch (suite.verdict(probe), together) {
            case (.failed(let findings), .failed(let earlier)):
                together = .failed(earlier + findings.map { place + $0 })
            case (.failed(let findings), _): together = .failed(findings.map { place + $0 })
            case (_, .failed): break
            case (.skipped(let reason), _): together = .skipped(place + reason)
            case (_, .skipped): break
            case (.passed, _): together = .passed
            case (.inapplicable(let reason), .inapplicable): together = .inapplicable(reason)
            case (.inapplicable, _): break
            }
        }
        return together
    }
}

/// The probes of one subject.
struct ProbeSuite: Sendable {
    let subject: ProbeSubject

    func verdict(_ probe: ProviderConformance.Probe) -> ProviderConformance.Report.Verdict {
        if let reason = lack(probe) { return .inapplicable(reason) }
        do {
            let findings = try findings(probe)
            return findings.isEmpty ? .passed : .failed(findings)
        } catch let skip as SkipError {
            return .skipped(skip.reason)
        } catch {
            return .failed(["the probe failed: \(error)"])
        }
    }

    private func findings(_ probe: ProviderConformance.Probe) throws -> [String] {
        switch probe {
        case .descriptor: descriptor()
        case .capabilities: capabilities()
        case .patterns: patterns()
        case .links: try links()
        case .spellings: try spellings()
        case .payment: try payment()
        case .paymentDetails: try paymentDetails()
        case .hostileAnswers: try hostileAnswers()
        case .rejections: try rejections()
        case .laterRequests: try laterRequests()
        case .doubledRequests: try doubledRequests()
        case .questions: try questions()
        case .echoes: try echoes()
        case .secrets: try secrets()
        case .hosts: try hosts()
        case .cancellation: try cancellation()
        case .crashes: try crashes(of: .payment)
        case .stepNames: try stepNames()
        case .polling: try polling()
        case .capture: try capture()
        case .captureDetails: try details(of: .capture)
        case .captureCrashes: try crashes(of: .capture)
        case .refund: try refund()
        case .refundDetails: try details(of: .refund)
        case .refundCrashes: try crashes(of: .refund)
        case .cancelling: try cancelling()
        case .cancellationRaces: try cancellationRaces()
        case .returns: try returns()
        case .notifications: try notifications()
        case .notificationSecrets: try notificationSecrets()
        case .notificationAge: try notificationAge()
        case .notificationRepetitions: try notificationRepetitions()
        }
    }

    /// Returns the reason why there is nothing to probe, or nil.
    private func lack(_ probe: ProviderConformance.Probe) -> String? {
        let service = subject.service
        switch probe {
        case .paymentDetails where service is any SettlingProvider: return "a settler moves the money, not its service"
        case .patterns, .links, .spellings, .payment, .paymentDetails, .crashes, .polling:
            return service is any PaymentProvider ? nil : "a merchant's service takes no payers"
        case .capture, .captureDetails, .captureCrashes:
            return service is any CapturingService ? nil : "it captures nothing"
        case .refund, .refundDetails, .refundCrashes:
            return service is any RefundingService ? nil : "it makes no refunds"
        case .cancelling, .cancellationRaces:
            return service is any CancellingService ? nil : "it calls no payments off"
        case .returns:
            return service is any RedirectCompletingProvider ? nil : "payers do not come back to it by a URL"
        case .notifications, .notificationSecrets, .notificationAge, .notificationRepetitions:
            return service is any NotificationReadingService ? nil : "it reads no notifications"
        case .descriptor, .capabilities, .hostileAnswers, .rejections, .laterRequests, .doubledRequests, .questions,
            .echoes, .secrets, .hosts,
            .cancellation, .stepNames:
            return nil
        }
    }

    // MARK: Trials

    /// Returns the trial's result.
    ///
    /// - Throws: ``SkipError`` when the payment has nothing for it.
    func run(_ trial: Trial) throws -> Trial.Result {
        guard let result = try trial.run() else {
            throw SkipError(
                reason: trial.behaviour == .payable
                    ? "the payment gives no means to try a \(trial.probeCase.rawValue)"
                    : "the vendor has no such payment"
            )
        }
        return result
    }

    /// Returns the cases that can be tried.
    ///
    /// - Throws: ``SkipError`` when there are none.
    func probeCases() throws -> [Trial.ProbeCase] {
        let probeCases = try inBackend { subject.probeCases(in: $0) }
        guard !probeCases.isEmpty else { throw SkipError(reason: "the payment gives no means to try anything") }
        return probeCases
    }

    /// Looks at a backend in its own world, outside of any process.
    func inBackend<Value: Sendable>(
        _ look: @escaping @Sendable (ProbeSubject.Backend) async throws -> Value
    ) throws -> Value {
        let world = SimulatedWorld(seed: 1)
        defer { world.end() }
        return try world.run {
            guard let backend = try await subject.makeBackend(.payable, in: world) else {
                throw SkipError(reason: "there is no payment")
            }
            return try await look(backend)
        }
    }

    /// Returns the findings of each case, with its name.
    func forEachProbeCase(_ findings: (Trial.ProbeCase) throws -> [String]) throws -> [String] {
        try probeCases().flatMap { probeCase in
            try findings(probeCase).map { probeCase == .payment ? $0 : "\(probeCase.rawValue): \($0)" }
        }
    }
}
