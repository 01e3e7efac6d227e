import PaymentStore

extension Schema {
    /// The tables of a file with plans. Published steps never change.
    ///
    /// `due` is when the next period of a plan begins that was not opened, and `look` when a period is looked at next: null
    /// when never again.
    static let recurring = Schema(
        // `PRR1`.
        applicationID: 0x5052_5231,
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
            CREATE TABLE lease (
                provider TEXT NOT NULL,
                payment TEXT NOT NULL,
                holder TEXT NOT NULL,
                owner INTEGER NOT NULL,
                ends REAL NOT NULL,
                PRIMARY KEY (provider, payment)
            ) STRICT, WITHOUT ROWID;
            """
        ])
}
