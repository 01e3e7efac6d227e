import PaymentCore
import PaymentTesting
import SandboxSupport

/// Reads of an execution, and the client's requests other than the request to pay.
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
            // It is documented that a confirmation adds its own statuses. It is a guess that they come first.
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

// MARK: - Authorising

/// The request to pay, `POST …/authorize`.
extension PayrailsSandbox {
    func authorize(_ request: HTTPRequest, _ id: String) async throws(PayrailsSandboxError) -> HTTPResponse {
        note(id, .confirmRequested)
        let isGarbled: Bool
        switch executions[id]?.scenario.plan.fault {
        case (.authorize, .garbage, _)?: isGarbled = true
        default:
            isGarbled = false
            if let answer = fault(.authorize, id) { return answer }
        }
        let answer = try once(request) { () throws(PayrailsSandboxError) in
            let execution = try current(id)
            let tender = try tender(try object(request), execution)
            guard !execution.isTaken, !execution.isPaid, !execution.isCancelled else {
                throw .notAllowed("authorize is not possible in the execution's state")
            }
            begin(tender, execution)
            return .json(actionBody("authorize", execution, at: now), status: 201)
        }
        // The answer is stored before the wait, so that a repetition of the request does not start a second payment.
        if let pause = executions[id]?.scenario.plan.authorizing, pause > .zero {
            try? await clock.sleep(for: pause)
        }
        advance(id)
        return isGarbled ? fault(.authorize, id) ?? answer : answer
    }

    /// Starts a payment: schedules its statuses, or requires an action of the payer first.
    func begin(_ tender: Tender, _ execution: Execution) {
        var execution = execution
        let plan = execution.scenario.plan
        let now = now
        execution.tender = tender
        execution.action = nil
        execution.due = []
        execution.payerActions["authorize"] = random.uuid()
        let request = plan.requested.map { [Step("authorizeRequested", at: $0)] } ?? []
        if let reason = refusal(of: tender) {
            execution.schedule(request + [.failed(reason)], from: now)
        } else if let kind = action(for: tender, execution) {
            execution.action = Action(kind: kind)
            execution.schedule(request + [.pending.after(plan.requested ?? .zero)], from: now)
        } else {
            execution.schedule(request + settlement(execution), from: now)
        }
        executions[execution.id] = execution
        advance(execution.id)
    }

    /// Returns the reason that makes every bank decline `tender`; nil if there is none.
    private func refusal(of tender: Tender) -> Reason? {
        switch tender.means {
        case .stored(let instrument): instrument.isUsable ? nil : .instrumentNotAllowed
        case .card(let card): card.isPlausible ? card.isExpired(at: now) ? .expiredInstrument : nil : .invalidInstrument
        case .applePay, .payPal, .redirect: nil
        }
    }

    private func action(for tender: Tender, _ execution: Execution) -> Action.Kind? {
        switch tender.means {
        case .stored(let instrument):
            return execution.scenario.plan.challenges && instrument.method == "card" ? .challenge : nil
        case .card: return execution.scenario.plan.challenges ? .challenge : nil
        case .payPal:
            let upper = { (count: Int) in self.random.hex(count).uppercased() }
            return .payPal(order: "EC-" + upper(17), agreement: "BA-" + upper(17), payer: upper(13))
        case .redirect: return .redirect
        case .applePay: return nil
        }
    }

    // MARK: Reading

    /// Checks the whole body before any effect.
    private func tender(_ body: JSONValue, _ execution: Execution) throws(PayrailsSandboxError) -> Tender {
        guard Amount(body["amount"]) == execution.amount else { throw .wrongAmount }
        guard let success = body["returnInfo"]?["success"]?.string, Self.isURL(success) else {
            throw .missing("returnInfo.success")
        }
        // Documented: the other addresses default to the address for success.
        let cancel = body["returnInfo"]?["cancel"]?.string ?? success
        let error = body["returnInfo"]?["error"]?.string ?? success
        guard Self.isURL(cancel), Self.isURL(error) else { throw .invalid("returnInfo", "must hold URLs") }
        guard let parts = body["paymentComposition"]?.array, let part = parts.first else {
            throw .missing("paymentComposition")
        }
        // The service also takes several instruments for one payment; this sandbox does not.
        guard parts.count == 1 else { throw .invalid("paymentComposition", "must have one element") }
        guard Amount(part["amount"]) == execution.amount else { throw .wrongAmount }
        guard let method = part["paymentMethodCode"]?.string else {
            throw .missing("paymentComposition.paymentMethodCode")
        }
        let integration = method == "ideal" ? "hpp" : "api"
        guard part["integrationType"]?.string == integration else {
            throw .invalid("paymentComposition.integrationType", "must be \(integration) for \(method)")
        }
        guard let stores = part["storeInstrument"]?.bool else { throw .missing("paymentComposition.storeInstrument") }
        return Tender(
            means: try means(part, method, execution), stores: stores,
            returnURLs: ReturnURLs(success: success, cancel: cancel, error: error))
    }

    private func means(_ part: JSONValue, _ method: String, _ execution: Execution) throws(PayrailsSandboxError)
        -> Tender.Means
    {
        if let id = part["paymentInstrumentId"]?.string {
            guard let instrument = holders[execution.holder]?.instruments.first(where: { $0.id == id }) else {
                throw .unknownInstrument
            }
            guard instrument.method == method else {
                throw .invalid("paymentComposition.paymentMethodCode", "is not the instrument's")
            }
            return .stored(instrument)
        }
        let data = part["paymentInstrumentData"]
        switch method {
        case "card": return .card(try card(data, holder: execution.holder))
        case "applePay": return .applePay(network: try Self.applePayNetwork(data?["paymentToken"]?.string))
        case "payPal": return .payPal
        case "ideal": return .redirect(code: method)
        default: throw .invalid("paymentComposition.paymentMethodCode", "is not offered")
        }
    }

    /// Returns the card in `data`: encrypted for this sandbox, with the configuration that the session named.
    func card(_ data: JSONValue?, holder: String) throws(PayrailsSandboxError) -> Card {
        guard data?["vaultProviderConfigId"]?.string == SessionPayload.providerConfig else {
            throw .invalid("vaultProviderConfigId", "is not the session's")
        }
        guard let message = data?["encryptedData"]?.string, !message.isEmpty else { throw .missing("encryptedData") }
        return try Card(try CardKey.open(message), holder: holder)
    }

    /// Returns the network of a token from an Apple device, which is a JSON text inside the JSON.
    static func applePayNetwork(_ token: String?) throws(PayrailsSandboxError) -> String {
        guard let token, let value = try? JSONValue(parsing: token) else { throw .missing("paymentToken") }
        let payment = value["token"] ?? value
        guard payment["paymentData"]?.object != nil, payment["transactionIdentifier"]?.string != nil,
            let network = payment["paymentMethod"]?["network"]?.string ?? payment["paymentNetwork"]?.string
        else { throw .invalid("paymentToken", "is no Apple Pay token") }
        return network
    }

    /// Returns true if `text` is absolute and valid in a `Location` header.
    private static func isURL(_ text: String) -> Bool {
        (try? PaymentLink(text))?.scheme != nil
    }
}
