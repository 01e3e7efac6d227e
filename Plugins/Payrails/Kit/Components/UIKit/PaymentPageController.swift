#if canImport(UIKit) && canImport(WebKit) && !os(watchOS) && !os(tvOS)
    import Foundation
    public import PaymentCore
    public import UIKit
    public import WebKit

    /// Shows a page of a payment in its own web view, which stores nothing, and closes itself at the end of the visit.
    @MainActor public final class PaymentPageController: UIViewController, WKNavigationDelegate {
        private enum Ending {
            case left(PaymentLink?)
            case notShown
        }

        private let page: PageRequest
        private let navigation: PageNavigation
        private var ending: Ending?
        private var waiting: CheckedContinuation<PaymentLink?, any Error>?

        /// Creates a controller for `page`; it loads nothing before it is shown.
        public init(_ page: PageRequest) {
            self.page = page
            navigation = PageNavigation(page)
            super.init(nibName: nil, bundle: nil)
        }

        /// Returns nil: these controllers are created in code.
        @available(*, unavailable)
        public required init?(coder: NSCoder) { nil }

        /// Loads the page.
        public override func viewDidLoad() {
            super.viewDidLoad()
            let configuration = WKWebViewConfiguration()
            configuration.websiteDataStore = .nonPersistent()
            let web = WKWebView(frame: .zero, configuration: configuration)
            web.navigationDelegate = self
            view.backgroundColor = .systemBackground
            view.fill(with: web)
            if let url = URL(string: page.url.text) { web.load(URLRequest(url: url)) } else { end(.notShown) }
        }

        /// Treats the payer's closing of the page as leaving it.
        public override func viewDidDisappear(_ animated: Bool) {
            super.viewDidDisappear(animated)
            // A presenter may have put this controller into a navigation controller.
            if isBeingDismissed || isMovingFromParent || navigationController?.isBeingDismissed == true {
                end(.left(nil))
            }
        }

        /// Restricts the page's navigation, and ends the visit at a return URL.
        public func webView(
            _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction
        ) async -> WKNavigationActionPolicy {
            guard let url = navigationAction.request.url else { return .cancel }
            let isMainFrame = navigationAction.targetFrame?.isMainFrame ?? true
            switch navigation.decide(url.absoluteString, isMainFrame: isMainFrame) {
            case .stay:
                if navigationAction.targetFrame != nil { return .allow }
                // There are no windows: a request for a new one loads in this web view.
                webView.load(navigationAction.request)
            case .returned(let link): end(.left(link))
            case .openOutside: _ = await UIApplication.shared.open(url)
            case .block: break
            }
            return .cancel
        }

        /// Waits until the payer has left the page, and closes the page when the task is cancelled.
        func visit() async throws -> PaymentLink? {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    waiting = continuation
                    if Task.isCancelled { end(.left(nil)) } else { resumeWaiting() }
                }
            } onCancel: {
                Task { @MainActor in self.end(.left(nil)) }
            }
        }

        /// Ends the visit because no presenter shows this controller.
        func cannotBeShown() { end(.notShown) }

        private func end(_ ending: Ending) {
            guard self.ending == nil else { return }
            self.ending = ending
            resumeWaiting()
            // The presenting controller dismisses this one together with everything that this one presents.
            if !isBeingDismissed { presentingViewController?.dismiss(animated: true) }
        }

        private func resumeWaiting() {
            guard let ending, let waiting else { return }
            self.waiting = nil
            switch ending {
            case .left(let link): waiting.resume(returning: link)
            case .notShown: waiting.resume(throwing: PaymentPageError.noPresenter)
            }
        }
    }
#endif

#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    public import PaymentCore
    public import PayrailsProvider
    public import UIKit

    extension PaymentPresenter {
        /// Passes on a view controller that shows `page`, as the vendor's SDK does, and waits until the payer has left
        /// it.
        ///
        /// - Throws: ``PaymentPageError`` if no presenter shows it.
        public func presentPayment(_ page: PageRequest) async throws -> PaymentLink? {
            let controller = PaymentPageController(page)
            presentPayment(controller)
            return try await controller.visit()
        }

        /// Shows `viewController` over this one, if this is a view controller.
        public func presentPayment(_ viewController: UIViewController) {
            if let self = self as? UIViewController {
                self.present(viewController, animated: true)
            } else {
                (viewController as? PaymentPageController)?.cannotBeShown()
            }
        }

        /// Nil: the card is not kept.
        public var encryptedCardData: String? {
            get { nil }
            set {}
        }

        /// Sets ``encryptedCardData``, as the vendor's SDK does.
        func take(encryptedCard: String) { encryptedCardData = encryptedCard }
    }

    /// A failure to show a page of a payment.
    public enum PaymentPageError: Error, Sendable, CustomStringConvertible {
        /// The presenter is not a view controller, and does not implement `presentPayment`.
        case noPresenter

        /// One sentence for people, in English.
        public var description: String {
            "There is no presenter for the payment's page: give PaymentPresenter a presentPayment(_:), or make it a view controller."
        }
    }
#endif
