import PaymentCore
import PaymentTesting
import SandboxSupport

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
