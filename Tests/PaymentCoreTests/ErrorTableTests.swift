import PaymentCore
import ServiceSupport
import Testing

@Suite("Tables of errors")
struct ErrorTableTests {
    private struct Answer: RefusedAnswer {
        var status: Int
        var codes: [String] = []
        var provesNothingWasDone = false
        var retry = PaymentError.RetryAdvice.after(.seconds(7))
        var meaning: ErrorTable.Meaning?
    }

    private struct VendorError: ServiceCallError {
        let failedCall: FailedCall
        init(_ call: FailedCall) { failedCall = call }
    }

    private static let table = ErrorTable(
        service: "Acme", byCode: ["gone": (.notFound, "it is gone"), "busy": (.rateLimited, "Acme is busy")],
        byStatus: [409: (.requestRefused, "it is there (HTTP 409)")], ofSuccess: (.requestRefused, "without a reason"),
        unsendable: .requestRefused)

    private static func error(_ call: FailedCall, isMutation: Bool = false) -> PaymentError {
        table.paymentError(from: VendorError(call), isMutation: isMutation, at: "acme")
    }

    @Test("An answer's own meaning comes first, then its codes in order, then its status")
    func order() {
        let cases: [(Answer, PaymentError.Code, String)] = [
            (Answer(status: 409, codes: ["gone"], meaning: (.integrity, "own")), .integrity, "own"),
            (Answer(status: 409, codes: ["other", "gone", "busy"]), .notFound, "it is gone"),
            (Answer(status: 409, codes: ["other"]), .requestRefused, "it is there (HTTP 409)"),
            (Answer(status: 401), .unauthorized, "Acme does not accept the credentials (HTTP 401)"),
            (Answer(status: 404), .notFound, "Acme does not know this, or not any more (HTTP 404)"),
            (Answer(status: 429), .rateLimited, "Acme asks for fewer requests (HTTP 429); try again later"),
            (Answer(status: 418), .requestRefused, "Acme refused the request (HTTP 418)"),
            (Answer(status: 503), .serviceFailure, "Acme has a fault (HTTP 503); try again later"),
            (Answer(status: 302), .invalidResponse, "Acme redirects elsewhere, which is never followed (HTTP 302)"),
            (Answer(status: 200), .requestRefused, "without a reason"),
            (Answer(status: 700), .invalidResponse, "Acme gave an answer that was not asked for (HTTP 700)"),
        ]
        for (answer, code, text) in cases {
            let meaning = Self.table.meaning(of: answer)
            #expect(meaning.code == code && meaning.text == text, "\(answer.status)")
        }
        #expect(
            ErrorTable().meaning(of: Answer(status: 204)).text
                == "the service gave an answer that was not asked for (HTTP 204)")
    }

    @Test("A refusal of a mutation leaves its fate open, unless it proves that nothing was done")
    func refusals() {
        for proves in [true, false] {
            let answer = Answer(status: 400, codes: ["first", "second"], provesNothingWasDone: proves)
            let call = FailedCall.refused(answer)
            #expect(Self.error(call).phase == .answered)
            #expect(Self.error(call, isMutation: true).phase == (proves ? .answered : .maybeSent))
            #expect(Self.error(call).vendorCode == "first" && Self.error(call).retry == .never)
        }
        for status in [429, 500] {
            #expect(Self.error(.refused(Answer(status: status))).retry == .after(.seconds(7)))
        }
        #expect(Self.error(.refused(Answer(status: 400, codes: ["busy"]))).retry == .after(.seconds(7)))
    }

    @Test("What has no answer, or one that cannot be read, leaves a mutation's fate open")
    func withoutAnswers() {
        let lost = TransportError(.maybeSent, .timedOut, origin: "https://api.example")
        let unsent = TransportError(.notSent, .cancelled, origin: "https://api.example")
        #expect(Self.error(.transport(lost)).phase == .beforeSend)
        #expect(Self.error(.transport(lost), isMutation: true).phase == .maybeSent)
        #expect(Self.error(.transport(unsent), isMutation: true).phase == .beforeSend)
        #expect(Self.error(.transport(unsent)).code == .cancelled)
        let unread = Self.error(.unusableAnswer("no 'id'"), isMutation: true)
        #expect(unread.code == .invalidResponse && unread.phase == .maybeSent && unread.retry == .later)
        #expect(Self.error(.unusableAnswer("no 'id'")).phase == .answered)
        let unsendable = Self.error(.unsendable("too long"), isMutation: true)
        #expect(unsendable.code == .requestRefused && unsendable.phase == .beforeSend)
    }

    @Test("What a vendor's client finds out has the phase that it says")
    func ofItsOwn() {
        let one = FailedCall.other(.integrity, "another", phase: .answered)
        #expect(Self.error(one).phase == .answered && Self.error(one, isMutation: true).phase == .answered)
        let two = FailedCall.other(.integrity, "another", phase: .answered, ifMutation: .maybeSent)
        #expect(Self.error(two).phase == .answered && Self.error(two, isMutation: true).phase == .maybeSent)
        let copy = Self.error(.afterOpenCopy(.refused(Answer(status: 409, provesNothingWasDone: true))))
        #expect(copy.phase == .maybeSent && copy.code == .requestRefused)
        #expect(copy.message == "it is there (HTTP 409); it was sent before, and that may have arrived")
    }

    @Test("The vendor's error is the cause, and the provider is the one that asked")
    func cause() {
        for call: FailedCall in [.unsendable("x"), .unusableAnswer("x"), .afterOpenCopy(.unsendable("x"))] {
            #expect(Self.error(call).cause is VendorError && Self.error(call).provider == "acme")
        }
        let lost = TransportError(.maybeSent, .timedOut, origin: "https://api.example")
        #expect(Self.error(.transport(lost)).cause is VendorError)
    }

    @Test("Meanings that are added come before those that are there")
    func adding() {
        let more = Self.table.adding(
            byCode: ["gone": (.unauthorized, "new")], byStatus: [404: (.notFound, "nothing")], unsendable: .unsupported)
        #expect(more.meaning(of: Answer(status: 400, codes: ["gone"])).text == "new")
        #expect(more.meaning(of: Answer(status: 400, codes: ["busy"])).text == "Acme is busy")
        #expect(more.meaning(of: Answer(status: 404)).text == "nothing")
        #expect(more.meaning(of: Answer(status: 409)).text == "it is there (HTTP 409)")
        #expect(more.meaning(of: Answer(status: 200)).text == "without a reason")
        let error = more.paymentError(from: VendorError(.unsendable("x")), isMutation: false, at: "acme")
        #expect(error.code == .unsupported)
    }
}
