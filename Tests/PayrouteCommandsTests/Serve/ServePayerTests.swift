import Foundation
import PaymentCore
import PaymentTesting
import TestSupport
import Testing

@testable import PayrouteCommands

/// Questions to the payer, each as the callers of `payroute serve` see it, and their answers.
@Suite("serve: questions to the payer")
struct ServePayerTests {
    /// Asks a payer, refuses wrong answers, and takes a right one.
    private static func ask<Answer: Sendable>(
        wrong: [JSONValue] = [], right: JSONValue, order: JSONValue = ["link": "pay:1"],
        _ question: @escaping @Sendable (Payer) async throws -> Answer
    ) async throws -> (action: JSONValue, answer: Result<Answer, any Error>) {
        let asked = Gate()
        let actions = ServeActions(random: SystemRandomSource()) { _ in await asked.open() }
        let payers = ServePayer(
            wallet: nil, actions: actions, table: try await .opened(), clock: SystemPaymentClock())
        let payer = payers.payer(of: "pay_1", try ServeOrder(stored: order), tenant: "ann")
        let answer = Task {
            let result: Result<Answer, any Error>
            do { result = .success(try await question(payer)) } catch { result = .failure(error) }
            // Also where nothing was asked.
            await asked.open()
            return try result.get()
        }
        await asked.pass()
        let action = try #require(await actions.action(of: "pay_1"))
        let id = try #require(action["id"]?.string)
        for body in wrong {
            await #expect(throws: ServeError.self, "\(body.text)") {
                try await actions.answer(id, of: "pay_1", with: body.serialized())
            }
        }
        try await actions.answer(id, of: "pay_1", with: right.serialized())
        return (action, await answer.result)
    }

    private static func satoshi(_ count: UInt128) throws -> Money { try Money(minorUnits: count, currency: .satoshi) }

    @Test("An amount is asked for with its bounds, and taken in its currency only")
    func amount() async throws {
        let request = AmountRequest(
            payee: Payee(name: "Ann"), currency: .satoshi, minimum: try Self.satoshi(1000),
            suggested: try Self.satoshi(2000))
        let euros: JSONValue = ["amount": ["amount": "1.00", "unit": "iso4217/EUR"]]
        let (action, answer) = try await Self.ask(
            wrong: [[:], euros], right: ["amount": ["amount": "1500", "unit": "sat"]]
        ) { try await $0.amountChooser?(request) }
        #expect(action["kind"] == "amount" && action["payee"] == "Ann" && action["unit"] == "BTC")
        #expect(action["minimum"] == "0.00001000" && action["suggested"] == "0.00002000")
        #expect(try answer.get() == Self.satoshi(1500))
        let (_, declined) = try await Self.ask(right: ["decline": true]) { try await $0.amountChooser?(request) }
        #expect(try declined.get() == nil)
    }

    @Test("An amount that the caller has named is not asked for")
    func named() async throws {
        let payers = ServePayer(
            wallet: nil, actions: ServeActions(random: SystemRandomSource()) { _ in }, table: try await .opened(),
            clock: SystemPaymentClock())
        let request = AmountRequest(payee: Payee(name: "Ann"), currency: .satoshi)
        let order = try ServeOrder(stored: ["link": "pay:1", "amount": ["amount": "7", "unit": "sat"]])
        for payer in [payers.payer(of: "pay_1", order, tenant: "ann"), payers.quoter(order)] {
            #expect(try await payer.amountChooser?(request) == Self.satoshi(7))
        }
        #expect(payers.quoter(try ServeOrder(stored: ["link": "pay:1"])).amountChooser == nil)
    }

    @Test("An app is named with all that opens it, and the payer's return is taken", arguments: [nil, "shop:back"])
    func app(back: String?) async throws {
        let request = AppRequest(
            name: "Bank", url: Redacted("bank://pay"), payload: Redacted(["a": "b"]), returnURLs: ["shop:back"])
        let right: JSONValue = back.map { ["url": .string($0)] } ?? [:]
        let (action, answer) = try await Self.ask(wrong: [["url": 1], ["url": ""]], right: right) {
            try await $0.appLauncher?(request) ?? nil
        }
        #expect(action["kind"] == "app" && action["name"] == "Bank" && action["url"] == "bank://pay")
        #expect(action["payload"] == ["a": "b"] && action["returns"] == ["shop:back"])
        #expect(try answer.get()?.text == back)
    }

    @Test("A code is shown until the payer has seen it")
    func code() async throws {
        let request = CodeRequest(text: Redacted("text"), expiresAt: Date(timeIntervalSince1970: 0))
        let (action, answer) = try await Self.ask(wrong: [["url": "x"]], right: [:]) {
            try await $0.codeDisplay?(request)
        }
        #expect(action["kind"] == "code" && action["text"] == "text" && action["expires"] == "1970-01-01T00:00:00Z")
        #expect(throws: Never.self) { try answer.get() }
    }

    @Test("A payer who declines is not sent elsewhere, shown nothing, and signs nothing")
    func declined() async throws {
        let questions: [@Sendable (Payer) async throws -> Void] = [
            { _ = try await $0.appLauncher?(AppRequest(name: "Bank", url: nil)) },
            { _ = try await $0.browser?(PageRequest(url: try HTTPURL("https://shop.example/"))) },
            { try await $0.codeDisplay?(CodeRequest(text: Redacted("text"))) },
            {
                _ = try await $0.signer?.sign(
                    SigningRequest(account: try AccountID("eip155:1:0x00"), method: "sign", parameters: []))
            },
        ]
        for question in questions {
            let (_, answer) = try await Self.ask(right: ["decline": true], question)
            #expect(throws: PaymentError.self) { try answer.get() }
        }
    }

    @Test("Data is asked for field by field, and required fields are needed")
    func data() async throws {
        let fields: [DataRequest.Field] = [
            .init(id: "name", name: "Name", kind: .text, isRequired: true),
            .init(id: "town", name: "Town", kind: .text, isRequired: false),
        ]
        let request = DataRequest(fields: fields, formURL: try HTTPURL("https://shop.example/form"))
        let (action, answer) = try await Self.ask(
            wrong: [["values": ["town": "Bonn"]]], right: ["values": ["name": "Ann"]]
        ) { try await $0.dataCollector?(request) }
        #expect(action["fields"]?.array?.map { $0["required"] } == [true, false])
        #expect(action["form"] == "https://shop.example/form")
        #expect(try answer.get()?.mapValues { $0.reveal() } == ["name": "Ann"])
    }

    @Test("A wallet call is handed out by its number, with its review")
    func signature() async throws {
        let review = SigningReview(effects: [], warnings: [.unreviewed], digest: [1, 2], lines: ["Pays."])
        let request = SigningRequest(
            account: try AccountID("eip155:1:0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF"), method: "sign",
            parameters: ["0x00"], review: review, index: 1, count: 3)
        let (action, answer) = try await Self.ask(wrong: [[:]], right: ["result": "0x01"]) {
            try await $0.signer?.sign(request)
        }
        #expect(action["number"] == 2 && action["of"] == 3 && action["parameters"] == ["0x00"])
        #expect(action["review"]?["digest"] == "0x0102" && action["review"]?["lines"] == ["Pays."])
        #expect(try answer.get() == "0x01")
    }
}
