import PaykitSandbox
import PaymentCore
import PaymentCrypto
import PaymentSimulation
import PaymentTesting
import Synchronization

/// The payer's node and wallet in a simulated world: it pays at a ``PubkySandbox``, late, with lost answers, at its own
/// time, and with invalid proofs; but it recognises its payments, and reports as certain only that it sent nothing.
final class SimulatedSettler: PaymentSettler {
    /// The behaviour of a settlement under faults.
    private enum Habit: CaseIterable, Sendable {
        case prompt
        /// It takes up to two minutes before anything is sent.
        case late
        /// It reports the payment as pending, and pays later.
        case queued
        /// It pays, and never reports it.
        case losesAnswer
        /// It pays, and presents a wrong proof for a while.
        case lies
        /// It refuses permanently.
        case refuses
    }

    private struct Entry {
        var habit: Habit
        /// The first request under the key.
        let settlement: Settlement
        /// True if the payment was decided on, false if it was decided against; nil before the decision.
        var pays: Bool?
        var lies = 0
        /// The uptime at which a queued payment is made.
        var due: Duration?
        /// The number of payments under this key.
        var payments = 0
        /// The attempts that requested it: those of one payment share its key.
        var attempts: Set<AttemptID> = []
        var proof: SettlementProof?
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// Keys that were abandoned before anything was requested under them.
        var abandoned: Set<String> = []
        var registered: Set<String> = []
        /// The keys of each payment of an application, one for each of its attempts.
        var keys: [PaymentReference: Set<String>] = [:]
        /// Endpoints that are never paid.
        var refused: Set<String> = []
    }

    private let world: SimulatedWorld
    private let sandbox: PubkySandbox
    private let forgets: Bool
    private let pretends: Bool
    private let state = Mutex(State())

    /// - Parameters:
    /// - forgets: a mistake: it recognises no earlier payment.
    /// - pretends: a mistake: it refuses, and pays all the same.
    init(_ world: SimulatedWorld, _ sandbox: PubkySandbox, forgets: Bool = false, pretends: Bool = false) {
        self.world = world
        self.sandbox = sandbox
        self.forgets = forgets
        self.pretends = pretends
    }

    /// Makes it refuse an endpoint permanently, for every caller.
    func refuse(_ endpoint: String) { state.withLock { _ = $0.refused.insert(endpoint) } }

    /// The error of a lost answer.
    struct Silent: Error {}

    let name = "node"

    func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? { nil }

    func register(_ name: String) async throws {
        try await think()
        state.withLock { _ = $0.registered.insert(name) }
    }

    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool {
        [.bolt11, .bitcoinAddress].contains(kind) && network == "regtest"
    }

    func order(named name: String) async throws -> SettlementOrder? {
        try await think()
        // What is not decided was not begun: a request whose caller is gone decides nothing.
        guard !forgets, let entry = state.withLock({ $0.entries[name] }), entry.pays != nil else {
            let known: SettlementState? = state.withLock { state in
                if state.abandoned.contains(name) { return .nothingSent(reason: "it was abandoned") }
                return state.registered.contains(name) ? .registered : nil
            }
            return known.map { SettlementOrder(name: name, endpoint: nil, amount: nil, state: $0) }
        }
        let settlement = entry.settlement
        return SettlementOrder(
            name: name, endpoint: settlement.endpoint, amount: settlement.amount, state: try await know(settlement))
    }

    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try await think()
        guard !forgets, let hash = endpoint.paymentHash else { return nil }
        let open = state.withLock { state in
            state.entries.values.filter { $0.settlement.endpoint == endpoint && $0.pays == true }.map(\.settlement)
        }
        for settlement in open {
            let known = try await know(settlement)
            if case .nothingSent = known { continue }
            return SettlementOrder(
                name: settlement.key, endpoint: endpoint, amount: settlement.amount, state: known)
        }
        guard let proof = await sandbox.proof(ofPaying: hash) else { return nil }
        return SettlementOrder(name: nil, endpoint: endpoint, amount: nil, state: .settled(proof.settled))
    }

    func abandon(_ name: String) async throws -> SettlementState {
        try await think()
        let known = state.withLock { state in
            if state.entries[name] == nil { state.abandoned.insert(name) }
            return state.entries[name]?.settlement
        }
        guard let known else { return .nothingSent(reason: "it was abandoned") }
        _ = decide(name, pays: false)
        return try await know(known)
    }

    func settle(_ wanted: Settlement) async throws -> SettlementState {
        let settlement = state.withLock { $0.entries[wanted.key]?.settlement } ?? wanted
        guard !state.withLock({ $0.abandoned.contains(settlement.key) }) else {
            return .nothingSent(reason: "it was abandoned")
        }
        if let payment = Acting.attempt?.reference {
            state.withLock { _ = $0.keys[payment, default: []].insert(settlement.key) }
        }
        let habit = habit(of: settlement)
        if let attempt = Acting.attempt {
            state.withLock { _ = $0.entries[settlement.key]?.attempts.insert(attempt.id) }
        }
        if habit == .late { try? await world.clock.sleep(for: .seconds(1 + world.random.below(120))) }
        guard decide(settlement.key, pays: habit != .refuses) else {
            if pretends { await pay(settlement) }
            return .nothingSent(reason: "it says no")
        }
        if habit == .queued {
            let due = world.clock.uptime + .seconds(world.random.below(40))
            state.withLock { $0.entries[settlement.key]?.due = due }
            return .inFlight(retryAfter: world.random.happens(0.5) ? .seconds(1) : nil)
        }
        await pay(settlement)
        if habit == .losesAnswer, world.random.happens(0.7) { throw Silent() }
        return try await know(settlement)
    }

    // MARK: Records

    /// The number of payments under the key of an attempt.
    func payments(by attempt: PaymentAttempt) -> Int {
        state.withLock { state in
            let entry = state.entries[attempt.key(for: "settle")]
            return entry?.attempts.contains(attempt.id) == true ? entry?.payments ?? 0 : 0
        }
    }

    /// The largest number of payments for one payment of an application.
    func mostPayments(where isMeant: (PaymentReference) -> Bool) -> Int {
        state.withLock { state in
            let sums = state.keys.filter { isMeant($0.key) }.map { _, keys in
                keys.map { state.entries[$0]?.payments ?? 0 }.reduce(0, +)
            }
            return sums.max() ?? 0
        }
    }

    /// The proofs of a payment of an application.
    func proofs(of payment: PaymentReference) -> Set<SettlementProof> {
        state.withLock { state in Set((state.keys[payment] ?? []).compactMap { state.entries[$0]?.proof }) }
    }

    // MARK: Behaviour

    private func habit(of settlement: Settlement) -> Habit {
        let isCalm = world.faults == .none
        let drawn = isCalm ? Habit.prompt : world.random.pick(Habit.allCases)
        // Of payees it refuses only those that it always refuses: a refusal could not be matched to one of several
        // payments.
        let isPayee = Acting.attempt?.reference.id != settlement.endpoint.paymentHash
        return state.withLock { state in
            let isRefused = state.refused.contains(settlement.endpoint.text)
            let fitting = isRefused ? Habit.refuses : drawn == .refuses && isPayee ? .late : drawn
            if var known = state.entries[settlement.key] {
                // The earlier behaviour is over once everything has healed.
                if isCalm, !isRefused { known.habit = .prompt }
                state.entries[settlement.key] = known
                return known.habit
            }
            state.entries[settlement.key] = Entry(habit: fitting, settlement: settlement)
            return fitting
        }
    }

    /// Decides, once for each key, if it is paid.
    private func decide(_ key: String, pays: Bool) -> Bool {
        state.withLock { state in
            if forgets { return pays }
            if let decided = state.entries[key]?.pays { return decided }
            state.entries[key]?.pays = pays
            return pays
        }
    }

    private func pay(_ settlement: Settlement) async {
        let key = settlement.key
        let amount = UInt64(exactly: settlement.amount.minorUnits)
        if forgets {
            guard let proof = try? await sandbox.pay(settlement.endpoint.text, amount: amount) else { return }
            return state.withLock { state in
                state.entries[key]?.payments += 1
                state.entries[key]?.proof = proof.settled
            }
        }
        let before = state.withLock { $0.entries[key]?.proof }
        guard before == nil else { return }
        let proof = try? await sandbox.pay(settlement.endpoint.text, amount: amount, key: key)
        world.note("the settler \(proof == nil ? "could not pay" : "pays") \(settlement.amount)")
        state.withLock { state in
            guard state.entries[key]?.proof == nil else { return }
            if let proof {
                state.entries[key]?.proof = proof.settled
                state.entries[key]?.payments += 1
                if state.entries[key]?.habit == .lies { state.entries[key]?.lies = 1 + Int(key.utf8.first ?? 0) % 3 }
            } else {
                state.entries[key]?.pays = false
            }
        }
    }

    private func know(_ settlement: Settlement) async throws -> SettlementState {
        let key = settlement.key
        let (isDue, isWaiting) = state.withLock { state in
            let entry = state.entries[key]
            let due = entry?.proof == nil ? entry?.due : nil
            return (due.map { $0 <= world.clock.uptime } ?? false, due != nil)
        }
        if isDue { await pay(settlement) } else if isWaiting { return .inFlight(retryAfter: nil) }
        let (proof, isLie) = state.withLock { state in
            guard let entry = state.entries[key] else { return (SettlementProof?.none, false) }
            if entry.lies > 0 { state.entries[key]?.lies -= 1 }
            return (entry.proof, entry.lies > 0)
        }
        if isLie { return .settled(.preimage(String(repeating: "ab", count: 32))) }
        if let proof { return .settled(proof) }
        if let other = other(than: settlement) { return .settledElsewhere(name: other) }
        // A payment that is decided but not made may be made in the next moment.
        let isOpen = state.withLock { $0.entries[key]?.pays == true }
        return isOpen ? .inFlight(retryAfter: nil) : .nothingSent(reason: nil)
    }

    /// The key under which the invoice of a settlement was paid, where that is another one.
    private func other(than settlement: Settlement) -> String? {
        guard settlement.endpoint.paymentHash != nil else { return nil }
        return state.withLock { state in
            state.entries.first {
                $0.key != settlement.key && $0.value.proof != nil && $0.value.settlement.endpoint == settlement.endpoint
            }?.key
        }
    }

    /// Delays the answer, or loses it.
    private func think() async throws {
        guard world.faults != .none else { return }
        if world.random.happens(0.1) { throw Silent() }
        if world.random.happens(0.1) { try? await world.clock.sleep(for: .seconds(world.random.below(60))) }
    }
}

extension PubkySandbox.Proof {
    var settled: SettlementProof {
        switch self {
        case .preimage(let text): .preimage(text)
        case .transaction(let text): .transaction(text)
        }
    }
}
