import PaymentCore
import PaymentCrypto
import PaymentRouting
package import PaymentStore

/// The tables of a deployment, by their full names. Poolers share connections, so no search path is reliable.
package struct Tables: Sendable {
    package let schema: String

    /// - Parameter schema: a checked name, which needs no quotes.
    package init(_ schema: String) { self.schema = schema }

    /// The version of the tables.
    var deployment: String { "\(schema).deployment" }
    var attempt: String { "\(schema).attempt" }
    var entry: String { "\(schema).entry" }
    var spending: String { "\(schema).spending" }
    /// The dates at which open attempts are to be looked at.
    var due: String { "\(schema).due" }
    /// The ends and notifications that workers pass on.
    var delivery: String { "\(schema).delivery" }
    /// The leases of payments.
    var lease: String { "\(schema).lease" }
    var record: String { "\(schema).record" }
    /// The marks of records.
    var mark: String { "\(schema).mark" }
    /// The names of changes whose commit may not be known yet to the one who made them.
    var change: String { "\(schema).change" }
    /// The leases of records' rooms.
    var roomLease: String { "\(schema).room_lease" }

    /// Returns the statement that adds a row.
    ///
    /// - Parameters:
    ///   - values: one for each column, in their order.
    ///   - omitted: columns that the server fills in.
    ///   - more: further columns.
    ///   - literals: further columns with SQL as their values.
    package func insert<Column: StoredColumn>(
        _: Column.Type, _ values: [Database.Value], omitting omitted: Set<Column> = [],
        and more: KeyValuePairs<String, Database.Value> = [:], literally literals: KeyValuePairs<String, String> = [:]
    ) -> Statement {
        let own = zip(Column.allCases, values).filter { !omitted.contains($0.0) }.map { ($0.0.rawValue, $0.1) }
        let all = own + more.map { ($0.key, $0.value) }
        let names = all.map(\.0) + literals.map(\.key)
        let places = all.indices.map { "$\($0 + 1)" } + literals.map(\.value)
        return Statement(
            """
            INSERT INTO \(schema).\(Column.table) (\(names.joined(separator: ", ")))
            VALUES (\(places.joined(separator: ", ")))
            """, all.map(\.1))
    }

    // MARK: Locks

    /// A lock that does not belong to a row, because what it protects may not be there yet.
    package enum Lock {
        /// Making and migrating the tables.
        case tables
        /// Deciding about a spending, so that no other one is added after the look.
        case spendings
        /// The work of another part, by its name.
        case other(String)
    }

    /// Returns the statement that takes a lock until the end of its transaction. In the rare case that two locks have
    /// one number, one waits unnecessarily.
    package func locking(_ lock: Lock) -> Statement {
        let parts =
            switch lock {
            case .tables: [schema, "tables"]
            case .spendings: [schema, "spendings"]
            case .other(let name): [schema, "other", name]
            }
        return Self.locking(Self.lockNumber(parts))
    }

    /// Returns the statements that take the locks of rooms, always in the same order, so that no two transactions wait
    /// for each other.
    func locking(_ rooms: Set<RecordRoom>) -> [Statement] {
        Set(rooms.map { Self.lockNumber([schema, "room", $0.kind, $0.name]) }).sorted().map(Self.locking)
    }

    private static func lockNumber(_ parts: [String]) -> Int64 {
        digest(parts).prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }

    private static func locking(_ number: Int64) -> Statement {
        Statement("SELECT pg_advisory_xact_lock($1)", [.integer(number)])
    }

    /// The channel of notifications about due work, whose name is short, as the server demands.
    package var channel: String { "due_" + Hex.encode(Array(digest([schema, "due"]).prefix(8))) }

    // MARK: Versions

    /// The tables of the journals.
    ///
    /// Texts that come from outside are stored as `bytea`, in UTF-8. They are compared by their bytes, whatever the
    /// database's encoding and collation, and may contain a zero. `payment` is the key of a reference
    /// (``Database/Value/key(_:)``), `refund_name` and `refunded` are those of a refund's id in its account and of its
    /// payment, and `write` is the random name of the write that stored a row. Dates are seconds from the beginning of
    /// 2001, in UTC.
    static let journals = PostgresTables(
        part: "journals",
        steps: [
            { schema in
                let tables = Tables(schema)
                return [
                    """
                    CREATE TABLE \(tables.attempt) (
                        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                        id bytea NOT NULL UNIQUE,
                        payment text NOT NULL,
                        provider bytea NOT NULL,
                        subject bytea NOT NULL,
                        reference bytea NOT NULL,
                        option bytea NOT NULL,
                        key bytea NOT NULL,
                        started double precision NOT NULL,
                        expires double precision,
                        seal bytea,
                        write text NOT NULL,
                        refund_name text,
                        refunded text,
                        finished boolean NOT NULL DEFAULT false,
                        ended double precision,
                        paid boolean NOT NULL DEFAULT false,
                        moved boolean NOT NULL DEFAULT false
                    )
                    """,
                    "CREATE INDEX attempt_payment ON \(tables.attempt) (payment, number)",
                    "CREATE INDEX attempt_refund ON \(tables.attempt) (refund_name) WHERE refund_name IS NOT NULL",
                    "CREATE INDEX attempt_refunded ON \(tables.attempt) (refunded) WHERE refunded IS NOT NULL",
                    "CREATE INDEX attempt_provider ON \(tables.attempt) (provider, number)",
                    // A payment has one unfinished attempt, whatever a program does.
                    "CREATE UNIQUE INDEX attempt_open ON \(tables.attempt) (payment) WHERE NOT finished",
                    "CREATE INDEX attempt_unfinished ON \(tables.attempt) (number) WHERE NOT finished",
                    "CREATE INDEX attempt_ended ON \(tables.attempt) (ended) WHERE finished",
                    """
                    CREATE TABLE \(tables.entry) (
                        attempt bigint NOT NULL REFERENCES \(tables.attempt) (number) ON DELETE CASCADE,
                        position bigint NOT NULL,
                        date double precision NOT NULL,
                        event text NOT NULL,
                        name bytea,
                        detail bytea NOT NULL,
                        seal bytea,
                        erased boolean NOT NULL,
                        write text NOT NULL,
                        PRIMARY KEY (attempt, position)
                    )
                    """,
                    lease(tables.lease),
                    """
                    CREATE TABLE \(tables.spending) (
                        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                        attempt bytea NOT NULL UNIQUE,
                        provider bytea NOT NULL,
                        subject bytea NOT NULL,
                        reference bytea NOT NULL,
                        amounts bytea NOT NULL,
                        day bigint NOT NULL,
                        payee bytea,
                        method bytea,
                        keeper text NOT NULL,
                        state text NOT NULL,
                        noticed bigint
                    )
                    """,
                    "CREATE INDEX spending_day ON \(tables.spending) (day)",
                    "CREATE INDEX spending_reserved ON \(tables.spending) (number) WHERE state = 'reserved'",
                ]
            },
            { schema in
                let tables = Tables(schema)
                return [
                    // Its rows change often, so the server removes their old versions soon.
                    """
                    CREATE TABLE \(tables.due) (
                        payment text PRIMARY KEY,
                        look double precision NOT NULL,
                        asked boolean NOT NULL DEFAULT false,
                        worker text
                    ) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)
                    """,
                    "CREATE INDEX due_look ON \(tables.due) (look)", DueRows.adopting(tables),
                ]
            },
            { schema in
                let tables = Tables(schema)
                return [
                    // The row of an end has an attempt. The row of a notification has the other texts.
                    """
                    CREATE TABLE \(tables.delivery) (
                        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                        attempt bigint UNIQUE REFERENCES \(tables.attempt) (number),
                        digest text UNIQUE,
                        payment text,
                        about bytea,
                        provider bytea,
                        headers bytea,
                        body bytea,
                        look double precision NOT NULL,
                        tries bigint NOT NULL DEFAULT 0,
                        worker text
                    ) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)
                    """,
                    "CREATE INDEX delivery_end ON \(tables.delivery) (look) WHERE attempt IS NOT NULL",
                    "CREATE INDEX delivery_notification ON \(tables.delivery) (look) WHERE attempt IS NULL",
                    "CREATE INDEX delivery_provider ON \(tables.delivery) (provider) WHERE attempt IS NULL",
                ]
            },
        ])

    /// The tables of records. Names are `bytea`, in UTF-8, which compares and orders them by their bytes.
    static let records = PostgresTables(
        part: "records",
        steps: [
            { schema in
                let tables = Tables(schema)
                return [
                    """
                    CREATE TABLE \(tables.record) (
                        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                        kind bytea NOT NULL,
                        room bytea NOT NULL,
                        name bytea NOT NULL,
                        value bytea NOT NULL,
                        UNIQUE (kind, room, name)
                    )
                    """,
                    """
                    CREATE TABLE \(tables.mark) (
                        kind bytea NOT NULL,
                        name bytea NOT NULL,
                        value bytea NOT NULL,
                        record bigint NOT NULL REFERENCES \(tables.record) (number) ON DELETE CASCADE,
                        PRIMARY KEY (kind, name, value, record)
                    )
                    """,
                    "CREATE INDEX mark_record ON \(tables.mark) (record)",
                    "CREATE TABLE \(tables.change) (name text PRIMARY KEY, made double precision NOT NULL)",
                    lease(tables.roomLease),
                ]
            }
        ])

    private static func lease(_ name: String) -> String {
        "CREATE TABLE \(name) (payment text PRIMARY KEY, holder bytea NOT NULL, ends double precision NOT NULL)"
    }
}

// MARK: - Versions

/// The tables of one part of this software in a deployment's schema. Each part has its own version, and makes its
/// tables when it is first used.
package struct PostgresTables: Sendable {
    /// The part's name in the table `deployment`.
    let part: String
    /// The statements of each version, from the schema's name. The first makes version 1, and each later one makes the
    /// next. Released ones never change.
    let steps: [@Sendable (_ schema: String) -> [String]]

    package init(part: String, steps: [@Sendable (_ schema: String) -> [String]]) {
        self.part = part
        self.steps = steps
    }

    /// The version that the steps lead to.
    var version: Int { steps.count }
}

/// Updates the tables of a part to the version of this software, forwards only.
struct Migration {
    private let store: PostgresStore
    private let part: PostgresTables
    private let tables: Tables

    init(_ store: PostgresStore, _ part: PostgresTables) {
        self.store = store
        self.part = part
        tables = Tables(store.schema)
    }

    /// The content of a schema.
    private enum Found: Equatable {
        case nothing(hasSchema: Bool)
        case version(Int64)
    }

    /// Refuses a server that is too old, or may lose what it confirmed.
    static func check(_ store: PostgresStore) async throws(JournalError) {
        func error(_ detail: String) -> JournalError { .inaccessible(path: store.path, detail: detail) }
        let rows = try await store.rows(server, isRepeated: false)
        guard let cells = rows.cells.first, cells.integer(0) >= 130_000 else {
            throw error("the server is older than PostgreSQL 13; use a newer one")
        }
        guard cells.text(1) == "on", cells.text(2) == "on" else {
            throw error("the server runs with fsync or full_page_writes off and may lose payments; turn both on")
        }
    }

    func run() async throws(JournalError) {
        // Another process may make the tables between the look and the lock.
        for _ in 0..<10 {
            let found = try await look()
            if case .version(Int64(part.version)) = found { return }
            if case .version(let version) = found, version > part.version {
                throw .newerVersion(path: store.path, found: Int(version), supported: part.version)
            }
            try await apply(over: found)
        }
        throw error("its tables change again and again; end the programs that change them")
    }

    private static let server = Statement(
        "SELECT current_setting('server_version_num')::bigint, current_setting('fsync'), "
            + "current_setting('full_page_writes')")

    private func look() async throws(JournalError) -> Found {
        let rows = try await store.rows(looking)
        guard let found = try found(rows) else {
            let version = try await store.rows(reading)
            return .version(version.cells.first?.integer(0) ?? 0)
        }
        return found
    }

    private var looking: Statement {
        Statement(
            """
            SELECT to_regnamespace($1) IS NOT NULL, to_regclass($2) IS NOT NULL,
                (SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace($1))
            """, [.text(store.schema), .text(tables.deployment)])
    }

    private var reading: Statement {
        Statement("SELECT version FROM \(tables.deployment) WHERE part = $1", [.text(part.part)])
    }

    /// Returns the content of the schema; nil if there is a version to read.
    private func found(_ rows: Rows) throws(JournalError) -> Found? {
        guard let cells = rows.cells.first else { throw error("the server gave no answer") }
        if cells.integer(1) != 0 { return nil }
        guard cells.integer(2) == 0 else {
            throw .unexpectedSchema(path: store.path, detail: "its schema holds other tables")
        }
        return .nothing(hasSchema: cells.integer(0) != 0)
    }

    /// Makes the missing steps, under a lock that only one process gets, if the tables are still as they were found.
    private func apply(over expected: Found) async throws(JournalError) {
        let lock = tables.locking(.tables)
        let looks: [Statement]
        if case .version = expected { looks = [lock, reading] } else { looks = [lock, looking] }
        let (part, tables) = (part, tables)
        do {
            try await store.transaction(looks) { rows in
                var done = 0
                var statements: [Statement] = []
                switch expected {
                case .version(let version):
                    guard rows[1].cells.first?.integer(0) ?? 0 == version else { return .nothing(()) }
                    done = Int(version)
                case .nothing(let hasSchema):
                    guard try found(rows[1]) == expected else { return .nothing(()) }
                    if !hasSchema { statements.append(Statement("CREATE SCHEMA \(tables.schema)")) }
                    statements.append(
                        Statement("CREATE TABLE \(tables.deployment) (part text PRIMARY KEY, version bigint NOT NULL)"))
                }
                for step in part.steps.dropFirst(done) { statements += step(tables.schema).map { Statement($0) } }
                statements.append(
                    Statement(
                        """
                        INSERT INTO \(tables.deployment) (part, version) VALUES ($1, $2)
                        ON CONFLICT (part) DO UPDATE SET version = excluded.version
                        """, [.text(part.part), .integer(Int64(part.version))]))
                return .write(statements, ())
            }
        } catch let error as JournalError { throw error } catch { throw self.error("\(error)") }
    }

    private func error(_ detail: String) -> JournalError { .inaccessible(path: store.path, detail: detail) }
}

// MARK: - Keys

extension Database.Value {
    /// Returns the key of a name of several parts. An index holds no long texts.
    package static func key(_ parts: [String]) -> Self { .text(Hex.encode(digest(parts))) }

    static func key(_ reference: PaymentReference) -> Self { key(reference.parts) }
}

/// Returns a digest of texts. Each comes after its length, so no other texts have the same digest.
private func digest(_ parts: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for part in parts {
        withUnsafeBytes(of: UInt64(part.utf8.count).bigEndian) { bytes += $0 }
        bytes += part.utf8
    }
    return Digest.sha256.hash(bytes)
}
