package import PaymentCore
import PaymentCrypto
package import PaymentStandards
package import PaymentTesting
import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A simulated Lightning node with the HTTP interface of one of four kinds of wallets. It counts what it sends.
package final class SimulatedNode: SandboxService {
    /// The software whose interface it has.
    package enum Face: String, Sendable, CaseIterable {
        case lnbits, lnd, coreLightning, phoenixd
    }

    /// The key that may pay.
    package static let key = "0123456789abcdef0123456789abcdef"
    /// The node's id.
    static let id = "02" + String(repeating: "5e", count: 32)

    /// A payment as the node has it.
    package struct Payment {
        package enum Status { case inFlight, succeeded, failed }

        let invoice: SimulatedInvoice
        /// The amount in thousandths of a satoshi.
        let amount: UInt64
        let scenario: NodeScenario
        package let sentAt: Date

        package func status(at now: Date) -> Status {
            guard now.timeIntervalSince(sentAt) >= scenario.seconds else { return .inFlight }
            return switch scenario.end {
            case .arrives: .succeeded
            case .fails: .failed
            case .staysInFlight: .inFlight
            }
        }

        /// The time of its sending, in seconds of Unix time.
        var sentSecond: UInt64 { UInt64(sentAt.timeIntervalSince1970) }

        var preimage: String {
            switch scenario.preimage {
            case .fits: Hex.encode(invoice.preimage)
            case .wrong: String(repeating: "ff", count: 32)
            case .none: String(repeating: "00", count: 32)
            }
        }
    }

    /// The result of a request to pay.
    enum Sending {
        /// A new payment, which may be over already.
        case sent(Payment)
        /// There is a payment that excludes another.
        case known(Payment)
        case tooLittleBalance
        case unknownInvoice
    }

    private struct State {
        var scenario = NodeScenario.pays
        var balance: UInt64 = 1_000_000_000
        var invoices: [String: SimulatedInvoice] = [:]
        var offers: [String: SimulatedOffer] = [:]
        var payments: [String: Payment] = [:]
        var sent = 0
        /// The blocks beyond one for each ten minutes.
        var blocks: UInt64 = 0
    }

    /// Its wallet on the chain.
    package let chain = SimulatedChain()
    private let face: Face
    private let network: Bolt11.Network
    private let clock: any PaymentClock
    private let begun: Date
    private let state = Mutex(State())

    /// - Parameter isOnMainnet: true if its payees' invoices are of the main network, and not of regtest, whose coins
    ///   are worth nothing. They are simulated as well: no other node pays them.
    package init(
        _ face: Face, isOnMainnet: Bool = false, clock: any PaymentClock = SystemPaymentClock()
    ) {
        self.face = face
        network = isOnMainnet ? .mainnet : .regtest
        self.clock = clock
        begun = clock.now
    }

    var now: Date { clock.now }

    /// The height of the chain: it grows by one block in ten minutes.
    package var height: UInt64 {
        110 + state.withLock(\.blocks) + UInt64(max(0, clock.now.timeIntervalSince(begun)) / 600)
    }

    /// Lets the chain grow.
    package func mine(_ blocks: UInt64) { state.withLock { $0.blocks += blocks } }

    // MARK: Its surroundings

    /// The behaviour with payments from now on.
    package var scenario: NodeScenario {
        get { state.withLock { $0.scenario } }
        set { state.withLock { $0.scenario = newValue } }
    }

    /// The money that the node can spend, in thousandths of a satoshi.
    package var balance: UInt64 {
        get { state.withLock { $0.balance } }
        set { state.withLock { $0.balance = newValue } }
    }

    /// The number of payments that the node has sent and that did not come back.
    package var sentCount: Int {
        state.withLock { state in
            let now = clock.now
            return state.sent - state.payments.values.count { $0.status(at: now) == .failed }
        }
    }

    /// The number of times that the node has sent anything.
    package var attemptCount: Int { state.withLock { $0.sent } }

    /// Makes an invoice of a payee that the node can reach.
    ///
    /// - Parameters:
    ///   - amount: in thousandths of a satoshi; nil if the payer chooses.
    ///   - number: makes the preimage; nil for a new one.
    package func invoice(
        _ amount: UInt64?, number: Int? = nil, purpose: Bolt11Draft.Purpose = .words("a simulated invoice"),
        lifetime: UInt64 = 3600
    ) throws -> SimulatedInvoice {
        let now = clock.now
        return try state.withLock { state in
            let invoice = try SimulatedInvoice(
                amount, number: number ?? state.invoices.count, purpose: purpose,
                at: UInt64(now.timeIntervalSince1970), lifetime: lifetime, on: network)
            state.invoices[invoice.text] = invoice
            if state.scenario.isPaidBefore {
                state.sent += 1
                state.payments[invoice.hash] = Payment(
                    invoice: invoice, amount: amount ?? 0, scenario: state.scenario, sentAt: now)
            }
            return invoice
        }
    }

    /// Makes an offer of a payee that the node can reach.
    ///
    /// - Parameter amount: in thousandths of a satoshi; nil if the payer chooses.
    package func offer(_ amount: UInt64?) throws -> SimulatedOffer {
        let offer = try SimulatedOffer(amount, on: network)
        state.withLock { $0.offers[offer.text] = offer }
        return offer
    }

    // MARK: For its faces

    /// Has an offer's node make an invoice; nil for an offer that is not known.
    func invoice(of offer: String, over amount: UInt64) throws -> SimulatedInvoice? {
        let now = clock.now
        return try state.withLock { state in
            guard let offer = state.offers[offer] else { return nil }
            let invoice = try SimulatedInvoice(
                for: offer, over: amount, number: state.invoices.count, at: UInt64(now.timeIntervalSince1970))
            state.invoices[invoice.text] = invoice
            return invoice
        }
    }

    /// Pays an invoice as all nodes do: not while a payment of its hash is in flight or has arrived.
    ///
    /// - Parameter isOnce: true if a failed payment excludes another as well.
    func pay(_ text: String, _ amount: UInt64?, isOnce: Bool = false) -> Sending {
        let now = clock.now
        return state.withLock { state in
            guard let invoice = state.invoices[text.lowercased()], let amount = invoice.amount ?? amount else {
                return .unknownInvoice
            }
            if let known = state.payments[invoice.hash], isOnce || known.status(at: now) != .failed {
                return .known(known)
            }
            guard amount <= state.balance else { return .tooLittleBalance }
            // A failed payment has come back: it no longer counts as sent.
            if state.payments[invoice.hash] != nil { state.sent -= 1 }
            state.sent += 1
            let payment = Payment(invoice: invoice, amount: amount, scenario: state.scenario, sentAt: now)
            state.payments[invoice.hash] = payment
            return .sent(payment)
        }
    }

    package func payment(_ hash: String) -> Payment? { state.withLock { $0.payments[hash] } }

    /// True if an invoice that the node can read has expired.
    func isExpired(_ text: String) -> Bool {
        guard let draft = invoice(text)?.draft else { return false }
        return clock.now.timeIntervalSince1970 > Double(draft.timestamp) + Double(draft.lifetime)
    }

    func invoice(_ text: String) -> SimulatedInvoice? { state.withLock { $0.invoices[text.lowercased()] } }

    // MARK: Answering

    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        switch await answer(to: request) {
        case .response(let response): response
        default: HTTPResponse(status: 500)
        }
    }

    package func answer(to request: HTTPRequest) async -> SandboxAnswer {
        let path = request.url.path.split(separator: "/").map(String.init)
        return switch face {
        case .lnbits: LNbitsFace(node: self).answer(path, request)
        case .lnd: LNDFace(node: self).answer(path, request)
        case .coreLightning: CoreLightningFace(node: self).answer(path, request)
        case .phoenixd: PhoenixdFace(node: self).answer(path, request)
        }
    }
}

/// A simulated node's behaviour with the payments that it is asked for.
package struct NodeScenario: Sendable, CaseIterable, CustomStringConvertible {
    /// The end of a payment.
    enum End: Sendable { case arrives, fails, staysInFlight }

    /// A payment's preimage as the node states it.
    enum Preimage: Sendable { case fits, wrong, none }

    /// The name.
    package let description: String
    let end: End
    /// The time that a payment is in flight, in seconds.
    let seconds: Double
    /// The preimage that the node states.
    let preimage: Preimage
    /// True if a server before the node calls a payment failed while it is in flight.
    let isCalledFailed: Bool
    /// True if another program has paid every invoice before.
    let isPaidBefore: Bool

    private init(
        _ name: String, _ end: End, after seconds: Double = 0, _ preimage: Preimage = .fits, paidBefore: Bool = false,
        calledFailed: Bool = false
    ) {
        (description, self.end, self.seconds) = (name, end, seconds)
        (self.preimage, isPaidBefore, isCalledFailed) = (preimage, paidBefore, calledFailed)
    }

    /// Payments arrive at once.
    package static let pays = NodeScenario("pays", .arrives)
    /// There is no route.
    package static let refuses = NodeScenario("refuses", .fails)
    /// The payee holds the money for a day, and takes it.
    package static let paysAfterADay = NodeScenario("pays-after-a-day", .arrives, after: 86_400)
    /// The payee holds the money for a day, and sends it back.
    package static let failsAfterADay = NodeScenario("fails-after-a-day", .fails, after: 86_400)
    /// A part of the payment never comes back.
    package static let staysInFlight = NodeScenario("stays-in-flight", .staysInFlight)
    /// The node says that it paid, and states a preimage of another invoice.
    package static let wrongPreimage = NodeScenario("wrong-preimage", .arrives, .wrong)
    /// The node says that it paid, and has no preimage.
    package static let noPreimage = NodeScenario("no-preimage", .arrives, .none)
    /// A server calls the payment failed for nine seconds; then it is paid.
    package static let failsThenPays = calledFailed(for: 9)
    /// Another program has paid the invoice from the same wallet.
    package static let paidBefore = NodeScenario("paid-before", .arrives, paidBefore: true)

    /// Returns payments that are in flight for a time.
    ///
    /// - Parameter arrives: true if they arrive then, and do not come back.
    package static func inFlight(for seconds: Double, arrives: Bool) -> NodeScenario {
        NodeScenario("in-flight-for-\(seconds)-s", arrives ? .arrives : .fails, after: seconds)
    }

    /// Returns payments that arrive after a time. Until then a server before the node calls them failed.
    package static func calledFailed(for seconds: Double) -> NodeScenario {
        NodeScenario("called-failed-for-\(seconds)-s", .arrives, after: seconds, calledFailed: true)
    }

    /// All scenarios.
    package static let allCases = [
        pays, refuses, paysAfterADay, failsAfterADay, staysInFlight, wrongPreimage, noPreimage, paidBefore,
        failsThenPays,
    ]
}
