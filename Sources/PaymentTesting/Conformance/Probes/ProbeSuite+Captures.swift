import PaymentCore
import PaymentRouting

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
