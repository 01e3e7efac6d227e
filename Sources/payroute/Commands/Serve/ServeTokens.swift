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

    /// The tenants that have a token.
    var tenants: Set<String> { Set(entries.map(\.access.tenant)) }

    /// Reads a file of tokens: on each line a tenant's name, the SHA-256 of the token in hexadecimal, and its scopes,
    /// separated by commas.
    init(_ file: OwnersFile) throws(CommandError) {
        let name = file.name
        var entries: [(access: Access, digest: [UInt8])] = []
        for (number, words) in file.lines {
            let scopes =
                words.last?.split(separator: ",", omittingEmptySubsequences: false).map {
                    ServeScope(rawValue: String($0))
                } ?? []
            guard words.count == 3, let digest = Hex.decode(words[1]), digest.count == Digest.sha256.byteCount,
                !scopes.contains(nil)
            else {
                throw CommandError(
                    description:
                        "line \(number) of \(name) is no token: give a name, the token's SHA-256 in hexadecimal "
                        + "and its scopes, such as read,pay")
            }
            guard !entries.contains(where: { $0.digest == digest }) else {
                throw CommandError(description: "line \(number) of \(name) repeats a token; each has one tenant")
            }
            entries.append((Access(tenant: words[0], scopes: Set(scopes.compactMap(\.self))), digest))
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
