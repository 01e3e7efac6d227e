public import PaymentCore

/// How often things go wrong in a ``SimulatedWorld``: probabilities, each from 0 to 1.
public struct SimulatedFaults: Sendable, Hashable {
    /// No connection is made; nothing leaves.
    public var notSent = 0.0
    /// The request is lost on its way; the sender sees a broken connection.
    public var lostBefore = 0.0
    /// The service acts, its answer is lost.
    public var lostAfter = 0.0
    /// The request arrives twice; the first answer counts.
    public var duplicated = 0.0
    /// The network library sends the request again by itself after the first answer was lost; the second answer counts.
    public var silentReplay = 0.0
    /// The request or its answer takes up to two minutes, so that later ones overtake it.
    public var delayed = 0.0
    /// Something in between redirects the request to another host instead of passing it on.
    public var redirected = 0.0
    /// Status 500 instead of passing the request on.
    public var failedBefore = 0.0
    /// The service acts, then the answer is status 500.
    public var failedAfter = 0.0
    /// The disk is full; nothing is written.
    public var diskFull = 0.0
    /// The record is durable, but the journal reports a failure.
    public var diskLate = 0.0

    /// The process stops for up to twenty minutes and then goes on as if nothing had happened.
    public var stopped = 0.0

    /// Makes a world where nothing goes wrong.
    public init() {}

    /// Nothing goes wrong.
    public static let none = SimulatedFaults()

    /// Draws a mix: each kind is off in half of all worlds, and up to `most` in the others.
    public static func drawn(from random: some RandomSource, most: Double = 0.3) -> SimulatedFaults {
        var faults = SimulatedFaults()
        let kinds: [WritableKeyPath<SimulatedFaults, Double>] = [
            \.notSent, \.lostBefore, \.lostAfter, \.duplicated, \.silentReplay, \.delayed, \.redirected,
            \.failedBefore, \.failedAfter, \.diskFull, \.diskLate, \.stopped,
        ]
        for kind in kinds {
            let intensity = random.fraction()
            faults[keyPath: kind] = intensity < 0.5 ? 0 : (intensity - 0.5) * 2 * most
        }
        // Full disks are rare, and one that is nearly always full tells little.
        faults.diskFull /= 3
        faults.diskLate /= 3
        // One stop outlasts everything else.
        faults.stopped /= 10
        return faults
    }
}
