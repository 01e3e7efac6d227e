import BitcoinSandbox
import Foundation
import PaymentCore
import PaymentSimulation
import PaymentStandards
import PaymentTesting
import Synchronization

/// A node's behaviour with one invoice.
struct NodePlan: Sendable {
    let scenario: NodeScenario
    /// The behaviour after everything has healed: what would end later ends at once.
    let healed: NodeScenario
    /// True if another program pays the invoice, at some time.
    var hasRival = false
    /// True if the payment may stay open permanently.
    let isEndless: Bool
    /// True if the node has no preimage of the payment.
    var hasNoPreimage: Bool { scenario.description == NodeScenario.noPreimage.description }

    /// Most invoices are paid at once.
    static func drawn(_ random: SeededRandomSource) -> NodePlan {
        let seconds = Double(1 + random.below(900))
        let (scenario, healed, isEndless): (NodeScenario, NodeScenario, Bool) =
            switch random.below(22) {
            case 20: (.calledFailed(for: seconds), .pays, false)
            case 21: (.noPreimage, .noPreimage, false)
            case 0, 1: (.refuses, .refuses, false)
            case 2: (.paysAfterADay, .pays, false)
            case 3: (.failsAfterADay, .refuses, false)
            case 4, 5, 6: (.inFlight(for: seconds, arrives: true), .pays, false)
            case 7, 8: (.inFlight(for: seconds, arrives: false), .refuses, false)
            case 9: (.staysInFlight, .staysInFlight, true)
            case 10: (.wrongPreimage, .wrongPreimage, true)
            case 11: (.paidBefore, .pays, true)
            default: (.pays, .pays, false)
            }
        let hasRival = random.happens(0.15)
        return NodePlan(
            scenario: scenario, healed: healed, hasRival: hasRival, isEndless: isEndless || hasRival)
    }
}

/// The name of an order in one of the payer's files of orders.
struct OrderName: Hashable, Sendable {
    /// The number of the file.
    let orders: Int
    let name: String

    init(_ name: String, in orders: Int) { (self.name, self.orders) = (name, orders) }

    init(_ attempt: PaymentAttempt, in orders: Int) { self.init(attempt.key(for: "settle"), in: orders) }
}

/// A simulated node behind a proxy that holds requests and answers, and which is restarted. It records which request
/// of which attempt has sent a payment.
final class WalletNode: SandboxService {
    /// The header field with the number of a request to pay, which only the simulation reads.
    static let field = "X-Simulated-Request"

    /// An invoice that the node can pay.
    struct Known: Sendable {
        let hash: String
        let text: String
        let amount: UInt64?
        let plan: NodePlan
        /// True if the payee's service has made it.
        let isToPayee: Bool
    }

    /// A request to pay: the attempt that it was made for, and the name of its order.
    private struct Request {
        let attempt: PaymentAttempt?
        let order: OrderName?
    }

    private struct State {
        var known: [Known] = []
        /// The requests to pay, by their numbers.
        var requests: [Request] = []
        /// The times at which these requests left.
        var leavings: [Duration] = []
        /// The invoices that these requests pay, once they have reached the proxy.
        var invoices: [Int: String] = [:]
        /// The number of requests to pay that are on their way.
        var travelling = 0
        /// The number of the request that sent the last payment of a hash; -1 for another program's.
        var senders: [String: Int] = [:]
        var breaches: [String] = []
        var downUntil = Duration.zero
        /// The executor of work that goes on after the answer to its request.
        var executor: (any TaskExecutor)?
    }

    /// True if the node's own chain ends what was lost; otherwise a person does.
    let isDecidedByChain: Bool
    private let node: SimulatedNode
    private let world: SimulatedWorld
    private let random: SeededRandomSource
    /// The longest time for which the proxy, or a queue before the node, holds a request to pay.
    private static let longestHold = Duration.seconds(1200)
    private let state = Mutex(State())
    let statements = SettlerStatements()

    init(_ face: SimulatedNode.Face, in world: SimulatedWorld, _ random: SeededRandomSource) {
        node = SimulatedNode(face, clock: world.clock)
        isDecidedByChain = face == .lnd || face == .coreLightning
        self.world = world
        self.random = random
    }

    /// Names the executor of the history.
    func begin(on executor: (any TaskExecutor)?) { state.withLock { $0.executor = executor } }

    // MARK: Invoices

    /// Makes an invoice. What another program has paid before is not paid again.
    func invoice(
        _ amount: UInt64?, _ plan: NodePlan, lifetime: UInt64, purpose: Bolt11Draft.Purpose = .words("tea"),
        isToPayee: Bool = false
    ) -> SimulatedInvoice {
        node.scenario = plan.scenario
        defer { node.scenario = .pays }
        guard let invoice = try? node.invoice(amount, purpose: purpose, lifetime: lifetime) else {
            preconditionFailure("an invoice can be written")
        }
        state.withLock { state in
            state.known.append(
                Known(hash: invoice.hash, text: invoice.text, amount: amount, plan: plan, isToPayee: isToPayee))
            if node.payment(invoice.hash) != nil { state.senders[invoice.hash] = -1 }
        }
        return invoice
    }

    /// The plan of a further invoice of a payee's service.
    func plan() -> NodePlan { NodePlan.drawn(random) }

    func known(_ hash: String) -> Known? { state.withLock { $0.known.first { $0.hash == hash } } }

    // MARK: Requests

    /// Records that a settler is about to request a payment.
    ///
    /// - Parameter orders: the number of its file of orders.
    /// - Returns: the number of the request.
    func leaves(for attempt: PaymentAttempt?, in orders: Int) -> Int {
        state.withLock { state in
            guard let attempt else {
                state.breaches.append("a wallet was asked to pay outside of any attempt")
                return -1
            }
            let name = OrderName(attempt, in: orders)
            if state.requests.contains(where: { $0.order == name }) {
                state.breaches.append("\(attempt.id): its payment was requested twice")
            }
            if statements.isUnpaid(name) {
                state.breaches.append("\(attempt.id): its payment was requested after it was said to be unpaid")
            }
            state.requests.append(Request(attempt: attempt, order: name))
            state.leavings.append(world.clock.uptime)
            return state.requests.count - 1
        }
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let isTroubled = world.faults != .none
        if isTroubled, isDown() { return Self.proxyError }
        guard OwnWallet.isOrder(request), let invoice = invoice(in: request) else {
            return await answer(request)
        }
        state.withLock { state in
            state.travelling += 1
            if let number = Self.number(of: request) { state.invoices[number] = invoice.hash }
        }
        defer { state.withLock { $0.travelling -= 1 } }
        if isTroubled, random.happens(0.4) {
            // Most of these callers are answered before the request reaches the node.
            guard random.happens(0.4) else {
                let executor = state.withLock { $0.executor }
                state.withLock { $0.travelling += 1 }
                Task(executorPreference: executor) {
                    await self.hold(andPass: request, for: invoice)
                    self.state.withLock { $0.travelling -= 1 }
                }
                return Self.proxyError
            }
            return await hold(andPass: request, for: invoice)
        }
        return await pass(request, for: invoice)
    }

    @discardableResult
    private func hold(andPass request: HTTPRequest, for invoice: Known) async -> HTTPResponse {
        await hold(upTo: Self.longestHold)
        return await pass(request, for: invoice)
    }

    /// Passes a request to pay to the node, and its answer back.
    private func pass(_ request: HTTPRequest, for invoice: Known) async -> HTTPResponse {
        let isTroubled = world.faults != .none
        let before = node.payment(invoice.hash)?.sentAt
        node.scenario = isTroubled ? invoice.plan.scenario : invoice.plan.healed
        let response = await answer(request) {
            guard node.payment(invoice.hash)?.sentAt != before else { return }
            let number = Self.number(of: request) ?? -1
            state.withLock { $0.senders[invoice.hash] = number }
            world.note("the node sends a payment of \(invoice.hash.prefix(8)) for request \(number)")
        }
        if isTroubled, random.happens(0.1) { await hold(upTo: .seconds(100)) }
        return response
    }

    private func answer(_ request: HTTPRequest, then look: () -> Void = {}) async -> HTTPResponse {
        let answer = await node.answer(to: request)
        look()
        if case .response(let response) = answer, !Self.isEarly(response, to: request) { return response }
        // The node answers at the end of the payment, and the proxy does not wait for it.
        await hold(exactly: .seconds(70))
        return Self.proxyError
    }

    /// True if a name is abandoned that is paid now.
    func abandons() -> Bool { world.faults != .none && random.happens(0.06) }

    /// True while the node is restarted, which may begin here.
    private func isDown() -> Bool {
        let seconds = random.happens(0.03) ? random.below(90) : 0
        let now = world.clock.uptime
        return state.withLock { state in
            if seconds > 0 { state.downUntil = now + .seconds(seconds) }
            return now < state.downUntil
        }
    }

    private func hold(upTo longest: Duration) async {
        await hold(exactly: .milliseconds(random.below(Int(longest / .milliseconds(1)))))
    }

    private func hold(exactly time: Duration) async { try? await world.clock.sleep(for: time) }

    private func invoice(in request: HTTPRequest) -> Known? {
        let body = String(decoding: request.body, as: UTF8.self)
        return state.withLock { $0.known.first { body.contains($0.text) } }
    }

    private static func number(of request: HTTPRequest) -> Int? { request.headers[field].flatMap { Int($0) } }

    private static let proxyError = HTTPResponse(status: 502, body: Array("<html>bad gateway</html>".utf8))

    /// True for the line of a payment in flight where the wallet has asked LND for the last line only.
    private static func isEarly(_ response: HTTPResponse, to request: HTTPRequest) -> Bool {
        (try? JSONValue(parsing: response.body))?["result"]?["status"] == "IN_FLIGHT"
    }

    // MARK: Truth

    var breaches: [String] {
        state.withLock { $0.breaches } + statements.breaches
            + sent.filter { $0.order.map(statements.isUnpaid) ?? false }.compactMap(\.attempt).map {
                "\($0.id): its settler said that nothing was sent, but money moved"
            }
    }

    /// True if a person can see that the request under a name has sent nothing, and never will: everything has healed,
    /// and nothing is on its way.
    func isKnownUnsent(_ name: OrderName) -> Bool {
        guard world.faults == .none, let (number, hash) = request(under: name) else { return false }
        let now = world.clock.uptime
        let isOver = state.withLock { state in
            state.travelling == 0 && (hash != nil || state.leavings[number] + Self.longestHold + .seconds(300) < now)
        }
        return isOver && hash.flatMap(sender) != number
    }

    /// Lets years pass on the chain.
    func mine() { node.mine(2_000_000) }

    /// True if another request than the one under a name has sent the payment of its invoice.
    func isPaidByAnother(than name: OrderName) -> Bool {
        let own = request(under: name)
        // The same payment has the same name in another file of orders, and at the wallet.
        let others = state.withLock { state in
            state.requests.indices.filter { state.requests[$0].order?.name == name.name }
                .compactMap { state.invoices[$0] }
        }
        let hash = own?.hash ?? others.first
        return hash.flatMap(sender).map { $0 != own?.number } ?? false
    }

    /// The number of the request under a name, and the invoice that it pays, if it has reached the proxy.
    private func request(under name: OrderName) -> (number: Int, hash: String?)? {
        state.withLock { state in
            state.requests.firstIndex { $0.order == name }.map { ($0, state.invoices[$0]) }
        }
    }

    /// True if some payment has no preimage.
    var hasProofless: Bool {
        state.withLock { $0.known }.contains { $0.plan.hasNoPreimage }
    }

    /// Compares what a payment has cost with the limit that was stated.
    func compareFee(of settlement: Settlement, _ limit: Money?) {
        guard let hash = settlement.endpoint.paymentHash, status(hash) == .succeeded else { return }
        let least = limit.flatMap(Self.thousandths) ?? 0
        guard least < 1500 else { return }
        state.withLock { $0.breaches.append("\(settlement.key): its payment cost more than its limit of fees") }
    }

    /// True if a payment of an invoice has arrived that is meant.
    func hasArrived(_ isMeant: (Known) -> Bool) -> Bool {
        state.withLock { $0.known }.contains { isMeant($0) && status($0.hash) == .succeeded }
    }

    /// True if another program has sent the last payment of an invoice that is meant, and it has not come back.
    func isPaidByOthers(_ isMeant: (Known) -> Bool) -> Bool {
        state.withLock { $0.known }.contains { isMeant($0) && sender($0.hash) == -1 }
    }

    /// The number of payments of an attempt that did not come back.
    func payments(by attempt: PaymentAttempt) -> Int {
        sent.count { $0.attempt?.id == attempt.id }
    }

    /// The largest number of payments for one payment of an application.
    func mostPayments(where isMeant: (PaymentReference) -> Bool) -> Int {
        let references = sent.compactMap(\.attempt?.reference).filter(isMeant)
        return Dictionary(grouping: references) { $0 }.values.map(\.count).max() ?? 0
    }

    /// The requests whose payments did not come back, one for each payment.
    private var sent: [Request] {
        let (known, requests) = state.withLock { ($0.known, $0.requests) }
        return known.compactMap { invoice in
            sender(invoice.hash).flatMap { requests.indices.contains($0) ? requests[$0] : nil }
        }
    }

    private func sender(_ hash: String) -> Int? {
        guard let status = status(hash), status != .failed else { return nil }
        return state.withLock { $0.senders[hash] }
    }

    private func status(_ hash: String) -> SimulatedNode.Payment.Status? {
        node.payment(hash)?.status(at: world.clock.now)
    }

    /// An amount in thousandths of a satoshi.
    static func thousandths(_ money: Money) -> UInt64? {
        guard money.currency == .satoshi, let units = UInt64(exactly: money.minorUnits) else { return nil }
        return money.exponent == 11 ? units : money.exponent == 8 ? units * 1000 : nil
    }
}
