import PaymentCore
import PaymentTesting
import Synchronization

/// The payee's requests of one process that are on their way. One payment's are sent one after the other.
final class PayeeActs: Sendable {
    private let open = Mutex<[PaymentReference: [String]]>([:])

    /// Notes a request, and returns the name of another one about the payment that is on its way.
    func begin(_ name: String, of payment: PaymentReference) -> String? {
        open.withLock { open in
            let other = open[payment]?.first { $0 != name }
            open[payment, default: []].append(name)
            return other
        }
    }

    func end(_ name: String, of payment: PaymentReference) {
        open.withLock { open in
            if let index = open[payment]?.firstIndex(of: name) { open[payment]?.remove(at: index) }
        }
    }
}

/// The network of one process, with a witness of requests that can move money, and a check that a durable record covers
/// each of them when it leaves. The attempt may have ended: while its process was stopped, another one may have taken
/// it over and settled it.
struct WitnessedNetwork: HTTPTransport {
    let base: any HTTPTransport
    let process: SimulatedProcess
    let doer: Doer
    let markets: Markets
    let witness: Witness
    let oracle: Oracle
    let checksDurability: Bool
    /// The requests of the payee's side of the process that have no answer yet.
    let acts: PayeeActs

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard let act = markets.act(of: request) else { return try await sendToPay(request) }
        if let other = acts.begin(act.name, of: act.payment) {
            witness.breach("\(act.name) of \(act.payment.id) was requested beside \(other), by one process")
        }
        defer { acts.end(act.name, of: act.payment) }
        return try await base.send(request)
    }

    private func sendToPay(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard let payment = markets.payment(movedBy: request) else { return try await base.send(request) }
        if checksDurability {
            let isCovered = process.disk.durableHistories.contains { history in
                markets.identity(of: history.attempt.reference) == payment && history.mayHaveMovedMoney
            }
            if !isCovered { witness.breach("a request for \(payment.id) left before its step was durable") }
        }
        let number = witness.sends(for: payment, by: doer)
        await oracle.checkHandedIn(for: payment)
        do { return try await base.send(request) } catch {
            if error.phase == .notSent { witness.hasNotLeft(number) }
            throw error
        }
    }
}
