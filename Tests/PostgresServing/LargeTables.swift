extension PostgresServer {
    /// Fills the tables of a schema: repeats its first ended attempt, and a tenth as often its first open one, each
    /// for a separate payment. The open ones are due, and their leases have ended.
    ///
    /// - Parameters:
    ///   - from: the number of ended attempts that were filled in before.
    ///   - to: their number afterwards.
    package func fill(_ schema: String, from: Int, to: Int) throws {
        for (isEnded, first, last) in [(true, from, to), (false, from / 10, to / 10)] where first < last {
            let old = "(SELECT min(number) FROM \(schema).attempt WHERE finished = \(isEnded))"
            let id = "convert_to('\(isEnded ? "ended" : "open")' || n, 'UTF8')"
            let parts = ["provider", "subject", id].map { "int8send(length(\($0))::bigint) || \($0)" }
            let key = parts.joined(separator: " || ")
            let numbers = "generate_series(\(first), \(last - 1)) n"
            try run(
                sql: """
                    INSERT INTO \(schema).attempt (id, payment, provider, subject, reference, option, key, started,
                        write, finished, ended, paid, moved)
                    SELECT \(id), encode(sha256(\(key)), 'hex'), provider, subject, \(id), option, key,
                        started - CASE WHEN finished THEN n ELSE 0 END, write, finished, ended - n, paid, moved
                    FROM (SELECT * FROM \(schema).attempt WHERE number = \(old)) o, \(numbers);
                    INSERT INTO \(schema).entry (attempt, position, date, event, name, detail, seal, erased, write)
                    SELECT a.number, e.position, e.date, e.event, e.name, e.detail, e.seal, e.erased, e.write
                    FROM (SELECT * FROM \(schema).entry WHERE attempt = \(old)) e,
                        (SELECT \(id) AS id FROM \(numbers)) i JOIN \(schema).attempt a USING (id)
                    """)
        }
        try run(
            sql: """
                INSERT INTO \(schema).due (payment, look) SELECT payment, number FROM \(schema).attempt
                    WHERE NOT finished ON CONFLICT DO NOTHING;
                INSERT INTO \(schema).lease (payment, holder, ends) SELECT payment, 'gone', 0 FROM \(schema).attempt
                    WHERE NOT finished ON CONFLICT DO NOTHING
                """)
        try run(sql: "VACUUM ANALYZE")
    }

    /// The links' names of open payments that ``fill(_:from:to:)`` made.
    package static func openPayments(_ count: Int) -> [String] { (0..<count).map { "open\($0)" } }
}
