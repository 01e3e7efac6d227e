import PaykitProvider
import Testing

@testable import PaykitKit

/// The failures, by the guide's kinds. `DirectoryTableTests` has their numbers.
@Suite("Paykit's failures")
struct FailureTests {
    typealias Code = PaykitNetworkError.Code

    @Test("The service's own waiting time counts, and a busy service is asked again after a minute")
    func waiting() {
        let failure = PaykitNetworkError(.rateLimited, "text", methodID: "lightning")
        #expect(failure.retryAfter == .seconds(60) && "\(failure)" == "text" && failure.methodID == "lightning")
        for code in [Code.rateLimited, .transport, .auth] {
            #expect(PaykitNetworkError(code, "text", retryAfter: .seconds(7)).retryAfter == .seconds(7))
        }
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
