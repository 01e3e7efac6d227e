#if canImport(UIKit) && !os(watchOS)
    public import Foundation
    public import UIKit

    extension CPayManager {
        /// Handles a URL that opened the application (guide, "Processing client side returned URL").
        ///
        /// - Returns: true if the URL is a return to this library.
        @discardableResult
        @MainActor
        public func handleUrl(
            _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
        ) -> Bool {
            handleUrl(url)
        }

        /// Handles the URLs that opened a scene.
        @MainActor
        public func handleScene(_ URLContexts: Set<UIOpenURLContext>) {
            handleScene(Set(URLContexts.map(\.url)))
        }

        /// Handles the universal link that opened the application.
        @MainActor
        public func handleUniversalLink(_ userActivity: NSUserActivity) {
            if let url = userActivity.webpageURL { handleUniversalLink(url) }
        }
    }
#endif
