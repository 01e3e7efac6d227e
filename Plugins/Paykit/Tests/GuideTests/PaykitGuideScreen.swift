// swift-format-ignore-file
// What the guide prints for a screen, which only `make check-apple` looks at.

#if canImport(UIKit)
    import PaykitKit
    import UIKit

    @MainActor struct PaykitScreen {
        // Paykit 18
        func requestPubkyAuth() {
            let authURL = URL(string: "pubkyring://auth?callback=bitkit://pubky-callback")!
            UIApplication.shared.open(authURL)
        }

        func handlePubkyCallback(url: URL) {
            guard let sessionData = url.queryParameter("session") else { return }
            storeSession(sessionData)
        }
        // Paykit: end
        func storeSession(_ session: String) {}
    }

    extension URL {
        fileprivate func queryParameter(_ name: String) -> String? { nil }
    }
#endif
