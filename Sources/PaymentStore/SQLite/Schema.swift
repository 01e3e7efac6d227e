import PaymentCore

/// The tables of a journal file, and the steps that bring an older file up to date.
struct Schema: Sendable {
    /// Marks the file as ours (`PRAGMA application_id`): `PRJ1`.
    static let applicationID: Int32 = 0x5052_4A31

    /// One script per version: the first makes version 1 of an empty file, each later one makes the next version.
    /// Scripts already published never change.
    let steps: [String]

    /// The version that the steps lead to.
    var version: Int { steps.count }

    static let current = Schema(steps: [
        """
        CREATE TABLE attempt (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            provider TEXT NOT NULL,
            payment TEXT NOT NULL,
            option TEXT NOT NULL,
            key TEXT NOT NULL,
            started REAL NOT NULL,
            expires REAL,
            finished INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX attempt_payment ON attempt (provider, payment);
        CREATE INDEX attempt_unfinished ON attempt (number) WHERE finished = 0;
        CREATE TABLE entry (
            attempt INTEGER NOT NULL REFERENCES attempt (number),
            position INTEGER NOT NULL,
            date REAL NOT NULL,
            event TEXT NOT NULL,
            name TEXT,
            detail TEXT NOT NULL,
            PRIMARY KEY (attempt, position)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE lease (
            provider TEXT NOT NULL,
            payment TEXT NOT NULL,
            holder TEXT NOT NULL,
            owner INTEGER NOT NULL,
            ends REAL NOT NULL,
            PRIMARY KEY (provider, payment)
        ) STRICT, WITHOUT ROWID;
        """,
        "ALTER TABLE attempt ADD COLUMN refund TEXT",
        """
        ALTER TABLE attempt ADD COLUMN seal TEXT;
        ALTER TABLE entry ADD COLUMN seal TEXT;
        """,
    ])

    /// Refuses a file that is not ours or too new. `database` is open for looking only; an empty file is fine.
    func check(_ database: Database) throws(JournalError) {
        guard try database.number("SELECT count(*) FROM sqlite_schema") != 0 else { return }
        try checkOwnership(database)
        let found = Int(try database.number("PRAGMA user_version") ?? 0)
        guard found <= version else { throw .newerVersion(path: database.path, found: found, supported: version) }
    }

    /// Makes the tables, or brings them up to date, in one transaction.
    func apply(to database: Database) throws(JournalError) {
        let version = version
        let steps = steps
        if try database.number("PRAGMA user_version") == Int64(version) {
            return try checkOwnership(database)
        }
        try database.transaction { () throws(JournalError) in
            let found = Int(try database.number("PRAGMA user_version") ?? 0)
            guard found <= version else {
                throw .newerVersion(path: database.path, found: found, supported: version)
            }
            if found == 0 {
                guard try database.number("SELECT count(*) FROM sqlite_schema") == 0 else {
                    throw .notAJournal(path: database.path)
                }
                try database.execute("PRAGMA application_id = \(Self.applicationID)")
            } else {
                try checkOwnership(database)
            }
            for step in steps[found...] { try database.execute(step) }
            try database.execute("PRAGMA user_version = \(version)")
        }
    }

    private func checkOwnership(_ database: Database) throws(JournalError) {
        guard try database.number("PRAGMA application_id") == Int64(Self.applicationID) else {
            throw .notAJournal(path: database.path)
        }
    }
}
