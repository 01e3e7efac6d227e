public import PaymentCore
import Synchronization

/// The data about the payer that a service requests, and the rules for the values.
///
/// Created from a list of fields or from a JSON Schema. Both give the same kind of form. Values are texts on the wire,
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

/// Why a payer's value is rejected. It names the field, never the value.
public struct DataFieldError: Error, Sendable, Hashable {
    /// The kind of error.
    @nonexhaustive
    public enum Reason: Sendable, Hashable {
        /// A required value is missing or blank.
        case missing
        /// Not a calendar date in the form `YYYY-MM-DD`.
        case notADate
        /// Neither `true` nor `false`.
        case notTrueOrFalse
        /// A consent that was not given.
        case notConfirmed
        /// Fewer Unicode scalars than this.
        case tooShort(minimum: Int)
        /// More Unicode scalars than this.
        case tooLong(maximum: Int)
        /// Not of the form that the service's schema describes.
        case wrongForm
        /// The form has no such field.
        case unknownField
    }

    /// The field's id, as the service wrote it.
    public let field: String
    /// The kind of error.
    public let reason: Reason

    init(_ field: String, _ reason: Reason) {
        self.field = field
        self.reason = reason
    }
}

extension DataFieldError: CustomStringConvertible {
    /// One human-readable sentence.
    public var description: String {
        let name = "'\(PlainLine.make(field, limit: 64))'"
        return switch reason {
        case .missing: "\(name) is required; fill it in"
        case .notADate: "\(name) must be a date of the calendar, written YYYY-MM-DD"
        case .notTrueOrFalse: "\(name) must be true or false"
        case .notConfirmed: "\(name) must be confirmed to go on"
        case .tooShort(let minimum): "\(name) must have at least \(minimum) character\(minimum == 1 ? "" : "s")"
        case .tooLong(let maximum): "\(name) must have at most \(maximum) characters"
        case .wrongForm: "\(name) is not of the form that the service asks for"
        case .unknownField: "the form has no field \(name)"
        }
    }
}

// MARK: - JSON Schema

extension DataForm {
    /// The maximum length of a schema's text, in UTF-8 bytes.
    public static let maximumSchemaLength = 65_536
    /// The maximum number of properties, and of ids in one list.
    private static let maximumCount = 200

    /// Creates a form from a JSON Schema, as the object itself or as its text in a string.
    ///
    /// The form uses `required`, `anyOf` with `required`, and of each property `type`, `format` (`date`), `minLength`,
    /// `maxLength`, `const`, `title` and simple forms of `pattern`. It ignores everything else, and a known keyword
    /// with a value of the wrong kind: the service checks again. (JSON Schema 2020-12.)
    ///
    /// - Throws: ``DataFormSchemaError``.
    public init(schema: JSONValue) throws(DataFormSchemaError) {
        var schema = schema
        if let text = schema.string {
            guard text.utf8.count <= Self.maximumSchemaLength else { throw .tooLarge }
            do { schema = try JSONValue(parsing: text) } catch { throw .notJSON(error) }
        }
        guard let members = schema.object else { throw .notAnObject }
        let properties = members["properties"]?.object ?? [:]
        let groups = members["anyOf"]?.array ?? []
        guard properties.count <= Self.maximumCount, groups.count <= Self.maximumCount else { throw .tooLarge }

        let required = try Self.ids(members["required"])
        // A group without requirements is always complete, and fulfils the requirement of one complete group.
        var alternatives: [[String]] = []
        for group in groups { alternatives.append(try Self.ids(group["required"])) }

        var seen: Set<String> = []
        let order = required + alternatives.joined() + properties.keys.sorted()
        let ids = order.filter { seen.insert($0).inserted }
        let isRequired = Set(required)
        var rules: [String: ValueRule] = [:]
        let fields = ids.map { id in
            let rule = ValueRule(schema: properties[id] ?? .null)
            rules[id] = rule
            return DataRequest.Field(
                id: id, name: properties[id]?["title"]?.string.map { PlainLine.make($0, limit: 100) } ?? id,
                kind: rule.kind, isRequired: isRequired.contains(id))
        }
        self.init(fields: fields, alternatives: alternatives, rules: rules)
    }

    private static func ids(_ list: JSONValue?) throws(DataFormSchemaError) -> [String] {
        let ids = (list?.array ?? []).compactMap(\.string)
        guard ids.count <= maximumCount, ids.allSatisfy({ $0.utf8.count <= 128 }) else { throw .tooLarge }
        return ids
    }
}

extension ValueRule {
    init(schema: JSONValue) {
        switch (schema["type"]?.string, schema["format"]?.string) {
        case ("boolean", _): kind = .checkbox
        case ("string", "date"): kind = .date
        default: kind = .text
        }
        minimum = schema["minLength"]?.int64.flatMap { Int(exactly: $0) }
        maximum = schema["maxLength"]?.int64.flatMap { Int(exactly: $0) }
        pattern = schema["pattern"]?.string.flatMap(TextPattern.init)
        switch schema["const"] {
        case .bool(let flag): constant = flag ? "true" : "false"
        case .string(let text): constant = text
        default: break
        }
    }
}

/// Why a schema cannot be read.
@nonexhaustive
public enum DataFormSchemaError: Error, Sendable, Hashable {
    /// Its text is not JSON.
    case notJSON(JSONError)
    /// It is not a JSON object.
    case notAnObject
    /// It is larger than any realistic form.
    case tooLarge
}

extension DataFormSchemaError: CustomStringConvertible {
    /// One human-readable sentence.
    public var description: String {
        switch self {
        case .notJSON(let error): "the form's schema cannot be read: \(error)"
        case .notAnObject: "the form's schema is not a JSON object"
        case .tooLarge: "the form's schema is larger than a form for people can be"
        }
    }
}

/// The one form of regular expressions that is checked here: an anchored repetition of a character class, such as
/// `^[A-Z]{2}$`.
///
/// A pattern is foreign input. General expressions can take hours on a short text. These take one comparison per
/// character. Other forms are left to the service, which checks everything again.
struct TextPattern: Sendable, Hashable {
    private let ranges: [ClosedRange<UInt8>]
    private let counts: ClosedRange<Int>

    /// Creates a pattern from `^[class]quantifier$`; nil for every other expression.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 256, bytes.starts(with: "^[".utf8), bytes.last == UInt8(ascii: "$"),
            let end = bytes.firstIndex(of: UInt8(ascii: "]")),
            let ranges = Self.ranges(Array(bytes[2..<end])),
            let counts = Self.counts(bytes[(end + 1)..<(bytes.count - 1)])
        else { return nil }
        self.ranges = ranges
        self.counts = counts
    }

    /// Returns true if all of `text` has the form.
    func matches(_ text: String) -> Bool {
        counts.contains(text.utf8.count) && text.utf8.allSatisfy { byte in ranges.contains { $0.contains(byte) } }
    }

    /// Reads plain characters and ranges of them, without negation and escapes.
    private static func ranges(_ bytes: [UInt8]) -> [ClosedRange<UInt8>]? {
        guard !bytes.isEmpty, bytes.first != UInt8(ascii: "^"), !bytes.contains(UInt8(ascii: "\\")),
            bytes.allSatisfy({ 0x20...0x7E ~= $0 })
        else { return nil }
        var ranges: [ClosedRange<UInt8>] = []
        var index = 0
        while index < bytes.count {
            if index + 2 < bytes.count, bytes[index + 1] == UInt8(ascii: "-") {
                guard bytes[index] <= bytes[index + 2] else { return nil }
                ranges.append(bytes[index]...bytes[index + 2])
                index += 3
            } else {
                ranges.append(bytes[index]...bytes[index])
                index += 1
            }
        }
        return ranges
    }

    private static func counts(_ bytes: ArraySlice<UInt8>) -> ClosedRange<Int>? {
        switch String(decoding: bytes, as: UTF8.self) {
        case "": return 1...1
        case "+": return 1...Int.max
        case "*": return 0...Int.max
        default: break
        }
        guard bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}"), bytes.count <= 16 else { return nil }
        let parts = bytes.dropFirst().dropLast().split(
            separator: UInt8(ascii: ","), maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let low = number(first) else { return nil }
        guard parts.count == 2 else { return low...low }
        if parts[1].isEmpty { return low...Int.max }
        guard let high = number(parts[1]), low <= high else { return nil }
        return low...high
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.isEmpty || !digits.allSatisfy(\.isASCIIDigit) ? nil : Int(String(decoding: digits, as: UTF8.self))
    }
}

/// Dates in the format of forms: `YYYY-MM-DD`, the `full-date` of RFC 3339, in the Gregorian calendar.
enum CalendarDate {
    /// Returns true if `text` is an existing day. Years 0001 to 9999.
    static func exists(_ text: String) -> Bool { CivilDay(text.utf8).map { $0.year >= 1 } ?? false }
}

// MARK: - Collection

/// The data about the payer that an option requests, during one run of an attempt.
///
/// The values stay in memory: the journal keeps only the kind of answer.
final class PayerData: Sendable {
    /// The kind of the payer's answer.
    private enum Answer: String, Codable, Sendable {
        case notAsked, declined
        /// In the service's own form, which submits the data itself.
        case form
        /// As values, which are sent with the confirmation.
        case values
    }

    private static let step = "collect data"

    private let form: DataForm
    private let page: DataCollectionPage?
    private let isAsked: Bool
    private let collected = Mutex<[CollectedBody]>([])

    /// - Parameter allowsLoopback: true if the service's form may be on this machine: for a sandbox there.
    init(_ action: CollectDataBody?, allowsLoopback: Bool) {
        isAsked = action != nil
        page = action?.url.flatMap { try? DataCollectionPage($0, allowsLoopback: allowsLoopback) }
        form = Self.form(action)
    }

    /// The values for the confirmation.
    var values: [CollectedBody] { collected.withLock { $0 } }

    /// Asks the payer, if the option requests data.
    ///
    /// - Returns: false when the payer declined.
    func gather(for payment: String, in flow: PaymentFlow) async throws -> Bool {
        guard isAsked else { return true }
        let request = DataRequest(fields: form.fields, formURL: page?.url.reveal())
        let answer = try await flow.context.step(Self.step, .interaction) { try await self.ask(request, flow) }
        // Resumed: the values were not stored. They are needed again only if the confirmation has not arrived yet.
        if answer == .values, values.isEmpty {
            let status = try await flow.mapped { () throws(GatewayError) in
                try await flow.status(payment)
            }.status
            if status == .requiresAction { return try await ask(request, flow) != .declined }
        }
        return answer != .declined
    }

    private func ask(_ request: DataRequest, _ flow: PaymentFlow) async throws -> Answer {
        guard let collector = flow.context.payer.dataCollector else {
            throw flow.error(
                .unusableOption, "the option asks for data about the payer, but the payer has no way to give it")
        }
        let entered: [String: Redacted<String>]?
        do { entered = try await collector(request) } catch let error as PaymentError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw flow.error(.payer, "the payer's data could not be collected (\(type(of: error)))", cause: error)
        }
        guard let entered else { return .declined }
        // Without any requested value, the payer has used the service's own form.
        guard form.fields.contains(where: { entered[$0.id] != nil }) else { return .form }
        do {
            let values = try form.accepted(entered).map { CollectedBody(id: $0.id, value: $0.value.reveal()) }
            collected.withLock { $0 = values }
        } catch {
            throw flow.error(.payer, "the payer's data: \(error)")
        }
        return .values
    }

    /// Returns the form. The schema, if the service sends one, has more detail than the old list of fields.
    private static func form(_ action: CollectDataBody?) -> DataForm {
        if let schema = action?.schema, let form = try? DataForm(schema: .string(schema)), !form.fields.isEmpty {
            return form
        }
        return DataForm(
            fields: (action?.fields ?? []).map { field in
                // Fields of unknown types are text.
                DataRequest.Field(
                    id: field.id, name: PlainLine.make(field.name, limit: 100),
                    kind: .init(rawValue: field.type) ?? .text, isRequired: field.required)
            })
    }
}
