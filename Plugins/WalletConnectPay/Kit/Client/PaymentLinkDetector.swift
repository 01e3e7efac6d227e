import PaymentCore

/// The vendor's quick test for payment links: a search for six fragments, nothing is parsed.
///
/// It says yes to look-alikes (`https://apay.example/x`); use it to decide whether to *try*, never whether to trust.
/// Trust comes from routing. Source: reown-swift `PaymentLinkDetector`.
public enum PaymentLinkDetector {
    private static let fragments = ["pay.", "pay=", "pay_", "pay%2e", "pay%3d", "pay%5f"].map { Array($0.utf8) }

    /// Returns whether `text` may be a WalletConnect Pay link, in any letter case.
    public static func isPaymentLink(_ text: String) -> Bool {
        let bytes = text.utf8.map(\.lowercasedASCII)
        return bytes.indices.contains { start in
            bytes[start] == UInt8(ascii: "p") && fragments.contains { bytes[start...].starts(with: $0) }
        }
    }
}
