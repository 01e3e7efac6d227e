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
        guard parts[0].hasPrefix("/"), !parts[0].contains(","),
            !parts[0].utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else { throw .scope }
        guard parts[1].allSatisfy({ $0 == "r" || $0 == "w" }) else { throw .action }
        self.init(scope: String(parts[0]), canRead: parts[1].contains("r"), canWrite: parts[1].contains("w"))
    }

    /// Reads a list of capabilities, separated by commas. An empty text is an empty list.
    ///
    /// - Throws: ``PubkyCapabilityDefect``.
    public static func list(_ text: some StringProtocol) throws(PubkyCapabilityDefect) -> [PubkyCapability] {
        var list: [PubkyCapability] = []
        for part in text.split(separator: ",") { list.append(try PubkyCapability(part)) }
        return list
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

    /// Whether a file at `path` may be written.
    package func allowsWriting(_ path: String) -> Bool { canWrite && path.hasPrefix(scope) }
}

/// Why a text is no capability.
@nonexhaustive
public enum PubkyCapabilityDefect: Error, Sendable, Hashable {
    /// It is not `path:actions`.
    case form
    /// The path does not begin with a slash, or holds a control character.
    case scope
    /// An action is neither `r` nor `w`.
    case action
}

extension PubkyCapabilityDefect: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch self {
        case .form: "a capability is a path and actions, as in /pub/paykit.app/v0/:rw"
        case .scope: "the path of a capability begins with a slash and holds no control character"
        case .action: "the actions of a capability are r and w"
        }
    }
}
