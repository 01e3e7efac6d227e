public import PayrailsProvider

/// The delegate of a ``StoredInstruments`` list; receives its events. The first four methods are the guide's.
@MainActor public protocol PayrailsStoredInstrumentsDelegate: AnyObject {
    /// Reports that the payer chose an instrument.
    func storedInstruments(_ view: StoredInstruments, didSelectInstrument instrument: any StoredInstrument)
    /// Reports that the service confirmed a payment.
    func storedInstruments(_ view: StoredInstruments, didCompletePaymentForInstrument instrument: any StoredInstrument)
    /// Reports that a payment failed, or that the payer left.
    func storedInstruments(
        _ view: StoredInstruments, didFailPaymentForInstrument instrument: any StoredInstrument, error: PayrailsError)
    /// Reports that the payer wants to delete an instrument. Nothing was deleted: ask for confirmation, delete, then
    /// refresh.
    func storedInstruments(_ view: StoredInstruments, didRequestDeleteInstrument instrument: any StoredInstrument)

    /// Reports that the payer wants to change an instrument. Not in the guide; does nothing by default.
    func storedInstruments(_ view: StoredInstruments, didRequestUpdateInstrument instrument: any StoredInstrument)
}

extension PayrailsStoredInstrumentsDelegate {
    /// Does nothing.
    public func storedInstruments(
        _ view: StoredInstruments, didRequestUpdateInstrument instrument: any StoredInstrument
    ) {}
}

/// The delegate of a single ``StoredInstrumentView``; receives its events. The first five methods are the guide's.
@MainActor public protocol PayrailsStoredInstrumentViewDelegate: AnyObject {
    /// Reports that the payer chose the instrument.
    func storedInstrumentView(_ view: StoredInstrumentView, didSelectInstrument instrument: any StoredInstrument)
    /// Reports that the payer deselected the instrument.
    func storedInstrumentView(_ view: StoredInstrumentView, didDeselectInstrument instrument: any StoredInstrument)
    /// Reports that the service confirmed a payment.
    func storedInstrumentView(
        _ view: StoredInstrumentView, didCompletePaymentForInstrument instrument: any StoredInstrument)
    /// Reports that a payment failed, or that the payer left.
    func storedInstrumentView(
        _ view: StoredInstrumentView, didFailPaymentForInstrument instrument: any StoredInstrument,
        error: PayrailsError)
    /// Reports that the payer wants to delete the instrument. Nothing was deleted.
    func storedInstrumentView(_ view: StoredInstrumentView, didRequestDeleteInstrument instrument: any StoredInstrument)

    /// Reports that the payer wants to change the instrument. Not in the guide; does nothing by default.
    func storedInstrumentView(_ view: StoredInstrumentView, didRequestUpdateInstrument instrument: any StoredInstrument)
}

extension PayrailsStoredInstrumentViewDelegate {
    /// Does nothing.
    public func storedInstrumentView(
        _ view: StoredInstrumentView, didRequestUpdateInstrument instrument: any StoredInstrument
    ) {}
}
