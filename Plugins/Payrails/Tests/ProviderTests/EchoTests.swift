import PaymentCore
import PaymentRouting
import Synchronization
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// A service that repeats the session's token wherever it can: no message, store, error or dump holds it.
@Suite("A token that comes back")
struct EchoTests {
    private static let token = Canary.token

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
            var text = shown(session) + shown(session.option) + shown(session.payload)
            let result = await session.executePayment(withStoredInstrument: session.card, presenter: screen)
            text += shown(result) + shown(result.authorizationFailure as Any)
            text += result.authorizationFailure?.message ?? ""
            text += shown(await session.executePayment(with: .payPal, presenter: screen))
            do { text += shown(try await session.deleteInstrument(instrumentId: "i1")) } catch {
                text += shown(error) + (error.errorDescription ?? "")
            }
            do {
                text += shown(
                    try await session.tokenize(
                        try ApplePayToken(
                            paymentData: Array("{}".utf8), displayName: "x", network: "Visa", type: .debit,
                            transactionIdentifier: "t")))
            } catch {
                text += shown(error)
            }
            text += shown(session)
            #expect(!text.contains(Self.token), "script \(index)")
        }
    }

    @Test("Outcomes, errors, logs and journals of a router")
    func router() async throws {
        let link = Sample.link
        let untouched = Array(repeating: Answer.untouched, count: 3)
        for (index, script) in Self.scripts.enumerated() {
            for before in [[], untouched] {
                var script = script
                script[.read] = before + (script[.read] ?? [.ok(Sample.status([Sample.created]))])
                let said = Mutex("")
                let journal = InMemoryJournal()
                let router = try Sample.router(
                    ScriptedService(script), journal, knowing: link,
                    log: PaymentLog { event in said.withLock { $0 += shown(event) } })
                let payer = Payer(chooser: { $0.options.first?.id }, browser: { _ in nil })
                var text = shown(Redacted(link)) + shown(Sample.initData())
                do { text += shown(try await router.pay(link, as: payer)) } catch { text += shown(error) }
                do { text += shown(try await router.status(of: Sample.payment)) } catch { text += shown(error) }
                do {
                    let url = ReturnURLs.standard.success + "?token=\(Self.token)&PayerID=\(Self.token)"
                    text += shown(try await router.handle(url) as Any)
                } catch { text += shown(error) }
                for history in await journal.histories(of: Sample.payment) {
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
                    #expect(!shown(error).contains(Self.token) || path.last == "self", "\(path)")
                }
            }
        }
        #expect(!shown(Sample.initData()).contains(Self.token))
    }
}
