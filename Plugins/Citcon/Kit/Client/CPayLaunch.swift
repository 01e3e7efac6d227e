import CitconProvider
public import PaymentCore

/// An action of the application for an order, as a value: open this page, start this wallet, show this code.
public enum CPayLaunch: Sendable, Hashable {
    /// A page to open in a browser.
    case page(PageRequest)
    /// A wallet to start, by its URL or by its own library with ``AppRequest/payload``.
    case app(AppRequest)
    /// A code to show.
    case code(CodeRequest)
    /// A gateway's own library to start before the charge is confirmed, with the keys in ``AppRequest/payload``. It is
    /// complete when a return URL carries its nonce or grant: `<bundle
    /// id>.payments://x-callback-url/vzero/auth/venmo/success` with `paymentMethodNonce`, `<scheme>://cashapp` with
    /// `grant_id` (and `expiry`, `consumer_id`, `cashtag`, which the library also reports), or, from the session in
    /// which PayPal's library ran and as ``CPayLaunched/returned(url:)`` alone,
    /// `sdk.ios.paypal://x-callback-url/paypal-sdk/paypal-checkout` with `token` and `PayerID`.
    case consent(AppRequest)
}

/// The outcome of a ``CPayLaunch``.
public enum CPayLaunched: Sendable, Hashable {
    /// It is open. The payer returns later, through one of the manager's `handle…` methods.
    case opened
    /// The payer is already back, with the return URL where one was caught.
    case returned(url: String?)
    /// It cannot be opened; the reason is human-readable.
    case impossible(reason: String)
}

/// Opens pages and apps.
public typealias CPayLauncher = @Sendable (CPayLaunch) async -> CPayLaunched

extension Payer {
    /// A launcher that opens pages and apps through this payer.
    public var citconLauncher: CPayLauncher {
        { launch in
            do {
                switch launch {
                case .page(let page):
                    guard let browser else { return .impossible(reason: "the payer has no browser") }
                    return .returned(url: try await browser(page)?.text)
                case .app(let app), .consent(let app):
                    guard let appLauncher else { return .impossible(reason: "the payer opens no apps") }
                    return .returned(url: try await appLauncher(app)?.text)
                case .code(let code):
                    guard let codeDisplay else { return .impossible(reason: "the payer shows no codes") }
                    try await codeDisplay(code)
                    return .opened
                }
            } catch {
                return .impossible(reason: "the payer could not open it (\(type(of: error)))")
            }
        }
    }
}
