import PaymentCore
package import PaymentRouting

/// A spending: a row of the table `spending`.
package enum StoredSpending {
    package enum Column: String, ReferenceColumn {
        package static let table = "spending"
        case attempt, provider, subject, reference, amounts, day, payee, method, keeper, state, noticed
    }

    /// Returns a new row: a reservation that was not noticed yet.
    package static func values(_ spending: Spending) throws -> [Database.Value] {
        try Column.allCases.map { column in
            switch column {
            case .attempt: .text(spending.attempt.rawValue)
            case .provider, .subject, .reference: column.part(of: spending.payment)
            case .amounts:
                .text(
                    try StoredObject.text([
                        "amounts": .array(spending.amounts.map(StoredMoney.value)),
                        "zone": spending.timeZone.map { .string($0) },
                    ]))
            case .day: .integer(Int64(spending.day.number))
            case .payee: spending.payee.map { .text($0) } ?? .null
            case .method: spending.method.map { .text($0) } ?? .null
            case .keeper: .text(rawValue(spending.keeper))
            case .state: .text(rawValue(.reserved))
            case .noticed: .null
            }
        }
    }

    package static func read(_ row: Row<Column>) throws(JournalError) -> SpendingRecord {
        guard let (amounts, zone) = try? amounts(row.text(.amounts)), let keeper = keeper(row.text(.keeper)),
            let state = state(row.text(.state))
        else {
            throw row.damage("the spending of the attempt \(row.text(.attempt)) cannot be read")
        }
        return SpendingRecord(
            Spending(
                attempt: AttemptID(rawValue: row.text(.attempt)), payment: try row.reference(), amounts: amounts,
                day: SpendingDay(number: Int(row.integer(.day))), payee: row.optionalText(.payee),
                method: row.optionalText(.method), keeper: keeper, timeZone: zone),
            state: state, noticed: row.isNull(.noticed) ? nil : SpendingDay(number: Int(row.integer(.noticed))))
    }

    /// Returns the raw value of a state, which does not depend on the state's name in code.
    package static func rawValue(_ state: SpendingRecord.State) -> String {
        switch state {
        case .reserved: "reserved"
        case .paid: "paid"
        case .released: "released"
        }
    }

    private static func state(_ rawValue: String) -> SpendingRecord.State? {
        SpendingRecord.State.allCases.first { self.rawValue($0) == rawValue }
    }

    private static func rawValue(_ keeper: Spending.Keeper) -> String {
        switch keeper {
        case .journal: "journal"
        case .application: "application"
        }
    }

    private static func keeper(_ rawValue: String) -> Spending.Keeper? {
        Spending.Keeper.allCases.first { self.rawValue($0) == rawValue }
    }

    private static func amounts(_ text: String) throws -> (amounts: [Money], zone: String?) {
        let object = try StoredObject(text)
        let amounts = try object.objects("amounts").map(StoredMoney.read)
        guard !amounts.isEmpty else { throw StoredFormDefect() }
        return (amounts, try object.optionalText("zone"))
    }
}
