extension PaymentError {
    /// Creates an error about reading a payee's data. No payment was sent.
    init(_ failure: PaykitNetworkError, provider: ProviderID) {
        let code: Code =
            switch failure.code {
            case .transport, .connectionFailed, .connectionTimeout: .network
            case .notFound: .notFound
            case .methodNotSupported: .unusableOption
            case .rateLimited: .rateLimited
            case .auth, .sessionExpired, .invalidCredentials: .unauthorized
            case .invalidData, .validationFailed: .invalidResponse
            default: .serviceFailure
            }
        self.init(
            code, failure.message, provider: provider, phase: .answered,
            retry: failure.retryAfter.map { .after($0) } ?? .never, cause: failure)
    }
}
