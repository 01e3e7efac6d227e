/// The reason why a payer's value is rejected. Names the field, never the value.
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
