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
