package import PaymentCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// An event in the sandbox, as its home reports it: one line of the live log, one event of the stream.
package struct HomeEvent: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A request was answered, or its connection closed.
        case request
        /// An entry of a service's ledger.
        case ledger
        /// A notification was sent, or sent again.
        case notification
        /// A step of a simulated payer that pays from the page.
        case step
        /// A fault was planned.
        case fault
        /// The clock was set forward.
        case clock
    }

    /// Counts up from 1.
    package let number: Int
    package let date: Date
    package let kind: Kind
    package var service: String?
    package var payment: String?
    /// The event in a few words: a request's method and path, or a ledger's status.
    package let title: String
    package var detail = ""
    /// A request's status; 0 where the connection was closed without an answer.
    package var status: Int?
    /// The fault that a request met.
    package var fault: String?

    /// The form for programs.
    package var json: JSONValue {
        var json: JSONValue = [
            "n": .number(JSONNumber(number)), "at": .string(RFC3339(date).text), "kind": .string(kind.rawValue),
            "title": .string(title), "detail": .string(detail),
        ]
        if let service { json["service"] = .string(service) }
        if let payment { json["payment"] = .string(payment) }
        if let status { json["status"] = .number(JSONNumber(status)) }
        if let fault { json["fault"] = .string(fault) }
        return json
    }

    /// The form for server-sent events (HTML, section 9.2.6). JSON has no line breaks, so one line of data is enough.
    var serverSent: [UInt8] { Array("id: \(number)\ndata: ".utf8) + json.serialized() + Array("\n\n".utf8) }
}
