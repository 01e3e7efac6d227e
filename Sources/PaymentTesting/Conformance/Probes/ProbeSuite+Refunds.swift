import PaymentCore
import PaymentRouting

/// Refunds: made once, and no other taken for the requested one.
extension ProbeSuite {
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
                            findings.append("\(what): money was given back \(given) times, not \(count)")
                        }
                    }
                    await check(first, 1, "a refund")
                    let router = try probeContext.router(of: probeContext.world.start())
                    await check(try await probeContext.ask(router), 1, "a refund that was asked for twice")
                    guard let sale = probeContext.backend.sale else { return findings }
                    guard sale.wholeRefundID == nil else {
                        let ledger = await probeContext.ledger
                        if ledger.given != [sale.price.minorUnits] {
                            findings.append("what was given back is not the whole price, once")
                        }
                        return findings
                    }
                    let request = try sale.part("conformance-8")
                    let other: Trial.Ending
                    do throws(PaymentError) { other = .success(try await router.refund(request)) } catch {
                        other = .failure(error)
                    }
                    await check(other, 2, "a second refund of the same amount, with an id of its own,")
                    return findings
                }))
        let isEmpty: Bool =
            if case .success(.succeeded) = result.first { result.observation.sent.isEmpty } else { false }
        return result.findings + (isEmpty ? ["it is called given back, but nothing was sent"] : [])
            + firstFalseStatements(of: result) + JournalRules.breaches(in: result.histories)
    }

    /// Returns the false statements of the first outcome, regardless of later actions.
    private func firstFalseStatements(of result: Trial.Result) -> [String] {
        guard case .success(.succeeded(let receipt)) = result.first, let asked = result.asked else { return [] }
        var falseStatements: [String] = []
        if result.before.given.contains(where: { $0 != asked.amount.minorUnits }) {
            falseStatements.append("another amount was given back than was asked for")
        }
        if let told = receipt.amount, told != asked.amount {
            falseStatements.append("the receipt states another amount")
        }
        return falseStatements
    }

    func refundDetails() throws -> [String] {
        guard let sale = try inBackend({ $0.sale }) else { throw SkipError(reason: "the backend names no sale") }
        let asked = try sale.part()
        var findings: [String] = []
        // The service does what it is asked, but its answers consistently name something else.
        for (what, distortion) in Distortion.all(of: asked) {
            let result = try run(
                Trial(subject: subject, probeCase: .refund, distortion: { distortion.apply(to: $0) }, goesOn: true))
            for case .success(.succeeded) in [result.first, result.last] where distortion.hasChanged {
                findings.append("answers name \(what), but the refund is called made")
                break
            }
        }
        // Refunds that are impossible.
        let otherCurrency = asked.amount.currency == .eur ? Currency.usd : .eur
        let impossible: [(String, @Sendable (ConformanceSubject.Sale) throws -> RefundRequest)] = [
            ("more than was paid", { sale in try sale.asking(sale.price.minorUnits + 1) }),
            ("nothing", { sale in try sale.asking(0) }),
            (
                "a payment that does not exist",
                { sale in
                    try sale.asking(1, of: PaymentReference(provider: sale.payment.provider, id: "no-such-payment"))
                }
            ),
            (
                "another currency",
                { sale in
                    sale.asking(try Money(minorUnits: 1, currency: otherCurrency))
                }
            ),
        ]
        for (what, asking) in impossible {
            let result = try run(Trial(subject: subject, probeCase: .refund, asking: asking))
            if case .success(.succeeded) = result.first {
                findings.append("asked to give back \(what), it says that it did")
            }
            if result.after.given.contains(where: { $0 > sale.price.minorUnits || $0 == 0 })
                || what == "another currency" && !result.after.given.isEmpty
            {
                findings.append("asked to give back \(what), the service was made to")
            }
        }
        return findings
    }
}

extension ConformanceSubject.Sale {
    fileprivate func asking(_ minorUnits: UInt128, of other: PaymentReference? = nil) throws -> RefundRequest {
        asking(try price.with(minorUnits: minorUnits), of: other)
    }

    fileprivate func asking(_ amount: Money, of other: PaymentReference? = nil) -> RefundRequest {
        RefundRequest(of: other ?? payment, amount: amount, id: wholeRefundID?(amount) ?? "conformance-9")
    }
}
