// swift-format-ignore-file
// The guide's unit tests, as printed, and run against the guide's mock; they ask the kit's functions by the guide's
// names.

import PaykitKit
import Testing

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

// The guide prints it in Kotlin, and without what Kotlin's `PaykitService` leaves to others.
actor MockPaykitService: PaykitService {
    private var mockEndpoints: [String: String] = [:]

    func setEndpoint(methodId: String, endpoint: String) {
        mockEndpoints[methodId] = endpoint
    }

    func getEndpoint(pubkey: String, methodId: String) -> String? {
        return mockEndpoints[methodId]
    }

    func removeEndpoint(methodId: String) { mockEndpoints[methodId] = nil }
}

// Of XCTest. SwiftPM goes by the name of the class: what it takes for a test it runs by itself, without a mock.
class GuideTestCase {}
typealias XCTestCase = GuideTestCase
func XCTAssertNotNil(_ value: Any?) { #expect(value != nil) }
func XCTAssertFalse(_ value: Bool) { #expect(!value) }

@Suite("The Paykit guide's unit tests")
struct PaykitGuideTests {
    @Test("They pass as printed, against the guide's mock")
    func printed() async throws {
        let mock = MockPaykitService()
        await mock.setEndpoint(methodId: "lightning", endpoint: "lnbc1...")
        try await Paykit.using(mock) {
            try await PaykitTests.PaykitIntegrationTests().testDiscoverPaymentMethods()
            try await PaykitTests.PaykitIntegrationTests().testSmartCheckout()
        }
    }

    @Test("They can fail: without payees there is no endpoint")
    func canFail() async {
        await #expect(throws: PaykitError.self) {
            try await Paykit.using(MockPaykitService()) {
                try await PaykitTests.PaykitIntegrationTests().testSmartCheckout()
            }
        }
    }
}
