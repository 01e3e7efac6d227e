import Foundation
import PaymentCore
import Synchronization
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

@Suite("Sessions")
struct SessionTests {
    @Test("Init data that cannot be used say why (Protocol 1)")
    func initData() {
        func word(_ data: Payrails.InitData) -> String? {
            #expect(throws: PayrailsError.self) { try SessionPayload(data) }?.word
        }
        let good = Sample.initData().data
        for bad in [
            "", "not base64!", good + "\n", Data("[]".utf8).base64EncodedString(), Data("{".utf8).base64EncodedString(),
        ] {
            #expect(word(Payrails.InitData(version: "1", data: bad)) == "invalidDataFormat")
        }
        for (path, expected) in [
            (["token"], "missingData 'token' is missing"), (["amount"], "missingData 'amount' is missing"),
            (["amount", "value"], "missingData 'amount.value' is missing"),
            (["execution", "id"], "missingData 'execution.id' is missing"),
            (["execution", "links", "self"], "missingData 'execution.links.self' is missing"),
            (["execution", "initialResults"], "missingData 'execution.initialResults' is missing"),
        ] {
            #expect(word(Sample.initData(Sample.payload().removing(path))) == expected)
        }
        var wrong = Sample.payload()
        wrong["amount"]?["value"] = 99
        #expect(
            word(Sample.initData(wrong))
                == "missingData 'amount.value' is not as expected: expected a string, found a number")
        #expect(word(Sample.initData(Sample.payload(token: ""))) == "missingData 'token' is empty")
    }

    @Test("What the service leaves out or adds does no harm")
    func tolerance() throws {
        var payload = Sample.payload()
        payload["featureConfig"] = ["sdkVersion": "x"]
        payload["links"]?["binLookup"] = []
        for path in [["vaultConfiguration"], ["links"], ["holderReference"]] {
            let session = try PayrailsSession.scripted(ScriptedService([:]), payload: payload.removing(path))
            #expect(session.executionId == "e1")
        }
    }

    @Test("Stored instruments: usable ones, in order; an incomplete one is left out alone")
    func stored() throws {
        let session = try PayrailsSession.scripted(ScriptedService([:]))
        let cards = session.storedInstruments(for: .card)
        #expect(cards.map(\.id) == ["i1", "i4"] && cards.map(\.isDefault) == [true, false])
        #expect(cards.map(\.description) == ["411111***1111", "***4444"])
        #expect(cards.map { $0.displayText() } == ["Card ending in 1111", "Card ending in 4444"])
        let account = try #require(session.storedInstruments(for: .payPal).first)
        #expect(account.displayText() == "PayPal - \(Canary.email)" && account.type == .payPal)
        #expect(session.storedInstruments(for: .applePay).isEmpty)
    }

    @Test("Texts for instruments (Protocol 5.8)")
    func texts() {
        struct Custom: StoredInstrument {
            let id = "x"
            var email: String?
            var description: String?
            let type: Payrails.PaymentType
        }
        #expect(StoredCardInstrument(id: "a", bin: "4", suffix: nil).displayText() == "Card ending in 4***")
        #expect(
            StoredCardInstrument(id: "a", bin: nil, suffix: "1111").displayText(cardPrefix: "💳 Card ending in")
                == "💳 Card ending in 1111")
        #expect(Custom(type: .card).displayText() == "Card")
        #expect(Custom(description: "mine", type: .card).displayText() == "Card ending in mine")
        #expect(Custom(email: "", type: .payPal).displayText(paypalPrefix: "PP") == "PP")
        #expect(Custom(type: .genericRedirect).displayText() == "Payment Method")
        #expect(Custom(description: "iDEAL", type: .genericRedirect).displayText() == "iDEAL")
        #expect(!Custom(type: .card).isDefault)
    }

    @Test("Queries (Protocol 6.1)")
    func queries() throws {
        let session = try PayrailsSession.scripted(ScriptedService([:]))
        func text(_ key: PayrailsQueryKey) -> String? { session.query(key).map { "\($0)" } }
        if case .string("holder-1")? = session.query(.holderReference) {} else { Issue.record("holderReference") }
        if case .string("e1")? = session.query(.executionId) {} else { Issue.record("executionId") }
        if case .amount(PayrailsAmount(value: "99.00", currency: "EUR"))? = session.query(.amount) {
        } else {
            Issue.record("amount")
        }
        if case .link(let link)? = session.query(.instrumentDelete) {
            #expect(link.method == "DELETE" && link.href?.hasSuffix("/:instrumentId") == true)
        } else {
            Issue.record("instrumentDelete")
        }
        #expect(session.query(.binLookup) == nil)
        if case .paymentOptions(let options)? = session.query(.paymentMethodConfig(.all)) {
            #expect(options.map(\.paymentMethodCode) == ["card", "payPal", "applePay", "ideal"])
            #expect(options.first?.clientConfig?.displayName == "Card")
        } else {
            Issue.record("paymentMethodConfig")
        }
        #expect(session.getPaymentMethodConfig(.redirect).map(\.paymentMethodCode) == ["ideal"])
        #expect(session.query(.paymentMethodConfig(.specific("none"))) == nil)
        if case .storedInstruments(let list)? = session.query(.paymentMethodInstruments(type: .payPal)) {
            #expect(list.map(\.id) == ["i2"])
        } else {
            Issue.record("paymentMethodInstruments")
        }
        #expect(
            session.isPaymentAvailable(type: .genericRedirect)
                && session.isPaymentCodeAvailable(paymentMethodCode: "ideal"))
        #expect(!session.isPaymentCodeAvailable(paymentMethodCode: "apple_pay"))
    }

    @Test("A refused token while polling asks for a new session once, after the result")
    func refresh() async throws {
        let asked = Mutex(0)
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let service = ScriptedService([.read: [.json(Sample.envelope, 401)]])
        let session = try PayrailsSession.scripted(service) { answer in
            asked.withLock { $0 += 1 }
            answer(.success(Sample.initData(Sample.payload(token: "fresh"))))
            // A second answer must change nothing.
            answer(.success(Sample.initData(Sample.payload(token: "stray"))))
            continuation.yield()
        }
        let result = await session.executePayment(withStoredInstrument: session.card)
        #expect(result.word.hasPrefix("error longPollingFailed Not authorised") && result.mayHaveBeenPaid)
        var signals = stream.makeAsyncIterator()
        await signals.next()
        #expect(asked.withLock { $0 } == 1)
        _ = await session.executePayment(withStoredInstrument: session.card)
        #expect(service.requests.last?.headers["Authorization"] == "Bearer fresh")
        await signals.next()
        #expect(asked.withLock { $0 } == 2)
    }

    @Test("A refresh that fails leaves the session as it is")
    func failedRefresh() async throws {
        struct Offline: Error {}
        let service = ScriptedService([.delete: [.json(Sample.envelope, 403)]])
        let session = try PayrailsSession.scripted(service) { $0(.failure(Offline())) }
        for _ in 0..<2 {
            let error = await #expect(throws: PayrailsError.self) {
                try await session.deleteInstrument(instrumentId: "i1")
            }
            #expect(error?.word == "authenticationError")
        }
        #expect(service.requests.allSatisfy { $0.headers["Authorization"] == "Bearer \(Canary.token)" })
    }

    @Test("A second payment beside the first is refused, and the first continues")
    func guardAgainstTwo() async throws {
        let service = ScriptedService([.authorize: [.silence]])
        let session = try PayrailsSession.scripted(service)
        let first = Task { await session.executePayment(withStoredInstrument: session.card) }
        while service.requests.isEmpty { await Task.yield() }
        let second = await session.executePayment(withStoredInstrument: session.card)
        #expect(second.word.contains("another payment of this session is in progress"))
        #expect(!second.mayHaveBeenPaid && session.isPaymentInProgress)
        session.cancelPayment()
        let result = await first.value
        #expect(result.mayHaveBeenPaid && result.word.contains("cancelled"))
        #expect(!session.isPaymentInProgress && service.requests.count == 1)
    }

    @Test("The callback receives the result once, on the main actor")
    func callback() async throws {
        let service = ScriptedService([.read: [.ok(Sample.status([Sample.requested, Sample.successful]))]])
        let session = try PayrailsSession.scripted(service)
        let word = await withCheckedContinuation { continuation in
            session.executePayment(withStoredInstrument: session.card) { result in
                MainActor.assertIsolated()
                continuation.resume(returning: result.word)
            }
        }
        #expect(word == "success")
    }

    @Test("The token goes to no foreign address")
    func addresses() async throws {
        for address in [
            "https://evil.example/e1", "https://payrails.io.evil.example/e1", "https://notpayrails.io/e1",
            "http://api-pub.payrails.io/e1", "https://api-pub.payrails.io:8443/e1",
        ] {
            let service = ScriptedService([
                .authorize: [.ok(["name": "authorize", "actionId": "a", "links": ["execution": .string(address)]])],
                .read: [.ok(Sample.status([Sample.requested, Sample.successful]))],
            ])
            let result = try await service.pay()
            #expect(result.word.hasPrefix("error pollingFailed"), "\(address)")
            #expect(service.calls == [.authorize])
        }
    }

    @Test("An answer about another payment is no answer")
    func otherPayment() async throws {
        var other = Sample.status([Sample.requested, Sample.successful])
        other["id"] = "e2"
        let result = try await ScriptedService([.read: [.ok(other)]]).pay()
        #expect(result.word.contains("it is about another payment"))
    }
}

extension JSONValue {
    /// This value without the member at `path`.
    func removing(_ path: [String]) -> JSONValue {
        guard let first = path.first else { return self }
        var copy = self
        copy[first] = path.count == 1 ? nil : self[first]?.removing(Array(path.dropFirst()))
        return copy
    }
}
