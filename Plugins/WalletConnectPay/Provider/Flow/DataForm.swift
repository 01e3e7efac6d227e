public import PaymentCore

/// The data about the payer that a service requests, and the rules for the values.
///
/// Created from a list of fields or from a JSON Schema; both give the same kind of form. Values are texts on the wire,
/// dates and Booleans too.
public struct DataForm: Sendable, Hashable {
    /// The maximum length of one value, in UTF-8 bytes.
    public static let maximumValueLength = 4096

    /// The fields, required ones first.
    public let fields: [DataRequest.Field]
    /// Groups of field ids. If there are any, at least one group must be filled in completely.
    public let alternatives: [[String]]
    private let rules: [String: ValueRule]

    init(fields: [DataRequest.Field], alternatives: [[String]], rules: [String: ValueRule]) {
        self.fields = fields
        self.alternatives = alternatives
        self.rules = rules
    }

    /// Creates a form of plain fields. Of several fields with the same id the first one counts. A required checkbox is
    /// a consent: it has to be `true`.
    public init(fields: [DataRequest.Field]) {
        var seen: Set<String> = []
        var rules: [String: ValueRule] = [:]
        self.fields = fields.filter { seen.insert($0.id).inserted }
        alternatives = []
        for field in self.fields {
            rules[field.id] = ValueRule(
                kind: field.kind, constant: field.kind == .checkbox && field.isRequired ? "true" : nil)
        }
        self.rules = rules
    }

    /// The ids that the form requests: the required fields and those of every alternative.
    public var askedIDs: Set<String> {
        Set(fields.filter(\.isRequired).map(\.id)).union(alternatives.joined())
    }

    /// Checks one value.
    ///
    /// - Throws: ``DataFieldError``.
    public func check(_ value: String, for id: String) throws(DataFieldError) {
        guard let rule = rules[id] else { throw DataFieldError(id, .unknownField) }
        if let reason = rule.fault(of: value) { throw DataFieldError(id, reason) }
    }

    /// Returns all errors in `values`, in the order of the fields; empty when the values can be submitted.
    ///
    /// A blank value counts as missing. Values that the form does not request are not errors.
    public func errors(in values: [String: Redacted<String>]) -> [DataFieldError] {
        var problems: [DataFieldError] = []
        let filled = filled(values)
        for field in fields {
            if let value = filled[field.id] {
                if let reason = rules[field.id]?.fault(of: value) { problems.append(DataFieldError(field.id, reason)) }
            } else if field.isRequired {
                problems.append(DataFieldError(field.id, .missing))
            }
        }
        // Of the groups, the one closest to complete was probably meant.
        let missing = alternatives.map { $0.filter { filled[$0] == nil } }
        if !missing.contains(where: \.isEmpty), let nearest = missing.min(by: { $0.count < $1.count }) {
            problems += nearest.map { DataFieldError($0, .missing) }
        }
        return problems
    }

    /// Returns the values to submit, in the order of the fields: checked, without blanks and without values that were
    /// not requested.
    ///
    /// - Throws: ``DataFieldError``, the first of ``errors(in:)``.
    public func accepted(
        _ values: [String: Redacted<String>]
    ) throws(DataFieldError) -> [(id: String, value: Redacted<String>)] {
        if let problem = errors(in: values).first { throw problem }
        let filled = filled(values)
        return fields.compactMap { field in filled[field.id].map { (field.id, Redacted($0)) } }
    }

    /// Returns the values that are not blank.
    private func filled(_ values: [String: Redacted<String>]) -> [String: String] {
        values.mapValues { $0.reveal() }.filter { !$0.value.allSatisfy(\.isWhitespace) }
    }
}

/// The rule for one value.
struct ValueRule: Sendable, Hashable {
    var kind: DataRequest.Field.Kind = .text
    /// Unicode scalars, as JSON Schema counts.
    var minimum: Int?
    var maximum: Int?
    var pattern: TextPattern?
    /// The only value allowed.
    var constant: String?

    /// Returns the error in `value`, or nil.
    func fault(of value: String) -> DataFieldError.Reason? {
        guard value.utf8.count <= DataForm.maximumValueLength else {
            return .tooLong(maximum: min(maximum ?? .max, DataForm.maximumValueLength))
        }
        switch kind {
        case .text: break
        case .date: guard CalendarDate.exists(value) else { return .notADate }
        case .checkbox: guard value == "true" || value == "false" else { return .notTrueOrFalse }
        }
        let length = value.unicodeScalars.count
        if let minimum, length < minimum { return .tooShort(minimum: minimum) }
        if let maximum, length > maximum { return .tooLong(maximum: maximum) }
        if let pattern, !pattern.matches(value) { return .wrongForm }
        if let constant, value != constant { return constant == "true" ? .notConfirmed : .wrongForm }
        return nil
    }
}
