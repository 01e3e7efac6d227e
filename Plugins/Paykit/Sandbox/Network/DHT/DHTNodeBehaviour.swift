/// The behaviour of a node of a sandbox's DHT: honest, gone, or dishonest in some way.
@nonexhaustive
public enum DHTNodeBehaviour: Sendable, Hashable, CaseIterable {
    /// It answers by the protocol.
    case honest
    /// It never answers.
    case dead
    /// It changes the items that it stores, so that their signatures are wrong.
    case forging
    /// It answers with another owner's item, rightly signed by that owner.
    case substituting
    /// It answers with the first item that it ever stored, and claims to store newer ones.
    case replaying
    /// It knows nothing, refuses to store, and claims to have a newer item.
    case denying
    /// It names sixty nodes that do not exist, each nearer than the one before.
    case flooding
    /// It names itself under a thousand ids, and claims to be near every target.
    case chameleon
    /// It answers twice, first under another transaction, and with bytes that are no message.
    case babbling

    /// The behaviours that harm on purpose.
    public static let liars = allCases.filter { $0 != .honest && $0 != .dead }
}
