import PaymentCore
import PaymentRouting
import PaymentStore

/// The ends of attempts and the notifications of services that workers pass on: the table `delivery`.
///
/// The row of an end is written in the transaction that ends the attempt. A worker claims a row by its name and a later
/// date, `look`, and removes it after passing it on. If the worker dies, the row is due again at that date.
struct DeliveryRows: Sendable {
    let store: PostgresStore
    let tables: Tables

    /// The kinds of rows, each with its condition.
    enum Kind: String, Sendable {
        case end = "attempt IS NOT NULL"
        case notification = "attempt IS NULL"
    }

    /// The seconds from a failure to the next try: 5, 20, 80, 320 and 1,280, then an hour.
    private static let pause = "least(5 * power(4, least(tries, 6) - 1), 3600)::double precision"

    // MARK: Adding

    /// Returns the statement for the end of an attempt, and the notification of workers.
    func ending(_ attempt: Int64) -> Statement {
        adding("attempt", "$2", [.integer(attempt)])
    }

    private func adding(_ columns: String, _ places: String, _ values: [Database.Value]) -> Statement {
        Statement(
            """
            WITH new AS (
                INSERT INTO \(tables.delivery) (look, \(columns)) VALUES (\(PostgresStore.now(1)), \(places))
                RETURNING 1)
            SELECT pg_notify('\(tables.channel)', '') FROM new
            """, [store.time(nil)] + values)
    }

    /// Adds a notification, unless the same bytes wait already.
    ///
    /// - Parameters:
    ///   - payment: the payment or refund that it is about. It is stored as well, so the notification can be passed on
    ///     even if its signature is too old to be checked again.
    ///   - most: the largest number of notifications of its service that wait.
    func add(
        _ notification: IncomingNotification, from provider: ProviderID, about payment: PaymentReference, most: Int
    ) async throws {
        let fields = notification.headers.fields.map { JSONValue.array([.string($0.name), .string($0.value)]) }
        let (headers, body) = (JSONValue.array(fields).text, Hex.encode(notification.body))
        let digest = Database.Value.key([provider.rawValue, headers, body])
        let looks = [
            Statement("SELECT 1 FROM \(tables.delivery) WHERE digest = $1", [digest]),
            Statement(
                """
                SELECT count(*) FROM (
                    SELECT 1 FROM \(tables.delivery) WHERE provider = $1 AND attempt IS NULL LIMIT \(most)) AS waiting
                """, [.text(provider.rawValue)]),
        ]
        let row = adding(
            "digest, payment, about, provider, headers, body", "$2, $3, $4, $5, $6, decode($7, 'hex')",
            [
                digest, .key(payment), .text(StoredReference.value(payment).text), .text(provider.rawValue),
                .text(headers), .text(body),
            ])
        try await store.transaction(looks) { [path = store.path] rows in
            guard rows[0].isEmpty else { return .nothing(()) }
            guard rows[1].cells.first?.integer(0) ?? 0 < most else {
                throw JournalError.tooManyNotifications(path: path, limit: most)
            }
            return .write([row], ())
        }
    }

    // MARK: Workers

    /// A row that a worker has claimed.
    struct Claim: Sendable {
        let number: Int64
        let worker: String
        let content: Content
    }

    /// The content of a row.
    enum Content: Sendable {
        case end(AttemptID)
        case notification(IncomingNotification, from: ProviderID, about: PaymentReference)
    }

    /// Claims rows of a kind that are due.
    ///
    /// - Parameters:
    ///   - worker: a name that no other claim has.
    ///   - most: the largest number of rows.
    ///   - duration: the time for which others leave them alone.
    func claim(
        _ kind: Kind, as worker: String, most: Int, for duration: Duration
    ) async throws(JournalError) -> [Claim] {
        let now = PostgresStore.statementNow(4)
        let rows = try await store.rows(
            Statement(
                """
                WITH ready AS (
                    SELECT number FROM \(tables.delivery) WHERE look <= \(now) AND \(kind.rawValue)
                    ORDER BY look LIMIT $2 FOR UPDATE SKIP LOCKED)
                UPDATE \(tables.delivery) AS row SET worker = $1, tries = tries + 1, look = \(now) + $3
                FROM ready WHERE row.number = ready.number RETURNING row.number, provider, headers, body, about,
                    (SELECT id FROM \(tables.attempt) AS ended WHERE ended.number = row.attempt)
                """,
                [.text(worker), .integer(Int64(most)), .real(duration / .seconds(1)), store.time(nil)]))
        var claims: [Claim] = []
        for cells in rows.cells {
            let content: Content
            switch kind {
            case .end: content = .end(AttemptID(rawValue: cells.text(5)))
            case .notification:
                content = .notification(
                    IncomingNotification(headers: Self.headers(cells.bytes(2)), body: cells.bytes(3)),
                    from: ProviderID(rawValue: cells.text(1)), about: try reference(cells.bytes(4)))
            }
            claims.append(Claim(number: cells.integer(0), worker: worker, content: content))
        }
        return claims
    }

    private func reference(_ bytes: [UInt8]) throws(JournalError) -> PaymentReference {
        guard let reference = try? StoredReference.read(try? JSONValue(parsing: bytes)) else {
            throw .damaged(path: store.path, detail: "a row of 'delivery' is about nothing that is known")
        }
        return reference
    }

    private static func headers(_ bytes: [UInt8]) -> HTTPHeaders {
        let fields = (try? JSONValue(parsing: bytes))?.array ?? []
        return HTTPHeaders(fields.map { (name: $0[0]?.string ?? "", value: $0[1]?.string ?? "") })
    }

    /// Returns the time until the next row of a kind is due, or nil. Rows that others have claimed count at their
    /// claim's end.
    func untilNext(_ kind: Kind) async throws(JournalError) -> Duration? {
        let rows = try await store.rows(
            Statement(
                "SELECT min(look) - \(PostgresStore.now(1)) FROM \(tables.delivery) WHERE \(kind.rawValue)",
                [store.time(nil)]))
        guard let cells = rows.cells.first, !cells.isNull(0) else { return nil }
        return .seconds(cells.real(0))
    }

    /// Removes what was passed on, even if its claim has ended in the meantime.
    func remove(_ claim: Claim) async throws(JournalError) {
        _ = try await store.rows(
            Statement("DELETE FROM \(tables.delivery) WHERE number = $1", [.integer(claim.number)]))
    }

    /// Ends the claim of what could not be passed on, which is tried again later. Does nothing if another worker has
    /// the row by then.
    func putOff(_ claim: Claim) async throws(JournalError) {
        _ = try await store.rows(
            Statement(
                """
                UPDATE \(tables.delivery) SET look = \(PostgresStore.now(3)) + \(Self.pause), worker = NULL
                WHERE number = $1 AND worker = $2
                """, [.integer(claim.number), .text(claim.worker), store.time(nil)]))
    }

    /// Removes a notification that ends nothing: the service could not confirm it, or it waited for longer than its
    /// signature is valid. The open attempt at its payment is due immediately, so that the service is asked.
    func replaceByInquiry(_ claim: Claim) async throws(JournalError) {
        _ = try await store.rows(
            Statement(
                """
                WITH removed AS (DELETE FROM \(tables.delivery) WHERE number = $1 RETURNING payment)
                UPDATE \(tables.due) AS due SET look = least(look, \(PostgresStore.now(2)))
                FROM removed WHERE due.payment = removed.payment AND worker IS NULL
                """, [.integer(claim.number), store.time(nil)]))
    }
}
