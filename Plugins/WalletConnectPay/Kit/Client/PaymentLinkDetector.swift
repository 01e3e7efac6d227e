import PaymentCore

/// The vendor's quick test for payment links: a search for six fragments, without parsing.
///
/// It accepts look-alikes (`https://apay.example/x`); use it to decide if a link is worth *trying*, never as proof of
/// trust. Trust comes from routing. Source: reown-swift `PaymentLinkDetector`.
public enum PaymentLinkDetector {
    private static let fragments = ["pay.", "pay=", "pay_", "pay%2e", "pay%3d", "pay%5f"].map { Array($0.utf8) }

    /// Returns true if `text` may be a WalletConnect Pay link, in any letter case.
    public static func isPaymentLink(_ text: String) -> Bool {
        let bytes = text.utf8.map(\.lowercasedASCII)
        return bytes.indices.contains { start in
            bytes[start] == UInt8(ascii: "p") && fragments.contains { bytes[start...].starts(with: $0) }
        }
    }
}
