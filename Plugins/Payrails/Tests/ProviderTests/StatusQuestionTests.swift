import PaymentCore
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// An inquiry that was refused, failed or has an unreadable answer is no evidence about the payment.
@Suite("Questions without an answer")
struct StatusQuestionTests {
    static let codes = [
        300, 302, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 418, 422, 425, 429, 431, 451, 499, 500, 501, 502,
        503, 504, 508, 511,
    ]

    static let bodies: [Answer] = [400].flatMap { status -> [Answer] in
        [
            .bytes([], status), .bytes(Array("<html>".utf8), status), .json(Sample.envelope, status),
            // An error that looks like an outcome.
            .json(Sample.status([Sample.requested, Sample.failed]), status),
            .json(Sample.status([Sample.requested, ("cancelSuccessful", "59.0")]), status),
            .json(Sample.status([Sample.requested, Sample.successful]), status),
        ]
    }

    private static func answers(_ code: Int) -> [Answer] {
        bodies.map { answer in
            switch answer {
            case .json(let value, _): .json(value, code)
            case .bytes(let bytes, _): .bytes(bytes, code)
            default: answer
            }
        }
    }

    private static let waiting = Answer.ok(
        Sample.status(
            [Sample.requested, Sample.pending], action: "3ds",
            links: ["3ds": .string(Sample.host + "/public/redirect/merchant/w/e1/t0")]))

    /// The places of the failing inquiry: at once, while waiting, and after the payer left a page.
    private static func scripts(_ answer: Answer) -> [[ScriptedService.Call: [Answer]]] {
        [
            [.read: [answer], .wait: [answer]], [.read: [.begun, answer], .wait: [answer]],
            [.read: [waiting, answer], .wait: [.silence]], [.read: [waiting, answer], .wait: [answer]],
        ]
    }

    @Test("Every status code through the vendor's client, once the payment was accepted", arguments: codes)
    func client(_ code: Int) async throws {
        for answer in Self.answers(code) {
            for (index, script) in Self.scripts(answer).enumerated() {
                for back in [nil, ReturnURLs.standard.cancel, ReturnURLs.standard.success] {
                    let screen = await Screen(.returns(back))
                    let result = try await ScriptedService(script).pay(screen)
                    guard case .error = result else {
                        Issue.record("\(code) \(index) \(back ?? "closed"): \(result.word)")
                        continue
                    }
                    #expect(result.mayHaveBeenPaid, "\(code) \(index): \(result.word)")
                }
            }
        }
    }

    @Test("An accepted payment whose answer leads nowhere may have been made")
    func answersWithoutAWay() async throws {
        for links: JSONValue in [[:], ["execution": ""], ["execution": "https://evil.example/"], ["execution": "x"]] {
            let service = ScriptedService([
                .authorize: [.json(["name": "authorize", "actionId": "a", "links": links], 201)],
                .read: [.ok(Sample.status([Sample.requested, Sample.successful]))],
            ])
            let result = try await service.pay()
            #expect(result.mayHaveBeenPaid, "\(links.text): \(result.word)")
        }
        for links: JSONValue in [[:], ["3ds": "https://evil.example/"], ["3ds": "javascript:x"], ["3ds": ""]] {
            let service = ScriptedService([
                .read: [.ok(Sample.status([Sample.requested, Sample.pending], action: "3ds", links: links))],
                .wait: [.silence],
            ])
            let screen = await Screen(.stays)
            let result = try await service.pay(screen)
            #expect(result.mayHaveBeenPaid, "\(links.text): \(result.word)")
            #expect(await screen.pages.isEmpty)
        }
    }

    @Test("A token that is refused at once paid nothing, and is said so")
    func refusedAtOnce() async throws {
        let result = try await ScriptedService([.authorize: [.json(Sample.envelope, 401)]]).pay()
        #expect(result.word == "authorizationFailed AUTHENTICATION_ERROR" && !result.mayHaveBeenPaid)
    }
}
