import PaymentCore
import PaymentTesting
import SandboxSupport

/// A wallet's call about a payment.
enum GatewayVerb: Sendable, Hashable {
    case info, options, fetch, confirm, status, cancel

    /// Creates the verb of a method and the path behind the payment's id.
    init?(_ method: HTTPRequest.Method, _ path: [String]) {
        switch (method, path) {
        case (.get, []): self = .info
        case (.post, ["options"]): self = .options
        case (.post, ["fetch"]): self = .fetch
        case (.post, ["confirm"]): self = .confirm
        case (.get, ["status"]): self = .status
        case (.post, ["cancel"]): self = .cancel
        default: return nil
        }
    }
}

/// The wallet-facing calls.
extension WalletConnectPaySandbox {
    func gateway(_ request: HTTPRequest, _ id: String, _ path: [String]) async throws(ServiceError) -> HTTPResponse {
        guard let verb = GatewayVerb(request.method, path) else { throw .unknownPath }
        if verb == .confirm {
            _ = try payment(id)
            record(id, .confirmRequested)
        }
        try refuse(id, verb)
        switch verb {
        case .info: return .json(try payment(id).info)
        case .options: return try options(request, id)
        case .fetch: return try fetch(request, id)
        case .confirm: return try await confirm(request, id)
        case .status: return try await status(request, id)
        case .cancel: return try cancel(id, reason: "cancelled_by_user")
        }
    }

    /// Throws the error that the payment's scenario has in place of an answer.
    private func refuse(_ id: String, _ verb: GatewayVerb) throws(ServiceError) {
        let payment = try payment(id)
        let refused = payment.refusals[verb] ?? 0
        let error: ServiceError
        switch payment.scenario.plan.refusal {
        case .rateLimited? where verb != .confirm && refused < configuration.rateLimitedRequests:
            error = .rateLimited(retryAfter: configuration.retryAfter)
        case .serverErrorOnce? where verb == .options && refused == 0: error = .internalError
        case .sanctioned(verb)?: error = .sanctioned
        case .routeExpired? where verb == .confirm: error = .routeExpired
        default: return
        }
        payments[id]?.refusals[verb] = refused + 1
        throw error
    }

    private func options(_ request: HTTPRequest, _ id: String) throws(ServiceError) -> HTTPResponse {
        let body = try RequestChecks.body(request)
        guard let list = body["accounts"]?.array, list.allSatisfy({ $0.string != nil }) else {
            throw .validation("Validation error: accounts must be an array of CAIP-10 strings")
        }
        var accounts: [AccountID] = []
        for text in list.compactMap(\.string) {
            guard let account = try? AccountID(text) else { throw .parameters("Invalid account", status: 422) }
            if !accounts.contains(account) { accounts.append(account) }
        }
        var payment = try payment(id)
        var answer: JSONValue = ["info": nil, "options": nil, "collectData": nil]
        if payment.status == .requiresAction {
            var plan = payment.scenario.plan
            if let tampered = payment.tampered { plan.assets = [tampered.asset] }
            let factory = OfferFactory(plan: plan, configuration: configuration, random: random, now: now)
            let offers = factory.offers(for: payment, accounts: accounts)
            for offer in offers { payment.offers[offer.id] = offer }
            payments[id] = payment
            let form = IdentityForm.Link(payment: id, base: formBase(for: request))
            answer["options"] = .array(
                offers.map { $0.body(collectData: payment.needsData(for: $0) ? form.collectData([$0.account]) : nil) })
            if let tampered = payment.tampered {
                answer["options"] = tamper(tampered, with: answer["options"]?.array ?? [], offers, id)
            }
            let asked = payment.accountsAskedForData
            let asking = accounts.map(\.text).filter(asked.contains)
            if !asking.isEmpty { answer["collectData"] = form.collectData(asking) }
        }
        let wantsInfo = QueryItems(Substring(request.url.query ?? "")).values("includePaymentInfo").first != "false"
        if wantsInfo { answer["info"] = payment.info }
        // The member's name on the wire is a guess: only the documentation of the vendor's libraries has it.
        if payment.status == .succeeded, let transfer = payment.transfer { answer["resultInfo"] = transfer.info }
        return .json(answer)
    }

    private func fetch(_ request: HTTPRequest, _ id: String) throws(ServiceError) -> HTTPResponse {
        let body = try RequestChecks.body(request)
        guard let option = body["optionId"]?.string, body["data"]?.string != nil else {
            throw .validation("Validation error: optionId and data are required")
        }
        let payment = try payment(id)
        guard let offer = payment.offers[option] else { throw .optionNotFound }
        try requireOpen(payment, offer)
        guard !payment.needsData(for: offer) else { throw .dataMissing }
        if payment.tampered != nil { return .json(["actions": payment.heldBack[option] ?? []]) }
        return .json(offer.fetched)
    }

    /// Returns the options of a dishonest gateway, made from honest ones.
    private func tamper(
        _ answer: TamperedAnswer, with options: [JSONValue], _ offers: [Offer], _ id: String
    ) -> JSONValue {
        let payer = offers.first.flatMap { try? AccountID($0.account) }
        var changed = answer.applied(to: options, payer: payer.map { String($0.address) } ?? "", now: now)
        for (index, option) in changed.enumerated() {
            guard answer.isFetched, let name = option["id"]?.string else { continue }
            payments[id]?.heldBack[name] = option["actions"]
            changed[index]["actions"] = [["type": "build", "data": ["data": ""]]]
        }
        return .array(changed)
    }

    func cancel(_ id: String, reason: String) throws(ServiceError) -> HTTPResponse {
        guard try payment(id).status == .requiresAction else { throw .invalidState("Payment cannot be cancelled") }
        payments[id]?.cancelledReason = reason
        cancelNow(id)
        return .json([
            "paymentId": .string(id), "status": "cancelled", "cancelledReason": .string(reason),
            "cancelledAt": .string(timestamp),
        ])
    }

    /// Throws unless the payment is open and the offer's price is still valid.
    func requireOpen(_ payment: PaymentRecord, _ offer: Offer) throws(ServiceError) {
        switch payment.status {
        case .requiresAction: break
        case .expired: throw .paymentExpired
        default: throw .invalidState("Payment is \(payment.status.rawValue)")
        }
        if let end = offer.expiresAt, end <= now { throw .quoteExpired }
    }
}

// MARK: - Confirmation

/// Confirming a payment, and its status afterwards.
extension WalletConnectPaySandbox {
    func confirm(_ request: HTTPRequest, _ id: String) async throws(ServiceError) -> HTTPResponse {
        let body = try RequestChecks.body(request)
        let hold = try RequestChecks.maxPollMs(request)
        guard let option = body["optionId"]?.string, let list = body["results"]?.array else {
            throw .validation("Validation error: optionId and results are required")
        }
        let results = try Self.results(list)
        // A repetition of the same confirmation is answered with the current status.
        if let earlier = try payment(id).confirmation {
            guard earlier.option == option, earlier.results == results else {
                throw .invalidState("Payment is being paid with another option")
            }
            return try await answer(id, hold: hold, asks: false)
        }
        guard let offer = try payment(id).offers[option] else { throw .optionNotFound }
        interrupt(id)
        try requireOpen(try payment(id), offer)
        try take(body["collectedData"], for: offer, id)
        if try payment(id).tampered != nil {
            // A dishonest gateway accepts any results.
            capture(id, offer, results)
            return try await answer(id, hold: hold, asks: false)
        }
        guard results.count >= offer.calls.count else { throw .validation("Next result not present") }
        guard results.count == offer.calls.count else { throw .validation("Validation error: Too many results") }
        guard offer.accepts(results) else { throw .invalidSignature }
        capture(id, offer, results)
        return try await answer(id, hold: hold, asks: false)
    }

    func status(_ request: HTTPRequest, _ id: String) async throws(ServiceError) -> HTTPResponse {
        let hold = try RequestChecks.maxPollMs(request)
        return try await answer(id, hold: hold, asks: true)
    }

    /// Returns the state now or, with `hold`, as soon as it changes, at the latest after `hold` milliseconds.
    ///
    /// - Parameter asks: true for a query: queries advance a settlement, and only their answers include the reason of a
    ///   failure. A held request counts as one query for each interval of a polling client.
    private func answer(_ id: String, hold: Int64?, asks: Bool) async throws(ServiceError) -> HTTPResponse {
        let before = try payment(id).status
        if asks { advance(id) }
        var left = min(hold ?? 0, configuration.longestHoldMs)
        while left > 0, !before.isFinal, try payment(id).status == before {
            let pause = min(left, max(1, configuration.pollInMs))
            // The wait ends early when the server stops: no client waits for the answer then.
            do { try await clock.sleep(for: .milliseconds(pause)) } catch { break }
            left -= pause
            advance(id)
        }
        return .json(try payment(id).statusBody(pollInMs: configuration.pollInMs, withFailureCode: asks))
    }

    /// Takes the data in a confirmation. Refuses the confirmation when required data is missing.
    private func take(_ data: JSONValue?, for offer: Offer, _ id: String) throws(ServiceError) {
        guard try payment(id).needsData(for: offer) else { return }
        guard let data, !data.isNull else { throw .dataMissing }
        let problems = IdentityForm.problems(with: try IdentityForm.fields(data))
        guard problems.isEmpty else {
            let list = problems.map { "\($0.field) \($0.text)" }.joined(separator: "; ")
            throw .validation("Validation error: collectedData: \(list)")
        }
        payments[id]?.identified.insert(offer.account)
    }

    /// Applies the scenario's interruption just before a confirmation would act.
    func interrupt(_ id: String) {
        guard let payment = payments[id], payment.status == .requiresAction else { return }
        switch payment.scenario.plan.interruption {
        case .expiry?: expireNow(id)
        case .cancellation?: cancelNow(id)
        case nil: break
        }
    }

    func capture(_ id: String, _ offer: Offer, _ results: [String]) {
        guard var payment = payments[id] else { return }
        payment.confirmation = (offer.id, results)
        payment.transfer = PaymentRecord.Transfer(offer, of: payment, random: random)
        payment.status = .processing
        switch payment.scenario.plan.pace {
        case .atOnce: break
        case .ordinary: payment.pollsLeft = configuration.settlementPolls
        case .never: payment.pollsLeft = .max
        case .slow:
            payment.pollsLeft = configuration.settlementPolls
            payment.settlesAt = now + configuration.slowSettlement
        }
        payments[id] = payment
        record(id, .captured(option: offer.id, amount: "\(offer.value) \(offer.asset.unit)", account: offer.account))
        settleIfDue(id)
    }

    /// Counts one query of a payment in settlement.
    private func advance(_ id: String) {
        guard payments[id]?.status == .processing else { return }
        payments[id]?.pollsLeft -= 1
        settleIfDue(id)
    }

    private func settleIfDue(_ id: String) {
        guard let payment = payments[id], payment.pollsLeft <= 0, payment.settlesAt <= now else { return }
        switch payment.scenario.plan.ending {
        case .succeeded:
            payments[id]?.status = .succeeded
            record(id, .settled)
        case .failed:
            payments[id]?.status = .failed
            record(id, .failed)
        case .declined:
            payments[id]?.status = .failed
            payments[id]?.failureCode = "declined_user"
            record(id, .failed)
        case .unfamiliar:
            payments[id]?.status = .unfamiliar
        }
    }

    /// Returns one text per result: each result holds a one-element array, of a text or of any other value.
    private static func results(_ list: [JSONValue]) throws(ServiceError) -> [String] {
        var results: [String] = []
        for result in list {
            guard result["type"]?.string == "walletRpc", let data = result["data"]?.array, data.count == 1 else {
                throw .validation("Validation error: results must hold one datum each")
            }
            results.append(data[0].string ?? data[0].text)
        }
        return results
    }
}
