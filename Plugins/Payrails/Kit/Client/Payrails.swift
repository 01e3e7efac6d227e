public import PaymentCore
public import PayrailsTypes
import Synchronization

/// What the vendor's static functions set up for the whole process: the only state of that kind in this module.
private let current = Mutex<PayrailsSession?>(nil)

extension Payrails {
    /// The vendor's name for a session.
    public typealias Session = PayrailsSession
    /// Gets fresh init data when the token is refused.
    public typealias SessionExpiredHandler = PayrailsSession.SessionExpiredHandler

    /// Creates a session and keeps it as ``currentSession``. Nothing is sent.
    ///
    /// - Parameters:
    ///   - configuration: what the merchant's server got, and how to behave.
    ///   - onSessionExpired: gets fresh init data when the token is refused.
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

    /// As ``createSession(with:onSessionExpired:transport:clock:random:)``, with a callback.
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

    /// The session that was made last, or nil.
    public static var currentSession: Session? { current.withLock { $0 } }

    /// Forgets ``currentSession``; payments under way keep theirs.
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

    /// Changes the current session, if there is one.
    public static func update(_ options: UpdateOptions) { currentSession?.update(options) }

    /// Returns what the current session knows of `key`; nil without a session.
    public static func query(_ key: PayrailsQueryKey) -> PayrailsQueryResult? { currentSession?.query(key) }
}
