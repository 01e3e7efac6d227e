import PayrailsProvider
import PayrailsTypes

/// What a session knows to be stored for its payer.
struct Instruments: Sendable {
    /// What the service listed last; nil while the init data are all there is.
    private var listed: [Payrails.PaymentType: [any StoredInstrument]]?
    /// Those that are gone although the data, or a list that was asked for before, still have them.
    private var deleted: Set<String> = []
    /// How often the service was asked, and which of the questions was the latest to be answered.
    private var asked = 0
    private var answered = 0
    /// How often fresh init data came: an answer to a question from before is about others.
    private var renewals = 0

    /// One question for the list.
    struct Question: Sendable {
        fileprivate let number: Int
        fileprivate let renewals: Int
        /// What was gone when it was asked: the service knows of that.
        fileprivate let deleted: Set<String>
    }

    /// Those of `type`, in the service's order: only what can be paid with where there is something to be paid.
    func list(_ type: Payrails.PaymentType, in payload: SessionPayload) -> [any StoredInstrument] {
        guard payload.execution == nil || payload.option(type) != nil else { return [] }
        let all = listed.map { $0[type] ?? [] } ?? payload.instruments(type)
        return all.filter { !deleted.contains($0.id) }
    }

    /// The one of this id is gone.
    mutating func delete(_ id: String) { deleted.insert(id) }

    /// Fresh init data came.
    mutating func renew() {
        listed = nil
        deleted = []
        renewals += 1
    }

    /// The service is being asked.
    mutating func ask() -> Question {
        asked += 1
        return Question(number: asked, renewals: renewals, deleted: deleted)
    }

    /// The service has answered `question` with `list`. An answer that was overtaken by another changes nothing.
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
