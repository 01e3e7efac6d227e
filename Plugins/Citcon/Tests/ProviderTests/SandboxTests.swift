import CitconSandbox
import Foundation
import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentTesting
import PaymentTransport
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// A Citcon sandbox, in this process or on loopback, behind the vendor's client and a router.
struct SandboxWorld: Sendable {
    enum Wire: String, CaseIterable, Sendable { case inProcess, loopback }

    let clock = VirtualClock()
    let sandbox: CitconSandbox
    let faults: FaultInjector
    let server: LoopbackServer?
    let journal = InMemoryJournal()

    init(_ wire: Wire = .inProcess, _ configure: (inout CitconSandbox.Configuration) -> Void = { _ in }) throws {
        var configuration = CitconSandbox.Configuration()
        configure(&configuration)
        sandbox = CitconSandbox(configuration, clock: clock, random: SeededRandomSource(seed: 3))
        faults = FaultInjector(sandbox)
        server = wire == .loopback ? try LoopbackServer(faults) : nil
    }

    var transport: any HTTPTransport { server == nil ? SandboxTransport(faults) : PlatformTransport() }

    func payer(_ behaviour: CitconSandbox.Behaviour = .pays) -> Payer {
        guard let server else { return sandbox.payer(behaviour) }
        return CitconSandbox.payer(behaviour, at: server.baseURL, over: PlatformTransport())
    }

    func client(
        _ behaviour: CitconSandbox.Behaviour = .pays, heard: Heard? = nil, returnTimeout: Duration? = .seconds(60)
    ) async throws -> CPayClient {
        try CPayClient(
            transport, clock: clock, launcher: payer(behaviour).citconLauncher, returnTimeout: returnTimeout,
            heard: heard, token: await sandbox.accessToken().reveal(),
            baseURL: server.map { $0.baseURL.origin + "/v1/" })
    }

    func provider() async throws -> CitconProvider {
        CitconProvider(
            configuration: CitconConfiguration(
                endpoint: try CPayEndpoint(.UAT, baseURL: server.map { $0.baseURL.origin + "/v1/" }),
                accessToken: await sandbox.accessToken(), application: Shop.application))
    }

    func router(log: PaymentLog = .silent) async throws -> PaymentRouter {
        PaymentRouter(
            registry: try ProviderRegistry([try await provider()]), transport: transport, journal: journal,
            clock: clock, random: SeededRandomSource(seed: 5), log: log)
    }

    /// The order that belongs to a charge.
    static func order(for charge: CitconSandbox.Charge) throws -> CPayRequest {
        let link = try CitconOrderLink(PaymentLink(charge.link))
        let order = Shop.order(
            link.method, reference: link.reference, amount: Int(link.amount.minorUnits),
            currency: link.amount.currency.description, token: charge.token)
        order.transaction.country = link.country
        // Klarna's view is not started here, so a page is requested.
        if link.method == "klarna" { order.payment?.client = ["mobile_browser"] }
        return order
    }
}

@Suite("Against the sandbox") struct SandboxTests {
    @Test("Every scenario through the router", arguments: SandboxWorld.Wire.allCases)
    func everyScenarioThroughTheRouter(_ wire: SandboxWorld.Wire) async throws {
        for scenario in CitconSandbox.Scenario.allCases {
            let world = try SandboxWorld(wire)
            let charge = await world.sandbox.createCharge(scenario)
            let router = try await world.router()
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

    @Test("Every scenario through the vendor's client", arguments: SandboxWorld.Wire.allCases)
    func everyScenarioThroughTheClient(_ wire: SandboxWorld.Wire) async throws {
        for scenario in CitconSandbox.Scenario.allCases {
            let world = try SandboxWorld(wire)
            let charge = await world.sandbox.createCharge(scenario)
            let heard = Heard()
            let client = try await world.client(heard: heard)
            let result = await client.requestOrder(try SandboxWorld.order(for: charge))
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
            let world = try SandboxWorld()
            let charge = await world.sandbox.createCharge(scenario)
            let result = await (try await world.client()).requestOrder(try SandboxWorld.order(for: charge))
            #expect(result.status == "fail" && result.data.code == code && result.data.status == state, "\(scenario)")
        }
        let services: [(CitconSandbox.Scenario, String)] = [
            (.expired, "4000"), (.duplicateReference, "4100"), (.expiredToken, "4010"), (.unsupportedGateway, "5200"),
            (.gatewayUnavailable, "4106"), (.gatewayError, "4107"), (.malformedPayload, "-2"),
        ]
        for (scenario, code) in services {
            let world = try SandboxWorld()
            let charge = await world.sandbox.createCharge(scenario)
            let result = await (try await world.client()).requestOrder(try SandboxWorld.order(for: charge))
            #expect(result.status == "fail" && result.data.code == code, "\(scenario): \(result)")
            #expect(!CPayCode.isCancellation(result.data.code, message: result.data.message))
            if scenario == .expired { #expect(result.data.status == "expired") }
        }
    }

    @Test("A payer who vanishes leaves the order open until it is ended by the caller")
    func interruption() async throws {
        let world = try SandboxWorld()
        let heard = Heard()
        let client = try await world.client(.vanishes, heard: heard, returnTimeout: nil)
        let charge = await world.sandbox.createCharge(.wechatPay)
        client.requestOrder(try SandboxWorld.order(for: charge)) { heard.result($0) }
        #expect(await heard.first(1) == ["confirmed initiated"])
        while client.pendingReferences.isEmpty { await Task.yield() }
        #expect(client.cancelPending(reference: "another") == false)
        #expect(client.cancelPending(reference: charge.reference))
        #expect(await heard.first(3).suffix(2) == ["result fail -2 -", "check fail -2 -"])
        while !client.pendingReferences.isEmpty { await Task.yield() }
    }

    @Test("Becoming active settles an order that was paid without a way back")
    func becomingActive() async throws {
        let world = try SandboxWorld()
        let heard = Heard()
        let client = try await world.client(.paysAndStays, heard: heard, returnTimeout: nil)
        let charge = await world.sandbox.createCharge(.unionPay)
        client.requestOrder(try SandboxWorld.order(for: charge)) { heard.result($0) }
        #expect(await heard.first(3).suffix(2) == ["result success - succeeded", "check success - succeeded"])
    }

    @Test("Both layers of the service (Protocol 1.5)", arguments: CitconSandbox.Layer.allCases)
    func layers(_ layer: CitconSandbox.Layer) async throws {
        let world = try SandboxWorld { $0.layer = layer }
        let charge = await world.sandbox.createCharge(.alipay)
        let result = await (try await world.client()).requestOrder(try SandboxWorld.order(for: charge))
        #expect(result.isPaid && result.version == (layer == .recent ? "v1.0.0" : "v0.1.1"))
        #expect((result.data.timeCreated > 10_000_000_000) == (layer == .early))
        let check = await (try await world.client()).inquireOrder(reference: charge.reference)
        #expect(check.isPaid && check.data.id == charge.id && check.data.timeCanceled == 0)
    }
}
