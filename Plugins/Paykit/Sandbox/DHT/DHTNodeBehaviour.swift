/// What a node of a sandbox's DHT is like: honest, gone, or a liar of some kind.
@nonexhaustive
public enum DHTNodeBehaviour: Sendable, Hashable, CaseIterable {
    /// It answers as the protocol says.
    case honest
    /// It never answers.
    case dead
    /// It changes what it stores, so that the signature is wrong.
    case forging
    /// It answers with another owner's item, rightly signed by that one.
    case substituting
    /// It answers with the first item that it ever stored, and says that it stores newer ones.
    case replaying
    /// It knows nothing, refuses to store, and says that it has something newer.
    case denying
    /// It names sixty nodes that do not exist, each nearer than the last.
    case flooding
    /// It names itself, under a thousand ids, and is wherever somebody searches.
    case chameleon
    /// It answers twice, under another transaction first, and with what is no message.
    case babbling

    /// Those that harm on purpose.
    public static let liars = allCases.filter { $0 != .honest && $0 != .dead }
}
