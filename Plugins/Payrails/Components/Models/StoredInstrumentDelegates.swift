public import PayrailsTypes

/// Hears what happens to a ``StoredInstruments`` list. The first four are the guide's.
@MainActor public protocol PayrailsStoredInstrumentsDelegate: AnyObject {
    /// The payer chose an instrument.
    func storedInstruments(_ view: StoredInstruments, didSelectInstrument instrument: any StoredInstrument)
    /// The service confirmed a payment.
    func storedInstruments(_ view: StoredInstruments, didCompletePaymentForInstrument instrument: any StoredInstrument)
    /// A payment failed, or the payer left.
    func storedInstruments(
        _ view: StoredInstruments, didFailPaymentForInstrument instrument: any StoredInstrument, error: PayrailsError)
    /// The payer wants to delete an instrument. Nothing was deleted: ask, then delete, then refresh.
    func storedInstruments(_ view: StoredInstruments, didRequestDeleteInstrument instrument: any StoredInstrument)

    /// The payer wants to change an instrument. Not in the guide; by default nothing.
    func storedInstruments(_ view: StoredInstruments, didRequestUpdateInstrument instrument: any StoredInstrument)
}

extension PayrailsStoredInstrumentsDelegate {
    /// Nothing.
    public func storedInstruments(
        _ view: StoredInstruments, didRequestUpdateInstrument instrument: any StoredInstrument
    ) {}
}

/// Hears what happens to a single ``StoredInstrumentView``. The first five are the guide's.
@MainActor public protocol PayrailsStoredInstrumentViewDelegate: AnyObject {
    /// The payer chose the instrument.
    func storedInstrumentView(_ view: StoredInstrumentView, didSelectInstrument instrument: any StoredInstrument)
    /// The payer gave the choice up again.
    func storedInstrumentView(_ view: StoredInstrumentView, didDeselectInstrument instrument: any StoredInstrument)
    /// The service confirmed a payment.
    func storedInstrumentView(
        _ view: StoredInstrumentView, didCompletePaymentForInstrument instrument: any StoredInstrument)
    /// A payment failed, or the payer left.
    func storedInstrumentView(
        _ view: StoredInstrumentView, didFailPaymentForInstrument instrument: any StoredInstrument,
        error: PayrailsError)
    /// The payer wants to delete the instrument. Nothing was deleted.
    func storedInstrumentView(_ view: StoredInstrumentView, didRequestDeleteInstrument instrument: any StoredInstrument)

    /// The payer wants to change the instrument. Not in the guide; by default nothing.
    func storedInstrumentView(_ view: StoredInstrumentView, didRequestUpdateInstrument instrument: any StoredInstrument)
}

extension PayrailsStoredInstrumentViewDelegate {
    /// Nothing.
    public func storedInstrumentView(
        _ view: StoredInstrumentView, didRequestUpdateInstrument instrument: any StoredInstrument
    ) {}
}
