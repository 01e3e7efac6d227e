import PaymentCore
import Testing

/// Ids that may become a part of a request's path, and ids that may not.
@Suite struct PathSegmentTests {
    @Test(
        "Ids that lead elsewhere, or could on their way",
        arguments: [
            "", ".", "..", "a/b", "/", "../a", "a..b", "a\\b", "a?b", "a#b", "a;b", "%", "a%2Fb", "%2e%2e", "a\nb",
            "a\u{0}", "\u{7F}", "\u{9B}a", "\u{202E}a", "\u{2028}", "\u{200B}a", "\u{FEFF}a",
        ])
    func unsafe(_ text: String) { #expect(!PathSegment.isSafe(text)) }

    @Test("Ids as services and merchants write them")
    func safe() {
        for text in [
            "e1", "2000470537596802752517", "a b", "order-1.2_3~", "A&B=1:2,3", "ü", "注文", "att_1",
            "..".prefix(1) + "a",
        ] {
            #expect(PathSegment.isSafe(text), "\(text)")
        }
    }
}
