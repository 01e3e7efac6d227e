import PaymentCore

/// The outcome of an attempt.
enum StoredOutcome {
    static func text(_ outcome: PaymentOutcome) throws -> String {
        var members: [String: JSONValue?]
        switch outcome.report {
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
        return try StoredObject.text(members)
    }

    /// Reads an outcome. Its decoder is the only way to one that was stated before.
    static func read(_ text: String) throws(StoredFormDefect) -> PaymentOutcome {
        do { return try JSONValue.encode(try report(text)).decode() } catch { throw StoredFormDefect() }
    }

    private static func report(_ text: String) throws(StoredFormDefect) -> ServiceReport {
        let object = try StoredObject(text)
        return switch try object.text("outcome") {
        case "succeeded": .succeeded(try StoredReceipt.read(try object.object("receipt")))
        case "declined":
            .declined(DeclineReason(.init(rawValue: try object.text("code")), try object.text("message")))
        case "cancelled": .cancelled
        case "expired": .expired
        case "pending": .pending(retryAfter: try object.optionalDuration("retryAfter"))
        case "unknown":
            .unknown(
                UnknownOutcome(
                    reference: try StoredReference.read(object.members["reference"]),
                    rawStatus: try object.optionalText("rawStatus"), message: try object.text("message")))
        default: throw StoredFormDefect()
        }
    }
}
