import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The texts that are sealed. They never change: a seal is compared years later with one that is made anew. But for
/// references and kinds of steps, whose texts are fixed (``PaymentReference/parts``, ``StepKind/rawValue``), they are
/// neither the values' names in code nor their stored form, so that both may change.
enum SealEncoding {
    static func option(_ option: PaymentMethodOption) throws -> String {
        var value: JSONValue = [
            "id": .string(option.id), "title": .string(option.title), "amount": money(option.amount),
            "needs": .array(option.needs.map(need)), "unmet": .array(option.unmet.map(need)),
        ]
        if option.isEstimate { value["estimate"] = true }
        value["account"] = option.account.map { .string($0.text) }
        value["expiresAt"] = try option.expiresAt.map { try JSONValue.encode($0.timeIntervalSinceReferenceDate) }
        value["providerData"] = option.providerData
        // Throws for a value that nests too deep.
        return try JSONValue.encode(value).text
    }

    static func event(_ event: JournalEntry.Event) throws -> [String] {
        switch event {
        case .stepStarted(let name, let kind): ["started", name, kind.rawValue]
        case .stepFinished(let name, let result): ["finished", name, result.text]
        case .stepFailed(let name, let reason, let wasSent): [wasSent ? "failed" : "unsent", name, reason]
        case .outcome(let outcome): ["outcome", "", try Self.outcome(outcome).text]
        case .abandoned(let reason): ["abandoned", "", reason]
        }
    }

    static func date(_ date: Date) -> String { String(date.timeIntervalSinceReferenceDate.bitPattern, radix: 16) }

    // MARK: Parts

    private static func outcome(_ outcome: PaymentOutcome) throws -> JSONValue {
        switch outcome {
        case .succeeded(let receipt):
            var value: JSONValue = ["reference": reference(receipt.reference)]
            value["amount"] = receipt.amount.map(money)
            value["transactionID"] = receipt.transactionID.map { .string($0) }
            value["decision"] = receipt.decision.map { .string($0) }
            value["unproven"] = receipt.unproven.map { .string($0) }
            if receipt.isEarlier { value["earlier"] = true }
            return ["succeeded": ["_0": value]]
        case .declined(let reason):
            return ["declined": ["_0": ["code": .string(reason.code.rawValue), "message": .string(reason.message)]]]
        case .cancelled: return ["cancelled": [:]]
        case .expired: return ["expired": [:]]
        case .pending(let retryAfter):
            var value: JSONValue = [:]
            if let retryAfter { value["retryAfter"] = .number(JSONNumber(seconds: retryAfter)) }
            return ["pending": value]
        case .unknown(let unknown):
            var value: JSONValue = ["reference": reference(unknown.reference), "message": .string(unknown.message)]
            value["rawStatus"] = unknown.rawStatus.map { .string($0) }
            return ["unknown": ["_0": value]]
        }
    }

    private static func reference(_ reference: PaymentReference) -> JSONValue {
        .array(reference.parts.map { .string($0) })
    }

    private static func money(_ money: Money) -> JSONValue {
        [
            "minorUnits": .string(money.minorUnitText), "currency": .string(money.currency.unit),
            "exponent": .number(JSONNumber(money.exponent)),
        ]
    }

    private static func need(_ need: PayerNeed) -> JSONValue {
        switch need {
        case .signing(let method): ["signing": ["method": .string(method)]]
        case .data: ["data": [:]]
        case .page: ["page": [:]]
        case .app(let name): ["app": ["name": .string(name)]]
        case .code: ["code": [:]]
        case .settlement(let kind, let network):
            [
                "settlement": [
                    "kind": .string(kind.rawValue), "network": network.map { .string($0) } ?? .null,
                ]
            ]
        }
    }
}
