import PaymentCore
import PaymentTesting
import SimulatedShop
import Testing

extension ShopMistake {
    /// The probe that has to find it, and its message.
    var finding: (probe: ProviderConformance.Probe, words: String) {
        switch self {
        case .believesReturns: (.returns, "the payment is called paid, but no money was taken")
        case .mixesReturns: (.returns, "another payment's return: the payment is called paid")
        case .refundsUnsent: (.refund, "nothing was sent")
        case .refundsAnew: (.refundCrashes, "was sent again with another key")
        case .refundsUnchecked: (.refundDetails, "answers name another amount, but the refund is called made")
        case .refundsHopefully: (.refundDetails, "asked to refund more than was paid, it says that it did")
        case .capturesUnsent: (.capture, "nothing was sent")
        case .capturesAnew: (.captureCrashes, "was sent again with another key")
        case .capturesUnchecked: (.captureDetails, "answers name another amount, but the capture is called made")
        case .cancelsUnasked: (.cancelling, "the payment was cancelled 0 times")
        case .cancelsAnew: (.cancelling, "the payment was cancelled 2 times")
        case .cancelsBlindly: (.cancellationRaces, "it is called cancelled, but")
        case .takesForgeries: (.notifications, "it is believed")
        case .trustsTestSecret: (.notificationSecrets, "it is believed")
        case .ignoresAge: (.notificationAge, "it is believed")
        case .refusesRepetitions: (.notificationRepetitions, "that comes twice is refused")
        }
    }
}

@Suite("Conformance of everything beyond payments")
struct CapabilityTests {
    @Test("A shop that has everything passes every probe")
    func shop() async {
        let report = await ProviderConformance.check(Subjects.shop())
        #expect(report.isComplete, "\(report)")
        #expect(report.skipped == [] && report.inapplicable == [], "\(report)")
    }

    @Test("A merchant's service can be a vendor's only one")
    func merchant() async {
        let report = await ProviderConformance.check(Subjects.shop(isMerchant: true))
        #expect(report.isComplete, "\(report)")
        #expect(
            report.inapplicable
                == [.patterns, .links, .spellings, .payment, .paymentDetails, .crashes, .polling, .returns],
            "\(report)")
        #expect("\(report)".contains("nothing to probe  a payment is paid once: a merchant's service takes no payers"))
    }

    @Test("A mistake is found by the probe that is there for it", arguments: ShopMistake.allCases)
    func mistakes(mistake: ShopMistake) async throws {
        let isMerchant = mistake.finding.probe != .returns
        let report = await ProviderConformance.check(
            only: [mistake.finding.probe], Subjects.shop(ShopHabits(mistakes: [mistake]), isMerchant: isMerchant))
        let probe = try #require(report.probes.first { $0.name == mistake.finding.probe })
        guard case .failed(let findings) = probe.verdict else {
            Issue.record("\(report)")
            return
        }
        #expect(findings.contains { $0.contains(mistake.finding.words) }, "\(report)")
    }

    @Test("The answers to refunds and cancellations are spoilt, too")
    func answers() async {
        var habits = ShopHabits()
        habits.trustsRefusedCopies = true
        let report = await ProviderConformance.check(only: [.rejections], Subjects.shop(habits, isMerchant: true))
        for probe in report.probes where probe.name == .rejections {
            guard case .failed(let findings) = probe.verdict else {
                Issue.record("\(report)")
                continue
            }
            #expect(
                findings.contains { $0.hasPrefix("refund: answer 1, HTTP 409 after it was carried out") }, "\(report)")
            #expect(findings.contains { $0.hasPrefix("cancellation: answer 1, HTTP 409") }, "\(report)")
        }
        #expect(report.failed.contains(.rejections))
    }

    @Test("What a payment gives no means for is not probed, and the report says so")
    func gaps() async {
        let report = await ProviderConformance.check(BareVendor.self)
        #expect(report.isPassed && !report.isComplete, "\(report)")
        let unmade: [ProviderConformance.Probe] = [
            .hostileAnswers, .rejections, .laterRequests, .doubledRequests, .questions, .echoes, .secrets, .hosts,
            .cancellation, .stepNames, .capture,
            .captureDetails,
            .captureCrashes, .refund, .refundDetails, .refundCrashes, .cancelling, .cancellationRaces, .notifications,
            .notificationSecrets, .notificationAge,
            .notificationRepetitions,
        ]
        #expect(report.skipped == unmade, "\(report)")
        #expect("\(report)".hasPrefix("Conformance of Shop for merchants: passed; not probed: 22"))
        #expect("\(report)".contains("not probed  a refund is made once: the payment gives no means to try a refund"))
    }
}
