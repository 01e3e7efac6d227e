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

/// One action of the wallet. `walletRpc` is ready, `build` has to be fetched first. Other types are kept, and only the
/// choice of their option fails.
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

/// The terms of a payment: amount, expiry and payee.
package struct InfoBody: Codable, Sendable {
    package let status: PaymentState
    /// The merchant's price, usually in fiat money.
    package let amount: AmountBody
    /// The expiry of the payment: Unix seconds.
    package let expiresAt: Int64
    package let merchant: MerchantBody
    package let buyer: BuyerBody?
}

/// The payee.
package struct MerchantBody: Codable, Sendable {
    package let name: String
    package let iconUrl: String?
}

/// The payer, if the service knows.
package struct BuyerBody: Codable, Sendable {
    /// CAIP-10.
    package let accountCaip10: String
    package let accountProviderName: String
    package let accountProviderIcon: String?
}

/// The transaction that paid.
package struct ResultBody: Codable, Sendable {
    package let txId: String
    /// The amount that was really paid. It may differ a little from the option's amount. Nil if it cannot be read: the
    /// transaction is known anyway.
    package let optionAmount: AmountBody?

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        txId = try members.decode(String.self, forKey: .txId)
        optionAmount = try? members.decode(AmountBody.self, forKey: .optionAmount)
    }
}

/// An amount of money or tokens, as the service writes it.
package struct AmountBody: Codable, Sendable {
    /// `iso4217/USD`, or `caip19/` and the token's CAIP-19 id.
    package let unit: String
    /// Minor units (cents, token units) in decimal digits.
    package let value: String
    package let display: DisplayBody
}

extension AmountBody {
    /// Returns the exact amount.
    ///
    /// - Throws: ``PaymentCore/MoneyError`` when unit, value or decimals are malformed.
    package func money() throws -> Money {
        guard let exponent = UInt8(exactly: display.decimals) else {
            throw PaymentError(.invalidResponse, "an amount has \(display.decimals) decimals")
        }
        return try Money(minorUnitText: value, currency: try Currency(unit: unit), exponent: exponent)
    }
}

/// The data for displaying an amount.
package struct DisplayBody: Codable, Sendable {
    package let assetSymbol: String
    /// Empty when the service omits it.
    package let assetName: String
    /// The number of decimal places of the minor unit.
    package let decimals: Int64
    package let iconUrl: String?
    package let networkIconUrl: String?
    package let networkName: String?

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        assetSymbol = try members.decode(String.self, forKey: .assetSymbol)
        assetName = try members.decodeIfPresent(String.self, forKey: .assetName) ?? ""
        decimals = try members.decode(Int64.self, forKey: .decimals)
        iconUrl = try members.decodeIfPresent(String.self, forKey: .iconUrl)
        networkIconUrl = try members.decodeIfPresent(String.self, forKey: .networkIconUrl)
        networkName = try members.decodeIfPresent(String.self, forKey: .networkName)
    }
}

/// Data about the payer that has to be submitted before paying. Also part of an option's data in a journal.
package struct CollectDataBody: Codable, Sendable {
    package let fields: [FieldBody]
    /// The service's own form.
    package let url: String?
    /// A JSON Schema, as text.
    package let schema: String?

    private enum CodingKeys: String, CodingKey { case fields, url, schema }

    /// Reads the service's form, with an object as `schema`, and the journal's, with text.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let schema = try members.decodeIfPresent(JSONValue.self, forKey: .schema)
        fields = try members.decodeIfPresent([FieldBody].self, forKey: .fields) ?? []
        url = try members.decodeIfPresent(String.self, forKey: .url)
        self.schema = schema.map { $0.string ?? $0.text }
    }
}

/// One field to fill in.
package struct FieldBody: Codable, Sendable {
    package let id: String
    package let name: String
    package let required: Bool
    /// `text`, `date`, `checkbox`, or an unknown raw value.
    package let type: String

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(String.self, forKey: .id)
        name = try members.decodeIfPresent(String.self, forKey: .name) ?? id
        required = try members.decodeIfPresent(Bool.self, forKey: .required) ?? true
        type = try members.decodeIfPresent(String.self, forKey: .type) ?? "text"
    }
}

/// The payer's entry in one field. Personal data: it prints as its field's id only.
package struct CollectedBody: Codable, Sendable {
    package let id: String
    package let value: String

    package init(id: String, value: String) {
        self.id = id
        self.value = value
    }
}

extension CollectedBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "CollectedBody(\(id))" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

// MARK: - Status

/// The status of a payment, by the service's raw values. The service may add some at any time.
package enum PaymentState: RawRepresentable, Sendable, Hashable, Codable {
    /// Not yet paid.
    case requiresAction
    /// Confirmed, not yet settled.
    case processing
    case succeeded
    /// The payment failed, or the payer was refused. No money was kept.
    case failed
    case expired
    /// The payer or the merchant cancelled the payment.
    case cancelled
    /// Neither success nor failure.
    case unknown(String)

    package init(rawValue: String) {
        self =
            switch rawValue {
            case "requires_action": .requiresAction
            case "processing": .processing
            case "succeeded": .succeeded
            case "failed": .failed
            case "expired": .expired
            case "cancelled": .cancelled
            default: .unknown(rawValue)
            }
    }

    package var rawValue: String {
        switch self {
        case .requiresAction: "requires_action"
        case .processing: "processing"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .expired: "expired"
        case .cancelled: "cancelled"
        case .unknown(let word): word
        }
    }

    /// True if the state can no longer change. Unknown states are not final by themselves: the service's `isFinal`
    /// decides.
    package var isFinal: Bool {
        switch self {
        case .succeeded, .failed, .expired, .cancelled: true
        case .requiresAction, .processing, .unknown: false
        }
    }

    /// The raw value, cut and made printable.
    package var printable: String {
        String(
            decoding: rawValue.utf8.prefix(40).map { $0 > 0x20 && $0 < 0x7F ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}

extension StatusBody {
    /// Returns the report for this status. An unknown status is never success or failure.
    package func report(of payment: PaymentReference) -> ServiceReport {
        switch status {
        case .succeeded:
            .succeeded(
                PaymentReceipt(
                    reference: payment, amount: (info?.optionAmount).flatMap { try? $0.money() },
                    transactionID: info?.txId))
        case .failed:
            failureCode == nil
                ? .declined(DeclineReason(.refused, "the service reports that the payment failed"))
                : .declined(.payer)
        case .expired: .expired
        case .cancelled: .cancelled
        case .requiresAction, .processing:
            .pending(retryAfter: pollInMs.map { .milliseconds(max(0, $0)) })
        case .unknown:
            .unknown(
                UnknownOutcome(
                    reference: payment, rawStatus: status.printable,
                    message: "the service reports a state that this version does not know"))
        }
    }
}

extension DeclineReason {
    /// The service refuses this payer for legal reasons.
    static let payer = DeclineReason(.compliance, "the service declined this payer")
}

// MARK: - Text

/// Foreign text made displayable: one line, no control characters, limited length.
package enum PlainLine {
    /// Returns `text` without control, format (direction-changing, invisible), private and unassigned characters, with
    /// runs of white space as one space, cut at `limit` Unicode scalars with an ellipsis. Reads at most eight times
    /// `limit` scalars, however long the text is.
    package static func make(_ text: String, limit: Int = 200) -> String {
        var line = String.UnicodeScalarView()
        var count = 0
        var owesSpace = false
        for scalar in text.unicodeScalars.prefix(8 * limit) {
            if scalar.properties.isWhitespace {
                owesSpace = count > 0
                continue
            }
            switch scalar.properties.generalCategory {
            case .control, .format, .privateUse, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: continue
            default: break
            }
            guard count + (owesSpace ? 2 : 1) <= limit else { return String(line) + "…" }
            if owesSpace { line.append(" ") }
            line.append(scalar)
            count += owesSpace ? 2 : 1
            owesSpace = false
        }
        return String(line)
    }
}
