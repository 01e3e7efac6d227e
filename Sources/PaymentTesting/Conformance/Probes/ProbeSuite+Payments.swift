import PaymentCore

/// Payments and refunds over time.
extension ProbeSuite {
    func payment() throws -> [String] {
        let result = try run(Trial(subject: subject))
        var findings = result.falseStatements + JournalRules.breaches(in: result.histories)
        guard case .success(.succeeded) = result.first else { return findings + ["it ended with \(result.first)"] }
        if result.after.captures.count != 1 { findings.append("money was taken \(result.after.captures.count) times") }
        return findings
    }

    func crashes(of probeCase: Trial.ProbeCase) throws -> [String] {
        let undisturbed = try run(Trial(subject: subject, probeCase: probeCase))
        let (usual, replayable) = (unrepeatable(undisturbed), undisturbed.replayable)
        var findings: [String] = []
        for index in 0..<300 {
            let result = try run(Trial(subject: subject, probeCase: probeCase, crash: index, goesOn: true))
            guard result.hasDied else { break }
            var found = result.repetitions + JournalRules.breaches(in: result.histories) + result.unsettled
            for (step, count) in unrepeatable(result).sorted(by: { $0.key < $1.key }) where count > usual[step] ?? 1 {
                found.append("'\(step)', which must not be repeated, was sent again")
            }
            for (request, count) in result.replayable.sorted(by: { $0.key < $1.key })
            where count > replayable[request] ?? 1 {
                found.append("\(request) was sent again with another key or body")
            }
            findings += found.map { "crashed at operation \(index + 1): \($0)" }
        }
        return findings
    }

    func stepNames() throws -> [String] {
        try forEachProbeCase { probeCase in
            guard probeCase != .cancellation else { return [] }
            let runs = try [1, 2].map { try run(Trial(subject: subject, probeCase: probeCase, seed: $0)).stepNames }
            let others = Set(runs[0]).symmetricDifference(runs[1]).sorted()
            return others.isEmpty ? [] : ["the step '\(others[0])' has another name in another process"]
        }
    }

    func polling() throws -> [String] {
        let result = try run(Trial(subject: subject, behaviour: .neverSettles))
        var findings: [String] = []
        if case .success(let outcome) = result.first, outcome.isFinal { findings.append("it ended with \(outcome)") }
        if result.elapsed > 3600 { findings.append("it waited for \(Int(result.elapsed)) seconds") }
        if result.observation.sent.count > 1000 { findings.append("it sent \(result.observation.sent.count) requests") }
        return findings
    }

    /// Returns the number of requests of each step that must not be repeated.
    private func unrepeatable(_ result: Trial.Result) -> [String: Int] {
        result.observation.sent.reduce(into: [:]) { counts, sent in
            guard sent.kind == .mutation(replay: .never), !sent.request.method.isSafe, let step = sent.step else {
                return
            }
            counts[step, default: 0] += 1
        }
    }
}

extension Trial.Result {
    /// The names of the steps in the journal.
    var stepNames: [String] {
        histories.flatMap(\.entries).compactMap { entry in
            if case .stepStarted(let name, _) = entry.event { name } else { nil }
        }
    }

    /// The effects that occurred more than once.
    var repetitions: [String] {
        [
            (after.captures.count, "money was taken"), (after.collected.count, "money was captured"),
            (after.given.count, "money was refunded"),
            (after.cancellations, "the payment was cancelled"),
        ].compactMap { $0 > 1 ? "\($1) \($0) times" : nil }
    }

    /// The number of different requests of each kind that may be repeated with the same key. A service that recognises
    /// a repetition by its key refuses it, or takes it for another request, when anything about it differs.
    var replayable: [String: Int] {
        var seen: [String: Set<[String]>] = [:]
        for sent in observation.sent where sent.kind == .mutation(replay: .sameKey) && !sent.request.method.isSafe {
            let name = "'\(sent.step ?? "")' (\(sent.request.method.rawValue) \(sent.request.url.path))"
            seen[name, default: []].insert([Hex.encode(sent.request.body)] + Self.keys(sent.request))
        }
        return seen.mapValues(\.count)
    }

    private static func keys(_ request: HTTPRequest) -> [String] {
        request.headers.fields.filter { field in
            let name = field.name.lowercased()
            return ["idempoten", "request-id"].contains { name.contains($0) }
        }.map(\.value)
    }

    /// The defects of the last outcome, after the case was repeated.
    var unsettled: [String] {
        let (done, what, word): (Bool, String, String) =
            switch probeCase {
            case .payment: (!after.captures.isEmpty, "money was taken", "paid")
            case .capture: (!after.collected.isEmpty, "money was captured", "captured")
            case .refund: (!after.given.isEmpty, "money was refunded", "refunded")
            case .cancellation: (after.cancellations > 0, "it was cancelled", "cancelled")
            }
        switch (probeCase, last) {
        case (.cancellation, .success(.cancelled)), (.payment, .success(.succeeded)), (.capture, .success(.succeeded)),
            (.refund, .success(.succeeded)):
            return done ? [] : ["it is called \(word), but is not"]
        case (.payment, .success(let outcome)) where outcome.saysPaidElsewhere:
            return done ? [] : ["it is called paid before, but is not"]
        case (_, .success(let outcome)) where outcome.isFinal:
            return done ? ["it is called \(outcome), but \(what)"] : []
        // What may never have arrived stays unknown: asking again could move money twice.
        case (.capture, _) where !done, (.refund, _) where !done: return []
        default: return ["it comes to no end within 40 minutes"]
        }
    }
}
