import PaymentCore
import Synchronization

/// One order of the vendor's client, from the configuration to its two results.
struct OrderFlow: Sendable {
    let client: CPayClient
    let order: Order
    let callback: CPayOrderCallback
    private let settings: CPayClientConfiguration

    init(_ client: CPayClient, _ order: Order, _ callback: @escaping CPayOrderCallback) {
        self.client = client
        self.order = order
        self.callback = callback
        settings = client.configuration
    }

    /// How waiting for the payer ended.
    private enum Ending {
        case wallet(CPayReturn)
        case decided(CitconService.Answer)
        case givenUp(OrderFailure)
    }

    func run() async {
        do throws(OrderFailure) { try await carryOut() } catch { client.fail(order, error, callback) }
    }

    private func carryOut() async throws(OrderFailure) {
        var base = try client.service().hiding(order.chargeToken)
        base.secrets = base.secrets.and(of: order.body.reveal())
        let config = try await Self.translated { [base] () throws(CitconCallError) in
            try await base.config(method: order.method ?? "", consumer: order.consumer)
        }
        guard let handler = settings.gateways.handler(of: config.gateway) else {
            throw OrderFailure(CPayMessage.unsupportedGateway + config.gateway)
        }
        try order.check(for: handler)
        guard let token = order.chargeToken else { throw OrderFailure(CPayMessage.noChargeToken) }
        let id = client.orders.open(order, handler)
        defer { client.orders.close(id) }
        let ready = try await consent(config, handler, id)
        var service = base
        service.secrets = base.secrets.and(of: ready.body.reveal())

        let answer: CitconService.Answer
        do throws(CitconCallError) { answer = try await service.confirm(token, ready.body) } catch {
            return try await settle(after: error, handler, service)
        }
        let charge = answer.transaction
        // Gateways that take the money at once have taken it; the others only say how the payer is sent to pay.
        let mayHavePaid = handler.mayPayAtConfirm || charge.state != .initiated
        if let member = order.terms.difference(fromConfirmed: charge) {
            let failure = OrderFailure(CPayMessage.invalidContent)
            guard mayHavePaid else { return client.fail(order, failure, id: charge.id, callback) }
            return await warn(OrderFailure("\(failure.message): \(ChargeTerms.warning(member))"), answer, service)
        }
        client.announce(.orderConfirmed(CPayResult(answer)))
        let launch: Launch
        do throws(OrderFailure) { launch = try Launch(handler, order, charge, at: service.baseURL) } catch {
            guard charge.state != .initiated else { return client.fail(order, error, id: charge.id, callback) }
            return await warn(OrderFailure("\(error.message). \(CPayMessage.doNotPayAgain)"), answer, service)
        }
        guard launch != .nothing else {
            callback(CPayResult(answer))
            return client.announce(.checked(await check(charge, service)))
        }
        await finish(await wait(launch, handler, id, charge, service), charge, service)
    }

    // MARK: Consent

    /// The order with the payer's consent, where its gateway wants that first.
    private func consent(
        _ config: GatewayConfig, _ handler: CPayGateways.Handler, _ id: Int
    ) async throws(OrderFailure) -> Order {
        guard order.lacksConsent(for: handler) else { return order }
        let places = settings.places.union(client.orders.places)
        try await open(.consent(order.consentRequest(config, handler, places)), id)
        while true {
            switch await client.orders.mail(for: id) {
            case .active: continue
            case .cancelled, .timedOut: throw OrderFailure(Self.calledOff, code: CPayCode.cancelled)
            case .returned(let back):
                if let consent = back.consent { return order.adding(consent, from: handler) }
                let isCancellation = back.isCancellation || back.code == nil
                throw OrderFailure(
                    back.message ?? (isCancellation ? Self.calledOff : CPayMessage.unknown),
                    code: isCancellation ? CPayCode.cancelled : CPayCode.failure)
            }
        }
    }

    // MARK: Waiting

    /// Starts what has to be started. A payer who is back at once leaves mail.
    private func open(_ launch: CPayLaunch, _ id: Int) async throws(OrderFailure) {
        guard let launcher = client.means.withLock(\.launcher) else {
            throw OrderFailure("\(CPayMessage.unknown): nothing opens pages and apps; give the client a launcher")
        }
        switch await launcher(launch) {
        case .opened: break
        case .returned(let url):
            // What this launch brought back is about this order, also where others wait for the same wallet.
            let back = url.flatMap { CPayReturn($0, at: settings.places.union(client.orders.places)) }
            do throws(CPayReturnError) {
                guard let back else { return client.orders.deliver(.active, to: id) }
                try client.orders.deliver(back, to: id)
            } catch {
                client.announce(.returnRefused(error))
                // The payer is back, whatever led them.
                client.orders.deliver(.active, to: id)
            }
        case .impossible(let reason): throw OrderFailure("\(CPayMessage.unknown): \(reason)")
        }
    }

    private func wait(
        _ launch: Launch, _ handler: CPayGateways.Handler, _ id: Int, _ charge: TransactionFields,
        _ service: CitconService
    ) async -> Ending {
        var places = settings.places.union(client.orders.places)
        client.orders.expect(launch, charge: charge.id, of: id)
        let request: CPayLaunch
        switch launch {
        case .app(let wallet):
            request = .app(wallet.request(handler, places))
        case .code(let text): request = .code(CodeRequest(text: Redacted(text)))
        case .page(let text):
            guard let url = try? HTTPURL(text) else { return .givenUp(OrderFailure(CPayMessage.invalidRedirect)) }
            places.pages = order.pages
            request = .page(PageRequest(url: url, returnURLs: places.urls(of: .page)))
        case .nothing: return .givenUp(OrderFailure(CPayMessage.invalidContent))
        }
        do throws(OrderFailure) { try await open(request, id) } catch { return .givenUp(error) }
        let timer = settings.returnTimeout.map { limit in
            Task {
                // Cancelled when the payer is back in time.
                guard (try? await client.clock.sleep(for: limit)) != nil else { return }
                client.orders.deliver(.timedOut, to: id)
            }
        }
        defer { timer?.cancel() }
        while true {
            switch await client.orders.mail(for: id) {
            case .returned(let back): return .wallet(back)
            case .cancelled: return .givenUp(OrderFailure(Self.calledOff, code: CPayCode.cancelled))
            case .timedOut: return .givenUp(OrderFailure(Self.tooLate))
            case .active:
                guard let answer = try? await ask(charge, service) else { continue }
                if answer.transaction.state?.isSettled == true { return .decided(answer) }
            }
        }
    }

    // MARK: Results

    private func finish(_ ending: Ending, _ charge: TransactionFields, _ service: CitconService) async {
        switch ending {
        case .decided(let answer):
            callback(CPayResult(answer))
            client.announce(.checked(CPayCheck(answer)))
        case .givenUp(let failure):
            await report(failure, charge, service)
        case .wallet(let back) where back.source == .page:
            guard let answer = try? await ask(charge, service) else {
                return client.fail(order, OrderFailure(CPayMessage.checkFailed), id: charge.id, callback)
            }
            callback(CPayResult(answer))
            client.announce(.checked(CPayCheck(answer)))
        case .wallet(let back):
            if settings.resultOrder == .walletFirst {
                callback(word(of: back, charge))
                return client.announce(.checked(await check(charge, service)))
            }
            let answer = try? await ask(charge, service)
            callback(result(of: back, charge, answer))
            client.announce(.checked(answer.map { CPayCheck($0) } ?? Self.failedCheck(charge)))
        }
    }

    /// An order that was given up may be paid all the same. When nobody can say, that is what is reported.
    private func report(_ failure: OrderFailure, _ charge: TransactionFields, _ service: CitconService) async {
        let answer: CitconService.Answer
        do throws(CitconCallError) { answer = try await ask(charge, service) } catch {
            let unknown = OrderFailure("\(CPayMessage.checkFailed): \(failure.message). \(CPayMessage.doNotPayAgain)")
            return client.fail(order, unknown, id: charge.id, callback)
        }
        guard answer.transaction.state?.isSettled == true else {
            return client.fail(order, failure, id: charge.id, callback)
        }
        callback(CPayResult(answer))
        client.announce(.checked(CPayCheck(answer)))
    }

    /// Ends an order of which only the service knows whether anything was paid, and what: with its word where that is that
    /// this order is paid, otherwise with what it said, and the warning not to pay again.
    private func warn(
        _ failure: OrderFailure, _ answer: CitconService.Answer, _ service: CitconService
    ) async {
        let later = try? await service.inquire(reference: order.reference ?? "")
        if let later, later.transaction.state?.isPaid == true, order.terms.difference(from: later.transaction) == nil {
            callback(CPayResult(later))
            return client.announce(.checked(CPayCheck(later)))
        }
        callback(
            CPayResult(
                status: "fail", version: answer.version, app: answer.app,
                data: CPayResultData(
                    code: failure.code, message: failure.message, id: answer.transaction.id,
                    reference: order.reference, transaction: answer.transaction)))
        client.announce(
            .checked(
                later.map { CPayCheck($0) }
                    ?? CPayCheck(
                        status: "fail", code: CPayCode.failure,
                        message: "\(CPayMessage.checkFailed). \(CPayMessage.doNotPayAgain)", id: answer.transaction.id))
        )
    }

    /// The wallet's word alone, as the vendor's SDK hands it out.
    private func word(of back: CPayReturn, _ charge: TransactionFields) -> CPayResult {
        CPayResult(
            status: back.code == CPayCode.success ? "success" : "fail", code: back.code, message: back.message,
            reference: order.reference, id: charge.id)
    }

    /// The wallet's word, with what the service says about it.
    private func result(
        of back: CPayReturn, _ charge: TransactionFields, _ answer: CitconService.Answer?
    ) -> CPayResult {
        guard let answer else { return word(of: back, charge) }
        // A payment is a payment even where the wallet said otherwise.
        let isPaid = answer.transaction.state?.isPaid == true
        let code = isPaid ? CPayCode.success : back.code
        return CPayResult(
            status: isPaid || back.code == CPayCode.success ? "success" : "fail", version: answer.version,
            app: answer.app,
            data: CPayResultData(
                code: code, message: isPaid ? nil : back.message, id: charge.id, reference: order.reference,
                transaction: answer.transaction))
    }

    /// After a confirmation whose answer was lost: the token is used up, so only asking helps.
    ///
    /// A refusal is the order's failure, unless it answers a second copy of the confirmation and the first one paid.
    private func settle(
        after error: CitconCallError, _ handler: CPayGateways.Handler, _ service: CitconService
    ) async throws(OrderFailure) {
        let isRepeated = error.mayFollowItsOwnEffect && handler.mayPayAtConfirm
        guard error.leavesFateOpen || isRepeated else { throw OrderFailure(error) }
        let answer = order.reference == nil ? nil : try? await service.inquire(reference: order.reference ?? "")
        if let answer, order.terms.difference(from: answer.transaction) == nil, let state = answer.transaction.state {
            if isRepeated ? state.isPaid : state.isSettled {
                callback(CPayResult(answer))
                return client.announce(.checked(CPayCheck(answer)))
            }
            // Of a refused repetition the service says itself that it paid nothing.
            if isRepeated, state.isSettled || state == .initiated { throw OrderFailure(error) }
        }
        let failure = OrderFailure(error)
        guard handler.mayPayAtConfirm else { throw failure }
        throw OrderFailure("\(failure.message). \(CPayMessage.doNotPayAgain)", code: failure.code)
    }

    // MARK: Asking

    private func ask(
        _ charge: TransactionFields, _ service: CitconService
    ) async throws(CitconCallError) -> CitconService.Answer {
        let answer: CitconService.Answer
        if let id = charge.id, !id.isEmpty {
            answer = try await service.inquire(charge: id)
        } else {
            answer = try await service.inquire(reference: order.reference ?? "")
        }
        if let member = order.terms.difference(from: answer.transaction) {
            throw .unusableAnswer("the service's answer is about another order: its '\(member)' differs")
        }
        return answer
    }

    private func check(_ charge: TransactionFields, _ service: CitconService) async -> CPayCheck {
        do throws(CitconCallError) { return CPayCheck(try await ask(charge, service)) } catch {
            return Self.failedCheck(charge)
        }
    }

    private static func failedCheck(_ charge: TransactionFields) -> CPayCheck {
        CPayCheck(status: "fail", code: CPayCode.failure, message: CPayMessage.checkFailed, id: charge.id)
    }

    private static let calledOff = "called off by the payer"
    private static let tooLate = "the payer did not come back in time"
    private static func translated<Value>(
        _ work: () async throws(CitconCallError) -> Value
    ) async throws(OrderFailure) -> Value {
        do { return try await work() } catch { throw OrderFailure(error) }
    }
}
