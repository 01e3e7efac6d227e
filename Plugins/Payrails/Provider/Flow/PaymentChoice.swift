package import PaymentCore

/// One way to pay, as it is stored with an attempt. Contains names only, no secrets.
struct PaymentChoice: Sendable, Hashable, Codable {
    enum Kind: String, Sendable, Hashable, Codable {
        case stored, card, payPal, redirect
        /// Resumes the payment in progress: the payer has to visit its page.
        case page
    }

    let kind: Kind
    let type: String
    /// The instrument's id, or the method's code.
    let id: String?

    /// Returns the only way to pay a payment in progress that waits for its payer on a page.
    static func page(_ type: Payrails.PaymentType, price: Money) throws -> PaymentMethodOption {
        PaymentMethodOption(
            id: Kind.page.rawValue, title: "Resume the payment that was begun", amount: price, needs: [.page],
            providerData: try JSONValue.encode(PaymentChoice(kind: .page, type: type.rawValue, id: nil)))
    }

    /// Returns the ways to pay that a payer of this package can use, in order: stored ones, then new ones. Omits ways
    /// that could only fail.
    static func all(in payload: SessionPayload, price: Money) throws -> [PaymentMethodOption] {
        var options: [PaymentMethodOption] = []
        func add(_ choice: PaymentChoice, _ title: String, _ needs: [PayerNeed]) throws {
            let id = [choice.kind.rawValue, choice.id].compactMap(\.self).joined(separator: ":")
            guard !options.contains(where: { $0.id == id }) else { return }
            options.append(
                PaymentMethodOption(
                    id: id, title: title, amount: price, needs: needs, providerData: try JSONValue.encode(choice)))
        }
        for type in [Payrails.PaymentType.card, .payPal] where payload.isPayable(type) {
            for instrument in payload.instruments(type) {
                // Titles are stored with the attempt: a card's last digits are allowed, an address is not.
                let title = type == .card ? instrument.displayText() : "Saved PayPal account"
                try add(PaymentChoice(kind: .stored, type: type.rawValue, id: instrument.id), title, [])
            }
        }
        for option in payload.options where option.type.map(payload.isPayable) == true {
            switch option.type {
            case .card where payload.encryptionKey?.nonEmpty != nil:
                try add(PaymentChoice(kind: .card, type: "card", id: nil), "New card", [.data])
            case .payPal: try add(PaymentChoice(kind: .payPal, type: "payPal", id: nil), "PayPal", [.page])
            case .genericRedirect:
                let name = option.clientConfig?.displayName ?? option.paymentMethodCode
                try add(
                    PaymentChoice(kind: .redirect, type: "genericRedirect", id: option.paymentMethodCode),
                    WireText.line(name) ?? "Another method", [.page])
            // Apple's sheet is for applications:
            // `PayrailsSession/executePayment(withApplePay:saveInstrument:presenter:)`.
            case .card, .applePay, nil: break
            }
        }
        return options
    }

    /// The type of the payment.
    var paymentType: Payrails.PaymentType { Payrails.PaymentType(rawValue: type) ?? .genericRedirect }
}

extension PayrailsAmount {
    /// Returns the exact amount. Zeros beyond the currency's own digits are dropped.
    ///
    /// - Throws: `MoneyError`.
    package func money() throws -> Money {
        let currency = Currency.fiat(try FiatCurrency(currency))
        var text = value
        if let point = text.firstIndex(of: "."), let digits = currency.exponent {
            while text.hasSuffix("0"), text.distance(from: point, to: text.endIndex) - 1 > Int(digits) {
                text.removeLast()
            }
            if text.hasSuffix(".") { text.removeLast() }
        }
        return try Money(decimal: text, currency: currency)
    }

    /// Returns true if `other` is the same amount, however many zeros follow.
    func isSame(as other: PayrailsAmount) -> Bool {
        if self == other { return true }
        guard let own = try? money(), let theirs = try? other.money() else { return false }
        return own == theirs
    }
}
