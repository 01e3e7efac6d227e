import PaymentCore

// Bodies of the wallet-facing API, version 2026-02-19.preview, where they are not the client's own types. Lenient:
// unknown members are ignored, and what may be absent may be null. Enumerations keep unknown values.

/// `POST …/options` request.
struct OptionsRequestBody: Codable, Sendable {
    let accounts: [String]
}

/// `POST …/options` answer. `options` is null once the payment is over.
struct OptionsBody: Codable, Sendable {
    let info: PaymentInfo?
    let options: [OptionBody]?
    let collectData: CollectDataAction?
    /// Named in the documentation only: no published specification has it.
    let resultInfo: PaymentResultInfo?
}

struct OptionBody: Codable, Sendable {
    let id: String
    /// CAIP-10.
    let account: String
    let amount: PayAmount
    let etaS: Int64?
    /// Unix seconds; null for prices that do not move.
    let expiresAt: Int64?
    let actions: [ActionBody]
    let collectData: CollectDataAction?

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(String.self, forKey: .id)
        let isPlain = id.unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) }
        guard !id.isEmpty, isPlain else {
            throw DecodingError.dataCorruptedError(
                forKey: .id, in: members, debugDescription: "an option's id is empty or not plain text")
        }
        account = try members.decode(String.self, forKey: .account)
        amount = try members.decode(PayAmount.self, forKey: .amount)
        etaS = try members.decodeIfPresent(Int64.self, forKey: .etaS)
        expiresAt = try members.decodeIfPresent(Int64.self, forKey: .expiresAt)
        actions = try members.decodeIfPresent([ActionBody].self, forKey: .actions) ?? []
        collectData = try members.decodeIfPresent(CollectDataAction.self, forKey: .collectData)
    }
}

/// One thing the wallet has to do. `walletRpc` is ready; `build` has to be fetched first. Other types are kept, so that
/// only choosing their option fails.
struct ActionBody: Codable, Sendable {
    let type: String
    let data: JSONValue

    init(type: String, data: JSONValue) {
        self.type = type
        self.data = data
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        type = try members.decode(String.self, forKey: .type)
        data = try members.decodeIfPresent(JSONValue.self, forKey: .data) ?? .null
    }
}

/// The data of a `walletRpc` action. The one member in snake case on this wire is `chain_id`.
struct WalletCallBody: Codable, Sendable, Hashable {
    let chainID: String
    let method: String
    let params: JSONValue

    enum CodingKeys: String, CodingKey {
        case chainID = "chain_id"
        case method, params
    }
}

/// `POST …/fetch`.
struct FetchRequestBody: Codable, Sendable {
    let optionId: String
    let data: String
}

struct ActionsBody: Codable, Sendable {
    let actions: [ActionBody]
}

/// `POST …/confirm`: one result per action, in order.
struct ConfirmRequestBody: Codable, Sendable {
    struct Result: Codable, Sendable {
        let type: String
        let data: [JSONValue]

        /// A result that is sent as the text it is.
        init(text: String) {
            type = "walletRpc"
            data = [.string(text)]
        }

        /// A result that is sent as JSON where it is the text of a JSON object or array, as wallets of other chains
        /// return them, and as text otherwise.
        init(data text: String) {
            type = "walletRpc"
            let json = try? JSONValue(parsing: text)
            data = [json?.object != nil || json?.array != nil ? json ?? .null : .string(text)]
        }
    }

    struct Collected: Codable, Sendable {
        let fields: [CollectDataFieldResult]
    }

    let optionId: String
    let results: [Result]
    let collectedData: Collected?

    init(optionId: String, results: [Result], collectedData: [CollectDataFieldResult] = []) {
        self.optionId = optionId
        self.results = results
        self.collectedData = collectedData.isEmpty ? nil : Collected(fields: collectedData)
    }
}

/// `POST …/confirm` and `GET …/status` answers.
struct StatusBody: Codable, Sendable {
    let status: PaymentStatus
    let isFinal: Bool
    let pollInMs: Int64?
    let info: PaymentResultInfo?
    let failureCode: String?

    init(
        status: PaymentStatus, isFinal: Bool, pollInMs: Int64? = nil, info: PaymentResultInfo? = nil,
        failureCode: String? = nil
    ) {
        self.status = status
        self.isFinal = isFinal
        self.pollInMs = pollInMs
        self.info = info
        self.failureCode = failureCode
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let status = try members.decode(PaymentStatus.self, forKey: .status)
        self.init(
            status: status,
            // A state that cannot change is final whatever the service says of it.
            isFinal: try members.decodeIfPresent(Bool.self, forKey: .isFinal) ?? false || status.isFinal,
            // The state is known; a defect in what comes with it must not put that in doubt.
            pollInMs: try? members.decodeIfPresent(Int64.self, forKey: .pollInMs),
            info: try? members.decodeIfPresent(PaymentResultInfo.self, forKey: .info),
            failureCode: try? members.decodeIfPresent(String.self, forKey: .failureCode))
    }
}

/// `POST …/cancel` answer.
struct CancelBody: Codable, Sendable {
    let status: PaymentStatus
    let cancelledReason: String?
    let cancelledAt: String?
}

/// Every error.
struct ErrorBody: Codable, Sendable {
    let code: String
    let message: String?
}
