public import PaymentCore
public import PaymentRouting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a ``SimulatedProcess`` dies of.
@nonexhaustive
public enum SimulatedCrash: Sendable, Hashable {
    /// It is killed, alone. What it wrote stays.
    case process
    /// The power fails: every process ends, and the fate decides about what is not durable.
    case machine(SimulatedDisk.Fate)
}

/// A program run in a ``SimulatedWorld``. When it crashes, everything that it could still do to the world has no
/// effect.
public final class SimulatedProcess: Sendable {
    private struct State {
        var isDead = false
        var operations = 0
        /// Nanoseconds since the beginning of the world, until which it is stopped.
        var sleepsUntil: Int64 = 0
        /// The same, until which no answers reach it.
        var cutOffUntil: Int64 = 0
        /// How far its clock is from the world's time, in seconds.
        var clockError = 0.0
        /// Seconds that its clock gains in a second.
        var drift = 0.0
    }

    /// Its number, from 1.
    public let number: Int
    let world: SimulatedWorld
    private let crashIndex: Int?
    private let cause: SimulatedCrash
    private let state = Mutex(State())

    init(
        number: Int, world: SimulatedWorld, disk: SimulatedDisk, crashingAt crash: Int?, by cause: SimulatedCrash
    ) {
        self.number = number
        self.world = world
        self.disk = disk
        self.cause = cause
        crashIndex = crash
        random = SeededRandomSource(seed: world.random.next())
        if world.happens(world.faults.wrongClock) { misset() }
    }

    /// Its random numbers: other ones than those of any earlier process.
    public let random: any RandomSource
    /// Its time.
    public var clock: any PaymentClock { SimulatedClock(timeline: world.timeline, process: self) }
    /// Its way to the network.
    public var transport: any HTTPTransport { SimulatedTransport(process: self) }
    /// Its way to the disk.
    public var journal: any PaymentJournal { SimulatedJournal(disk: disk, process: self) }

    /// The disk that it uses.
    public let disk: SimulatedDisk

    /// Returns a router with everything from here.
    ///
    /// - Parameters:
    ///   - registry: the providers.
    ///   - log: hears every event.
    ///   - journalKey: by which it knows its own journal again.
    ///   - leases: how long it may be silent about a payment; a short time makes it slower than its leases.
    ///   - autoPay: what is paid without a question.
    ///   - wrap: puts layers around network and journal.
    public func router(
        _ registry: ProviderRegistry, log: PaymentLog = .silent, journalKey: JournalKey? = nil,
        leases: LeasePolicy = LeasePolicy(), autoPay: AutoPay? = nil,
        wrap: (_ transport: any HTTPTransport, _ journal: any PaymentJournal)
            -> (any HTTPTransport, any PaymentJournal) = { ($0, $1) }
    ) -> PaymentRouter {
        let (transport, journal) = wrap(transport, journal)
        return PaymentRouter(
            registry: registry, transport: transport, journal: journal, clock: clock, random: random, log: log,
            leases: leases, journalKey: journalKey, autoPay: autoPay)
    }

    /// Whether it has crashed.
    public var isDead: Bool { state.withLock { $0.isDead } }

    /// How many input and output operations it has begun.
    public var operations: Int { state.withLock { $0.operations } }

    /// Kills it, alone, here and now. What it wrote stays.
    public func crash() {
        let died = state.withLock { state in
            defer { state.isDead = true }
            return !state.isDead
        }
        guard died else { return }
        world.note("process \(number) ends")
        disk.forget(process: number)
    }

    /// Stops it for a time, as a laptop that is closed does: it lives, but nothing in it goes on.
    public func sleep(for duration: Duration) {
        let end = world.timeline.elapsed + duration.nanoseconds
        state.withLock { $0.sleepsUntil = max($0.sleepsUntil, end) }
    }

    // MARK: Time and network

    /// The time as its clock shows it.
    var now: Date {
        let (error, drift) = state.withLock { ($0.clockError, $0.drift) }
        return world.timeline.now.addingTimeInterval(error + drift * Double(world.timeline.elapsed) / 1e9)
    }

    /// How long its machine has been running, as it counts it; nobody sets that.
    var uptime: Duration {
        let elapsed = Double(world.timeline.elapsed) / 1e9
        return .seconds(elapsed * (1 + state.withLock { $0.drift }))
    }

    /// Sets its clock to a wrong time: a little off, or by days and years.
    private func misset() {
        let isNear = world.fate.fraction() < 0.6
        let error = (world.fate.fraction() * 2 - 1) * (isNear ? 120 : 3650 * 86_400)
        world.note("process \(number) has a clock that is \(Int(error)) s off")
        let drift = (world.fate.fraction() * 2 - 1) / 100
        state.withLock { ($0.clockError, $0.drift) = (error, drift) }
    }

    /// Whether answers to what it sends now are lost. A partition may begin here by chance.
    func isCutOff() -> Bool {
        if world.happens(world.faults.partitioned) {
            let seconds = Int64(world.fate.next() % 600)
            world.note("process \(number) hears nothing for \(seconds) s")
            state.withLock { $0.cutOffUntil = world.timeline.elapsed + seconds * 1_000_000_000 }
        }
        return !world.faults.isNone && world.timeline.elapsed < state.withLock { $0.cutOffUntil }
    }

    /// Waits while the process is stopped. It may be stopped here by chance.
    func awake() async {
        if world.happens(world.faults.stopped) {
            let seconds = Int(world.fate.next() % 1200)
            world.note("process \(number) stops for \(seconds) s")
            sleep(for: .seconds(seconds))
        }
        while !isDead {
            let left = state.withLock { $0.sleepsUntil } - world.timeline.elapsed
            guard left > 0 else { return }
            let pending = OneShot<Void>()
            world.timeline.schedule(after: left) { pending.finish(()) }
            await pending.value()
        }
    }

    /// Counts an operation, at which the process may die.
    ///
    /// - Returns: whether it lives.
    func passes(_ operation: @autoclosure () -> String) -> Bool {
        let (isDead, index) = state.withLock { state in
            defer { if !state.isDead { state.operations += 1 } }
            return (state.isDead, state.operations)
        }
        guard !isDead else { return false }
        world.note("process \(number) \(index) \(operation())")
        if world.happens(world.faults.wrongClock / 30) { misset() }
        guard index == crashIndex else { return true }
        switch cause {
        case .process: crash()
        case .machine(let fate): world.failPower(fate, of: disk)
        }
        return false
    }
}

/// Virtual time as one process, or a service, sees it.
struct SimulatedClock: PaymentClock {
    let timeline: Timeline
    let process: SimulatedProcess?

    var now: Date { process?.now ?? timeline.now }
    var uptime: Duration { process?.uptime ?? .nanoseconds(timeline.elapsed) }

    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        guard process?.isDead != true else { throw CancellationError() }
        await timeline.pause(duration.nanoseconds)
        await process?.awake()
        try Task.checkCancellation()
        guard process?.isDead != true else { throw CancellationError() }
    }
}
