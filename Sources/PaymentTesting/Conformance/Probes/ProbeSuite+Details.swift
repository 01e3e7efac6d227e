import PaymentCore
import PaymentRouting

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
