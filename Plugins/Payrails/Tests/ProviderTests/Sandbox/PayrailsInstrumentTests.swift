import PaymentCore
import PayrailsSandbox
import TestSupport
import Testing

/// The stored instruments of a holder.
@Suite struct PayrailsInstrumentTests {
    private func url(_ client: PayrailsClient, _ link: String, _ id: String) throws -> String {
        try #require(client.payload["links"]?[link]?["href"]?.string).replacing(":instrumentId", with: id)
    }

    @Test("Deleted instruments are gone from the next session")
    func deletedOnesAreGoneFromTheNextSession() async throws {
        let world = PayrailsWorld()
        let client = try await world.open(holder: "ada")
        let id = try #require(try client.instrument()["id"]?.string)
        #expect(try await client.send(.delete, try url(client, "instrumentDelete", id)).status == 200)
        let next = try await world.open(holder: "ada")
        #expect(next.option("card")?["paymentInstruments"]?.array?.contains { $0["id"]?.string == id } == false)
        #expect(next.option("card")?["paymentInstruments"]?.array?.count == 1)
        #expect(await world.sandbox.storedInstruments(of: "ada").map(\.method) == ["card", "payPal"])
    }

    @Test("Updating an instrument")
    func updates() async throws {
        let world = PayrailsWorld()
        let client = try await world.open(holder: "ada")
        let id = try #require(client.option("card")?["paymentInstruments"]?[1]?["id"]?.string)
        let address = try url(client, "instrumentUpdate", id)
        let answer = try await client.send(.patch, address, ["status": "disabled", "default": true])
        #expect(answer.status == 200 && answer.json["status"] == "disabled")
        #expect(answer.json["data"]?["suffix"] == "4444" && answer.json["data"]?["network"] == "mastercard")
        for key in ["id", "createdAt", "holderId", "paymentMethod"] { #expect(answer.json[key]?.string != nil) }
        let next = try await world.open(holder: "ada").option("card")?["paymentInstruments"]?.array
        #expect(next?.map { $0["default"] } == [false, true])
        #expect(next?.map { $0["status"] } == ["enabled", "disabled"])
        #expect(try await client.send(.patch, address, ["status": "enabled"]).json["status"] == "enabled")
        for bad in ["deleted", "created", 1] as [JSONValue] {
            #expect(try await client.send(.patch, address, ["status": bad]).failure == "422 request.param.invalid")
        }
    }

    @Test("Strangers cannot touch them")
    func strangersCannotTouchThem() async throws {
        let (world, client) = try await PayrailsWorld.opened()
        let other = try await world.open()
        let id = try #require(try client.instrument()["id"]?.string)
        let address = try url(client, "instrumentDelete", id)
        #expect(try await other.send(.delete, address).failure == "404 request.not-found")
        #expect(try await world.send(.delete, address).failure == "401 request.unauthorized")
        #expect(await world.sandbox.storedInstruments(of: client.session.holder).count == 3)
    }

    @Test("Merchants list and delete")
    func merchantsListAndDelete() async throws {
        let world = PayrailsWorld()
        let client = try await world.open(holder: "ada lovelace")
        let list = try await world.merchant(
            .get, "/payment/instruments?filter%5BholderReference%5D=ada%20lovelace")
        let id = try #require(list.json["results"]?[0]?["id"]?.string)
        #expect(list.json["results"]?.array?.count == 3)
        #expect(try await world.merchant(.get, "/payment/instruments/\(id)").json["id"]?.string == id)
        #expect(try await world.merchant(.delete, "/payment/instruments/\(id)").json == ["success": true])
        #expect(try await world.merchant(.delete, "/payment/instruments/\(id)").failure == "404 request.not-found")
        #expect(try await world.merchant(.get, "/payment/instruments").failure == "400 request.param.missing")
        let own = try await client.send(.get, world.origin + "/public/payment/instruments")
        #expect(own.json["results"]?.array?.count == 2)
    }

    @Test("Stored PayPal appears in the next session")
    func storedPayPalAppearsInTheNextSession() async throws {
        let world = PayrailsWorld()
        let client = try await world.open(holder: "ada")
        let body = client.body(["paymentMethodCode": "payPal", "storeInstrument": true])
        #expect(try await client.pay(body, world.payer(.completes)) == .paid)
        let next = try await world.open(holder: "ada").option("payPal")?["paymentInstruments"]?.array
        #expect(next?.compactMap { $0["data"]?["email"]?.string } == ["ada@example.com", "payer@example.com"])
    }
}
