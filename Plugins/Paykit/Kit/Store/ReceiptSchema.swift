import PaymentStore

extension Schema {
    /// The tables of a file of receipts. The names in them are texts that either side chose.
    static let receipts = Schema(
        kind: .receipts,
        steps: [
            """
            CREATE TABLE receipt (
                number INTEGER PRIMARY KEY,
                payer TEXT NOT NULL,
                payee TEXT NOT NULL,
                name TEXT NOT NULL,
                method TEXT NOT NULL,
                amount TEXT,
                currency TEXT,
                created INTEGER NOT NULL,
                stage TEXT NOT NULL,
                metadata TEXT NOT NULL,
                proof TEXT,
                UNIQUE (payer, payee, name)
            ) STRICT;
            CREATE TABLE arrival (
                kind TEXT NOT NULL,
                sender TEXT NOT NULL,
                name TEXT NOT NULL,
                PRIMARY KEY (kind, sender, name)
            ) STRICT, WITHOUT ROWID;
            """
        ])
}
