import PaymentCore
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

@Suite("Pages that payers see (Protocol 3.3, 3.5, 3.6, 7)")
struct PageTests {
    private static let challenge = Sample.host + "/public/redirect/merchant/payment-acceptance/e1/t0"
    private static let begun = [Sample.requested, Sample.pending]

    private static func pending(_ links: JSONValue = ["3ds": .string(challenge)]) -> Answer {
        .ok(Sample.status(begun, action: "3ds", links: links))
    }

    private static let paid = Answer.ok(Sample.status(begun + [Sample.successful]))
    private static let declined = Answer.ok(Sample.status(begun + [Sample.failed]))

    private func pay(
        _ service: ScriptedService, _ screen: Screen?, refreshed: (@Sendable () -> Void)? = nil
    ) async throws -> (word: String, slept: Duration) {
        let clock = VirtualClock()
        let session = try PayrailsSession.scripted(service, clock: clock) { _ in refreshed?() }
        let result = await session.executePayment(withStoredInstrument: session.card, presenter: screen)
        return (result.word, clock.slept)
    }

    @Test("Coming back by the success page counts only when the service says so")
    func successPage() async throws {
        for (answer, word) in [(Self.paid, "success"), (Self.declined, "failure GenericRejection")] {
            let service = ScriptedService([
                .read: [Self.pending(), Self.pending(), answer], .wait: [.silence, answer],
            ])
            let screen = await Screen(.returns(ReturnURLs.standard.success + "?x=1#y"))
            // The first caller takes the next answer; both end alike.
            #expect(try await pay(service, screen).word == word)
            let page = try #require(await screen.pages.first)
            #expect(page.url.text == Self.challenge && page.returnURLs == ReturnURLs.standard.all)
        }
        let never = ScriptedService([.read: [Self.pending()], .wait: [Self.pending()]])
        let screen = await Screen(.returns(ReturnURLs.standard.success))
        #expect(try await pay(never, screen).word == "error finalStatusNotFoundAfterLongPoll")
    }

    @Test("When the service reports an ending first, the page is closed")
    func backgroundPoll() async throws {
        let service = ScriptedService([.read: [Self.pending()], .wait: [Self.paid]])
        let screen = await Screen(.stays)
        #expect(try await pay(service, screen).word == "success")
        #expect(await screen.wasClosed)
    }

    @Test("A refused token closes the page too")
    func refusedWhileShown() async throws {
        let service = ScriptedService([.read: [Self.pending()], .wait: [.json(Sample.envelope, 401)]])
        let screen = await Screen(.stays)
        #expect(try await pay(service, screen).word.hasPrefix("error longPollingFailed Not authorised"))
        #expect(await screen.wasClosed)
    }

    @Test(
        "A payer who leaves: three looks, then cancelled",
        arguments: [
            (nil, "cancelledByUser"), (ReturnURLs.standard.cancel, "cancelledByUser"),
            (ReturnURLs.standard.error, "error unknown nil"), ("https://elsewhere.example/", "cancelledByUser"),
            (ReturnURLs.standard.success + ".evil", "cancelledByUser"),
        ])
    func leaving(url: String?, word: String) async throws {
        let service = ScriptedService([.read: [Self.pending()], .wait: [.silence]])
        let (result, slept) = try await pay(service, await Screen(.returns(url)))
        #expect(result == word)
        #expect(slept == .seconds(2))
        #expect((4...5).contains(service.count(.read)))
    }

    @Test("A payer who leaves a payment that was made all the same is notified of the payment")
    func leavingTooLate() async throws {
        for (answer, word) in [(Self.paid, "success"), (Self.declined, "failure GenericRejection")] {
            let service = ScriptedService([
                .read: [Self.pending(), Self.pending(), Self.pending(), answer], .wait: [.silence],
            ])
            #expect(try await pay(service, await Screen(.returns(ReturnURLs.standard.cancel))).word == word)
        }
    }

    @Test("Closing the page asks for a new session, the cancel page does not")
    func refreshAfterLeaving() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        for (url, name) in [(ReturnURLs.standard.cancel, "cancelled"), (nil, "closed")] as [(String?, String)] {
            let service = ScriptedService([.read: [Self.pending()], .wait: [.silence]])
            _ = try await pay(service, await Screen(.returns(url))) { continuation.yield(name) }
        }
        continuation.yield("end")
        var words: [String] = []
        for await word in stream {
            words.append(word)
            // The refresh comes after the result, in a separate task.
            if words.contains("closed"), words.contains("end") { break }
        }
        #expect(!words.contains("cancelled"))
    }

    @Test("Without a presenter, or with one that fails, the payment is not lost")
    func noPresenter() async throws {
        let service = ScriptedService([.read: [Self.pending()], .wait: [.silence]])
        #expect(try await pay(service, nil).word.contains("pass a presenter"))
        #expect(try await pay(service, await Screen(.fails)).word.contains("the presenter failed"))
        let result = try await service.pay()
        #expect(result.mayHaveBeenPaid)
    }

    @Test("Foreign pages are not opened")
    func untrusted() async throws {
        for (links, word) in [
            ([:] as JSONValue, "is missing: the link '3ds' to the challenge"),
            (["3ds": "https://evil.example/"], "https://evil.example is not an address"),
            (["3ds": "http://api.payrails.io/x"], "http://api.payrails.io is plain http"),
            (["3ds": "javascript:alert(1)"], "is missing: 'links.3ds' is not a web address"),
        ] {
            let service = ScriptedService([.read: [Self.pending(links)], .wait: [.silence]])
            let screen = await Screen(.stays)
            let said = try await pay(service, screen).word
            // The payment was begun, so its result is open.
            #expect(said.hasPrefix("error failedToDerivePaymentStatus") && said.contains(word), "\(said)")
            #expect(await screen.pages.isEmpty)
        }
    }

    @Test("Redirects: the success page is asked about, never believed")
    func redirect() async throws {
        let links: JSONValue = ["redirect": "https://bank.example/pay"]
        let service = ScriptedService([.read: [Self.pending(links)], .wait: [.silence, Self.declined]])
        let session = try PayrailsSession.scripted(service)
        let screen = await Screen(.returns(ReturnURLs.standard.success))
        let result = await session.executePayment(with: .genericRedirect, presenter: screen)
        #expect(result.word == "failure GenericRejection" || result.word == "error finalStatusNotFoundAfterLongPoll")
        #expect(await screen.pages.map(\.url.text) == ["https://bank.example/pay"])
        let plain = ScriptedService([.read: [Self.pending(["redirect": "http://bank.example/"])], .wait: [.silence]])
        let other = try PayrailsSession.scripted(plain)
        #expect(
            await other.executePayment(with: .genericRedirect, presenter: screen).word.contains("not an address"))
    }

    @Test("What PayPal needs is checked (Protocol 3.3)")
    func payPal() async throws {
        func links(_ action: JSONValue) -> JSONValue {
            ["confirm": ["method": "POST", "href": .string(Sample.execution + "/confirm"), "action": action]]
        }
        for (links, word) in [
            ([:] as JSONValue, "the link 'confirm'"), (links([:]), "PayPal's order or billing agreement"),
            (links(["parameters": ["orderId": "EC-1"]]), "the address of PayPal's page"),
            (
                links(["parameters": ["orderId": "EC-1"], "redirectUrl": "https://www.paypal.com.evil.example/"]),
                "is not an address"
            ),
        ] {
            let service = ScriptedService([.read: [Self.pending(links)], .wait: [.silence]])
            let session = try PayrailsSession.scripted(service)
            let screen = await Screen(.stays)
            #expect(await session.executePayment(with: .payPal, presenter: screen).word.contains(word))
            #expect(await screen.pages.isEmpty)
        }
    }

    @Test("Return URLs are compared as a whole: scheme, host, port and path")
    func returnURLs() throws {
        let urls = ReturnURLs.standard
        for kind in ReturnURLs.Kind.allCases {
            #expect(urls.kind(of: try PaymentLink(urls[kind])) == kind)
            #expect(urls.kind(of: try PaymentLink(urls[kind] + "?a=b#c")) == kind)
            for other in [urls[kind] + "/", urls[kind] + "x", urls[kind].replacing("https:", with: "http:")] {
                #expect(urls.kind(of: try PaymentLink(other)) == nil, "\(other)")
            }
        }
        for other in [
            "https://assets.payrails.io.evil.example/html/payrails-success.html",
            "https://assets.payrails.io:8443/html/payrails-success.html", "payrails:session",
        ] {
            #expect(urls.kind(of: try PaymentLink(other)) == nil)
        }
        let own = ReturnURLs(success: "shop://paid", cancel: "shop://off", error: "shop://bad", pending: "shop://wait")
        #expect(own.kind(of: try PaymentLink("shop://off?x=1")) == .cancel)
    }
}
