import CitconMerchant
import CitconProvider
import FuzzModel
import PaymentCore
import PaymentCrypto

/// Notifications (IPN) on a merchant's server. Only the signature authenticates the sender.
struct CitconNotificationTarget: FuzzTarget {
    static let name = "Citcon's notifications"
    static let share = 12
    private static let secret = "braintree"
    private static let fields =
        "id,transaction_type,reference,amount,currency,status,time_completed,time_created,payment_method,"
        + "amount_captured,amount_refunded"

    /// The vendor's worked example, with the vendor's own signature.
    private static let example =
        #"{"id":"84571d30e61711eba6a94911fce35a55","transaction_type":"charge","reference":"reference132","amount":100,"#
        + #""currency":"USD","status":"authorized","time_completed":"2021-08-14T09:47:43.000Z","#
        + #""time_created":"2021-07-16T09:23:44.000Z","payment_method":"paypal","amount_captured":"","#
        + #""amount_refunded":"","fields":"\#(fields)","#
        + #""sign":"621233f017ad8139fe97d47b4653735e121b9f6e7dafe3638eba0fcd80801db5"}"#

    private static let unsigned: [JSONValue] = [
        [
            "id": "2000470537596802752517", "transaction_type": "charge", "reference": "order-1", "amount": 1250,
            "currency": "USD", "status": "success", "payment_method": "wechatpay", "payment": "",
            "fields": "id,transaction_type,reference,amount,currency,status,payment_method,payment",
        ],
        [
            "id": "9", "transaction_type": "refund", "reference": "refund-7-order-1-credit-1", "amount": 1000,
            "currency": "JPY",
            "status": "success", "fields": "id,transaction_type,reference,amount,currency,status",
        ],
        [
            "id": "7", "transaction_type": "chargeback", "reference": "order-1", "status": "Notification of Claim",
            "amount": "", "fields": "status,reference,transaction_type,id,amount",
        ],
    ]

    let corpus: Corpus
    private(set) var counts: [String: Int] = [:]
    private let merchant: CitconMerchant
    private let genuine: Set<CitconNotification>

    private struct Refused: Error {}

    init() throws {
        let bodies = [Self.example] + Self.unsigned.map { Self.signed($0).text }
        let merchant = CitconMerchant(endpoint: try CitconEndpoint(.UAT), privateKey: Redacted(Self.secret))
        genuine = Set(try bodies.map { try Self.read(Array($0.utf8), merchant) })
        guard genuine.count == bodies.count else { throw Refused() }
        self.merchant = merchant
        corpus = Corpus(
            bodies + Self.unsigned.map(\.text),
            pieces: [
                "{", "}", "[", "]", "\"", ":", ",", "&", "=", "\\u0026", "\\u0061", "\\", "null", "true", "100",
                "100.0",
                "1e2", "-1", "0", "1250", "succeeded", "success", "\"sign\":", "\"fields\":\"\"",
                "\"status\":\"success\"",
                "\"amount\":1", ",\"amount\":1", "id", "sign", "secret", "fields", "&secret=braintree", "amount=1&",
                "\"secret\":\"braintree\"", " ", "\n", "\u{0}", "é", "\u{202E}", "\"\"", "charge", "vault", "KWD",
                "XXX",
                "0000000000000000000000000000000000000000000000000000000000000000",
            ])
    }

    mutating func violation(_ input: [UInt8]) -> String? {
        let accepted = try? Self.read(input, merchant)
        if let accepted {
            counts["genuine", default: 0] += 1
            guard genuine.contains(accepted) else { return "accepts what nobody signed" }
        } else {
            counts["refused", default: 0] += 1
        }
        guard let json = try? JSONValue(parsing: input), json.object != nil, json["fields"]?.string != nil else {
            return nil
        }
        return wrongReading(Self.signed(json))
    }

    /// The same content, signed with the key: the reading equals the signed members, and a shortened copy is not
    /// genuine.
    private mutating func wrongReading(_ signed: JSONValue) -> String? {
        guard let notification = try? Self.read(Array(signed.text.utf8), merchant) else {
            counts["signed, and refused", default: 0] += 1
            return nil
        }
        counts["signed", default: 0] += 1
        let covered = Set((signed["fields"]?.string ?? "").split(separator: ",").map(String.init))
        let said = ["id": notification.id, "reference": notification.reference, "status": notification.rawStatus]
        for (name, text) in said.merging(["transaction_type": notification.kind.rawValue], uniquingKeysWith: { $1 }) {
            guard covered.contains(name), signed[name]?.string == text || signed[name]?.number?.text == text else {
                return "its \(name) is not what was signed"
            }
        }
        if let amount = notification.amount {
            let units = signed["amount"].flatMap { $0.number ?? $0.string.flatMap { JSONNumber($0) } }
            let exact: UInt64? = units?.exactly()
            guard covered.contains("amount"), covered.contains("currency"), let exact,
                UInt128(exact) == amount.minorUnits
            else { return "its amount is not what was signed" }
        }
        if notification.report.isSuccess {
            let word = notification.rawStatus.trimmed.lowercased()
            guard ["success", "succeeded", "captured"].contains(word),
                ["charge", "refund"].contains(
                    notification.kind.rawValue)
            else { return "a \(notification.kind.rawValue) is paid by another word than the service's" }
        }
        for name in covered where signed[name]?.string != nil {
            var changed = signed
            changed[name] = .string((signed[name]?.string ?? "") + "1")
            if (try? Self.read(Array(changed.text.utf8), merchant)) != nil { return "a changed \(name) is genuine" }
        }
        return nil
    }

    private static func read(_ body: [UInt8], _ merchant: CitconMerchant) throws -> CitconNotification {
        try merchant.read(IncomingNotification(headers: [:], body: body))
    }

    /// Signs by the published rule: sorted names, values as written, the key at the end.
    private static func signed(_ json: JSONValue) -> JSONValue {
        let names = (json["fields"]?.string ?? "").split(separator: ",", omittingEmptySubsequences: false)
        let pairs = (names.map(String.init) + ["fields"]).map { name in
            let value = json[name]
            let text = value?.string ?? value?.number?.text ?? value?.bool.map { $0 ? "true" : "false" } ?? ""
            return (Array(name.utf8), "\(name)=\(text)")
        }
        let sorted = pairs.sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
        let text = sorted.joined(separator: "&") + "&secret=\(secret)"
        var signed = json
        signed["sign"] = .string(
            Digest.sha256.hash(Array(text.utf8)).map { byte in
                let digits = String(byte, radix: 16)
                return digits.utf8.count == 1 ? "0" + digits : digits
            }.joined())
        return signed
    }
}

extension String {
    /// Without the blanks around it.
    var trimmed: String {
        let isBlank: (Character) -> Bool = { $0.isASCII && $0.isWhitespace }
        return String(
            drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}
