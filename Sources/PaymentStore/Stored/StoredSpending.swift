import PaymentCore

/// A spending: a row of the table `spending`.
enum StoredSpending {
    /// What is read of a row.
    static let columns = "attempt, provider, payment, amounts, day, payee, method, keeper, state, noticed"

    /// A new row's values, but for what nobody has noticed yet.
    static func values(_ spending: Spending) throws -> [Database.Value] {
        [
            .text(spending.attempt.rawValue), .text(spending.payment.provider.rawValue), .text(spending.payment.id),
            .text(try StoredForm.text(["amounts": .array(spending.amounts.map(StoredMoney.value))])),
            .integer(Int64(spending.day.number)), spending.payee.map { .text($0) } ?? .null,
            spending.method.map { .text($0) } ?? .null, .text(word(spending.keeper)), .text(word(.reserved)),
        ]
    }

    /// Reads a spending from ``columns``.
    static func read(_ row: Database.Columns) throws(JournalError) -> SpendingRecord {
        guard let amounts = try? amounts(row.text(3)), let keeper = keeper(row.text(7)), let state = state(row.text(8))
        else {
            throw row.damage("the spending of the attempt \(row.text(0)) cannot be read")
        }
        let payment = PaymentReference(provider: ProviderID(rawValue: row.text(1)), id: row.text(2))
        return SpendingRecord(
            Spending(
                attempt: AttemptID(rawValue: row.text(0)), payment: payment, amounts: amounts,
                day: SpendingDay(number: Int(row.integer(4))), payee: row.isNull(5) ? nil : row.text(5),
                method: row.isNull(6) ? nil : row.text(6), keeper: keeper),
            state: state, noticed: row.isNull(9) ? nil : SpendingDay(number: Int(row.integer(9))))
    }

    /// The word for a state, which outlives what the state is called.
    static func word(_ state: SpendingRecord.State) -> String {
        switch state {
        case .reserved: "reserved"
        case .paid: "paid"
        case .released: "released"
        }
    }

    private static func state(_ word: String) -> SpendingRecord.State? {
        SpendingRecord.State.allCases.first { self.word($0) == word }
    }

    private static func word(_ keeper: Spending.Keeper) -> String {
        switch keeper {
        case .journal: "journal"
        case .application: "application"
        }
    }

    private static func keeper(_ word: String) -> Spending.Keeper? {
        Spending.Keeper.allCases.first { self.word($0) == word }
    }

    private static func amounts(_ text: String) throws -> [Money] {
        let amounts = try StoredForm.object(text).objects("amounts").map(StoredMoney.read)
        guard !amounts.isEmpty else { throw Unreadable() }
        return amounts
    }
}
