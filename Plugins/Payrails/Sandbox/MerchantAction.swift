import PaymentCore
import PaymentTesting
import SandboxSupport

extension PayrailsSandbox {
    /// An action on an execution that a merchant requested, or that its workflow began automatically.
    struct MerchantAction: Sendable {
        enum Verb: String, Sendable, CaseIterable {
            case capture, cancel, refund
        }

        enum State: Sendable {
            /// The workflow will begin it.
            case planned
            case inFlight, successful, failed
        }

        let id: String
        let verb: Verb
        /// The amount in minor units.
        let units: UInt128
        /// The merchant's notes on the action.
        var meta: JSONValue?
        /// True if the workflow began the action without a request.
        var isAutomatic = false
        var state = State.inFlight
    }
}

extension PayrailsSandbox.Amount {
    /// The amount in minor units; nil if it is not a valid amount.
    var units: UInt128? {
        guard let currency = try? FiatCurrency(currency) else { return nil }
        return (try? Money(decimal: value, currency: .fiat(currency)))?.minorUnits
    }

    /// Returns an amount of `units` minor units in the same currency.
    func with(units: UInt128) -> PayrailsSandbox.Amount {
        guard let code = try? FiatCurrency(currency),
            let money = try? Money(minorUnits: units, currency: .fiat(code))
        else { return self }
        return PayrailsSandbox.Amount(value: money.decimalText, currency: currency)
    }
}

extension PayrailsSandbox.Execution {
    /// The sum of the actions of a kind, in minor units.
    func units(
        _ verb: PayrailsSandbox.MerchantAction.Verb, _ states: Set<PayrailsSandbox.MerchantAction.State>
    ) -> UInt128 {
        merchantActions.filter { $0.verb == verb && states.contains($0.state) }.reduce(0) { $0 + $1.units }
    }

    private func isInFlight(_ verb: PayrailsSandbox.MerchantAction.Verb) -> Bool {
        merchantActions.contains { $0.verb == verb && $0.state == .inFlight }
    }

    /// The amount that was captured or is being captured, less completed refunds and those in flight: minor units.
    var refundable: UInt128 {
        let taken = units(.capture, [.successful, .inFlight])
        return taken - min(taken, units(.refund, [.successful, .inFlight]))
    }

    /// The captured amount less completed refunds: minor units.
    var kept: UInt128 {
        let taken = units(.capture, [.successful])
        return taken - min(taken, units(.refund, [.successful]))
    }

    /// Returns the largest amount of an action of this kind: minor units.
    func most(_ verb: PayrailsSandbox.MerchantAction.Verb) -> UInt128 {
        switch verb {
        case .capture: amount.units ?? 0
        case .cancel: kept
        case .refund: refundable
        }
    }

    /// Returns true if a merchant may request `verb` now. Documented: an authorised or captured payment can be
    /// cancelled, as long as there is something of it left to void, and one that is captured, or being captured, can be
    /// refunded, also in parts.
    func isAllowed(_ verb: PayrailsSandbox.MerchantAction.Verb) -> Bool {
        guard isPaid, !isInFlight(.cancel) else { return false }
        switch verb {
        case .capture: return units(.capture, [.planned, .inFlight, .successful]) == 0
        case .cancel:
            let isLeft = units(.capture, [.successful]) == 0 || kept > 0
            return isLeft && !isInFlight(.capture) && !isInFlight(.refund)
        case .refund: return refundable > 0
        }
    }
}

// MARK: - Calls

/// Merchants' actions on paid executions.
extension PayrailsSandbox {
    private static let reasons: Set<String> = [
        "BetterPrice", "CustomerDontNeed", "DamagedProduct", "Duplicate", "FraudulentProduct", "LateDelivery",
        "NoReason",
        "ProductMismatchDescription", "WrongProduct", "WrongProductSpecification",
    ]

    /// Begins an action, `POST …/cancel`, `…/capture` or `…/refund`: answered at once, carried out a moment later. A
    /// text in `meta` that names an operation result makes the action fail with that.
    func operate(
        _ verb: MerchantAction.Verb, _ request: HTTPRequest, _ id: String
    ) throws(PayrailsSandboxError) -> HTTPResponse {
        try once(request) { () throws(PayrailsSandboxError) in
            let body = try object(request)
            let execution = try current(id)
            if let reason = body["reason"], !reason.isNull {
                guard let word = reason.string, Self.reasons.contains(word) else {
                    throw .invalid("reason", "is not one of the documented ones")
                }
            }
            guard execution.isAllowed(verb) else {
                throw .notAllowed("\(verb.rawValue) is not possible in the execution's state")
            }
            let action = MerchantAction(
                id: random.uuid(), verb: verb, units: try units(verb, body["amount"], execution), meta: body["meta"])
            let failure = Self.texts(body["meta"] ?? .null).lazy.compactMap { Reason.named[$0] }.first
            let isFailing = failing.firstIndex(of: verb).map { failing.remove(at: $0) } != nil
            begin(
                action, of: id, failing: failure ?? (isFailing ? .rejected : nil),
                after: actionPace.delay, for: actionPace.length)
            var answer = actionBody(verb.rawValue, execution, at: now, id: action.id)
            answer["reason"] = body["reason"]
            answer["reasonDescription"] = body["reasonDescription"]
            return .json(answer, status: 202)
        }
    }

    /// Returns the amount of an action in minor units.
    private func units(
        _ verb: MerchantAction.Verb, _ amount: JSONValue?, _ execution: Execution
    ) throws(PayrailsSandboxError) -> UInt128 {
        let whole = execution.amount.units ?? 0
        let most = execution.most(verb)
        guard let amount, !amount.isNull, verb != .cancel else { return most }
        guard let wanted = Amount(amount), let units = wanted.units, units > 0 else {
            throw .invalid("amount", "must have a value in main units and a currency")
        }
        guard wanted.currency == execution.amount.currency else {
            throw .invalid("amount.currency", "is not the execution's")
        }
        guard units <= most else { throw .invalid("amount.value", "is more than there is") }
        // Documented: other modes capture the authorised amount.
        guard verb != .capture || configuration.capturesAfter == nil || units == whole else {
            throw .invalid("amount.value", "is not what was authorised")
        }
        return units
    }

    func begin(
        _ action: MerchantAction, of id: String, failing reason: Reason?, after wait: Duration, for pace: Duration
    ) {
        let verb = action.verb.rawValue
        executions[id]?.merchantActions.append(action)
        executions[id]?.schedule(
            [
                Step(verb + "Requested", at: wait, action: action.id),
                Step(
                    verb + (reason == nil ? "Successful" : "Failed"), at: wait + pace, reason: reason, action: action.id
                ),
            ], from: now)
        advance(id)
    }

    /// Captures the new authorisation, if the workflow captures automatically.
    func captureByItself(_ execution: Execution) {
        guard let wait = configuration.capturesAfter else { return }
        let action = MerchantAction(
            id: random.uuid(), verb: .capture, units: execution.amount.units ?? 0, isAutomatic: true, state: .planned)
        executions[execution.id]?.merchantActions.append(action)
        executions[execution.id]?.schedule(
            [
                Step("captureRequested", at: wait, action: action.id),
                Step("captureSuccessful", at: wait, action: action.id),
            ], from: now)
    }

    /// Records the result of a merchant's action, after its status was written.
    func ended(_ status: Execution.Due, of id: String) {
        guard let execution = executions[id] else { return }
        let index = execution.merchantActions.firstIndex { $0.id == status.action }
        if let index, status.code.hasSuffix("Requested") { executions[id]?.merchantActions[index].state = .inFlight }
        let isDone = status.code.hasSuffix("Successful")
        guard isDone || status.code.hasSuffix("Failed") else { return }
        if let index { executions[id]?.merchantActions[index].state = isDone ? .successful : .failed }
        guard isDone else { return }
        switch status.code {
        case "captureSuccessful": note(id, .settled)
        case "refundSuccessful":
            guard let index else { return }
            let amount = execution.amount.with(units: execution.merchantActions[index].units)
            note(id, .refunded(amount: "\(amount.value) \(amount.currency)"))
        case "cancelSuccessful":
            // A captured amount is refunded, and a planned capture is dropped.
            let kept = execution.amount.with(units: execution.kept)
            if execution.kept > 0 { note(id, .refunded(amount: "\(kept.value) \(kept.currency)")) }
            executions[id]?.due.removeAll { $0.code.hasPrefix("capture") }
            note(id, .cancelled)
        default: break
        }
    }
}

extension PayrailsSandbox {
    /// Pays `session` without an app, with the first usable stored instrument of its holder. Does nothing if the
    /// session cannot be paid any more.
    public func pay(_ session: Session) {
        guard let execution = try? current(session.id), !execution.isTaken, !execution.isPaid, !execution.isCancelled,
            let instrument = holders[execution.holder]?.instruments.first(where: \.isUsable)
        else { return }
        let page = "https://assets.payrails.io/html/payrails-success.html"
        begin(
            Tender(
                means: .stored(instrument), stores: false,
                returnURLs: ReturnURLs(success: page, cancel: page, error: page)), execution)
    }

    /// The captured amounts of `session`, in minor units.
    package func captures(of session: Session) -> [UInt128] {
        (executions[session.id]?.merchantActions ?? []).filter { $0.verb == .capture && $0.state == .successful }
            .map { UInt128($0.units) }
    }
}

/// The records of payments, with the moved amounts: `GET /payment/payments?filter[merchantReference]=…`.
extension PayrailsSandbox {
    func payments(_ request: HTTPRequest) throws(PayrailsSandboxError) -> HTTPResponse {
        guard request.method == .get else { throw .wrongMethod }
        try requireMerchant(request)
        guard configuration.statesRecords else { throw .unknownPath }
        let wanted = QueryItems(Substring(request.url.query ?? "")).first {
            PercentCoding.decode($0.name) == "filter[merchantReference]"
        }?.decodedValue
        guard let wanted, !wanted.isEmpty else { throw .invalid("filter", "must name a payment") }
        var results: [JSONValue] = []
        for id in executions.filter({ $0.value.merchantReference == wanted }).keys.sorted() {
            let execution = try current(id)
            // A payment is recorded with its authorisation.
            guard execution.has("authorizeSuccessful") else { continue }
            let captured = execution.units(.capture, [.successful])
            let refunded = captured - (execution.isCancelled ? 0 : execution.kept)
            results.append([
                "id": .string("payment-" + id), "merchantReference": .string(wanted), "amount": execution.amount.body,
                "capturedAmount": execution.amount.with(units: captured).body,
                "refundedAmount": execution.amount.with(units: refunded).body,
            ])
        }
        return .json(["results": .array(results)])
    }
}

// MARK: - The portal

/// Actions that a person begins in the merchant's portal: they take effect at once, and no server requested them.
extension PayrailsSandbox {
    /// Captures the whole authorised amount of `session`. Does nothing if there is nothing to capture.
    public func capture(_ session: Session) { act(.capture, on: session.id, nil, failing: false) }

    /// Captures a part of the authorised amount of `session`, in minor units.
    public func capture(_ session: Session, units: UInt128) { act(.capture, on: session.id, units, failing: false) }

    /// Refunds a part of the captured amount of `session`, in minor units. Does nothing if less is left.
    ///
    /// - Parameters:
    ///   - session: the session of the payment.
    ///   - units: the amount, in minor units.
    ///   - isFailing: true if the refund fails, so that no money goes back.
    public func refund(_ session: Session, units: UInt128, isFailing: Bool = false) {
        act(.refund, on: session.id, units, failing: isFailing)
    }

    /// Cancels `session`. A captured amount is refunded. Does nothing if it cannot be cancelled.
    ///
    /// - Parameters:
    ///   - session: the session of the payment.
    ///   - length: the time until the cancellation ends.
    public func cancel(_ session: Session, lasting length: Duration = .zero) {
        act(.cancel, on: session.id, nil, failing: false, lasting: length)
    }

    /// Changes the pace of later actions. The service documents that the result of an action comes later, not when.
    ///
    /// - Parameters:
    ///   - delay: the time from the answer to a merchant's server until any status of its action shows.
    ///   - length: the time from the beginning of an action to its end.
    public func showActions(after delay: Duration, lasting length: Duration = .milliseconds(200)) {
        actionPace = (delay, length)
    }

    /// Lets the next action of a merchant's server fail that has this name: `capture`, `cancel` or `refund`.
    public func failNext(_ action: String) {
        if let verb = MerchantAction.Verb(rawValue: action) { failing.append(verb) }
    }

    private func act(
        _ verb: MerchantAction.Verb, on id: String, _ units: UInt128?, failing: Bool, lasting length: Duration = .zero
    ) {
        guard let execution = try? current(id), execution.isAllowed(verb),
            case let most = execution.most(verb), units ?? most <= most
        else { return }
        begin(
            MerchantAction(id: random.uuid(), verb: verb, units: units ?? most, isAutomatic: true), of: id,
            failing: failing ? .rejected : nil, after: .zero, for: length)
    }
}
