import PaymentCore
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPaySandbox

/// The bodies against the recorded ones of the real service: the same members, of the same kinds, in the same forms.
@Suite struct WalletConnectBodyTests {
    let world = PayWorld()
    let recorded: JSONValue

    init() throws { recorded = try Recorded.bodies() }

    @Test("Options as they were recorded")
    func options() async throws {
        let id = await world.sandbox.createPayment().id
        let answer = try await world.options(id)
        #expect(answer.status == 200)
        #expect(answer.headers["Content-Type"] == "application/json")
        var ours = answer.json
        var theirs = try #require(recorded["options"])
        // The merchant's picture may be null.
        ours["info"]?["merchant"]?["iconUrl"] = nil
        theirs["info"]?["merchant"]?["iconUrl"] = nil
        #expect(ours["info"]?.shape == theirs["info"]?.shape)
        #expect(Set(ours.object?.keys.map(\.self) ?? []) == ["info", "options", "collectData"])
        #expect(ours["collectData"] == JSONValue.null)
        #expect(ours["info"]?["amount"]?["value"] == "1250")
        #expect(ours["info"]?["expiresAt"]?.int64 == 1_789_000_900)
    }

    @Test("Options of each kind", arguments: [("ETH", 0), ("USDT", 1)])
    func eachOption(_ symbol: String, _ index: Int) async throws {
        let id = await world.sandbox.createPayment(cents: 10).id
        let ours = try await world.option(id, symbol)
        let theirs = try #require(recorded["options"]?["options"]?[index])
        #expect(ours.shape == theirs.shape)
        for member in ["unit", "display"] { #expect(ours["amount"]?[member] == theirs["amount"]?[member]) }
        #expect(ours["id"]?.string?.utf8.count == 36)
        #expect(ours["account"]?.string?.hasSuffix(PayWorld.address) == true)
        if symbol == "USDT" {
            #expect(ours["amount"]?["value"] == theirs["amount"]?["value"])
            try expectSameForm(ours["actions"]?[0]?["data"], theirs["actions"]?[0]?["data"])
        } else {
            #expect(ours["expiresAt"]?.int64 == 1_789_000_300)
            #expect(ours["actions"] == theirs["actions"])
        }
    }

    @Test("An option that needs an approval")
    func optionWithApproval() async throws {
        let id = await world.sandbox.createPayment(.approvalAndPermit, cents: 10).id
        let ours = try #require(try await world.options(id).json["options"]?[0])
        var theirs = try #require(recorded["optionWithApproval"])
        theirs["collectData"] = .null
        #expect(ours.shape == theirs.shape)
        let approval = ours["actions"]?[0]?["data"]
        #expect(approval?["params"]?[0]?["data"] == theirs["actions"]?[0]?["data"]?["params"]?[0]?["data"])
        #expect(approval?["params"]?[0]?["to"] == theirs["actions"]?[0]?["data"]?["params"]?[0]?["to"])
        #expect(approval?["params"]?[0]?["from"]?.string == PayWorld.address.lowercased())
        try expectSameForm(ours["actions"]?[1]?["data"], theirs["actions"]?[1]?["data"])
    }

    /// Compares typed data, except the parties, the times and the nonce.
    private func expectSameForm(_ ours: JSONValue?, _ theirs: JSONValue?) throws {
        #expect(ours?["chain_id"] == theirs?["chain_id"])
        #expect(ours?["method"] == theirs?["method"])
        #expect(ours?["params"]?[0]?.string == PayWorld.address.lowercased())
        func typed(_ call: JSONValue?) throws -> JSONValue {
            try JSONValue(parsing: Array(try #require(call?["params"]?[1]?.string).utf8))
        }
        let (mine, other) = (try typed(ours), try typed(theirs))
        for member in ["domain", "types", "primaryType"] { #expect(mine[member] == other[member]) }
        #expect(mine["message"]?["permitted"] == other["message"]?["permitted"])
        #expect(mine["message"]?.shape == other["message"]?.shape)
        // Five minutes after the payment's end.
        #expect(mine["message"]?["deadline"]?.string == "0x" + String(1_789_001_200, radix: 16))
    }

    @Test("The actions of a native coin")
    func fetchNative() async throws {
        let id = await world.sandbox.createPayment().id
        let option = try await world.option(id, "ETH")
        let answer = try await world.fetch(id, option)
        #expect(answer.json.shape == recorded["fetchNative"]?.shape)
        let transaction = answer.json["actions"]?[0]?["data"]?["params"]?[0]
        let value = try #require(transaction?["value"]?.string)
        #expect(UInt128(value.dropFirst(2), radix: 16).map(String.init) == option["amount"]?["value"]?.string)
    }

    /// The encoded call equals the fetched one.
    @Test("A build action that holds data")
    func buildActionWithData() async throws {
        let id = await world.sandbox.createPayment(.buildAction).id
        let option = try await world.option(id, "PYUSD")
        #expect(option["actions"]?.array?.count == 1)
        let data = try #require(option["actions"]?[0]?["data"]?["data"]?.string)
        let decoded = try JSONValue(parsing: try #require(Hex.decode(data)))
        #expect(data == data.lowercased() && !data.hasPrefix("0x"))
        #expect(try await world.fetch(id, option, data: data).json["actions"]?[0]?["data"] == decoded)
    }

    @Test("Statuses as they were recorded")
    func statuses() async throws {
        func recordedStatus(_ word: String) throws -> JSONValue {
            try #require(recorded["statuses"]?.array?.first { $0["status"]?.string == word })
        }
        let id = await world.sandbox.createPayment(.paidAfterPolling).id
        #expect(try await world.gateway(id, "/status").json == recordedStatus("requires_action"))
        let confirmed = try await world.confirm(id, try await world.signed(id))
        #expect(confirmed.json == (try recordedStatus("processing")))
        #expect(try await world.gateway(id, "/status").json == recordedStatus("processing"))
        let end = try await world.gateway(id, "/status").json
        #expect(end.shape == (try recordedStatus("succeeded").shape))
        #expect(end["info"]?["txId"]?.string?.utf8.count == 66)

        let failing = await world.sandbox.createPayment(.failsAfterConfirm).id
        _ = try await world.confirm(failing, try await world.signed(failing))
        _ = try await world.gateway(failing, "/status")
        #expect(try await world.gateway(failing, "/status").json == recordedStatus("failed"))
        let late = await world.sandbox.createPayment(.expired).id
        #expect(try await world.gateway(late, "/status").json == recordedStatus("expired"))
    }

    /// A finished payment is reported to every caller, with `options` and `collectData` null.
    @Test(
        "Options of finished payments",
        arguments: [
            (Scenario.expired, "expired"), (.cancelledByMerchant, "cancelled"), (.alreadyPaid, "succeeded"),
        ])
    func optionsOfFinishedPayments(_ scenario: Scenario, _ status: String) async throws {
        let id = await world.sandbox.createPayment(scenario).id
        let answer = try await world.options(id)
        #expect(answer.status == 200)
        #expect(answer.json["options"] == JSONValue.null)
        #expect(answer.json["collectData"] == JSONValue.null)
        #expect(answer.json["info"]?["status"]?.string == status)
    }

    @Test("What the payment asks for is left out on request")
    func infoIsLeftOutOnRequest() async throws {
        let id = await world.sandbox.createPayment().id
        let body: JSONValue = ["accounts": .array(PayWorld.accounts.map(JSONValue.string)), "refresh": nil]
        for (query, hasInfo) in [("", true), ("?includePaymentInfo=true", true), ("?includePaymentInfo=false", false)] {
            let answer = try await world.gateway(id, "/options" + query, body).json
            #expect(answer["info"]?.isNull == !hasInfo)
            #expect(answer["options"]?.array?.count == 4)
        }
    }

    @Test("What a payment asks for")
    func paymentInfo() async throws {
        let id = await world.sandbox.createPayment().id
        #expect(try await world.gateway(id).json == (try await world.options(id).json["info"]))
    }

    @Test("The payer calls a payment off")
    func cancel() async throws {
        let id = await world.sandbox.createPayment().id
        let answer = try await world.send(.post, "/v1/gateway/payment/\(id)/cancel")
        #expect(
            answer.json == [
                "paymentId": .string(id), "status": "cancelled", "cancelledReason": "cancelled_by_user",
                "cancelledAt": "2026-09-10T00:26:40Z",
            ])
        #expect(try await world.gateway(id, "/status").json["status"] == "cancelled")
        #expect(await world.events(id) == [.created, .cancelled])
    }
}
