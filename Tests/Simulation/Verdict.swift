import PaymentCore
import PaymentTesting

/// What is to be said of a history.
package struct Verdict: Sendable {
    /// Every promise that was broken, in words. Empty when all is well.
    package var breaches: [String] = []
    /// What happened, line by line, when the history was traced.
    package var trace: [String] = []
    /// How many payments there were.
    package var payments = 0
    /// How often money was taken.
    package var captures = 0
    /// How many processes were started.
    package var processes = 0
    /// How many seconds passed.
    package var seconds = 0.0
}

/// What the history's callers were told, by payment.
actor Hearsay {
    private(set) var outcomes: [PaymentReference: [PaymentOutcome]] = [:]
    private(set) var breaches: [String] = []

    func note(_ payment: PaymentReference, _ outcome: PaymentOutcome) { outcomes[payment, default: []].append(outcome) }
    func breach(_ text: String) { breaches.append(text) }
}

/// Compares what was told and written with the services' books.
struct Judgement: Sendable {
    let markets: Markets
    let payer: CarefulPayer
    let hearsay: Hearsay

    /// How a payment of a history ended for those who kept asking. Refused: nothing was sent, says an error.
    enum Ending: Sendable, Hashable { case outcome(PaymentOutcome), refused }

    func verdict(
        _ payments: [MarketPayment], _ endings: [PaymentReference: Ending], _ histories: [AttemptHistory]
    ) async -> Verdict {
        var verdict = Verdict(breaches: await hearsay.breaches, payments: payments.count)
        for payment in payments {
            let captures = await markets.captures(of: payment.reference)
            verdict.captures += captures
            let name = payment.reference.id
            if captures > 1 { verdict.breaches.append("\(name) was captured \(captures) times") }
            let isPaid = await markets.isPaid(payment.reference)
            let told = await hearsay.outcomes[payment.reference] ?? []
            for outcome in told where outcome.isFinal {
                if case .succeeded = outcome {
                    if !isPaid { verdict.breaches.append("\(name) was called paid, but is not") }
                } else if isPaid {
                    verdict.breaches.append("\(name) was called \(outcome), but is paid")
                }
            }
            switch endings[payment.reference] {
            case .refused? where isPaid: verdict.breaches.append("\(name) was refused in the end, but is paid")
            case nil where !payment.isEndless || captures == 0:
                verdict.breaches.append("\(name) reached no end within the time after everything healed")
            case .outcome?, .refused?, nil: break
            }
        }
        for history in histories { verdict.breaches += await breaches(in: history, payments) }
        verdict.breaches += JournalRules.breaches(in: histories)
        verdict.breaches += payer.doubled.map { "the wallet sent \($0) twice" }
        return verdict
    }

    private func breaches(in history: AttemptHistory, _ payments: [MarketPayment]) async -> [String] {
        let payment = history.attempt.reference
        let wasCaptured = await markets.wasCaptured(history.attempt)
        let isPaid = await markets.isPaid(payment)
        switch history.outcome {
        case _ where !history.isFinished:
            let isEndless = payments.contains { $0.reference == payment && $0.isEndless }
            return isEndless && wasCaptured ? [] : ["\(history.attempt.id) stays unfinished after everything healed"]
        case .succeeded?: return isPaid ? [] : ["\(history.attempt.id) is written as paid, but is not"]
        case let outcome? where outcome.isFinal:
            return isPaid && wasCaptured ? ["\(history.attempt.id) is written as \(outcome), but is paid"] : []
        default:
            return wasCaptured
                ? ["\(history.attempt.id) was abandoned as without effect, but money was taken"] : []
        }
    }
}

/// Checks that whatever can move money is covered by a durable record at the moment when it leaves. The attempt may have
/// ended: while its process was stopped, another one may have taken it over and settled it.
struct DurabilityCheck: HTTPTransport {
    let base: any HTTPTransport
    let disk: SimulatedDisk
    let markets: Markets
    let hearsay: Hearsay

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        if let payment = markets.payment(movedBy: request) {
            let isCovered = disk.durableHistories.contains { history in
                history.attempt.reference == payment && history.mayHaveMovedMoney
            }
            if !isCovered { await hearsay.breach("a request for \(payment.id) left before its step was durable") }
        }
        return try await base.send(request)
    }
}
