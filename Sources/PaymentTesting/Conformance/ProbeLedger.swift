import PaymentCore
import PaymentRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The service's records of the payment: the truth that reported outcomes are compared with.
struct ProbeLedger: Sendable, Hashable {
    /// The amount of each capture.
    let captures: [UInt128?]
    /// The amount of each capture by the merchant.
    let collected: [UInt128]
    /// The amount of each refund.
    let given: [UInt128]
    /// The number of times that the payment was cancelled.
    let cancellations: Int
}

extension Trial.Result {
    /// The false statements about the result, by the service's own records.
    var falseStatements: [String] {
        switch probeCase {
        case .payment: falsePaymentStatements
        case .capture: falseStatements(about: \.collected, "captured")
        case .refund: falseStatements(about: \.given, "refunded")
        case .cancellation: falseCancellationStatements
        }
    }

    private var endings: [(ending: Trial.Ending, ledger: ProbeLedger)] { [(first, before), (last, after)] }

    private var falsePaymentStatements: [String] {
        var falseStatements: [String] = []
        if after.captures.count > 1 { falseStatements.append("money was taken \(after.captures.count) times") }
        for (ending, ledger) in endings {
            let captures = ledger.captures
            switch ending {
            case .success(.succeeded(let receipt)):
                if captures.isEmpty { falseStatements.append("it is called paid, but no money was taken") }
                let agreed = observation.agreed?.minorUnits
                if let agreed, let taken = captures.first ?? nil, taken != agreed {
                    falseStatements.append("another amount was taken than was agreed")
                }
                if let told = receipt.amount?.minorUnits, let taken = captures.first ?? nil, told != taken {
                    falseStatements.append("the receipt states another amount than was taken")
                }
            case .success(let outcome) where outcome.saysPaidElsewhere:
                if captures.isEmpty { falseStatements.append("it is called paid before, but no money was taken") }
            case .success(let outcome) where outcome.isFinal:
                if !captures.isEmpty { falseStatements.append("it is called \(outcome), but money was taken") }
            case .success: break
            case .failure(let error):
                falseStatements += Self.denial(error, isDone: !captures.isEmpty, "money was taken")
            }
        }
        return falseStatements
    }

    private func falseStatements(about movements: KeyPath<ProbeLedger, [UInt128]>, _ word: String) -> [String] {
        var falseStatements: [String] = []
        let count = after[keyPath: movements].count
        if count > 1 { falseStatements.append("money was \(word) \(count) times") }
        for (ending, ledger) in endings {
            let (moved, units) = (ledger[keyPath: movements].first, asked?.amount.minorUnits)
            switch ending {
            case .success(.succeeded(let receipt)):
                if moved == nil { falseStatements.append("it is called \(word), but nothing was") }
                if let moved, moved != units {
                    falseStatements.append("another amount was \(word) than was asked for")
                }
                if let told = receipt.amount, let moved, told.minorUnits != moved {
                    falseStatements.append("the receipt states another amount than was \(word)")
                }
            case .success(let outcome) where outcome.isFinal:
                if moved != nil { falseStatements.append("it is called \(outcome), but money was \(word)") }
            case .success: break
            case .failure(let error):
                falseStatements += Self.denial(error, isDone: moved != nil, "money was \(word)")
            }
        }
        return falseStatements
    }

    private var falseCancellationStatements: [String] {
        var falseStatements: [String] = []
        if after.cancellations > 1 { falseStatements.append("the payment was cancelled \(after.cancellations) times") }
        for (ending, ledger) in endings {
            switch ending {
            case .success(.succeeded):
                if ledger.captures.isEmpty { falseStatements.append("it is called paid, but no money was taken") }
            case .success(.cancelled) where ledger.cancellations == 0:
                falseStatements.append("it is called cancelled, but it was not cancelled")
            case .success(let outcome) where outcome.isFinal:
                if !ledger.captures.isEmpty { falseStatements.append("it is called \(outcome), but money was taken") }
            case .success, .failure: break
            }
        }
        if case .failure(let error) = first {
            falseStatements += Self.denial(error, isDone: before.cancellations > 0, "the payment was cancelled")
        }
        return falseStatements
    }

    private static func denial(_ error: PaymentError, isDone: Bool, _ what: String) -> [String] {
        if error.code == .providerFault { return ["an untyped error: \(error.message)"] }
        guard error.phase != .maybeSent, isDone else { return [] }
        return ["an error says that nothing happened, but \(what): \(error.message)"]
    }

    /// Every text that was written or shown, for the search for secrets.
    var texts: [String] {
        writtenTexts
            + observation.sent.flatMap { sent in
                var dumped = ""
                dump(sent.request, to: &dumped)
                return [sent.request.url.text, dumped]
            }
    }

    /// The texts of logs, endings and the journal.
    var writtenTexts: [String] {
        var texts = observation.events.map(\.description)
        for ending in [first, last] {
            var dumped = ""
            dump(ending, to: &dumped)
            texts += ["\(ending)", dumped]
        }
        for history in histories {
            let encoder = JSONEncoder()
            for data in [try? encoder.encode(history.attempt), try? encoder.encode(history.entries)] {
                texts.append(String(decoding: data ?? Data(), as: UTF8.self))
            }
        }
        return texts
    }
}

extension PaymentOutcome {
    /// True if it reports that this attempt paid nothing because another one has paid.
    var saysPaidElsewhere: Bool {
        if case .declined(let reason) = self { reason.code == .paidElsewhere } else { false }
    }
}
