import PaymentCore
import Testing

@testable import WalletConnectPayKit
@testable import WalletConnectPayProvider

/// The vendor's tables of detection and id extraction (Protocol 6.1 and 6.2).
@Suite struct VendorLinkTests {
    static let detection: [(String, Bool)] = [
        ("https://pay.walletconnect.com/?pid=pay_123", true),
        ("https://pay.walletconnect.com/pay_123", true),
        ("https://staging.pay.walletconnect.com/?pid=pay_123", true),
        ("https://pay.wct.me/123", true),
        ("wc:abc@2?pay=https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3Dpay_123", true),
        ("wc%3Aabc%402%3Fpay%3Dhttps%253A%252F%252Fpay.walletconnect.com%252F", true),
        ("pay_123", true),
        ("pay%5F123", true),
        ("https%3A%2F%2Fpay%2ewalletconnect.com", true),
        ("wc:abc@2%3Fpay%3Dhttps://...", true),
        ("https://PAY.walletconnect.com/?pid=pay_123", true),
        ("wc:abc@2?PAY=https://...", true),
        ("PAY_ABC", true),
        ("https://example.com/checkout", false),
        ("wc:abc123@2?relay-protocol=irn&symKey=xyz", false),
        ("https://payments.example.com/process", false),
        ("", false),
        ("abc_123", false),
    ]

    @Test("Links are detected as the vendor does", arguments: detection)
    func detects(_ text: String, _ expected: Bool) {
        #expect(PaymentLinkDetector.isPaymentLink(text) == expected)
    }

    static let extraction: [(String, String?)] = [
        ("https://pay.walletconnect.com/pay_123", "pay_123"),
        ("http://pay.walletconnect.com/pay_123", "pay_123"),
        ("http://pay.walletconnect.com/abc/123", "abc/123"),
        ("pay_456", "pay_456"),
        ("https://example.com/path/to/pay_789", "https%3A%2F%2Fexample.com%2Fpath%2Fto%2Fpay_789"),
        ("", nil),
        ("https://pay.wct.me/123", "https%3A%2F%2Fpay.wct.me%2F123"),
        ("https://pay.wct.me/abc_xyz", "https%3A%2F%2Fpay.wct.me%2Fabc_xyz"),
        ("http://pay.wct.me/123", "http%3A%2F%2Fpay.wct.me%2F123"),
        (
            "wc:abc123@2?relay-protocol=irn&symKey=xyz&pay=https%3A%2F%2Fpay.wct.me%2F123",
            "https%3A%2F%2Fpay.wct.me%2F123"
        ),
        ("https://pay.walletconnect.com/path_id?pid=query_id", "query_id"),
        ("https://pay.walletconnect.com/?pid=pay_123", "pay_123"),
        ("https://pay.walletconnect.com/pay_123?foo=bar", "pay_123"),
        (
            "https://pay.walletconnect.com/?pid=pay_95a2ecc101KEYG1NH580DF2J04MBNRWE7V",
            "pay_95a2ecc101KEYG1NH580DF2J04MBNRWE7V"
        ),
        (
            "https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3Dpay_95a2ecc101KEYG1NH580DF2J04MBNRWE7V",
            "pay_95a2ecc101KEYG1NH580DF2J04MBNRWE7V"
        ),
        (
            "wc:abc123@2?relay-protocol=irn&symKey=xyz&pay=https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3Dpay_03a2ecc101KEVQWPKPJ3TP47E1PBKSSV5Y",
            "pay_03a2ecc101KEVQWPKPJ3TP47E1PBKSSV5Y"
        ),
        (
            "wc:c4ef1cc525b890c9c46ed40656e9048452d1d3eafe7c77ac963255cf372bcc51@2?expiryTimestamp=1768825874&relay-protocol=irn&symKey=b0487747501cd883edf2e08f33d802cd42d77631a3c9633c18b001507cfcbdc9&pay=https%3A%2F%2Fstaging.pay.walletconnect.com%2F%3Fpid%3Dpay_95a2ecc101KFB3B5W45JBD6CH1KJPCW9T1",
            "pay_95a2ecc101KFB3B5W45JBD6CH1KJPCW9T1"
        ),
        ("https://staging.pay.walletconnect.com/?pid=pay_123", "pay_123"),
        ("https://dev.pay.walletconnect.com/?pid=pay_456", "pay_456"),
        (
            "https://fakepay.walletconnect.com/?pid=pay_123",
            "https%3A%2F%2Ffakepay.walletconnect.com%2F%3Fpid%3Dpay_123"
        ),
        (
            "https://evil.pay.walletconnect.com.attacker.com/?pid=pay_123",
            "https%3A%2F%2Fevil.pay.walletconnect.com.attacker.com%2F%3Fpid%3Dpay_123"
        ),
        (
            "wc%3Afe8314404caac9b487daca1bb3ba4076f1ef0a52794c6117bd944ed17c5b32a7%402%3FexpiryTimestamp%3D1768460398%26relay-protocol%3Dirn%26symKey%3Db614f88cbae08c993154c9c4c23cd538ca17600d0ee7666d52fb8494f6c98b70%26pay%3Dhttps%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3Dpay_95a2ecc101KEYG1NH580DF2J04MBNRWE7V",
            "pay_95a2ecc101KEYG1NH580DF2J04MBNRWE7V"
        ),
    ]

    @Test("Ids are found as the vendor does", arguments: extraction)
    func extracts(_ text: String, _ id: String?) {
        #expect(PaymentID.extract(from: text) == id)
    }

    static let more: [(String, String?, Bool)] = [
        ("https://pay.walletconnect.com/", nil, true),
        ("https://pay.walletconnect.com", nil, true),
        ("https://pay.walletconnect.com/?pid=", nil, true),
        ("https://pay.walletconnect.com/?PID=pay_123", nil, true),
        ("https://pay.walletconnect.com/#pid=pay_1", nil, true),
        ("HTTPS://PAY.WALLETCONNECT.COM/?pid=pay_1", "pay_1", true),
        ("https://pay.walletconnect.com/pay_123/", "pay_123/", true),
        ("https://pay.walletconnect.com//pay_123", "pay_123", true),
        ("https://pay.walletconnect.com/collect/?pid=pay_123&accounts=…", "pay_123", true),
        ("https://pay.walletconnect.com/?pid=pay_1&pid=pay_2", "pay_1", true),
        ("https://pay.walletconnect.com/?pid=pay_1%202", "pay_1 2", true),
        ("https://pay.walletconnect.com:8443/?pid=pay_1", "pay_1", true),
        ("https://user@pay.walletconnect.com/?pid=pay_1", "pay_1", true),
        (
            "https://pay.walletconnect.com@evil.com/?pid=pay_1",
            "https%3A%2F%2Fpay.walletconnect.com%40evil.com%2F%3Fpid%3Dpay_1", true
        ),
        ("https://pay.walletconnect.com./?pid=pay_1", "https%3A%2F%2Fpay.walletconnect.com.%2F%3Fpid%3Dpay_1", true),
        ("https://pay.walletconnect.org/?pid=pay_1", "https%3A%2F%2Fpay.walletconnect.org%2F%3Fpid%3Dpay_1", true),
        ("wc:abc@2?pay=https://pay.walletconnect.com/?pid=pay_123", "pay_123", true),
        ("wc:abc@2?pay=https%3A%2F%2Fpay.walletconnect.com%2Fpay_9&relay-protocol=irn", "pay_9", true),
        ("wc:abc@2?pay=https%3A%2F%2Fpay.walletconnect.com%2F%3Fa%3D1%26pid%3Dpay_9&symKey=1", "pay_9", true),
        (
            "wc:abc@2?pay=https%3A%2F%2Fevil.example%2F%3Fpid%3Dpay_123",
            "https%3A%2F%2Fevil.example%2F%3Fpid%3Dpay_123", true
        ),
        (
            "wc:abc@2?PAY=https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3Dpay_123",
            "wc:abc@2?PAY=https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3Dpay_123", true
        ),
        ("wc:abc@2?PAY=https://...", nil, true),
        ("wc:abc123@2?relay-protocol=irn&symKey=xyz", "wc:abc123@2?relay-protocol=irn&symKey=xyz", false),
        (
            "wc%3Aabc%402%3Fpay%3Dhttps%253A%252F%252Fpay.walletconnect.com%252F",
            "wc%3Aabc%402%3Fpay%3Dhttps%253A%252F%252Fpay.walletconnect.com%252F", true
        ),
        (
            "https%253A%252F%252Fpay.walletconnect.com%252F%253Fpid%253Dpay_1",
            "https%253A%252F%252Fpay.walletconnect.com%252F%253Fpid%253Dpay_1", true
        ),
        ("pay%5F123", "pay%5F123", true),
        ("pay_123?x=1", "pay_123?x=1", true),
        ("pay_123/cancel", nil, true),
        ("pay.walletconnect.com/?pid=pay_1", nil, true),
        ("ftp://pay.walletconnect.com/pay_1", nil, true),
        ("walletapp://walletconnectpay?paymentId=pay_1", nil, true),
        ("hello", "hello", false),
        ("solana:abc", "solana:abc", false),
    ]

    @Test("Texts beyond the vendor's tables are read in the same way", arguments: more)
    func extractsAndDetects(_ text: String, _ id: String?, _ detected: Bool) {
        #expect(PaymentID.extract(from: text) == id)
        #expect(PaymentLinkDetector.isPaymentLink(text) == detected)
    }
}
