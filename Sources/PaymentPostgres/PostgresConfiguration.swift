public import PaymentCore
import PaymentRouting

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

    /// The servers that may be the primary one, in the order in which they are tried. Replicas are passed over.
    public var hosts: [Host]
    /// The database's name.
    public var database: String
    /// The role.
    public var user: String
    /// The role's password; nil where there is none, or it is in libpq's password file.
    public var password: Redacted<String>?
    /// The protection of what is sent.
    public var tls: TLS
    /// The schema that holds the tables, one for each deployment: lower-case letters, digits and underscores. It is
    /// made where it is missing.
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
            // A replica shows what was, and takes no writes.
            ("target_session_attrs", "read-write"), ("client_encoding", "UTF8"),
            ("application_name", "swift-payment-router"), ("gssencmode", "disable"),
            // A server that is cut off is noticed within seconds.
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

    /// The file of the authorities that the system trusts, where distributions and Homebrew put it.
    private static func systemAuthorities() -> String? {
        [
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
            "/etc/ssl/cert.pem",
        ].first { FileManager.default.isReadableFile(atPath: $0) }
    }
}
