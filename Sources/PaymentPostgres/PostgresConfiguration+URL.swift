import CPostgreSQL
public import PaymentCore
public import PaymentRouting

extension PostgresConfiguration {
    /// Creates a configuration from a URL or a line of parameters as PostgreSQL's own programs take them:
    /// `postgresql://role:password@db.example/shop`. The parameters `host`, `port`, `dbname`, `user`, `password`,
    /// `sslrootcert` and `sslmode` are read; `sslmode` is `verify-full`, which is also the default, or `disable` for a
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
