// Nothing else of this package, and no Foundation: the guide's code has one import.
import PayrailsKit
import Testing

@Suite("One import stands for the vendor's")
struct OneImportTests {
    @Test("The client's import brings the components, the types and Foundation")
    @MainActor func client() throws {
        let error: any Error = PayrailsError.invalidCardData
        #expect(error.localizedDescription == "The card data is not valid.")
        let list: StoredInstruments? = nil
        #expect(list == nil && URL(string: "https://payrails.io")?.host() == "payrails.io")
        let data = try JSONEncoder().encode(Payrails.InitData(version: "1", data: "e30="))
        #expect(try JSONDecoder().decode(Payrails.InitData.self, from: data).version == "1")
    }
}
