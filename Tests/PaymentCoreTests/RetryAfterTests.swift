import Foundation
import PaymentCore
import Testing

@Suite("When to try again")
struct RetryAfterTests {
    @Test(
        "An answer says how long to wait, in seconds or by a date",
        arguments: [
            ("7", nil, Duration.seconds(7)), ("0", nil, .zero), ("9223372036854775807", nil, .seconds(Int64.max)),
            ("99999999999999999999999", nil, nil), ("-5", nil, nil), ("soon", nil, nil), ("", nil, nil),
            ("1.5", nil, nil),
            ("Sun, 06 Nov 1994 08:49:44 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", .seconds(7)),
            ("Sun, 06 Nov 1994 08:49:30 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", .zero),
            // Without the service's clock its date has no meaning.
            ("Sun, 06 Nov 1994 08:49:44 GMT", nil, nil), ("Sun, 06 Nov 1994 08:49:44 GMT", "today", nil),
        ] as [(String, String?, Duration?)])
    func header(text: String, date: String?, wait: Duration?) {
        var answer = HTTPResponse(status: 429)
        answer.headers["Retry-After"] = text
        answer.headers["Date"] = date
        #expect(answer.retryAfter() == wait)
        #expect(PaymentError(answer, provider: nil, isMutation: false).retry == (wait.map { .after($0) } ?? .later))
    }

    @Test("Only an error that may pass says when, and says it of open mutations too")
    func errors() {
        for status in [400, 402, 404, 429, 500, 503] {
            let answer = HTTPResponse(status: status, headers: ["Retry-After": "7"])
            let expected: PaymentError.RetryAdvice = status == 429 || status >= 500 ? .after(.seconds(7)) : .never
            for isMutation in [false, true] {
                #expect(PaymentError(answer, provider: nil, isMutation: isMutation).retry == expected, "\(status)")
            }
        }
        let silent = PaymentError(HTTPResponse(status: 503), provider: nil, isMutation: true)
        #expect(silent.retry == .later)
    }

    @Test("Waits double up to the longest, are at least what the service asks for, and end where it asks for too much")
    func waits() {
        var waits = RetryPolicy.settling.waits()
        #expect(waits.next() == .milliseconds(500))
        #expect(waits.next(askedFor: .seconds(7)) == .seconds(7))
        #expect(waits.next(askedFor: .milliseconds(1)) == .seconds(2))
        #expect(waits.next(askedFor: .seconds(31)) == nil)
        #expect(waits.next() == .seconds(4))
        #expect(waits.next() == nil)
        var many = RetryPolicy(retries: 9, firstDelay: .seconds(1), longestDelay: .seconds(5)).waits()
        #expect((0..<5).compactMap { _ in many.next() } == [1, 2, 4, 5, 5].map { .seconds($0) })
        var none = RetryPolicy(retries: 0, firstDelay: .seconds(1), longestDelay: .seconds(5)).waits()
        #expect(none.next() == nil)
    }

    @Test(
        "Durations are written in seconds without an exponent, and read back to the attosecond",
        arguments: [
            (.zero, "0.0"), (.seconds(1), "1.0"), (.milliseconds(9), "0.009"), (.nanoseconds(1_000_001), "0.001000001"),
            (.milliseconds(-1), "-0.001"), (.seconds(-2.5), "-2.5"), (.seconds(10) / 3, "3.333333333333333333"),
            (.seconds(4_102_444_800), "4102444800.0"), (.seconds(100_000_000_000_000_000), "100000000000000000.0"),
            (.milliseconds(59_999), "59.999"), (.milliseconds(1_234_567), "1234.567"), (.microseconds(50), "0.00005"),
            (Duration(secondsComponent: 0, attosecondsComponent: 1), "0.000000000000000001"),
            (.seconds(Int64.max), "9223372036854775807.0"),
        ] as [(Duration, String)])
    func durations(duration: Duration, text: String) throws {
        let number = JSONNumber(seconds: duration)
        #expect(number.text == text)
        #expect(number.seconds == (duration < .seconds(0x1p62) ? duration : nil))
    }

    @Test("A service's numbers are durations, if there are such long ones")
    func numbers() {
        #expect(JSONNumber("3.6e3")?.seconds == .seconds(3600))
        for text in ["1e300", "9223372036854775808", "-1e30"] { #expect(JSONNumber(text)?.seconds == nil) }
    }

    @Test("Every outcome is encoded in its one form")
    func outcomes() throws {
        let reference = PaymentReference(provider: "acme", id: "p1")
        let texts: [(ServiceReport, String)] = [
            (
                .succeeded(PaymentReceipt(reference: reference)),
                #"{"succeeded":{"_0":{"reference":{"id":"p1","provider":"acme","subject":"payment"}}}}"#
            ),
            (
                .declined(DeclineReason(.refused, "no")),
                #"{"declined":{"_0":{"code":"refused","message":"no"}}}"#
            ),
            (.cancelled, #"{"cancelled":{}}"#), (.expired, #"{"expired":{}}"#),
            (.pending(retryAfter: nil), #"{"pending":{}}"#),
            (.pending(retryAfter: .milliseconds(1500)), #"{"pending":{"retryAfter":1.5}}"#),
            (
                .unknown(UnknownOutcome(reference: reference, message: "?")),
                #"{"unknown":{"_0":{"message":"?","reference":{"id":"p1","provider":"acme","subject":"payment"}}}}"#
            ),
        ]
        for (outcome, text) in texts {
            let value = try JSONValue(parsing: text)
            #expect(try JSONValue.encode(outcome) == value)
            #expect(try value.decode(ServiceReport.self) == outcome)
        }
    }

    /// A changed file must not make a wait on which the arithmetic of durations overflows.
    @Test(
        "A wait that is too long for a duration is none, and one in another form is refused",
        arguments: ["1e300", "-1e30", "9223372036854775808", "[9223372036854775807,0]", "[-9223372036854775808,1]"])
    func hostileWaits(wait: String) throws {
        let value = try JSONValue(parsing: #"{"pending":{"retryAfter":\#(wait)}}"#)
        if wait.hasPrefix("[") {
            #expect(throws: (any Error).self) { try value.decode(ServiceReport.self) }
        } else {
            #expect(try value.decode(ServiceReport.self) == .pending(retryAfter: nil))
        }
    }
}
