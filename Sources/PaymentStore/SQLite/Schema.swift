import PaymentCore
package import PaymentRouting

/// The tables of a journal file, or of another file of this software, and the steps that migrate an older file.
package struct Schema: Sendable {
    /// The kind of the file.
    package let kind: StoreKind
    /// One script per version. The first makes version 1 of an empty file, and each later one makes the next version.
    /// Scripts of released versions never change.
    package let steps: [String]
    /// The longest row that is read or written, in bytes.
    let longest: Int

    package init(kind: StoreKind, steps: [String], longest: Int = Database.valueLimit + 65_536) {
        self.kind = kind
        self.steps = steps
        self.longest = longest
    }

    /// The version that the steps lead to.
    package var version: Int { steps.count }

    /// A payment journal.
    package static let current = Schema(
        kind: .journal,
        steps: [
            """
            CREATE TABLE attempt (
                number INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                provider TEXT NOT NULL,
                subject TEXT NOT NULL,
                reference TEXT NOT NULL,
                option TEXT NOT NULL,
                key TEXT NOT NULL,
                started REAL NOT NULL,
                expires REAL,
                seal TEXT,
                finished INTEGER NOT NULL DEFAULT 0,
                ended REAL,
                paid INTEGER NOT NULL DEFAULT 0
            ) STRICT;
            CREATE INDEX attempt_reference ON attempt (provider, subject, reference);
            CREATE INDEX attempt_refund ON attempt (provider, reference) WHERE \(StoredAttempt.namesRefund);
            CREATE INDEX attempt_unfinished ON attempt (number) WHERE finished = 0;
            CREATE INDEX attempt_ended ON attempt (ended) WHERE finished = 1;
            CREATE TABLE entry (
                attempt INTEGER NOT NULL REFERENCES attempt (number),
                position INTEGER NOT NULL,
                date REAL NOT NULL,
                event TEXT NOT NULL,
                name TEXT,
                detail TEXT NOT NULL,
                seal TEXT,
                PRIMARY KEY (attempt, position)
            ) STRICT, WITHOUT ROWID;
            \(LeaseTable.definition)
            CREATE TABLE spending (
                number INTEGER PRIMARY KEY,
                attempt TEXT NOT NULL UNIQUE,
                provider TEXT NOT NULL,
                subject TEXT NOT NULL,
                reference TEXT NOT NULL,
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
            """
        ])

    /// Refuses a file that is foreign, too new, or has anything in it that its version does not have. An empty file is
    /// accepted.
    package func check(_ database: Database) throws(JournalError) {
        guard try database.number("SELECT count(*) FROM sqlite_schema") != 0 else { return }
        try checkOwnership(database)
        let found = Int(try database.number("PRAGMA user_version") ?? 0)
        guard found <= version else { throw .newerVersion(path: database.path, found: found, supported: version) }
        try checkObjects(database, version: found)
    }

    /// Compares everything that the file defines with what the steps make, definition by definition. The steps make no
    /// triggers and no views: those could change what is read and written of payments.
    private func checkObjects(_ database: Database, version: Int) throws(JournalError) {
        let model = try Database(path: ":memory:")
        for step in steps.prefix(version) { try model.execute(step) }
        var missing = Set(try SchemaObject.all(model))
        for object in try SchemaObject.all(database) {
            if missing.remove(object) != nil || SchemaObject.statistics.contains(object) { continue }
            let isChanged = missing.contains { $0.type == object.type && $0.name == object.name }
            let name = "\(object.type.prefix(64)) '\(object.name.prefix(64))'"
            throw .unexpectedSchema(
                path: database.path,
                detail: isChanged ? "its \(name) is not the one that this program makes" : "it holds the \(name)")
        }
        if let object = missing.min(by: { ($0.type, $0.name) < ($1.type, $1.name) }) {
            throw .unexpectedSchema(path: database.path, detail: "it lacks the \(object.type) '\(object.name)'")
        }
    }

    /// Makes the tables, or brings them up to date, in one transaction.
    package func apply(to database: Database) throws(JournalError) {
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
                try database.execute("PRAGMA application_id = \(kind.rawValue)")
            } else {
                try checkOwnership(database)
            }
            for step in steps[found...] { try database.execute(step) }
            try database.execute("PRAGMA user_version = \(version)")
        }
    }

    private func checkOwnership(_ database: Database) throws(JournalError) {
        guard try database.number("PRAGMA application_id") == Int64(kind.rawValue) else {
            throw .notAJournal(path: database.path)
        }
    }
}

/// The kinds of files of this software, each with the number that marks it (`PRAGMA application_id`). The compiler
/// refuses two of the same number.
package enum StoreKind: Int32 {
    /// `PRJ1`.
    case journal = 0x5052_4A31
    /// `PRK1`.
    case records = 0x5052_4B31
}

/// One object that a file defines: a table, an index, a trigger, a view.
private struct SchemaObject: Hashable {
    private enum Column: String, StoredColumn {
        static let table = "sqlite_schema"
        case type, name
        case owner = "tbl_name"
        case definition = "sql"
    }

    let type: String
    let name: String
    /// The table that it belongs to.
    let owner: String
    /// The statement that makes it; nil for objects that SQLite makes itself.
    let definition: String?

    static func all(_ database: Database) throws(JournalError) -> [SchemaObject] {
        try database.all(Column.self, "ORDER BY type, name") { (row) throws(JournalError) in
            SchemaObject(
                type: row.text(.type), name: row.text(.name), owner: row.text(.owner),
                definition: row.optionalText(.definition))
        }
    }

    /// The tables of `ANALYZE`. Their numbers help SQLite to choose between indexes.
    static let statistics: Set<SchemaObject> = [
        statistics("sqlite_stat1", "tbl,idx,stat"), statistics("sqlite_stat4", "tbl,idx,neq,nlt,ndlt,sample"),
    ]

    private static func statistics(_ name: String, _ columns: String) -> SchemaObject {
        SchemaObject(type: "table", name: name, owner: name, definition: "CREATE TABLE \(name)(\(columns))")
    }
}
