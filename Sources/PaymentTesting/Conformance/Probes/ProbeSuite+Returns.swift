import PaymentCore
import PaymentRouting

/// Probes of payers' returns.
extension ProbeSuite {
    func returns() throws -> [String] {
        let messages = try inBackend { await $0.payment.messages() }
        guard !messages.returns.isEmpty else {
            throw SkipError(reason: "the payment names no URLs by which payers come back")
        }
        var findings = strangers(messages)
        var isRecognised = false
        for index in 0..<80 {
            // A payment that its process left at some moment, and a return that is handled then.
            let result = try run(
                Trial(
                    subject: subject, crash: index, goesOn: true,
                    afterwards: { probeContext, _ in
                        var findings: [String] = []
                        let messages = await probeContext.backend.payment.messages()
                        let router = try probeContext.router(of: probeContext.world.start())
                        for (url, what) in messages.foreignReturns.map({ ($0, "another payment's return") })
                            + (messages.returns + messages.returns).map({ ($0, "a return") })
                        {
                            findings += try await handle(url, router, probeContext).map { "\(what): \($0)" }
                        }
                        return findings
                    }))
            isRecognised = isRecognised || result.observation.hasCompleted
            guard result.hasDied else { break }
            findings +=
                (result.findings + result.repetitions + result.unsettled
                + JournalRules.breaches(in: result.histories)).map { "crashed at operation \(index + 1): \($0)" }
        }
        if !isRecognised { findings.append("none of the payment's own URLs was ever taken for its payer's return") }
        return findings
    }

    /// Handles a URL, and compares the reported outcome and the journal with the service's records.
    private func handle(_ url: String, _ router: PaymentRouter, _ probeContext: Trial.ProbeContext) async throws
        -> [String]
    {
        let before = await probeContext.ledger
        let ending: Trial.Ending
        do throws(PaymentError) {
            guard let outcome = try await router.handle(url, as: probeContext.backend.payer) else { return [] }
            ending = .success(outcome)
        } catch { ending = .failure(error) }
        let after = await probeContext.ledger
        var findings: [String] = []
        switch ending {
        case .success(.succeeded) where after.captures.isEmpty:
            findings.append("the payment is called paid, but no money was taken")
        case .success(let outcome) where outcome.isFinal:
            if case .succeeded = outcome { break }
            if !after.captures.isEmpty { findings.append("the payment is called \(outcome), but money was taken") }
        case .failure(let error) where error.code == .providerFault:
            findings.append("an untyped error: \(error.message)")
        default: break
        }
        for history in probeContext.world.disk.histories {
            if case .succeeded? = history.outcome, after.captures.isEmpty {
                findings.append("the payment is written as paid, but no money was taken")
            }
        }
        if after.captures.count > max(1, before.captures.count) { findings.append("money was taken again") }
        return findings
    }

    /// Returns URLs that only look like returns, and belong to other owners.
    private func strangers(_ messages: VendorMessages) -> [String] {
        messages.returns.flatMap { url in
            HostileLinks.impostors(of: url) + ["evil-\(url)", "https://evil.example/?url=\(PercentCoding.encode(url))"]
        }.compactMap { text in
            guard route(text)?.match.role == .callback else { return nil }
            return "a foreign URL is taken for a return: \(text.prefix { $0 != "?" })"
        }
    }
}
