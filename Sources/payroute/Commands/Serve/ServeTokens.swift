import Foundation
import PaymentCore
import PaymentCrypto

/// The rights of a token.
enum ServeScope: String, CaseIterable, Sendable {
    /// To read texts, decisions and the tenant's own payments.
    case read
    /// To pay, and to answer what a payment asks of the payer.
    case pay
    /// A merchant's work: refunds, captures, cancellations.
    case refund
    /// To deliver services' notifications and payers' returns.
    case notify
}

/// The tokens that `payroute serve` takes, of which it knows digests only.
struct ServeTokens: Sendable {
    /// The caller of a request: a tenant's name, and its rights.
    struct Access: Sendable {
        let tenant: String
        let scopes: Set<ServeScope>

        /// Every program of this machine, where there are no tokens.
        static let local = Access(tenant: "local", scopes: Set(ServeScope.allCases))
    }

    private let entries: [(access: Access, digest: [UInt8])]

    /// Reads a file of tokens: on each line a tenant's name, the SHA-256 of the token in hexadecimal, and its scopes,
    /// separated by commas. Blank lines, and lines that begin with `#`, have no meaning.
    init(path: String) throws(CommandError) {
        let name = Printable.text(path)
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let mode = attributes[.posixPermissions] as? Int,
            let content = try? String(contentsOfFile: path, encoding: .utf8)
        else { throw CommandError(description: "the file of tokens \(name) cannot be read") }
        guard mode & 0o077 == 0 else {
            throw CommandError(
                description: "other users of this machine may read the file of tokens \(name); run chmod 600 on it")
        }
        try self.init(content, called: name)
    }

    init(_ content: String, called name: String) throws(CommandError) {
        var entries: [(access: Access, digest: [UInt8])] = []
        for (index, line) in content.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            let scopes =
                words.last?.split(separator: ",", omittingEmptySubsequences: false).map {
                    ServeScope(rawValue: String($0))
                } ?? []
            guard words.count == 3, let digest = Hex.decode(words[1]), digest.count == Digest.sha256.byteCount,
                !scopes.isEmpty, !scopes.contains(nil)
            else {
                throw CommandError(
                    description:
                        "line \(index + 1) of \(name) is no token: give a name, the token's SHA-256 in hexadecimal "
                        + "and its scopes, such as read,pay")
            }
            guard !entries.contains(where: { $0.digest == digest }) else {
                throw CommandError(description: "line \(index + 1) of \(name) repeats a token; each has one tenant")
            }
            entries.append((Access(tenant: first, scopes: Set(scopes.compactMap(\.self))), digest))
        }
        guard !entries.isEmpty else {
            throw CommandError(description: "\(name) has no token; every call would be refused")
        }
        self.entries = entries
    }

    /// Returns the caller that the fields of a request prove; nil for none.
    func access(_ headers: HTTPHeaders) -> Access? {
        let fields = headers.values("Authorization")
        let scheme = "Bearer "
        guard fields.count == 1, fields[0].prefix(scheme.count).lowercased() == scheme.lowercased() else { return nil }
        let digest = Digest.sha256.hash(Array(fields[0].dropFirst(scheme.count).utf8))
        var found: Access?
        // Every entry is compared whole, so that the time says nothing of which byte was wrong.
        for entry in entries where Self.areEqual(entry.digest, digest) { found = entry.access }
        return found
    }

    private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
