import PaymentCore
import SandboxSupport

/// Merchants of the account, and their settlement destinations.
extension WalletConnectPaySandbox {
    func accounts(_ request: HTTPRequest, _ path: [String]) throws(ServiceError) -> HTTPResponse {
        if request.method == .get, path == ["payments"] { return try list(request, ofMerchant: true) }
        if request.method == .get, path.count == 2, path[1] == "payments" { return try legacyList(request, path[0]) }
        let caller = try RequestChecks.caller(request.headers, configuration, needsMerchant: false, isCore: false)
        let world = caller.world
        switch (request.method, path.count) {
        case (.post, 0):
            return try once(request, "merchant/\(world.rawValue)") { body throws(ServiceError) in
                try self.createMerchant(body, world)
            }
        case (.get, 0): return try listMerchants(request, world)
        case (_, 1):
            let index = try index(of: path[0], world, evenDeleted: request.method == .delete)
            return try merchant(request, at: index, world)
        case (.get, 2) where path[1] == "settlements":
            let index = try index(of: path[0], world)
            return .json(merchants[world]?[index].settlementsBody ?? [:])
        case (.post, 3) where path[1...] == ["settlements", "crypto"]:
            let index = try index(of: path[0], world)
            return try once(request, "settlement/\(world.rawValue)/\(path[0])") { body throws(ServiceError) in
                try self.addSettlements(body, index, world)
            }
        case (_, 4) where path[1...2] == ["settlements", "crypto"]:
            return try settlement(request, path[3], at: try index(of: path[0], world), world)
        default: throw .unknownPath
        }
    }

    /// Performs `work` once for each key: a repetition gets the first answer.
    private func once(
        _ request: HTTPRequest, _ scope: String, _ work: (JSONValue) throws(ServiceError) -> JSONValue
    ) throws(ServiceError) -> HTTPResponse {
        let key = try RequestChecks.idempotencyKey(request.headers, isRequired: true).map { "\(scope)/\($0)" } ?? ""
        if let earlier = answers[key] {
            guard earlier.body == request.body else { throw .conflict }
            return earlier.answer
        }
        let answer = HTTPResponse.json(try work(try RequestChecks.body(request)), status: 201)
        answers[key] = (request.body, answer)
        return answer
    }

    private func index(of id: String, _ world: World, evenDeleted: Bool = false) throws(ServiceError) -> Int {
        guard let index = merchants[world]?.firstIndex(where: { $0.id == id && (evenDeleted || !$0.isDeleted) }) else {
            throw .notFound
        }
        return index
    }

    // MARK: Merchants

    private func createMerchant(_ body: JSONValue, _ world: World) throws(ServiceError) -> JSONValue {
        var merchant = MerchantRecord(
            id: "mrch_" + id(17), name: "", createdAt: Self.time(clock.now))
        guard body["merchantName"] != nil else { throw .invalid("merchantName", "is required") }
        guard body["merchantEmail"] != nil else { throw .invalid("merchantEmail", "is required") }
        try Self.change(&merchant, by: body)
        merchants[world, default: []].append(merchant)
        return ["merchant": merchant.body(withIcon: false)]
    }

    private func listMerchants(_ request: HTTPRequest, _ world: World) throws(ServiceError) -> HTTPResponse {
        let items = QueryItems(Substring(request.url.query ?? ""))
        func only(_ name: String) -> String? { items.first { $0.name == name[...] }?.decodedValue }
        guard let limit = Int(only("limit") ?? "20"), (1...100).contains(limit) else {
            throw .invalid("limit", "must be 1 to 100")
        }
        if let status = only("status"), !["active", "inactive", "suspended"].contains(status) {
            throw .invalid("status", "is not a status")
        }
        let search = only("search")?.lowercased()
        if let search, !(1...256).contains(search.utf8.count) {
            throw .invalid("search", "must be 1 to 256 characters")
        }
        let all = (merchants[world] ?? []).filter { merchant in
            !merchant.isDeleted && (only("status") ?? "active") == "active"
                && (search.map { merchant.name.lowercased().contains($0) || merchant.id.lowercased().contains($0) }
                    ?? true)
        }
        var start = 0
        if let cursor = only("cursor") {
            guard let last = all.firstIndex(where: { $0.id == cursor }) else {
                throw .parameters("Invalid request parameters")
            }
            start = last + 1
        }
        let page = all.dropFirst(start).prefix(limit)
        let hasMore = start + page.count < all.count
        return .json([
            "merchants": .array(page.map { $0.body() }), "totalCount": .number(JSONNumber(all.count)),
            "nextCursor": hasMore ? page.last.map { .string($0.id) } ?? .null : .null,
        ])
    }

    private func merchant(_ request: HTTPRequest, at index: Int, _ world: World) throws(ServiceError) -> HTTPResponse {
        guard var merchant = merchants[world]?[index] else { throw .notFound }
        switch request.method {
        case .get:
            var body = merchant.body()
            body["settlements"] = merchant.settlementsBody
            return .json(["merchant": body])
        case .patch:
            let body = try RequestChecks.body(request)
            guard ["merchantName", "merchantEmail", "iconUrl"].contains(where: { body[$0] != nil }) else {
                throw .invalid("merchantName", "at least one member is required")
            }
            try Self.change(&merchant, by: body)
            merchants[world]?[index] = merchant
            return .json(["merchant": merchant.body()])
        case .delete:
            merchants[world]?[index].isDeleted = true
            return .json(["id": .string(merchant.id), "deleted": true])
        default: throw .unknownPath
        }
    }

    private static func change(_ merchant: inout MerchantRecord, by body: JSONValue) throws(ServiceError) {
        if let name = body["merchantName"] {
            guard let name = name.string, (1...256).contains(name.count) else {
                throw .invalid("merchantName", "must be 1 to 256 characters")
            }
            merchant.name = name
        }
        if let email = body["merchantEmail"] {
            guard let email = email.string, email.split(separator: "@").count == 2, !email.contains(" ") else {
                throw .invalid("merchantEmail", "must be an e-mail address")
            }
            merchant.email = email
        }
        if let icon = body["iconUrl"] {
            guard icon.isNull || (icon.string.flatMap { try? HTTPURL($0) })?.isSecure == true else {
                throw .invalid("iconUrl", "must be an https URL")
            }
            merchant.iconURL = icon.string
        }
    }

    // MARK: Settlements

    private func addSettlements(_ body: JSONValue, _ index: Int, _ world: World) throws(ServiceError) -> JSONValue {
        guard let wanted = body["settlements"]?.array, (1...50).contains(wanted.count) else {
            throw .invalid("settlements", "must be 1 to 50")
        }
        var made: [MerchantRecord.Settlement] = []
        let known = merchants[world]?[index].settlements ?? []
        for one in wanted {
            guard let text = one["asset"]?.string, let asset = try? AssetID(text) else {
                throw .invalid("asset", "must be CAIP-19")
            }
            guard let destination = one["destination"]?.string else { throw .invalid("destination", "is required") }
            try Self.check(destination, on: asset)
            guard !(known + made).contains(where: { $0.asset.lowercased() == text.lowercased() }) else {
                throw ServiceError(
                    status: 409, code: "settlement_asset_conflict",
                    message: "A settlement already exists for this asset")
            }
            made.append(.init(id: "crypto_" + id(17), asset: text, destination: destination))
        }
        merchants[world]?[index].settlements += made
        return ["settlements": .array(made.map(\.body))]
    }

    private func settlement(
        _ request: HTTPRequest, _ id: String, at index: Int, _ world: World
    ) throws(ServiceError) -> HTTPResponse {
        let place = merchants[world]?[index].settlements.firstIndex { $0.id == id }
        switch request.method {
        case .put:
            guard let place, let settlement = merchants[world]?[index].settlements[place],
                let asset = try? AssetID(settlement.asset)
            else { throw .notFound }
            guard let destination = try RequestChecks.body(request)["destination"]?.string else {
                throw .invalid("destination", "is required")
            }
            try Self.check(destination, on: asset)
            merchants[world]?[index].settlements[place].destination = destination
            return .json(merchants[world]?[index].settlements[place].body ?? [:])
        case .delete:
            guard place != nil || deletedSettlements.contains(id) else { throw .notFound }
            if let place { merchants[world]?[index].settlements.remove(at: place) }
            deletedSettlements.insert(id)
            return .json(["id": .string(id), "deleted": true])
        default: throw .unknownPath
        }
    }

    private static func check(_ destination: String, on asset: AssetID) throws(ServiceError) {
        guard let account = try? AccountID(destination), account.chain == asset.chain else {
            throw .invalid("destination", "must be CAIP-10 on the asset's chain")
        }
    }

    /// Returns a random id of `length` letters and digits.
    private func id(_ length: Int) -> String {
        let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789".utf8)
        return String(
            decoding: (0..<length).map { _ in letters[Int(random.next() % UInt64(letters.count))] }, as: UTF8.self)
    }
}

/// A merchant of the account.
struct MerchantRecord: Sendable {
    struct Settlement: Sendable {
        let id: String
        let asset: String
        var destination: String

        var body: JSONValue {
            ["id": .string(id), "asset": .string(asset), "destination": .string(destination)]
        }
    }

    let id: String
    var name: String
    var email: String?
    var iconURL: String?
    let createdAt: String
    var isDeleted = false
    var settlements: [Settlement] = []

    /// Returns the merchant as answers state it.
    func body(withIcon: Bool = true) -> JSONValue {
        var body: JSONValue = [
            "id": .string(id), "name": .string(name), "email": email.map { .string($0) } ?? .null, "status": "active",
            "createdAt": .string(createdAt),
        ]
        if withIcon { body["iconUrl"] = iconURL.map { .string($0) } ?? .null }
        return body
    }

    var settlementsBody: JSONValue { ["fiat": [], "crypto": .array(settlements.map(\.body))] }
}
