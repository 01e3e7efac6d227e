import PaymentCrypto

/// A session at a user's own homeserver. Its secret is as sensitive as the key for what it permits, and is never
/// printed.
public struct PubkySession: Sendable, Hashable {
    /// The user of the session.
    public let user: PubkyKey
    /// The session's permissions.
    public let capabilities: [PubkyCapability]
    package let credential: Credential
    /// The homeserver that opened it, or confirmed that it knows it: no other server is shown the credential, whatever
    /// is published about the location of the user's data.
    package let origin: String

    package enum Credential: Sendable, Hashable {
        /// A cookie, for older homeservers (Protocol 3.4).
        case cookie(Redacted<String>)
        /// A bearer, valid for an hour, then renewed with the grant (Protocol 10.3).
        case bearer(Bearer)
    }

    package struct Bearer: Sendable, Hashable {
        package let token: Redacted<String>
        package let held: HeldGrant
        /// The time of its expiry, by the clock that is never set.
        package let end: Duration

        /// The remaining time below which a bearer is renewed before a request.
        package static let margin: Duration = .seconds(150)
    }

    package init(user: PubkyKey, capabilities: [PubkyCapability], credential: Credential, origin: String) {
        self.user = user
        self.capabilities = capabilities
        self.credential = credential
        self.origin = origin
    }

    package var held: HeldGrant? {
        guard case .bearer(let bearer) = credential else { return nil }
        return bearer.held
    }

    /// The session in the form that another program of the same user reads: key, colon and cookie (Protocol 3.4), or
    /// the grant with the app's key (Protocol 10.5). A grant is for one program at a time: its use in another ends the
    /// session here.
    public var exported: Redacted<String> {
        switch credential {
        case .cookie(let cookie): Redacted("\(user):\(cookie.reveal())")
        case .bearer(let bearer): bearer.held.credential
        }
    }

    /// Returns the key and the cookie of an exported session. Throws ``PaykitNetworkError/Code/validationFailed``.
    package static func read(_ exported: Redacted<String>) throws(PaykitNetworkError) -> (PubkyKey, Redacted<String>) {
        let parts = exported.reveal().split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let user = try? PubkyKey(parts[0]), isCookie(parts[1]) else {
            throw PaykitNetworkError(
                .validationFailed, "an exported session is a key, a colon and the session's secret")
        }
        return (user, Redacted(String(parts[1])))
    }

    /// Returns true if a text can be the value of a cookie: nothing in it may end a header or begin another cookie.
    static func isCookie(_ text: some StringProtocol) -> Bool {
        text.isWord(1...256, "-_.~")
    }
}

/// A permission of a session: to read or write below a path of its owner's storage (Protocol 3.3).
public struct PubkyCapability: Sendable, Hashable {
    /// The path, from the root.
    public let scope: String
    /// True if it may read where reading is not public.
    public let canRead: Bool
    /// True if it may write.
    public let canWrite: Bool

    /// Everything.
    public static let root = PubkyCapability(scope: "/", canRead: true, canWrite: true)
    /// The capability that publishing payment endpoints requires.
    public static let paykit = PubkyCapability(scope: "/pub/paykit.app/v0/", canRead: true, canWrite: true)
    /// The capability that publishing a profile requires.
    public static let profile = PubkyCapability(scope: "/pub/pubky.app/", canRead: true, canWrite: true)

    private init(scope: String, canRead: Bool, canWrite: Bool) {
        self.scope = scope
        self.canRead = canRead
        self.canWrite = canWrite
    }

    /// Reads one capability: `/pub/paykit.app/v0/:rw`.
    ///
    /// - Throws: ``PubkyCapabilityDefect``.
    public init(_ text: some StringProtocol) throws(PubkyCapabilityDefect) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .form }
        guard Self.isScope(parts[0]) else { throw .scope }
        guard !parts[1].isEmpty, parts[1].allSatisfy({ $0 == "r" || $0 == "w" }) else { throw .action }
        self.init(scope: String(parts[0]), canRead: parts[1].contains("r"), canWrite: parts[1].contains("w"))
    }

    /// Reads a list of capabilities, separated by commas without blanks. An empty text is an empty list. One bad entry
    /// invalidates the list, so that a user is never asked for less than was meant.
    ///
    /// - Throws: ``PubkyCapabilityDefect``.
    public static func list(_ text: some StringProtocol) throws(PubkyCapabilityDefect) -> [PubkyCapability] {
        guard !text.isEmpty else { return [] }
        var list: [PubkyCapability] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            list.append(try PubkyCapability(part))
        }
        return list
    }

    /// Reads a list of capabilities from JSON; nil if it is not a list, or an entry is bad.
    package static func list(_ json: JSONValue?) -> [PubkyCapability]? {
        let list = json?.array?.map { $0.string.flatMap { try? PubkyCapability($0) } }
        return list?.contains(nil) == false ? list?.compactMap(\.self) : nil
    }

    package static let mostPathBytes = (path: 972, segment: 255)

    /// Returns true if a text is a path of a storage: from the root, without empty segments, `.` or `..`.
    private static func isScope(_ text: some StringProtocol) -> Bool {
        guard text.hasPrefix("/"), text.utf8.count <= mostPathBytes.path,
            !text.unicodeScalars.contains(where: {
                $0.value < 0x20 || 0x7F...0x9F ~= $0.value || "\\,".unicodeScalars.contains($0)
            }), text.unicodeScalars.last?.properties.isWhitespace == false
        else { return false }
        if text == "/" { return true }
        let body = text.hasSuffix("/") ? text.dropFirst().dropLast() : text.dropFirst()
        return body.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
            !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.count <= mostPathBytes.segment
        }
    }

    /// Returns the text of `capabilities`: those of one scope are merged, in the order of the scopes' first appearance.
    static func text(_ capabilities: [PubkyCapability]) -> String {
        var merged: [PubkyCapability] = []
        for capability in capabilities {
            guard let index = merged.firstIndex(where: { $0.scope == capability.scope }) else {
                merged.append(capability)
                continue
            }
            merged[index] = PubkyCapability(
                scope: capability.scope, canRead: capability.canRead || merged[index].canRead,
                canWrite: capability.canWrite || merged[index].canWrite)
        }
        return merged.map(\.text).joined(separator: ",")
    }

    /// The capability's text, such as `/pub/paykit.app/v0/:rw`.
    public var text: String { "\(scope):\(canRead ? "r" : "")\(canWrite ? "w" : "")" }

    /// Returns true if it concerns `path`, as homeservers with grants decide: this very path, or below a directory.
    package func covers(_ path: String) -> Bool { path == scope || scope.hasSuffix("/") && path.hasPrefix(scope) }
}

/// A defect of a capability's text.
@nonexhaustive
public enum PubkyCapabilityDefect: Error, Sendable, Hashable, CustomStringConvertible {
    /// It is not of the form `path:actions`.
    case form
    /// The path is not one of a storage: it does not begin with a slash, is too long, or holds an empty segment, `.`,
    /// `..`, a comma, a backslash or a control character.
    case scope
    /// There is no action, or one that is neither `r` nor `w`.
    case action

    /// One sentence for people.
    public var description: String {
        switch self {
        case .form: "a capability is a path and actions, as in /pub/paykit.app/v0/:rw"
        case .scope:
            "the path of a capability begins with a slash, and holds no empty segment, no '.' or '..', no comma, backslash "
                + "or control character, and at most 972 bytes"
        case .action: "the actions of a capability are r and w"
        }
    }
}

/// A user's signed permission to open a session at their homeserver (Protocol 3.2).
///
/// A value of this type was always signed by ``key``, whatever its source. Until it expires, its holder can open a
/// session with it: it is a secret.
package struct AuthToken: Sendable {
    package let key: PubkyKey
    /// The time of the signature: microseconds since 1970.
    package let timestamp: UInt64
    package let capabilities: [PubkyCapability]
    package var bytes: [UInt8] { content.reveal() }
    private let content: Redacted<[UInt8]>

    private static let namespace = Array("PUBKY:AUTH".utf8)
    /// The start of the signed bytes: one byte behind the end of the signature, as in all implementations.
    private static let signedFrom = 65

    package init(_ capabilities: [PubkyCapability], at timestamp: UInt64, by owner: PubkyKeyPair) {
        let content =
            Self.namespace + [0] + timestamp.bigEndianBytes + owner.publicKey.bytes
            + Postcard.string(PubkyCapability.text(capabilities))
        self.content = Redacted(owner.sign(Array(content.dropFirst())) + content)
        key = owner.publicKey
        self.timestamp = timestamp
        self.capabilities = capabilities
    }

    /// Checks and reads a token. The caller checks its age.
    package init(parsing bytes: [UInt8]) throws(WireDefect) {
        var reader = ByteReader(bytes)
        let signature = try reader.bytes(64)
        guard try reader.bytes(10) == Self.namespace else { throw WireDefect("a token does not say that it is one") }
        guard try reader.byte() == 0 else { throw WireDefect("a token has a version that is not known") }
        timestamp = try reader.uint64()
        do { key = try PubkyKey(bytes: reader.bytes(32)) } catch let defect as PubkyKeyDefect {
            throw WireDefect("\(defect)")
        } catch { throw WireDefect("a token ends too early") }
        do { capabilities = try PubkyCapability.list(reader.string()) } catch { throw WireDefect("\(error)") }
        try reader.end()
        guard Ed25519.isValid(signature, message: Array(bytes[Self.signedFrom...]), publicKey: key.bytes) else {
            throw WireDefect("a token was not signed by \(key)")
        }
        content = Redacted(bytes)
    }
}

/// A homeserver's description of a session (Protocol 3.4).
package struct SessionInfo: Sendable, Hashable {
    package let key: PubkyKey
    /// The time when the session was opened: microseconds since 1970.
    package let createdAt: UInt64
    package let name: String
    package let userAgent: String
    package let capabilities: [PubkyCapability]

    package init(
        key: PubkyKey, createdAt: UInt64, name: String = "", userAgent: String, capabilities: [PubkyCapability]
    ) {
        self.key = key
        self.createdAt = createdAt
        self.name = name
        self.userAgent = userAgent
        self.capabilities = capabilities
    }

    package init(parsing bytes: [UInt8]) throws(WireDefect) {
        var reader = ByteReader(bytes)
        guard try reader.varint() == 0 else { throw WireDefect("a session has a version that is not known") }
        let key = try reader.bytes(32)
        do { self.key = try PubkyKey(bytes: key) } catch { throw WireDefect("\(error)") }
        createdAt = try reader.varint()
        name = try reader.string()
        userAgent = try reader.string()
        var capabilities: [PubkyCapability] = []
        for text in try reader.strings() {
            do { capabilities.append(try PubkyCapability(text)) } catch { throw WireDefect("\(error)") }
        }
        self.capabilities = capabilities
        try reader.end()
    }
}
