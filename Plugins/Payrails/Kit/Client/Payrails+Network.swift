import PaymentTransport
public import PayrailsProvider

extension Payrails {
    /// Creates a session exactly as the vendor's guide does, over `StandardTransport`, and keeps it as
    /// `currentSession`. Sends nothing.
    ///
    /// - Parameters:
    ///   - configuration: the init data from the merchant's server, and the options.
    ///   - onSessionExpired: provides fresh init data when the token is refused.
    /// - Throws: `PayrailsError`: `invalidDataFormat`, or `missingData` naming the member.
    public static func createSession(
        with configuration: Configuration, onSessionExpired: SessionExpiredHandler? = nil
    ) async throws -> Session {
        try await createSession(
            with: configuration, onSessionExpired: onSessionExpired, transport: StandardTransport())
    }

    /// Creates a session as ``createSession(with:onSessionExpired:)`` does, with a callback.
    public static func createSession(
        with configuration: Configuration, onSessionExpired: SessionExpiredHandler? = nil,
        onInit: @escaping @MainActor @Sendable (Result<Session, PayrailsError>) -> Void
    ) {
        createSession(
            with: configuration, onSessionExpired: onSessionExpired, transport: StandardTransport(), onInit: onInit)
    }
}
