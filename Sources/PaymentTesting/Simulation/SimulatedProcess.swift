public import PaymentCore
public import PaymentRouting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The cause of death of a ``SimulatedProcess``.
@nonexhaustive
public enum SimulatedCrash: Sendable, Hashable {
    /// Only this process is killed. Its writes stay.
    case process
    /// The power fails: every process ends, and the fate decides about the bytes that are not durable.
    case machine(SimulatedDisk.Fate)
}

/// A program run in a ``SimulatedWorld``. After a crash, none of its actions has an effect on the world.
public final class SimulatedProcess: Sendable {
    private struct State {
        var isDead = false
        var operations = 0
        /// Nanoseconds since the beginning of the world, until which it is stopped.
        var sleepsUntil: Int64 = 0
        /// Nanoseconds since the beginning of the world, until which no answers reach it.
        var cutOffUntil: Int64 = 0
        /// The difference of its clock from the world's time, in seconds.
        var clockError = 0.0
        /// Seconds that its clock gains in a second.
        var drift = 0.0
        /// The effects of its end on what is outside of it.
        var ends: [@Sendable () -> Void] = []
    }

    /// The number, from 1.
    public let number: Int
    package let world: SimulatedWorld
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

    /// Its random numbers, different from those of any earlier process.
    public let random: any RandomSource
    /// Its clock.
    public var clock: any PaymentClock { SimulatedClock(timeline: world.timeline, process: self) }
    /// Its network.
    public var transport: any HTTPTransport { SimulatedTransport(process: self) }
    /// Its journal, on its disk.
    public var journal: any PaymentJournal { SimulatedJournal(disk: disk, process: self) }

    /// The disk that it uses.
    public let disk: SimulatedDisk

    /// Returns a router with this process's clock, network and journal.
    ///
    /// - Parameters:
    ///   - registry: The providers.
    ///   - log: Receives every event.
    ///   - journalKey: The key by which it recognises its own journal.
    ///   - leases: The time for which it may be silent about a payment; a short time makes it slower than its leases.
    ///   - autoPay: The limits of payments without a question.
    ///   - wrap: Puts layers around network and journal.
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

    /// True if it has crashed.
    public var isDead: Bool { state.withLock { $0.isDead } }

    /// The number of input and output operations it has begun.
    public var operations: Int { state.withLock { $0.operations } }

    /// Kills only this process, now. Its writes stay.
    public func crash() {
        let (died, ends) = state.withLock { state in
            defer { (state.isDead, state.ends) = (true, []) }
            return (!state.isDead, state.ends)
        }
        guard died else { return }
        world.note("process \(number) ends")
        disk.forget(process: number)
        for end in ends { end() }
    }

    /// Makes `action` happen when it ends, as the system closes files and connections; at once if it has ended.
    package func atEnd(_ action: @escaping @Sendable () -> Void) {
        let isDead = state.withLock { state in
            if !state.isDead { state.ends.append(action) }
            return state.isDead
        }
        if isDead { action() }
    }

    /// Stops it for a time, as a closed laptop does: it lives, but nothing in it proceeds.
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

    /// The time for which its machine has been running, by its own count; it cannot be set.
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

    /// Returns true if answers to what it sends now are lost. A partition may begin here by chance.
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
    /// - Returns: True if it lives.
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
