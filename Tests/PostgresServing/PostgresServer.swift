import ChildProcesses
import Foundation
import PaymentCore
package import PaymentPostgres
import Synchronization

/// A PostgreSQL server of this machine's packages in a temporary folder, which ends with the tests' process. The server
/// refuses to run as root: then it runs as `nobody`.
package final class PostgresServer: Sendable {
    /// The folder of the server's programs; nil where there is none, or root has no way to run it.
    package static let programs: String? = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let folders =
            versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" }
            + ["/opt/homebrew/opt/postgresql/bin", "/usr/local/bin", "/usr/bin"]
        guard getuid() != 0 || FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv") else { return nil }
        return folders.first { folder in
            ["initdb", "pg_ctl"].allSatisfy { FileManager.default.isExecutableFile(atPath: folder + "/" + $0) }
        }
    }()

    /// The condition of the suites that need a server, and what they say where there is none.
    package static var isThere: Bool { programs != nil }
    package static let need = "needs a PostgreSQL server; `make deps-postgres` installs one"

    /// The number of disturbances that `make postgres-test` asks for; nil elsewhere, where long tests are left out.
    package static let kills = ProcessInfo.processInfo.environment["PAYROUTE_POSTGRES_KILLS"].flatMap { Int($0) }
    package static var isLong: Bool { isThere && kills != nil }
    package static let long = "takes long; run `make postgres-test`"

    /// The server of tests that do not stop it, each of which has its own schema.
    package static func shared() async throws -> PostgresServer { try await common.value }
    private static let common = Task { try PostgresServer() }

    package struct StartError: Error {
        let log: String
    }

    /// The folder with the server's data and its Unix socket. Its path is short, as a socket's has to be.
    package let folder: String
    private let process = Mutex<Running?>(nil)

    /// The port on loopback of a server with TLS; nil where only the Unix socket is open.
    package let port: Int?
    /// The password of the role `payer`, for connections by TCP.
    package static let password = "correct horse"

    /// The file of the authority that signed the server's certificate, which is for `localhost`.
    package var authorities: String { folder + "/server.crt" }

    /// The ways to a server beside its Unix socket.
    package enum Network: Equatable {
        case none
        /// By TCP on loopback, without TLS.
        case clear
        /// By TCP on loopback, with TLS.
        case tls
        /// By TCP with TLS, for the networks that this machine has a direct way to, at these addresses of it.
        case routed(addresses: [String])

        var hasTLS: Bool { self != .none && self != .clear }
    }

    /// - Parameter options: further settings of the server.
    package init(options: [String] = [], network: Network = .none) throws {
        let data = try Self.template.get()
        folder = try Self.newFolder()
        port = network == .none ? nil : Self.freePort()
        let copying = "umask 077; cp -R \(data)/data \(folder)/data"
        var script = copying
        if network.hasTLS { script += "\n" + Self.makingCertificate(folder, network) }
        if case .routed = network {
            script += "\necho 'hostssl all all samenet scram-sha-256' >>\(folder)/data/pg_hba.conf"
        }
        guard try Self.run(script).wait() == 0 else { throw StartError(log: "the data cannot be copied") }
        var settings = ["unix_socket_directories = '\(folder)'", "max_connections = 60"] + options
        if case .routed = network { settings.append("listen_addresses = '*'") }
        if network == .clear || network == .tls { settings.append("listen_addresses = 'localhost'") }
        if let port { settings.append("port = \(port)") }
        if port == nil { settings.append("listen_addresses = ''") }
        if network.hasTLS {
            settings += [
                "ssl = on", "ssl_cert_file = '\(folder)/server.crt'", "ssl_key_file = '\(folder)/server.key'",
            ]
        }
        try (settings.joined(separator: "\n") + "\n").write(
            toFile: folder + "/data/postgresql.auto.conf", atomically: false, encoding: .utf8)
        try start()
    }

    /// A replica, which follows another server until it is promoted.
    package init(replicaOf primary: PostgresServer) throws {
        folder = try Self.newFolder()
        port = nil
        let copying =
            "pg_basebackup -h \(primary.folder) -U payer -D \(folder)/data -R -X stream -c fast >/dev/null 2>&1"
        guard try Self.run("umask 077; " + copying).wait() == 0 else { throw StartError(log: "no base backup") }
        let file = folder + "/data/postgresql.auto.conf"
        let settings = try String(contentsOfFile: file, encoding: .utf8)
        try (settings + "unix_socket_directories = '\(folder)'\n").write(
            toFile: file, atomically: false, encoding: .utf8)
        try start()
    }

    /// Makes the primary server of a replica.
    package func promote() throws {
        guard try Self.run("pg_ctl -D \(folder)/data -w promote >/dev/null 2>&1").wait() == 0 else {
            throw StartError(log: "it was not promoted")
        }
    }

    /// A new folder that belongs to the server's user.
    static func newFolder() throws -> String {
        var template = Array("/tmp/payroute-pg-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw StartError(log: "no temporary folder") }
        let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        if getuid() == 0, let user = getpwnam("nobody") { chown(folder, user.pointee.pw_uid, user.pointee.pw_gid) }
        return folder
    }

    /// The folder with the data of a new server, which each server begins with a copy of: making them takes a second.
    private static let template: Result<String, any Error> = Result {
        let folder = try newFolder()
        let code = try run(
            """
            umask 077; echo '\(password)' >\(folder)/password
            initdb -D \(folder)/data -U payer --auth-local=trust --auth-host=scram-sha-256 \\
                --pwfile=\(folder)/password -E UTF8 --locale=C --no-sync >\(folder)/log 2>&1
            """
        ).wait()
        guard code == 0 else {
            throw StartError(log: (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "")
        }
        leftovers.withLock { $0.append(folder) }
        atexit { PostgresServer.removeLeftovers() }
        return folder
    }

    private static let leftovers = Mutex<[String]>([])

    private static func removeLeftovers() {
        for folder in leftovers.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: folder) }
    }

    private static func makingCertificate(_ folder: String, _ network: Network) -> String {
        var names = ["DNS:localhost"]
        if case .routed(let addresses) = network { names += addresses.map { "IP:\($0)" } }
        return """
            openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \\
                -addext subjectAltName=\(names.joined(separator: ",")) \\
                -keyout \(folder)/server.key -out \(folder)/server.crt >>\(folder)/log 2>&1
            """
    }

    /// A port that no server uses now.
    private static func freePort() -> Int {
        #if canImport(Glibc)
            let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let number = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(number) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(number, $0, size)
                getsockname(number, $0, &size)
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Starts the server, after a stop too. It ends when this process does: then the pipe that its keeper reads closes.
    package func start() throws {
        let keeper = try Self.run(
            """
            pg_ctl -D \(folder)/data -w -t 60 -l \(folder)/log start >/dev/null && echo ready
            read line
            pg_ctl -D \(folder)/data -m immediate -w stop >/dev/null 2>&1
            [ "$line" = keep ] || rm -rf \(folder)
            """)
        guard keeper.line() == "ready" else {
            throw StartError(log: (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "")
        }
        process.withLock { $0 = keeper }
    }

    /// Stops the server at once, as a crash would: what it did not confirm is lost, and it recovers when it starts.
    package func stop() {
        let running = process.withLock { process in
            defer { process = nil }
            return process
        }
        guard let running else { return }
        try? running.input.fileHandleForWriting.write(contentsOf: Data("keep\n".utf8))
        _ = running.wait()
    }

    /// The numbers of the processes that serve connections now.
    package func processes() async -> [Int32] {
        (try? await rows(sql: Self.backends))?.compactMap { Int32($0) } ?? []
    }

    private var psql: String { "psql -h \(folder) -p \(port ?? 5432) -U payer -d postgres" }

    /// Returns the rows of a statement, as the server's owner sees them: a line each.
    package func rows(sql: String) async throws -> [String] {
        let running = try Self.run(
            "\(psql) -Atqc \"\(sql)\" 2>/dev/null")
        let text = String(decoding: running.output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        guard running.wait() == 0 else { throw StartError(log: sql) }
        return text.split(separator: "\n").map(String.init)
    }

    /// Runs statements as the server's owner.
    package func run(sql: String) throws {
        let running = try Self.run(
            "\(psql) -v ON_ERROR_STOP=1 -qc \"\(sql)\" >/dev/null 2>&1"
        )
        guard running.wait() == 0 else { throw StartError(log: sql) }
    }

    /// Locks a table, so that every statement that reads it waits until the returned function is called.
    package func lock(table: String) throws -> () -> Void {
        let holder = try Self.run("\(psql) -Atq 2>/dev/null")
        let statements = "BEGIN; LOCK TABLE \(table); SELECT 'held';\n"
        try holder.input.fileHandleForWriting.write(contentsOf: Data(statements.utf8))
        guard holder.line() == "held" else { throw StartError(log: statements) }
        return {
            try? holder.input.fileHandleForWriting.close()
            _ = holder.wait()
        }
    }

    private static let backends =
        "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"

    /// The configuration of a store in a schema.
    package func configuration(_ schema: String, host: String? = nil, port: Int? = nil) -> PostgresConfiguration {
        let port = port ?? (host == nil ? self.port : nil) ?? 5432
        var configuration = PostgresConfiguration(
            hosts: [PostgresConfiguration.Host(host ?? folder, port: port)], database: "postgres", user: "payer")
        configuration.schema = schema
        return configuration
    }

    private static let schemas = Atomic(0)

    /// A schema's name that no other test of this process has.
    package static func newSchema() -> String { "test_\(schemas.add(1, ordering: .relaxed).newValue)" }

    // MARK: Processes

    struct Running {
        let process: ChildProcess
        let input: Pipe
        let output: Pipe

        /// The first line of the output.
        func line() -> String {
            var bytes: [UInt8] = []
            while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0A {
                bytes.append(byte)
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        func wait() -> Int32 { process.wait() }
    }

    /// Runs a script with the server's programs, as a user that may run them.
    static func run(_ script: String) throws -> Running {
        guard let programs else { throw StartError(log: "no server") }
        var words = ["sh", "-c", "cd /; PATH=\(programs):$PATH; " + script]
        if getuid() == 0 { words = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] + words }
        let (input, output) = (Pipe(), Pipe())
        // The input's other end stays open, too: writing to a keeper that has ended must not end this process.
        defer { try? output.fileHandleForWriting.close() }
        let process = try ChildProcess(
            "/usr/bin/env", words, input: input.fileHandleForReading.fileDescriptor,
            output: output.fileHandleForWriting.fileDescriptor)
        return Running(process: process, input: input, output: output)
    }
}
