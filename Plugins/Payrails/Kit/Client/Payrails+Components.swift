public import PayrailsProvider

/// The form that the next button is made for, as in the vendor's SDK.
@MainActor private weak var lastCardForm: CardForm?

@MainActor extension Payrails {
    private static var componentSession: any ComponentSession { currentSession ?? MissingSession() }

    /// Creates a list of the current session's stored instruments.
    ///
    /// Without a session the list is empty; the vendor's SDK ends the process instead.
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
    /// Without a form or a session the button exists, and a tap reports the missing part to its delegate; the vendor's
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
