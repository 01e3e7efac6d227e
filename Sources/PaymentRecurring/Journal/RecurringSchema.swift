import PaymentStore

extension Schema {
    /// The tables of a file with plans. Steps of released versions never change.
    ///
    /// `due` is the beginning of the next period of a plan that was not opened, and `look` the date of the next look at
    /// a period: null when there is none.
    static let recurring = Schema(
        kind: .recurringPlans,
        steps: [
            """
            CREATE TABLE plan (
                id TEXT NOT NULL PRIMARY KEY,
                revision INTEGER NOT NULL,
                due REAL,
                detail TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX plan_due ON plan (due) WHERE due IS NOT NULL;
            CREATE TABLE charge (
                plan TEXT NOT NULL REFERENCES plan (id),
                number INTEGER NOT NULL,
                look REAL,
                detail TEXT NOT NULL,
                PRIMARY KEY (plan, number)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX charge_look ON charge (look) WHERE look IS NOT NULL;
            CREATE TABLE trusted (
                only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
                date REAL NOT NULL
            ) STRICT;
            \(LeaseTable.definition)
            """
        ])
}
