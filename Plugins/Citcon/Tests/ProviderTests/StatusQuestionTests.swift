import Foundation
import PaymentCore
import Synchronization
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// An inquiry that was refused, failed or has an unreadable answer is no evidence about the payment.
@Suite struct StatusQuestionTests {
    static let codes = [
        300, 302, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 418, 422, 425, 429, 431, 451, 499, 500, 501, 502,
        503, 504, 508, 511,
    ]

    static let bodies = [
        "", "<html>", "null", #"{"status":"fail","data":{}}"#,
        #"{"status":"fail","data":{"code":"4000","message":"bad request"}}"#,
        #"{"status":"fail","data":{"code":"4103","message":"not found"}}"#,
        // An error that looks like an outcome.
        #"{"status":"fail","data":{"code":"4000","id":"2000470537596802752517","reference":"order-1","amount":1250,"currency":"USD","status":"failed"}}"#,
        #"{"status":"success","data":{"id":"2000470537596802752517","reference":"order-1","amount":1250,"currency":"USD","status":"expired"}}"#,
    ]

    @Test("Every status code through the vendor's client", arguments: codes)
    func client(_ code: Int) async throws {
        for body in Self.bodies {
            for launcher: CPayLauncher? in [
                { _ in .returned(url: "wxeb0650d489d69e14://pay/?ret=0") }, { _ in .impossible(reason: "x") },
            ] {
                let client = try CPayClient(ScriptedCitcon(inquiry: .json(code, body)), launcher: launcher)
                let result = await client.requestOrder(Shop.order())
                #expect(!result.isPaid && result.data.status == nil, "\(code) \(body): \(result)")
                let check = await client.inquireOrder("2000470537596802752517")
                #expect(check.status == "fail" && check.data.status == nil, "\(code) \(body): \(check)")
            }
        }
    }

    @Test("Abandoning while the service cannot be asked is not reported as cancelled")
    func givenUpInTheDark() async throws {
        let heard = Heard()
        let client = try CPayClient(
            ScriptedCitcon(inquiry: .fail(503, "5100", "down")), clock: VirtualClock(), launcher: { _ in .opened },
            heard: heard)
        client.requestOrder(Shop.order()) { result in
            heard.result(result)
            #expect(result?.data.message?.hasPrefix(CPayMessage.checkFailed) == true)
            #expect(result?.data.message?.contains("do not pay again") == true)
        }
        _ = await heard.first(1)
        while !client.cancelPending() { await Task.yield() }
        #expect(await heard.first(3)[1] == "result fail -1 -")
    }

    @Test("A confirmation of a card whose answer is lost, and whose inquiry fails, warns against paying again")
    func lostInTheDark() async throws {
        for confirm in [
            ScriptedCitcon.Answer.failure(.maybeSent, .timedOut), .fail(508, "4105", "gateway timeout"),
            .fail(400, "4100", "duplicate request"), .json(200, "<html>"),
        ] {
            let service = ScriptedCitcon(
                gateway: "braintree", confirm: confirm, inquiry: .fail(404, "4103", "not found"))
            let result = await (try CPayClient(service)).requestOrder(Shop.card())
            #expect(result.status == "fail" && result.data.message?.contains("do not pay again") == true, "\(result)")
        }
    }

    /// A clock that is set back during each sleep.
    private final class JumpingClock: PaymentClock {
        private let state: Mutex<(now: Date, slept: Duration)>
        private let jump: Double

        init(_ jump: Double) {
            self.jump = jump
            state = Mutex((Date(timeIntervalSince1970: 1_800_000_000), .zero))
        }

        var now: Date { state.withLock { $0.now } }
        var slept: Duration { state.withLock { $0.slept } }

        func sleep(for duration: Duration) async throws {
            try Task.checkCancellation()
            let isMad = state.withLock { state in
                state.now += Double(duration.components.seconds) + jump
                state.slept += duration
                return state.slept > .seconds(7200)
            }
            if isMad { throw CancellationError() }
            await Task.yield()
        }
    }

    @Test(
        "A clock that is set back or forward neither prolongs nor shortens the asking",
        arguments: [0, -60, -86400, 86400])
    func clock(_ jump: Double) async throws {
        let clock = JumpingClock(jump)
        let service = ScriptedCitcon(inquiry: .ok(ScriptedCitcon.transaction("pending")))
        let poll = SettlementPoll(
            provider: CitconProvider.id, clock: clock, limit: .seconds(60), timeout: .seconds(30))
        let citcon = CitconService(
            baseURL: try CPayEndpoint(.UAT).baseURL, token: Redacted("UPI_token"), http: service, timeout: .seconds(30))
        let last = try await poll.settle { () throws(CitconCallError) in try await citcon.inquire(id: "1") }
        #expect(last.state == .pending)
        #expect(clock.slept >= .seconds(60) && clock.slept <= .seconds(66), "\(clock.slept)")
    }

    @Test("A service that lets every question time out is not asked for long")
    func slow() async throws {
        let clock = VirtualClock()
        let service = ScriptedCitcon(inquiry: .failure(.maybeSent, .timedOut))
        let poll = SettlementPoll(
            provider: CitconProvider.id, clock: clock, limit: .seconds(60), timeout: .seconds(30))
        let citcon = CitconService(
            baseURL: try CPayEndpoint(.UAT).baseURL, token: Redacted("UPI_token"), http: service, timeout: .seconds(30))
        await #expect(throws: PaymentError.self) {
            try await poll.settle { () throws(CitconCallError) in try await citcon.inquire(id: "1") }
        }
        #expect(service.calls.count <= 3, "each took half a minute")
    }
}
