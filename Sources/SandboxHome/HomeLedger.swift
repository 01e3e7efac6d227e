package import PaymentCore
import PaymentTesting
import SandboxSupport

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The memory of the sandbox's home: every payment, its last events, and the open streams.
struct HomeLedger: Sendable {
    /// A payment, made here or by another program.
    struct Entry: Sendable {
        let service: String
        let id: String
        let number: Int
        /// The time of its first event here.
        let date: Date
        /// The payee and the price; nil until the service was asked.
        var facts: ListedFacts?
        /// The amount that was taken, as the ledger states it.
        var taken: String?
        /// The payment as it was made here, or nil if another program made it.
        var listed: SandboxPayment?
        /// The payment as the simulated payer can pay it.
        var payable: SandboxPayment? { listed ?? facts?.payable }
        /// The ledger's statuses, oldest first.
        var words: [LedgerStatus] = []
        /// The newest events about it.
        var events: [HomeEvent] = []
        /// The journal's view, once the payment was paid from the page.
        var report: PaidReport?
        var isBeingPaid = false
    }

    /// The most events that are kept altogether, and of one payment.
    static let (kept, keptOfOne) = (2000, 60)
    /// The most streams at once.
    static let mostStreams = 4000

    private(set) var entries: [String: Entry] = [:]
    private(set) var order: [String] = []
    /// The newest events. Older ones beyond ``kept`` are dropped in blocks.
    private(set) var events: [HomeEvent] = []
    private(set) var lastNumber = 0
    private var streams: [SandboxStream] = []
    /// The number of entries read from each service's ledger.
    private var known: [String: Int] = [:]

    /// The payments that were noted last, newest first.
    func newest(_ count: Int) -> [Entry] { order.suffix(count).reversed().compactMap { entries[$0] } }

    /// The newest payment of a scenario that was made here and that nothing has happened to yet.
    func untouched(_ scenario: String, of service: String) -> String? {
        order.last { id in
            guard let entry = entries[id], entry.service == service, entry.listed?.scenario == scenario else {
                return false
            }
            return entry.words == [.created] && !entry.isBeingPaid && entry.report == nil
        }
    }

    /// Notes a payment that was made here.
    mutating func add(_ payment: SandboxPayment, of service: String, at date: Date) {
        open(payment.id, of: service, at: date)
        entries[payment.id]?.listed = payment
    }

    private mutating func open(_ id: String, of service: String, at date: Date) {
        guard entries[id] == nil else { return }
        order.append(id)
        entries[id] = Entry(service: service, id: id, number: order.count, date: date)
    }

    mutating func change(_ id: String, _ body: (inout Entry) -> Void) {
        guard var entry = entries.removeValue(forKey: id) else { return }
        body(&entry)
        entries[id] = entry
    }

    /// The payments with new entries in a service's ledger whose facts are not known yet.
    func strangers(in ledger: SandboxLedger, of service: String) -> Set<String> {
        let fresh = ledger.entries.dropFirst(known[service, default: 0]).map(\.payment)
        return Set(fresh.filter { entries[$0]?.facts == nil })
    }

    /// Stores the facts of a payment.
    mutating func learn(_ facts: ListedFacts, of id: String, of service: String, at date: Date) {
        open(id, of: service, at: date)
        entries[id]?.facts = facts
    }

    /// Notes the new entries of a service's ledger, and returns their events.
    mutating func read(_ ledger: SandboxLedger, of service: String, at date: Date) -> [HomeEvent] {
        let count = known[service, default: 0]
        guard ledger.entries.count > count else { return [] }
        known[service] = ledger.entries.count
        return ledger.entries[count...].map { entry in
            open(entry.payment, of: service, at: date)
            let word = LedgerStatus(entry.event)
            change(entry.payment) {
                $0.words.append(word)
                if case .captured(_, let amount, _) = entry.event { $0.taken = amount }
            }
            return note(
                .ledger, word.rawValue, detail: entry.event.detail, service: service, payment: entry.payment, at: date)
        }
    }

    /// Notes an event, and sends it to every stream.
    @discardableResult mutating func note(
        _ kind: HomeEvent.Kind, _ title: String, detail: String = "", service: String? = nil, payment: String? = nil,
        status: Int? = nil, fault: String? = nil, at date: Date
    ) -> HomeEvent {
        lastNumber += 1
        let event = HomeEvent(
            number: lastNumber, date: date, kind: kind, service: service, payment: payment, title: title,
            detail: detail, status: status, fault: fault)
        events.append(event)
        if events.count >= 2 * Self.kept { events.removeFirst(events.count - Self.kept) }
        if let payment {
            change(payment) { entry in
                entry.events.append(event)
                if entry.events.count > Self.keptOfOne { entry.events.removeFirst() }
            }
        }
        if !streams.isEmpty { send(event.serverSent) }
        return event
    }

    // MARK: Streams

    /// Opens a stream of the events after the one with number `after`, or of future events only when `after` is nil.
    /// Returns nil when too many streams are open.
    mutating func stream(after number: Int?) -> SandboxStream? {
        guard streams.count < Self.mostStreams else { return nil }
        let stream = SandboxStream()
        stream.send(Array("retry: 1000\n\n".utf8))
        if let number {
            for event in events.suffix(Self.kept) where event.number > number { stream.send(event.serverSent) }
        }
        streams.append(stream)
        return stream
    }

    /// Sends a comment, so that streams without a reader are noticed.
    mutating func beat() { send(Array(":\n\n".utf8)) }

    /// Ends all streams.
    mutating func finish() {
        for stream in streams { stream.finish() }
        streams = []
    }

    private mutating func send(_ bytes: [UInt8]) { streams.removeAll { !$0.send(bytes) } }
}

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
    /// A request's status, or 0 if the connection was closed without an answer.
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
