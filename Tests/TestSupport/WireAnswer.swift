package import PaymentCore

/// A decoded answer.
package struct PayAnswer: Sendable {
    package let status: Int
    package let headers: HTTPHeaders
    package let text: String
    package let json: JSONValue

    package init(_ response: HTTPResponse) {
        status = response.status
        headers = response.headers
        text = String(decoding: response.body, as: UTF8.self)
        json = (try? JSONValue(parsing: response.body)) ?? .null
    }

    /// `400 params_validation: the message`, or the status alone.
    package var summary: String {
        guard let code = json["code"]?.string else { return "\(status)" }
        return "\(status) \(code): \(json["message"]?.string ?? "")"
    }
}

package enum Wire: CaseIterable, Sendable { case inProcess, loopback }

extension JSONValue {
    /// Every place in the value with the kind of its content: `options[].id string`. Array elements share a place.
    package var shape: Set<String> {
        switch self {
        case .null: [" null"]
        case .bool: [" bool"]
        case .number: [" number"]
        case .string: [" string"]
        case .array(let elements): Set(elements.flatMap(\.shape).map { "[]" + $0 })
        case .object(let members): Set(members.flatMap { key, value in value.shape.map { ".\(key)" + $0 } })
        }
    }
}

extension HTTPResponse {
    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }
}
