import PaymentCore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import WalletConnectPayKit
@testable import WalletConnectPayProvider

/// The actions of a wallet, their sources, and the order of the signatures (Protocol 4.2).
@Suite struct ClientActionsTests {
    typealias Answer = ScriptedService.Answer

    static func marks(_ world: ClientWorld, _ option: String = "o", of payment: String = "pay_1") async throws
        -> [String?]
    {
        try await world.client.getRequiredPaymentActions(paymentId: payment, optionId: option).map(\.mark)
    }

    /// `approve` and other marks.
    static func fetched(_ marks: String...) -> Answer { .ok(Script.actions(marks.map(action))) }

    private static func action(_ mark: String) -> String { mark == "approve" ? Script.approval : Script.call(mark) }

    static let sources: [(String, [String], [Answer], [String?], [String])] = [
        ("ready ones are not fetched", [Script.approval, Script.call("2")], [], ["approve", "2"], []),
        ("none are all fetched", [], [fetched("approve", "2")], ["approve", "2"], [""]),
        ("one to build", [Script.build("d")], [fetched("1")], ["1"], ["d"]),
        ("in place and in order", [Script.approval, Script.build("a")], [fetched("2")], ["approve", "2"], ["a"]),
        ("the first to build", [Script.build(""), Script.call("2")], [fetched("approve")], ["approve", "2"], [""]),
    ]

    @Test("Actions come from where the option says, in order", arguments: sources)
    func actions(
        _ name: String, _ listed: [String], _ answers: [Answer], _ expected: [String?], _ asked: [String]
    ) async throws {
        let world = try ClientWorld(["options": [.ok(Script.options([Script.option("o", listed)]))], "fetch": answers])
        let option = try #require(try await world.options().options.first)
        // The preview has the ready actions, if they alone pay the option.
        let marks = option.actions.map(\.mark)
        let isReady = !listed.isEmpty && listed.allSatisfy { $0.contains("walletRpc") }
        #expect(marks == (isReady || listed.last == Script.call("2") ? expected.suffix(marks.count) : []))
        #expect(!isReady || marks == expected)
        for _ in 0..<2 { #expect(try await Self.marks(world) == expected, "\(name)") }
        let fetches = world.service.seen.filter { $0.verb == "fetch" }
        #expect(fetches.map { try? JSONValue(parsing: $0.body)["data"]?.string } == asked, "\(name)")
    }

    static let refused: [(String, [String], [Answer], String)] = [
        ("nothing at all", [], [.ok(Script.actions([]))], "0 wallet calls"),
        (
            "a build that builds a build", [Script.build("a")], [.ok(Script.actions([Script.build("b")]))],
            "does not know"
        ),
        ("an unknown action", [Script.call("1"), #"{"type":"teleport","data":{}}"#], [], "does not know"),
        ("a call without a method", [#"{"type":"walletRpc","data":{"chain_id":"x","params":[]}}"#], [], "malformed"),
        ("too many", Array(repeating: Script.call("1"), count: 9), [], "9 wallet calls"),
        ("too many to build", Array(repeating: Script.build(""), count: 9), [], "9 wallet calls"),
        (
            "too many built", [Script.build("")],
            [.ok(Script.actions(Array(repeating: Script.call("1"), count: 9)))], "9 wallet calls"
        ),
    ]

    @Test("Actions that cannot be carried out are refused", arguments: refused)
    func refuses(
        _ name: String, _ listed: [String], _ answers: [Answer], _ text: String
    ) async throws {
        let world = try ClientWorld([
            "options": [.ok(Script.options([Script.option("o", listed), Script.option("p", [Script.call("1")])]))],
            "fetch": answers,
        ])
        // The list itself is valid, and so are its other options.
        #expect(try await world.options().options.count == 2)
        let error = await told(as: GetPaymentRequestError.self) { try await Self.marks(world) }
        #expect(error.name == "http" && error.text.contains(text))
        #expect(try await Self.marks(world, "p") == ["1"])
    }

    @Test("Two payments do not interfere")
    func twoPaymentsDoNotInterfere() async throws {
        let world = try ClientWorld([
            "options": [
                .ok(Script.options([Script.option("o", [Script.call("a")])])),
                .ok(Script.options([Script.option("o", [Script.call("b")])])),
            ]
        ])
        _ = try await world.options("pay_a")
        _ = try await world.options("pay_b")
        #expect(try await Self.marks(world, of: "pay_a") == ["a"])
        #expect(try await Self.marks(world, of: "pay_b") == ["b"])
        #expect(world.service.verbs == ["options", "options"])
    }

    @Test("New options replace only those of their payment")
    func newOptionsReplaceOnlyTheirPayments() async throws {
        let world = try ClientWorld([
            "options": [
                .ok(
                    Script.options([Script.option("o", [Script.call("1")]), Script.option("gone", [Script.call("1")])])),
                .ok(Script.options([Script.option("o", [Script.call("2")])])),
            ]
        ])
        _ = try await world.options()
        _ = try await world.options()
        #expect(try await Self.marks(world) == ["2"])
        await #expect(throws: GetPaymentRequestError.self) { try await Self.marks(world, "gone") }
    }

    @Test("An expired option is fetched anew")
    func anExpiredOptionIsFetchedAnew() async throws {
        let start = Int64(VirtualClock.start.timeIntervalSince1970)
        let world = try ClientWorld([
            "options": [.ok(Script.options([Script.option("o", [Script.call("old")], expiresAt: "\(start + 60)")]))],
            "fetch": [Self.fetched("new"), .json(400, Script.error("quote_expired"))],
        ])
        _ = try await world.options()
        world.clock.advance(by: .seconds(60))
        #expect(try await Self.marks(world) == ["new"])
        #expect(world.service.seen.last?.body == #"{"data":"","optionId":"o"}"#)
    }

    @Test("An option that is not in the list is refused")
    func anOptionNobodyListedIsRefused() async throws {
        let world = try ClientWorld(["fetch": [Self.fetched("1")]])
        #expect(await told(as: GetPaymentRequestError.self) { try await Self.marks(world) }.name == "optionNotFound")
        #expect(world.service.verbs == ["fetch"])
    }

    @Test("Options of one name, or of none, are refused")
    func optionsOfOneNameAreRefused() async throws {
        for ids in [["o", "o"], [""]] {
            let world = try ClientWorld([
                "options": [.ok(Script.options(ids.map { Script.option($0, [Script.call("1")]) }))]
            ])
            await #expect(throws: GetPaymentOptionsError.self) { try await world.options() }
        }
    }

    @Test("A review describes the actions")
    func aReviewTellsWhatTheActionsDo() async throws {
        let world = try ClientWorld(["options": [.ok(Script.options([Script.option("o", [Script.call("1")])]))]])
        _ = try await world.options()
        #expect(world.client.signingReview(paymentId: "pay_1", optionId: "o") == nil)
        _ = try await Self.marks(world)
        let review = try #require(world.client.signingReview(paymentId: "pay_1", optionId: "o"))
        #expect(review.effects.map(\.quantity) == [.minorUnits("1000000")])
        #expect(review.lines.first?.contains("take up to 1 USDC on Base (eip155:8453), once") == true)
    }

    @Test("Actions that do anything else are not handed out")
    func actionsThatDoAnythingElseAreNotHandedOut() async throws {
        let dearer = Script.call("1").replacingOccurrences(of: "1000000", with: "1000001")
        for listed in [[dearer], [Script.call("1"), Script.call("2")], [Script.call("1"), Script.approval]] {
            let world = try ClientWorld(["options": [.ok(Script.options([Script.option("o", listed)]))]])
            // Not as a preview either.
            #expect(try await world.options().options.map(\.actions.count) == [0])
            let error = await told(as: GetPaymentRequestError.self) { try await Self.marks(world) }
            #expect(error.name == "http" && error.text.contains("something else than was agreed"))
            #expect(world.client.signingReview(paymentId: "pay_1", optionId: "o") == nil)
        }
    }

    @Test("Actions for another account than the payer's are refused")
    func anotherAccountIsNotThePayers() async throws {
        let world = try ClientWorld(["options": [.ok(Script.options([Script.option("o", [Script.call("1")])]))]])
        _ = try await world.client.getPaymentOptions(
            paymentLink: "pay_1", accounts: ["eip155:8453:0x0000000000000000000000000000000000000001"])
        await #expect(throws: GetPaymentRequestError.self) { try await Self.marks(world) }
    }

    @Test("A refused fetch is asked again the next time")
    func aRefusedFetchIsAskedAgainNextTime() async throws {
        let world = try ClientWorld([
            "options": [
                .ok(
                    Script.options([
                        Script.option("o", [Script.build("")], collectData: #"{"url":"https://x.example"}"#)
                    ]))
            ],
            "fetch": [
                .json(400, Script.error("params_validation", "IC data required but not found")), Self.fetched("1"),
            ],
        ])
        #expect(try await world.options().options[0].collectData?.url == "https://x.example")
        await #expect(throws: GetPaymentRequestError.self) { try await Self.marks(world) }
        #expect(try await Self.marks(world) == ["1"])
    }

    @Test("The cache forgets the oldest payments")
    func theCacheForgetsTheOldestPayments() throws {
        var cache = ActionCache()
        let body = try JSONValue(parsing: Script.options([Script.option("o", [Script.call("1")])]))
            .decode(OptionsBody.self)
        for index in 0..<ActionCache.capacity + 10 {
            cache.store(body.options ?? [], body, of: "pay_\(index)", payer: [])
        }
        #expect(cache.option("o", of: "pay_9", now: 0) == nil)
        #expect(cache.option("o", of: "pay_10", now: 0)?.listed.count == 1)
    }

    // MARK: Properties

    struct NoBattery: Error {}

    /// Lists of ready and built actions in any mixture: one signature each, in order; a signer that fails midway leaves
    /// the payment unconfirmed, and the same signatures complete it later.
    @Test("Signatures keep their order", arguments: 0..<200 as Range<UInt64>)
    func signaturesKeepTheirOrder(_ seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var listed: [String] = []
        var answers: [Answer] = []
        let expected = Bool.random(using: &random) ? ["approve", "\(seed)"] : ["\(seed)"]
        let count = expected.count
        if Bool.random(using: &random) {
            // All of them built at once.
            listed.append(Script.build("all"))
            answers.append(.ok(Script.actions(expected.map(Self.action))))
        } else {
            for mark in expected {
                let isReady = Bool.random(using: &random)
                listed.append(isReady ? Self.action(mark) : Script.build("b\(listed.count)"))
                if !isReady { answers.append(.ok(Script.actions([Self.action(mark)]))) }
            }
        }
        let world = try ClientWorld([
            "options": [.ok(Script.options([Script.option("o", listed)]))], "fetch": answers,
            "confirm": [.ok(Script.status("succeeded", isFinal: true))],
        ])
        let failing = Int.random(in: 0..<count, using: &random)
        let hasFailed = Mutex(false)
        let sign: (Action, Int) throws -> String = { action, index in
            if index == failing, !hasFailed.withLock({ $0 }) {
                hasFailed.withLock { $0 = true }
                throw NoBattery()
            }
            return "signed \(action.mark ?? "?")"
        }
        let pay: () async throws -> PaymentStatus = {
            let actions = try await world.client.getRequiredPaymentActions(paymentId: "pay_1", optionId: "o")
            var signatures: [String] = []
            for (index, action) in actions.enumerated() { signatures.append(try sign(action, index)) }
            return try await world.client.confirmPayment(
                paymentId: "pay_1", optionId: "o", signatures: signatures
            ).status
        }
        _ = try await world.options()
        await #expect(throws: NoBattery.self) { try await pay() }
        #expect(!world.service.verbs.contains("confirm"))
        #expect(try await pay() == .succeeded)
        let confirmations = world.service.seen.filter { $0.verb == "confirm" }
        #expect(confirmations.count == 1)
        let results = try JSONValue(parsing: try #require(confirmations.first).body)["results"]?.array ?? []
        #expect(results.map { $0["data"]?[0]?.string } == expected.map { "signed \($0)" })
        // Built once, although asked for twice.
        #expect(world.service.verbs.count { $0 == "fetch" } == answers.count)
    }
}
