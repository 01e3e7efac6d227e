import PaymentCore
import PaymentTesting
import PaymentWallet
import TestSupport
import Testing
import WalletConnectPaySandbox

@testable import WalletConnectPayKit
@testable import WalletConnectPayProvider

/// Payments after actions left the vendor's client: what it hands out again, and what it states.
@Suite struct HandedOutActionTests {
    typealias Scenario = WalletConnectPaySandbox.Scenario
    typealias Answer = ScriptedService.Answer

    static let hash = "0x" + String(repeating: "a", count: 64)
    static let coins = Script.options([Script.coinOption("o", 1000), Script.coinOption("p", 1000)])
    static let tokens = Script.options([Script.option("o", [Script.call("1")]), Script.option("p", [Script.call("2")])])

    /// A client that has handed out the actions of option `o`.
    static func world(_ options: String, _ script: [String: [Answer]] = [:]) async throws -> ClientWorld {
        let world = try ClientWorld(script.merging(["options": [.ok(options)]]) { own, _ in own })
        _ = try await world.options()
        _ = try await world.client.getRequiredPaymentActions(paymentId: "pay_1", optionId: "o")
        return world
    }

    // MARK: Coins

    /// The function `pay` of an application, twice, over the option in the chain's coin.
    @Test(
        "Coins that the wallet sent are sent once, and no ending denies them",
        arguments: [
            Scenario.routeExpired, .expiresWhilePaying, .cancelledByUser, .failsAfterConfirm, .sanctionedAtConfirm,
        ])
    func coinsAreSentOnce(_ scenario: Scenario) async throws {
        let world = try ClientSandboxTests.World(.inProcess)
        let payment = await world.sandbox.createPayment(scenario)
        var sent = 0
        for _ in 1...2 {
            let (name, text) = await told {
                let response = try await world.client.getPaymentOptions(
                    paymentLink: payment.link, accounts: world.accounts)
                for option in response.options {
                    let actions = try await world.client.getRequiredPaymentActions(
                        paymentId: response.paymentId, optionId: option.id)
                    guard actions.map(\.walletRpc.method) == ["eth_sendTransaction"] else {
                        try world.client.discardActions(paymentId: response.paymentId)
                        continue
                    }
                    sent += 1
                    return try await world.client.confirmPayment(
                        paymentId: response.paymentId, optionId: option.id, signatures: [Self.hash], maxPollMs: 60_000)
                }
                throw ClientSandboxTests.NoOption(status: response.info?.status)
            }
            #expect(name == "http" && text.contains(Self.hash) && text.contains("do not pay this again"), "\(text)")
        }
        #expect(sent == 1)
        #expect(world.client.mayHaveMovedMoney(paymentId: payment.id))
        let (name, text) = await told { try await world.client.getPaymentStatus(paymentId: payment.id) }
        #expect(name == "http" && text.contains("coins") || text.contains("requiresAction"), "\(text)")
    }

    static let refusals: [Answer] = [
        .json(400, Script.error("quote_expired")), .json(404, ""), .json(409, ""),
        .json(410, Script.error("payment_expired")), .json(422, ""), .json(451, Script.error("sanctioned_user")),
        .failure(.notSent, .hostNotFound), .ok(Script.status("failed", isFinal: true)),
        .ok(Script.status("expired", isFinal: true)), .ok(Script.status("cancelled", isFinal: true)),
    ]

    @Test("Every failure after coins says that they may have been sent", arguments: refusals)
    func failuresOfCoins(_ refusal: Answer) async throws {
        let script = Dictionary(uniqueKeysWithValues: ["confirm", "status", "cancel"].map { ($0, [refusal]) })
        let world = try await Self.world(
            Self.coins, script.merging(["options": [.ok(Self.coins), refusal]]) { own, _ in own })
        let client = world.client
        var found: [(name: String, text: String)] = []
        found.append(await told { try await client.getRequiredPaymentActions(paymentId: "pay_1", optionId: "p") })
        found.append(
            await told {
                try await client.confirmPayment(paymentId: "pay_1", optionId: "o", signatures: [Self.hash])
            })
        found.append(await told { try await client.getPaymentStatus(paymentId: "pay_1") })
        found.append(await told { try await client.cancelPayment(paymentId: "pay_1") })
        found.append(await told { try await client.getRequiredPaymentActions(paymentId: "pay_1", optionId: "o") })
        if case .json(let status, _, _) = refusal, status >= 400 {
            found.append(await told { try await world.options() })
        }
        for (name, text) in found {
            #expect(name == "http" && text.contains("may have sent the coins"), "\(text)")
        }
        #expect(client.mayHaveMovedMoney(paymentId: "pay_1"))
        #expect(throws: GetPaymentRequestError.self) { try client.discardActions(paymentId: "pay_1") }
    }

    @Test("Terms of a payment that ended after coins do not say that it is unpaid", arguments: ["failed", "expired"])
    func termsAfterCoins(_ state: String) async throws {
        let ended = Script.options([], expiresAt: 1).replacingOccurrences(of: "requires_action", with: state)
        let world = try await Self.world(Self.coins, ["options": [.ok(Self.coins), .ok(ended)]])
        let (name, text) = await told { try await world.options() }
        #expect(name == "http" && text.contains("may have sent the coins"), "\(text)")
    }

    @Test("A hash of an earlier process is a transaction")
    func aHashWithoutItsActions() async throws {
        let world = try ClientWorld(["confirm": [.json(400, Script.error("quote_expired"))]])
        let (name, text) = await told {
            try await world.client.confirmPayment(paymentId: "pay_1", optionId: "o", signatures: [Self.hash])
        }
        #expect(name == "http" && text.contains(Self.hash), "\(text)")
    }

    @Test("A cancelled task does not hide coins")
    func aCancelledTask() async throws {
        let world = try await Self.world(Self.coins, ["confirm": [.failure(.notSent, .cancelled)]])
        let (name, text) = await told {
            try await world.client.confirmPayment(paymentId: "pay_1", optionId: "o", signatures: [Self.hash])
        }
        #expect(name == "http" && text.contains(Self.hash), "\(text)")
    }

    @Test("A payment that was paid hands out nothing more")
    func nothingAfterSuccess() async throws {
        let world = try await Self.world(Self.coins, ["confirm": [.ok(Script.status("succeeded", isFinal: true))]])
        let result = try await world.client.confirmPayment(paymentId: "pay_1", optionId: "o", signatures: [Self.hash])
        #expect(result.status == .succeeded && result.isFinal && !result.mayHaveMovedMoney)
        for option in ["o", "p"] {
            let (_, text) = await told {
                try await world.client.getRequiredPaymentActions(paymentId: "pay_1", optionId: option)
            }
            #expect(text.contains("is paid"), "\(text)")
        }
        let options = try await world.options().options
        #expect(options.allSatisfy { $0.actions.isEmpty })
        #expect(!world.client.mayHaveMovedMoney(paymentId: "pay_1"))
    }

    // MARK: Signatures

    @Test("Options that are requested again bring no second signature")
    func oneSignature() async throws {
        let world = try ClientSandboxTests.World(.inProcess)
        let (client, accounts) = (world.client, world.accounts)
        let payment = await world.sandbox.createPayment(.paidAfterPolling)
        var seen: Set<String> = []
        var option = ""
        for turn in 1...3 {
            let response = try await client.getPaymentOptions(paymentLink: payment.link, accounts: accounts)
            let first = try #require(response.options.first)
            #expect(response.mayHaveMovedMoney == (turn > 1))
            let actions = try await client.getRequiredPaymentActions(paymentId: payment.id, optionId: first.id)
            seen.formUnion(actions.map(\.walletRpc.params))
            if turn > 1 {
                #expect(first.actions == actions)
                #expect(response.options.dropFirst().allSatisfy { $0.actions.isEmpty })
                for other in response.options.dropFirst() {
                    await #expect(throws: GetPaymentRequestError.self) {
                        try await client.getRequiredPaymentActions(paymentId: payment.id, optionId: other.id)
                    }
                }
            }
            option = first.id
            world.clock.advance(by: .seconds(30))
        }
        #expect(seen.count == 1)
        let result = try await client.confirmPayment(
            paymentId: payment.id, optionId: option,
            signatures: try seen.map { params throws in
                let action = WalletRpcAction(chainId: "eip155:1", method: "eth_signTypedData_v4", params: params)
                return try world.wallet.signTypedData(.string(try action.typedDataParameters().typedData))
            })
        #expect(result.status == .succeeded)
    }

    @Test("A failed payment is not final while its signature can pay", arguments: ["failed", "expired"])
    func failedWithSignature(_ state: String) async throws {
        let ending = Answer.ok(Script.status(state, isFinal: true))
        let world = try await Self.world(Self.tokens, ["confirm": [ending], "status": [ending]])
        let result = try await world.client.confirmPayment(paymentId: "pay_1", optionId: "o", signatures: ["0x00"])
        #expect(result.status.rawValue == state && !result.isFinal && result.mayHaveMovedMoney)
        var status = try await world.client.getPaymentStatus(paymentId: "pay_1")
        #expect(!status.isFinal && status.mayHaveMovedMoney)
        world.clock.advance(by: .seconds(3600))
        status = try await world.client.getPaymentStatus(paymentId: "pay_1")
        #expect(status.isFinal && !status.mayHaveMovedMoney)
    }

    @Test("Every failure says that a signature can pay, until its deadline")
    func failuresOfSignatures() async throws {
        let refusal = Answer.json(410, Script.error("payment_expired"))
        let world = try await Self.world(Self.tokens, ["confirm": [refusal], "status": [refusal]])
        func confirm() async -> (name: String, text: String) {
            await told {
                try await world.client.confirmPayment(paymentId: "pay_1", optionId: "o", signatures: ["0x00"])
            }
        }
        #expect(await confirm().text.contains("do not pay this again before"))
        #expect(await confirm().name == "http")
        world.clock.advance(by: .seconds(3600))
        #expect(await confirm().name == "paymentExpired")
    }

    @Test(
        "Another option is handed out after the deadline, or once the actions are discarded", arguments: [true, false])
    func anotherOption(_ isDiscarded: Bool) async throws {
        let fetched = Answer.ok(Script.actions([Script.call("2")]))
        let world = try await Self.world(Self.tokens, ["fetch": [fetched]])
        func marks() async throws -> [String?] {
            try await world.client.getRequiredPaymentActions(paymentId: "pay_1", optionId: "p").map(\.mark)
        }
        await #expect(throws: GetPaymentRequestError.self) { try await marks() }
        if isDiscarded {
            try world.client.discardActions(paymentId: "pay_1")
            #expect(try await marks() == ["2"])
        } else {
            world.clock.advance(by: .seconds(3599))
            await #expect(throws: GetPaymentRequestError.self) { try await marks() }
            world.clock.advance(by: .seconds(1))
            // The deadline of this list is the same moment: the review refuses it.
            let (_, text) = await told { try await marks() }
            #expect(!text.contains("another option"), "\(text)")
        }
    }

    @Test("A short link and the full one of a payment are one payment", arguments: [true, false])
    func shortLink(isShortFirst: Bool) async throws {
        let world = try ClientSandboxTests.World(.inProcess)
        let client = world.client
        func options(_ link: String) async throws -> PaymentOptionsResponse {
            try await client.getPaymentOptions(paymentLink: link, accounts: world.accounts)
        }
        func actions(_ response: PaymentOptionsResponse) async throws -> [Action] {
            let option = try #require(response.options.first)
            return try await client.getRequiredPaymentActions(paymentId: response.paymentId, optionId: option.id)
        }
        let payment = await world.sandbox.createPayment(.paidAtOnce)
        let links = [payment.link, "https://pay.wct.me/\(payment.id)"]
        let first = try await options(links[isShortFirst ? 1 : 0])
        let known = try await options(links[isShortFirst ? 0 : 1])
        #expect(try await !actions(first).isEmpty)
        await #expect(throws: GetPaymentRequestError.self) { try await actions(known) }
        #expect(client.mayHaveMovedMoney(paymentId: known.paymentId))
        // Neither by a preview of options that are requested again.
        let again = try await options(links[isShortFirst ? 0 : 1])
        #expect(again.options.allSatisfy { $0.actions.isEmpty } && again.mayHaveMovedMoney)
        #expect(try await !actions(first).isEmpty, "the same ones leave again")
        try client.discardActions(paymentId: first.paymentId)
        #expect(try await !actions(again).isEmpty)
    }

    @Test("Two options at once: one list leaves")
    func twoAtOnce() async throws {
        for _ in 0..<20 {
            let world = try ClientWorld([
                "options": [
                    .ok(
                        Script.options([Script.option("o", [Script.build("")]), Script.option("p", [Script.build("")])])
                    )
                ],
                "fetch": [.ok(Script.actions([Script.call("1")])), .ok(Script.actions([Script.call("2")]))],
            ])
            _ = try await world.options()
            async let one = try? world.client.getRequiredPaymentActions(paymentId: "pay_1", optionId: "o")
            async let two = try? world.client.getRequiredPaymentActions(paymentId: "pay_1", optionId: "p")
            #expect(await [one, two].compactMap { $0 }.count == 1)
            async let again = world.client.getRequiredPaymentActions(paymentId: "pay_1", optionId: "o")
            async let third = world.client.getRequiredPaymentActions(paymentId: "pay_1", optionId: "o")
            let lists = [try? await again, try? await third].compactMap { $0?.map(\.mark) }
            #expect(Set(lists).count <= 1)
        }
    }

    @Test("A signature of a preview is recorded when it is confirmed")
    func aPreviewThatWasSigned() async throws {
        let world = try ClientWorld([
            "options": [.ok(Self.tokens)], "confirm": [.json(409, Script.error("quote_expired"))],
        ])
        _ = try await world.options()
        _ = await told {
            try await world.client.confirmPayment(paymentId: "pay_1", optionId: "o", signatures: ["0x00"])
        }
        #expect(world.client.mayHaveMovedMoney(paymentId: "pay_1"))
        await #expect(throws: GetPaymentRequestError.self) {
            try await world.client.getRequiredPaymentActions(paymentId: "pay_1", optionId: "p")
        }
    }

    @Test("A call that was not reviewed may send coins")
    func unreviewed() {
        let call: JSONValue = ["chain_id": "tron:0x2b6653dc", "method": "tron_signTransaction", "params": []]
        let review = SigningReview(effects: [], warnings: [.unreviewed], digest: nil, lines: [])
        #expect(HandedOut.Reach([call], review, now: VirtualClock.start) == .transfer)
    }

    @Test("The record keeps every payment that is paid")
    func keepsPaid() throws {
        var handedOut = HandedOut()
        let now = VirtualClock.start
        let list = HandedOut.List(option: nil, optionID: "o", calls: [[:]], review: nil, reach: .transfer)
        _ = try handedOut.handOut(list, of: "pay_paid", until: nil, now: now)
        handedOut.pay("pay_paid")
        for index in 0..<HandedOut.capacity + 10 {
            _ = try handedOut.handOut(list, of: "pay_\(index)", until: nil, now: now)
        }
        #expect(throws: GatewayError.self) { try handedOut.list(of: "o", of: "pay_paid", until: nil, now: now) }
        #expect(handedOut.warning(of: "pay_paid", until: nil, now: now) == nil)
    }

    @Test("The record keeps every payment that can be paid")
    func keepsLiveLists() throws {
        var handedOut = HandedOut()
        let now = VirtualClock.start
        for index in 0..<HandedOut.capacity + 10 {
            let list = HandedOut.List(
                option: nil, optionID: "o", calls: [[:]], review: nil,
                reach: index % 2 == 0 ? .transfer : .signatures(until: now))
            _ = try handedOut.handOut(list, of: "pay_\(index)", until: nil, now: now)
        }
        let all = (0..<HandedOut.capacity + 10).filter {
            handedOut.warning(of: "pay_\($0)", until: nil, now: now) != nil
        }
        #expect(all.count == (HandedOut.capacity + 10) / 2)
    }
}

/// Runs `call`, and returns the name of the error's case and its text; `returned` and the result if there is none.
///
/// An error of another type than `kind` has that type's name.
func told(
    as kind: (any Error.Type)? = nil, _ call: () async throws -> some Any
) async -> (name: String, text: String) {
    do { return ("returned", "\(try await call())") } catch {
        if let kind, type(of: error) != kind { return ("\(type(of: error))", "\(error)") }
        return (Mirror(reflecting: error).children.first?.label ?? "\(type(of: error))", "\(error)")
    }
}
