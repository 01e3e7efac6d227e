import PaymentCore

/// A standard whose texts lead to one service's page or app, which holds the rest of the payment.
///
/// Links on the web are claimed on exactly the service's hosts, encrypted, on the default port. Where a host serves
/// only payments, any other path there is a defect; elsewhere it is foreign.
protocol ServiceLink: PaymentStandard {
    /// The content of the link.
    var reading: ServiceReading { get }
}

extension ServiceLink {
    /// Pages of services ignore what they do not know.
    static var ignoresUnknownParts: Bool { true }
    var standard: String { reading.standard }
    var fields: InstructionFields { reading.fields }

    var instruction: PaymentInstruction {
        var instruction = bareInstruction
        instruction.purpose = reading.purpose
        if reading.payee != nil || reading.purpose == .payment { instruction.payee = .init(account: reading.payee) }
        // Anyone can register a name that looks almost the same.
        if reading.payee != nil { instruction.warnings.append(.missingChecksum) }
        instruction.network = reading.network
        instruction.amount = reading.amount
        instruction.memo = reading.memo
        instruction.reference = reading.reference
        instruction.holdsSecret = reading.holdsSecret
        if reading.holdsSecret { instruction.publicFields = ServiceReading.publicFields }
        if !reading.warnings.isEmpty { instruction.warnings += reading.warnings }
        return instruction
    }
}

/// The content of a link to a service.
struct ServiceReading: Sendable, Hashable {
    /// The short name of the kind of link: `paypal-me`.
    let standard: String
    var fields: InstructionFields = [:]
    /// The fields that may be shown of a link that is worth money.
    static let publicFields: Set<String> = ["payable"]
    let network: String
    /// The effect of following the link.
    var purpose: PaymentInstruction.Purpose = .payment
    var payee: String?
    var amount: PaymentInstruction.Amount = .onService
    var memo: String?
    /// The name of the payment on the service.
    var reference: String?
    /// True if the link is worth money to everyone who sees it.
    var holdsSecret = false
    var warnings: [InstructionWarning] = []

    init(_ standard: String, network: String) {
        self.standard = standard
        self.network = network
    }

    /// Sets the payee that the link names.
    mutating func setPayee(_ text: String) {
        payee = text
        fields.set("payee", text)
    }

    /// Sets the payment's name on the service, as the field `name`.
    mutating func setReference(_ name: String, _ text: String) {
        reference = text
        fields.set(name, text)
    }

    /// Sets the purpose of the payment, as the field `name`; nothing for an empty text.
    mutating func setMemo(_ name: String, _ text: String?) {
        guard let text, !text.isEmpty else { return }
        memo = text
        fields.set(name, text)
    }

    /// Sets the amount; the payer may change it on every service's page unless it `isFixed`.
    mutating func setAmount(_ digits: String?, _ currency: String?, isFixed: Bool = false) {
        fields.set("amount", digits)
        if digits != nil { fields.set("currency", currency) }
        amount = .init(digits, iso: currency)
        if !isFixed, case .fixed(let money) = amount {
            amount = .suggested(money)
            warnings.append(.amountEditable)
        }
    }

    /// Marks the link as no payment, however it looks.
    mutating func setNotPayable(_ purpose: PaymentInstruction.Purpose) {
        self.purpose = purpose
        fields.set("payable", false)
        if purpose != .pull { amount = .open }
    }
}
