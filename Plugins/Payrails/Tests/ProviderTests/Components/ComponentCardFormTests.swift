import PaymentCore
import Testing

@testable import PayrailsKit
@testable import PayrailsProvider

/// Protocol 5.1 to 5.6: the card form.
@Suite struct ComponentCardFormTests {
    static let now = YearAndMonth(year: 2026, month: 11)
    static let split = CardLayoutConfig.defaultRows(showNameField: true)

    private static func state(_ rows: [[CardFieldType]] = split, _ events: CardFormState.Event...) -> CardFormState {
        var state = CardFormState(rows: rows, now: now)
        for event in events { _ = state.handle(event, now: now) }
        return state
    }

    /// The typed text, the shown text, and its error; Protocol 5.3 and 5.5.
    static let typing: [(CardFieldType, String, String, CardFieldError?)] = [
        (.CARD_NUMBER, "4242424242424242", "4242 4242 4242 4242", nil),
        (.CARD_NUMBER, "378282246310005", "3782 822463 10005", nil),
        (.CARD_NUMBER, "4242424242424241", "4242 4242 4242 4241", .invalidCardNumber),
        (.CARD_NUMBER, "42a4-2", "4242", .invalidCardNumber), (.CARD_NUMBER, "", "", .empty),
        (.CARDHOLDER_NAME, "Jo O'Neil-Smith, Jr.", "Jo O'Neil-Smith, Jr.", nil),
        (.CARDHOLDER_NAME, "J", "J", .regexMatchFailed), (.CARDHOLDER_NAME, "J\nX", "JX", nil),
        (.CVV, "12345", "123", nil), (.CVV, "12", "12", .invalidLength),
        (.EXPIRATION_MONTH, "5", "05", nil), (.EXPIRATION_MONTH, "12", "12", nil),
        (.EXPIRATION_YEAR, "2025", "2025", .invalidExpirationYear), (.EXPIRATION_YEAR, "20761", "2076", nil),
        (.EXPIRATION_YEAR, "30", "30", .invalidExpirationYear),
    ]

    @Test("Fields are formatted and checked as they are typed", arguments: typing.indices)
    func fieldsAreFormattedAndChecked(_ index: Int) {
        let (field, typed, text, error) = Self.typing[index]
        let state = Self.state(Self.split, .edited(field, Redacted(typed)))
        #expect(state[field].text.reveal() == text)
        #expect(state[field].error == error)
    }

    @Test(
        "Month and year in one field are checked together",
        arguments: [
            ("1126", nil), ("11/26", nil), ("1026", CardFieldError.invalidExpirationDate), ("13", .regexMatchFailed),
        ])
    func combinedExpiry(_ typed: String, _ error: CardFieldError?) {
        let state = Self.state(
            [[.CARD_NUMBER], [.EXPIRATION_DATE, .CVV]], .edited(.EXPIRATION_DATE, Redacted(typed)))
        #expect(state[.EXPIRATION_DATE].error == error)
    }

    @Test("A month of this year that is over is found")
    func expiredMonthOfThisYearIsFound() {
        // The vendor's form accepts it; Protocol 5.3.
        let state = Self.state(
            Self.split, .edited(.EXPIRATION_YEAR, Redacted("2026")), .edited(.EXPIRATION_MONTH, Redacted("10")))
        #expect(state[.EXPIRATION_MONTH].error == .invalidExpirationDate)
    }

    @Test("Errors are shown when the field loses the focus")
    func errorsAreToldWhenTheFieldIsLeft() {
        var state = Self.state(Self.split, .entered(.CARD_NUMBER), .edited(.CARD_NUMBER, Redacted("41")))
        #expect(state[.CARD_NUMBER].visibleError == nil && state[.CARD_NUMBER].appearance == .focus)
        _ = state.handle(.left(.CARD_NUMBER), now: Self.now)
        #expect(state[.CARD_NUMBER].visibleError == .invalidCardNumber && state[.CARD_NUMBER].appearance == .invalid)
        _ = state.handle(.entered(.CARD_NUMBER), now: Self.now)
        #expect(state[.CARD_NUMBER].visibleError == nil)
        _ = state.handle(.edited(.CARD_NUMBER, Redacted("4242424242424242")), now: Self.now)
        _ = state.handle(.entered(.CVV), now: Self.now)
        #expect(state[.CARD_NUMBER].appearance == .completed && state[.CVV].isFocused)
        #expect(state[.CARDHOLDER_NAME].appearance == .base, "what was not visited is not told off")
        #expect(state.handle(.submitted, now: Self.now) == [.reject])
        #expect(state[.CARDHOLDER_NAME].appearance == .invalid && state.firstInvalid == .CARDHOLDER_NAME)
    }

    @Test("A brand with a code of another length clears the code")
    func anotherBrandClearsTheCode() {
        // Protocol 5.4: only when the code's length changes.
        var state = Self.state(Self.split, .edited(.CARD_NUMBER, Redacted("42")), .edited(.CVV, Redacted("123")))
        _ = state.handle(.edited(.CARD_NUMBER, Redacted("51")), now: Self.now)
        #expect(state.brand.name == "Mastercard" && state[.CVV].text.reveal() == "123")
        _ = state.handle(.edited(.CARD_NUMBER, Redacted("37")), now: Self.now)
        #expect(state.network == .amex && state.securityCodeLength == 4 && state[.CVV].text.reveal() == "")
    }

    /// Field, text, next field; Protocol 5.5. An incomplete number stays.
    static let moves: [(CardFieldType, String, CardFieldType?)] = [
        (.CARD_NUMBER, "4242424242424242", .CARDHOLDER_NAME), (.CARD_NUMBER, "4222222222222", nil),
        (.CARD_NUMBER, "4242424242424241", nil), (.CARDHOLDER_NAME, "Test Holder", nil), (.CVV, "123", nil),
        (.EXPIRATION_MONTH, "1", nil), (.EXPIRATION_MONTH, "2", .EXPIRATION_YEAR),
        (.EXPIRATION_MONTH, "11", .EXPIRATION_YEAR), (.EXPIRATION_YEAR, "2030", nil),
    ]

    @Test("The focus moves on where a field is complete", arguments: moves.indices)
    func focusMovesOn(_ index: Int) {
        let (field, text, next) = Self.moves[index]
        var state = Self.state(Self.split, .entered(field))
        #expect(state.handle(.edited(field, Redacted(text)), now: Self.now) == (next.map { [.moveFocus($0)] } ?? []))
        var elsewhere = Self.state()
        #expect(elsewhere.handle(.edited(field, Redacted(text)), now: Self.now).isEmpty, "only where the payer types")
    }

    @Test("Leaving completes a month")
    func leavingCompletesAMonth() {
        let state = Self.state(
            Self.split, .entered(.EXPIRATION_MONTH), .edited(.EXPIRATION_MONTH, Redacted("1")), .left(.EXPIRATION_MONTH)
        )
        #expect(state[.EXPIRATION_MONTH].text.reveal() == "01")
        var typed = state
        _ = typed.handle(.edited(.EXPIRATION_MONTH, Redacted("0")), now: Self.now)
        #expect(typed[.EXPIRATION_MONTH].text.reveal() == "", "deleting clears the month")
    }

    @Test("The end of a payment clears the code, and after success the number")
    func endOfAPayment() {
        let filled = Self.state(
            Self.split, .edited(.CARD_NUMBER, Redacted("4242424242424242")), .edited(.CVV, Redacted("123")))
        for outcome in CardPaymentButtonState.Outcome.allCases {
            var state = filled
            _ = state.handle(.paymentEnded(outcome), now: Self.now)
            #expect(state[.CVV].text.reveal() == "")
            #expect(state[.CARD_NUMBER].text.reveal().isEmpty == (outcome == .success))
        }
    }

    @Test("Each layout has its rows")
    func rowsOfLayouts() {
        typealias Layout = CardLayoutConfig
        let rest: [CardFieldType] = [.CVV, .EXPIRATION_MONTH, .EXPIRATION_YEAR]
        let split: [CardFieldType] = [.EXPIRATION_MONTH, .EXPIRATION_YEAR, .CVV]
        let cases: [(CardLayoutConfig, [[CardFieldType]])] = [
            (.standard, [[.CARD_NUMBER], [.CARDHOLDER_NAME], rest]),
            (.compact, [[.CARD_NUMBER], [.EXPIRATION_DATE, .CVV], [.CARDHOLDER_NAME]]),
            (.minimal, [[.CARD_NUMBER], [.EXPIRATION_DATE, .CVV]]),
            (.preset(.compact), [[.CARD_NUMBER], split, [.CARDHOLDER_NAME]]),
            (.preset(.minimal), [[.CARD_NUMBER], split]),
            (
                .custom(
                    [[.EXPIRATION_MONTH], [.CARD_NUMBER, .PIN], [.EXPIRATION_YEAR], [.CVV]],
                    useCombinedExpiryDateField: true),
                [[.EXPIRATION_DATE], [.CARD_NUMBER], [.CVV]]
            ),
        ]
        for (layout, rows) in cases { #expect(layout.rows(showNameField: true) == rows) }
        // Unusable ones: nothing, no code, half an expiry, both kinds of it.
        let broken: [[[CardFieldType]]] = [
            [], [[.CARD_NUMBER, .EXPIRATION_DATE]], [[.CARD_NUMBER, .CVV, .EXPIRATION_MONTH]],
            [[.CARD_NUMBER, .CVV, .EXPIRATION_DATE, .EXPIRATION_MONTH, .EXPIRATION_YEAR]], [[.CVV, .EXPIRATION_DATE]],
        ]
        for rows in broken {
            #expect(Layout.custom(rows).rows(showNameField: false) == Layout.defaultRows(showNameField: false))
        }
    }

    @MainActor
    @Test(
        "A right card is collected and encrypted in every layout",
        arguments: [CardLayoutConfig.standard, .compact, .minimal])
    func collectsAndEncrypts(_ layout: CardLayoutConfig) {
        let recorder = Recorder()
        let session = FakeSession()
        let form = CardForm(config: CardFormConfig(showNameField: true, layout: layout), session: session)
        form.delegate = recorder
        guard case .failure(.invalidCardData) = form.collectFields() else {
            Issue.record("an empty form was collected")
            return
        }
        form.fill()
        guard case .success("encrypted-4242") = form.collectFields() else {
            Issue.record("a right card was refused")
            return
        }
        session.change { $0.encryptionError = .missingData("a key") }
        form.collectFields()
        #expect(
            recorder.lines == [
                "form failed: The card data is not valid.", "collected encrypted-4242",
                "form failed: Something needed is missing: a key",
            ])
    }

    @MainActor @Test("What is typed prints as nothing")
    func whatIsTypedPrintsAsNothing() {
        let form = CardForm(config: .defaultConfig, session: FakeSession())
        form.fill()
        var text = "\(form.state) \(String(reflecting: form.state)) \(String(reflecting: form))"
        dump(form.state, to: &text)
        for secret in ["4242", "Test Holder", "123"] { #expect(!text.contains(secret)) }
        #expect(form.errorText(for: .CVV) == nil)
        form.setText("1", for: .CVV)
        form.collectFields()
        #expect(form.errorText(for: .CVV) == "Enter the 3 or 4 digit code")
    }
}
