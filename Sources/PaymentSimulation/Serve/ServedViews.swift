import PaymentCore
import PaymentTesting

/// Judges every view of a payment that a server states to its callers: against what it has stated of the key before,
/// and against the money.
actor ServedViews {
    /// The views of a key so far.
    private struct Known {
        let order: ServedOrder
        var id: String?
        /// The moment before the statement about its end at the earliest.
        var floor: Int
        /// The amounts that were shown, by the ids of their options.
        var shown: [String: Set<String>] = [:]
        /// The price of the first view that has one.
        var price: String?
        /// The outcome of the view that first called it ended.
        var end: JSONValue?
        var reference: PaymentReference?
        /// True if the caller has refused every option.
        var hasRefused = false
    }

    private let life: Life
    private var known: [Int: Known] = [:]

    init(_ life: Life) { self.life = life }

    // MARK: Hearing

    /// Notes that an order is about to be sent.
    func begins(_ order: ServedOrder) {
        if known[order.number] == nil { known[order.number] = Known(order: order, floor: life.witness.tick()) }
    }

    /// Forgets an order that the server does not know. One that it has shown is known permanently.
    func forget(_ order: ServedOrder) async {
        guard known[order.number]?.id == nil else { return await breach(order, "was shown before, and is not known") }
        known[order.number] = nil
    }

    /// Notes an amount that was shown for an option.
    func shows(_ option: JSONValue, of order: ServedOrder) {
        known[order.number]?.shown[option["id"]?.string ?? "", default: []].insert(Self.price(option))
    }

    /// Notes that the caller refuses every option of an order.
    func refuses(_ order: ServedOrder) { known[order.number]?.hasRefused = true }

    /// Returns true if the order has been sent, and has not ended.
    func isOpen(_ order: ServedOrder) -> Bool { known[order.number].map { $0.end == nil } ?? false }

    /// Takes a view of an order.
    ///
    /// - Parameter start: the moment at which the process began.
    func hear(_ view: JSONValue, of order: ServedOrder, by doer: Doer, since start: Int) async {
        guard var entry = known[order.number], let id = view["id"]?.string, let state = view["state"]?.string else {
            return
        }
        defer { known[order.number] = entry }
        if let other = entry.id, other != id { await breach(order, "stands for \(other) and for \(id)") }
        entry.id = id
        if let provider = view["provider"]?.string, let reference = view["reference"]?.string {
            entry.reference = PaymentReference(provider: ProviderID(rawValue: provider), id: reference)
        }
        if entry.price == nil, view["amount"]?.string != nil { entry.price = Self.price(view) }
        let outcome = view["outcome"] ?? .null
        if let askAgain = outcome["askAgain"]?.bool, askAgain == (state == "ended") {
            await breach(order, "is \(state), and asking again is \(askAgain ? "" : "not ")advised")
        }
        guard state == "ended" else {
            if let end = entry.end { await breach(order, "was \(Self.words(end)), and is \(state)") }
            entry.floor = max(entry.floor, start)
            return
        }
        if let end = entry.end, end["outcome"] != outcome["outcome"] || end["transaction"] != outcome["transaction"] {
            let isCorrection = end["outcome"] != "succeeded" && outcome["outcome"] == "succeeded"
            if !isCorrection { await breach(order, "was \(Self.words(end)), and is \(Self.words(outcome))") }
        } else if entry.end != nil {
            return
        }
        entry.end = outcome
        await pass(outcome, of: entry, by: doer)
    }

    /// Passes the end of a key to the oracle.
    private func pass(_ outcome: JSONValue, of entry: Known, by doer: Doer) async {
        let order = entry.order
        let payment = life.markets.identity(of: entry.reference ?? order.payment.reference)
        let content = Self.content(outcome, entry)
        await life.oracle.hear(
            Statement(
                call: "serve (\(order.tenant), \(order.key))", subject: .payment(payment), content: content,
                doer: doer, begun: entry.floor, told: life.witness.tick(), name: entry.reference,
                earliest: entry.floor))
    }

    private static func content(_ outcome: JSONValue, _ entry: Known) -> Statement.Content {
        let reason = outcome["reason"]?.string ?? ""
        let payment = entry.reference ?? entry.order.payment.reference
        // The caller's own terms refuse for this key alone.
        let isOwn = reason.contains("within the limits") || entry.hasRefused
        let report: ServiceReport
        switch outcome["outcome"]?.string {
        case "succeeded":
            let amount = try? outcome["amount"]?.string.map {
                try Money($0, unit: outcome["unit"]?.string ?? "", decimals: nil)
            }
            report = .succeeded(
                PaymentReceipt(
                    reference: payment, amount: amount, transactionID: outcome["transaction"]?.string,
                    unproven: reason.contains("without proof") ? reason : nil))
        case "declined" where !isOwn:
            let isElsewhere = reason.contains("another payment")
            report = .declined(DeclineReason(isElsewhere ? .paidElsewhere : .refused, reason))
        case "expired": report = .expired
        case "cancelled" where outcome["error"] == .null && !isOwn: report = .cancelled
        default: return .notBegun(PaymentError(.cancelled, reason))
        }
        return .outcome(PaymentOutcome(stating: report))
    }

    // MARK: Judging

    /// Compares what was stated of the keys with the money that has moved by them.
    func finish() async {
        for entry in known.sorted(by: { $0.key < $1.key }).map(\.value) { await judge(entry) }
        var references: [PaymentReference: [AttemptID]] = [:]
        for attempt in attempts where await life.oracle.hasMoved(attempt) {
            references[attempt.reference, default: []].append(attempt.id)
        }
        for (reference, moved) in references.sorted(by: { $0.key.id < $1.key.id }) where moved.count > 1 {
            await life.oracle.breach(reference, "\(reference.id): money moved by \(moved.count) attempts")
        }
    }

    private func judge(_ entry: Known) async {
        let order = entry.order
        var moved: [PaymentAttempt] = []
        for attempt in attempts where order.owns(attempt.id) {
            if await life.oracle.hasMoved(attempt) { moved.append(attempt) }
        }
        if let end = entry.end, end["outcome"] != "succeeded", let attempt = moved.first {
            await breach(order, "is \(Self.words(end)), but money moved by \(attempt.id)")
        }
        if moved.count > 1 { await breach(order, "moved money \(moved.count) times") }
        for attempt in moved where !isCovered(attempt.option, entry) {
            await breach(order, "moved \(attempt.option.amount), which was not shown for it")
        }
        guard life.markets.isPayee(order.payment.reference), entry.end?["outcome"] == "succeeded" else { return }
        if moved.isEmpty { await breach(order, "is called paid, but none of its own attempts has moved money") }
    }

    /// True if the caller has agreed to an option at its price.
    private func isCovered(_ option: PaymentMethodOption, _ entry: Known) -> Bool {
        let price = "\(option.amount.decimalText) \(option.amount.currency.mainUnit)"
        switch entry.order.choice {
        case .asked, .quoted: return entry.shown[option.id]?.contains(price) == true
        case .named: return entry.price == nil || entry.price == price
        case .within(let limits):
            return limits.contains { limit in
                limit.currency == option.amount.currency && limit.exponent == option.amount.exponent
                    && limit.minorUnits >= option.amount.minorUnits
            }
        }
    }

    private var attempts: [PaymentAttempt] {
        let payments = Set(known.values.map { life.markets.identity(of: $0.order.payment.reference) })
        return payments.sorted { $0.id < $1.id }.flatMap { life.witness.attempts(at: $0) }.map(\.attempt)
    }

    func breach(_ order: ServedOrder, _ text: String) async {
        await life.oracle.breach(
            life.markets.identity(of: order.payment.reference), "\(order.key) of \(order.tenant) \(text)", .money)
    }

    private static func price(_ option: JSONValue) -> String {
        "\(option["amount"]?.string ?? "") \(option["unit"]?.string ?? "")"
    }

    private static func words(_ outcome: JSONValue) -> String {
        "\(outcome["outcome"]?.string ?? "nothing") (\(outcome["reason"]?.string ?? ""))"
    }
}
