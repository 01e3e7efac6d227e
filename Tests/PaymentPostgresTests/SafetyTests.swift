import Foundation
import PaymentCore
import PaymentPostgres
import PaymentRouting
import PostgresServing
import Testing

@Suite(
    "A store trusts no server, clock or table that it should not",
    .enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.need)))
struct SafetyTests {
    private static let lease = PaymentLease(
        payment: PaymentReference(provider: "acme", id: "p"), holder: "h", duration: .seconds(600))

    /// The reason for which a store does not open.
    private func refusal(_ configuration: PostgresConfiguration) async -> String {
        do throws(JournalError) {
            _ = try await PostgresStore(configuration)
            return "it opens"
        } catch { return "\(error)" }
    }

    @Test("TLS needs a certificate of the right authority and name, and errors hold no password")
    func tls() async throws {
        let server = try PostgresServer(network: .tls)
        let port = try #require(server.port)
        func configuration(_ host: String, _ tls: PostgresConfiguration.TLS, password: String = PostgresServer.password)
            -> PostgresConfiguration
        {
            PostgresConfiguration(
                hosts: [PostgresConfiguration.Host(host, port: port)], database: "postgres", user: "payer",
                password: Redacted(password), tls: tls)
        }
        let right = PostgresConfiguration.TLS.verified(authorities: server.authorities)
        #expect(await refusal(configuration("localhost", right)) == "it opens")
        var dump = ""
        Swift.dump(PostgresJournal(try await PostgresStore(configuration("localhost", right))), to: &dump)
        #expect(dump.contains("localhost") && !dump.contains(PostgresServer.password))
        // The system's authorities did not sign it.
        let foreign = await refusal(configuration("localhost", .verified()))
        #expect(foreign.contains("certificate verify failed"), "\(foreign)")
        let misnamed = await refusal(configuration("127.0.0.1", right))
        #expect(misnamed.contains("does not match host name"), "\(misnamed)")
        let wrong = await refusal(configuration("localhost", right, password: "s3cret wrong"))
        #expect(wrong.contains("password authentication failed") && !wrong.contains("s3cret"), "\(wrong)")
    }

    @Test("A server without TLS is not talked to in clear text, and only this machine's is without TLS")
    func clearText() async throws {
        let server = try PostgresServer(network: .clear)
        var near = server.configuration("payments", host: "localhost", port: server.port)
        near.password = Redacted(PostgresServer.password)
        #expect(await refusal(near).contains("server does not support SSL"))
        near.tls = .localOnly
        #expect(await refusal(near) == "it opens")
        var configuration = PostgresConfiguration(
            hosts: [PostgresConfiguration.Host("db.example")], database: "postgres", user: "payer", tls: .localOnly)
        #expect(await refusal(configuration).contains("without TLS only servers of this machine are used"))
        configuration.hosts = [PostgresConfiguration.Host("127.0.0.1"), PostgresConfiguration.Host("127.evil.example")]
        #expect(await refusal(configuration).contains("without TLS only servers of this machine are used"))
    }

    @Test("A configuration with a name that means nothing, or something else, is refused before a server is asked")
    func names() async {
        func refusal(_ change: (inout PostgresConfiguration) -> Void) async -> String {
            var configuration = PostgresConfiguration(
                hosts: [PostgresConfiguration.Host("/none")], database: "shop", user: "payer", tls: .localOnly)
            change(&configuration)
            return await self.refusal(configuration)
        }
        for hosts in [[], ["/none", ""], ["/none,/other"]] {
            let refused = await refusal { $0.hosts = hosts.map { PostgresConfiguration.Host($0) } }
            #expect(refused.contains("each host needs a name"), "\(refused)")
        }
        for name in ["", "a\0b"] {
            #expect(await refusal { $0.database = name }.contains("need names"))
            #expect(await refusal { $0.user = name }.contains("need names"))
        }
        for schema in ["", "Shop", "1shop", "pg_shop", String(repeating: "a", count: 64)] {
            #expect(await refusal { $0.schema = schema }.contains("a schema has a name"))
        }
    }

    @Test(
        "An address is read, or refused without its password",
        arguments: [
            ("postgresql://payer:s3cret@db.example:6000/shop", nil),
            ("postgresql://payer:s3cret@a.example,b.example/shop?sslrootcert=/ca.pem&sslmode=verify-full", nil),
            ("host=127.0.0.1 user=payer password=s3cret sslmode=disable", nil),
            ("postgresql://payer:s3cret@db.example:port/shop", "unreadable port"),
            ("postgresql://payer:s3cret@db.example/shop?sslmode=require", "verifies no name"),
            ("postgresql://payer:s3cret@db.example/shop?options=-csearch_path", "parameter 'options'"),
            ("postgresql://payer:s3cret@[db.example", "cannot be read"),
            ("postgresql://db.example/shop", "names no role"),
        ] as [(String, String?)])
    func addresses(url: String, refusal: String?) throws {
        do throws(JournalError) {
            let configuration = try PostgresConfiguration(url: Redacted(url))
            #expect(refusal == nil)
            #expect(configuration.user == "payer" && configuration.password?.reveal() == "s3cret")
        } catch {
            #expect(refusal.map("\(error)".contains) == true && !"\(error)".contains("s3cret"), "\(error)")
        }
    }

    @Test("A worker whose clock is years ahead takes no lease, and one whose clock is behind keeps its own")
    func clocks() async throws {
        let server = try await PostgresServer.shared()
        let journal = PostgresJournal(try await PostgresStore(server.configuration(PostgresServer.newSchema())))
        let payment = PaymentReference(provider: "acme", id: "p")
        let held = PaymentLease(payment: payment, holder: "held", duration: .seconds(600))
        let other = PaymentLease(payment: payment, holder: "other", duration: .seconds(600))
        #expect(try await journal.acquire(held, at: .distantPast))
        #expect(!(try await journal.acquire(other, at: .distantFuture)))
        try await journal.renew(held, at: .distantPast)
        #expect(!(try await journal.acquire(other, at: .distantFuture)))
        let short = PaymentLease(payment: payment, holder: "held", duration: .zero)
        #expect(try await journal.acquire(short, at: .distantFuture))
        #expect(try await journal.acquire(other, at: .distantPast), "it has ended by the server's clock")
    }

    @Test("What a cancelled task writes is written, and read")
    func cancelled() async throws {
        let server = try await PostgresServer.shared()
        let journal = PostgresJournal(try await PostgresStore(server.configuration(PostgresServer.newSchema())))
        let isHeld = try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let isTaken = try await journal.acquire(Self.lease, at: Date())
            try await journal.renew(Self.lease, at: Date())
            return isTaken && Task.isCancelled
        }.value
        #expect(isHeld)
    }

    @Test("A list that is not wanted any more ends")
    func abandoned() async throws {
        let server = try await PostgresServer.shared()
        let configuration = server.configuration(PostgresServer.newSchema())
        let journal = PostgresJournal(try await PostgresStore(configuration))
        // The answer cannot come before the cancellation is noticed.
        let unlock = try server.lock(table: configuration.schema + ".attempt")
        defer { unlock() }
        let list = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await journal.attempts(AttemptQuery())
        }
        await #expect { try await list.value } throws: { "\($0)".contains("was cancelled") }
    }

    @Test("A server that falls silent is not waited for longer than the timeout, and holds no lock for long")
    func silent() async throws {
        let server = try await PostgresServer.shared()
        let schema = PostgresServer.newSchema()
        let (proxy, configuration) = try server.proxied(schema, timeout: .seconds(1))
        let journal = PostgresJournal(try await PostgresStore(configuration))
        #expect(try await journal.acquire(Self.lease, at: Date()))
        proxy.decide { toServer, packet in toServer && packet.contains("COMMIT\u{0}") ? .vanishes : .passes }
        let attempt = try PaymentAttempt(at: Self.lease.payment)
        await #expect { try await journal.open(attempt, under: Self.lease) } throws: {
            "\($0)".contains("did not answer within")
        }
        // The server still holds the row for the client that it hears no more of, and lets go of it.
        let other = PostgresJournal(try await PostgresStore(server.configuration(schema)))
        try await other.open(attempt, under: Self.lease)
        #expect(try await other.histories(of: Self.lease.payment).count == 1)
    }

    @Test("A role that may only read and write rows pays, once the tables are there")
    func roles() async throws {
        let server = try await PostgresServer.shared()
        var configuration = server.configuration(PostgresServer.newSchema())
        _ = try await PostgresStore(configuration)
        let (schema, role) = (configuration.schema, "worker_of_" + configuration.schema)
        try server.run(
            sql: """
                CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(schema) TO \(role);
                GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(role)
                """)
        configuration.user = role
        let journal = PostgresJournal(try await PostgresStore(configuration))
        #expect(try await journal.acquire(Self.lease, at: Date()))
        let attempt = try PaymentAttempt(at: Self.lease.payment)
        try await journal.open(attempt, under: Self.lease)
        #expect(try await journal.unfinished().map(\.attempt) == [attempt])
        configuration.schema = PostgresServer.newSchema()
        #expect(await refusal(configuration).contains("permission denied"))
    }

    @Test("Many tasks share few connections")
    func pool() async throws {
        let server = try await PostgresServer.shared()
        var configuration = server.configuration(PostgresServer.newSchema())
        configuration.mostConnections = 2
        let journal = PostgresJournal(try await PostgresStore(configuration))
        let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let payment = PaymentReference(provider: "acme", id: "\(number)")
                    return try await journal.acquire(
                        PaymentLease(payment: payment, holder: "h", duration: .seconds(60)), at: Date())
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(taken == 100)
    }

    @Test("Several programs make the tables at once, and all find them")
    func migration() async throws {
        let server = try await PostgresServer.shared()
        let configuration = server.configuration(PostgresServer.newSchema())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    let journal = PostgresJournal(try await PostgresStore(configuration))
                    #expect(try await journal.unfinished().isEmpty)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("Tables of a newer version, another program's schema and a server that forgets are refused")
    func refused() async throws {
        let server = try await PostgresServer.shared()
        let newer = server.configuration(PostgresServer.newSchema())
        _ = try await PostgresStore(newer)
        try server.run(sql: "UPDATE \(newer.schema).deployment SET version = 99")
        await #expect {
            _ = try await PostgresStore(newer)
        } throws: {
            if case JournalError.newerVersion(_, found: 99, _) = $0 { true } else { false }
        }
        let foreign = server.configuration(PostgresServer.newSchema())
        try server.run(sql: "CREATE SCHEMA \(foreign.schema); CREATE TABLE \(foreign.schema).orders (id int)")
        await #expect {
            _ = try await PostgresStore(foreign)
        } throws: {
            if case JournalError.unexpectedSchema = $0 { true } else { false }
        }
        let empty = server.configuration(PostgresServer.newSchema())
        try server.run(sql: "CREATE SCHEMA \(empty.schema)")
        #expect(await refusal(empty) == "it opens")
        #expect(await refusal(server.configuration("payments; DROP")).contains("lower-case letters"))
        let forgetful = try PostgresServer(options: ["fsync = off"])
        #expect(await refusal(forgetful.configuration("payments")).contains("fsync"))
    }

    @Test("An attempt that money is reserved for is not pruned, nor is its reservation forgotten")
    func reserved() async throws {
        let server = try await PostgresServer.shared()
        let journal = PostgresJournal(try await PostgresStore(server.configuration(PostgresServer.newSchema())))
        #expect(try await journal.acquire(Self.lease, at: Date()))
        let euros = try Money(minorUnits: 5, currency: .eur)
        let attempt = try PaymentAttempt(at: Self.lease.payment)
        let spending = Spending(
            attempt: attempt.id, payment: Self.lease.payment, amounts: [euros], day: SpendingDay(Date(), in: .gmt),
            payee: nil, method: nil)
        #expect(try await journal.reserve(spending, within: [SpendingLimit(euros, per: .day)]) == .granted)
        try await journal.open(attempt, under: Self.lease)
        try await journal.append(
            JournalEntry(date: Date(), event: .abandoned(reason: "enough")), to: attempt.id, under: Self.lease)
        let future = Date().addingTimeInterval(86_400 * 365)
        #expect(try await journal.prune(endedBefore: future, keepingProofsSince: future) == 0)
        try await journal.release(attempt.id)
        #expect(try await journal.prune(endedBefore: future, keepingProofsSince: future) == 1)
        #expect(try await journal.history(of: attempt.id) == nil)
        // It counts for as long as the latest one is in its period.
        #expect(try await journal.spending(of: attempt.id)?.state == .released)
    }

    @Test("A database's own setting does not weaken what is confirmed")
    func commits() async throws {
        let server = try PostgresServer(options: ["synchronous_commit = off", "wal_writer_delay = 10s"])
        let journal = PostgresJournal(try await PostgresStore(server.configuration("payments")))
        #expect(try await journal.acquire(Self.lease, at: Date()))
        let attempt = try PaymentAttempt(at: Self.lease.payment)
        try await journal.open(attempt, under: Self.lease)
        let entry = JournalEntry(date: Date(), event: .stepStarted(name: "move", kind: .mutation(replay: .never)))
        try await journal.append(entry, to: attempt.id, under: Self.lease)
        server.stop()
        try server.start()
        #expect(try await journal.history(of: attempt.id)?.entries == [entry])
    }
}
