import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// The provider behind a router: durable steps, secrets, returns.
@Suite struct ProviderTests {
    private static let token = "62d5c1e0242011eda300f59379b812ce"

    /// A router over a scripted service, whose journal survives.
    private struct Scripted: Sendable {
        let service: ScriptedCitcon
        var journal = InMemoryJournal()
        var secrets: any SecretStore = NoSecrets()
        var token: Redacted<String>? = Redacted("UPI_canary")
        let events = Mutexed<[String]>([])

        func router() throws -> PaymentRouter {
            let events = events
            return try PaymentRouter(
                try Shop.provider(token), over: service, journal: journal, secrets: secrets,
                log: PaymentLog { event in events.change { $0.append(event.description) } })
        }

        func texts() async throws -> String {
            var texts = events.value.joined(separator: "\n")
            for history in await journal.histories(
                of: PaymentReference(provider: CitconProvider.id, id: "uat/order-1"))
            {
                texts += try JSONValue.encode(history.attempt).text + JSONValue.encode(history.entries).text
            }
            return texts
        }
    }

    private static func payer(_ back: String? = "wxeb0650d489d69e14://pay/?ret=0") -> Payer {
        Payer(
            browser: { _ in try back.map { try PaymentLink($0) } },
            appLauncher: { _ in try back.map { try PaymentLink($0) } }, policy: .firstWhateverItCosts)
    }

    @Test("A payment leaves neither its charge token nor the access token behind")
    func secrets() async throws {
        let world = Scripted(service: ScriptedCitcon())
        let outcome = try await world.router().pay(LinkTests.good, as: Self.payer())
        let receipt = try #require(outcome.receipt)
        #expect(receipt.amount?.description == "12.50 USD")
        #expect(
            world.service.calls == [
                "POST config", "POST charges/\(Self.token)", "GET transactions/2000470537596802752517",
            ])
        let texts = try await world.texts()
        #expect(texts.contains("order-1") && texts.contains("wx20"), "the launch payload is kept for a restart")
        #expect(!texts.contains(Self.token) && !texts.contains("canary"))
    }

    @Test("Consent is not kept either")
    func consentIsNotKept() async throws {
        let world = Scripted(
            service: ScriptedCitcon { call, _ in
                if call == "POST config" { return .ok(#"{"gateway":"braintree","config":{"client_token":"canary"}}"#) }
                if call.hasPrefix("POST") { return .ok(ScriptedCitcon.charge("", status: "succeeded")) }
                return .ok(ScriptedCitcon.transaction(call.contains("type=") ? "initiated" : "succeeded"))
            })
        let back = "\(Shop.scheme).payments://x-callback-url/vzero/auth/venmo/success?paymentMethodNonce=canary-nonce"
        let link = LinkTests.good.replacing("wechatpay", with: "venmo")
        let outcome = try await world.router().pay(link, as: Self.payer(back))
        #expect(outcome.isFinal && outcome.description.hasPrefix("paid"))
        #expect(
            world.service.calls == [
                "POST config", "GET transactions/order-1?type=reference", "POST charges/\(Self.token)",
                "GET transactions/2000470537596802752517",
            ])
        #expect(world.service.seen[2].body?["payment"]?["nonce"] == "canary-nonce")
        #expect(!(try await world.texts()).contains("canary"))
    }

    @Test("Where confirming takes the money, the charge is compared with the link before")
    func comparedBefore() async throws {
        let asked = Mutexed(0)
        for answer in [
            ScriptedCitcon.Answer.ok(ScriptedCitcon.transaction("initiated", amount: 99_999)),
            .ok(ScriptedCitcon.transaction("initiated").replacing("USD", with: "KWD")), .fail(404, "4103", "not found"),
        ] {
            let world = Scripted(service: ScriptedCitcon(gateway: "braintree", inquiry: answer))
            await #expect(throws: PaymentError.self) {
                try await world.router().pay(
                    LinkTests.good.replacing("wechatpay", with: "card"), as: Shop.payer(asked))
            }
            #expect(world.service.confirmations == 0)
        }
        #expect(asked.value == 0)
    }

    @Test("A confirmation of another amount opens no wallet, and is no success")
    func anotherAmount() async throws {
        let opened = Mutexed(0)
        let world = Scripted(
            service: ScriptedCitcon(
                confirm: .ok(ScriptedCitcon.charge(amount: 1_250_000)),
                inquiry: .ok(ScriptedCitcon.transaction("initiated", amount: 1_250_000))))
        let outcome = try await world.router().pay(LinkTests.good, as: Shop.payer(opened))
        let unknown = try #require(outcome.unknownOutcome)
        #expect(unknown.message.contains("something else") && opened.value == 0)
    }

    @Test("A lost confirmation is settled by the reference and never sent again (Protocol 2.8)")
    func lostConfirmation() async throws {
        let state = Mutexed("initiated")
        let world = Scripted(
            service: ScriptedCitcon(confirm: .failure(.maybeSent, .connectionLost("x")), state: state))
        let first = try await world.router().pay(LinkTests.good, as: Self.payer())
        #expect(!first.isFinal)
        let again = try await world.router().pay(LinkTests.good, as: Self.payer())
        #expect(!again.isFinal)
        state.change { $0 = "expired" }
        #expect(try await world.router().pay(LinkTests.good, as: Self.payer()) == .expired)
        #expect(world.service.confirmations == 1)
        #expect(world.service.calls.contains("GET transactions/order-1?type=reference"))
    }

    @Test("An attempt whose confirmation ended is resumed without its link")
    func goesOnWithoutLink() async throws {
        let state = Mutexed("pending")
        let world = Scripted(service: ScriptedCitcon(state: state))
        let first = try await world.router().pay(LinkTests.good, as: Self.payer())
        #expect(first == .pending(retryAfter: nil))
        let open = await world.journal.unfinished()
        let attempt = try #require(open.first?.attempt.id)
        state.change { $0 = "succeeded" }
        let outcome = try await world.router().resume(attempt, as: Payer())
        #expect(outcome.description.hasPrefix("paid"))
        #expect(world.service.confirmations == 1)
    }

    @Test("An attempt that never confirmed cannot be resumed without its link, and says so")
    func needsLink() async throws {
        let world = Scripted(service: ScriptedCitcon())
        let provider = try Shop.provider()
        let token = try CitconOrderLink(PaymentLink(LinkTests.good)).token
        let option = PaymentMethodOption(
            id: "wechatpay", title: "WeChat Pay", amount: try Money(minorUnits: 1250, currency: .usd),
            providerData: try JSONValue.encode(OrderTerms(token)))
        let attempt = PaymentAttempt(
            id: AttemptID(rawValue: "att_1"), reference: PaymentReference(provider: CitconProvider.id, id: "order-1"),
            option: option, idempotencyKey: "k", startedAt: Date(timeIntervalSince1970: 1_800_000_000), expiresAt: nil)
        for link in [nil, try PaymentLink(LinkTests.good.replacing("order-1", with: "order-2"))] {
            let context = ProviderContext.unstored(
                hosts: provider.descriptor.outboundHosts, http: world.service, payer: Self.payer(),
                clock: VirtualClock(), link: link)
            let error = await failure { _ = try await provider.pay(attempt, in: context) }
            #expect(error?.code == .unusableOption && error?.phase == .beforeSend)
            #expect(error?.message.contains("link") == true)
        }
        #expect(world.service.confirmations == 0)
    }

    @Test("A payer who cancelled it can try again: the wallet opens a second time")
    func calledOff() async throws {
        let (state, opened) = (Mutexed("initiated"), Mutexed(0))
        let world = Scripted(service: ScriptedCitcon(state: state))
        let payer = Payer(
            appLauncher: { _ in
                opened.change { $0 += 1 }
                if opened.value == 2 { state.change { $0 = "succeeded" } }
                return try PaymentLink("wxeb0650d489d69e14://pay/?ret=\(opened.value == 2 ? 0 : -2)")
            }, policy: .firstWhateverItCosts)
        #expect(try await world.router().pay(LinkTests.good, as: payer) == .pending(retryAfter: nil))
        #expect(opened.value == 1)
        #expect(try await world.router().pay(LinkTests.good, as: payer).description.hasPrefix("paid"))
        #expect(opened.value == 2 && world.service.confirmations == 1)
    }

    @Test("A wallet that was opened and paid does not open again after a restart")
    func notTwice() async throws {
        let world = Scripted(
            service: ScriptedCitcon { call, count in
                if call == "POST config" { return .ok(#"{"gateway":"wechatpay"}"#) }
                if call.hasPrefix("POST") { return .ok(ScriptedCitcon.charge()) }
                return .ok(ScriptedCitcon.transaction(count > 20 ? "succeeded" : "initiated"))
            })
        let opened = Mutexed(0)
        let payer = Payer(
            appLauncher: { _ in
                opened.change { $0 += 1 }
                throw CancellationError()
            }, policy: .firstWhateverItCosts)
        let router = try world.router()
        var outcome = try await router.pay(LinkTests.good, as: payer)
        for _ in 0..<30 where !outcome.isFinal {
            outcome = try await router.pay(LinkTests.good, as: Self.payer(nil))
        }
        #expect(outcome.description.hasPrefix("paid") && opened.value == 1)
    }

    @Test("A return URL completes the open payment by the service's status alone")
    func completes() async throws {
        let state = Mutexed("pending")
        let world = Scripted(service: ScriptedCitcon(state: state))
        let router = try world.router()
        let url = "wxeb0650d489d69e14://pay/?returnKey=a&ret=0"
        #expect(try await router.handle(url) == nil, "nothing is open")
        _ = try await router.pay(LinkTests.good, as: Self.payer(nil))
        #expect(try await router.handle("evil://pay/?ret=0") == nil)
        #expect(try await router.handle(url) == .pending(retryAfter: nil))
        state.change { $0 = "succeeded" }
        #expect(try await router.handle(url)?.description.hasPrefix("paid") == true)
        #expect(try await router.handle(url) == nil, "nothing is open any more")
    }

    @Test("Returns are routed as callbacks and never as payments")
    func callbacks() throws {
        let router = try Scripted(service: ScriptedCitcon()).router()
        for row in ReturnTests.accepted {
            guard case .matched(let route) = router.route(row.url) else {
                #expect(row.expected == nil || row.url.contains("app://"), "\(row.url)")
                continue
            }
            #expect(row.expected != nil && route.match.role == .callback && route.match.reference == nil)
        }
    }

    @Test("The access token comes from the configuration, or from the application's secrets")
    func accessToken() async throws {
        struct Store: SecretStore {
            func secret(_ name: String) async throws -> Redacted<String>? {
                name == "citcon.access-token" ? Redacted("UPI_stored") : nil
            }
        }
        let world = Scripted(service: ScriptedCitcon(), secrets: Store(), token: nil)
        _ = try await world.router().pay(LinkTests.good, as: Self.payer())
        #expect(world.service.seen.allSatisfy { $0.headers["Authorization"] == "Bearer UPI_stored" })
        let none = Scripted(service: ScriptedCitcon(), token: nil)
        #expect(
            await failure { _ = try await none.router().pay(LinkTests.good, as: Self.payer()) }?.code == .unauthorized)
        #expect(none.service.calls.isEmpty)
    }

    @Test("What the gateway needs and the payer cannot do is said before anything is confirmed")
    func cannotFulfil() async throws {
        // The link's method needs an app; the gateway that the service names needs a page.
        let world = Scripted(
            service: ScriptedCitcon(
                gateway: "fomo", confirm: .ok(ScriptedCitcon.charge("https://x.example/", format: "redirect"))))
        let payer = Payer(appLauncher: { _ in nil }, policy: .firstWhateverItCosts)
        let error = await failure { _ = try await world.router().pay(LinkTests.good, as: payer) }
        #expect(error?.code == .payer && error?.phase == .beforeSend)
        #expect(world.service.calls == ["POST config"])
        let unknown = Scripted(service: ScriptedCitcon(gateway: "octopus"))
        #expect(
            await failure { _ = try await unknown.router().pay(LinkTests.good, as: Self.payer()) }?.code == .unsupported
        )
    }

    @Test("A refused confirmation of a charge that is over says how it ended")
    func overAlready() async throws {
        for (state, expected) in [("expired", "expired"), ("succeeded", "paid"), ("canceled", "cancelled")] {
            let world = Scripted(
                service: ScriptedCitcon(
                    confirm: .fail(400, "4000", "bad request"), inquiry: .ok(ScriptedCitcon.transaction(state))))
            let outcome = try await world.router().pay(LinkTests.good, as: Self.payer())
            #expect(outcome.description.hasPrefix(expected))
        }
        let open = Scripted(
            service: ScriptedCitcon(
                confirm: .fail(400, "4000", "bad request"), inquiry: .ok(ScriptedCitcon.transaction("initiated"))))
        #expect(
            await failure { _ = try await open.router().pay(LinkTests.good, as: Self.payer()) }?.vendorCode == "4000")
    }

    @Test("A card whose charge is over already is not asked for")
    func overBefore() async throws {
        let world = Scripted(service: ScriptedCitcon(gateway: "braintree"))
        let payer = Payer(
            appLauncher: { _ in
                Issue.record("the payer was asked")
                return nil
            }, policy: .firstWhateverItCosts)
        let link = LinkTests.good.replacing("wechatpay", with: "card")
        #expect(try await world.router().pay(link, as: payer).description.hasPrefix("paid"))
        #expect(world.service.calls == ["POST config", "GET transactions/order-1?type=reference"])
    }
}

/// A value that tests share with closures.
final class Mutexed<Value: Sendable>: Sendable {
    private let content: Mutex<Value>

    init(_ value: Value) { content = Mutex(value) }

    var value: Value { content.withLock { $0 } }

    func change(_ change: (inout Value) -> Void) {
        content.withLock { value in
            var copy = value
            change(&copy)
            value = copy
        }
    }
}
