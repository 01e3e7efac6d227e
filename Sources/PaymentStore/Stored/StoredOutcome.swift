import PaymentCore

/// What became of an attempt.
enum StoredOutcome {
    static func text(_ outcome: PaymentOutcome) throws -> String {
        var members: [String: JSONValue?]
        switch outcome {
        case .succeeded(let receipt): members = ["outcome": "succeeded", "receipt": StoredReceipt.value(receipt)]
        case .declined(let reason):
            members = [
                "outcome": "declined", "code": .string(reason.code.rawValue), "message": .string(reason.message),
            ]
        case .cancelled: members = ["outcome": "cancelled"]
        case .expired: members = ["outcome": "expired"]
        case .pending(let retryAfter):
            members = ["outcome": "pending", "retryAfter": retryAfter.map { .number(JSONNumber(seconds: $0)) }]
        case .unknown(let unknown):
            members = [
                "outcome": "unknown", "reference": StoredReference.value(unknown.reference),
                "rawStatus": unknown.rawStatus.map { .string($0) }, "message": .string(unknown.message),
            ]
        }
        return try StoredForm.text(members)
    }

    static func read(_ text: String) throws(Unreadable) -> PaymentOutcome {
        let object = try StoredForm.object(text)
        switch object.form {
        case .first:
            // The outcome was the only key, its value an object, in which what belongs to it had the key `_0`.
            guard object.members.count == 1, let word = object.members.keys.first else { throw Unreadable() }
            let content = try object.object(word)
            switch word {
            case "succeeded": return .succeeded(try StoredReceipt.read(try content.object("_0")))
            case "declined", "unknown": return try read(word, try content.object("_0"))
            default: return try read(word, content)
            }
        case .second:
            let word = try object.text("outcome")
            if word == "succeeded" { return .succeeded(try StoredReceipt.read(try object.object("receipt"))) }
            return try read(word, object)
        }
    }

    private static func read(_ word: String, _ object: StoredObject) throws(Unreadable) -> PaymentOutcome {
        switch word {
        case "declined":
            .declined(DeclineReason(.init(rawValue: try object.text("code")), try object.text("message")))
        case "cancelled": .cancelled
        case "expired": .expired
        case "pending": .pending(retryAfter: try object.optionalDuration("retryAfter"))
        case "unknown":
            .unknown(
                UnknownOutcome(
                    reference: try StoredReference.read(try object.object("reference")),
                    rawStatus: try object.optionalText("rawStatus"), message: try object.text("message")))
        default: throw Unreadable()
        }
    }
}
