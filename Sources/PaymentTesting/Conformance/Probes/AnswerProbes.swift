import PaymentCore
import PaymentRouting

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

    /// Answers the requests of mutations, after they were carried out, with statuses that prove nothing about it.
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

/// Probes of answers that repeat the request.
extension ProbeSuite {
    /// Lets the service repeat every secret of a request, in any text of the answer and in refusals.
    func echoes() throws -> [String] {
        guard !subject.secrets.isEmpty else { throw SkipError(reason: "the vendor names no secrets") }
        return try forEachProbeCase { probeCase in
            let usual = try run(Trial(subject: subject, probeCase: probeCase))
            var findings: [String] = []
            for (index, response) in usual.observation.responses.prefix(20).enumerated() {
                let known = secrets(in: usual.observation.sent[index].request)
                guard !known.isEmpty else { continue }
                let echo = "x " + Set(known).sorted().joined(separator: " ")
                for mutation in Self.refusals(repeating: echo)
                    + Mutation.replacingTexts(in: response, by: { _ in echo })
                {
                    let result = try run(Trial(subject: subject, probeCase: probeCase, spoiling: (index, mutation)))
                    let holds = result.writtenTexts.contains { text in subject.secrets.contains { text.contains($0) } }
                    if holds { findings.append("answer \(index + 1), \(mutation.name): a secret is written") }
                }
            }
            return findings
        }
    }

    private static func refusals(repeating echo: String) -> [Mutation] {
        let names = ["code", "message", "error", "errors", "detail", "details", "title", "id", "status", "reason"]
        let error = JSONValue.object(Dictionary(uniqueKeysWithValues: names.map { ($0, .string(echo)) }))
        return [400, 401, 500].flatMap { status in
            [("an error", error.serialized()), ("HTML", Array("<p>\(echo)</p>".utf8))].map { name, body in
                Mutation(name: "HTTP \(status) with \(name)", isInstead: true) { _ in
                    HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body)
                }
            }
        }
    }

    /// Returns the values of a request that hold secrets.
    private func secrets(in request: HTTPRequest) -> [String] {
        var texts = request.headers.fields.map { $0.value.split(separator: " ").last.map(String.init) ?? "" }
        if let body = try? JSONValue(parsing: request.body) { texts += Self.texts(in: body) }
        return texts.filter { text in subject.secrets.contains { text.contains($0) } }
    }

    private static func texts(in value: JSONValue) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(texts)
        case .object(let members): members.values.flatMap(texts)
        case .null, .bool, .number: []
        }
    }
}

/// Probes of what follows a request that may have moved money: questions that get no answer, and requests that arrive
/// twice.
extension ProbeSuite {
    /// Statuses of answers that say nothing about a payment.
    private static let statuses = [
        300, 302, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 418, 422, 425, 429, 431, 451, 499, 500, 501, 502,
        503, 504, 508, 511,
    ]

    /// Refuses every request behind the first one that could move money, and every one behind a later question, as long
    /// as the process lives. Another process then continues.
    func questions() throws -> [String] {
        try forEachProbeCase { probeCase in
            let usual = try run(Trial(subject: subject, probeCase: probeCase)).observation
            guard let mutation = usual.firstMutation else { return [] }
            let refusals = Self.refusals(like: usual.responses)
            let gone = refusals.filter { $0.answer.status == 404 }
            var findings: [String] = []
            func probe(_ first: Int, _ refusals: [(name: String, answer: HTTPResponse)], isLong: Bool) throws {
                for (name, answer) in refusals {
                    let result = try run(
                        Trial(
                            subject: subject, probeCase: probeCase, refusal: (first, answer), goesOn: !isLong,
                            afterwards: { try await dark($0, $1, isLong: isLong) }))
                    findings += (result.findings + result.falseStatements + (isLong ? [] : result.unsettled))
                        .map { "every request from number \(first + 1) on is answered by \(name): \($0)" }
                }
            }
            try probe(mutation + 1, refusals, isLong: false)
            try probe(mutation + 1, gone, isLong: true)
            for later in usual.sent.indices.dropFirst(mutation + 2).prefix(5) {
                try probe(later, gone, isLong: false)
            }
            return findings
        }
    }

    /// Returns refusals, some of which look like the outcome of a payment.
    private static func refusals(like genuine: [HTTPResponse]) -> [(name: String, answer: HTTPResponse)] {
        let json: HTTPHeaders = ["Content-Type": "application/json"]
        let word = #"{"status":"failed","state":"failed","code":"declined","error":"payment_failed"}"#
        let bodies = [("", []), (" with a word", Array(word.utf8)), (" with an outcome", genuine.last?.body ?? [])]
        let unreadable = [
            ("an empty body", HTTPResponse(status: 200)),
            ("HTML", HTTPResponse(status: 200, headers: ["Content-Type": "text/html"], body: Array("<html>".utf8))),
            ("null", HTTPResponse(status: 200, headers: json, body: Array("null".utf8))),
        ]
        return unreadable
            + statuses.enumerated().flatMap { index, status in
                // Each status with one body, and the frequent ones with all of them.
                (frequent.contains(status) ? bodies : [bodies[index % bodies.count]]).map { name, body in
                    ("HTTP \(status)\(name)", HTTPResponse(status: status, headers: json, body: body))
                }
            }
    }

    private static let frequent = [400, 404, 409, 500]

    /// Returns the ends that are stated while nothing can be asked: by the first process, by another one, and by a
    /// payer's return.
    ///
    /// - Parameter isLong: true if it lasts until nothing is repeated any more.
    private func dark(
        _ probeContext: Trial.ProbeContext, _ first: Trial.Ending, isLong: Bool
    ) async throws -> [String] {
        var findings: [String] = []
        func check(_ ending: Trial.Ending, _ who: String) async {
            guard case .success(let outcome) = ending, outcome.isFinal else { return }
            let isOpen = probeContext.world.disk.histories.contains { !$0.isFinished }
            let isProven = await probeContext.ledger.hasMoved(probeContext.trial.probeCase) && !isOpen
            switch (probeContext.trial.probeCase, outcome) {
            // The answer to the first request may prove it.
            case (.cancellation, .cancelled) where isProven, (_, .succeeded) where isProven: break
            default: findings.append("\(who) \(outcome)")
            }
        }
        await check(first, "it is called")
        guard let attempt = probeContext.world.disk.histories.first?.attempt else { return findings }
        let router = try probeContext.router(of: probeContext.world.start())
        func ask(_ who: String, _ question: () async throws(PaymentError) -> PaymentOutcome?) async {
            do throws(PaymentError) {
                if let outcome = try await question() { await check(.success(outcome), who) }
            } catch {}
        }
        if isLong {
            let window = max(subject.service.descriptor.replayWindow, .seconds(3600))
            try await probeContext.world.clock.sleep(for: window * 2)
        }
        await ask("its status is called") { () throws(PaymentError) in try await router.status(of: attempt.reference) }
        for url in await probeContext.backend.payment.messages().returns {
            await ask("after a return it is called") { () throws(PaymentError) in
                try await router.handle(url, as: probeContext.backend.payer)
            }
        }
        await check(try await probeContext.ask(router), "asked for again it is called")
        return findings
    }

    func doubledRequests() throws -> [String] {
        try forEachProbeCase { probeCase in
            let sent = try run(Trial(subject: subject, probeCase: probeCase)).observation.sent
            var findings: [String] = []
            for index in sent.indices.prefix(20) where sent[index].isMutation {
                let result = try run(Trial(subject: subject, probeCase: probeCase, doubled: index, goesOn: true))
                findings += (result.falseStatements + result.unsettled + JournalRules.breaches(in: result.histories))
                    .map { "request \(index + 1) arrives twice: \($0)" }
            }
            return findings
        }
    }
}

extension ProbeLedger {
    /// True if the service has done what the case asks for.
    func hasMoved(_ probeCase: Trial.ProbeCase) -> Bool {
        switch probeCase {
        case .payment: !captures.isEmpty
        case .capture: !collected.isEmpty
        case .refund: !given.isEmpty
        case .cancellation: cancellations > 0
        }
    }
}
