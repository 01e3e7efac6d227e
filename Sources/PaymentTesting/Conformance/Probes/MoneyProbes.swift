import PaymentCore
import PaymentRouting

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

    /// The number of different requests of each kind that may be repeated. A service that recognises a repetition
    /// refuses it, or takes it for another request, when anything about it differs.
    var replayable: [String: Int] {
        var seen: [String: Set<[String]>] = [:]
        for sent in observation.sent where !sent.request.method.isSafe {
            guard sent.kind == .mutation(replay: .sameKey) || sent.kind == .mutation(replay: .atAnyTime) else {
                continue
            }
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

/// Captures: made once, and over one amount.
extension ProbeSuite {
    func capture() throws -> [String] {
        let result = try run(
            Trial(
                subject: subject, probeCase: .capture,
                afterwards: { probeContext, first in
                    var findings: [String] = []
                    func check(_ ending: Trial.Ending, isRefused: Bool = false, _ what: String) async {
                        let isMade: Bool = if case .success(.succeeded) = ending { true } else { false }
                        if isMade == isRefused { findings.append("\(what) ended with \(ending)") }
                        let count = await probeContext.ledger.collected.count
                        if count != 1 { findings.append("\(what): money was captured \(count) times, not 1") }
                    }
                    await check(first, "a capture")
                    let router = try probeContext.router(of: probeContext.world.start())
                    await check(try await probeContext.ask(router), "a capture that was asked for twice")
                    let part = try probeContext.backend.part()
                    let more = CaptureRequest(
                        of: part.payment, amount: try part.amount.with(minorUnits: part.amount.minorUnits + 1))
                    let other: Trial.Ending
                    do throws(PaymentError) { other = .success(try await router.capture(more)) } catch {
                        other = .failure(error)
                    }
                    await check(other, isRefused: true, "a capture of another amount beside it")
                    return findings
                }))
        let isEmpty: Bool =
            if case .success(.succeeded) = result.first { result.observation.sent.isEmpty } else { false }
        return result.findings + (isEmpty ? ["it is called captured, but nothing was sent"] : [])
            + firstFalseStatements(of: result) + JournalRules.breaches(in: result.histories)
    }
}

/// Refunds: made once.
extension ProbeSuite {
    /// An id with characters that few services take, and more of them.
    private static let anyID = "~ 2024/9 #&%; \u{E9}\u{1F600} .." + String(repeating: "x", count: 200)

    func refund() throws -> [String] {
        let result = try run(
            Trial(
                subject: subject, probeCase: .refund,
                afterwards: { probeContext, first in
                    var findings: [String] = []
                    func check(_ ending: Trial.Ending, _ count: Int, _ what: String) async {
                        let given = await probeContext.ledger.given.count
                        if case .success(.succeeded) = ending {
                        } else {
                            findings.append("\(what) ended with \(ending)")
                        }
                        if given != count {
                            findings.append("\(what): money was refunded \(given) times, not \(count)")
                        }
                    }
                    await check(first, 1, "a refund")
                    let router = try probeContext.router(of: probeContext.world.start())
                    await check(try await probeContext.ask(router), 1, "a refund that was asked for twice")
                    let backend = probeContext.backend
                    let price = try backend.price
                    func ask(_ request: RefundRequest) async -> Trial.Ending {
                        do throws(PaymentError) { return .success(try await router.refund(request)) } catch {
                            return .failure(error)
                        }
                    }
                    let second = try backend.part("conformance-8")
                    guard !backend.refundsOnce else {
                        if case .success(.succeeded) = await ask(second) {
                            findings.append("a payment that is refunded once was refunded under a second id")
                        }
                        let ledger = await probeContext.ledger
                        if ledger.given != [price.minorUnits] {
                            findings.append("the refund is not the whole price, once")
                        }
                        return findings
                    }
                    await check(await ask(second), 2, "a second refund of the same amount, with another id,")
                    // Any text is an id; what was refused under it leaves it free.
                    let tooMuch = RefundRequest(
                        of: backend.payment.reference, amount: try price.with(minorUnits: price.minorUnits + 1),
                        id: Self.anyID)
                    if case .success(.succeeded) = await ask(tooMuch) {
                        findings.append("more than was paid was refunded")
                    }
                    let third = try backend.part(Self.anyID)
                    await check(await ask(third), 3, "a refund whose id is any text, after one that was refused,")
                    await check(await ask(third), 3, "a refund whose id is any text, asked for twice,")
                    return findings
                }))
        let isEmpty: Bool =
            if case .success(.succeeded) = result.first { result.observation.sent.isEmpty } else { false }
        return result.findings + (isEmpty ? ["it is called refunded, but nothing was sent"] : [])
            + firstFalseStatements(of: result) + JournalRules.breaches(in: result.histories)
    }

    /// Returns the false statements of the first outcome, regardless of later actions.
    func firstFalseStatements(of result: Trial.Result) -> [String] {
        guard case .success(.succeeded(let receipt)) = result.first, let asked = result.asked else { return [] }
        var falseStatements: [String] = []
        if result.before.given.contains(where: { $0 != asked.amount.minorUnits }) {
            falseStatements.append("another amount was refunded than was asked for")
        }
        if let told = receipt.amount, told != asked.amount {
            falseStatements.append("the receipt states another amount")
        }
        return falseStatements
    }
}

/// Captures and refunds: no other is taken for the requested one.
extension ProbeSuite {
    /// The service takes what was agreed, but every answer from the one to the charge on names something else.
    func paymentDetails() throws -> [String] {
        let usual = try run(Trial(subject: subject))
        guard let first = usual.observation.firstMutation, let agreed = usual.observation.agreed,
            let payment = usual.histories.first?.attempt.reference
        else { throw SkipError(reason: "no request of its own moves the money") }
        var findings: [String] = []
        for (what, distortion) in Distortion.all(of: RefundRequest(of: payment, amount: agreed, id: "")) {
            let result = try run(
                Trial(subject: subject, distortion: (first, { distortion.apply(to: $0) }), goesOn: true))
            for case .success(.succeeded) in [result.first, result.last] where distortion.hasChanged {
                findings.append("answers name \(what), but the payment is called paid")
                break
            }
        }
        return findings
    }

    func details(of probeCase: Trial.ProbeCase) throws -> [String] {
        let (price, asked) = try inBackend { (try $0.price, try $0.part()) }
        var findings: [String] = []
        // The service does what it is asked, but its answers consistently name something else.
        let word = probeCase == .refund ? "refund" : "capture"
        for (what, distortion) in Distortion.all(of: asked) {
            let result = try run(
                Trial(
                    subject: subject, probeCase: probeCase, distortion: (0, { distortion.apply(to: $0) }), goesOn: true)
            )
            for case .success(.succeeded) in [result.first, result.last] where distortion.hasChanged {
                findings.append("answers name \(what), but the \(word) is called made")
                break
            }
        }
        // What is impossible.
        let otherCurrency = asked.amount.currency == .eur ? Currency.usd : .eur
        let impossible: [(String, @Sendable (ProbeSubject.Backend) throws -> RefundRequest)] = [
            ("more than was paid", { try $0.asking($0.price.minorUnits + 1) }),
            ("nothing", { try $0.asking(0) }),
            (
                "a payment that does not exist",
                {
                    let provider = $0.payment.reference.provider
                    return try $0.asking(1, of: PaymentReference(provider: provider, id: "no-such-payment"))
                }
            ),
            ("another currency", { $0.asking(try Money(minorUnits: 1, currency: otherCurrency)) }),
        ]
        for (what, asking) in impossible {
            let result = try run(Trial(subject: subject, probeCase: probeCase, asking: asking))
            let moved = probeCase == .refund ? result.after.given : result.after.collected
            if case .success(.succeeded) = result.first {
                findings.append("asked to \(word) \(what), it says that it did")
            }
            if moved.contains(where: { $0 > price.minorUnits || $0 == 0 })
                || what == "another currency" && !moved.isEmpty
            {
                findings.append("asked to \(word) \(what), the service was made to")
            }
        }
        return findings
    }
}

extension ProbeSubject.Backend {
    fileprivate func asking(_ minorUnits: UInt128, of other: PaymentReference? = nil) throws -> RefundRequest {
        asking(try price.with(minorUnits: minorUnits), of: other)
    }

    fileprivate func asking(_ amount: Money, of other: PaymentReference? = nil) -> RefundRequest {
        RefundRequest(of: other ?? payment.reference, amount: amount, id: "conformance-9")
    }
}

/// Payments that a merchant cancels.
extension ProbeSuite {
    func cancelling() throws -> [String] {
        let result = try run(
            Trial(
                subject: subject, probeCase: .cancellation,
                afterwards: { probeContext, first in
                    var findings: [String] = []
                    func check(_ ending: Trial.Ending, _ what: String) async {
                        let count = await probeContext.ledger.cancellations
                        if case .success(.cancelled) = ending {
                        } else {
                            findings.append("\(what) ended with \(ending)")
                        }
                        if count != 1 { findings.append("\(what): the payment was cancelled \(count) times") }
                    }
                    await check(first, "cancelling")
                    await check(
                        try await probeContext.ask(try probeContext.router(of: probeContext.world.start())),
                        "cancelling twice")
                    await probeContext.backend.payment.pay()
                    if await !probeContext.ledger.captures.isEmpty {
                        findings.append("it was paid after it was cancelled")
                    }
                    return findings
                }))
        var findings = result.findings + result.repetitions
        for index in 0..<100 {
            let result = try run(Trial(subject: subject, probeCase: .cancellation, crash: index, goesOn: true))
            guard result.hasDied else { break }
            findings += (result.repetitions + result.unsettled).map { "crashed at operation \(index + 1): \($0)" }
        }
        let unknown = try run(
            Trial(
                subject: subject, probeCase: .cancellation,
                target: { PaymentReference(provider: $0.payment.reference.provider, id: "no-such-payment") }))
        if case .success(let outcome) = unknown.first, outcome.isFinal {
            findings.append("a payment that does not exist is called \(outcome)")
        }
        return findings
    }

    /// Pays as the payer at every moment of a cancellation.
    func cancellationRaces() throws -> [String] {
        let count = try run(Trial(subject: subject, probeCase: .cancellation)).observation.responses.count
        var findings: [String] = []
        for index in 0..<min(count, 20) {
            for isAfter in [false, true] {
                let result = try run(
                    Trial(subject: subject, probeCase: .cancellation, race: (index, isAfter), goesOn: true))
                var found = result.falseStatements + result.repetitions
                if result.after.captures.isEmpty == (result.after.cancellations == 0) {
                    found.append("in the end it is neither only paid nor only cancelled")
                }
                findings += found.map { "paid \(isAfter ? "after" : "before") request \(index + 1) arrived: \($0)" }
            }
        }
        return findings
    }
}
