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

    /// Values in journals, written by releases in which these were binary fractions.
    @Test(
        "Seconds are written as they always were, and read back to the attosecond",
        arguments: [
            0, 1, 1.5, 2, 0.5, 0.25, 0.1, 0.2, 0.3, 0.001, 0.009, 0.0001, 0.00005, 3600, 1234.567, 86_400.125, 9e15,
            1e17,
            4_102_444_800, 0.333, 59.999,
        ])
    func stored(value: Double) throws {
        let number = try #require(JSONNumber(value))
        let duration = try #require(number.seconds)
        #expect(JSONNumber(seconds: duration).text == number.text)
        #expect(JSONNumber(seconds: duration).seconds == duration)
        let outcome = PaymentOutcome.pending(retryAfter: duration)
        let text = try JSONValue.encode(outcome).text
        #expect(text == #"{"pending":{"retryAfter":\#(number.text)}}"#)
        #expect(try JSONValue(parsing: text).decode(PaymentOutcome.self) == outcome)
    }

    @Test("Durations of our own come back from a journal as they were")
    func durations() {
        for duration in [
            Duration.seconds(10) / 3, .milliseconds(9), .nanoseconds(1_000_001), .seconds(-2.5), .zero,
            .milliseconds(-1),
        ] {
            #expect(JSONNumber(seconds: duration).seconds == duration, "\(duration)")
        }
        for text in ["1e300", "9223372036854775808", "-1e30"] { #expect(JSONNumber(text)?.seconds == nil) }
    }

    @Test("Every outcome is encoded in its one form")
    func outcomes() throws {
        let reference = PaymentReference(provider: "acme", id: "p1")
        let texts: [(PaymentOutcome, String)] = [
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
            #expect(try value.decode(PaymentOutcome.self) == outcome)
        }
    }
}
