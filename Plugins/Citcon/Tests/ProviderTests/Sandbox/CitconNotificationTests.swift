import CitconSandbox
import PaymentCore
import PaymentCrypto
import PaymentLoopback
import PaymentTesting
import TestSupport
import Testing

/// Notifications to merchants (5).
@Suite struct CitconNotificationTests {
    private func paid(
        _ shop: RecordingTransport, _ scenario: CitconSandbox.Scenario = .card
    ) async throws -> (CitconWorld, CitconSandbox.Charge) {
        let world = CitconWorld { $0.notifications = shop }
        let charge = await world.sandbox.createCharge(scenario, ipn: "https://shop.example/ipn")
        _ = try await CitconFullPayer(world: world).pay(charge.link)
        await world.sandbox.finishDeliveries()
        return (world, charge)
    }

    /// The rule of 5.3, a second implementation that reads only the body.
    private func isSigned(_ body: [UInt8]) throws -> Bool {
        let json = try JSONValue(parsing: body)
        let names = try #require(json["fields"]?.string).split(separator: ",").map(String.init) + ["fields"]
        let pairs = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { name in
            "\(name)=\(json[name]?.string ?? json[name]?.number?.text ?? "")"
        }
        let text = pairs.joined(separator: "&") + "&secret=" + CitconSandbox.privateKey.reveal()
        return json["sign"]?.string == Hex.encode(Digest.sha256.hash(Array(text.utf8)))
    }

    @Test("Reports payments")
    func tellsOfPayments() async throws {
        let shop = RecordingTransport(statuses: [200])
        let (world, charge) = try await paid(shop)
        let request = try #require(shop.requests.first)
        #expect(shop.requests.count == 1)
        #expect(request.method == .post && request.url.text == "https://shop.example/ipn")
        #expect(request.headers["Content-Type"] == "application/json")
        let json = try JSONValue(parsing: request.body)
        #expect(
            Set(try #require(json.object).keys) == [
                "id", "transaction_type", "reference", "amount", "currency", "status", "time_completed", "time_created",
                "payment_method", "amount_captured", "amount_refunded", "fields", "sign",
            ])
        #expect(json["id"]?.string == charge.id && json["reference"]?.string == charge.reference)
        #expect(json["transaction_type"] == "charge" && json["status"] == "success" && json["amount"] == 1250)
        #expect(json["amount_captured"] == 1250 && json["amount_refunded"] == "")
        #expect(json["time_created"] == "2026-09-10T00:26:40.000Z")
        #expect(try isSigned(request.body))
        let kept = await world.sandbox.notifications
        #expect(kept.map(\.isDelivered) == [true] && kept.map(\.attempts) == [1] && kept[0].body == request.body)
    }

    @Test("Repeats the same bytes after growing pauses")
    func repeatsTheSameBytesAfterGrowingPauses() async throws {
        let shop = RecordingTransport(statuses: [500, 0, 404, 302, 204])
        let (world, _) = try await paid(shop)
        #expect(shop.requests.count == 5)
        #expect(Set(shop.requests.map(\.body)).count == 1)
        #expect(world.clock.naps == [.seconds(10), .seconds(60), .seconds(300), .seconds(1800)])
        #expect(await world.sandbox.notifications.map(\.isDelivered) == [true])
    }

    @Test("Abandons in the end")
    func givesUpInTheEnd() async throws {
        let shop = RecordingTransport(statuses: [503])
        let (world, _) = try await paid(shop)
        #expect(shop.requests.count == 6)
        let kept = await world.sandbox.notifications
        #expect(kept.map(\.isDelivered) == [false] && kept.map(\.attempts) == [6])
    }

    /// 5.4.
    @Test(
        "Uses its own terms",
        arguments: [
            (CitconSandbox.Scenario.card, ["success"]), (.authorizeOnly, ["authorized"]), (.declined, ["fail"]),
            (.cancelledInAlipay, ["cancelled"]), (.expired, ["fail"]), (.pending, []), (.malformedPayload, []),
        ])
    func speaksInItsOwnWords(_ scenario: CitconSandbox.Scenario, _ words: [String]) async throws {
        let shop = RecordingTransport(statuses: [200])
        let (world, _) = try await paid(shop, scenario)
        #expect(await world.sandbox.notifications.map(\.status) == words)
        for request in shop.requests { #expect(try isSigned(request.body)) }
    }

    @Test("Reports captures and refunds")
    func tellsOfCapturesAndRefunds() async throws {
        let shop = RecordingTransport(statuses: [200])
        let (world, charge) = try await paid(shop, .authorizeOnly)
        let capture: JSONValue = ["id": .string(charge.id), "reference": "c", "amount": 1250]
        #expect(try await world.call("captures", capture).status == 200)
        let refund: JSONValue = ["id": .string(charge.id), "reference": "r", "amount": 50]
        #expect(try await world.call("refunds", refund).status == 200)
        await world.sandbox.finishDeliveries()
        #expect(await world.sandbox.notifications.map(\.status) == ["authorized", "captured", "success"])
        let last = try JSONValue(parsing: try #require(await world.sandbox.notifications.last).body)
        #expect(last["transaction_type"] == "refund" && last["reference"] == "r" && last["amount"] == 50)
        #expect(last["amount_refunded"] == 50)
    }

    @Test("Is silent where there is no listener")
    func isSilentWhereNobodyListens() async throws {
        let shop = RecordingTransport(statuses: [200])
        let world = CitconWorld { $0.notifications = shop }
        let charge = await world.sandbox.createCharge(.card)
        _ = try await CitconFullPayer(world: world).pay(charge.link)
        await world.sandbox.finishDeliveries()
        #expect(shop.requests.isEmpty)
        #expect(await world.sandbox.notifications.isEmpty)
    }

    @Test("Reaches servers on this machine")
    func reachesServersOnThisMachine() async throws {
        let shop = FaultInjector(Receiver())
        let server = try LoopbackServer(shop)
        let world = CitconWorld { $0.notifications = SandboxTransport(shop) }
        let charge = await world.sandbox.createCharge(.card, ipn: server.baseURL.origin + "/ipn")
        _ = try await CitconFullPayer(world: world).pay(charge.link)
        await world.sandbox.finishDeliveries()
        #expect(shop.requests.map(\.path) == ["/ipn"])
    }
}

/// A merchant's server that accepts everything.
private struct Receiver: SandboxService {
    func respond(to request: HTTPRequest) async -> HTTPResponse { HTTPResponse(status: 200) }
}
