package import PaymentCore

// Bodies of the wallet-facing API, version 2026-02-19.preview. Lenient: unknown members are ignored, and an optional
// member may be null. Enumerations keep unknown values.

/// `POST …/options` request.
struct OptionsRequestBody: Codable, Sendable {
    let accounts: [String]
}

/// `POST …/options` answer. `options` is null once the payment is final.
package struct OptionsBody: Codable, Sendable {
    package let info: InfoBody?
    package let options: [OptionBody]?
    package let collectData: CollectDataBody?
    /// Named in the documentation only: no published specification has it.
    package let resultInfo: ResultBody?

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        info = try members.decodeIfPresent(InfoBody.self, forKey: .info)
        options = try members.decodeIfPresent([OptionBody].self, forKey: .options)
        collectData = try members.decodeIfPresent(CollectDataBody.self, forKey: .collectData)
        // An unreadable receipt does not invalidate the rest.
        resultInfo = try? members.decodeIfPresent(ResultBody.self, forKey: .resultInfo)
    }
}

package struct OptionBody: Codable, Sendable {
    package let id: String
    /// CAIP-10.
    package let account: String
    package let amount: AmountBody
    package let etaS: Int64?
    /// Unix seconds; null for prices that do not change.
    package let expiresAt: Int64?
    package let actions: [ActionBody]
    package let collectData: CollectDataBody?

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(String.self, forKey: .id)
        let isPlain = id.unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) }
        guard !id.isEmpty, isPlain else {
            throw DecodingError.dataCorruptedError(
                forKey: .id, in: members, debugDescription: "an option's id is empty or not plain text")
        }
        account = try members.decode(String.self, forKey: .account)
        amount = try members.decode(AmountBody.self, forKey: .amount)
        etaS = try members.decodeIfPresent(Int64.self, forKey: .etaS)
        expiresAt = try members.decodeIfPresent(Int64.self, forKey: .expiresAt)
        actions = try members.decodeIfPresent([ActionBody].self, forKey: .actions) ?? []
        collectData = try members.decodeIfPresent(CollectDataBody.self, forKey: .collectData)
    }
}

/// One action of the wallet. `walletRpc` is ready; `build` has to be fetched first. Other types are kept, so that only
/// the choice of their option fails.
package struct ActionBody: Codable, Sendable {
    package let type: String
    package let data: JSONValue

    package init(type: String, data: JSONValue) {
        self.type = type
        self.data = data
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        type = try members.decode(String.self, forKey: .type)
        data = try members.decodeIfPresent(JSONValue.self, forKey: .data) ?? .null
    }
}

/// The data of a `walletRpc` action. The one member in snake case on this wire is `chain_id`.
package struct WalletCallBody: Codable, Sendable, Hashable {
    package let chainID: String
    package let method: String
    package let params: JSONValue

    package enum CodingKeys: String, CodingKey {
        case chainID = "chain_id"
        case method, params
    }

    /// The parameters in the form of a wallet request: in a list. Tron's have been reported without one.
    package var walletParams: JSONValue {
        method.hasPrefix("tron_") && params.object != nil ? .array([params]) : params
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
package struct ConfirmRequestBody: Codable, Sendable {
    package struct Result: Codable, Sendable {
        package let type: String
        package let data: [JSONValue]

        /// Creates a result that is sent as text.
        package init(text: String) {
            type = "walletRpc"
            data = [.string(text)]
        }

        /// Creates a result that is sent as JSON if it is the text of a JSON object or array, as wallets of other
        /// chains return them, and as text otherwise.
        package init(data text: String) {
            type = "walletRpc"
            let json = try? JSONValue(parsing: text)
            data = [json?.object != nil || json?.array != nil ? json ?? .null : .string(text)]
        }
    }

    package struct Collected: Codable, Sendable {
        package let fields: [CollectedBody]
    }

    package let optionId: String
    package let results: [Result]
    package let collectedData: Collected?

    package init(optionId: String, results: [Result], collectedData: [CollectedBody] = []) {
        self.optionId = optionId
        self.results = results
        self.collectedData = collectedData.isEmpty ? nil : Collected(fields: collectedData)
    }
}

/// `POST …/confirm` and `GET …/status` answers.
package struct StatusBody: Codable, Sendable {
    package let status: PaymentState
    package let isFinal: Bool
    package let pollInMs: Int64?
    package let info: ResultBody?
    package let failureCode: String?

    package init(
        status: PaymentState, isFinal: Bool, pollInMs: Int64? = nil, info: ResultBody? = nil,
        failureCode: String? = nil
    ) {
        self.status = status
        self.isFinal = isFinal
        self.pollInMs = pollInMs
        self.info = info
        self.failureCode = failureCode
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let status = try members.decode(PaymentState.self, forKey: .status)
        self.init(
            status: status,
            // A final state is final, whatever the service's `isFinal` says.
            isFinal: try members.decodeIfPresent(Bool.self, forKey: .isFinal) ?? false || status.isFinal,
            // The state is known; a defect in the other members must not invalidate it.
            pollInMs: try? members.decodeIfPresent(Int64.self, forKey: .pollInMs),
            info: try? members.decodeIfPresent(ResultBody.self, forKey: .info),
            failureCode: try? members.decodeIfPresent(String.self, forKey: .failureCode))
    }
}

/// `POST …/cancel` answer.
package struct CancelBody: Codable, Sendable {
    package let status: PaymentState
    package let cancelledReason: String?
    package let cancelledAt: String?
}

/// Every error.
struct ErrorBody: Codable, Sendable {
    let code: String
    let message: String?
}
