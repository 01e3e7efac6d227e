import PaykitProvider
import Testing

@testable import PaykitKit

/// The failures, by the library's numbers and by the guide's kinds.
@Suite("Paykit's failures")
struct FailureTests {
    typealias Code = PaykitNetworkError.Code

    @Test(
        "Failures have the library's numbers, and say when the same may work as it does",
        arguments: [
            (.transport, 2000, .seconds(1)), (.connectionFailed, 2001, .seconds(2)),
            (.connectionTimeout, 2002, .seconds(1)), (.auth, 3000, nil), (.sessionExpired, 3001, nil),
            (.invalidCredentials, 3002, nil), (.notFound, 4000, nil), (.methodNotSupported, 4001, nil),
            (.invalidData, 5000, nil), (.validationFailed, 5001, nil), (.invoiceExpired, 6002, nil),
            (.endpointUsed, 6004, nil), (.storage, 7000, .milliseconds(500)), (.quotaExceeded, 7001, nil),
            (.rateLimited, 8000, .seconds(60)),
        ] as [(Code, Int, Duration?)])
    func numbers(_ code: Code, _ number: Int, _ wait: Duration?) {
        let failure = PaykitNetworkError(code, "text", methodID: "lightning")
        #expect(code.rawValue == number && failure.retryAfter == wait && failure.isRetryable == (wait != nil))
        #expect(PaykitNetworkError(code, "text", retryAfter: .seconds(7)).retryAfter == .seconds(7))
        #expect("\(failure)" == "text" && failure.methodID == "lightning")
    }

    @Test(
        "Each is one of the guide's kinds, with what the guide says to do",
        arguments: [
            (.notInitialized, .notInitialized, "paykit_initialize"),
            (.sessionExpired, .sessionExpired, "sign in again"),
            (.auth, .sessionExpired, "sign in again"), (.invalidCredentials, .sessionExpired, "sign in again"),
            (.notFound, .peerNotFound, "compare the key"), (.methodNotSupported, .methodNotSupported, "another way"),
            (.endpointUsed, .endpointUsed, "new endpoint"), (.transport, .networkError, "ever longer pauses"),
            (.storage, .networkError, "ever longer pauses"), (.invalidData, .networkError, "change"),
            (.invoiceExpired, .networkError, "change"), (Code(rawValue: 9999), .networkError, "change"),
        ] as [(Code, PaykitErrorType, String)])
    func kinds(_ code: Code, _ type: PaykitErrorType, _ advice: String) {
        let thrown = PaykitError(PaykitNetworkError(code, "text", methodID: "onchain"))
        #expect(thrown.type == type && thrown.recovery.contains(advice) && thrown.methodId == "onchain")
        #expect(thrown.failure.code == code && thrown.errorDescription == "text")
    }
}
