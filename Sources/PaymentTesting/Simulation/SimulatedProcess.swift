public import PaymentCore
public import PaymentRouting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A program run in a ``SimulatedWorld``. When it crashes, everything that it could still do to the world has no effect.
public final class SimulatedProcess: Sendable {
    private struct State {
        var isDead = false
        var operations = 0
    }

    /// Its number, from 1.
    public let number: Int
    let world: SimulatedWorld
    private let crashIndex: Int?
    private let fate: SimulatedDisk.Fate
    private let state = Mutex(State())

    init(number: Int, world: SimulatedWorld, crashingAt crash: Int?, fate: SimulatedDisk.Fate) {
        self.number = number
        self.world = world
        self.fate = fate
        crashIndex = crash
        random = SeededRandomSource(seed: world.random.next())
    }

    /// Its random numbers: other ones than those of any earlier process.
    public let random: any RandomSource
    /// Its time.
    public var clock: any PaymentClock { SimulatedClock(timeline: world.timeline, process: self) }
    /// Its way to the network.
    public var transport: any HTTPTransport { SimulatedTransport(process: self) }
    /// Its way to the disk.
    public var journal: any PaymentJournal { SimulatedJournal(disk: world.disk, process: self) }

    /// The disk that it uses.
    public var disk: SimulatedDisk { world.disk }

    /// A router with everything from here.
    ///
    /// - Parameter wrap: puts layers around network and journal.
    public func router(
        _ registry: ProviderRegistry, log: PaymentLog = .silent,
        wrap: (_ transport: any HTTPTransport, _ journal: any PaymentJournal)
            -> (any HTTPTransport, any PaymentJournal) = { ($0, $1) }
    ) -> PaymentRouter {
        let (transport, journal) = wrap(transport, journal)
        return PaymentRouter(
            registry: registry, transport: transport, journal: journal, clock: clock, random: random, log: log)
    }

    /// Whether it has crashed.
    public var isDead: Bool { state.withLock { $0.isDead } }

    /// How many input and output operations it has begun.
    public var operations: Int { state.withLock { $0.operations } }

    /// Ends it here and now. What is not durable on the disk meets its fate.
    public func crash() {
        let died = state.withLock { state in
            defer { state.isDead = true }
            return !state.isDead
        }
        guard died else { return }
        world.note("process \(number) ends")
        world.disk.crash(fate, of: number)
    }

    /// Counts an operation, at which the process may die.
    ///
    /// - Returns: whether it lives.
    func passes(_ operation: String) -> Bool {
        let (isDead, index) = state.withLock { state in
            defer { if !state.isDead { state.operations += 1 } }
            return (state.isDead, state.operations)
        }
        guard !isDead else { return false }
        world.note("process \(number) \(index) \(operation)")
        guard index == crashIndex else { return true }
        crash()
        return false
    }
}

/// Virtual time as one process, or a service, sees it.
struct SimulatedClock: PaymentClock {
    let timeline: Timeline
    let process: SimulatedProcess?

    var now: Date { timeline.now }

    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        guard process?.isDead != true else { throw CancellationError() }
        await timeline.pause(duration.nanoseconds)
        try Task.checkCancellation()
        guard process?.isDead != true else { throw CancellationError() }
    }
}
