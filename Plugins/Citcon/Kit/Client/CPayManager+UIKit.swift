#if canImport(UIKit) && !os(watchOS)
    public import Foundation
    public import UIKit

    extension CPayManager {
        /// Takes a URL by which the application was opened (guide, "Processing client side returned URL").
        ///
        /// - Returns: whether it is one of this library's.
        @discardableResult
        @MainActor
        public func handleUrl(
            _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
        ) -> Bool {
            handleUrl(url)
        }

        /// Takes the URLs by which a scene was opened.
        @MainActor
        public func handleScene(_ URLContexts: Set<UIOpenURLContext>) {
            handleScene(Set(URLContexts.map(\.url)))
        }

        /// Takes the universal link by which the application was opened.
        @MainActor
        public func handleUniversalLink(_ userActivity: NSUserActivity) {
            if let url = userActivity.webpageURL { handleUniversalLink(url) }
        }
    }
#endif
