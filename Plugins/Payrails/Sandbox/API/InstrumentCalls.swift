import PaymentCore
import SandboxSupport

/// The stored instruments of a holder: listing, saving, changing and deleting, for clients and for merchants.
extension PayrailsSandbox {
    func instruments(_ request: HTTPRequest, _ path: [String], isPublic: Bool) throws(PayrailsSandboxError)
        -> HTTPResponse
    {
        if isPublic, path == ["tokenize"], request.method == .post { return tokenize(request) }
        var owner: String?
        if isPublic { owner = try holder(of: request) } else { try requireMerchant(request) }
        switch (request.method, path.count) {
        case (.post, 0): return try save(request, owner: owner)
        case (.get, 0): return try list(request, owner: owner)
        case (.get, 1):
            let (holder, index) = try find(path[0], owner: owner)
            return .json(instrumentBody(holder, index))
        case (.delete, 1): return try delete(path[0], owner: owner)
        case (.patch, 1): return try update(request, path[0], owner: owner)
        case (_, 0), (_, 1): throw .wrongMethod
        default: throw .unknownPath
        }
    }

    /// Saves an instrument, `POST /payment/instruments`.
    private func save(_ request: HTTPRequest, owner: String?) throws(PayrailsSandboxError) -> HTTPResponse {
        try once(request) { () throws(PayrailsSandboxError) in
            let body = try object(request)
            guard let holder = body["holderReference"]?.string, owner == nil || owner == holder else {
                throw .invalid("holderReference", "is not the session's holder")
            }
            let usage = try Self.futureUsage(body, isRequired: true)
            let id = random.uuid()
            let instrument: Instrument
            switch body["paymentMethod"]?.string {
            case "card":
                let card = try card(body["data"], holder: holder)
                guard card.isPlausible, !card.isExpired(at: now) else {
                    throw .invalid("data.encryptedData", "holds a card that cannot be used")
                }
                instrument = Instrument(card, id: id, createdAt: now)
            case "applePay":
                let network = try Self.applePayNetwork(body["data"]?["paymentToken"]?.string)
                instrument = Instrument(
                    id: id, method: "applePay", createdAt: now, status: "created",
                    data: ["network": .string(String(network.lowercased()))])
            default: throw .invalid("paymentMethod", "must be card or applePay")
            }
            return kept(
                instrument, for: holder, stores: body["storeInstrument"]?.bool ?? true, usage: usage)
        }
    }

    /// Lists a holder's instruments, `GET /payment/instruments?filter[holderReference]=…`.
    private func list(_ request: HTTPRequest, owner: String?) throws(PayrailsSandboxError) -> HTTPResponse {
        let filter = QueryItems(Substring(request.url.query ?? ""))
            .first { PercentCoding.decode($0.name) == "filter[holderReference]" }?.decodedValue
        guard let reference = owner ?? filter else { throw .missing("filter[holderReference]") }
        let holder = holders[reference]
        return .json([
            "results": .array(holder?.instruments.map { $0.body(holderID: holder?.id ?? "", futureUsage: nil) } ?? [])
        ])
    }

    private func delete(_ id: String, owner: String?) throws(PayrailsSandboxError) -> HTTPResponse {
        let (holder, index) = try find(id, owner: owner)
        holders[holder]?.instruments.remove(at: index)
        return .json(["success": true])
    }

    /// Changes an instrument, `PATCH /payment/instruments/{id}`; checks the whole change before any effect. The data of
    /// a card (its name, its expiry) cannot be changed: a member that is not documented is refused rather than ignored.
    private func update(_ request: HTTPRequest, _ id: String, owner: String?) throws(PayrailsSandboxError)
        -> HTTPResponse
    {
        try once(request) { () throws(PayrailsSandboxError) in
            let change = try object(request)
            let (holder, index) = try find(id, owner: owner)
            guard var instrument = holders[holder]?.instruments[index] else { throw .unknownInstrument }
            for (name, value) in (change.object ?? [:]).sorted(by: { $0.key < $1.key }) {
                try instrument.change(name, to: value)
            }
            holders[holder]?.instruments[index] = instrument
            if change["default"]?.bool == true { holders[holder]?.makeDefault(instrument.id) }
            return .json(instrumentBody(holder, index))
        }
    }

    private func instrumentBody(_ holder: String, _ index: Int) -> JSONValue {
        guard let known = holders[holder] else { return .null }
        return known.instruments[index].body(holderID: known.id, futureUsage: nil)
    }

    private func find(_ segment: String, owner: String?) throws(PayrailsSandboxError) -> (holder: String, index: Int) {
        let id = PercentCoding.decode(segment) ?? segment
        for (reference, holder) in holders where owner == nil || owner == reference {
            if let index = holder.instruments.firstIndex(where: { $0.id == id }) { return (reference, index) }
        }
        throw .unknownInstrument
    }
}
