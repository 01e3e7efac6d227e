import CitconSandbox
import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

@Suite("Against the sandbox") struct SandboxTests {
    @Test("Every scenario through the router", arguments: Wire.allCases)
    func everyScenarioThroughTheRouter(_ wire: Wire) async throws {
        for scenario in CitconSandbox.Scenario.allCases {
            let world = try CitconWorld().on(wire)
            let charge = await world.sandbox.createCharge(scenario)
            let router = try world.router(of: try await world.provider())
            let ending: String
            do {
                let outcome = try await router.pay(charge.link, as: world.payer())
                ending =
                    switch outcome {
                    case .succeeded(let receipt) where receipt.transactionID == charge.id: "paid"
                    case .succeeded: "paid for something else"
                    case .declined: "declined"
                    case .cancelled: "cancelled"
                    case .expired: "expired"
                    case .pending: "pending"
                    case .unknown: "error"
                    }
            } catch {
                ending = "error"
            }
            let expected = scenario.expectedOutcome.rawValue
            #expect(ending == expected, "\(scenario)")
            let captures = await world.sandbox.ledger.captures(of: charge.id)
            let isTaken = expected == "paid" && scenario != .authorizeOnly || scenario == .statusRefused
            #expect(captures == (isTaken ? 1 : 0), "\(scenario)")
            #expect(await world.sandbox.ledger.confirmRequests(of: charge.id) <= 1, "\(scenario)")
        }
    }

    @Test("Every scenario through the vendor's client", arguments: Wire.allCases)
    func everyScenarioThroughTheClient(_ wire: Wire) async throws {
        for scenario in CitconSandbox.Scenario.allCases {
            let world = try CitconWorld().on(wire)
            let charge = await world.sandbox.createCharge(scenario)
            let heard = Heard()
            let client = try await world.client(heard: heard)
            let result = await client.requestOrder(try CitconWorld.order(for: charge))
            let isPaid = scenario.expectedOutcome == .paid
            #expect(result.isPaid == isPaid, "\(scenario): \(result)")
            #expect(result.data.reference == charge.reference, "\(scenario)")
            if isPaid {
                #expect(result.data.id == charge.id && result.data.code == nil)
                #expect(result.data.amount > 0 && result.data.currency?.utf8.count == 3, "\(scenario)")
            }
            let lines = await heard.first(1)
            #expect(!lines.isEmpty)
            #expect(await world.sandbox.ledger.confirmRequests(of: charge.id) <= 1, "\(scenario)")
        }
    }

    @Test("The wallets' refusals have the guide's codes (Protocol 6.1)")
    func codesOfRefusals() async throws {
        let expected: [(CitconSandbox.Scenario, String, String)] = [
            (.cancelledInWeChat, "-2", "canceled"), (.cancelledInAlipay, "6001", "canceled"),
            (.pending, "8000", "pending"),
        ]
        for (scenario, code, state) in expected {
            let world = CitconWorld()
            let charge = await world.sandbox.createCharge(scenario)
            let result = await (try await world.client()).requestOrder(try CitconWorld.order(for: charge))
            #expect(result.status == "fail" && result.data.code == code && result.data.status == state, "\(scenario)")
        }
        let services: [(CitconSandbox.Scenario, String)] = [
            (.expired, "4000"), (.duplicateReference, "4100"), (.expiredToken, "4010"), (.unsupportedGateway, "5200"),
            (.gatewayUnavailable, "4106"), (.gatewayError, "4107"), (.malformedPayload, "-2"),
        ]
        for (scenario, code) in services {
            let world = CitconWorld()
            let charge = await world.sandbox.createCharge(scenario)
            let result = await (try await world.client()).requestOrder(try CitconWorld.order(for: charge))
            #expect(result.status == "fail" && result.data.code == code, "\(scenario): \(result)")
            #expect(!CPayCode.isCancellation(result.data.code, message: result.data.message))
            if scenario == .expired { #expect(result.data.status == "expired") }
        }
    }

    @Test("A payer who vanishes leaves the order open until it is ended by the caller")
    func interruption() async throws {
        let world = CitconWorld()
        let heard = Heard()
        let client = try await world.client(.vanishes, heard: heard, returnTimeout: nil)
        let charge = await world.sandbox.createCharge(.wechatPay)
        client.requestOrder(try CitconWorld.order(for: charge)) { heard.result($0) }
        #expect(await heard.first(1) == ["confirmed initiated"])
        while client.pendingReferences.isEmpty { await Task.yield() }
        #expect(client.cancelPending(reference: "another") == false)
        #expect(client.cancelPending(reference: charge.reference))
        #expect(await heard.first(3).suffix(2) == ["result fail -2 -", "check fail -2 -"])
        while !client.pendingReferences.isEmpty { await Task.yield() }
    }

    @Test("Becoming active settles an order that was paid without a way back")
    func becomingActive() async throws {
        let world = CitconWorld()
        let heard = Heard()
        let client = try await world.client(.paysAndStays, heard: heard, returnTimeout: nil)
        let charge = await world.sandbox.createCharge(.unionPay)
        client.requestOrder(try CitconWorld.order(for: charge)) { heard.result($0) }
        #expect(await heard.first(3).suffix(2) == ["result success - succeeded", "check success - succeeded"])
    }

    @Test("Both layers of the service (Protocol 1.5)", arguments: CitconSandbox.Layer.allCases)
    func layers(_ layer: CitconSandbox.Layer) async throws {
        let world = CitconWorld { $0.layer = layer }
        let charge = await world.sandbox.createCharge(.alipay)
        let result = await (try await world.client()).requestOrder(try CitconWorld.order(for: charge))
        #expect(result.isPaid && result.version == (layer == .recent ? "v1.0.0" : "v0.1.1"))
        #expect((result.data.timeCreated > 10_000_000_000) == (layer == .early))
        let check = await (try await world.client()).inquireOrder(reference: charge.reference)
        #expect(check.isPaid && check.data.id == charge.id && check.data.timeCanceled == 0)
    }
}
