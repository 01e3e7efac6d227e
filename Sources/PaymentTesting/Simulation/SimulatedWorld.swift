public import PaymentCore
import PaymentRouting
import Synchronization

/// A world in one thread: time, network, disk, services and the order of all work follow from a seed.
///
/// ```swift
/// let world = SimulatedWorld(seed: 42, faults: .drawn(from: SeededRandomSource(seed: 42)))
/// let service = WalletConnectPaySandbox(clock: world.clock, random: world.random)
/// world.connect(service, to: "api.pay.walletconnect.com")
/// let outcome = try world.run {
///     let process = world.start()
///     return try await process.router(registry).pay(link, as: payer)
/// }
/// ```
///
/// The same seed gives the same history, byte for byte (``trace``). Code under test must take time, chance, network and
/// disk from its process only, and must not start its own tasks outside the router: those would leave the simulation,
/// which ``run(steps:_:)`` reports.
public final class SimulatedWorld: Sendable {
    private struct State {
        var faults: SimulatedFaults
        var services: [String: any SandboxService] = [:]
        var processes: [SimulatedProcess] = []
        var lines: [String] = []
        var requests: [HTTPRequest] = []
    }

    /// The number that everything follows from.
    public let seed: UInt64
    /// Random numbers for services and for the history itself.
    public let random: SeededRandomSource
    /// The disk of the first machine, which survives crashes.
    public let disk: SimulatedDisk
    /// The world's time, for services.
    public var clock: any PaymentClock { SimulatedClock(timeline: timeline, process: nil) }

    let timeline: Timeline
    let executor: SeededExecutor
    /// Draws faults and delays.
    let fate: SeededRandomSource
    private let isTraced: Bool
    private let diskSeeds: Mutex<SplitMix64>
    private let state: Mutex<State>

    /// Creates a world without services and processes.
    ///
    /// - Parameters:
    ///   - seed: The number that determines everything that happens.
    ///   - faults: The faults and their rates.
    ///   - isTraced: True if ``trace`` and ``requests`` are kept. They cost a third of the time; a failed history can
    ///     be played again with them.
    public init(seed: UInt64, faults: SimulatedFaults = .none, isTraced: Bool = true) {
        self.seed = seed
        self.isTraced = isTraced
        var seeds = SplitMix64(seed: seed)
        executor = SeededExecutor(seed: seeds.next())
        timeline = Timeline(seed: seeds.next())
        fate = SeededRandomSource(seed: seeds.next())
        random = SeededRandomSource(seed: seeds.next())
        disk = SimulatedDisk(random: SeededRandomSource(seed: seeds.next()))
        diskSeeds = Mutex(seeds)
        state = Mutex(State(faults: faults))
    }

    // MARK: Making history

    /// The faults and their rates from now on.
    public var faults: SimulatedFaults {
        get { state.withLock { $0.faults } }
        set { state.withLock { $0.faults = newValue } }
    }

    /// Puts `service` on the network as `authority` (`host`, or `host:port`).
    public func connect(_ service: any SandboxService, to authority: String) {
        state.withLock { $0.services[authority] = service }
    }

    /// Returns the disk of another machine, such as a second device of the payer's.
    public func makeDisk() -> SimulatedDisk {
        SimulatedDisk(random: SeededRandomSource(seed: diskSeeds.withLock { $0.next() }))
    }

    /// Starts a process in addition to those that live: it reads from the disk what the others wrote there.
    ///
    /// - Parameters:
    ///   - disk: The disk of its machine; the first machine's when nil.
    ///   - crash: The number of the input or output operation at which it dies, from 0, or nil.
    ///   - cause: The cause of its death.
    public func start(
        on disk: SimulatedDisk? = nil, crashingAt crash: Int? = nil, by cause: SimulatedCrash = .machine(.drawn)
    ) -> SimulatedProcess {
        let number = state.withLock { $0.processes.count + 1 }
        let process = SimulatedProcess(
            number: number, world: self, disk: disk ?? self.disk, crashingAt: crash, by: cause)
        state.withLock { $0.processes.append(process) }
        return process
    }

    /// Returns the process of a number; nil when none has started.
    package func process(_ number: Int) -> SimulatedProcess? {
        state.withLock { $0.processes.first { $0.number == number } }
    }

    /// Cuts a machine's power: every process there ends, and what is not durable on its disk meets its fate.
    ///
    /// - Parameters:
    ///   - fate: The fate of the bytes that are not durable.
    ///   - machine: The machine's disk; the first machine's when nil.
    public func failPower(_ fate: SimulatedDisk.Fate = .drawn, of machine: SimulatedDisk? = nil) {
        let disk = machine ?? disk
        for process in state.withLock({ $0.processes }) where process.disk === disk { process.crash() }
        let lost = disk.losePower(fate)
        note("the power fails; \(lost) records are lost")
    }

    /// Runs `body` to its end in this world; virtual time passes whenever nothing else can happen.
    ///
    /// - Parameters:
    ///   - steps: The highest number of pieces of work.
    ///   - body: The work in this world.
    /// - Throws: ``SimulationError``, and what `body` throws.
    public func run<Value: Sendable>(
        steps: Int = 1_000_000, _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let ending = Ending<Value>()
        let isOver = Flag()
        executor.drive(true)
        defer { executor.drive(false) }
        RouterTasks.$executor.withValue(executor) {
            _ = Task(executorPreference: executor) {
                let result: Result<Value, any Error>
                do { result = .success(try await body()) } catch { result = .failure(error) }
                ending.set(result)
                isOver.set()
            }
        }
        let last = executor.count + steps
        while true {
            // Asked before every piece of work, so the flag's type is no generic one.
            if isOver.isSet, let result = ending.result {
                guard executor.strays == 0 else { throw SimulationError.escaped(seed: seed) }
                return try result.get()
            }
            guard executor.count < last else { throw SimulationError.endless(seed: seed, steps: steps) }
            guard executor.runOne() || timeline.advance() else {
                throw executor.strays == 0 ? SimulationError.stalled(seed: seed) : .escaped(seed: seed)
            }
        }
    }

    /// Ends the world: all processes die and all work in progress ends.
    public func end() {
        for process in state.withLock({ $0.processes }) { process.crash() }
        // No process is left to be delayed.
        faults = .none
        executor.drive(true)
        defer { executor.drive(false) }
        RouterTasks.$executor.withValue(executor) {
            for _ in 0..<1_000_000 where !(executor.runOne() || timeline.advance()) { break }
        }
        // Services often reference their world: unless this cycle is broken here, neither is ever freed.
        state.withLock { state in
            state.processes = []
            state.services = [:]
        }
    }

    // MARK: Looking back

    /// The history, line by line; empty in a world that is not traced.
    public var trace: [String] { state.withLock { $0.lines } }

    /// Seconds since the beginning.
    public var elapsed: Double { Double(timeline.elapsed) / 1e9 }

    /// Every request that left a process, in order; none in a world that is not traced.
    public var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// Adds a line to the trace.
    public func note(_ line: @autoclosure () -> String) {
        guard isTraced else { return }
        let line = "\(timeline.elapsed / 1000) \(line())"
        state.withLock { $0.lines.append(line) }
    }

    func service(at authority: String) -> (any SandboxService)? { state.withLock { $0.services[authority] } }

    func left(_ request: HTTPRequest) {
        if isTraced { state.withLock { $0.requests.append(request) } }
    }

    /// Makes `action` happen after `delay` nanoseconds of the world's time.
    package func schedule(after delay: Int64, _ action: @escaping @Sendable () -> Void) {
        timeline.schedule(after: delay, action)
    }

    /// Returns true if an event of this `probability` happens now.
    package func happens(_ probability: Double) -> Bool { probability > 0 && fate.fraction() < probability }
}

/// The result of a simulation's body.
private final class Flag: Sendable {
    private let state = Atomic(false)
    var isSet: Bool { state.load(ordering: .acquiring) }
    func set() { state.store(true, ordering: .releasing) }
}

private final class Ending<Value: Sendable>: Sendable {
    private let state = Mutex<Result<Value, any Error>?>(nil)
    var result: Result<Value, any Error>? { state.withLock { $0 } }
    func set(_ result: Result<Value, any Error>) { state.withLock { $0 = result } }
}

/// The reason why a simulation has no result. Each names its seed.
@nonexhaustive
public enum SimulationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Everything waits for something that will never happen.
    case stalled(seed: UInt64)
    /// It did not end within this number of pieces of work.
    case endless(seed: UInt64, steps: Int)
    /// Some work left the simulation: a task without the executor preference, or real time, was used.
    case escaped(seed: UInt64)

    /// One sentence for people.
    public var description: String {
        switch self {
        case .stalled(let seed): "SEED=\(seed): everything waits, nothing will happen"
        case .endless(let seed, let steps): "SEED=\(seed): no end after \(steps) pieces of work"
        case .escaped(let seed):
            "SEED=\(seed): work left the simulation; use the process's clock and no unstructured tasks"
        }
    }
}

// MARK: - Faults

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
    /// The request or its answer takes up to two minutes: later ones overtake it.
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

    /// Creates the rates of a world without faults.
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
