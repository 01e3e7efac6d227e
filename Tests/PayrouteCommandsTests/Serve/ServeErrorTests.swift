import PaymentCore
import Testing

@testable import PayrouteCommands

/// Errors of the router as answers of `payroute serve`.
@Suite("serve: errors")
struct ServeErrorTests {
    @Test(
        "The status is that of the error's code",
        arguments: [
            (PaymentError.Code.untrustedNotification, 403), (.notFound, 404), (.inUse, 409), (.openPeriod, 409),
            (.earlierPayment, 409), (.attemptEnded, 409), (.integrity, 409), (.foreignReturn, 409),
            (.refundTooLarge, 409), (.network, 502), (.rateLimited, 502), (.serviceFailure, 502),
            (.invalidResponse, 502), (.unauthorized, 502), (.providerFault, 502), (.journal, 503),
            (.unroutable, 422), (.payer, 422),
        ])
    func status(code: PaymentError.Code, status: Int) {
        let error = ServeError(PaymentError(code, "it failed", provider: "shop", phase: .maybeSent))
        #expect(error.status == status)
        #expect(
            error.json == [
                "error": [
                    "code": .string(code.rawValue), "message": "it failed", "phase": "maybe-sent", "provider": "shop",
                ]
            ])
    }

    @Test("An error of the interface has no provider, and was not sent")
    func own() {
        #expect(
            ServeError.malformed("no").json["error"] == [
                "code": "malformed-request", "message": "no", "phase": "before-send",
            ])
        #expect(ServeError.malformed("no").status == 422 && ServeError.notFound.status == 404)
        #expect(ServeError.table(ServeError.notFound).status == 503)
        let long = ServeError.malformed(String(repeating: "x", count: 2000)).json["error"]?["message"]?.string
        #expect((1000...1001).contains(long?.count ?? 0))
    }

    @Test("Of a payment that is open a statement stays as it is")
    func open() {
        for isOpen in [false, true] {
            let outcome = ServeOutcome.json(.stated(.pending(retryAfter: nil)), isOpen: isOpen)
            #expect(outcome["outcome"] == "pending" && outcome["askAgain"] == true && outcome["error"] == .null)
        }
    }
}
