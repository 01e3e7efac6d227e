import PaymentCore
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The data that payers have to submit: the fields, the JSON schema, and the check of submitted values.
///
/// Fields and rules are the recorded schema's. Values are always texts, and a ticked box is `true`.
enum IdentityForm {
    enum Rule: Sendable {
        case text(minimum: Int?, maximum: Int?)
        case date
        case country
        case consent
    }

    struct Field: Sendable {
        let id: String
        let title: String
        let hint: String
        let rule: Rule
        var isRequired = false
    }

    /// An error in a field. The texts never hold the entered value.
    struct Problem: Sendable, Hashable {
        let field: String
        let text: String
    }

    static let fields = [
        Field(
            id: "fullName", title: "Full name", hint: "As in your passport", rule: .text(minimum: 1, maximum: nil),
            isRequired: true),
        Field(id: "dob", title: "Date of birth", hint: "Year, month and day", rule: .date, isRequired: true),
        Field(id: "pobCountry", title: "Country of birth", hint: "Two letters, such as US", rule: .country),
        Field(
            id: "pobAddress", title: "Place of birth", hint: "City and region",
            rule: .text(minimum: nil, maximum: 200)),
        Field(id: "porCountry", title: "Country of residence", hint: "Two letters, such as US", rule: .country),
        Field(
            id: "porAddress", title: "Address of residence", hint: "Street and city",
            rule: .text(minimum: nil, maximum: 200)),
        Field(
            id: "tosConfirmed", title: "I accept the terms of service and the privacy policy", hint: "Required to pay",
            rule: .consent, isRequired: true),
    ]

    /// The pairs of fields: the place of birth, and that of residence. At least one pair has to be complete.
    static let alternatives = [["pobCountry", "pobAddress"], ["porCountry", "porAddress"]]

    // MARK: Checking

    /// Returns the errors in `values`, in the order of the fields; empty when they fulfil the schema.
    static func problems(with values: [String: String]) -> [Problem] {
        var problems = fields.compactMap { field -> Problem? in
            guard let value = values[field.id] else {
                return field.isRequired ? Problem(field: field.id, text: "is required") : nil
            }
            return problem(with: value, field.rule).map { Problem(field: field.id, text: $0) }
        }
        if !alternatives.contains(where: { $0.allSatisfy { values[$0] != nil } }) {
            problems.append(Problem(field: "place", text: "of birth or of residence must be complete"))
        }
        if values.keys.contains(where: { name in !fields.contains { $0.id == name } }) {
            problems.append(Problem(field: "another field", text: "is not known"))
        }
        return problems
    }

    private static func problem(with value: String, _ rule: Rule) -> String? {
        switch rule {
        case .text(let minimum, let maximum):
            // JSON schema counts code points.
            let length = value.unicodeScalars.count
            if let minimum, length < minimum { return "is required" }
            if let maximum, length > maximum { return "must have at most \(maximum) characters" }
            return nil
        case .date: return CivilDay(value.utf8) != nil ? nil : "must be a date (YYYY-MM-DD)"
        case .country:
            let isCode = value.utf8.count == 2 && value.utf8.allSatisfy { (0x41...0x5A).contains($0) }
            return isCode ? nil : "must be a country code of two capital letters"
        case .consent: return value == "true" ? nil : "must be accepted"
        }
    }

    /// Returns the values of a confirmation's `collectedData`: `{"fields":[{"id","value"}]}`.
    static func fields(_ data: JSONValue) throws(ServiceError) -> [String: String] {
        guard let list = data["fields"]?.array else {
            throw .validation("Validation error: collectedData: fields must be an array")
        }
        var values: [String: String] = [:]
        for item in list {
            guard let id = item["id"]?.string, let value = item["value"]?.string, values[id] == nil else {
                throw .validation("Validation error: collectedData: every field needs one id and one text as value")
            }
            values[id] = value
        }
        return values
    }
}

// MARK: Output for clients

extension IdentityForm {
    /// The link for the owners of accounts to submit their data for one payment.
    struct Link: Sendable {
        let payment: String
        /// Scheme, host and port.
        let base: String

        /// The `collectData` of options: the old list of fields, the schema, and the form for `accounts`.
        func collectData(_ accounts: [String]) -> JSONValue {
            let list = PercentCoding.encode(accounts.joined(separator: ","))
            return [
                "fields": [
                    ["type": "text", "id": "fullName", "name": "Full name", "required": true],
                    ["type": "date", "id": "dob", "name": "Date of birth", "required": true],
                ],
                "schema": IdentityForm.schema,
                "url": .string("\(base)/collect/?pid=\(PercentCoding.encode(payment))&accounts=\(list)"),
            ]
        }
    }

    /// The rules as a JSON schema.
    static var schema: JSONValue {
        var properties: JSONValue = [:]
        for field in fields {
            var property: JSONValue
            switch field.rule {
            case .text(let minimum, let maximum):
                property = ["type": "string"]
                if let minimum { property["minLength"] = .number(JSONNumber(minimum)) }
                if let maximum { property["maxLength"] = .number(JSONNumber(maximum)) }
            case .date: property = ["type": "string", "format": "date"]
            case .country: property = ["type": "string", "pattern": "^[A-Z]{2}$"]
            case .consent: property = ["type": "boolean", "const": true]
            }
            property["title"] = .string(field.title)
            property["description"] = .string(field.hint)
            properties[field.id] = property
        }
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "additionalProperties": false,
            "required": .array(fields.filter(\.isRequired).map { .string($0.id) }),
            "anyOf": .array(alternatives.map { ["required": .array($0.map(JSONValue.string))] }),
            "properties": properties,
        ]
    }
}

// MARK: - API

/// The payer's form: `GET /collect/` shows it, `POST /collect/submit` takes it. No credentials: it runs in a browser.
///
/// The form's submit address is the sandbox's own invention. The real page's is not documented.
extension WalletConnectPaySandbox {
    /// Returns the scheme, host and port of the payers' form.
    func formBase(for request: HTTPRequest) -> String {
        if let base = configuration.formBaseURL { return base.origin }
        // On loopback, the server's own address is used, not the client's claim.
        return request.url.isLoopback ? request.url.origin : "https://pay.walletconnect.com"
    }

    func identity(_ request: HTTPRequest, _ path: [String]) throws(ServiceError) -> HTTPResponse {
        switch (request.method, path) {
        case (.get, []), (.get, [""]): return showForm(FormItems(Substring(request.url.query ?? "")))
        case (.post, ["submit"]):
            guard request.mediaType == "application/x-www-form-urlencoded" else {
                throw .parameters("Content-Type must be application/x-www-form-urlencoded")
            }
            return submit(FormItems(Substring(decoding: request.body, as: UTF8.self)))
        default: throw .unknownPath
        }
    }

    private func showForm(_ items: FormItems) -> HTTPResponse {
        let page = page(items)
        let (record, accounts): (PaymentRecord, [String])
        do { (record, accounts) = try subject(of: items) } catch {
            return page.failed(error.message, status: error.status)
        }
        guard !record.identified.isSuperset(of: accounts) else { return page.finished() }
        return page.form(
            record, accounts: accounts.joined(separator: ","), values: Self.prefilled(items["prefill"]))
    }

    private func submit(_ items: FormItems) -> HTTPResponse {
        let page = page(items)
        let (record, accounts): (PaymentRecord, [String])
        do { (record, accounts) = try subject(of: items) } catch {
            return page.failed(error.message, status: error.status)
        }
        // Browsers also send empty inputs.
        let values = items.values.filter { !["pid", "accounts", "theme"].contains($0.key) && !$0.value.isEmpty }
        let problems = IdentityForm.problems(with: values)
        guard problems.isEmpty, !items.isAmbiguous else {
            let ambiguous = IdentityForm.Problem(field: "the form", text: "holds a field twice or is badly encoded")
            return page.form(
                record, accounts: accounts.joined(separator: ","), values: values,
                problems: problems + (items.isAmbiguous ? [ambiguous] : []))
        }
        payments[record.id]?.identified.formUnion(accounts)
        return page.finished()
    }

    /// Returns the payment and the accounts of a form. The message of an error is human-readable.
    private func subject(of items: FormItems) throws(ServiceError) -> (PaymentRecord, [String]) {
        let record = try payment(items["pid"] ?? "")
        switch record.status {
        case .requiresAction: break
        case .expired: throw .paymentExpired
        default: throw .invalidState("This payment is not open")
        }
        let asked = Set(record.offers.values.filter(\.asksForData).map(\.account))
        let accounts = items["accounts"]?.split(separator: ",").map(String.init) ?? []
        guard !accounts.isEmpty, asked.isSuperset(of: accounts) else {
            throw .validation("No details are needed for these accounts")
        }
        return (record, accounts)
    }

    private func page(_ items: FormItems) -> IdentityPage {
        IdentityPage(theme: items["theme"].flatMap(IdentityPage.Theme.init), nonce: random.hex(32))
    }

    /// Returns the values that a wallet pre-fills for its user: base64 in either alphabet, padded or not, of a JSON
    /// object of texts. Consent cannot be pre-filled, and unreadable values are ignored.
    private static func prefilled(_ text: String?) -> [String: String] {
        // A `+` that was not percent-encoded has become a space.
        var base64 = (text ?? "").map { [" ": "+", "-": "+", "_": "/"][$0] ?? $0 }
        while base64.count % 4 != 0 { base64.append("=") }
        guard let data = Data(base64Encoded: String(base64)), let members = try? JSONValue(parsing: Array(data)).object
        else { return [:] }
        return members.compactMapValues(\.string).filter { $0.key != "tosConfirmed" }
    }
}
