import Foundation
import PaymentCore
import PaymentTesting
import PaymentWallet
import Synchronization
import TestSupport
import Testing
import WalletConnectPaySandbox

@testable import WalletConnectPayKit
@testable import WalletConnectPayProvider

/// Whole payments through the client against the sandbox, in process and over loopback HTTP.
@Suite struct ClientSandboxTests {
    typealias Scenario = WalletConnectPaySandbox.Scenario

    /// A sandbox, the faults before it, and a client of it.
    struct World: Sendable {
        private let world: PayWorld
        let client: PayClient
        let wallet = DevelopmentWallet(seed: 7)
        let lines = ClientWorld.Lines()

        init(_ wire: Wire, key: String = "key") throws {
            world = try PayWorld(at: 1_800_000_000).on(wire)
            let lines = lines
            client = PayClient(
                configuration: try GatewayConfiguration(
                    credentials: .apiKey(Redacted(key)), baseURL: world.origin, requestTimeout: .seconds(10)),
                transport: world.wire, clock: world.clock, log: PayLog { lines.add($0) })
        }

        var sandbox: WalletConnectPaySandbox { world.sandbox }
        var faults: FaultInjector { world.faults }
        var clock: VirtualClock { world.clock }
        var accounts: [String] { wallet.accounts(onChains: [1, 10, 8453]).map(\.text) }

        func pay(
            _ link: String, option: Int = 0, collectedData: [CollectDataFieldResult]? = nil,
            maxPollMs: Int64? = 60_000
        ) async throws -> ConfirmPaymentResultResponse {
            let response = try await client.getPaymentOptions(paymentLink: link, accounts: accounts)
            guard response.options.indices.contains(option) else { throw NoOption(status: response.info?.status) }
            let id = response.options[option].id
            let actions = try await client.getRequiredPaymentActions(paymentId: response.paymentId, optionId: id)
            let signatures = try actions.map { action in
                try wallet.signTypedData(.string(try action.walletRpc.typedDataParameters().typedData))
            }
            return try await client.confirmPayment(
                paymentId: response.paymentId, optionId: id, signatures: signatures, collectedData: collectedData,
                maxPollMs: maxPollMs)
        }
    }

    struct NoOption: Error, Equatable { let status: PaymentStatus? }

    /// The end of the call: a status, the case of an error, or no options with the payment's status.
    static let endings: [(Scenario, String)] = [
        (.paidAtOnce, "succeeded"), (.paidAfterPolling, "succeeded"), (.expired, "none: expired"),
        (.insufficientOptions, "none: requires_action"), (.alreadyPaid, "none: succeeded"),
        (.failsAfterConfirm, "failed"), (.declinedForCompliance, "failed"), (.cancelledByMerchant, "http"),
        (.cancelledByUser, "http"), (.expiresWhilePaying, "http"), (.quoteExpired, "http"),
        (.routeExpired, "http"), (.sanctionedPayer, "complianceFailed"), (.sanctionedAtConfirm, "http"),
        (.slowSettlement, "processing"), (.unknownStatus, "http"), (.unknownAction, "http"),
        (.rateLimited, "succeeded"), (.serverErrorOnce, "succeeded"), (.dataForSomeOptions, "succeeded"),
        (.buildAction, "succeeded"),
    ]

    @Test("Each scenario ends as it should", arguments: Wire.allCases, endings)
    func endsEachScenario(_ wire: Wire, _ item: (scenario: Scenario, ending: String)) async throws {
        let world = try World(wire)
        let payment = await world.sandbox.createPayment(item.scenario)
        let ending: String
        do { ending = try await world.pay(payment.link).status.rawValue } catch let error as NoOption {
            ending = "none: \(error.status?.rawValue ?? "")"
        } catch {
            ending = Mirror(reflecting: error).children.first?.label ?? "\(error)"
        }
        #expect(ending == item.ending)
        #expect(await world.sandbox.ledger.captures(of: payment.id) <= 1)
    }

    @Test("Each kind of option pays once", arguments: Wire.allCases)
    func paysWithEachKindOfOption(_ wire: Wire) async throws {
        for option in 0..<3 {
            let world = try World(wire)
            let payment = await world.sandbox.createPayment(.paidAfterPolling)
            let result = try await world.pay(payment.link, option: option)
            #expect(result.status == .succeeded)
            #expect(result.info?.txId.hasPrefix("0x") == true)
            #expect(await world.sandbox.ledger.captures(of: payment.id) == 1)
        }
    }

    @Test("Data come first", arguments: Wire.allCases)
    func dataComesFirst(_ wire: Wire) async throws {
        let world = try World(wire)
        let payment = await world.sandbox.createPayment(.dataCollection)
        let data = [
            ("fullName", "Ada"), ("dob", "1990-01-15"), ("pobCountry", "US"), ("pobAddress", "NY"),
            ("tosConfirmed", "true"),
        ].map { CollectDataFieldResult(id: $0, value: $1) }
        // The first option is ready to sign; its data may come with the confirmation.
        let response = try await world.client.getPaymentOptions(paymentLink: payment.link, accounts: world.accounts)
        #expect(response.options.allSatisfy { $0.collectData?.url != nil })
        await #expect(throws: ConfirmPaymentError.self) { try await world.pay(payment.link) }
        #expect(try await world.pay(payment.link, collectedData: data).status == .succeeded)
        #expect(await world.sandbox.ledger.captures(of: payment.id) == 1)
    }

    @Test("The service builds nothing before the data")
    func theServiceBuildsNothingBeforeTheData() async throws {
        let world = try World(.inProcess)
        let payment = await world.sandbox.createPayment(.dataCollection)
        let response = try await world.client.getPaymentOptions(paymentLink: payment.link, accounts: world.accounts)
        let option = try #require(response.options.first { $0.actions.isEmpty })
        await #expect {
            _ = try await world.client.getRequiredPaymentActions(paymentId: response.paymentId, optionId: option.id)
        } throws: {
            "\($0)".contains("data about the payer")
        }
    }

    @Test("Many payments at once are each paid once", arguments: Wire.allCases)
    func manyPaymentsAtOnce(_ wire: Wire) async throws {
        let world = try World(wire)
        var payments: [WalletConnectPaySandbox.Payment] = []
        for _ in 0..<20 { payments.append(await world.sandbox.createPayment(.paidAfterPolling)) }
        try await withThrowingTaskGroup(of: PaymentStatus.self) { group in
            for (index, payment) in payments.enumerated() {
                group.addTask { try await world.pay(payment.link, option: index % 3).status }
            }
            for try await status in group { #expect(status == .succeeded) }
        }
        for payment in payments { #expect(await world.sandbox.ledger.captures(of: payment.id) == 1) }
    }

    static let faults: [(String, FaultInjector.Fault)] = [
        ("500", .status(500, body: "{}")), ("503", .status(503)), ("429", .status(429)), ("garbage", .garbage),
        ("drop before", .dropBefore), ("drop after", .dropAfter), ("400", .status(400)),
    ]

    /// A single fault never causes a second payment, and is survived wherever it may pass.
    @Test("One fault anywhere never pays twice", arguments: ["options", "fetch", "confirm", "status"], faults)
    func oneFault(_ verb: String, _ fault: (name: String, kind: FaultInjector.Fault)) async throws {
        let world = try World(.loopback)
        let payment = await world.sandbox.createPayment(.paidAfterPolling)
        world.faults.inject(fault.kind, times: 1) { $1.hasSuffix("/" + verb) }
        let result: Result<PaymentStatus, any Error>
        do { result = .success(try await world.pay(payment.link, option: 2, maxPollMs: nil).status) } catch {
            result = .failure(error)
        }
        let captures = await world.sandbox.ledger.captures(of: payment.id)
        let isFatal = fault.name == "400" || fault.name == "garbage" && verb != "confirm"
        switch result {
        case .success(let status): #expect(status == .succeeded && captures == 1 && !isFatal, "\(verb) \(fault.name)")
        case .failure(let error):
            #expect(isFatal, "\(verb) \(fault.name): \(error)")
            #expect(captures == (verb == "status" ? 1 : 0))
        }
    }

    @Test("Only an open payment is cancelled", arguments: Wire.allCases)
    func cancelsAnOpenPaymentOnly(_ wire: Wire) async throws {
        let world = try World(wire)
        let open = await world.sandbox.createPayment()
        let response = try await world.client.cancelPayment(paymentId: open.id)
        #expect(response.paymentId == open.id && response.cancelledReason == "cancelled_by_user")
        await #expect {
            try await world.client.getPaymentStatus(paymentId: open.id)
        } throws: {
            if case GetPaymentStatusError.http(let text) = $0 { text.contains("cancelled") } else { false }
        }
        let paid = await world.sandbox.createPayment()
        _ = try await world.pay(paid.link)
        await #expect {
            _ = try await world.client.cancelPayment(paymentId: paid.id)
        } throws: {
            if case PayError.api = $0 { true } else { false }
        }
    }

    /// No line, error or dump has secret or personal data, whatever fails.
    @Test("Nothing secret is shown")
    func nothingSecretIsShown() async throws {
        let world = try World(.loopback, key: "canary-api-key")
        let shown = Mutex("")
        let show: @Sendable (Any) -> Void = { value in
            shown.withLock { text in
                text += "\(value) \(String(reflecting: value))"
                dump(value, to: &text)
            }
        }
        let data = [CollectDataFieldResult(id: "fullName", value: "canary person")]
        show(data)
        show(world.client)
        let payment = await world.sandbox.createPayment(.paidAfterPolling)
        for fault in Self.faults.map(\.1) + [.redirect(to: "http://127.0.0.1:1/canary-redirect")] {
            for verb in ["options", "fetch", "confirm", "status", "cancel"] {
                world.faults.inject(fault, times: 50) { $1.hasSuffix("/" + verb) }
            }
            let link = "wc:abc@2?symKey=canary-sym-key&pay=" + PercentCoding.encode(payment.link)
            let calls: [@Sendable () async throws -> Any] = [
                { try await world.client.getPaymentOptions(paymentLink: link, accounts: world.accounts) },
                {
                    try await world.client.getPaymentOptions(
                        paymentLink: "wc:canary-topic@2?symKey=canary", accounts: [])
                },
                { try await world.client.getPaymentOptions(paymentLink: "canary/link", accounts: []) },
                { try await world.client.getRequiredPaymentActions(paymentId: payment.id, optionId: "canary-option") },
                {
                    try await world.client.confirmPayment(
                        paymentId: payment.id, optionId: "o", signatures: ["canary-signature"], collectedData: data,
                        maxPollMs: 1000)
                },
                { try await world.client.getPaymentStatus(paymentId: payment.id) },
                { try await world.client.cancelPayment(paymentId: payment.id) },
            ]
            for call in calls { do { show(try await call()) } catch { show(error) } }
        }
        let lines = world.lines.all
        let all = shown.withLock { $0 } + lines.joined(separator: "\n")
        #expect(lines.count > 50)
        #expect(lines.allSatisfy { $0.hasPrefix("💳 [WalletConnectPay] ") })
        #expect(!all.contains("canary"))
    }

    @Test("The log says what is done")
    func logsWhatItDoes() async throws {
        let world = try World(.inProcess)
        let payment = await world.sandbox.createPayment(.paidAfterPolling)
        _ = try await world.pay(payment.link)
        world.client.log(message: "the application's own")
        #expect(
            world.lines.all
                == [
                    "getPaymentOptions: 4 options", "getRequiredPaymentActions: 1 actions", "confirmPayment: 1 results",
                    "confirmPayment: succeeded", "the application's own",
                ].map { "💳 [WalletConnectPay] \($0)" })
    }
}
