import MarketModel
import PaymentCore
import PaymentTesting

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

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
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
