import PaymentCore

extension PaymentInstruction {
    /// Sets a payee whose account has no check digits against typing mistakes, and warns of it.
    mutating func setUncheckedPayee(_ account: String, name: String? = nil) {
        payee = .init(account: account, name: name)
        warnings.append(.missingChecksum)
    }

    /// Sets the payments that the text asks for together. A single one is the instruction's own.
    mutating func setPayments(_ list: [Payment]) {
        guard list.count > 1 else {
            guard let payment = list.first else { return }
            payee = payment.payee
            amount = payment.amount
            memo = payment.memo
            return
        }
        payments = list
        let sums = sums
        (payee, memo, reference) = (nil, nil, nil)
        amount = sums.count == 1 && !hasOpenPayment ? sums[0] : .several
        warnings.append(.severalPayments)
    }
}

extension PaymentStandard {
    /// Returns ``instruction`` with `parts`, the rest of its text.
    func instruction(leaving parts: [UnreadPart]) -> PaymentInstruction {
        guard !parts.isEmpty else { return instruction }
        var instruction = instruction
        instruction.unread = parts
        instruction.fields["unread"] = .object(
            Dictionary(parts.map { ($0.name, $0.value.map(JSONValue.string) ?? .null) }) { first, _ in first })
        instruction.warnings.append(instruction.unclear.isEmpty ? .unread : .unclear)
        return instruction
    }
}

extension PaymentInstruction.Amount {
    /// Creates an amount of main units in a currency of ISO 4217: open without digits, bare digits if ``Money`` cannot
    /// count them in that currency.
    init(_ digits: String?, iso code: String?) {
        guard let digits else {
            self = .open
            return
        }
        let code = code ?? ""
        if let currency = try? FiatCurrency(code),
            let money = try? Money(decimal: digits.dropLeadingZeros, currency: .fiat(currency))
        {
            self = .fixed(money)
        } else {
            self = .uncounted(digits: digits, unit: code)
        }
    }
}

extension InstructionFields {
    /// Sets a text; nil leaves the field out.
    mutating func set(_ name: String, _ text: String?) {
        if let text { self[name] = .string(text) }
    }

    /// Sets a text, or `null` for nil.
    mutating func setOrNull(_ name: String, _ text: String?) {
        self[name] = text.map(JSONValue.string) ?? .null
    }

    /// Sets a whole number; nil leaves the field out.
    mutating func set(_ name: String, _ number: (some BinaryInteger)?) {
        if let number { self[name] = .number(JSONNumber(number)) }
    }

    /// Sets a truth value; nil leaves the field out.
    mutating func set(_ name: String, _ flag: Bool?) {
        if let flag { self[name] = .bool(flag) }
    }

    /// Sets a list of texts; an empty one leaves the field out.
    mutating func set(_ name: String, _ texts: [String]) {
        if !texts.isEmpty { self[name] = .array(texts.map(JSONValue.string)) }
    }

    /// Sets an object of texts; an empty one leaves the field out.
    mutating func set(_ name: String, _ texts: [String: String]) {
        if !texts.isEmpty { self[name] = .object(texts.mapValues(JSONValue.string)) }
    }
}

extension String {
    /// The text without a point at its end, which `1,` leaves.
    var trimmingPoint: String { last == "." ? String(dropLast()) : self }

    /// The digits without needless zeros before the point, as ``Money`` reads them.
    var dropLeadingZeros: String {
        let rest = drop { $0 == "0" }
        return rest.first.map { $0 == "." } ?? true ? "0\(rest)" : String(rest)
    }

    /// Returns digits that count units of 10⁻`exponent` as an amount of main units, without zeros at the end:
    /// `150000000` with 8 as `1.5`.
    func asUnits(exponent: Int) -> String {
        let digits = String(repeating: "0", count: max(0, exponent + 1 - utf8.count)) + self
        let point = digits.utf8.index(digits.endIndex, offsetBy: -exponent)
        let last = digits.utf8[point...].lastIndex { $0 != UInt8(ascii: "0") }
        return last.map { "\(digits[..<point]).\(digits[point...$0])" } ?? String(digits[..<point])
    }

    /// Digits that count hundredths, as an amount of main units: `00000015050` as `150.50`.
    var hundredthsAsUnits: String {
        let digits = String(repeating: "0", count: max(0, 3 - utf8.count)) + self
        return "\(digits.dropLast(2))".dropLeadingZeros + ".\(digits.suffix(2))"
    }
}
