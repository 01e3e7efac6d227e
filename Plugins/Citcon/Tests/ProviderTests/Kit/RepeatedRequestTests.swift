import PaymentCore
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// One order that is requested more than once at the same time.
@Suite(.timeLimit(.minutes(5))) struct RepeatedRequestTests {
    /// A service whose charge is confirmed once, and paid when the payer was sent.
    private static func service() -> ScriptedCitcon {
        ScriptedCitcon { call, count in
            if call == "POST config" { return .ok(#"{"object":"config","gateway":"wechatpay","config":{}}"#) }
            guard call.hasPrefix("POST charges/") else { return .ok(ScriptedCitcon.transaction()) }
            return count > 0 ? .fail(400, "4103", "charge is used") : .ok(ScriptedCitcon.charge())
        }
    }

    /// A payer who is in the wallet until the returned gate opens.
    private static func client(_ service: ScriptedCitcon) throws -> (client: CPayClient, gate: Gate) {
        let gate = Gate()
        let client = try CPayClient(
            service,
            launcher: { _ in
                await gate.pass()
                return .returned(url: "wxeb0650d489d69e14://pay/?returnKey=a&ret=0")
            })
        return (client, gate)
    }

    @Test("A second tap joins the payment, and both get its result")
    func joins() async throws {
        let service = Self.service()
        let (client, gate) = try Self.client(service)
        async let one = client.requestOrder(Shop.order())
        async let two = client.requestOrder(Shop.order())
        while client.inProgress.requests < 2 { await Task.yield() }
        await gate.open()
        for result in [await one, await two] { #expect(result.isPaid, "\(result)") }
        #expect(service.calls.count { $0.hasPrefix("POST charges/") } == 1)
    }

    @Test("Another order of the reference, or of the charge, is refused while it is paid")
    func refuses() async throws {
        let service = Self.service()
        let (client, gate) = try Self.client(service)
        async let one = client.requestOrder(Shop.order(reference: "order-1", token: "first"))
        while client.inProgress.requests < 1 { await Task.yield() }
        let answers = Heard()
        let orders: [@Sendable () -> CPayRequest] = [
            { Shop.order(reference: "order-1", token: "second") }, { Shop.order(reference: "order-2", token: "first") },
            { Shop.order("alipay", reference: "order-1", token: "first") },
        ]
        let others = orders.map { order in
            Task {
                let result = await client.requestOrder(order())
                answers.add("answer")
                return result
            }
        }
        // One that is refused is answered at once; one that is not waits for the payer.
        while answers.all.count < others.count, client.inProgress.requests == 1 { await Task.yield() }
        await gate.open()
        for other in others {
            let result = await other.value
            #expect(result.status == "fail" && result.data.message?.contains(CPayMessage.doNotPayAgain) == true)
        }
        _ = await one
        #expect(service.calls.count { $0.hasPrefix("POST charges/") } == 1)
    }

    @Test("A callback may request its order again")
    func again() async throws {
        let service = Self.service()
        let (client, gate) = try Self.client(service)
        await gate.open()
        #expect(await client.requestOrder(Shop.order()).isPaid)
        _ = await client.requestOrder(Shop.order())
        #expect(service.calls.count { $0.hasPrefix("POST charges/") } == 2)
    }

    @Test("An order that is abandoned with an open charge says that it can still be paid")
    func stillOpen() async throws {
        let heard = Heard()
        let service = ScriptedCitcon(inquiry: .ok(ScriptedCitcon.transaction("initiated")))
        let client = try CPayClient(
            service, clock: VirtualClock(), launcher: { _ in .opened }, returnTimeout: .seconds(600), heard: heard)
        let late = await client.requestOrder(Shop.order())
        #expect(late.data.message?.hasSuffix(CPayMessage.stillOpen) == true, "\(late)")
        let away = try CPayClient(
            service,
            launcher: { _ in
                heard.add("away")
                return .opened
            })
        async let abandoned = away.requestOrder(Shop.order())
        while !heard.all.contains("away") { await Task.yield() }
        away.cancelPending()
        let result = await abandoned
        #expect(result.data.message?.hasSuffix(CPayMessage.stillOpen) == true, "\(result)")
        #expect(CPayCode.isCancellation(result.data.code, message: result.data.message))
    }
}
