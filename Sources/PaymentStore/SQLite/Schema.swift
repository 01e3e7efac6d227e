import PaymentCore

/// The tables of a journal file, or of another of ours, and the steps that bring an older file up to date.
package struct Schema: Sendable {
    /// Marks the file as ours (`PRAGMA application_id`): a payment journal is `PRJ1`.
    let applicationID: Int32
    /// One script per version: the first makes version 1 of an empty file, each later one makes the next version.
    /// Scripts already published never change.
    let steps: [String]

    package init(applicationID: Int32 = 0x5052_4A31, steps: [String]) {
        self.applicationID = applicationID
        self.steps = steps
    }

    /// The version that the steps lead to.
    package var version: Int { steps.count }

    package static let current = Schema(steps: [
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
        // From here on `StoredForm.second` is written. When an attempt ended, and whether it paid, is what lists are made by
        // and what is old is removed by; outcomes of the first form say `succeeded` before everything else.
        """
        ALTER TABLE attempt ADD COLUMN ended REAL;
        ALTER TABLE attempt ADD COLUMN paid INTEGER NOT NULL DEFAULT 0;
        UPDATE attempt SET
            ended = (SELECT date FROM entry WHERE attempt = attempt.number ORDER BY position DESC LIMIT 1),
            paid = EXISTS (
                SELECT 1 FROM entry
                WHERE attempt = attempt.number AND event = 'outcome' AND substr(detail, 1, 13) = '{"succeeded":')
            WHERE finished = 1;
        CREATE INDEX attempt_ended ON attempt (ended) WHERE finished = 1;
        """,
        // What is spent without a question. It outlives the attempt, so that pruning frees nothing.
        """
        CREATE TABLE spending (
            number INTEGER PRIMARY KEY,
            attempt TEXT NOT NULL UNIQUE,
            provider TEXT NOT NULL,
            payment TEXT NOT NULL,
            amounts TEXT NOT NULL,
            day INTEGER NOT NULL,
            payee TEXT,
            method TEXT,
            keeper TEXT NOT NULL,
            state TEXT NOT NULL,
            noticed INTEGER
        ) STRICT;
        CREATE INDEX spending_day ON spending (day);
        CREATE INDEX spending_reserved ON spending (number) WHERE state = 'reserved';
        """,
    ])

    /// Refuses a file that is not ours, too new, or has anything in it that its version does not have. An empty file is
    /// fine.
    func check(_ database: Database) throws(JournalError) {
        guard try database.number("SELECT count(*) FROM sqlite_schema") != 0 else { return }
        try checkOwnership(database)
        let found = Int(try database.number("PRAGMA user_version") ?? 0)
        guard found <= version else { throw .newerVersion(path: database.path, found: found, supported: version) }
        try checkObjects(database, version: found)
    }

    /// Compares the file's tables, indexes, views and triggers with those that the steps make, definition by definition:
    /// a view in a table's place, or a trigger upon one, would decide what is read of payments and written of them.
    private func checkObjects(_ database: Database, version: Int) throws(JournalError) {
        let model = try Database(path: ":memory:")
        for step in steps.prefix(version) { try model.execute(step) }
        var expected = try Self.objects(model)
        for (name, object) in try Self.objects(database).sorted(by: { $0.key < $1.key }) {
            guard let other = expected.removeValue(forKey: name), other.kind == object.kind else {
                // What `ANALYZE` leaves.
                if ["sqlite_stat1", "sqlite_stat4"].contains(name), object.kind == "table" { continue }
                throw .unexpectedSchema(path: database.path, detail: "it holds the \(object.kind) '\(name.prefix(64))'")
            }
            guard object == other else {
                throw .unexpectedSchema(
                    path: database.path, detail: "its \(object.kind) '\(name)' is not the one that this program makes")
            }
        }
        for (name, object) in expected.sorted(by: { $0.key < $1.key }) {
            throw .unexpectedSchema(path: database.path, detail: "it lacks the \(object.kind) '\(name)'")
        }
    }

    private struct Object: Equatable {
        let kind: String
        let table: String
        /// The statement that makes it; empty for what SQLite makes by itself.
        let definition: String
    }

    private static func objects(_ database: Database) throws(JournalError) -> [String: Object] {
        let rows = try database.query("SELECT name, type, tbl_name, sql FROM sqlite_schema") {
            ($0.text(0), Object(kind: $0.text(1), table: $0.text(2), definition: $0.text(3)))
        }
        return Dictionary(rows) { first, _ in first }
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
                try database.execute("PRAGMA application_id = \(applicationID)")
            } else {
                try checkOwnership(database)
            }
            for step in steps[found...] { try database.execute(step) }
            try database.execute("PRAGMA user_version = \(version)")
        }
    }

    private func checkOwnership(_ database: Database) throws(JournalError) {
        guard try database.number("PRAGMA application_id") == Int64(applicationID) else {
            throw .notAJournal(path: database.path)
        }
    }
}
