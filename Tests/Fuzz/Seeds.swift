import FuzzModel

/// Real links of every form, and typical pieces of attacks.
enum Seeds {
    static let corpus = Corpus(links, pieces: pieces)

    private static let links = [
        "https://pay.walletconnect.com/?pid=pay_95a2ecc101KEYG1NH580DF2J04MBNRWE7V",
        "https://staging.pay.walletconnect.com/pay_9",
        "https://pay.wct.me/Ab3dE",
        "https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3Dpay_1",
        "wc:c4ef1cc525b890c9@2?expiryTimestamp=1768825874&relay-protocol=irn&symKey=b048&pay=https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3Dpay_1",
        "wc:7f6e504bfad60b48@2?relay-protocol=irn&symKey=587d5484",
        "pay_95a2ecc101KEYG1NH580DF2J04MBNRWE7V",
        "https://checkout.acme.example:8443/pay/now/1?locale=de#top",
        "http://shop.example.net:80/pay?x=1",
        "https://[2001:db8::1]:8443/pay",
        "https://127.0.0.1/pay",
        "https://xn--bcher-kva.example/",
        "https://localhost/",
        "shop://paid?id=p1&state=x",
        "shop:paid",
        "bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re5gtzzwf5mdq?amount=0.00021&label=Coffee",
        "LIGHTNING:LNURL1DP68GURN8GHJ7UM9WFMXJCM99E3K7MF0V9CXJ0M385EKVCENXC6R2C35XVUKXEFCV5MKVV34X5EKZD3EV56NYD3HXQURZ",
        "upi://pay?pa=shop@bank&am=1.00",
        "00020101021226580014br.gov.bcb.pix0136123e4567-e12b-12d3-a456-4266554400005204000053039865802BR",
        "BCD\n002\n1\nSCT\n\nRed Cross\nDE02120300000000202051\nEUR10",
        "acme_pay_1",
    ]

    static let pieces = [
        "https://", "http://", "HTTPS:", "wc:", "WC%3A", "shop://", "://", "//", "/", "\\", "?", "#", "&", "=", "@",
        ":",
        ":443", ":80", ":8443", ":0443", ":99999", ".", "..", "-", "--", "_", "xn--", "%", "%2F", "%2e", "%40", "%00",
        "%25",
        "+", ";", ",", "pay.walletconnect.com", ".pay.walletconnect.com", "PAY.WalletConnect.com", "evil.example",
        "pay.wct.me", "walletconnect.com", "localhost", "127.0.0.1", "0x7f.1", "2130706433", "[::1]", "[", "]", "pid=",
        "PID=", "p%69d=", "pay=", "pid=pay_2", "pay=https%3A%2F%2Fevil.example%2F%3Fpid%3Dpay_3", "pay_", "acme_pay_",
        " ",
        "\t", "\n", "\r", "\u{0}", "\u{7F}", "\u{85}", "\u{AD}", "\u{200B}", "\u{202E}", "\u{3002}", "\u{FF0E}",
        "\u{430}", "é", "\u{1F4B3}", "/pay", "/pay/", "/pay/now", "/payments",
    ]
}
