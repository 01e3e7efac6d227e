import PaymentCore
import PaymentRouting

/// Probes of what follows a request that may have moved money: questions that get no answer, and requests that arrive
/// twice.
extension ProbeSuite {
    /// Statuses of answers that say nothing about a payment.
    private static let statuses = [
        300, 302, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 418, 422, 425, 429, 431, 451, 499, 500, 501, 502,
        503, 504, 508, 511,
    ]

    /// Refuses every request behind the first one that could move money, and every one behind a later question, as long
    /// as the process lives; another one goes on.
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
