import PaymentCore
import PayrailsProvider

/// The rules of a web view with a payment's page: the addresses it may open, and those that bring the payer back.
struct PageNavigation: Sendable {
    enum Decision: Sendable, Hashable {
        /// Load the address in the web view.
        case stay
        /// The payer returned by this address; do not load it.
        case returned(PaymentLink)
        /// The address belongs to another app, such as a bank's: let the system open it.
        case openOutside
        /// Do nothing.
        case block
    }

    private let returns: [PaymentLink]
    private let start: HTTPURL

    init(_ page: PageRequest) {
        start = page.url
        returns = page.returnURLs.compactMap { try? PaymentLink($0) }
    }

    /// Returns the decision about a navigation to `address`.
    ///
    /// Bank checks lead over many hosts, so every encrypted page may be shown. An unencrypted page may be shown only if
    /// the payment's own page is on this machine. An address that is neither a page nor a return URL opens outside, but
    /// only on a request of the main frame, and never for schemes of scripts and files.
    func decide(_ address: String, isMainFrame: Bool) -> Decision {
        if address == "about:blank" || address == "about:srcdoc" { return isMainFrame ? .block : .stay }
        guard let link = try? PaymentLink(address) else { return .block }
        if isMainFrame, returns.contains(where: { $0.isSamePlace(as: link) }) { return .returned(link) }
        if let url = try? HTTPURL(address) {
            return url.isSecure || start.isLoopback && url.isLoopback ? .stay : .block
        }
        guard isMainFrame, let scheme = link.scheme, !Self.local.contains(String(scheme)) else { return .block }
        return .openOutside
    }

    /// The schemes that lead to no other app.
    private static let local: Set<String> = [
        "about", "blob", "data", "file", "filesystem", "ftp", "http", "https", "javascript", "vbscript", "view-source",
        "ws", "wss",
    ]
}

extension PaymentLink {
    /// Returns true if scheme, host, port and path are equal; query and fragment may differ.
    fileprivate func isSamePlace(as other: PaymentLink) -> Bool {
        form == other.form && scheme == other.scheme && host == other.host && port == other.port && path == other.path
    }
}

/// Reports that a page is about to be shown, then has the presenter show it.
@MainActor final class ChallengePresenter: PaymentPresenter {
    private let presenter: any PaymentPresenter
    private let willPresent: @MainActor () -> Void

    init(_ presenter: any PaymentPresenter, willPresent: @escaping @MainActor () -> Void) {
        self.presenter = presenter
        self.willPresent = willPresent
    }

    func presentPayment(_ page: PageRequest) async throws -> PaymentLink? {
        willPresent()
        return try await presenter.presentPayment(page)
    }
}

/// Shows a payment's pages through a checkout's state, for a payer whose browser runs outside the payment's process.
@MainActor final class ChallengePresenterQueue: PaymentPresenter {
    private var waiting: (number: Int, page: PageRequest, continuation: CheckedContinuation<PaymentLink?, Never>)?
    private var count = 0
    private let onChange: @MainActor (HTTPURL?) -> Void

    init(onChange: @escaping @MainActor (HTTPURL?) -> Void) { self.onChange = onChange }

    func presentPayment(_ page: PageRequest) async throws -> PaymentLink? {
        end(waiting?.number, with: nil)
        count += 1
        let number = count
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: nil) }
                waiting = (number, page, continuation)
                onChange(page.url)
            }
        } onCancel: {
            Task { @MainActor in self.end(number, with: nil) }
        }
    }

    /// Reports that the payer came back by `link`, or left if it is nil.
    func payerReturned(by link: PaymentLink?) { end(waiting?.number, with: link) }

    private func end(_ number: Int?, with link: PaymentLink?) {
        guard let waiting, waiting.number == number else { return }
        self.waiting = nil
        onChange(nil)
        waiting.continuation.resume(returning: link)
    }
}
