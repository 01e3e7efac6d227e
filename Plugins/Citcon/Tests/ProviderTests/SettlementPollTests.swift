import PaymentCore
import Synchronization
import TestSupport
import Testing

@testable import CitconProvider

/// Polling until a charge is decided.
@Suite("Citcon: polling")
struct SettlementPollTests {
    /// Polls a service that gives these answers, then one that ends the poll.
    private static func poll(
        _ errors: [CitconCallError] = [], pending: Int = 0, limit: Duration = .seconds(20), clock: VirtualClock
    ) async throws -> (transaction: TransactionFields, asked: Int, waits: Int) {
        let service = ScriptedCitcon { _, count in
            .ok(ScriptedCitcon.transaction(count < pending ? "pending" : "succeeded"))
        }
        let citcon = CitconService(
            baseURL: try HTTPURL("https://citcon.example"), token: Redacted("UPI_token"), http: service,
            timeout: .seconds(30))
        let asked = Mutex(0)
        let waits = Mutex(0)
        let poll = SettlementPoll(
            provider: CitconProvider.id, clock: clock, limit: limit, timeout: .seconds(30)
        ) { waits.withLock { $0 += 1 } }
        let transaction = try await poll.settle { () throws(CitconCallError) in
            let index = asked.withLock { asked in
                defer { asked += 1 }
                return asked
            }
            if index < errors.count { throw errors[index] }
            return try await citcon.inquire(id: "2000470537596802752517")
        }
        return (transaction, asked.withLock(\.self), waits.withLock(\.self))
    }

    private static func refused(_ status: Int, _ headers: HTTPHeaders = [:]) -> CitconCallError {
        .refused(CitconErrorResponse(HTTPResponse(status: status, headers: headers), nil))
    }

    private static func failed(_ reason: TransportError.Reason) -> CitconCallError {
        .transport(TransportError(.maybeSent, reason, origin: "https://citcon.example"))
    }

    @Test(
        "After a failure that may pass the service is asked again",
        arguments: [
            refused(429), refused(500), refused(503), refused(599), failed(.connectionLost("reset")),
            failed(.hostNotFound),
        ])
    func passing(error: CitconCallError) async throws {
        let clock = VirtualClock()
        let (transaction, asked, waits) = try await Self.poll([error], clock: clock)
        #expect(transaction.state == .succeeded && asked == 2 && waits == 1)
        #expect(clock.naps == [.seconds(1)])
    }

    @Test(
        "After one that stays it is not, and the charge is left open",
        arguments: [
            refused(400), refused(404), refused(428), refused(430), refused(499), refused(600), failed(.cancelled),
            .unusableAnswer("no JSON"), .invalidRequest("no id"),
        ])
    func staying(error: CitconCallError) async throws {
        let clock = VirtualClock()
        let thrown = await #expect(throws: PaymentError.self) { try await Self.poll([error], clock: clock) }
        #expect(thrown?.phase == .maybeSent && clock.naps.isEmpty)
    }

    @Test("The pauses grow from one second to five and end at the limit, and waiting is said once")
    func pauses() async throws {
        let clock = VirtualClock()
        let (transaction, asked, waits) = try await Self.poll(pending: 6, clock: clock)
        #expect(transaction.state == .succeeded && asked == 7 && waits == 1)
        #expect(clock.naps == [1, 2, 4, 5, 5, 3].map { .seconds($0) })
    }

    @Test("A charge that is decided at once is not waited for")
    func decided() async throws {
        let clock = VirtualClock()
        let (_, asked, waits) = try await Self.poll(clock: clock)
        #expect(asked == 1 && waits == 0 && clock.naps.isEmpty)
    }

    @Test("The service's own wait is kept, and one that is too long leaves one more question, at the limit")
    func wishes() async throws {
        for (wish, pause) in [(7, 7), (31, 60)] as [(Int, Int)] {
            let clock = VirtualClock()
            let error = Self.refused(503, ["Retry-After": "\(wish)"])
            let (_, asked, _) = try await Self.poll([error], limit: .seconds(60), clock: clock)
            #expect(asked == 2 && clock.naps == [.seconds(pause)])
        }
    }

    @Test("The time of a question without an answer counts")
    func timeouts() async throws {
        let clock = VirtualClock()
        let (_, asked, _) = try await Self.poll([Self.failed(.timedOut)], limit: .milliseconds(30_500), clock: clock)
        #expect(asked == 2 && clock.naps == [.milliseconds(500)])
        await #expect(throws: PaymentError.self) {
            try await Self.poll([Self.failed(.timedOut)], limit: .seconds(30), clock: clock)
        }
    }
}
