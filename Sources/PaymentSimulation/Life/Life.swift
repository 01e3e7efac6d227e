import PaymentCore
import PaymentRouting
import PaymentTesting
import PaymentTransport
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A history while it runs.
struct Life: Sendable {
    let world: SimulatedWorld
    let variation: Variation
    let random: SeededRandomSource
    let markets: Markets
    let witness: Witness
    let chain: Chain
    let oracle: Oracle
    let hangs = Hangs()
    /// True if the application calls its router from inside callbacks.
    let reenters: Bool
    /// True if the application carries intents out.
    let usesIntents: Bool
    /// True if two merchants' servers with separate journals number their refunds alike.
    let hasServers: Bool
    /// True if merchants capture, and do not only refund.
    let hasCaptures: Bool
    private let hasRestores: Bool
    /// True if one payment's wallet and settler never answer while everything else heals.
    let hasStuckPayer: Bool
    let backups = Backups()
    /// Every third history is sealed. In some the key is added, changed or lost in between.
    private let keys: (first: JournalKey?, later: JournalKey?, change: Double)
    private let hasUpgrade: Bool
    private let leases: LeasePolicy
    private let registries = Registries()
    /// Every third history has limits for payments without a question.
    private let autoPay: AutoPay?

    init(_ world: SimulatedWorld, _ variation: Variation, _ random: SeededRandomSource) throws {
        self.world = world
        self.variation = variation
        self.random = random
        let markets = try Markets(variation.markets, in: world)
        self.markets = markets
        witness = Witness(clock: world.clock) { markets.identity(of: $0) }
        chain = Chain(random: world.random)
        autoPay = world.seed % 3 == variation.autoPayShare ? Self.autoPay(world, variation) : nil
        let key = world.seed % 3 == 0 ? try Self.key(7) : nil
        let hasKeyChange = random.happens(variation.keyChanges)
        let later = key == nil || random.happens(0.5) ? try Self.key(8) : nil
        keys = (key, hasKeyChange ? later : key, Double(random.below(2000)))
        hasUpgrade = random.happens(variation.upgrades)
        // Drawn apart, so that other histories stay as they are.
        reenters = SeededRandomSource(seed: world.seed ^ 0xCA11).happens(variation.reentries)
        usesIntents = SeededRandomSource(seed: world.seed ^ 0x1A7E27).happens(variation.intents)
        hasServers = SeededRandomSource(seed: world.seed ^ 0x5E12).happens(variation.servers)
        hasCaptures = SeededRandomSource(seed: world.seed ^ 0xC0113C7).happens(variation.captures)
        hasRestores = SeededRandomSource(seed: world.seed ^ 0xBACC).happens(variation.restores)
        hasStuckPayer = SeededRandomSource(seed: world.seed ^ 0x57C0).happens(variation.stuckPayers)
        // A payer who never answers makes calls hang that wait for them.
        if reenters { world.faults.payerHangs = 0 }
        // Every fourth is slower than its leases.
        leases =
            random.happens(0.25)
            ? LeasePolicy(duration: .seconds(1 + random.below(20)), timeout: .seconds(random.below(60)))
            : LeasePolicy()
        oracle = Oracle(
            markets, witness,
            Circumstances(
                isUpgraded: hasUpgrade, hasWrongClocks: world.faults.wrongClock > 0,
                hasRefusedCopies: world.faults.copyRefused > 0, countsCoins: variation.countsCoins))
    }

    private static func autoPay(_ world: SimulatedWorld, _ variation: Variation) -> AutoPay {
        // Drawn apart, so that other histories stay as they are.
        let (random, missing) = (SeededRandomSource(seed: world.seed ^ 0x4A7E), variation.missingRates)
        return Allowance.autoPay(countsCoins: variation.countsCoins) { !random.happens(missing) }
    }

    private static func key(_ byte: UInt8) throws -> JournalKey {
        try JournalKey(Redacted([UInt8](repeating: byte, count: 32)))
    }

    /// True if a process that starts now cannot trust a record.
    func isDistrusted(_ history: AttemptHistory) -> Bool { key?.isSound(history) == false }

    /// The key of a process that starts now.
    private var key: JournalKey? { world.elapsed < keys.change ? keys.first : keys.later }

    func verdict() async throws -> Verdict {
        if let faces = variation.faces { return try await servedVerdict(faces()) }
        let payments = try await markets.makePayments(1 + random.below(4), random)
        let devices = makeDevices(payments)
        var started = 0
        var edition = Edition.first
        for _ in 0..<(1 + random.below(3)) {
            if hasUpgrade, random.happens(0.6) { edition = .renamed }
            let seats = devices.flatMap { makeSeats(at: $0, edition) }
            started += seats.count
            await withTaskGroup(of: Void.self) { group in
                for seat in seats { group.addTask { await Days(life: self, seat: seat).live() } }
                if hasRestores { group.addTask { await backup(devices) } }
            }
            for device in devices where random.happens(0.3) { world.failPower(of: device.disk) }
            for seat in seats { seat.process.crash() }
            if hasRestores { try await restore(devices) }
            try await world.clock.sleep(for: .seconds(pause()))
        }
        if hasUpgrade { edition = .renamed }
        world.faults = .none
        world.note("everything heals")
        if variation.rest > .zero { try await world.clock.sleep(for: variation.rest) }
        if hasStuckPayer { hangs.stick(markets.identity(of: random.pick(payments).reference)) }
        var (endings, healed) = try await heal(devices, edition)
        hangs.release()
        if hasStuckPayer {
            let (later, more) = try await heal(devices, edition)
            endings = zip(endings, later).map { $0.merging($1) { $0 == .refused ? $1 : $0 } }
            healed += more
        }
        // Until the last request in flight has arrived.
        try await world.clock.sleep(for: .seconds(250))
        var ends: [Judgement.Device] = []
        for (device, endings) in zip(devices, endings) {
            await Convergence(life: self, seat: seat(device, world.start(on: device.disk), edition)).settleMerchants()
            ends.append(
                Judgement.Device(
                    number: device.number, payments: device.payments, endings: endings,
                    histories: device.disk.histories, spendings: device.disk.spendings))
        }
        return await judge(payments, ends, processes: started + healed + devices.count)
    }

    /// Seconds during which no process pays.
    private func pause() -> Int {
        random.happens(0.2)
            ? random.below(1200) : random.happens(variation.breaks) ? random.below(40_000) : random.below(10)
    }

    private func heal(
        _ devices: [Device], _ edition: Edition
    ) async throws -> (endings: [[PaymentReference: Judgement.Ending]], healed: Int) {
        var ends: [[PaymentReference: Judgement.Ending]] = []
        var healed = 0
        for device in devices {
            let seats = (0..<(random.happens(variation.pairs) ? 2 : 1)).map { _ in
                seat(device, world.start(on: device.disk), edition)
            }
            healed += seats.count
            let endings = try await withThrowingTaskGroup(of: [PaymentReference: Judgement.Ending].self) { group in
                for seat in seats {
                    group.addTask { try await Convergence(life: self, seat: seat).endings() }
                }
                // A payment that one of them paid may be refused to the other.
                return try await group.reduce(into: [:]) { $0.merge($1) { $0 == .refused ? $1 : $0 } }
            }
            for seat in seats { seat.process.crash() }
            ends.append(endings)
        }
        return (ends, healed)
    }

    func judge(
        _ payments: [MarketPayment], _ ends: [Judgement.Device], processes: Int
    ) async -> Verdict {
        let judgement = Judgement(markets: markets, witness: witness, oracle: oracle, chain: chain, key: key)
        await judgement.judge(payments, ends)
        for breach in witness.breaches + markets.breaches { await oracle.breach(nil, breach, .money) }
        var verdict = Verdict()
        for breach in await oracle.finish() {
            if variation.promises.contains(breach.promise) {
                verdict.breaches.append(breach.text)
            } else {
                verdict.open.append(breach)
            }
        }
        verdict.payments = payments.count
        for payment in payments { verdict.captures += await markets.captures(of: payment.reference) }
        verdict.broadcasts = witness.broadcasts.count
        verdict.words = await oracle.count
        verdict.processes = processes
        return verdict
    }

    // MARK: Devices and processes

    /// A device of the payer, with a separate wallet and journal.
    struct Device: Sendable {
        let number: Int
        let disk: SimulatedDisk
        let payer: Payer
        let payments: [MarketPayment]
    }

    /// A process on a device, and the routers that run in it.
    struct Seat: Sendable {
        let device: Device
        let process: SimulatedProcess
        let router: PaymentRouter
        /// The merchants' side, which shares the journal.
        let merchants: PaymentRouter
        /// The merchants' router that cancels.
        let cancellations: PaymentRouter
        /// The router that is asked for quotes.
        let quotes: PaymentRouter

        var doer: Doer { Doer(device: device.number, process: process.number) }
    }

    func makeDevices(_ payments: [MarketPayment]) -> [Device] {
        let shared = payments.filter(\.isForAll)
        let isDivided = hasServers && payments.count > 1
        let count = isDivided || (!shared.isEmpty && random.happens(variation.devices)) ? 2 : 1
        return (0..<count).map { number in
            let own = payments.indices.filter { $0 % 2 == number }.map { payments[$0] }
            let disk = number == 0 ? world.disk : world.makeDisk()
            let careful = CarefulPayer(
                world, device: number, variation.wallet, chain: chain, witness: witness, hangs: hangs, disk: disk)
            return Device(
                number: number, disk: disk,
                payer: careful.payer { markets.equip(&$0) },
                payments: isDivided ? own : number == 0 ? payments : shared)
        }
    }

    /// One or two processes, which die at some operation by chance.
    private func makeSeats(at device: Device, _ edition: Edition) -> [Seat] {
        (0..<(random.happens(variation.pairs) ? 2 : 1)).map { _ in
            let crash = random.happens(0.7) ? random.below(40 * device.payments.count) : nil
            let cause: SimulatedCrash = random.happens(0.5) ? .machine(.drawn) : .process
            let missing = random.happens(variation.gaps) ? [random.pick(markets.ids)] : []
            return seat(
                device, world.start(on: device.disk, crashingAt: crash, by: cause), edition, without: Set(missing))
        }
    }

    func seat(
        _ device: Device, _ process: SimulatedProcess, _ edition: Edition, without missing: Set<ProviderID> = []
    ) -> Seat {
        let doer = Doer(device: device.number, process: process.number)
        let acts = PayeeActs()
        func router(_ registry: ProviderRegistry, isForgetful: Bool = false) -> PaymentRouter {
            let retry = [RetryMiddleware(clock: process.clock, random: process.random)]
            let network = WitnessedNetwork(
                base: process.transport, process: process, doer: doer, markets: markets, witness: witness,
                oracle: oracle, checksDurability: variation.checksDurability, acts: acts)
            let stored: any PaymentJournal =
                variation.server.map { RemoteJournal($0(process), of: process) } ?? process.journal
            let journal =
                isForgetful
                ? InMemoryJournal() as any PaymentJournal
                : WitnessedJournal.around(
                    variation.journal(stored, process.clock), on: device.disk, witness
                ) { attempt in
                    // Another payer of the same journal has no limits, and no account.
                    autoPay == nil ? [] : await oracle.excess(of: attempt, device.disk.spendings)
                } breach: {
                    await oracle.breach(nil, $0, isRemembered: true)
                }
            return PaymentRouter(
                registry: registry,
                transport: LayeredTransport(variation.transport(network), world.seed % 2 == 0 ? retry : []),
                journal: journal, readers: markets.readers, clock: process.clock, random: process.random,
                leases: leases, journalKey: key, autoPay: autoPay)
        }
        let registry = registries.registry(edition, missing) { markets.registry(edition, witness, without: missing) }
        let merchants = registries.registry(edition, nil) { markets.merchants(edition, witness) }
        let merchant = router(merchants)
        return Seat(
            device: device, process: process, router: router(registry), merchants: merchant,
            cancellations: variation.cancelsWithoutJournal ? router(merchants, isForgetful: true) : merchant,
            quotes: router(registry, isForgetful: variation.quotesWithoutJournal))
    }
}

/// The registries of one history. Every process of an edition registers the same services.
private final class Registries: Sendable {
    private struct Key: Hashable {
        let edition: Edition
        /// The services that a payer's application lacks; nil for a merchant's.
        let missing: Set<ProviderID>?
    }

    private let made = Mutex<[Key: ProviderRegistry]>([:])

    func registry(
        _ edition: Edition, _ missing: Set<ProviderID>?, _ make: () -> ProviderRegistry
    ) -> ProviderRegistry {
        let key = Key(edition: edition, missing: missing)
        return made.withLock { made in
            let registry = made[key] ?? make()
            made[key] = registry
            return registry
        }
    }
}

// MARK: - History

/// One simulated life of some payments: faults, crashes, restarts, two processes and two devices at once, calls from
/// outside; then everything heals and must end.
package struct History: Sendable {
    /// The number that determines everything.
    package let seed: UInt64
    /// The composition of the history.
    package var variation: Variation

    package init(seed: UInt64, variation: Variation) {
        self.seed = seed
        self.variation = variation
    }

    /// Runs the history.
    ///
    /// - Parameter isTraced: true if the verdict has a trace.
    package func run(isTraced: Bool = true) -> Verdict {
        let random = SeededRandomSource(seed: seed ^ 0x5EED)
        var faults = SimulatedFaults.drawn(from: random)
        variation.faults(&faults)
        let world = SimulatedWorld(seed: seed, faults: faults, isTraced: isTraced)
        var verdict = Verdict()
        do {
            let life = try Life(world, variation, random)
            defer { life.hangs.release() }
            verdict = try world.run { try await life.verdict() }
        } catch {
            verdict.breaches = ["\(error)"]
        }
        world.end()
        verdict.trace = world.trace
        verdict.seconds = world.elapsed
        return verdict
    }
}

// MARK: - Backups

/// The latest copies of the devices' journals.
final class Backups: Sendable {
    private let copies = Mutex<[Int: SimulatedDisk.Copy]>([:])

    subscript(_ device: Int) -> SimulatedDisk.Copy? {
        get { copies.withLock { $0[device] } }
        set { copies.withLock { $0[device] = newValue } }
    }
}

extension Life {
    /// Copies the journals at some moment, as a backup does while payments are made.
    func backup(_ devices: [Device]) async {
        try? await world.clock.sleep(for: .milliseconds(random.below(6000)))
        for device in devices where random.happens(0.7) {
            backups[device.number] = device.disk.copy()
            world.note("the journal of device \(device.number) is copied")
        }
    }

    /// Puts older copies of some journals back, when everything has arrived that was on its way.
    func restore(_ devices: [Device]) async throws {
        for device in devices where random.happens(0.5) {
            guard let copy = backups[device.number] else { continue }
            try await world.clock.sleep(for: .seconds(800))
            let before = device.disk.histories
            device.disk.restore(copy)
            world.note("the journal of device \(device.number) is restored from an older copy")
            let after = Set(device.disk.histories)
            for lost in before where !after.contains(lost) {
                witness.loses(
                    markets.identity(of: lost.attempt.reference.handledPayment ?? lost.attempt.reference),
                    on: device.number)
            }
        }
    }
}
