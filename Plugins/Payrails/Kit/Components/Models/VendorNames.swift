import PayrailsProvider

// The vendor's names. With UIKit they are views (folder `UIKit`), as in the vendor's SDK; elsewhere they are the models
// themselves, so that code written after the guide reads the same.

#if !canImport(UIKit) || os(watchOS) || os(tvOS)
    /// The payer's stored instruments, by the vendor's name.
    public typealias StoredInstruments = StoredInstrumentsModel
    /// One stored instrument, by the vendor's name.
    public typealias StoredInstrumentView = StoredInstrumentModel
    /// The pay button, by the vendor's name.
    public typealias CardPaymentButton = CardPaymentButtonModel
    /// The card form, by the vendor's name.
    public typealias CardForm = CardFormModel

    // The objects that delegates receive.
    extension StoredInstrumentsModel { var face: StoredInstruments { self } }
    extension StoredInstrumentModel { var face: StoredInstrumentView { self } }
    extension CardPaymentButtonModel { var face: CardPaymentButton { self } }
    extension CardFormModel { var face: CardForm { self } }

    extension PaymentPresenter {
        /// Does nothing: only the vendor's presenter, which needs UIKit, receives the encrypted card.
        func take(encryptedCard: String) {}
    }
#endif
