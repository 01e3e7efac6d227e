import PaymentCore
import Testing

@Suite("What the status of an answer to a mutation proves")
struct RefusalStatusTests {
    /// A second list, by the meaning of each status (RFC 9110, 6585, 7725, 8470, 4918).
    private static let refusals: [Int: String] = [
        400: "malformed", 401: "no credentials", 402: "declined", 403: "not allowed", 404: "nothing there",
        405: "not this method", 407: "no credentials for the proxy", 410: "gone", 411: "no length", 413: "too large",
        414: "address too long", 415: "not this type", 417: "not as expected", 421: "wrong server",
        422: "not processable", 426: "other protocol first", 428: "condition missing", 431: "fields too large",
        451: "not for this payer",
    ]

    @Test("Every code, once as the only copy and once as a later one")
    func everyCode() {
        for status in 100..<1000 {
            var answer = HTTPResponse(status: status)
            #expect(answer.provesNothingWasDone == (Self.refusals[status] != nil), "\(status)")
            answer.mayFollowEarlierCopy = true
            #expect(!answer.provesNothingWasDone, "\(status) to a later copy")
        }
    }

    @Test(
        "What is often taken for a refusal and is none",
        arguments: [
            0, 301, 302, 303, 307, 308, 406, 408, 409, 412, 423, 424, 425, 429, 499, 500, 501, 502, 503, 504, 505,
        ])
    func open(status: Int) {
        #expect(!HTTPResponse(status: status).provesNothingWasDone)
    }

    @Test("The error for an answer says the same, of mutations only")
    func errors() {
        for status in 100..<700 {
            let answer = HTTPResponse(status: status)
            let error = PaymentError(answer, provider: "acme", isMutation: true)
            #expect(error.phase == (answer.provesNothingWasDone ? .answered : .maybeSent), "\(status)")
            #expect(error.message.contains("HTTP \(status)"))
            #expect(PaymentError(answer, provider: "acme", isMutation: false).phase == .answered, "\(status)")
        }
        let codes: [(Int, PaymentError.Code)] = [
            (401, .unauthorized), (404, .notFound), (409, .requestRefused), (429, .rateLimited),
            (503, .serviceFailure), (307, .invalidResponse), (204, .invalidResponse),
        ]
        for (status, code) in codes {
            #expect(PaymentError(HTTPResponse(status: status), provider: nil, isMutation: true).code == code)
        }
    }
}
