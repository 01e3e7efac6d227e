import PaymentCore

/// Links that scanners often meet and that ask for no payment, by scheme: a connection is named as such.
enum OtherKinds {
    /// A kind of link that is no payment.
    struct Kind {
        /// True if it connects a wallet to another application.
        let isConnection: Bool
        /// A title for people.
        let title: String
        /// The remedy, or the next step.
        let advice: String
    }

    /// Returns the kind of `link`, or nil for links that are none of these.
    static func kind(of link: PaymentLink) -> Kind? {
        if link.form == .text { return byBeginning.first { link.text.hasPrefix($0.0) }?.1 }
        return link.scheme.flatMap { byScheme[String($0)] }
    }

    private static let byScheme: [String: Kind] = [
        "wc": connection("WalletConnect connection request", "a wallet that supports WalletConnect"),
        "tc": connection("TON Connect connection request", "a TON wallet"),
        "nostr+walletconnect": connection("Nostr Wallet Connect credential", "the application that it is for"),
        "metamask": connection("MetaMask link", "MetaMask"),
        "aptos": connection("Aptos wallet link", "an Aptos wallet"),
        "otpauth": other("two-factor login secret", "an authenticator app"),
        "mailto": other("e-mail address", "a mail app"), "tel": other("telephone number", "a telephone"),
        "sms": other("text message", "a messaging app"), "smsto": other("text message", "a messaging app"),
        "geo": other("place on a map", "a map"), "wifi": other("Wi-Fi access", "the camera app"),
        "nostr": other("Nostr profile or note", "a Nostr app"), "matmsg": other("e-mail", "a mail app"),
    ]
    private static let byBeginning: [(String, Kind)] = [
        ("BEGIN:VCARD", other("contact card (vCard)", "a contacts app")),
        ("BEGIN:VEVENT", other("calendar event", "a calendar")),
        ("BEGIN:VCALENDAR", other("calendar event", "a calendar")),
    ]

    private static func connection(_ title: String, _ application: String) -> Kind {
        Kind(
            isConnection: true, title: title,
            advice: "it connects a wallet and pays nothing; open it in \(application), if you trust its source")
    }

    private static func other(_ title: String, _ application: String) -> Kind {
        Kind(isConnection: false, title: title, advice: "it is no payment; open it in \(application)")
    }
}
