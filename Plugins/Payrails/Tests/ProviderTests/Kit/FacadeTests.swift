import PaymentCore
import TestSupport
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// The one test of the vendor's process-wide state; no other test touches it.
@Suite("The static facade")
struct FacadeTests {
    @Test("Sessions are made, kept, asked and forgotten")
    func facade() async throws {
        Payrails.endSession()
        #expect(Payrails.currentSession == nil && Payrails.getStoredInstruments().isEmpty)
        #expect(Payrails.query(.executionId) == nil)
        Payrails.update(UpdateOptions(amount: PayrailsAmount(value: "1.00", currency: "EUR")))
        let missing = await #expect(throws: PayrailsError.self) {
            try await Payrails.deleteInstrument(instrumentId: "i1")
        }
        #expect(missing?.word.hasPrefix("missingData a session") == true)

        let service = ScriptedService([.delete: [.ok(["success": true])]])
        let configuration = Payrails.Configuration(
            initData: Sample.initData(), option: Payrails.Options(env: Payrails.Env.dev))
        let session = try await Payrails.createSession(with: configuration, transport: service)
        #expect(Payrails.currentSession === session && session.option.env == .test)
        #expect(Payrails.getStoredInstruments().map(\.id) == ["i1", "i4", "i2"])
        #expect(try await Payrails.deleteInstrument(instrumentId: "i1").success)
        #expect(Payrails.getStoredInstruments(for: .card).map(\.id) == ["i4"])
        Payrails.update(UpdateOptions(amount: PayrailsAmount(value: "1.00", currency: "EUR")))
        #expect(session.amount.value == "1.00" && Payrails.query(.executionId) != nil)

        let broken = Payrails.Configuration(initData: Payrails.InitData(version: "1", data: "-"))
        await #expect(throws: PayrailsError.self) {
            try await Payrails.createSession(with: broken, transport: service)
        }
        for (configuration, isMade) in [(broken, false), (configuration, true)] {
            let result = await withCheckedContinuation { continuation in
                Payrails.createSession(with: configuration, transport: service) { continuation.resume(returning: $0) }
            }
            switch result {
            case .success(let made): #expect(isMade && Payrails.currentSession === made && made !== session)
            case .failure(let error):
                #expect(!isMade && error.word == "invalidDataFormat" && Payrails.currentSession === session)
            }
        }
        Payrails.endSession()
        #expect(Payrails.currentSession == nil)
    }

    @Test("Environments under their older and newer names")
    func environments() {
        #expect(Payrails.Env.dev == .test && Payrails.Env.prod == .production)
        #expect(Payrails.Options().env == .production && Payrails.Env.test.rawValue == "test")
    }
}

@Suite("Spoilt init data")
struct SpoiltInitDataTests {
    /// Every member of the sample, by its path.
    private func paths(_ value: JSONValue, _ path: [String] = []) -> [[String]] {
        (value.object ?? [:]).sorted { $0.key < $1.key }.flatMap {
            [path + [$0.key]] + paths($0.value, path + [$0.key])
        }
    }

    @Test("Whatever is missing or of another kind: an error that names it, or a session that works without")
    func everyMember() async throws {
        let sample = Sample.payload()
        let paths = paths(sample)
        #expect(paths.count > 25)
        var refused = 0
        for path in paths {
            let replacements: [JSONValue?] = [nil, .null, 7, "zz", [], [:], true]
            for replacement in replacements {
                let spoilt = replacement.map { sample.setting(path, $0) } ?? sample.removing(path)
                do {
                    let session = try PayrailsSession.scripted(ScriptedService([:]), payload: spoilt)
                    _ = session.storedInstruments(for: .card) + session.storedInstruments(for: .payPal)
                    _ = session.getPaymentMethodConfig()
                    _ = await session.executePayment(withStoredInstrument: session.card)
                    #expect(!session.isPaymentInProgress)
                } catch let error as PayrailsError {
                    refused += 1
                    #expect(error.word.contains("'") && error.word.contains(path[0]), "\(path): \(error.word)")
                    #expect(!error.description.contains(Canary.token))
                }
                _ = PayrailsProvider().recognize(
                    try PaymentLink(SessionLink.link(to: Sample.initData(spoilt)).reveal()))
            }
        }
        #expect(refused > 50)
    }
}
