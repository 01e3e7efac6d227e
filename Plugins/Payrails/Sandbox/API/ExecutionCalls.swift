import PaymentCore
import SandboxSupport

/// Reading an execution, and the client's requests besides paying.
extension PayrailsSandbox {
    func execution(
        _ request: HTTPRequest, _ id: String, _ path: [String], isPublic: Bool
    ) async throws(PayrailsSandboxError) -> HTTPResponse {
        let execution = try current(id)
        if isPublic { try requireClient(request, execution) } else { try requireMerchant(request) }
        switch (request.method, path) {
        case (.get, []): return try await read(request, id)
        case (.post, ["authorize"]): return try await authorize(request, id)
        case (.post, ["confirm"]): return try confirm(request, id)
        case (.post, let path) where !isPublic && path.count == 1 && MerchantAction.Verb(rawValue: path[0]) != nil:
            guard let verb = MerchantAction.Verb(rawValue: path[0]) else { throw .unknownPath }
            return try operate(verb, request, id)
        case (_, []), (_, ["authorize"]), (_, ["confirm"]): throw .wrongMethod
        default: throw .unknownPath
        }
    }

    private func read(_ request: HTTPRequest, _ id: String) async throws(PayrailsSandboxError) -> HTTPResponse {
        guard let codes = try awaitedCodes(request) else {
            if let answer = fault(.read, id) { return answer }
            return .json(try body(id))
        }
        if let answer = fault(.wait, id) { return answer }
        try await hold(id, while: codes)
        return .json(try body(id))
    }

    private func body(_ id: String) throws(PayrailsSandboxError) -> JSONValue {
        let execution = try current(id)
        return execution.body(holderID: holders[execution.holder]?.id ?? "")
    }

    // MARK: Waiting

    /// The condition under which a request waits.
    private enum Awaited {
        /// The newest status has this code.
        case newest(String)
        /// The statuses have these codes. It is a guess that any change ends the wait.
        case all([String])

        func holds(for execution: Execution) -> Bool {
            switch self {
            case .newest(let code): execution.entries.max { $0.time < $1.time }?.code == code
            case .all(let codes): codes.sorted() == execution.entries.map(\.code).sorted()
            }
        }
    }

    /// Returns the `waitWhile[status]` of a query: a JSON array of codes, or one code.
    private func awaitedCodes(_ request: HTTPRequest) throws(PayrailsSandboxError) -> Awaited? {
        for item in QueryItems(Substring(request.url.query ?? "")) {
            guard PercentCoding.decode(item.name) == "waitWhile[status]" else { continue }
            guard let text = item.decodedValue, !text.isEmpty else { throw .invalid("waitWhile[status]", "is empty") }
            guard text.hasPrefix("[") else { return .newest(text) }
            guard let list = (try? JSONValue(parsing: text))?.array else {
                throw .invalid("waitWhile[status]", "is no JSON array")
            }
            return .all(list.compactMap(\.string))
        }
        return nil
    }

    /// Waits until the statuses change, at most for the sandbox's longest hold.
    private func hold(_ id: String, while awaited: Awaited) async throws(PayrailsSandboxError) {
        let end = now + configuration.longestHold
        while true {
            let execution = try current(id)
            let now = now
            guard awaited.holds(for: execution), now < end else { return }
            // Pages and other calls change the execution too: check again soon, and at the time of the next status.
            var pause = min(Duration.milliseconds(100), end - now)
            if let next = execution.due.map(\.time).min() { pause = max(.nanoseconds(1), min(pause, next - now)) }
            // The wait ends early when the server stops: there is no client to answer then.
            do { try await clock.sleep(for: pause) } catch { return }
        }
    }

    // MARK: Confirming

    /// Confirms a PayPal payment with the values that the payer brought back, `POST …/confirm`.
    private func confirm(_ request: HTTPRequest, _ id: String) throws(PayrailsSandboxError) -> HTTPResponse {
        if let answer = fault(.confirm, id) { return answer }
        return try once(request) { () throws(PayrailsSandboxError) in
            let data = try object(request)["data"]
            guard let execution = try? current(id), let action = execution.action,
                case .payPal(let order, let agreement, let payer) = action.kind
            else { throw .notAllowed("there is nothing to confirm") }
            guard data?["orderId"]?.string != nil || data?["tokenId"]?.string != nil else {
                throw .missing("data.orderId")
            }
            for (name, value) in [("orderId", order), ("tokenId", agreement), ("payerId", payer)] {
                if let sent = data?[name]?.string, !sent.isEmpty, sent != value {
                    throw .invalid("data.\(name)", "is not the one of this payment")
                }
            }
            guard case .approved = action.state else { throw .notAllowed("the payer has not agreed") }
            executions[id]?.action?.state = .done
            executions[id]?.payerActions["confirm"] = random.uuid()
            // It is documented that a confirmation adds its own statuses; it is a guess that they come first.
            let begin = [Step("confirmRequested"), Step("confirmSuccessful")]
            executions[id]?.schedule(begin + settlement(execution).filter { $0.code != "authorizePending" }, from: now)
            advance(id)
            return .json(actionBody("confirm", execution, at: now), status: 202)
        }
    }

    /// Returns the statuses that follow a request to pay, by the scenario or its merchant.
    func settlement(_ execution: Execution) -> [Step] {
        execution.steered.map { [.pending, .failed($0)] } ?? execution.scenario.plan.settlement
    }

    /// Returns the answer to a call that started an action; notifications about the action have the same id.
    func actionBody(_ name: String, _ execution: Execution, at time: Timestamp, id: String? = nil) -> JSONValue {
        let isZero = execution.scenario.plan.hasZeroTimes
        let id = id ?? executions[execution.id]?.payerActions[name] ?? random.uuid()
        return [
            "name": .string(name), "actionId": .string(id),
            "executedAt": .string(isZero ? Timestamp.zeroText : time.text),
            "links": ["execution": .string(execution.selfLink), "consumerWait": .string(execution.waitLink)],
        ]
    }
}
