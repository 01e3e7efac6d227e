import PaymentCore
import PaymentCrypto
package import PaymentRecurring
package import PaymentStore

/// The tables of a deployment, by their full names: poolers share connections, so that no search path can be relied on.
package struct Tables: Sendable {
    package let schema: String

    /// - Parameter schema: a checked name, which needs no quotes.
    package init(_ schema: String) { self.schema = schema }

    /// The version of the tables.
    var deployment: String { "\(schema).deployment" }
    var attempt: String { "\(schema).attempt" }
    var entry: String { "\(schema).entry" }
    var spending: String { "\(schema).spending" }
    var plan: String { "\(schema).plan" }
    var charge: String { "\(schema).charge" }
    var trusted: String { "\(schema).trusted" }
    /// The dates at which open attempts are to be looked at.
    var due: String { "\(schema).due" }
    /// The ends and notifications that workers pass on.
    var delivery: String { "\(schema).delivery" }
    /// The leases of payments.
    var lease: String { "\(schema).lease" }
    /// The leases of periods of plans, whose workers pay while they hold them.
    var periodLease: String { "\(schema).period_lease" }

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

    /// A lock that is not a row's: what it protects may not be there yet.
    package enum Lock {
        /// Making and migrating the tables.
        case tables
        /// Deciding about a spending: what one reads is all that counts.
        case spendings
        /// Storing a plan.
        case plan(RecurringPlan.ID)
        /// The work of another part, by its name.
        case other(String)
    }

    /// Returns the statement that takes a lock until the end of its transaction. In the rare case that two have one
    /// number, one waits without need.
    package func locking(_ lock: Lock) -> Statement {
        let parts =
            switch lock {
            case .tables: [schema, "tables"]
            case .spendings: [schema, "spendings"]
            case .plan(let id): [schema, "plan", id.rawValue]
            case .other(let name): [schema, "other", name]
            }
        let number = digest(parts).prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return Statement("SELECT pg_advisory_xact_lock($1)", [.integer(number)])
    }

    /// The channel of notifications about due work, whose name is short, as the server demands.
    package var channel: String { "due_" + Hex.encode(Array(digest([schema, "due"]).prefix(8))) }

    // MARK: Versions

    /// The tables of the journals.
    ///
    /// Texts that come from outside are `bytea`, their UTF-8: they are compared by their bytes, whatever the database's
    /// encoding and collation, and may contain a zero. `payment` is the key of a reference
    /// (``Database/Value/key(_:)``), `refund_name` and `refunded` those of a refund's id in its account and of the
    /// payment that it is of, `write` the random name of the write that stored a row. Dates are seconds from the
    /// beginning of 2001, in UTC.
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
                    lease(tables.lease), lease(tables.periodLease),
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
                    """
                    CREATE TABLE \(tables.plan) (
                        id bytea PRIMARY KEY,
                        revision bigint NOT NULL,
                        due double precision,
                        detail bytea NOT NULL,
                        write text NOT NULL
                    )
                    """,
                    "CREATE INDEX plan_due ON \(tables.plan) (due) WHERE due IS NOT NULL",
                    """
                    CREATE TABLE \(tables.charge) (
                        plan bytea NOT NULL REFERENCES \(tables.plan) (id),
                        number bigint NOT NULL,
                        look double precision,
                        detail bytea NOT NULL,
                        write text,
                        PRIMARY KEY (plan, number)
                    )
                    """,
                    "CREATE INDEX charge_look ON \(tables.charge) (look) WHERE look IS NOT NULL",
                    """
                    CREATE TABLE \(tables.trusted) (
                        id bigint PRIMARY KEY CHECK (id = 1),
                        date double precision NOT NULL
                    )
                    """,
                ]
            },
            { schema in
                let tables = Tables(schema)
                return [
                    // Its rows change often: the server removes their old versions soon.
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
                    // The row of an end has an attempt, that of a notification the other texts.
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

    private static func lease(_ name: String) -> String {
        "CREATE TABLE \(name) (payment text PRIMARY KEY, holder bytea NOT NULL, ends double precision NOT NULL)"
    }
}

extension Database.Value {
    /// The key of a name of several parts in an index, which holds no long texts.
    package static func key(_ parts: [String]) -> Self { .text(Hex.encode(digest(parts))) }

    /// The key of a reference.
    static func key(_ reference: PaymentReference) -> Self { key(reference.parts) }
}

/// Returns a digest of texts, each behind its length, so that no others have it.
private func digest(_ parts: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for part in parts {
        withUnsafeBytes(of: UInt64(part.utf8.count).bigEndian) { bytes += $0 }
        bytes += part.utf8
    }
    return Digest.sha256.hash(bytes)
}
