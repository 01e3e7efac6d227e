import PaymentCore

/// Probes of every case: the conclusions from answers, and leaks.
extension ProbeSuite {
    func hostileAnswers() throws -> [String] {
        try forEachProbeCase { probeCase in
            let usual = try run(Trial(subject: subject, probeCase: probeCase))
            var findings: [String] = []
            for (index, response) in usual.observation.responses.prefix(20).enumerated() {
                for mutation in Mutation.all(of: response) {
                    let result = try run(Trial(subject: subject, probeCase: probeCase, spoiling: (index, mutation)))
                    findings += result.falseStatements.map { "answer \(index + 1), \(mutation.name): \($0)" }
                }
            }
            return findings
        }
    }

    /// Answers the requests of mutations, after they were carried out, with statuses that prove nothing about that.
    func rejections() throws -> [String] {
        try forEachProbeCase { probeCase in
            let sent = try run(Trial(subject: subject, probeCase: probeCase)).observation.sent
            var findings: [String] = []
            for (index, sent) in sent.enumerated().prefix(20) where !sent.request.method.isSafe {
                guard case .mutation? = sent.kind else { continue }
                for status in Mutation.openStatuses {
                    let mutation = Mutation(name: "HTTP \(status)") { _ in HTTPResponse(status: status) }
                    let result = try run(Trial(subject: subject, probeCase: probeCase, spoiling: (index, mutation)))
                    var found = result.falseStatements
                    // Money may be taken later, when the payer has done their part: the journal holds the conclusion at
                    // this time. A later status request may show more.
                    let isClosed = result.histories.flatMap(\.entries).contains { entry in
                        if case .stepFailed(let name, _, _) = entry.event { name == sent.step } else { false }
                    }
                    let hasAsked = result.observation.sent.count > index + 1
                    if isClosed, !hasAsked { found.append("'\(sent.step ?? "")' is said to have done nothing") }
                    findings += found.map { "answer \(index + 1), HTTP \(status) after it was carried out: \($0)" }
                }
            }
            return findings
        }
    }

    /// Refuses each request that follows another one in the step of a mutation, without carrying it out.
    func laterRequests() throws -> [String] {
        try forEachProbeCase { probeCase in
            let sent = try run(Trial(subject: subject, probeCase: probeCase)).observation.sent
            var findings: [String] = []
            for index in sent.indices.dropFirst().prefix(20) {
                guard case .mutation? = sent[index].kind, sent[index].step == sent[index - 1].step else { continue }
                for status in Mutation.refusals {
                    let mutation = Mutation(name: "HTTP \(status)", isInstead: true) { _ in
                        HTTPResponse(status: status)
                    }
                    for goesOn in [false, true] {
                        let result = try run(
                            Trial(
                                subject: subject, probeCase: probeCase, spoiling: (index, mutation), goesOn: goesOn))
                        findings += result.falseStatements.map {
                            "request \(index + 1), HTTP \(status) after others of its step: \($0)"
                        }
                    }
                }
            }
            return findings
        }
    }

    func secrets() throws -> [String] {
        guard !subject.secrets.isEmpty else { throw SkipError(reason: "the vendor names no secrets") }
        return try forEachProbeCase { probeCase in
            let usual = try run(Trial(subject: subject, probeCase: probeCase))
            var results = [usual]
            for (index, response) in usual.observation.responses.prefix(20).enumerated() {
                for mutation in Mutation.all(of: response).prefix(9) {
                    results.append(try run(Trial(subject: subject, probeCase: probeCase, spoiling: (index, mutation))))
                }
            }
            var places = results.flatMap(\.texts)
            var dumped = ""
            dump(subject.service, to: &dumped)
            places += [dumped, "\(subject.service)"]
            let count = places.count { text in subject.secrets.contains { text.contains($0) } }
            return count == 0
                ? [] : ["a secret appears in \(count) of \(places.count) texts: logs, errors, dumps, journal, URLs"]
        }
    }

    func hosts() throws -> [String] {
        let declared = OutboundHosts(subject.service.descriptor.outboundHosts)
        return try forEachProbeCase { probeCase in
            let usual = try run(Trial(subject: subject, probeCase: probeCase))
            var sent = usual.observation.sent
            for index in usual.observation.responses.indices.prefix(20) {
                let redirect = Mutation(name: "redirect", isInstead: true) { _ in
                    HTTPResponse(status: 307, headers: ["Location": "https://elsewhere.example/"])
                }
                sent += try run(Trial(subject: subject, probeCase: probeCase, spoiling: (index, redirect))).observation
                    .sent
            }
            return Set(sent.map(\.request.url).filter { !declared.permits($0) }.map(\.authority)).sorted().map {
                "it calls \($0), which it does not declare"
            }
        }
    }

    func cancellation() throws -> [String] {
        try forEachProbeCase { probeCase in
            let moments = try run(Trial(subject: subject, probeCase: probeCase)).observation.moments
            var findings: [String] = []
            for moment in 0..<min(moments, 200) {
                let result = try run(Trial(subject: subject, probeCase: probeCase, cancellation: moment, goesOn: true))
                findings += (result.falseStatements + JournalRules.breaches(in: result.histories) + result.unsettled)
                    .map {
                        "cancelled at moment \(moment + 1): \($0)"
                    }
            }
            return findings
        }
    }
}
