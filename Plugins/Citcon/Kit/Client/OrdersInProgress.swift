import CitconProvider
import PaymentCore
import Synchronization

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
