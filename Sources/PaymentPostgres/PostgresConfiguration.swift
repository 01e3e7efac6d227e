import CPostgreSQL
public import PaymentCore
public import PaymentRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The address of a PostgreSQL database, the role that uses it, and the protection of the way to it.
public struct PostgresConfiguration: Sendable {
    /// A server, or a pooler before it.
    public struct Host: Sendable, Hashable {
        /// A name, an IP address, or the absolute path of the folder of a Unix socket.
        public var name: String
        /// The port.
        public var port: Int

        /// Creates a host.
        public init(_ name: String, port: Int = 5432) {
            self.name = name
            self.port = port
        }

        /// True if what is sent to it does not leave this machine.
        var isLocal: Bool {
            name.hasPrefix("/") || ["localhost", "::1"].contains(name)
                || name.wholeMatch(of: /127(\.\d{1,3}){3}/) != nil
        }
    }

    /// The protection of what is sent.
    @nonexhaustive
    public enum TLS: Sendable, Hashable {
        /// TLS to a server whose certificate is for its name and from an authority of the file at the path; nil for the
        /// system's authorities. A Unix socket needs none and has none.
        case verified(authorities: String? = nil)
        /// None, for servers of this machine only: loopback addresses and Unix sockets.
        case localOnly
    }

    /// The servers that may be the primary one. They are tried in this order. Replicas are skipped.
    public var hosts: [Host]
    /// The database's name.
    public var database: String
    /// The role.
    public var user: String
    /// The role's password; nil if there is none, or it is in libpq's password file.
    public var password: Redacted<String>?
    /// The protection of what is sent.
    public var tls: TLS
    /// The schema that holds the tables, one for each deployment: lower-case letters, digits and underscores. It is
    /// made if it is missing.
    public var schema = "payments"
    /// The most connections of this store at the same time, at least one.
    public var mostConnections = 8
    /// The time for which a call is repeated while no server answers, before it throws.
    public var timeout = Duration.seconds(30)
    /// True if each connection prepares a statement once, until a pooler in transaction mode shows.
    package var reusesStatements = true

    /// Creates a configuration.
    public init(
        hosts: [Host], database: String, user: String, password: Redacted<String>? = nil, tls: TLS = .verified()
    ) {
        self.hosts = hosts
        self.database = database
        self.user = user
        self.password = password
        self.tls = tls
    }

    /// The database's name in errors, without a secret.
    var path: String {
        let servers = hosts.map { $0.port == 5432 ? $0.name : "\($0.name):\($0.port)" }.joined(separator: ",")
        return "postgresql://\(servers)/\(database) (\(schema))"
    }

    /// Returns libpq's keywords and values.
    ///
    /// - Throws: ``JournalError/inaccessible(path:detail:)`` when a value is not allowed.
    func parameters() throws(JournalError) -> [(String, String)] {
        func refuse(_ detail: String) -> JournalError { .inaccessible(path: path, detail: detail) }
        guard schema.wholeMatch(of: /[a-z_][a-z0-9_]{0,62}/) != nil, !schema.hasPrefix("pg_") else {
            throw refuse("a schema has a name of lower-case letters, digits and underscores; choose another one")
        }
        guard !hosts.isEmpty, hosts.allSatisfy({ !$0.name.isEmpty && !$0.name.contains(",") }) else {
            throw refuse("each host needs a name, without a comma; name at least one")
        }
        let texts = hosts.map(\.name) + [database, user, password?.reveal() ?? ""]
        guard texts.allSatisfy({ !$0.utf8.contains(0) }), !database.isEmpty, !user.isEmpty else {
            throw refuse("the database and the role need names, and no part may contain a zero byte")
        }
        var all = [
            ("host", hosts.map(\.name).joined(separator: ",")),
            ("port", hosts.map { "\($0.port)" }.joined(separator: ",")), ("dbname", database), ("user", user),
            // A replica shows older data, and takes no writes.
            ("target_session_attrs", "read-write"), ("client_encoding", "UTF8"),
            ("application_name", "swift-payment-router"), ("gssencmode", "disable"),
            // A lost connection is noticed within seconds.
            ("tcp_user_timeout", "10000"), ("keepalives_idle", "5"), ("keepalives_interval", "2"),
            ("keepalives_count", "3"),
        ]
        if let password { all.append(("password", password.reveal())) }
        switch tls {
        case .verified(let authorities):
            guard hosts.contains(where: { !$0.name.hasPrefix("/") }) else { break }
            guard let authorities = authorities ?? Self.systemAuthorities() else {
                throw refuse(
                    "the system's file of certificate authorities was not found; name one in the configuration")
            }
            all += [("sslmode", "verify-full"), ("sslrootcert", authorities)]
        case .localOnly:
            guard hosts.allSatisfy(\.isLocal) else {
                throw refuse("without TLS only servers of this machine are used; ask for verified TLS")
            }
            all.append(("sslmode", "disable"))
        }
        return all
    }

    /// Returns the file of the authorities that the system trusts, at the paths of distributions and Homebrew.
    private static func systemAuthorities() -> String? {
        [
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
            "/etc/ssl/cert.pem",
        ].first { FileManager.default.isReadableFile(atPath: $0) }
    }
}

extension PostgresConfiguration {
    /// Creates a configuration from a URL or a line of parameters as PostgreSQL's own programs take them:
    /// `postgresql://role:password@db.example/shop`. The parameters `host`, `port`, `dbname`, `user`, `password`,
    /// `sslrootcert` and `sslmode` are read. `sslmode` is `verify-full`, which is also the default, or `disable` for a
    /// server of this machine.
    ///
    /// - Parameter url: the URL, which may hold a password.
    /// - Throws: ``JournalError/inaccessible(path:detail:)`` when it cannot be read, or asks for something else.
    public init(url: Redacted<String>) throws(JournalError) {
        func refuse(_ detail: String) -> JournalError { .inaccessible(path: "postgresql", detail: detail) }
        guard cpq_version() != 0 else { throw PostgresError.missingLibrary.error("postgresql", timeout: .zero) }
        var reason: UnsafeMutablePointer<CChar>?
        // The reason may quote the password.
        guard let options = cPQconninfoParse(url.reveal(), &reason) else {
            cPQfreemem(reason)
            throw refuse("its address cannot be read; write it as postgresql://role:password@host/database")
        }
        defer { cPQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        let known: Set<String> = ["host", "port", "dbname", "user", "password", "sslrootcert", "sslmode"]
        if let other = values.keys.filter({ !known.contains($0) }).min() {
            throw refuse("its address has the parameter '\(other)', which is not used here; remove it")
        }
        let names = (values["host"] ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let ports = (values["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? 5432 : Int($0) }
        guard ports.count == 1 || ports.count == names.count,
            ports.allSatisfy({ $0.map((1...65535).contains) ?? false })
        else { throw refuse("its address has an unreadable port; give one, or one for each host") }
        let hosts = names.enumerated().map { index, name in
            Host(name, port: (ports.count == 1 ? ports[0] : ports[index]) ?? 5432)
        }
        guard let user = values["user"] else { throw refuse("its address names no role; write it before the host") }
        let tls: TLS
        switch values["sslmode"] ?? "verify-full" {
        case "verify-full": tls = .verified(authorities: values["sslrootcert"])
        case "disable": tls = .localOnly
        case let other:
            throw refuse("its address asks for sslmode=\(other.prefix(32)), which verifies no name; use verify-full")
        }
        self.init(
            hosts: hosts, database: values["dbname"] ?? user, user: user,
            password: values["password"].map { Redacted($0) }, tls: tls)
    }
}
