import Foundation
package import PaymentPostgres
import Synchronization

/// A PgBouncer of this machine's packages in transaction mode before a server: all transactions share two sessions.
package final class PgBouncer: Sendable {
    private static let program = "/usr/sbin/pgbouncer"

    /// The condition of the suites that need one, and what they say where there is none.
    package static var isThere: Bool { PostgresServer.isThere && FileManager.default.isExecutableFile(atPath: program) }
    package static let need = "needs PostgreSQL and PgBouncer; `make deps-postgres` installs them"

    private let server: PostgresServer
    private let folder: String
    private let process = Mutex<PostgresServer.Running?>(nil)

    package init(before server: PostgresServer) throws {
        self.server = server
        folder = try PostgresServer.newFolder()
        let settings = """
            [databases]
            postgres = host=\(server.folder) port=\(server.port ?? 5432) dbname=postgres user=payer
            [pgbouncer]
            unix_socket_dir = \(folder)
            listen_port = 6432
            auth_type = any
            pool_mode = transaction
            default_pool_size = 2
            max_client_conn = 200
            """
        let keeper = try PostgresServer.run(
            """
            printf '%s\\n' '\(settings)' >\(folder)/pgbouncer.ini
            \(Self.program) -q \(folder)/pgbouncer.ini >\(folder)/log 2>&1 & pooler=$!
            for try in 1 2 3 4 5 6 7 8 9 10; do
                [ -S \(folder)/.s.PGSQL.6432 ] && break; kill -0 $pooler || break; sleep 0.2
            done
            [ -S \(folder)/.s.PGSQL.6432 ] && echo ready
            read line
            kill $pooler; wait $pooler; rm -rf \(folder)
            """)
        guard keeper.line() == "ready" else {
            throw PostgresServer.StartError(log: (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "")
        }
        process.withLock { $0 = keeper }
    }

    /// Stops it. It ends with this process, too: then the pipe that its keeper reads closes.
    package func stop() {
        let running = process.withLock { process in
            defer { process = nil }
            return process
        }
        try? running?.input.fileHandleForWriting.close()
        _ = running?.wait()
    }

    /// The configuration of a store in a schema behind it.
    package func configuration(_ schema: String) -> PostgresConfiguration {
        server.configuration(schema, host: folder, port: 6432)
    }
}
