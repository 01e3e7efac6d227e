public import PaymentCore

/// The rates of faults in a ``SimulatedWorld``: probabilities, each from 0 to 1.
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
    /// An intermediary redirects the request to another host instead of passing it on.
    public var redirected = 0.0
    /// Status 500 instead of passing the request on.
    public var failedBefore = 0.0
    /// The service acts, then the answer is status 500.
    public var failedAfter = 0.0
    /// A question (a safe method) is refused with status 451, 404, 429 or 500, whatever the service would have said.
    public var questionRefused = 0.0
    /// The network library sends the request again by itself: the service acts on the first copy, and an intermediary
    /// refuses the second with status 409, 425 or 429. The refusal is the answer.
    public var copyRefused = 0.0
    /// A partition begins: for up to ten minutes the process's requests arrive, and no answers come back.
    public var partitioned = 0.0
    /// The disk is full; nothing is written.
    public var diskFull = 0.0
    /// The record is durable, but the journal reports a failure.
    public var diskLate = 0.0

    /// The process stops for up to twenty minutes and then continues as if nothing had happened.
    public var stopped = 0.0
    /// The process starts with a wrong clock, or its clock is set while it runs: by two minutes at most, or by days up
    /// to ten years. Wrong clocks also drift.
    public var wrongClock = 0.0
    /// A question to the payer is never answered; the payer of the history decides which calls hang.
    public var payerHangs = 0.0
    /// A question to the payer fails, before or after its effect; the payer of the history decides how.
    public var payerFails = 0.0

    /// Creates a world where nothing goes wrong.
    public init() {}

    /// Nothing goes wrong.
    public static let none = SimulatedFaults()

    var isNone: Bool { self == .none }

    /// Returns a mix that is drawn from `random`: each kind is off in half of all worlds, and up to `most` in the
    /// others.
    public static func drawn(from random: some RandomSource, most: Double = 0.3) -> SimulatedFaults {
        var faults = SimulatedFaults()
        let kinds: [WritableKeyPath<SimulatedFaults, Double>] = [
            \.notSent, \.lostBefore, \.lostAfter, \.duplicated, \.silentReplay, \.delayed, \.redirected,
            \.failedBefore, \.failedAfter, \.questionRefused, \.copyRefused, \.partitioned, \.diskFull, \.diskLate,
            \.stopped, \.wrongClock, \.payerHangs, \.payerFails,
        ]
        for kind in kinds {
            let intensity = random.fraction()
            faults[keyPath: kind] = intensity < 0.5 ? 0 : (intensity - 0.5) * 2 * most
        }
        // Full disks are rare; one that is nearly always full shows little.
        faults.diskFull /= 3
        faults.diskLate /= 3
        // One stop, partition or silent payer outlasts everything else.
        for kind in [\.stopped, \.partitioned, \.payerHangs] as [WritableKeyPath<SimulatedFaults, Double>] {
            faults[keyPath: kind] /= 10
        }
        return faults
    }
}
