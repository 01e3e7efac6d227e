import PayrailsProvider

/// The stored instruments of the payer, as far as a session knows them.
struct Instruments: Sendable {
    /// The latest list of the service; nil while the init data are the only source.
    private var listed: [Payrails.PaymentType: [any StoredInstrument]]?
    /// The ids of deleted instruments that the init data, or a list requested before the deletion, still contain.
    private var deleted: Set<String> = []
    /// The number of requests for the list, and the number of the latest request that was answered.
    private var asked = 0
    private var answered = 0
    /// The number of times that fresh init data came. An answer to an earlier request does not describe the new data.
    private var renewals = 0

    /// One request for the list.
    struct Question: Sendable {
        fileprivate let number: Int
        fileprivate let renewals: Int
        /// The ids deleted before the request: the service knows of these deletions.
        fileprivate let deleted: Set<String>
    }

    /// Returns the instruments of `type`, in the service's order. If the session has a payment, only a type that it
    /// offers has any.
    func list(_ type: Payrails.PaymentType, in payload: SessionPayload) -> [any StoredInstrument] {
        guard payload.execution == nil || payload.option(type) != nil else { return [] }
        let all = listed.map { $0[type] ?? [] } ?? payload.instruments(type)
        return all.filter { !deleted.contains($0.id) }
    }

    /// Records the deletion of the instrument `id`.
    mutating func delete(_ id: String) { deleted.insert(id) }

    /// Discards the list and the deletions, because fresh init data came.
    mutating func renew() {
        listed = nil
        deleted = []
        renewals += 1
    }

    /// Begins a request for the list.
    mutating func ask() -> Question {
        asked += 1
        return Question(number: asked, renewals: renewals, deleted: deleted)
    }

    /// Takes `list` as the service's answer to `question`. Changes nothing if a later request was answered before.
    mutating func take(_ list: InstrumentList, to question: Question, in payload: SessionPayload) {
        guard question.renewals == renewals, question.number > answered else { return }
        answered = question.number
        var new = list.instruments
        if list.hasMore {
            for type in [Payrails.PaymentType.card, .payPal] {
                let known = listed.map { $0[type] ?? [] } ?? payload.instruments(type)
                let ids = Set(new[type, default: []].map(\.id))
                new[type, default: []] += known.filter { !ids.contains($0.id) }
            }
        }
        listed = new
        deleted.subtract(question.deleted)
    }
}
