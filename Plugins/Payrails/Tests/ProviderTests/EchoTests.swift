import PaymentCore
import PaymentRouting
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// A service that repeats the session's token wherever it can: no message, store, error or dump holds it.
@Suite("A token that comes back")
struct EchoTests {
    private static let token = Canary.token

    private static func texts(_ value: Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        return dumped + "\(value)" + String(describing: value) + String(reflecting: value)
    }

    /// Answers that hold the token, to every kind of question.
    static let scripts: [[ScriptedService.Call: [Answer]]] = {
        let problem: JSONValue = [
            "errors": [
                ["code": .string(token), "detail": .string("no \(token)"), "reason": ["result": .string(token)]]
            ]
        ]
        func failed(_ problem: JSONValue) -> JSONValue {
            var status = Sample.status([Sample.requested, Sample.failed])
            status["status"] = .array(
                (status["status"]?.array ?? []).map { entry in
                    var entry = entry
                    if entry["code"] == "authorizeFailed" { entry["errors"] = [problem] }
                    return entry
                })
            return status
        }
        func pending(_ links: JSONValue) -> Answer {
            .ok(Sample.status([Sample.requested, Sample.pending], action: "3ds", links: links))
        }
        var odd = Sample.status([Sample.requested])
        odd["status"] = .string(token)
        var scripts: [[ScriptedService.Call: [Answer]]] = []
        for status in [400, 401, 404, 409, 422, 429, 500] {
            scripts.append([.authorize: [.json(problem, status)], .read: [.json(problem, status)]])
            scripts.append([.read: [.json(problem, status)], .delete: [.json(problem, status)]])
            scripts.append([.read: [.bytes(Array("<\(token)>".utf8), status)], .save: [.json(problem, status)]])
        }
        for reason: JSONValue in [["reason": ["result": .string(token)]], ["detail": .string("x \(token)")]] {
            scripts.append([.read: [.ok(failed(reason))]])
        }
        scripts.append([.read: [.ok(odd)], .delete: [.ok(["success": .string(token)])], .save: [.ok(odd)]])
        for address in ["https://\(token).example/", "http://\(token).example/", "x:\(token)", token] {
            scripts.append([.read: [pending(["3ds": .string(address)])], .wait: [.silence]])
            scripts.append([
                .authorize: [.ok(["name": "a", "actionId": "b", "links": ["execution": .string(address)]])]
            ])
        }
        scripts.append([.authorize: [.ok(["name": .string(token), "actionId": 1, "links": [:]])]])
        return scripts
    }()

    @Test("Results, errors and what is stored of the vendor's client")
    func session() async throws {
        for (index, script) in Self.scripts.enumerated() {
            let session = try PayrailsSession.scripted(ScriptedService(script))
            let screen = await Screen(.returns(ReturnURLs.standard.error + "?token=\(Self.token)"))
            var text = Self.texts(session) + Self.texts(session.option) + Self.texts(session.payload)
            let result = await session.executePayment(withStoredInstrument: session.card, presenter: screen)
            text += Self.texts(result) + Self.texts(result.authorizationFailure as Any)
            text += result.authorizationFailure?.message ?? ""
            text += Self.texts(await session.executePayment(with: .payPal, presenter: screen))
            do { text += Self.texts(try await session.deleteInstrument(instrumentId: "i1")) } catch {
                text += Self.texts(error) + (error.errorDescription ?? "")
            }
            do {
                text += Self.texts(
                    try await session.tokenize(
                        try ApplePayToken(
                            paymentData: Array("{}".utf8), displayName: "x", network: "Visa", type: .debit,
                            transactionIdentifier: "t")))
            } catch {
                text += Self.texts(error)
            }
            text += Self.texts(session)
            #expect(!text.contains(Self.token), "script \(index)")
        }
    }

    @Test("Outcomes, errors, logs and journals of a router")
    func router() async throws {
        let link = SessionLink.link(to: Sample.initData()).reveal()
        let untouched = Array(repeating: Answer.ok(Sample.status([Sample.created])), count: 3)
        for (index, script) in Self.scripts.enumerated() {
            for before in [[], untouched] {
                var script = script
                script[.read] = before + (script[.read] ?? [.ok(Sample.status([Sample.created]))])
                let said = Mutex("")
                let journal = InMemoryJournal()
                let router = PaymentRouter(
                    registry: try ProviderRegistry([PayrailsProvider()]), transport: ScriptedService(script),
                    journal: journal, clock: VirtualClock(), random: SeededRandomSource(seed: 7),
                    secrets: Secrets(values: ["payrails.session.e1": link]),
                    log: PaymentLog { event in said.withLock { $0 += Self.texts(event) } })
                let payer = Payer(chooser: { $0.options.first?.id }, browser: { _ in nil })
                var text = Self.texts(Redacted(link)) + Self.texts(Sample.initData())
                do { text += Self.texts(try await router.pay(link, as: payer)) } catch { text += Self.texts(error) }
                let reference = PaymentReference(provider: PayrailsProvider.id, id: "e1")
                do { text += Self.texts(try await router.status(of: reference)) } catch { text += Self.texts(error) }
                do {
                    let url = ReturnURLs.standard.success + "?token=\(Self.token)&PayerID=\(Self.token)"
                    text += Self.texts(try await router.handle(url) as Any)
                } catch { text += Self.texts(error) }
                for history in await journal.histories(of: reference) {
                    text += try JSONValue.encode(history.attempt).text + JSONValue.encode(history.entries).text
                }
                text += said.withLock { $0 }
                #expect(!text.contains(Self.token), "script \(index)")
            }
        }
    }

    @Test("What a session is refused for never quotes it")
    func refusals() throws {
        for path in [["execution", "id"], ["amount"], ["execution", "links", "self"], ["execution"], ["token"]] {
            for value: JSONValue in [
                .string(Self.token + "/.."), .number(JSONNumber(1)), .string("http://\(Self.token).x/"),
            ] {
                guard path != ["token"] || value.string == nil else { continue }
                let data = Sample.initData(Sample.payload().setting(path, value))
                do { _ = try SessionPayload(data) } catch {
                    // A refused address is named by its origin, which may hold anything.
                    #expect(!Self.texts(error).contains(Self.token) || path.last == "self", "\(path)")
                }
            }
        }
        #expect(!Self.texts(Sample.initData()).contains(Self.token))
    }
}
