public import PaymentCore
public import PayrailsProvider
import Synchronization

/// The state of the vendor's static functions for the whole process: the only global state in this module.
private let current = Mutex<PayrailsSession?>(nil)

extension Payrails {
    /// The vendor's name for a session.
    public typealias Session = PayrailsSession
    /// Provides fresh init data when the token is refused.
    public typealias SessionExpiredHandler = PayrailsSession.SessionExpiredHandler

    /// Creates a session and keeps it as ``currentSession``. Sends nothing.
    ///
    /// - Parameters:
    ///   - configuration: the init data from the merchant's server, and the options.
    ///   - onSessionExpired: provides fresh init data when the token is refused.
    ///   - transport: the network. Not among the vendor's parameters: this module opens no connections by itself. The
    ///     module PayrailsKit has the vendor's parameters only.
    /// - Throws: ``PayrailsError``: `invalidDataFormat`, or `missingData` naming the member.
    public static func createSession(
        with configuration: Configuration, onSessionExpired: SessionExpiredHandler? = nil,
        transport: any HTTPTransport, clock: any PaymentClock = SystemPaymentClock(),
        random: any RandomSource = SystemRandomSource()
    ) async throws -> Session {
        let session = try PayrailsSession(
            configuration, transport: transport, clock: clock, random: random, onSessionExpired: onSessionExpired)
        current.withLock { $0 = session }
        return session
    }

    /// Creates a session as ``createSession(with:onSessionExpired:transport:clock:random:)`` does, with a callback.
    public static func createSession(
        with configuration: Configuration, onSessionExpired: SessionExpiredHandler? = nil,
        transport: any HTTPTransport, clock: any PaymentClock = SystemPaymentClock(),
        random: any RandomSource = SystemRandomSource(),
        onInit: @escaping @MainActor @Sendable (Result<Session, PayrailsError>) -> Void
    ) {
        let result = Result { () throws(PayrailsError) in
            try PayrailsSession(
                configuration, transport: transport, clock: clock, random: random, onSessionExpired: onSessionExpired)
        }
        if case .success(let session) = result { current.withLock { $0 = session } }
        Task { await onInit(result) }
    }

    /// The session that was created last; nil without one.
    public static var currentSession: Session? { current.withLock { $0 } }

    /// Clears ``currentSession``; payments in progress keep their session.
    public static func endSession() { current.withLock { $0 = nil } }

    /// Returns all usable stored instruments of the current session, cards first; none without a session.
    public static func getStoredInstruments() -> [any StoredInstrument] {
        getStoredInstruments(for: .card) + getStoredInstruments(for: .payPal)
    }

    /// Returns the usable stored instruments of one type in the current session; none without a session.
    public static func getStoredInstruments(for type: PaymentType) -> [any StoredInstrument] {
        currentSession?.storedInstruments(for: type) ?? []
    }

    /// Deletes a stored instrument in the current session.
    ///
    /// - Throws: ``PayrailsError``; `missingData` without a session.
    public static func deleteInstrument(instrumentId: String) async throws -> DeleteInstrumentResponse {
        guard let session = currentSession else {
            throw PayrailsError.missingData("a session; call Payrails.createSession(with:) first")
        }
        return try await session.deleteInstrument(instrumentId: instrumentId)
    }

    /// Changes the current session; does nothing without one.
    public static func update(_ options: UpdateOptions) { currentSession?.update(options) }

    /// Returns the current session's value of `key`; nil without a session.
    public static func query(_ key: PayrailsQueryKey) -> PayrailsQueryResult? { currentSession?.query(key) }
}
