// Nothing else of this package, and no Foundation.
import PayrailsKit
import Testing

@Suite("The components by themselves")
struct ComponentImportTests {
    @Test("Their import brings what they speak of, and Foundation")
    func components() {
        let instrument: any StoredInstrument = StoredCardInstrument(id: "a", bin: nil, suffix: "1111")
        let error: any Error = PayrailsError.unsupportedPayment(type: instrument.type)
        #expect(!error.localizedDescription.isEmpty && UUID(uuidString: "x") == nil)
    }
}
