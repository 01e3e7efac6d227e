import Foundation
import PaymentCore
import Testing

@testable import PayrailsProvider

@Suite("Times and statuses")
struct WireTests {
    @Test(
        "Times (Protocol 1.3)",
        arguments: [
            ("1970-01-01T00:00:00Z", 0, 0), ("2026-09-23T22:33:57.004978732Z", 1_790_202_837, 4_978_732),
            ("2026-09-23T22:33:57.1Z", 1_790_202_837, 100_000_000),
            ("2026-09-23T22:33:57.1234567891Z", 1_790_202_837, 123_456_789),
            ("2026-09-24T00:33:57+02:00", 1_790_202_837, 0), ("2026-09-23T20:03:57-02:30", 1_790_202_837, 0),
            ("0001-01-01T00:00:00Z", -62_135_596_800, 0), ("2024-02-29T12:00:00Z", 1_709_208_000, 0),
            ("2000-03-01T00:00:00Z", 951_868_800, 0),
            // Forms that the vendor's parser accepts besides.
            ("2026-09-24T00:33:57.5+0200", 1_790_202_837, 500_000_000), ("2026-09-23T22:33:57", 1_790_202_837, 0),
            ("2026-09-23T22:33:57z", 1_790_202_837, 0), ("2024-02-28T24:00:00Z", 1_709_164_800, 0),
        ] as [(String, Int64, Int64)])
    func times(text: String, seconds: Int64, nanoseconds: Int64) throws {
        let time = try #require(VendorTime(text))
        #expect(time.seconds == seconds && time.nanoseconds == nanoseconds)
    }

    @Test(
        "What is none",
        arguments: [
            "", "2026-09-23", "2026-09-23 22:33:57", "2026-09-23T22:33", "2026-09-23T22:33:57.Z",
            "2026-13-01T00:00:00Z",
            "2026-09-23T24:00:01Z", "2026-09-23T25:00:00Z", "2026-09-23T22:33:57Zx", "2026-09-23T22:33:57+02",
            "2026-09-23T22:33:57+02:000", "1790202837", "２０26-09-23T22:33:57Z",
        ])
    func notTimes(text: String) {
        #expect(VendorTime(text) == nil)
    }

    @Test("Days agree with the calendar of Foundation over the centuries")
    func days() throws {
        for seconds in stride(from: -2_000_000_000, through: 20_000_000_000, by: 777_777_777) {
            let text = Date(timeIntervalSince1970: Double(seconds)).ISO8601Format()
            #expect(VendorTime(text)?.seconds == Int64(seconds), "\(text)")
        }
    }

    private func verdict(_ entries: [(code: String, second: String)], knowsPending: Bool = true) throws
        -> StatusHistory.Verdict
    {
        StatusHistory(try Sample.status(entries).decode(ExecutionBody.self).status).verdict(knowsPending: knowsPending)
    }

    @Test("Statuses of an execution, in whatever order (Protocol 2.3, 2.5)")
    func verdicts() throws {
        let (requested, pending) = (Sample.requested, Sample.pending)
        #expect(try verdict([]) == .open)
        #expect(try verdict([Sample.created]) == .open)
        #expect(try verdict([requested]) == .open)
        #expect(try verdict([requested, pending]) == .pending)
        #expect(try verdict([requested, pending], knowsPending: false) == .open)
        #expect(try verdict([pending, Sample.failed, Sample.created, requested]) == .failed("GenericRejection"))
        // Without a request nothing concerns a payment of ours.
        #expect(try verdict([Sample.successful]) == .open)
        // A clock difference of five seconds is accepted, more only for a success.
        #expect(try verdict([requested, ("authorizeFailed", "47.9")]) == .failed("GenericRejection"))
        #expect(try verdict([requested, ("authorizeFailed", "47.8")]) == .open)
        #expect(try verdict([requested, ("authorizeSuccessful", "10.0")]) == .success)
        // A declined attempt, and then another.
        #expect(try verdict([("authorizeFailed", "30.0"), ("authorizeRequested", "29.0"), requested]) == .open)
        #expect(
            try verdict([("authorizeFailed", "30.0"), ("authorizeRequested", "29.0"), requested, Sample.successful])
                == .success)
        // Of two final statuses of one attempt the later counts; unknown codes change nothing.
        #expect(try verdict([requested, Sample.failed, Sample.successful]) == .success)
        #expect(try verdict([requested, Sample.successful, ("loyaltyPointsGranted", "59.0")]) == .success)
        #expect(try verdict([requested, ("zz", "59.0")]) == .open)
    }

    @Test("Nanoseconds decide the order")
    func order() throws {
        let entries = [("authorizeFailed", "55.000000002"), ("authorizeSuccessful", "55.000000001"), Sample.requested]
        #expect(try verdict(entries) == .failed("GenericRejection"))
    }

    @Test("Reasons of a decline (Protocol 2.3)")
    func reasons() throws {
        func text(_ errors: JSONValue?) throws -> String {
            var status: JSONValue = ["code": "authorizeFailed", "time": "2026-01-01T00:00:00Z"]
            status["errors"] = errors
            return try status.decode(StatusBody.self).failureText
        }
        #expect(try text([["detail": "no", "reason": ["result": "FraudRisk"]]]) == "FraudRisk")
        #expect(try text([["detail": "The card was\nstolen \u{202E}"]]) == "The card was?stolen ?")
        #expect(try text([]) == "Authorization failed" && text(nil) == "Authorization failed")
        #expect(try text([["reason": ["result": "<script>"], "detail": "d"]]) == "d")
    }

    @Test("Amounts")
    func amounts() throws {
        func text(_ value: String, _ currency: String) throws -> String {
            "\(try PayrailsAmount(value: value, currency: currency).money())"
        }
        #expect(try text("99.00", "EUR") == "99.00 EUR" && text("99", "EUR") == "99.00 EUR")
        #expect(try text("100.00", "JPY") == "100 JPY" && text("1.500", "EUR") == "1.50 EUR")
        for (value, currency) in [("1.505", "EUR"), ("-1", "EUR"), ("1e3", "EUR"), ("", "EUR"), ("1", "eur")] {
            #expect(throws: (any Error).self) { try text(value, currency) }
        }
    }
}
