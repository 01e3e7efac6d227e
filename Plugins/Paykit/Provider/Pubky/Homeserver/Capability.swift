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

    /// Reads a list of capabilities, separated by commas without blanks. An empty text is an empty list; one bad entry
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

    /// Reads a list of capabilities from JSON; nil if it is none, or an entry is bad.
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

    /// Returns the text of `capabilities`: those of one scope merged, in the order in which the scopes first appear.
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
