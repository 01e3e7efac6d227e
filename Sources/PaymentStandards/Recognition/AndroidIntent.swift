import PaymentCore

/// The form in which Android's browsers pass links to apps: `intent://pay?pa=…#Intent;scheme=upi;package=…;end`.
///
/// It is read as the link that the app would receive, `upi://pay?pa=…`. Its app and its fallback page are ignored: the
/// author of the text chose them. Source: Chrome for Android, "Android Intents with Chrome".
struct AndroidIntent: Sendable {
    /// The link inside.
    let link: PaymentLink
    /// The place of the link's scheme in the intent.
    private let schemeOffset: Int
    private let schemeLength: Int

    private static let scheme = "intent"

    /// Returns true if `link` begins like an intent.
    static func isOne(_ link: PaymentLink) -> Bool {
        link.form != .text && Int(link.layout.schemeEnd) == scheme.utf8.count && link.scheme == scheme[...]
    }

    /// Creates a value by taking the link out of `intent`; nil where it is not an intent or names no scheme.
    init?(_ intent: PaymentLink) {
        guard Self.isOne(intent) else { return nil }
        var text = PaymentText(intent)
        guard let fragment = text.fragment(), fragment.starts(with: "Intent;") else { return nil }
        let words = fragment.split(at: ";")
        let names = words.filter { $0.starts(with: "scheme=") }
        guard words.last?.equals("end") == true, let word = names.first, names.count == 1 else { return nil }
        let scheme = word.dropFirst("scheme=".utf8.count)
        // The case of letters in the host may matter in the link inside.
        let written = Array((intent.spelling ?? intent.text).utf8)
        let body = written[Self.scheme.utf8.count..<(fragment.offset - 1)]
        guard let link = try? PaymentLink(scheme.text + String(decoding: body, as: UTF8.self)), link.form != .text,
            !Self.isOne(link)
        else { return nil }
        self.link = link
        schemeOffset = scheme.offset
        schemeLength = scheme.count
    }

    /// Returns the place in the intent of what stands at `offset` of the link inside.
    func place(of offset: Int) -> Int {
        offset < schemeLength ? schemeOffset + offset : offset - schemeLength + Self.scheme.utf8.count
    }
}
