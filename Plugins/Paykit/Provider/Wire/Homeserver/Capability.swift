/// What a session may do: read or write below a path of its owner's storage (Protocol 3.3).
public struct PubkyCapability: Sendable, Hashable {
    /// The path, from the root.
    public let scope: String
    /// Whether it may read, where reading is not open to everybody.
    public let canRead: Bool
    /// Whether it may write.
    public let canWrite: Bool

    /// Everything.
    public static let root = PubkyCapability(scope: "/", canRead: true, canWrite: true)
    /// Everything of the part that nobody else may read, where a homeserver has one (Protocol 10.6).
    public static let privateRoot = PubkyCapability(scope: "/priv/", canRead: true, canWrite: true)
    /// What publishing payment endpoints takes.
    public static let paykit = PubkyCapability(scope: "/pub/paykit.app/v0/", canRead: true, canWrite: true)
    /// What publishing a profile takes.
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

    /// Reads a list of capabilities, separated by commas without blanks. An empty text is an empty list; one bad entry
    /// spoils the list, for nobody should be asked for less than was meant.
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

    /// The most bytes of a path, and of one of its segments.
    package static let mostPathBytes = (path: 972, segment: 255)

    /// Whether a text is a path as storage has it: from the root, nothing doubled, nothing that climbs.
    private static func isScope(_ text: some StringProtocol) -> Bool {
        guard text.hasPrefix("/"), text.utf8.count <= mostPathBytes.path,
            !text.unicodeScalars.contains(where: {
                $0.value < 0x20 || 0x7F...0x9F ~= $0.value || "\\,".unicodeScalars.contains($0)
            }),
            text.unicodeScalars.last?.properties.isWhitespace == false
        else { return false }
        if text == "/" { return true }
        let body = text.hasSuffix("/") ? text.dropFirst().dropLast() : text.dropFirst()
        return body.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
            !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.count <= mostPathBytes.segment
        }
    }

    /// The text of `capabilities`: those of one scope as one, in the order in which the scopes first stand.
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

    /// Whether a file at `path` may be written, as the older homeservers see it: by its beginning alone.
    package func allowsWriting(_ path: String) -> Bool { canWrite && path.hasPrefix(scope) }

    /// Whether it is about `path`, as today's homeservers see it: this very path, or below a directory.
    package func covers(_ path: String) -> Bool { path == scope || scope.hasSuffix("/") && path.hasPrefix(scope) }
}

/// Why a text is no capability.
@nonexhaustive
public enum PubkyCapabilityDefect: Error, Sendable, Hashable {
    /// It is not `path:actions`.
    case form
    /// The path is none of a storage: it does not begin with a slash, is too long, or holds an empty segment, `.`,
    /// `..`, a comma, a backslash or a control character.
    case scope
    /// There is no action, or one that is neither `r` nor `w`.
    case action
}

extension PubkyCapabilityDefect: CustomStringConvertible {
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
