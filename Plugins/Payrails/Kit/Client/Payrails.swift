public import PaymentCore
import PaymentTransport
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
    ///   - transport: the network. Not among the vendor's parameters; ``createSession(with:onSessionExpired:)`` has
    ///     those only.
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

extension Payrails {
    /// The content of the service's answer to the merchant's server for one payment, passed on unchanged.
    public typealias InitData = PayrailsInitData

    /// The environment that a session is meant for. It selects PayPal's own environment only: every address comes from
    /// the ``InitData``.
    public enum Env: String, Sendable, Hashable, CaseIterable {
        /// Real payments.
        case production
        /// Payments for testing.
        case test

        /// The older name of ``production``.
        public static let prod = Env.production
        /// The older name of ``test``, as the guide has it.
        public static let dev = Env.test
    }

    /// The options of a session.
    public struct Options: Sendable, Hashable {
        /// The environment that the session is meant for.
        public let env: Env
        /// The addresses that payers return to from pages.
        public let returnURLs: ReturnURLs

        /// Creates options.
        public init(env: Env = .production, returnURLs: ReturnURLs = .standard) {
            self.env = env
            self.returnURLs = returnURLs
        }
    }

    /// The input that a session is created from.
    public struct Configuration: Sendable, Hashable {
        /// The init data of this payment, from the merchant's server.
        public let initData: InitData
        /// The options of the session.
        public let option: Options

        /// Creates a configuration.
        public init(initData: InitData, option: Options = Options()) {
            self.initData = initData
            self.option = option
        }
    }
}

// MARK: - Components

/// The form that the next button is made for, as in the vendor's SDK.
@MainActor private weak var lastCardForm: CardForm?

@MainActor extension Payrails {
    private static var componentSession: any ComponentSession { currentSession ?? MissingSession() }

    /// Creates a list of the current session's stored instruments.
    ///
    /// Without a session the list is empty. The vendor's SDK ends the process instead.
    ///
    /// - Parameters:
    ///   - style: the look; nil is the vendor's.
    ///   - translations: the texts; nil is the vendor's English.
    ///   - showDeleteButton: true if instruments can be deleted.
    ///   - showUpdateButton: true if instruments can be changed.
    ///   - showPayButton: true if the selected row has its own pay button.
    public static func createStoredInstruments(
        style: StoredInstrumentsStyle? = nil, translations: StoredInstrumentsTranslations? = nil,
        showDeleteButton: Bool = false, showUpdateButton: Bool = false, showPayButton: Bool = false
    ) -> StoredInstruments {
        StoredInstruments(
            session: componentSession, style: style ?? .defaultStyle,
            translations: translations ?? StoredInstrumentsTranslations(), showDeleteButton: showDeleteButton,
            showUpdateButton: showUpdateButton, showPayButton: showPayButton)
    }

    /// Creates a row for one stored instrument. The parameters are those of
    /// ``createStoredInstruments(style:translations:showDeleteButton:showUpdateButton:showPayButton:)``.
    public static func createStoredInstrumentView(
        instrument: any StoredInstrument, style: StoredInstrumentsStyle? = nil,
        translations: StoredInstrumentsTranslations? = nil, showDeleteButton: Bool = false,
        showUpdateButton: Bool = false, showPayButton: Bool = false
    ) -> StoredInstrumentView {
        StoredInstrumentView(
            instrument: instrument, session: componentSession, style: style ?? .defaultStyle,
            translations: translations ?? StoredInstrumentsTranslations(), showDeleteButton: showDeleteButton,
            showUpdateButton: showUpdateButton, showPayButton: showPayButton)
    }

    /// Creates a card form. The next call of ``createCardPaymentButton(buttonStyle:translations:)`` makes its button.
    ///
    /// - Parameters:
    ///   - config: the content and the look of the form; nil asks for no name.
    ///   - showSaveInstrument: true if the payer may choose to store the card; overrides `config`.
    public static func createCardForm(config: CardFormConfig? = nil, showSaveInstrument: Bool = false) -> CardForm {
        let form = CardForm(
            config: (config ?? CardFormConfig()).with(showSaveInstrument: showSaveInstrument),
            session: componentSession)
        lastCardForm = form
        return form
    }

    /// Creates a pay button for the card form that was created last.
    ///
    /// Without a form or a session the button exists, and a tap reports the missing part to its delegate. The vendor's
    /// SDK ends the process instead.
    public static func createCardPaymentButton(
        buttonStyle: CardButtonStyle? = nil, translations: CardPaymenButtonTranslations
    ) -> CardPaymentButton {
        CardPaymentButton(
            cardForm: lastCardForm, session: componentSession, buttonStyle: buttonStyle, translations: translations)
    }

    /// Creates a pay button for a stored instrument.
    public static func createCardPaymentButton(
        storedInstrument: any StoredInstrument, buttonStyle: StoredInstrumentButtonStyle? = nil,
        translations: CardPaymenButtonTranslations,
        storedInstrumentTranslations: StoredInstrumentButtonTranslations? = nil
    ) -> CardPaymentButton {
        CardPaymentButton(
            storedInstrument: storedInstrument, session: componentSession, buttonStyle: buttonStyle,
            translations: translations, storedInstrumentTranslations: storedInstrumentTranslations)
    }
}
