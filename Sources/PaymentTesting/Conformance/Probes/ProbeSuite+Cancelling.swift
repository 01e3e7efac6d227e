import PaymentCore
import PaymentRouting

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
