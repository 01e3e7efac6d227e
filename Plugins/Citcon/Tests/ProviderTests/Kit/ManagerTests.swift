import CitconKit
import CitconSandbox
import Foundation
import PaymentCore
import PaymentLoopback
import PaymentTesting
import PaymentTransport
import Testing

/// The vendor's singleton, as its guide uses it. One test, because there is one manager.
@Suite(.serialized) struct ManagerTests {
    @Test("The guide's example, over loopback, with both results and the notification")
    func guide() async throws {
        let sandbox = CitconSandbox(random: SeededRandomSource(seed: 8))
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let manager: CPayManager = CPayManager.sharedInstance()
        #expect(manager === CPayManager.sharedInst())
        #expect(manager.getVersion() == "2.0.6")
        #expect(manager.setMode(.UAT) && manager.setAccessToken(""))
        let empty = await manager.inquireOrder("x")
        #expect(empty.status == "fail")
        #expect(throws: CPayEndpointError.self) { try manager.setBaseURL("http://api.citconpay.com/v1/") }
        try manager.setBaseURL(server.baseURL.origin + "/v1/")
        #expect(manager.setAccessToken(await sandbox.accessToken().reveal()))
        let payer = CitconSandbox.payer(.pays, at: server.baseURL, over: PlatformTransport())
        manager.setLauncher(payer.citconLauncher)
        manager.setReturnPlaces(CPayReturnPlaces(schemes: ["com.citcon.citconpay"]))

        #expect(CPayRuntimeInst.NTFY_ASYNC() == "CPayUPI.Notification.Async")
        #expect(CPayRuntimeInst.ORDER_CONFIRMED() == "CPayUPI.Notification.OrderConfirmed")
        let (stream, lines) = AsyncStream<String>.makeStream()
        let names = [CPayRuntimeInst.NTFY_ASYNC(), CPayRuntimeInst.ORDER_CONFIRMED()]
        let observers = names.map { name in
            NotificationCenter.default.addObserver(forName: Notification.Name(name), object: nil, queue: nil) { note in
                #expect(MainQueue.isHere)
                if let check = note.object as? CPayCheck { lines.yield("\(name) \(check.data.status ?? "-")") }
                if let result = note.object as? CPayResult { lines.yield("\(name) \(result.data.status ?? "-")") }
            }
        }
        defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }

        let charge = await sandbox.createCharge(.wechatPay)
        let order = CPayRequest()
        order.transaction.reference = charge.reference
        order.transaction.amount = 1250
        order.transaction.currency = "USD"
        order.transaction.country = "US"
        order.payment = CPayPayment()
        order.payment?.method = "wechatpay"
        order.universalLink = "https://universallink.com/apps"
        order.chargeToken = charge.token
        let isTaken = manager.requestOrder(order) { resp in
            if resp?.status == "success" {
                lines.yield("result \(resp?.data.status ?? "-") \(resp?.data.id == charge.id)")
            }
        }
        #expect(isTaken)
        var heard: [String] = []
        for await line in stream {
            heard.append(line)
            if heard.count == 3 { break }
        }
        #expect(
            heard == [
                "CPayUPI.Notification.OrderConfirmed initiated", "result succeeded true",
                "CPayUPI.Notification.Async succeeded",
            ])
        let check = await manager.inquireOrder(charge.id)
        #expect(check.isPaid && check.data.reference == charge.reference)

        // The table of gateways is open.
        let table = CPayRuntimeInst.gateways
        defer { CPayRuntimeInst.gateways = table }
        #expect(table["AMS"] == ["toss"])
        CPayRuntimeInst.gateways["AMS"] = []
        let closed = await sandbox.createCharge(.toss)
        let toss = CPayRequest()
        toss.transaction.reference = closed.reference
        (toss.transaction.amount, toss.transaction.currency, toss.transaction.country) = (12000, "KRW", "KR")
        toss.payment = CPayPayment()
        toss.payment?.method = "toss"
        toss.chargeToken = closed.token
        (toss.urls.success, toss.urls.fail, toss.urls.cancel) = ("a://", "a://", "a://")
        let refused = await manager.requestOrder(toss)
        #expect(refused.data.message == "Unsupport Payment: toss" && refused.data.code == "-1")

        // URLs in their platform-neutral forms.
        let known = try #require(URL(string: "com.citcon.citconpay://safepay/?x"))
        let stranger = try #require(URL(string: "evil://safepay/?x"))
        #expect(manager.handleUrl(known) && !manager.handleUrl(stranger))
        manager.handleScene([known, stranger])
        manager.handleUniversalLink(stranger)
        manager.applicationDidBecomeActive()
        #expect(!manager.cancelPending())
        manager.setLauncher(nil)
        try manager.setBaseURL(nil)
    }
}
