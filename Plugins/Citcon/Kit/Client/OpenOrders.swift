import CitconProvider
import PaymentCore
import Synchronization

/// The orders that wait for their payers, and the deliveries that reach them.
final class OpenOrders: Sendable {
    /// An event that wakes an order.
    enum OrderDelivery: Sendable {
        /// The payer returned with this.
        case returned(WalletReturn)
        /// The payer may have returned.
        case active
        /// The application abandons the order.
        case cancelled
        /// The time limit for the return is over.
        case timedOut
    }

    private struct Entry {
        let id: Int
        let order: Order
        let handler: GatewayHandler
        /// The URL scheme for WeChat's return to this order.
        var weChatAppID: String?
        /// The names that a return to it may carry.
        var names: GivenNames
        /// True once the payer was sent to pay. No return from there arrives before.
        var isLaunched = false
        var waiter: CheckedContinuation<OrderDelivery, Never>?
        var deliveries: [OrderDelivery] = []

        var places: CPayReturnPlaces {
            CPayReturnPlaces(
                schemes: Set([order.scheme].compactMap(\.self)), weChatAppIDs: Set([weChatAppID].compactMap(\.self)),
                universalLinks: Set([order.universalLink].compactMap(\.self)), pages: order.pages)
        }
    }

    private struct State {
        var entries: [Entry] = []
        var count = 0
    }

    private let state = Mutex(State())

    /// The return places of the open orders.
    var places: CPayReturnPlaces {
        state.withLock { $0.entries.map(\.places) }.reduce(CPayReturnPlaces()) { $0.union($1) }
    }

    /// The references of the open orders, oldest first.
    var references: [String] { state.withLock { $0.entries.compactMap(\.order.reference) } }

    /// Opens an order and returns its number.
    func open(_ order: Order, _ handler: GatewayHandler) -> Int {
        state.withLock { state in
            state.count += 1
            state.entries.append(Entry(id: state.count, order: order, handler: handler, names: GivenNames(order)))
            return state.count
        }
    }

    /// Records the launch of a confirmed order, which identifies a return.
    func expect(_ launch: Launch, charge: String?, of id: Int) {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.id == id }) else { return }
            if case .app(let wallet) = launch { state.entries[index].weChatAppID = wallet.weChatAppID }
            state.entries[index].isLaunched = true
            state.entries[index].names = state.entries[index].names.confirmed(id: charge, launch)
        }
    }

    /// Closes an order. Later deliveries are dropped.
    func close(_ id: Int) {
        state.withLock { $0.entries.removeAll { $0.id == id } }
    }

    /// Waits for the order's next delivery.
    func nextDelivery(for id: Int) async -> OrderDelivery {
        await withCheckedContinuation { continuation in
            let known: OrderDelivery? = state.withLock { state in
                guard let index = state.entries.firstIndex(where: { $0.id == id }) else { return .cancelled }
                guard state.entries[index].deliveries.isEmpty else {
                    return state.entries[index].deliveries.removeFirst()
                }
                state.entries[index].waiter = continuation
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    /// Passes `back` to the latest order that waits for it and is the one that it names, if it names any.
    ///
    /// - Throws: ``CPayReturnError`` when orders wait for such a return, but it names another order.
    func deliver(_ back: WalletReturn) throws(CPayReturnError) {
        var refusal: ReturnNames.Item?
        let isTaken = deliver(.returned(back)) { entries in
            let waiting = entries.filter { Self.isMeant($0, by: back) }
            guard let entry = waiting.last(where: { back.names.disagreement(with: $0.names) == nil }) else {
                refusal = waiting.last.flatMap { back.names.disagreement(with: $0.names) }
                return []
            }
            return [entry.id]
        }
        if !isTaken, let refusal { throw .anotherOrder(item: refusal.rawValue) }
    }

    /// Passes the return that the launch of the order with this number produced to that order, even if others wait for
    /// the same wallet.
    ///
    /// - Throws: ``CPayReturnError`` when it names another order.
    func deliver(_ back: WalletReturn, to id: Int) throws(CPayReturnError) {
        let names = state.withLock { state in state.entries.first { $0.id == id }?.names }
        if let item = names.flatMap({ back.names.disagreement(with: $0) }) { throw .anotherOrder(item: item.rawValue) }
        deliver(.returned(back), to: id)
    }

    /// Passes a delivery to the order with this number.
    func deliver(_ delivery: OrderDelivery, to id: Int) { deliver(delivery) { _ in [id] } }

    /// Passes a delivery to every open order, or to those with the reference `reference`.
    ///
    /// - Returns: true if there is one.
    @discardableResult
    func deliver(_ delivery: OrderDelivery, toOrdersCalled reference: String? = nil) -> Bool {
        deliver(delivery) { entries in
            entries.filter { reference == nil || $0.order.reference == reference }.map(\.id)
        }
    }

    @discardableResult
    private func deliver(_ delivery: OrderDelivery, _ choose: ([Entry]) -> [Int]) -> Bool {
        let (isTaken, waiters) = state.withLock { state in
            let ids = Set(choose(state.entries))
            var waiters: [CheckedContinuation<OrderDelivery, Never>] = []
            for index in state.entries.indices where ids.contains(state.entries[index].id) {
                if let waiter = state.entries[index].waiter {
                    waiters.append(waiter)
                    state.entries[index].waiter = nil
                } else {
                    state.entries[index].deliveries.append(delivery)
                }
            }
            return (!ids.isEmpty, waiters)
        }
        for waiter in waiters { waiter.resume(returning: delivery) }
        return isTaken
    }

    private static func isMeant(_ entry: Entry, by back: WalletReturn) -> Bool {
        switch back.source {
        case .weChat: entry.weChatAppID?.equalsIgnoringASCIICase(back.place) == true
        case .alipay, .unionPay:
            entry.isLaunched && entry.handler.source == back.source
                && entry.order.scheme?.equalsIgnoringASCIICase(back.place) == true
        // These return with the payer's consent, before anything is confirmed.
        case .cashApp:
            entry.handler.source == back.source && entry.order.scheme?.equalsIgnoringASCIICase(back.place) == true
        case .braintree: entry.handler == .braintree
        case .page: entry.isLaunched && entry.order.pages.contains { WalletReturn.address(of: $0) == back.place }
        case .klarna, .payPal: false
        }
    }
}

// MARK: - Orders in progress

/// The orders that a client pays now, each of them once.
///
/// A button that is tapped twice requests one order twice. The second request joins the first and gets its result. A
/// request that names the same reference or charge but is another order is refused: the first one may still be paid.
final class OrdersInProgress: Sendable {
    /// The place of a request.
    enum Turn: Sendable {
        /// The request pays the order, under this number.
        case first(Int)
        /// The request gets the result of the one in progress.
        case joined
        case refused(OrderError)
    }

    private struct Entry {
        let id: Int
        let order: Order
        var deliveries: [CPayClient.Delivery]
    }

    private let state = Mutex((entries: [Entry](), count: 0))

    /// Adds a request, whose result goes to `deliver`.
    func enter(_ order: Order, _ deliver: @escaping CPayClient.Delivery) -> Turn {
        state.withLock { state in
            if let index = state.entries.firstIndex(where: { $0.order.names(sameChargeAs: order) }) {
                guard state.entries[index].order.isSame(as: order) else {
                    return .refused(OrderError("\(CPayMessage.inProgress). \(CPayMessage.doNotPayAgain)"))
                }
                state.entries[index].deliveries.append(deliver)
                return .joined
            }
            state.count += 1
            state.entries.append(Entry(id: state.count, order: order, deliveries: [deliver]))
            return .first(state.count)
        }
    }

    /// The number of requests that wait for a result.
    var requests: Int { state.withLock { $0.entries.reduce(0) { $0 + $1.deliveries.count } } }

    /// Ends an order, and returns the takers of its result.
    func leave(_ id: Int) -> [CPayClient.Delivery] {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.id == id }) else { return [] }
            return state.entries.remove(at: index).deliveries
        }
    }
}

extension Order {
    /// Returns true if `other` has this order's reference or charge.
    fileprivate func names(sameChargeAs other: Order) -> Bool {
        let references = [reference, other.reference].compactMap(\.self)
        return references.count == 2 && references[0].isExactly(references[1])
            || chargeToken?.reveal() == other.chargeToken?.reveal()
    }

    /// Returns true if `other` is this order in each member that decides what is paid, and how.
    fileprivate func isSame(as other: Order) -> Bool {
        reference == other.reference && chargeToken?.reveal() == other.chargeToken?.reveal() && method == other.method
            && body.reveal() == other.body.reveal()
    }
}
