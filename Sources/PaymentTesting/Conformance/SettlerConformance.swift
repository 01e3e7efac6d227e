public import PaymentCore

/// Probes a settler. Every settler gets the same probes: they spend the money of its test wallet.
///
/// ```swift
/// let report = await SettlerConformance.check(
///     SettlerSubject("my node") {
///         let node = try await Node.regtest()
///         return SettlerSubject.Wallet(node.settler, invoice: node.newInvoice, payments: node.countPayments)
///     })
/// #expect(report.isPassed, "\(report)")
/// ```
public enum SettlerConformance {
    /// One rule that every settler must keep.
    @nonexhaustive
    public enum Probe: String, Sendable, Hashable, CaseIterable {
        /// Of something that was never requested there is no order.
        case question = "a question sends nothing"
        /// A registered name is known, also after a restart, and never replaces what is known under it.
        case registered = "a registered name is known, and sends nothing"
        /// A repeated request returns the first one's state.
        case once = "a key is paid once"
        /// Simultaneous requests under one key are one.
        case race = "of many who ask at once, one is paid"
        /// A key's first invoice is its only one: with another one it returns the first one's state.
        case first = "a key keeps its first invoice"
        /// An invoice that was paid under one key is paid under no other, and reported as paid under no other.
        case invoice = "an invoice is paid once, under one key"
        /// Nothing is sent under an abandoned key, and a payment that was made is not abandoned.
        case abandoned = "under an abandoned key nothing is sent"
        /// A refusal is final for its key, and for no other.
        case refused = "a refusal is final for its key"
        /// Payments and refusals are known after a restart.
        case restart = "a restart forgets nothing"
    }

    /// The results of probing a settler.
    public typealias Report = ConformanceReport<Probe>

    /// Runs all probes, each with its own wallet.
    public static func check(_ subject: SettlerSubject) async -> Report {
        await Report.probing(subject.name) {
            SettlerTrial(try await subject.make())
        } _: {
            try await run($0, $1)
        }
    }

    private static func run(_ probe: Probe, _ trial: SettlerTrial) async throws {
        switch probe {
        case .question: try await trial.question()
        case .registered: try await trial.registered()
        case .once: try await trial.once()
        case .race: try await trial.race()
        case .first: try await trial.first()
        case .invoice: try await trial.invoice()
        case .abandoned: try await trial.abandoned()
        case .refused: try await trial.refused()
        case .restart: try await trial.restart()
        }
    }
}

// MARK: - Subject

/// A kind of settler that ``SettlerConformance`` probes.
public struct SettlerSubject: Sendable {
    /// One wallet with money in it, and the settler that pays from it.
    public struct Wallet: Sendable {
        /// The settler.
        public let settler: any PaymentSettler
        /// Creates something to pay, another one at each call: an endpoint that the wallet can pay, and its amount.
        public let invoice: @Sendable () async throws -> (endpoint: SettlementEndpoint, amount: Money)
        /// Returns the number of payments that have left the wallet.
        public let payments: @Sendable () async throws -> Int
        /// Lets the wallet carry out what is in flight: by a pause, or a clock that is moved.
        public let proceed: @Sendable () async throws -> Void
        /// Makes the wallet refuse every payment, or pay again; nil if that is impossible.
        public let refuse: (@Sendable (_ refuses: Bool) async throws -> Void)?
        /// Opens the same wallet again, as after a restart; nil if that is impossible.
        public let reopen: (@Sendable () async throws -> any PaymentSettler)?

        /// Creates a wallet.
        public init(
            _ settler: any PaymentSettler,
            invoice: @escaping @Sendable () async throws -> (endpoint: SettlementEndpoint, amount: Money),
            payments: @escaping @Sendable () async throws -> Int,
            proceed: @escaping @Sendable () async throws -> Void = { await Task.yield() },
            refuse: (@Sendable (_ refuses: Bool) async throws -> Void)? = nil,
            reopen: (@Sendable () async throws -> any PaymentSettler)? = nil
        ) {
            self.settler = settler
            self.invoice = invoice
            self.payments = payments
            self.proceed = proceed
            self.refuse = refuse
            self.reopen = reopen
        }
    }

    /// The name for reports.
    public let name: String
    let make: @Sendable () async throws -> Wallet

    /// Creates a subject.
    ///
    /// - Parameters:
    ///   - name: The name in reports.
    ///   - make: Makes a wallet with money and without payments, at every call.
    public init(_ name: String, make: @escaping @Sendable () async throws -> Wallet) {
        self.name = name
        self.make = make
    }
}

// MARK: - Trial

/// One probe of one settler: it calls the settler and collects the defects.
struct SettlerTrial: StorageTrial {
    let wallet: SettlerSubject.Wallet
    let findings = Findings()

    init(_ wallet: SettlerSubject.Wallet) { self.wallet = wallet }

    // MARK: Probes

    func question() async throws {
        let settlement = try await settlement("a")
        for _ in 0..<2 {
            let known = [
                try await wallet.settler.order(named: settlement.key),
                try await wallet.settler.order(paying: settlement.endpoint),
            ]
            expect(known == [nil, nil], "what was never requested has an order: \(known)")
        }
        try await expectPayments(0, "a question")
    }

    func registered() async throws {
        let settlement = try await settlement("a")
        try await wallet.settler.register("a")
        try await wallet.settler.register("a")
        let known = try await wallet.settler.order(named: "a")?.state
        expect(known == .registered, "a registered name is \(String(describing: known))")
        try await expectPayments(0, "a registered name")
        let state = try await pay(settlement)
        expect(state.isSettled, "what can be paid is \(state)")
        try await wallet.settler.register("a")
        try await expectKept(settlement, state, wallet.settler)
        try await wallet.settler.register("b")
        let promise = try await wallet.settler.abandon("b")
        expect(promise.hasSentNothing, "a registered name is abandoned as \(promise)")
        try await wallet.settler.register("b")
        try await expectRefused("b", wallet.settler)
        try await expectPayments(1, "names that were registered again")
        guard let reopen = wallet.reopen else { return }
        try await wallet.settler.register("c")
        let later = try await reopen()
        let kept = try await later.order(named: "c")?.state
        expect(kept == .registered, "after a restart a registered name is \(String(describing: kept))")
        expect(later.name == wallet.settler.name, "opened again, it is called \(later.name)")
    }

    func once() async throws {
        let settlement = try await settlement("a")
        let first = try await pay(settlement)
        expect(first.isSettled, "what can be paid is \(first)")
        try await expectKept(settlement, first, wallet.settler)
        try await expectPayments(1, "a repeated request")
        let other = try await pay(try await self.settlement("b"))
        expect(other.isSettled, "another payment is \(other)")
        try await expectPayments(2, "another payment")
    }

    func race() async throws {
        let settlement = try await settlement("a")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try? await wallet.settler.settle(settlement) } }
        }
        let state = try await pay(settlement)
        expect(state.isSettled, "what was requested eight times at once is \(state)")
        try await expectPayments(1, "eight requests at once")
    }

    func invoice() async throws {
        let settlement = try await settlement("a")
        guard settlement.endpoint.paymentHash != nil else {
            throw InapplicableError(reason: "its endpoints take every payment")
        }
        let first = try await pay(settlement)
        expect(first.isSettled, "what can be paid is \(first)")
        let again = try await wallet.settler.settle(
            Settlement(key: "b", endpoint: settlement.endpoint, amount: settlement.amount))
        let asked = try await wallet.settler.order(named: "b")?.state
        let elsewhere = SettlementState.settledElsewhere(name: "a")
        expect(again == elsewhere, "an invoice that was paid under the key a is \(again) under the key b")
        expect(asked == elsewhere, "asked by the key b, it is \(String(describing: asked))")
        let payer = try await wallet.settler.order(paying: settlement.endpoint)
        expect(payer?.name == "a" && payer?.state == first, "asked by its invoice, it is \(String(describing: payer))")
        try await expectPayments(1, "an invoice under two keys")
    }

    func first() async throws {
        let settlement = try await settlement("a")
        let before = try await pay(settlement)
        expect(before.isSettled, "what can be paid is \(before)")
        try await expectKept(try await self.settlement("a"), before, wallet.settler)
        let order = try await wallet.settler.order(named: "a")
        expect(
            settlement.endpoint.paymentHash == nil || order?.endpoint == settlement.endpoint,
            "the key's payment is \(String(describing: order?.endpoint)), not its first one")
        try await expectPayments(1, "two invoices under one key")
    }

    func abandoned() async throws {
        let settlement = try await settlement("a")
        let promise = try await wallet.settler.abandon("a")
        expect(promise.hasSentNothing, "an abandoned key is \(promise)")
        let later = try await pay(settlement)
        expect(later.hasSentNothing, "what is requested under an abandoned key is \(later)")
        try await expectRefused("a", wallet.settler)
        try await expectPayments(0, "an abandoned key")
        let paid = try await self.settlement("b")
        let before = try await pay(paid)
        let after = try await wallet.settler.abandon("b")
        expect(after.isSettled && after == before, "\(before) is abandoned as \(after)")
        try await expectPayments(1, "another key")
    }

    func refused() async throws {
        guard let refuse = wallet.refuse else { throw InapplicableError(reason: "its wallet never refuses") }
        let settlement = try await settlement("a")
        try await refuse(true)
        let refused = try await pay(settlement)
        expect(refused.hasSentNothing, "a refused payment is \(refused)")
        try await refuse(false)
        let kept = try await wallet.settler.settle(settlement)
        expect(kept.hasSentNothing, "a refused payment that is requested again is \(kept)")
        try await expectRefused("a", wallet.settler)
        try await expectPayments(0, "a refused key")
        let other = try await pay(try await self.settlement("b"))
        expect(other.isSettled, "another payment after a refusal is \(other)")
        try await expectPayments(1, "another key")
    }

    func restart() async throws {
        guard let reopen = wallet.reopen else { throw InapplicableError(reason: "its wallet cannot be opened again") }
        let (paid, refused) = (try await settlement("a"), try await settlement("b"))
        let state = try await pay(paid)
        if let refuse = wallet.refuse {
            try await refuse(true)
            _ = try await pay(refused)
            try await refuse(false)
        }
        let later = try await reopen()
        try await expectKept(paid, state, later)
        if wallet.refuse != nil {
            let kept = try await later.settle(refused)
            expect(kept.hasSentNothing, "after a restart a refused payment is \(kept)")
            try await expectRefused("b", later)
        }
        try await expectPayments(1, "a restart")
    }

    // MARK: Steps

    private func settlement(_ key: String) async throws -> Settlement {
        let (endpoint, amount) = try await wallet.invoice()
        return Settlement(key: key, endpoint: endpoint, amount: amount)
    }

    /// Requests a payment, and returns its state when it is no longer in flight.
    private func pay(_ settlement: Settlement) async throws -> SettlementState {
        var state = try await wallet.settler.settle(settlement)
        for _ in 0..<1000 {
            guard case .inFlight = state else { break }
            try await wallet.proceed()
            guard let order = try await wallet.settler.order(named: settlement.key) else {
                expect(false, "a payment in flight has no order")
                break
            }
            state = order.state
        }
        return state
    }

    /// Expects the refusal of a key to be known.
    private func expectRefused(_ key: String, _ settler: any PaymentSettler) async throws {
        let known = try await settler.order(named: key)?.state
        expect(known?.hasSentNothing == true, "asked for a refused key, it says \(String(describing: known))")
    }

    /// Expects a settler to state what it stated before, however it is asked.
    private func expectKept(
        _ settlement: Settlement, _ before: SettlementState, _ settler: any PaymentSettler
    ) async throws {
        let requested = try await settler.settle(settlement)
        let asked = try await settler.order(named: settlement.key)?.state
        expect(requested == before, "requested again, \(before) becomes \(requested)")
        expect(asked == before, "asked again, \(before) becomes \(String(describing: asked))")
    }

    private func expectPayments(_ count: Int, _ what: String) async throws {
        let payments = try await wallet.payments()
        expect(payments == count, "after \(what) \(payments) payments have left the wallet, not \(count)")
    }
}

extension SettlementState {
    fileprivate var isSettled: Bool { if case .settled = self { true } else { false } }
    fileprivate var hasSentNothing: Bool { if case .nothingSent = self { true } else { false } }
}
