import CitconSandbox
import PaymentCore
import TestSupport
import Testing

/// Every scenario, with a payer that wants to pay.
@Suite struct CitconScenarioTests {
    @Test("Ends as announced", arguments: Wire.allCases, CitconSandbox.Scenario.allCases)
    func endsAsAnnounced(_ wire: Wire, _ scenario: CitconSandbox.Scenario) async throws {
        let world = try CitconWorld().on(wire)
        let charge = await world.sandbox.createCharge(scenario)
        #expect(try await CitconFullPayer(world: world).pay(charge.link) == scenario.expectedOutcome)
        let isTaken = scenario.expectedOutcome == .paid && scenario != .authorizeOnly || scenario == .statusRefused
        #expect(await world.captures(charge.id) == (isTaken ? 1 : 0))
    }

    @Test("Names are distinct and short")
    func wordsAreDistinctAndShort() async {
        let all = CitconSandbox.Scenario.allCases
        #expect(Set(all.map(\.summary)).count == all.count)
        #expect(Set(all.map(\.rawValue)).count == all.count && Set(all).count == all.count)
        #expect(all.allSatisfy { CitconSandbox.Scenario(rawValue: $0.rawValue) == $0 && "\($0)" == $0.rawValue })
        #expect(CitconSandbox.Scenario(rawValue: "no such scenario") == nil)
        #expect(all.allSatisfy { !$0.summary.isEmpty && $0.summary.count <= 60 })
        #expect(all.allSatisfy { $0.rawValue.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil })
        #expect(Set(all.map(\.expectedOutcome)).count == CitconSandbox.Scenario.Outcome.allCases.count)
        #expect(CitconSandbox.Scenario.statusRefused.summary == "paid, and inquiries are refused for 10 minutes")
        let charges = await CitconWorld().sandbox.createAllScenarios()
        #expect(charges.map(\.scenario) == all)
        #expect(charges.map(\.title) == all.map(\.summary))
        #expect(Set(charges.map(\.reference)).count == all.count)
    }

    @Test("Links hold what apps need")
    func linksHoldWhatAppsNeed() async throws {
        let (_, charge) = await CitconWorld.charged(.toss)
        let link = try PaymentLink(charge.link)
        #expect(link.scheme == "citcon" && link.path == "charge")
        let items = link.queryItems.map { [String($0.name), String($0.value)] }
        #expect(
            items == [
                ["token", charge.token], ["method", "toss"], ["reference", charge.reference], ["amount", "12000"],
                ["currency", "KRW"], ["country", "KR"], ["env", "UAT"],
            ])
    }

    @Test(
        "Payers do as they like",
        arguments: [
            (CitconSandbox.Behaviour.cancels, CitconSandbox.Scenario.Outcome.cancelled), (.fails, .declined),
            (.vanishes, .pending), (.paysAndStays, .paid),
        ])
    func payersDoAsTheyLike(
        _ behaviour: CitconSandbox.Behaviour, _ outcome: CitconSandbox.Scenario.Outcome
    ) async throws {
        for scenario in [CitconSandbox.Scenario.wechatPay, .alipay, .unionPay, .toss, .payNow] {
            let (world, charge) = await CitconWorld.charged(scenario)
            #expect(try await CitconFullPayer(world: world, behaviour: behaviour).pay(charge.link) == outcome)
        }
    }

    // MARK: The ways back

    private func back(
        _ scenario: CitconSandbox.Scenario, _ returns: [String], _ behaviour: CitconSandbox.Behaviour = .pays
    ) async throws -> String? {
        let (world, charge) = await CitconWorld.charged(scenario)
        let body: JSONValue = ["payment": ["method": .string(scenario.method), "client": ["mobile_native"]]]
        let answer = try await world.call("charges/\(charge.token)", body)
        let content = try #require(answer.content)
        let launcher = try #require(world.payer(behaviour).appLauncher)
        let fields = try JSONValue(parsing: Array(content.utf8)).object?.compactMapValues(\.string) ?? [:]
        let request = AppRequest(name: "a wallet", url: nil, payload: Redacted(fields), returnURLs: returns)
        return try await launcher(request)?.text
    }

    /// Protocol 4.3.
    @Test("Wallets return in their own ways")
    func walletsReturnInTheirOwnWays() async throws {
        let weixin = "wxeb0650d489d69e14://pay/"
        let paid = try #require(try await back(.wechatPay, [weixin]))
        #expect(paid.wholeMatch(of: /wxeb0650d489d69e14:\/\/pay\/\?returnKey=[0-9a-f]{16}&ret=0/) != nil)
        #expect(try await back(.cancelledInWeChat, [weixin]) == weixin + "?returnKey=(null)&ret=-2")
        #expect(try await back(.wechatPay, [], .fails)?.hasSuffix("&ret=-1") == true)
        #expect(try await back(.interrupted, [weixin]) == nil)
        #expect(try await back(.unionPay, ["a.b://uppayresult"], .cancels) == "a.b://uppayresult?code=cancel")
        #expect(try await back(.unionPay, ["a.b://uppayresult"], .fails) == "a.b://uppayresult?code=fail")
        let union = try #require(try await back(.unionPay, ["https://a.example/", "a.b://"]))
        #expect(union.hasPrefix("a.b://uppayresult?code=success&data=%7B%22sign%22%3A"))
        #expect(try await back(.unionPay, ["https://a.example/"]) == nil)
    }

    @Test(
        "Alipay returns JSON",
        arguments: [
            (CitconSandbox.Scenario.alipay, CitconSandbox.Behaviour.pays, "9000"), (.cancelledInAlipay, .pays, "6001"),
            (.alipay, .fails, "4000"), (.pending, .pays, "8000"),
        ])
    func alipayReturnsJSON(
        _ scenario: CitconSandbox.Scenario, _ behaviour: CitconSandbox.Behaviour, _ status: String
    ) async throws {
        let url = try #require(try await back(scenario, ["com.citcon.citconpay://safepay/"], behaviour))
        let query = try #require(url.wholeMatch(of: /com\.citcon\.citconpay:\/\/safepay\/\?(.*)/)).output.1
        let json = try JSONValue(parsing: Array(try #require(PercentCoding.decode(query)).utf8))
        #expect(json["requestType"] == "safepay")
        #expect(json["memo"]?["ResultStatus"]?.string == status)
        #expect(json["memo"]?["result"]?.string?.contains("success=\"true\"") == (status == "9000"))
    }

    @Test("Wallets refuse what was changed")
    func walletsRefuseWhatWasChanged() async throws {
        let (world, charge) = await CitconWorld.charged(.wechatPay)
        let body: JSONValue = ["payment": ["method": "wechatpay", "client": ["mobile_native"]]]
        let content = try #require(try await world.call("charges/\(charge.token)", body).content)
        let fields = try #require(try JSONValue(parsing: Array(content.utf8)).object).compactMapValues(\.string)
        #expect(
            Set(fields.keys) == ["appid", "partnerid", "prepayid", "noncestr", "timestamp", "package", "sign"])
        let launcher = try #require(world.payer().appLauncher)
        for key in fields.keys {
            var changed = fields
            changed[key] = "changed"
            let request = AppRequest(name: "WeChat", url: nil, payload: Redacted(changed))
            await #expect(throws: PaymentError.self) { _ = try await launcher(request) }
        }
        #expect(try await world.state(charge.id) == "initiated")
        // As a URL, the way the wallet's own library opens it (Protocol 4.1).
        let url =
            "weixin://app/\(fields["appid"]!)/pay/?nonceStr=\(fields["noncestr"]!)&package=Sign%3DWXPay"
            + "&partnerId=\(fields["partnerid"]!)&prepayId=\(fields["prepayid"]!)&timeStamp=\(fields["timestamp"]!)"
            + "&sign=\(fields["sign"]!)&signType=SHA1"
        _ = try await launcher(AppRequest(name: "WeChat", url: Redacted(url)))
        #expect(try await world.state(charge.id) == "succeeded")
    }

    @Test("Alipay and UnionPay refuse what was changed")
    func alipayAndUnionPayRefuseWhatWasChanged() async throws {
        for scenario in [CitconSandbox.Scenario.alipay, .unionPay] {
            let (world, charge) = await CitconWorld.charged(scenario)
            let body: JSONValue = ["payment": ["method": .string(scenario.method), "client": ["mobile_native"]]]
            let content = try #require(try await world.call("charges/\(charge.token)", body).content)
            let fields = try #require(try JSONValue(parsing: Array(content.utf8)).object).compactMapValues(\.string)
            let launcher = try #require(world.payer().appLauncher)
            for key in fields.keys {
                let changed = fields.merging([key: "changed"]) { $1 }
                let request = AppRequest(name: "a wallet", url: nil, payload: Redacted(changed))
                await #expect(throws: PaymentError.self) { _ = try await launcher(request) }
            }
            #expect(try await world.state(charge.id) == "initiated")
            _ = try await launcher(AppRequest(name: "a wallet", url: nil, payload: Redacted(fields)))
            #expect(try await world.state(charge.id) == "succeeded")
        }
    }

    /// Consent is valid for one charge, and cannot be forged.
    @Test(
        "Consent is used up",
        arguments: [
            ("cashapppay", "client_id", "grant_id", #"{"gateway":{"grant":{"grant_id":"?"}}}"#),
            ("klarna", "", "authorization_token", #"{"gateway":{"authorization_token":"?"}}"#),
        ])
    func consentIsUsedUp(_ method: String, _ key: String, _ item: String, _ ext: String) async throws {
        let world = CitconWorld()
        let scenario = method == "klarna" ? CitconSandbox.Scenario.klarna : .cashApp
        var charges: [CitconSandbox.Charge] = []
        for _ in 0..<2 { charges.append(await world.sandbox.createCharge(scenario)) }
        func confirm(_ charge: CitconSandbox.Charge, _ consent: String?) async throws -> PayAnswer {
            var body: JSONValue = ["payment": ["method": .string(method), "client": ["mobile_native"]]]
            if let consent {
                body["ext"] = try JSONValue(parsing: Array(ext.replacing("?", with: consent).utf8))
            }
            return try await world.call("charges/\(charge.token)", body)
        }
        for made in ["GRG_1", "klarna-1", ""] {
            #expect(try await confirm(charges[0], made).rejection == "400 4000: bad request")
        }
        var texts: [String: String] = [:]
        if method == "klarna" {
            let content = try #require(try await confirm(charges[0], nil).content)
            texts = try #require(try JSONValue(parsing: Array(content.utf8)).object).compactMapValues(\.string)
        } else {
            let config = try await world.call("config", ["payment": ["method": .string(method)]]).json["data"]?[
                "config"]
            texts = [key: try #require(config?[key]?.string)]
        }
        let launcher = try #require(world.payer().appLauncher)
        let back = try await launcher(
            AppRequest(name: "an app", url: nil, payload: Redacted(texts), returnURLs: ["a.b://"]))
        let consent = try #require(back?.queryItems.values(item).first.map(String.init))
        #expect(try await confirm(charges[0], consent).json["data"]?["status"] == "succeeded")
        #expect(try await confirm(charges[1], consent).rejection == "400 4000: bad request")
        #expect(await world.captures(charges[1].id) == 0)
    }

    @Test("Payers stay at their sandbox")
    func payersStayAtTheirSandbox() async throws {
        let world = try CitconWorld().on(.loopback)
        let browser = try #require(world.payer().browser)
        await #expect(throws: PaymentError.self) {
            _ = try await browser(PageRequest(url: try HTTPURL("https://landing.uat01.citconpay.com/v1/landing/00")))
        }
    }
}

extension CitconWorld {
    /// A world with a new charge.
    static func charged(_ scenario: CitconSandbox.Scenario) async -> (CitconWorld, CitconSandbox.Charge) {
        let world = CitconWorld()
        return (world, await world.sandbox.createCharge(scenario))
    }
}
