// This file is for Apple platforms and was never compiled on one: `make check-apple` has stand-ins. Therefore all
// decisions are in the tested values next to it. Keep this file that small.

#if canImport(WebKit) && canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    public import Foundation
    import PaymentCore
    import WalletConnectPayProvider
    public import SwiftUI
    public import WebKit

    /// Shows the service's form and reports its completion. The initialiser is that of the vendor's guide.
    ///
    /// After `onComplete`, confirm the payment without `collectedData`. `onError` may be called several times: the
    /// payer can try again in the form.
    @MainActor public struct PayDataCollectionWebView {
        private let url: URL
        private let allowsLoopback: Bool
        private let onComplete: @MainActor () -> Void
        private let onError: @MainActor (String) -> Void

        /// Creates the view.
        ///
        /// - Parameters:
        ///   - url: the `url` of the option's `collectData`, prefilled or not (``DataCollectionPage``). Other pages are
        ///     not opened but reported to `onError`.
        ///   - onComplete: called at most once.
        ///   - onError: called with a displayable text.
        public init(
            url: URL, onComplete: @escaping @MainActor () -> Void, onError: @escaping @MainActor (String) -> Void
        ) {
            self.init(url: url, allowsLoopback: false, onComplete: onComplete, onError: onError)
        }

        /// Creates the view as ``init(url:onComplete:onError:)`` does.
        ///
        /// - Parameter allowsLoopback: true to also open pages on this machine: for a sandbox only.
        public init(
            url: URL, allowsLoopback: Bool, onComplete: @escaping @MainActor () -> Void,
            onError: @escaping @MainActor (String) -> Void
        ) {
            self.url = url
            self.allowsLoopback = allowsLoopback
            self.onComplete = onComplete
            self.onError = onError
        }

        /// Creates the coordinator of the web view.
        public func makeCoordinator() -> Coordinator {
            Coordinator(onComplete: onComplete, onError: onError)
        }

        private func makeView(_ coordinator: Coordinator, _ openURL: OpenURLAction) -> WKWebView {
            let configuration = WKWebViewConfiguration()
            // The payer's input should not outlive the form.
            configuration.websiteDataStore = .nonPersistent()
            configuration.userContentController.add(coordinator, name: DataCollectionBridge.handlerName)
            let view = WKWebView(frame: .zero, configuration: configuration)
            view.navigationDelegate = coordinator
            do {
                let page = try DataCollectionPage(url.absoluteString, allowsLoopback: allowsLoopback)
                guard let address = URL(string: page.url.reveal().text) else { return view }
                coordinator.start(page, openURL)
                view.load(URLRequest(url: address))
            } catch {
                // A direct call would come while SwiftUI builds views: the application may change its state in
                // response.
                Task { @MainActor in onError(error.description) }
            }
            return view
        }

        private static func close(_ view: WKWebView) {
            view.stopLoading()
            view.configuration.userContentController.removeScriptMessageHandler(
                forName: DataCollectionBridge.handlerName)
        }

        /// The handler of the web view's messages and navigation.
        @MainActor public final class Coordinator: NSObject, WKScriptMessageHandler, WKNavigationDelegate {
            private let onComplete: @MainActor () -> Void
            private let onError: @MainActor (String) -> Void
            private var bridge: DataCollectionBridge?
            private var navigation: DataCollectionNavigation?
            private var openURL: OpenURLAction?

            init(onComplete: @escaping @MainActor () -> Void, onError: @escaping @MainActor (String) -> Void) {
                self.onComplete = onComplete
                self.onError = onError
            }

            func start(_ page: DataCollectionPage, _ openURL: OpenURLAction) {
                bridge = DataCollectionBridge(for: page)
                navigation = DataCollectionNavigation(for: page)
                self.openURL = openURL
            }

            /// Passes on a message of the page, if it is acceptable.
            public func userContentController(
                _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
            ) {
                let origin = message.frameInfo.securityOrigin
                let verdict = bridge?.receive(
                    DataCollectionBridge.body(from: message.body),
                    from: WebOrigin(scheme: origin.protocol, host: origin.host, port: origin.port),
                    isMainFrame: message.frameInfo.isMainFrame)
                switch verdict {
                case .completed: onComplete()
                case .failed(let message): onError(message)
                case .ignored, nil: break
                }
            }

            /// Keeps the page on its origin, and opens links to other pages in the system's browser.
            public func webView(
                _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction
            ) async -> WKNavigationActionPolicy {
                guard let url = navigationAction.request.url, let navigation else { return .cancel }
                let frame: DataCollectionNavigation.Frame =
                    navigationAction.targetFrame.map { $0.isMainFrame ? .main : .inner } ?? .new
                let isLinkFollowed = navigationAction.navigationType == .linkActivated
                switch navigation.decide(url.absoluteString, in: frame, isLinkFollowed: isLinkFollowed) {
                case .stay: return .allow
                case .openOutside:
                    openURL?(url)
                    return .cancel
                case .block: return .cancel
                }
            }

            /// Reports that the form could not be loaded. A blocked page is not such a failure.
            public func webView(
                _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
            ) {
                let error = error as NSError
                guard error.domain == NSURLErrorDomain, error.code != NSURLErrorCancelled else { return }
                onError("The form could not be loaded. Check the connection and try again.")
            }
        }
    }

    #if canImport(UIKit)
        extension PayDataCollectionWebView: UIViewRepresentable {
            /// Returns a web view that loads the form.
            public func makeUIView(context: Context) -> WKWebView {
                makeView(context.coordinator, context.environment.openURL)
            }

            /// Does nothing: the form keeps its own state.
            public func updateUIView(_ view: WKWebView, context: Context) {}

            /// Releases the page.
            public static func dismantleUIView(_ view: WKWebView, coordinator: Coordinator) { close(view) }
        }
    #else
        extension PayDataCollectionWebView: NSViewRepresentable {
            /// Returns a web view that loads the form.
            public func makeNSView(context: Context) -> WKWebView {
                makeView(context.coordinator, context.environment.openURL)
            }

            /// Does nothing: the form keeps its own state.
            public func updateNSView(_ view: WKWebView, context: Context) {}

            /// Releases the page.
            public static func dismantleNSView(_ view: WKWebView, coordinator: Coordinator) { close(view) }
        }
    #endif
#endif
