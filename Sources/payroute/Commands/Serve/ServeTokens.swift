import Foundation
import PaymentCore
import PaymentCrypto
import SandboxSupport

/// The tokens that `payroute serve` takes. It knows their digests only.
struct ServeTokens: Sendable {
    /// The caller of a request: a tenant's name, and its rights.
    struct Access: Sendable {
        let tenant: String
        let scopes: Set<ServeScope>

        /// Every program of this machine, if there are no tokens.
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

    /// Returns the caller that the fields of a request prove, or nil if there is none.
    func access(_ headers: HTTPHeaders) -> Access? {
        let fields = headers.values("Authorization")
        let scheme = "Bearer "
        guard fields.count == 1, fields[0].prefix(scheme.count).lowercased() == scheme.lowercased() else { return nil }
        let digest = Digest.sha256.hash(Array(fields[0].dropFirst(scheme.count).utf8))
        var found: Access?
        // Every entry is compared whole, so that the time does not reveal which byte was wrong.
        for entry in entries where Self.areEqual(entry.digest, digest) { found = entry.access }
        return found
    }

    private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// The rights of a token.
enum ServeScope: String, CaseIterable, Sendable {
    /// To read texts, decisions and the tenant's own payments.
    case read
    /// To pay, and to answer the questions of payments to their payers.
    case pay
    /// A merchant's work: refunds, captures, cancellations.
    case refund
    /// To deliver services' notifications and payers' returns.
    case notify
}

/// The lines of a file that only its owner may read, each as words. Blank lines, and lines that begin with `#`, have no
/// meaning.
struct OwnersFile: Sendable {
    /// The file's name, for messages.
    let name: String
    let lines: [(number: Int, words: [String])]

    /// - Parameter content: The file's content, for messages: `tokens`.
    init(path: String, of content: String) throws(CommandError) {
        let kind = "file of \(content)"
        let bytes = try NamedFile.bytes(path, kind, limit: 1_048_576, keptFrom: .anyReading)
        // Two names that are not UTF-8 would become one.
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw NamedFile.unusable(path, kind, "it is not UTF-8")
        }
        self.init(text, called: Printable.text(path))
    }

    init(_ text: String, called name: String) {
        self.name = name
        // The two characters that end a line on Windows are one `Character`.
        let isEnd = { (character: Character) in character == "\n" || character == "\r\n" }
        let all = text.split(omittingEmptySubsequences: false, whereSeparator: isEnd)
        lines = all.enumerated().compactMap { index, line in
            let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
            guard let first = words.first, !first.hasPrefix("#") else { return nil }
            return (index + 1, words)
        }
    }
}
