import PaymentCore
import PaymentRouting

/// The payments that run in this process, by their ids. Each is begun once for its key, and runs once at a time.
actor ServePayments {
    /// The longest that the end of cancelled payments is waited for.
    private static let grace = Duration.seconds(5)

    /// The pause between two looks at payments that nothing runs for.
    private static let pause = Duration.seconds(60)

    private let router: PaymentRouter
    private let journal: any PaymentJournal
    private let table: ServeTable
    nonisolated let payers: ServePayer
    private let metrics: ServeMetrics
    /// By tenant.
    private let webhooks: [String: WebhookSender]
    private let random: any RandomSource
    private let clock: any PaymentClock
    private var running: [String: Task<Void, Never>] = [:]
    /// By payment.
    private(set) var watchers: [String: [Watcher]] = [:]
    private var isDraining = false
    private var tending: Task<Void, Never>?

    init(
        router: PaymentRouter, journal: any PaymentJournal, table: ServeTable, wallet: Payer?, metrics: ServeMetrics,
        webhooks: [String: WebhookSender] = [:],
        random: any RandomSource = SystemRandomSource(), clock: any PaymentClock = SystemPaymentClock()
    ) {
        (self.router, self.journal, self.table) = (router, journal, table)
        (self.metrics, self.webhooks, self.random, self.clock) = (metrics, webhooks, random, clock)
        let relay = Relay()
        actions = ServeActions(random: random) { await relay.payments?.changed($0) }
        payers = ServePayer(wallet: wallet, actions: actions, table: table, clock: clock)
        self.relay = relay
    }

    /// Brings changes of questions to the payments, which hold them.
    private actor Relay {
        weak var payments: ServePayments?
        func bind(_ payments: ServePayments) { self.payments = payments }
    }

    private let relay: Relay
    nonisolated let actions: ServeActions

    /// Begins to take payments, and to send webhooks. Also looks at the payments that are left from an earlier run, now
    /// and later, until each has ended or is resumed. Nothing is sent for them.
    ///
    /// - Returns: The payments that are left.
    func open() async throws -> [ServedPayment] {
        await relay.bind(self)
        for sender in webhooks.values { await sender.start() }
        let left = try await table.open()
        tending = Task(executorPreference: RouterTasks.executor) { [weak self, clock] in
            repeat { await self?.look() } while (try? await clock.sleep(for: Self.pause)) != nil
        }
        return left
    }

    /// Asks the journal and the services for the outcomes of payments that nothing runs for, and ends those that have
    /// ended.
    func look() async {
        try? await table.renew()
        for payment in (try? await table.open()) ?? [] where !isRunning(payment.id) {
            // Services may take long to answer.
            try? await table.renew()
            guard let intent = payment.intent else { continue }
            // A caller's own wallet is asked by its payment alone.
            let statement = await router.outcome(of: intent, as: Payer(settler: payers.wallet?.settler))
            guard case .stated(let outcome) = statement, outcome.isFinal else { continue }
            await state(payment.id, of: payment.tenant, statement, isEnd: true)
        }
        await endAnswered()
    }

    /// Ends attempts in the journal that have ended, and whose keys have. Their ends were stated, and could not be
    /// stored. No other program has the callers' answers, and an open attempt stands against other payments.
    private func endAnswered() async {
        guard let open = try? await table.open(), let histories = try? await journal.unfinished() else { return }
        for attempt in histories.map(\.attempt) where !open.contains(where: { $0.reference == attempt.reference }) {
            try? await table.renew()
            let name = attempt.key(for: StepKind.settlementName)
            if let handed = try? await table.settlement(named: name), handed.hasEnded {
                _ = try? await router.resume(attempt.id, as: Payer(settler: AnsweredSettler(table: table)))
            } else {
                _ = try? await router.conclude(attempt.reference, as: Payer(settler: payers.wallet?.settler))
            }
        }
    }

    deinit { tending?.cancel() }

    /// Refuses what begins or resumes a payment while the server ends.
    func checkIsReady() throws(ServeError) {
        guard isDraining else { return }
        throw ServeError(503, "draining", "the server ends; ask again when it runs again, by the same key")
    }

    /// Checks that both files take a write: a disk is full, or a file was taken away, before a payment notices.
    func checkFiles() async throws(ServeError) {
        let lease = PaymentLease(
            payment: PaymentReference(provider: "payroute", id: "readiness"), holder: "readiness", duration: .zero)
        do {
            try await table.renew()
            _ = try await journal.acquire(lease, at: clock.now)
            try await journal.release(lease)
        } catch { throw .table(error) }
    }

    // MARK: Beginning

    /// Begins the payment of a key, or returns the one that it stands for.
    ///
    /// - Returns: The payment, and true if it is new.
    /// - Throws: ``ServeError``: 422 if the key stands for another request.
    func begin(
        _ order: ServeOrder, key: String, digest: String, of tenant: String, quote: PaymentQuote?
    ) async throws(ServeError) -> (id: String, isNew: Bool) {
        try checkIsReady()
        let payment = ServedPayment(
            id: random.id("pay_"), tenant: tenant, key: key, input: router.route(order.link).shown(order.link),
            order: order, created: clock.now)
        let storing = Task(executorPreference: RouterTasks.executor) { [table] in
            try await table.begin(payment, digest: digest)
        }
        // Before it is stored, so that another request by the key never sees it at rest.
        start(payment.id, of: tenant, quote: quote) { try await storing.value }
        let claim: ServeTable.Claim
        do { claim = try await storing.value } catch { throw .table(error) }
        switch claim {
        case .begun: return (payment.id, true)
        case .known(let id): return (id, false)
        case .taken: throw Self.taken
        }
    }

    /// Returns the payment that a key stands for, or nil if the key is unknown.
    ///
    /// - Throws: ``ServeError``: 422 if the key stands for another request.
    func known(_ key: String, digest: String, of tenant: String) async throws(ServeError) -> String? {
        let claim: ServeTable.Claim?
        do { claim = try await table.claim(key, digest: digest, of: tenant) } catch { throw .table(error) }
        guard let claim else { return nil }
        guard case .known(let id) = claim else { throw Self.taken }
        return id
    }

    private static let taken = ServeError(
        422, "key-reused", "this Idempotency-Key stands for another request; give every payment its own")

    /// Resumes a payment that does not run and has not ended. Any other is left as it is.
    func resume(_ id: String, of tenant: String) async throws(ServeError) {
        try checkIsReady()
        _ = try await findOpen(id, of: tenant)
        start(id, of: tenant) { .begun }
    }

    /// Cancels a payment. Nothing more is sent for it.
    ///
    /// - Throws: ``ServeError``: 409 if the payment may still be made, by what was handed out for it or by the request
    ///   of another caller. Its state says what is known.
    func cancel(_ id: String, of tenant: String) async throws(ServeError) {
        _ = try await findOpen(id, of: tenant)
        if let task = running[id] {
            task.cancel()
            await task.value
        }
        let payment = try await find(id, of: tenant)
        guard let intent = payment.intent else { return }
        let statement = await router.cancel(intent)
        let isOver: Bool
        switch statement {
        case .stated(let outcome): isOver = outcome.isFinal
        case .notBegun(let reason):
            guard reason.code == .cancelled else { throw ServeError(reason.fact) }
            isOver = true
        case .unanswered: isOver = false
        }
        await state(id, of: tenant, statement, isEnd: isOver)
        guard isOver else {
            throw ServeError(
                409, "in-progress", "the payment may be made, and cannot be cancelled any more; look at its outcome")
        }
    }

    /// Returns a tenant's payment that has not ended.
    private func findOpen(_ id: String, of tenant: String) async throws(ServeError) -> ServedPayment {
        let payment = try await find(id, of: tenant)
        if payment.hasEnded {
            throw ServeError(409, "payment-ended", "the payment has ended; nothing is left")
        }
        return payment
    }

    /// Runs a payment, unless it runs.
    ///
    /// - Parameter stored: Waits until its key is stored. A payment whose key is another one's does not run.
    private func start(
        _ id: String, of tenant: String, quote: PaymentQuote? = nil,
        once stored: @escaping @Sendable () async throws -> ServeTable.Claim
    ) {
        guard running[id] == nil else { return }
        running[id] = Task(executorPreference: RouterTasks.executor) {
            if case .begun? = try? await stored() { await self.run(id, of: tenant, quote: quote) }
            await self.ended(id)
        }
        changed(id)
    }

    private func ended(_ id: String) async {
        await actions.forget(id)
        running[id] = nil
        changed(id)
    }

    private func run(_ id: String, of tenant: String, quote: PaymentQuote?) async {
        // Read once no other run can change it. An earlier read may lack what that run has stored.
        guard let payment = try? await table.payment(id, of: tenant), let order = payment.order,
            let intent = payment.intent
        else { return }
        let begun = clock.uptime
        metrics.begin()
        let reference = router.payment(of: intent)
        let listener = reference.map { reference in
            let events = router.events(of: reference)
            return Task(executorPreference: RouterTasks.executor) {
                for await event in events { await self.note(event, of: id) }
            }
        }
        if let reference { try? await table.name(id, reference) }
        let statement = await router.carryOut(
            intent, quote: quote, as: payers.payer(of: id, order, tenant: tenant)
        ) { [table] bound, quote in
            try await table.bind(id, ServeOrder(order, choice: bound.choice), terms: .object(ServePayer.terms(quote)))
        }
        listener?.cancel()
        metrics.end(await state(id, of: tenant, statement, isEnd: isEnd(statement)), after: clock.uptime - begun)
    }

    /// Stores the router's statement, and sends it to the tenant. If it cannot be stored, the payment stays open here,
    /// and the journal has its outcome.
    ///
    /// - Returns: the outcome's name.
    @discardableResult private func state(
        _ id: String, of tenant: String, _ statement: PaymentStatement, isEnd: Bool
    ) async -> String {
        let outcome = ServeOutcome.json(statement, isOpen: !isEnd)
        try? await table.state(
            id, outcome, isEnd: isEnd, webhook: webhooks[tenant].map { _ in random.id("msg_") }, at: clock.now)
        webhooks[tenant]?.wake()
        changed(id)
        return outcome["outcome"]?.string ?? ""
    }

    /// Returns true if nothing more happens for the payment's key. The end of the server is not the payment's, nor is a
    /// failure of the journal.
    private func isEnd(_ statement: PaymentStatement) -> Bool {
        switch statement {
        case .stated(let outcome): outcome.isFinal
        case .unanswered: false
        case .notBegun(let reason): !isDraining && reason.code != .journal
        }
    }

    // MARK: Looking

    /// Returns a tenant's payment.
    ///
    /// - Throws: ``ServeError``, 404 for another tenant's, too.
    func find(_ id: String, of tenant: String) async throws(ServeError) -> ServedPayment {
        let payment: ServedPayment?
        do { payment = try await table.payment(id, of: tenant) } catch { throw .table(error) }
        guard let payment else { throw .notFound }
        return payment
    }

    /// Returns the object of a payment as it is now.
    func json(_ id: String, of tenant: String) async throws(ServeError) -> JSONValue {
        // Before the row is read: a run that ends in the meantime has stored its end by then.
        let isRunning = isRunning(id)
        return await json(try await find(id, of: tenant), isRunning: isRunning)
    }

    /// Returns the objects of a tenant's payments, the latest first.
    func page(of tenant: String, before earlier: String?, limit: Int) async throws(ServeError) -> [JSONValue] {
        let before = Set(running.keys)
        let payments: [ServedPayment]
        do { payments = try await table.payments(of: tenant, before: earlier, limit: limit) } catch {
            throw .table(error)
        }
        var page: [JSONValue] = []
        for payment in payments { page.append(await json(payment, isRunning: before.contains(payment.id))) }
        return page
    }

    private func isRunning(_ id: String) -> Bool { running[id] != nil }

    private func json(_ payment: ServedPayment, isRunning: Bool) async -> JSONValue {
        guard !payment.hasEnded else { return payment.json(.ended, action: nil) }
        guard isRunning || self.isRunning(payment.id) else { return payment.json(.interrupted, action: nil) }
        guard let action = await actions.action(of: payment.id) else { return payment.json(.running, action: nil) }
        return payment.json(.waiting, action: action)
    }

    // MARK: Watching

    /// A reader of the changes of one payment.
    final class Watcher: Sendable {
        let changes: AsyncStream<String?>.Continuation

        init(changes: AsyncStream<String?>.Continuation) { self.changes = changes }
    }

    /// Returns a sequence with an element after each change of a payment: the router's message, or nil. It ends with
    /// the server. A slow reader gets the latest 64.
    func changes(of id: String) -> AsyncStream<String?> {
        let (stream, continuation) = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingNewest(64))
        let (watcher, executor) = (Watcher(changes: continuation), RouterTasks.executor)
        watchers[id, default: []].append(watcher)
        continuation.onTermination = { _ in
            Task(executorPreference: executor) { await self.forget(watcher, of: id) }
        }
        return stream
    }

    private func forget(_ watcher: Watcher, of id: String) {
        watchers[id]?.removeAll { $0 === watcher }
        if watchers[id]?.isEmpty == true { watchers[id] = nil }
    }

    private func changed(_ id: String) {
        for watcher in watchers[id] ?? [] { watcher.changes.yield(nil) }
    }

    /// Brings an event of the router to those who watch the payment.
    private func note(_ event: PaymentEvent, of id: String) {
        for watcher in watchers[id] ?? [] { watcher.changes.yield(event.description) }
    }

    // MARK: Ending

    /// Cancels running payments, and begins no others.
    func stop() {
        isDraining = true
        tending?.cancel()
        for id in running.keys.sorted() { running[id]?.cancel() }
    }

    /// Takes no payment any more, waits for those that run, at most `bound`, and cancels the rest: they are in the
    /// journal, and continue when they are resumed. Those that wait for their payer are not waited for.
    func drain(within bound: Duration) async {
        isDraining = true
        let end = clock.uptime + bound
        while clock.uptime < end {
            var isBusy = false
            for id in running.keys where await !actions.isAsking(id) { isBusy = true }
            // A cancelled caller does not wait.
            guard isBusy, (try? await clock.sleep(for: .milliseconds(50))) != nil else { break }
        }
        stop()
        let limit = clock.uptime + Self.grace
        while !running.isEmpty, clock.uptime < limit {
            guard (try? await clock.sleep(for: .milliseconds(20))) != nil else { break }
        }
        for watcher in watchers.values.flatMap(\.self) { watcher.changes.finish() }
        await withTaskGroup { group in
            for sender in webhooks.values { group.addTask { await sender.stop() } }
        }
    }
}
