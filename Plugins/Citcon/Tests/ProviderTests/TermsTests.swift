import PaymentCore
import PaymentRouting
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// A confirmation states the terms before any payer is sent to pay them (Protocol 2.5).
@Suite struct TermsTests {
    /// Answers of a service with other terms than those of the request.
    static let lies: [(String, String, String)] = [
        ("another reference", #""reference":"order-1""#, #""reference":"order-2""#),
        ("no reference", #""reference":"order-1","#, ""),
        ("an empty reference", #""reference":"order-1""#, #""reference":"""#),
        ("a reference that is a number", #""reference":"order-1""#, #""reference":1"#),
        ("another amount", #""amount":1250,"#, #""amount":125000,"#), ("no amount", #""amount":1250,"#, ""),
        ("null for an amount", #""amount":1250,"#, #""amount":null,"#),
        ("an amount as a text", #""amount":1250,"#, #""amount":"1250","#),
        ("an empty amount", #""amount":1250,"#, #""amount":"","#),
        ("a fraction", #""amount":1250,"#, #""amount":1250.5,"#),
        ("an amount beyond all integers", #""amount":1250,"#, #""amount":1250e40,"#),
        ("a negative amount", #""amount":1250,"#, #""amount":-1250,"#),
        ("another currency", #""currency":"USD""#, #""currency":"KWD""#),
        ("no currency", #""currency":"USD","#, ""), ("an empty currency", #""currency":"USD""#, #""currency":"""#),
        ("a currency that is a list", #""currency":"USD""#, #""currency":["USD"]"#),
    ]

    private static func lie(_ old: String, _ new: String, _ charge: String = ScriptedCitcon.charge()) -> String {
        charge.replacing(old, with: new)
    }

    @Test("Through the router: no payer is sent anywhere, and no end is reported", arguments: lies)
    func router(_ name: String, _ old: String, _ new: String) async throws {
        let charge = ScriptedCitcon.charge()
        #expect(Self.lie(old, new) != charge)
        let opened = Mutexed(0)
        let journal = InMemoryJournal()
        let service = ScriptedCitcon(
            confirm: .ok(Self.lie(old, new)), inquiry: .ok(ScriptedCitcon.transaction("initiated")))
        let outcome = try await Shop.router(service, journal).pay(LinkTests.good, as: Shop.payer(opened))
        #expect(opened.value == 0)
        let unknown = try #require(outcome.unknownOutcome, "\(name): \(outcome)")
        #expect(unknown.message.contains("do not pay again"), "\(unknown.message)")
        #expect(await journal.unfinished().count == 1, "it stays open")
    }

    @Test("Through the vendor's client: no payer is sent anywhere", arguments: lies)
    func client(_ name: String, _ old: String, _ new: String) async throws {
        let opened = Mutexed(0)
        let client = try CPayClient(
            // Final, so that a client that sends the payer away does not wait without end.
            ScriptedCitcon(confirm: .ok(Self.lie(old, new)), inquiry: .ok(ScriptedCitcon.transaction("failed"))),
            clock: VirtualClock()
        ) { _ in
            opened.change { $0 += 1 }
            return .returned(url: nil)
        }
        let result = await client.requestOrder(Shop.order())
        #expect(result.status == "fail" && !result.isPaid && opened.value == 0, "\(name)")
    }

    @Test("What only looks different is the same: another case of the currency, zeros after the point")
    func sameTerms() async throws {
        for (old, new) in [(#""USD""#, #""usd""#), (#""amount":1250,"#, #""amount":1250.00,"#)] {
            let service = ScriptedCitcon(
                confirm: .ok(Self.lie(old, new)), inquiry: .ok(Self.lie(old, new, ScriptedCitcon.transaction())))
            let opened = Mutexed(0)
            let outcome = try await Shop.router(service).pay(
                LinkTests.good, as: Shop.payer(opened))
            let receipt = try #require(outcome.receipt)
            #expect(opened.value == 1 && receipt.amount?.description == "12.50 USD")
            let client = try CPayClient(service, launcher: { _ in .returned(url: "wxeb0650d489d69e14://pay/?ret=0") })
            #expect(await client.requestOrder(Shop.order()).isPaid)
        }
    }

    // MARK: Money may have moved

    @Test("A card that may have been charged for something else is no plain failure", arguments: lies)
    func charged(_ name: String, _ old: String, _ new: String) async throws {
        let wrong = Self.lie(old, new, ScriptedCitcon.charge("", status: "succeeded"))
        for inquiry in [
            ScriptedCitcon.Answer.fail(404, "4103", "not found"), .fail(500, "5100", "down"),
            .ok(ScriptedCitcon.transaction("initiated")), .ok(ScriptedCitcon.transaction("failed")),
            .ok(Self.lie(old, new, ScriptedCitcon.transaction())), .failure(.maybeSent, .timedOut),
        ] {
            let service = ScriptedCitcon(
                gateway: "braintree", confirm: .ok(wrong), inquiry: inquiry, before: ScriptedCitcon.waiting)
            let heard = Heard()
            let client = try CPayClient(service, clock: VirtualClock(), heard: heard)
            let result = await client.requestOrder(Shop.card())
            #expect(result.status == "fail" && !result.isPaid, "\(name)")
            #expect(result.data.status == "succeeded" && result.data.id == "2000470537596802752517", "\(name)")
            #expect(result.data.message?.contains("do not pay again") == true, "\(result)")
            #expect(service.calls.last == "GET transactions/order-1?type=reference", "\(name)")
            _ = await heard.first(1)
            #expect(!heard.all.contains { $0.hasPrefix("confirmed") }, "another order is not this one's confirmation")
        }
    }

    @Test("The inquiry after such a confirmation is final when it calls this very order paid")
    func chargedAfterAll() async throws {
        let wrong = ScriptedCitcon.charge("", status: "succeeded").replacing("1250", with: "7")
        let client = try CPayClient(
            ScriptedCitcon(gateway: "braintree", confirm: .ok(wrong), before: ScriptedCitcon.waiting))
        let result = await client.requestOrder(Shop.card())
        #expect(result.isPaid && result.data.amount == 1250)
    }

    @Test("Through the router a card that may have been charged is settled by status, never abandoned")
    func chargedThroughTheRouter() async throws {
        let wrong = ScriptedCitcon.charge("", status: "succeeded").replacing("1250", with: "7")
        for (states, expected) in [(["initiated", "succeeded"], "paid"), (["initiated", "initiated"], "unknown")] {
            let asked = Mutexed(0)
            let service = ScriptedCitcon { call, _ in
                if call == "POST config" { return .ok(#"{"gateway":"braintree","config":{}}"#) }
                if call.hasPrefix("POST") { return .ok(wrong) }
                asked.change { $0 += 1 }
                return .ok(ScriptedCitcon.transaction(asked.value == 1 ? states[0] : states[1]))
            }
            let journal = InMemoryJournal()
            let back = "\(Shop.scheme).payments://x-callback-url/vzero/auth/venmo/success?paymentMethodNonce=n"
            let payer = Payer(appLauncher: { _ in try PaymentLink(back) }, policy: .firstWhateverItCosts)
            let outcome = try await Shop.router(service, journal).pay(
                LinkTests.good.replacing("wechatpay", with: "venmo"), as: payer)
            #expect(outcome.description.hasPrefix(expected), "\(outcome)")
            #expect(await journal.unfinished().isEmpty == outcome.isFinal)
            #expect(service.confirmations == 1)
        }
    }

    // MARK: Inquiries

    @Test("An inquiry about other terms, or without any, is never final", arguments: lies)
    func inquiry(_ name: String, _ old: String, _ new: String) async throws {
        for state in ["succeeded", "authorized", "failed", "canceled", "expired"] {
            let service = ScriptedCitcon(inquiry: .ok(Self.lie(old, new, ScriptedCitcon.transaction(state))))
            let outcome = try await Shop.router(service).pay(
                LinkTests.good, as: Shop.payer())
            if state == "succeeded" || state == "authorized" {
                #expect(!outcome.isFinal, "\(name): \(outcome)")
            } else if old.contains("reference") {
                #expect(!outcome.isFinal, "\(name): \(outcome)")
            }
            let client = try CPayClient(service, launcher: { _ in .returned(url: "wxeb0650d489d69e14://pay/?ret=0") })
            #expect(await client.requestOrder(Shop.order()).isPaid == false, "\(name)")
        }
    }

    @Test("An inquiry by id that is answered about another transaction is no answer")
    func otherTransaction() async throws {
        let other = ScriptedCitcon.transaction().replacing("2000470537596802752517", with: "2000470537596802752518")
        let service = ScriptedCitcon { call, _ in
            if call == "POST config" { return .ok(#"{"gateway":"wechatpay"}"#) }
            if call.hasPrefix("POST") { return .ok(ScriptedCitcon.charge()) }
            return .ok(call.contains("type=") ? ScriptedCitcon.transaction("pending") : other)
        }
        let outcome = try await Shop.router(service).pay(LinkTests.good, as: Shop.payer())
        #expect(!outcome.isFinal, "\(outcome)")
        let client = try CPayClient(service, launcher: { _ in .returned(url: "wxeb0650d489d69e14://pay/?ret=0") })
        #expect(await client.requestOrder(Shop.order()).isPaid == false)
    }
}
