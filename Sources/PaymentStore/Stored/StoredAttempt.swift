package import PaymentCore
package import PaymentRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An attempt: a row of the table `attempt`.
package enum StoredAttempt {
    /// The columns that are written when an attempt is opened.
    package enum Column: String, ReferenceColumn {
        package static let table = "attempt"
        case number, id, provider, subject, reference, option, key, started, expires, seal
    }

    /// The condition on the rows of refunds that name their payment, as in their index. The second text is the first
    /// one after all subjects of such refunds.
    package static let namesRefund = "subject >= 'refund of ' AND subject < 'refund of!'"

    /// The columns that an entry is checked against before it is added.
    package enum Status: String, ReferenceColumn {
        package static let table = "attempt"
        case number, provider, subject, reference, finished, paid
    }

    /// Returns true if an attempt takes an entry, as `AttemptHistory.takes(_:)` does.
    package static func takes(_ entry: JournalEntry, _ status: Row<Status>) -> Bool {
        status.integer(.finished) == 0 || entry.provesPayment && status.integer(.paid) == 0
    }

    /// Returns a new row.
    package static func values(_ attempt: PaymentAttempt) throws -> [Database.Value] {
        try Column.allCases.map { column in
            switch column {
            // SQLite numbers the rows.
            case .number: .null
            case .id: .text(attempt.id.rawValue)
            case .provider, .subject, .reference: column.part(of: attempt.reference)
            case .option: .text(try StoredOption.text(attempt.option))
            case .key: .text(attempt.idempotencyKey)
            case .started: .real(attempt.startedAt.timeIntervalSinceReferenceDate)
            case .expires: attempt.expiresAt.map { .real($0.timeIntervalSinceReferenceDate) } ?? .null
            case .seal: attempt.seal.map { .text($0) } ?? .null
            }
        }
    }

    package static func read(_ row: Row<Column>) throws(JournalError) -> PaymentAttempt {
        let id = row.text(.id)
        guard let option = try? StoredOption.read(row.text(.option)) else {
            throw row.damage("the option of \(id) cannot be read")
        }
        let reference = try row.reference()
        guard !reference.isRefund || reference.refundedPayment != nil else {
            throw row.damage("\(id) is a refund of no payment")
        }
        return PaymentAttempt(
            id: AttemptID(rawValue: id), reference: reference, option: option, idempotencyKey: row.text(.key),
            startedAt: Date(timeIntervalSinceReferenceDate: row.real(.started)),
            expiresAt: row.isNull(.expires) ? nil : Date(timeIntervalSinceReferenceDate: row.real(.expires)),
            seal: row.optionalText(.seal))
    }
}

/// The option that an attempt pays.
enum StoredOption {
    static func text(_ option: PaymentMethodOption) throws -> String {
        try StoredObject.text([
            "id": .string(option.id), "title": .string(option.title), "amount": StoredMoney.value(option.amount),
            "estimate": .bool(option.isEstimate), "account": option.account.map { .string($0.text) },
            "needs": .array(option.needs.map(StoredNeed.value)), "unmet": .array(option.unmet.map(StoredNeed.value)),
            "expires": try option.expiresAt.map { try JSONValue.encode($0.timeIntervalSinceReferenceDate) },
            "data": option.providerData,
        ])
    }

    static func read(_ text: String) throws(StoredFormDefect) -> PaymentMethodOption {
        let object = try StoredObject(text)
        var account: AccountID?
        if let text = try object.optionalText("account") {
            do { account = try AccountID(text) } catch { throw StoredFormDefect() }
        }
        var needs: [PayerNeed] = []
        for need in try object.objects("needs") { needs.append(try StoredNeed.read(need)) }
        var option = PaymentMethodOption(
            id: try object.text("id"), title: try object.text("title"),
            amount: try StoredMoney.read(try object.object("amount")), isEstimate: try object.flag("estimate"),
            account: account, needs: needs,
            expiresAt: try object.optionalNumber("expires").map(Date.init(timeIntervalSinceReferenceDate:)),
            providerData: object.members["data"])
        for need in try object.objects("unmet") { option.unmet.append(try StoredNeed.read(need)) }
        return option
    }
}

/// An option's demand on the payer.
enum StoredNeed {
    static func value(_ need: PayerNeed) -> JSONValue {
        switch need {
        case .signing(let method): ["need": "signing", "method": .string(method)]
        case .data: ["need": "data"]
        case .page: ["need": "page"]
        case .app(let name): ["need": "app", "name": .string(name)]
        case .code: ["need": "code"]
        case .settlement(let kind, let network):
            [
                "need": "settlement", "kind": .string(kind.rawValue),
                "network": network.map { .string($0) } ?? .null,
            ]
        }
    }

    static func read(_ object: StoredObject) throws(StoredFormDefect) -> PayerNeed {
        switch try object.text("need") {
        case "signing": .signing(method: try object.text("method"))
        case "data": .data
        case "page": .page
        case "app": .app(name: try object.text("name"))
        case "code": .code
        case "settlement":
            .settlement(.init(rawValue: try object.text("kind")), network: try object.optionalText("network"))
        default: throw StoredFormDefect()
        }
    }
}

/// Attempts with their entries, while the rows of both are read. There is one row for each entry of an attempt, or one
/// for an attempt without entries.
package struct StoredHistories {
    /// Each with its number, in the order of the rows.
    package private(set) var all: [(number: Int64, history: AttemptHistory)] = []

    package init() {}

    package mutating func add(
        _ attempt: Row<StoredAttempt.Column>, _ entry: Row<StoredEntry.Column>?
    ) throws(JournalError) {
        let number = attempt.integer(.number)
        if all.last?.number != number {
            all.append((number, AttemptHistory(attempt: try StoredAttempt.read(attempt))))
        }
        if let entry { all[all.count - 1].history.entries.append(try StoredEntry.read(entry)) }
    }

    /// Returns the page of a query. The attempts were read for it, and perhaps one more.
    package func page(_ query: AttemptQuery) -> AttemptPage {
        let page = all.prefix(query.limit)
        return AttemptPage(
            histories: page.map(\.history),
            next: all.count > query.limit ? page.last.map { AttemptCursor(position: $0.number) } : nil)
    }
}
