import PaymentCore
import PaymentRouting

/// Refunds: made once, and no other taken for the one that was asked for.
extension Battery {
    func refund() throws -> [String] {
        let result = try run(
            Trial(
                subject: subject, errand: .refund,
                afterwards: { scene, first in
                    var findings: [String] = []
                    func check(_ ending: Trial.Ending, _ count: Int, _ what: String) async {
                        let given = await scene.books.given.count
                        if case .success(.succeeded) = ending {
                        } else {
                            findings.append("\(what) ended with \(ending)")
                        }
                        if given != count {
                            findings.append("\(what): money was given back \(given) times, not \(count)")
                        }
                    }
                    await check(first, 1, "a refund")
                    let router = try scene.router(of: scene.world.start())
                    await check(try await scene.ask(router), 1, "a refund that was asked for twice")
                    guard let sale = scene.backend.sale else { return findings }
                    guard sale.wholeRefundID == nil else {
                        let books = await scene.books
                        if books.given != [sale.price.minorUnits] {
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
            + firstLies(of: result) + JournalRules.breaches(in: result.histories)
    }

    /// What is wrong with the first word, whatever was done after it.
    private func firstLies(of result: Trial.Result) -> [String] {
        guard case .success(.succeeded(let receipt)) = result.first, let asked = result.asked else { return [] }
        var lies: [String] = []
        if result.before.given.contains(where: { $0 != asked.amount.minorUnits }) {
            lies.append("another amount was given back than was asked for")
        }
        if let told = receipt.amount, told != asked.amount { lies.append("the receipt states another amount") }
        return lies
    }

    func refundDetails() throws -> [String] {
        guard let sale = try inBackend({ $0.sale }) else { throw Skip(reason: "the backend names no sale") }
        let asked = try sale.part()
        var findings: [String] = []
        // The service does what it is asked, and tells of something else, to whatever question.
        for (what, distortion) in Distortion.all(of: asked) {
            let result = try run(
                Trial(subject: subject, errand: .refund, distortion: { distortion.apply(to: $0) }, goesOn: true))
            for case .success(.succeeded) in [result.first, result.last] where distortion.hasChanged {
                findings.append("answers name \(what), but the refund is called made")
                break
            }
        }
        // What cannot be given back.
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
            let result = try run(Trial(subject: subject, errand: .refund, asking: asking))
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
