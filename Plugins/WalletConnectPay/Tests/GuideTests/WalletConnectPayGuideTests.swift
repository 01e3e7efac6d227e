import Testing
import WalletConnectPayKit

/// That the vendor's guides compile is shown by this target's being built; here is what can be seen of it at run time.
struct WalletConnectPayGuideTests {
    @Test("The guides' switches, without a default, have a case for every value")
    func switches() {
        #expect(
            ["requires_action", "processing", "succeeded", "failed", "expired"]
                .compactMap(PaymentStatus.init(rawValue:)).map(GuideTypes.word(for:))
                == ["requiresAction", "processing", "succeeded", "failed", "expired"])
        #expect(
            ["text", "date"].compactMap(CollectDataFieldType.init(rawValue:)).map(GuideTypes.word(for:))
                == ["text", "date"])
        #expect(PaymentStatus(rawValue: "cancelled") == nil)
        #expect(GuideTypes.word(for: GetPaymentOptionsError.http("")) == "Network error")
        #expect(GuideTypes.word(for: GetPaymentRequestError.http("")) == "Network error")
        #expect(GuideTypes.word(for: ConfirmPaymentError.routeExpired("")) == "Payment route expired")
    }

    @Test("The guide's own test for payment links says yes where the kit's does")
    func detection() {
        for link in ["https://pay.walletconnect.com/?pid=pay_1", "pay_1", "wc:a@2?pay=x"] {
            #expect(StandaloneGuide.OwnDetection().isPaymentLink(link))
            #expect(WalletKit.isPaymentLink(link))
        }
    }
}
