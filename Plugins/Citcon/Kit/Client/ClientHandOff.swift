import CitconProvider
import PaymentCore
import Synchronization

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

    /// Closes the order; it accepts no more returns.
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
    /// - Returns: the reason why the launch could not start; nil when it has started.
    private func start(_ launch: CPayLaunch) async -> OrderError? {
        guard let launcher = client.means.withLock(\.launcher) else {
            return OrderError("\(CPayMessage.unknown): nothing opens pages and apps; give the client a launcher")
        }
        switch await launcher(launch) {
        case .opened: return nil
        case .returned(let url):
            // A return of this launch belongs to this order, also where others wait for the same wallet.
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

    /// Returns the error for an order for which no request was sent yet.
    private static func stopped(_ words: OrderError) -> PaymentError {
        PaymentError(
            .payer, "the payer did not consent", provider: CitconProvider.id, cause: OrderFlowError(words))
    }
}
