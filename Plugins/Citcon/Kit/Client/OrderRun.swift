import CitconProvider
import PaymentCore
import Synchronization

/// One order of the vendor's client: the flow, and its end reported as the vendor's SDK reports it, in two results.
struct OrderRun: Sendable {
    let client: CPayClient
    let order: Order
    let deliver: CPayClient.Delivery
    private let settings: CPayClientConfiguration

    init(
        _ client: CPayClient, _ order: Order, settings: CPayClientConfiguration,
        _ deliver: @escaping CPayClient.Delivery
    ) {
        self.client = client
        self.order = order
        self.deliver = deliver
        self.settings = settings
    }

    func run() async {
        let context: ProviderContext
        let service: CitconService
        do throws(OrderError) {
            context = try client.context(settings)
            service = try client.service(settings, context)
        } catch { return await client.fail(order, error, deliver) }
        let handOff = ClientHandOff(client, order, settings)
        defer { handOff.close() }
        let flow = OrderFlow(
            PaymentReference(provider: CitconProvider.id, id: order.reference ?? ""), method: order.method ?? "",
            order: order, terms: order.terms, names: GivenNames(order), gateways: settings.gateways, service: service,
            context: context, handOff: handOff, hasConfirmed: { client.announce(.orderConfirmed(CPayResult($0))) })
        do {
            switch try await flow.confirm() {
            case .over: if let answer = flow.answer { await report(answer) }
            case .confirmed(let confirmed, let handler, _): await finish(flow, confirmed, handler)
            }
        } catch {
            await settle(after: error, flow)
        }
    }

    private func finish(_ flow: OrderFlow, _ confirmed: OrderFlow.Confirmed, _ handler: GatewayHandler) async {
        guard confirmed.launch != .nothing else {
            if let answer = flow.answer { await deliver(CPayResult(answer)) }
            return client.announce(.checked(await check(flow, confirmed)))
        }
        do {
            await report(try await flow.handOver(confirmed, handler) ?? .silent, flow, confirmed)
        } catch {
            await report(OrderFlowError(behind: error).words, flow, confirmed)
        }
    }

    // MARK: Before the payer was sent

    /// Settles after a confirmation that failed: when its effect is unknown, only an inquiry helps.
    ///
    /// A refusal is the order's failure, unless it answers a second copy of the confirmation and the first one paid.
    private func settle(after error: any Error, _ flow: OrderFlow) async {
        let reason = OrderFlowError(behind: error)
        guard (error as? PaymentError)?.phase == .maybeSent else {
            return await client.fail(order, reason.words, deliver)
        }
        if let answer = flow.answer { return await settle(reason, about: answer, flow) }
        let isRepeated = reason.call?.mayFollowItsOwnEffect == true
        let answer = order.reference == nil ? nil : try? await flow.inquireByReference()
        if let answer, order.terms.difference(from: answer.transaction) == nil, let state = answer.transaction.state {
            if isRepeated ? state.isPaid : state.isSettled { return await report(answer) }
            // A final charge is the reason for the refusal.
            if isRepeated, state.isSettled { return await refuse(reason.words, about: answer, state) }
            // For a refused repetition the service itself says that it paid nothing.
            if isRepeated, state == .initiated { return await client.fail(order, reason.words, deliver) }
        }
        await client.fail(order, reason.warning ?? reason.words, deliver)
    }

    /// Reports why a final, unpaid charge was refused: it has expired, was cancelled or has failed.
    private func refuse(
        _ failure: OrderError, about answer: CitconService.Answer, _ state: CitconStatus
    ) async {
        await deliver(
            CPayResult(
                status: "fail", version: answer.version, app: answer.app,
                data: CPayResultData(
                    code: failure.code, message: "\(failure.message): the charge is \(state.rawValue)",
                    id: answer.transaction.id, reference: order.reference, transaction: answer.transaction)))
        client.announce(.checked(CPayCheck(answer)))
    }

    /// Settles after a confirmation whose answer cannot be used. If money may have moved, this reports a new answer of
    /// the service if this order is paid, otherwise the unusable answer with the warning not to pay again.
    private func settle(_ reason: OrderFlowError, about answer: CitconService.Answer, _ flow: OrderFlow) async {
        guard let warning = reason.warning else {
            return await client.fail(order, reason.words, id: answer.transaction.id, deliver)
        }
        let later = try? await flow.inquireByReference()
        if let later, later.transaction.state?.isPaid == true, order.terms.difference(from: later.transaction) == nil {
            return await report(later)
        }
        await deliver(
            CPayResult(
                status: "fail", version: answer.version, app: answer.app,
                data: CPayResultData(
                    code: warning.code, message: warning.message, id: answer.transaction.id,
                    reference: order.reference, transaction: answer.transaction)))
        let unknown = CPayCheck(
            status: "fail", code: CPayCode.failure, message: "\(CPayMessage.checkFailed). \(CPayMessage.doNotPayAgain)",
            id: answer.transaction.id)
        client.announce(.checked(later.map { CPayCheck($0) } ?? unknown))
    }

    // MARK: After the payer was sent

    private func report(_ arrival: PayerArrival, _ flow: OrderFlow, _ confirmed: OrderFlow.Confirmed) async {
        switch arrival {
        case .decided(let answer): await report(answer)
        case .abandoned(let failure): await report(failure, flow, confirmed)
        case .silent: await report(OrderError(CPayMessage.invalidContent), flow, confirmed)
        case .back(let back) where back.source == .page:
            guard let answer = try? await ask(flow, confirmed) else {
                return await client.fail(order, OrderError(CPayMessage.checkFailed), id: confirmed.id, deliver)
            }
            await report(answer)
        case .back(let back):
            if settings.resultOrder == .walletFirst {
                await deliver(result(of: back, confirmed))
                return client.announce(.checked(await check(flow, confirmed)))
            }
            let answer = try? await ask(flow, confirmed)
            await deliver(result(of: back, confirmed, answer))
            client.announce(.checked(answer.map { CPayCheck($0) } ?? Self.failedCheck(confirmed)))
        }
    }

    /// Reports an abandoned order. While its charge is open, or its status unknown, the payer may still pay it, and the
    /// message says so.
    private func report(_ failure: OrderError, _ flow: OrderFlow, _ confirmed: OrderFlow.Confirmed) async {
        let answer: CitconService.Answer
        do throws(CitconCallError) { answer = try await ask(flow, confirmed) } catch {
            let unknown = OrderError("\(CPayMessage.checkFailed): \(failure.message). \(CPayMessage.doNotPayAgain)")
            return await client.fail(order, unknown, id: confirmed.id, deliver)
        }
        guard answer.transaction.state?.isSettled == true else {
            let open = OrderError("\(failure.message). \(CPayMessage.stillOpen)", code: failure.code)
            return await client.fail(order, open, id: confirmed.id, deliver)
        }
        await report(answer)
    }

    /// Reports the service's status, in both results.
    private func report(_ answer: CitconService.Answer) async {
        await deliver(CPayResult(answer))
        client.announce(.checked(CPayCheck(answer)))
    }

    /// The wallet's result alone, as the vendor's SDK returns it.
    private func result(of back: WalletReturn, _ confirmed: OrderFlow.Confirmed) -> CPayResult {
        CPayResult(
            status: back.code == CPayCode.success ? "success" : "fail", code: back.code, message: back.message,
            reference: order.reference, id: confirmed.id)
    }

    /// The wallet's result, completed with the service's answer about it.
    private func result(
        of back: WalletReturn, _ confirmed: OrderFlow.Confirmed, _ answer: CitconService.Answer?
    ) -> CPayResult {
        guard let answer else { return result(of: back, confirmed) }
        // The service's paid status overrules the wallet's result.
        let isPaid = answer.transaction.state?.isPaid == true
        return CPayResult(
            status: isPaid || back.code == CPayCode.success ? "success" : "fail", version: answer.version,
            app: answer.app,
            data: CPayResultData(
                // The guide: if the payment is successful, neither has a value.
                code: isPaid ? nil : back.code, message: isPaid ? nil : back.message, id: confirmed.id,
                reference: order.reference,
                transaction: answer.transaction))
    }

    // MARK: Asking

    private func ask(
        _ flow: OrderFlow, _ confirmed: OrderFlow.Confirmed
    ) async throws(CitconCallError) -> CitconService.Answer {
        let answer = try await flow.inquire(confirmed)
        if let member = order.terms.difference(from: answer.transaction) {
            throw .unusableAnswer("the service's answer is about another order: its '\(member)' differs")
        }
        return answer
    }

    private func check(_ flow: OrderFlow, _ confirmed: OrderFlow.Confirmed) async -> CPayCheck {
        do throws(CitconCallError) { return CPayCheck(try await ask(flow, confirmed)) } catch {
            return Self.failedCheck(confirmed)
        }
    }

    private static func failedCheck(_ confirmed: OrderFlow.Confirmed) -> CPayCheck {
        CPayCheck(status: "fail", code: CPayCode.failure, message: CPayMessage.checkFailed, id: confirmed.id)
    }
}

// MARK: - The hand-off

/// The hand-off of the vendor's client: a launcher opens pages and apps, and deliveries report the payers' return.
struct ClientHandOff: PayerHandOff {
    let client: CPayClient
    let order: Order
    let settings: CPayClientConfiguration
    /// The order's number among the open ones, once it is open.
    private let number = Shared<Int?>(nil)

    private final class Shared<Value: Sendable>: Sendable {
        let content: Mutex<Value>

        init(_ value: Value) { content = Mutex(value) }
    }

    init(_ client: CPayClient, _ order: Order, _ settings: CPayClientConfiguration) {
        self.client = client
        self.order = order
        self.settings = settings
    }

    var places: CPayReturnPlaces { settings.places.union(client.orders.places) }

    func begin(_ handler: GatewayHandler) {
        number.content.withLock { $0 = client.orders.open(order, handler) }
    }

    /// Closes the order. It accepts no more returns.
    func close() {
        if let id = number.content.withLock({ $0 }) { client.orders.close(id) }
    }

    private var id: Int { number.content.withLock { $0 } ?? 0 }

    /// Does nothing: a charge that cannot be opened here may be paid at its confirmation, so the vendor's client checks
    /// afterwards.
    func check(_ need: PayerNeed) {}

    func canOpen(_ launch: Launch) -> Bool { launch != .nothing }

    func consent(_ request: AppRequest) async throws -> WalletReturn? {
        if let failure = await start(.consent(request)) { throw Self.stopped(failure) }
        while true {
            switch await client.orders.nextDelivery(for: id) {
            case .active: continue
            case .cancelled, .timedOut:
                throw Self.stopped(OrderError(OrderError.cancelledByPayer, code: CPayCode.cancelled))
            case .returned(let back): return back
            }
        }
    }

    func open(
        _ launch: Launch, _ handler: GatewayHandler, charge: String?,
        asking word: @Sendable () async -> CitconService.Answer?
    ) async throws -> PayerArrival {
        var places = places
        client.orders.expect(launch, charge: charge, of: id)
        let request: CPayLaunch
        switch launch {
        case .app(let wallet): request = .app(wallet.request(handler, places))
        case .code(let text): request = .code(CodeRequest(text: Redacted(text)))
        case .page(let text):
            places.pages = order.pages
            request = .page(PageRequest(url: try HTTPURL(text), returnURLs: places.urls(of: .page)))
        case .nothing: return .silent
        }
        if let failure = await start(request) { return .abandoned(failure) }
        let timer = settings.returnTimeout.map { limit in
            Task { [id] in
                // Cancelled when the payer is back in time.
                guard (try? await client.clock.sleep(for: limit)) != nil else { return }
                client.orders.deliver(.timedOut, to: id)
            }
        }
        defer { timer?.cancel() }
        while true {
            switch await client.orders.nextDelivery(for: id) {
            case .returned(let back): return .back(back)
            case .cancelled: return .abandoned(OrderError(OrderError.cancelledByPayer, code: CPayCode.cancelled))
            case .timedOut: return .abandoned(OrderError("the payer did not come back in time"))
            case .active:
                guard let answer = await word(), order.terms.difference(from: answer.transaction) == nil else {
                    continue
                }
                if answer.transaction.state?.isSettled == true { return .decided(answer) }
            }
        }
    }

    /// Starts the launch. An immediate return of the payer leaves a delivery.
    ///
    /// - Returns: the reason for a launch that could not start; nil when it has started.
    private func start(_ launch: CPayLaunch) async -> OrderError? {
        guard let launcher = client.means.withLock(\.launcher) else {
            return OrderError("\(CPayMessage.unknown): nothing opens pages and apps; give the client a launcher")
        }
        switch await launcher(launch) {
        case .opened: return nil
        case .returned(let url):
            // A return of this launch belongs to this order, even if others wait for the same wallet.
            let back = url.flatMap { url in
                if case .consent(let request) = launch { return WalletReturn(url, from: request, at: places) }
                return WalletReturn(url, at: places)
            }
            do throws(CPayReturnError) {
                guard let back else {
                    client.orders.deliver(.active, to: id)
                    return nil
                }
                try client.orders.deliver(back, to: id)
            } catch {
                client.announce(.returnRefused(error))
                // The payer is back, by whatever URL.
                client.orders.deliver(.active, to: id)
            }
            return nil
        case .impossible(let reason): return OrderError("\(CPayMessage.unknown): \(reason)")
        }
    }

    /// Returns the error for an order that has sent no request yet.
    private static func stopped(_ words: OrderError) -> PaymentError {
        PaymentError(
            .payer, "the payer did not consent", provider: CitconProvider.id, cause: OrderFlowError(words))
    }
}
