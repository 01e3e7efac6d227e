import PaymentCore
import PaymentRouting

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
