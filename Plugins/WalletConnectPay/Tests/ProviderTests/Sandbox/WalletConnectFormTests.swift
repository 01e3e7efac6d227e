import Foundation
import PaymentCore
import PaymentLoopback
import TestSupport
import Testing
import WalletConnectPaySandbox

/// Data about the payer: the conditions, the form, and both ways to submit it.
@Suite struct WalletConnectFormTests {
    static let missing = "400 params_validation: IC data required but not found"

    private func asking(_ world: PayWorld, _ scenario: Scenario = .dataCollection, merchant: String = "Café") async
        -> String
    {
        await world.sandbox.createPayment(scenario, merchant: merchant).id
    }

    private func url(_ world: PayWorld, _ id: String, _ symbol: String = "PYUSD") async throws -> String {
        try #require(try await world.option(id, symbol)["collectData"]?["url"]?.string)
    }

    // MARK: Asking

    @Test("Asks in the recorded form")
    func asksInTheRecordedForm() async throws {
        let world = PayWorld()
        let id = await asking(world)
        let recorded = try #require(try Recorded.bodies()["optionWithApproval"]?["collectData"])
        let answer = try await world.options(id).json
        let one = answer["options"]?[1]?["collectData"]
        #expect(one?["fields"] == recorded["fields"])
        #expect(one?.object?.keys.sorted() == recorded.object?.keys.sorted())
        let account = PercentCoding.encode(PayWorld.accounts[0])
        #expect(one?["url"]?.string == "https://pay.walletconnect.com/collect/?pid=\(id)&accounts=\(account)")
        let all = PercentCoding.encode(PayWorld.accounts.joined(separator: ","))
        #expect(answer["collectData"]?["url"]?.string?.hasSuffix("&accounts=\(all)") == true)
        #expect(answer["collectData"]?["schema"] == one?["schema"])
    }

    @Test("The schema is the recorded one")
    func schemaIsTheRecordedOne() async throws {
        let world = PayWorld()
        var schema = try #require(try await world.options(await asking(world)).json["collectData"]?["schema"])
        for name in try #require(schema["properties"]?.object).keys {
            for text in ["title", "description"] {
                #expect(schema["properties"]?[name]?[text]?.string?.isEmpty == false)
                schema["properties"]?[name]?[text] = nil
            }
        }
        let recorded = """
            {"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,
             "required":["fullName","dob","tosConfirmed"],
             "anyOf":[{"required":["pobCountry","pobAddress"]},{"required":["porCountry","porAddress"]}],
             "properties":{
              "fullName":{"type":"string","minLength":1},
              "dob":{"type":"string","format":"date"},
              "pobCountry":{"type":"string","pattern":"^[A-Z]{2}$"},
              "pobAddress":{"type":"string","maxLength":200},
              "porCountry":{"type":"string","pattern":"^[A-Z]{2}$"},
              "porAddress":{"type":"string","maxLength":200},
              "tosConfirmed":{"type":"boolean","const":true}}}
            """
        #expect(schema == (try JSONValue(parsing: Array(recorded.utf8))))
    }

    @Test("Asks only for the options that need it")
    func asksOnlyForTheOptionsThatNeedIt() async throws {
        let world = PayWorld()
        let answer = try await world.options(await asking(world, .dataForSomeOptions)).json
        #expect(answer["options"]?.array?.map { $0["collectData"]?.isNull } == [true, false, false, true])
        let account = PercentCoding.encode(PayWorld.accounts[0])
        #expect(answer["collectData"]?["url"]?.string?.hasSuffix("&accounts=\(account)") == true)
    }

    @Test("The form is at the sandbox on loopback")
    func theFormIsAtTheSandboxOnLoopback() async throws {
        let world = try PayWorld().on(.loopback)
        let id = await asking(world)
        let base = try #require(world.server?.baseURL.origin)
        #expect(try await url(world, id).hasPrefix("\(base)/collect/?pid=\(id)&accounts="))
        #expect(try await world.open(url(world, id)).answer.status == 200)
    }

    @Test("The form is where the configuration says")
    func theFormIsWhereTheConfigurationSays() async throws {
        let base = try HTTPURL("https://forms.test:8443/")
        let world = PayWorld { $0.formBaseURL = base }
        #expect(try await url(world, await asking(world)).hasPrefix("https://forms.test:8443/collect/?pid="))
    }

    // MARK: Handing in

    @Test("The form opens the way", arguments: Wire.allCases)
    func theFormOpensTheWay(_ wire: Wire) async throws {
        let world = try PayWorld().on(wire)
        let id = await asking(world)
        let option = try await world.option(id, "PYUSD")
        #expect(try await world.fetch(id, option).summary == Self.missing)
        let refused = try await world.confirm(id, PayWorld.confirmation(option, ["0x"]))
        #expect(refused.summary == Self.missing)

        let form = try await world.open(try await url(world, id))
        #expect(form.message == nil)
        let done = try await world.submit(form, goodDetails)
        #expect(done.answer.status == 200)
        #expect(done.message == ["type": "IC_COMPLETE", "success": true])

        let results = try await world.calls(id, option).map { try PayWorld.answer($0) }
        #expect(try await world.confirm(id, PayWorld.confirmation(option, results)).json["status"] == "succeeded")
    }

    @Test("Data are asked for once per account")
    func dataIsAskedForOncePerAccount() async throws {
        let world = PayWorld()
        let id = await asking(world)
        let form = try await world.open(try await url(world, id))
        _ = try await world.submit(form, goodDetails)
        let answer = try await world.options(id).json
        #expect(answer["options"]?.array?.map { $0["collectData"]?.isNull } == [false, true, true, false])
        #expect(answer["collectData"]?["url"]?.string?.contains("%3A1%3A") == false)
        // Opened or sent again, the form reports that it is done.
        let again = try await world.open(
            "https://pay.walletconnect.com/collect/?pid=\(id)&accounts=\(PayWorld.accounts[0])")
        #expect(again.message?["type"] == "IC_COMPLETE")
        #expect(try await world.submit(form, goodDetails).message?["type"] == "IC_COMPLETE")
    }

    @Test("Confirming takes the data, too")
    func confirmTakesTheDataToo() async throws {
        let world = PayWorld()
        let id = await asking(world)
        let option = try await world.option(id, "USDC")
        let results = try (option["actions"]?.array ?? []).map { try PayWorld.answer($0["data"] ?? nil) }
        func fields(_ values: [String: String]) -> JSONValue {
            let list = values.sorted { $0.key < $1.key }
            return ["fields": .array(list.map { ["id": .string($0.key), "value": .string($0.value)] })]
        }
        let validation = "400 params_validation: Validation error: collectedData: "
        let twice: JSONValue = ["fields": [["id": "dob", "value": "1"], ["id": "dob", "value": "1"]]]
        for (data, summary) in [
            (nil, Self.missing), (.null, Self.missing),
            ("x", validation + "fields must be an array"),
            (.object(goodDetails.mapValues(JSONValue.string)), validation + "fields must be an array"),
            (twice, validation + "every field needs one id and one text as value"),
            (["fields": [["id": "dob", "value": 1]]], validation + "every field needs one id and one text as value"),
            (
                fields(goodDetails.merging(["dob": "1990-02-30"]) { $1 }),
                validation + "dob must be a date (YYYY-MM-DD)"
            ),
            (fields(goodDetails), "200"),
        ] as [(JSONValue?, String)] {
            let answer = try await world.confirm(id, PayWorld.confirmation(option, results, data: data))
            #expect(answer.summary == summary)
        }
        #expect(await world.captures(id) == 1)
    }

    // MARK: Refusing

    @Test("Forms that were not requested")
    func formsForNothing() async throws {
        let world = PayWorld()
        let id = await asking(world)
        _ = try await world.options(id)
        let plain = await world.sandbox.createPayment().id
        _ = try await world.options(plain)
        let cancelled = await world.sandbox.createPayment(.cancelledByMerchant).id
        let expired = await world.sandbox.createPayment(.expired).id
        let account = PayWorld.accounts[0]
        for (pid, accounts, status) in [
            ("pay_1", account, 404), ("", account, 404), (id, "", 400), (id, "eip155:1:0x1", 400),
            (id, account + ",eip155:1:0x1", 400), (plain, account, 400), (cancelled, account, 400),
            (expired, account, 410),
        ] {
            let query = "pid=\(pid)&accounts=\(PercentCoding.encode(accounts))"
            for page in [
                try await world.open("https://pay.walletconnect.com/collect/?" + query),
                try await world.post(goodDetails.merging(["pid": pid, "accounts": accounts]) { $1 }),
            ] {
                #expect(page.answer.status == status)
                #expect(page.message?["type"] == "IC_ERROR")
                #expect(page.message?["error"]?.string?.isEmpty == false)
                #expect(!page.html.contains("<form"))
            }
        }
        #expect(try await world.fetch(id, try await world.option(id, "PYUSD")).summary == Self.missing)
    }

    @Test("Posts that are no forms")
    func postsThatAreNoForms() async throws {
        let world = PayWorld()
        let id = await asking(world)
        let form = try await world.open(try await url(world, id))
        #expect(try await world.post(raw: "{}", type: "application/json").answer.status == 400)
        #expect(try await world.post(raw: "", type: "application/x-www-form-urlencoded").answer.status == 404)
        let good = form.inputs.merging(goodDetails) { $1 }.filter { !$0.value.isEmpty }
            .map { PercentCoding.encode($0.key) + "=" + PercentCoding.encode($0.value) }.joined(separator: "&")
        for broken in [good + "&dob=1991-01-01", good + "&porAddress=%FF", good + "&porAddress=%"] {
            let page = try await world.post(raw: broken)
            #expect(page.answer.status == 422)
            #expect(page.message == nil)
        }
        #expect(try await world.post(raw: good).answer.status == 200)
        for (method, path) in [(HTTPRequest.Method.get, "/collect/submit"), (.post, "/collect/"), (.get, "/collect/x")]
        {
            #expect(try await world.send(method, path).status == 404)
        }
    }
}
