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

    struct PaykitTests {
        // Paykit 20
        class PaykitIntegrationTests: XCTestCase {
            func testDiscoverPaymentMethods() async throws {
                // Given
                let testPubkey = "o1gg96ewuojmopcjbz8895478wdtxtzzuxnfjjz8o8e77csa1ngo"

                // When
                let methods = try await paykit_get_supported_methods_for_key(pubkey: testPubkey)

                // Then
                XCTAssertNotNil(methods)
            }

            func testSmartCheckout() async throws {
                // Given
                let testPubkey = "o1gg96..."

                // When
                let result = try await paykit_smart_checkout(
                    pubkey: testPubkey,
                    preferredMethod: "lightning"
                )

                // Then
                XCTAssertFalse(result.endpoint.isEmpty)
            }
        }
        // Paykit: end
    }

    // Of XCTest, of which there is no stand-in; where SwiftPM can see a test, it runs it.
    class XCTestCase {}
    func XCTAssertNotNil(_ value: Any?) {}
    func XCTAssertFalse(_ value: Bool) {}

    extension URL {
        fileprivate func queryParameter(_ name: String) -> String? { nil }
    }
#endif
