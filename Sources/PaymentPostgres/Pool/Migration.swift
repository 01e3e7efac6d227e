import PaymentRouting
import PaymentStore

/// Brings the tables of a part to the version of this software, forwards only.
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

    /// Nil where there is a version to read.
    private func found(_ rows: Rows) throws(JournalError) -> Found? {
        guard let cells = rows.cells.first else { throw error("the server gave no answer") }
        if cells.integer(1) != 0 { return nil }
        guard cells.integer(2) == 0 else {
            throw .unexpectedSchema(path: store.path, detail: "its schema holds other tables")
        }
        return .nothing(hasSchema: cells.integer(0) != 0)
    }

    /// Makes the steps that are missing, under a lock that only one process gets, if what was found is still there.
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
