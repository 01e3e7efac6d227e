import PaymentCore
import PaymentRouting
import PaymentTesting
import PayrailsSandbox
import Synchronization
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// Payers who return from PayPal with another order than the service's (Protocol 3.3).
@Suite("Returns of other orders")
struct ForeignReturnTests {
    /// The service's order, its returns, and the returns of others.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let parameters: JSONValue
        let own: [String]
        let foreign: [String]

        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "an order and an agreement", parameters: ["orderId": "EC-1", "tokenId": "BA-1"],
            own: [
                "token=EC-1&ba_token=BA-1&PayerID=P", "token=EC-1&PayerID=P", "ba_token=BA-1&PayerID=P", "PayerID=P",
            ],
            foreign: [
                "token=EC-2&ba_token=BA-1&PayerID=P", "token=EC-1&ba_token=BA-2&PayerID=P", "token=EC-2&PayerID=P",
                "ba_token=BA-2&PayerID=P", "token=EC-1&token=EC-2&PayerID=P", "token=&PayerID=P",
                "token=ec-1&PayerID=P", "token=EC-1%20&PayerID=P", "PayerID=P&PayerID=Q&token=EC-1",
                "token=%zz&PayerID=P",
                "token=EC-2",
            ]),
        Case(
            name: "an order", parameters: ["orderId": "EC-1"], own: ["token=EC-1&PayerID=P"],
            foreign: ["token=EC-2&PayerID=P", "ba_token=BA-1&PayerID=P"]),
        Case(
            name: "an agreement", parameters: ["tokenId": "BA-1"],
            own: ["token=EC-7&ba_token=BA-1&PayerID=P", "token=BA-1&PayerID=P"],
            foreign: ["token=EC-7&PayerID=P", "token=EC-7&ba_token=BA-2&PayerID=P"]),
    ]

    private static func pending(_ row: Case) -> Answer {
        .ok(
            Sample.status(
                [Sample.requested, Sample.pending], action: "redirect", links: Sample.payPal(row.parameters)))
    }

    private static let paid = Answer.ok(Sample.status([Sample.requested, Sample.pending, Sample.successful]))

    @Test("The vendor's client confirms what was approved, and nothing else", arguments: cases)
    func session(_ row: Case) async throws {
        for kind in [ReturnURLs.Kind.success, .pending, .cancel, .error] {
            for query in row.foreign {
                let service = ScriptedService([
                    .read: [Self.pending(row)], .wait: [.silence], .confirm: [.json(Sample.authorized, 202)],
                ])
                let session = try PayrailsSession.scripted(service)
                let screen = await Screen(.returns("\(ReturnURLs.standard[kind])?\(query)"))
                let result = await session.executePayment(with: .payPal, presenter: screen)
                #expect(result.word.contains("another order"), "\(kind) \(query): \(result.word)")
                #expect(result.mayHaveBeenPaid && service.count(.confirm) == 0, "\(query)")
            }
        }
        for query in row.own {
            let service = ScriptedService([
                .read: [Self.pending(row), Self.paid], .wait: [.silence], .confirm: [.json(Sample.authorized, 202)],
            ])
            let session = try PayrailsSession.scripted(service)
            let screen = await Screen(.returns("\(ReturnURLs.standard.success)?\(query)"))
            let result = await session.executePayment(with: .payPal, presenter: screen)
            #expect(result.word == "success", "\(query)")
        }
    }

    @Test("The service's status is final, also after a return of another order")
    func paidAllTheSame() async throws {
        let service = ScriptedService([.read: [Self.pending(Self.cases[0]), Self.paid], .wait: [.silence]])
        let session = try PayrailsSession.scripted(service)
        let screen = await Screen(.returns(ReturnURLs.standard.success + "?token=EC-2&PayerID=P"))
        #expect(await session.executePayment(with: .payPal, presenter: screen).word == "success")
    }

    @Test("Behind a router: the page's return", arguments: cases)
    func visit(_ row: Case) async throws {
        for query in row.foreign {
            let service = ScriptedService([
                .read: [.untouched, .untouched, .untouched, Self.pending(row)], .wait: [.silence],
                .confirm: [.json(Sample.authorized, 202)],
            ])
            let journal = InMemoryJournal()
            let url = "\(ReturnURLs.standard.success)?\(query)"
            let payer = Payer(
                chooser: { $0.options.first { $0.id == "payPal" }?.id }, browser: { _ in try PaymentLink(url) })
            let outcome = try await Sample.router(service, journal).pay(Sample.link, as: payer)
            let unknown = try #require(outcome.unknownOutcome, "\(query): \(outcome)")
            #expect(unknown.message.contains("another order") && service.count(.confirm) == 0)
            #expect(await journal.unfinished().count == 1)
        }
    }

    @Test("Behind a router in the sandbox: a return handed in later, twice, and to the right one of two")
    func handled() async throws {
        let world = PayrailsWorld()
        let first = await world.sandbox.createSession()
        let second = await world.sandbox.createSession()
        let journal = InMemoryJournal()
        let router = try world.router(
            journal,
            secrets: ["payrails.session.\(first.id)": first.link, "payrails.session.\(second.id)": second.link])
        let returned = Mutex<[String]>([])
        let browser = try #require(world.payer("payPal", .completes).browser)
        var payer = world.payer("payPal", .leaves)
        payer.browser = { page in
            let link = try await browser(page)
            returned.withLock { $0.append(link?.text ?? "") }
            return nil
        }
        for made in [first, second] {
            #expect(try await router.pay(made.link, as: payer) == .pending(retryAfter: nil))
        }
        let urls = returned.withLock { $0 }
        for foreign in ["token=EC-0&PayerID=P", "ba_token=BA-0&PayerID=P"] {
            for page in [ReturnURLs.standard.success, ReturnURLs.standard.cancel] {
                #expect(await failure { _ = try await router.handle("\(page)?\(foreign)") }?.code == .foreignReturn)
            }
        }
        #expect(await journal.unfinished().count == 2)
        #expect(await world.captures(first.id) == 0)
        #expect(await world.captures(second.id) == 0)
        // The latest payment is the second; this is the first one's return.
        let outcome = try await router.handle(urls[0])
        #expect(outcome == .succeeded(PaymentReceipt(reference: PaymentReference(provider: "payrails", id: first.id))))
        #expect(await world.captures(first.id) == 1)
        #expect(await world.captures(second.id) == 0)
        #expect(await failure { _ = try await router.handle(urls[0]) }?.code == .foreignReturn)
        #expect(await world.captures(first.id) == 1)
        #expect(await world.captures(second.id) == 0)
        _ = try await router.handle(urls[1])
        #expect(await world.captures(second.id) == 1)
        #expect(try await router.handle(urls[1]) == nil)
    }
}
