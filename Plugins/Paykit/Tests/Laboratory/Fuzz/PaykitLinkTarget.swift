import Foundation
import FuzzModel
import PaykitProvider
import PaymentCore

/// Texts that name users, requests, endpoints and authorisations of the Pubky network, and files that hold endpoints.
struct PaykitLinkTarget: FuzzTarget {
    static let name = "Paykit's links"
    static let share = 8

    private static let key = "yg4gxe7z1r7mr6orids9fh95y7gxhdsxjqi6nngsxxtakqaxr5no"
    private static let secret = "kqnceEMgrNQM_xi06oQXjA3cJHX_RQmw1BY6JE1bse8"

    let corpus = Corpus(
        [
            "pubky://\(key)", "pubky\(key)/pub/x", "pk:\(key)", key, "paykit:\(key)",
            "paykit:request?request_id=abc&from=pubky://\(key)", "paykit:invoice?method=lightning&data=lnbc1%20x",
            "pubkyauth://signin?caps=/pub/pubky.app/:rw&secret=\(secret)&relay=https://httprelay.pubky.app/link",
            "pubkyauth://signup?caps=/:rw&secret=\(secret)&relay=https://r.example/link&hs=\(key)&st=1",
            "pubkyauth://secret_export?secret=\(secret)", "pubkyauth://direct_signup?hs=\(key)&st=1",
            "pubkyauth://signin_grant?caps=%2F%3Arw&relay=https%3A%2F%2Fr.example%2Finbox&secret=\(secret)&cid=a+b&cpk=\(key)"
                + "&x-source=App&x-success=app%3A%2F%2Fok&x-error=app%3A%2F%2Fno&callback=x",
            "pubky://\(key)/pub/paykit/v0/bitkit/wallet/btc-lightning-bolt11",
            "pubkyring://session?callback=bitkit%3A%2F%2Fback%3Fnonce%3D1",
            "pubkyring://get-follows?callback=app%3A%2F%2Fb",
            "pubkyring://paykit-connect?deviceId=d&callback=app%3A%2F%2Fb&ephemeralPk=\(String(repeating: "ab", count: 32))",
            "pubkyring://get-profile?pubkey=\(key)&callback=app%3A%2F%2Fb&x-error=app%3A%2F%2Fc",
            "bitkit://back?nonce=1&pubky=\(key)&session_secret=\(key):ABCDEFGHJKMNPQRSTVWXYZ0123&capabilities=/:rw",
            "bitkit://back?nonce=1&errorCode=SESSION_FAILED&errorMessage=x",
            #"{"endpoint":"lnbc1","enabled":true}"#, #"{"bolt11":"lnbc1"}"#, "lnbc1xyz",
        ],
        pieces: [
            key, "pubky", "pubky://", "pk:", "paykit:", "pubkyauth://", "?", "&", "=", "/", "//", "..", "%2F", "%00",
            ".",
            ":", "@", "#", "secret=", secret, "relay=", "https://r.example/", "http://r.example/", "caps=/:rw", "from=",
            "method=", "data=", "hs=", "pubkyring://", "callback=app%3A%2F%2Fb", "nonce=1", "session_secret=", "pubky=",
            "cid=", "cpk=", "x-success=", "x-error=", "x-cancel=", "%25", "+", "signin_grant", "\u{130}", "{", "}",
            "\"",
            "endpoint",
        ])
    private(set) var counts: [String: Int] = [:]

    /// Questions whose answers carry a nonce.
    private let questions: [KeyManagerLink] = ["session", "get-follows", "get-profile"].compactMap { name in
        (try? PaymentLink("pubkyring://\(name)?callback=bitkit%3A%2F%2Fback%3Fnonce%3D1")).flatMap {
            try? KeyManagerLink($0)
        }
    }

    init() {}

    mutating func violation(_ input: [UInt8]) -> String? {
        let text = String(decoding: input, as: UTF8.self)
        if let key = try? PubkyKey(text) {
            counts["keys", default: 0] += 1
            guard (try? PubkyKey(key.text)) == key, key.text.utf8.count == PubkyKey.textLength else {
                return "a key is another when written"
            }
        }
        if let address = try? PubkyAddress(text) {
            counts["addresses", default: 0] += 1
            guard (try? PubkyAddress(address.text)) == address else { return "an address is another when written" }
            if address.path.split(separator: "/").contains("..") { return "an address climbs" }
        }
        if let endpoint = try? EndpointFile.read(input, method: "lightning") {
            counts["endpoints", default: 0] += 1
            if endpoint.isEmpty || endpoint.utf8.count > EndpointFile.maximumLength { return "an endpoint is none" }
        }
        guard let link = try? PaymentLink(text) else { return nil }
        for question in questions {
            guard let answer = try? KeyManagerAnswer(link, to: question) else { continue }
            counts["answers", default: 0] += 1
            guard link.queryItems.contains(where: { $0.name == "nonce" && $0.decodedValue == "1" }) else {
                return "an answer without the question's nonce is taken"
            }
            guard let written = question.answer(answer.content)?.reveal(), let again = try? PaymentLink(written),
                let read = try? KeyManagerAnswer(again, to: question), read == answer
            else { return "an answer is another when written" }
        }
        do {
            switch try PaykitLink.read(link) {
            case nil: counts["nobody's", default: 0] += 1
            case .authorization(let authorization):
                counts["authorisations", default: 0] += 1
                // Public parts can hold the same letters.
                let own = String(
                    (authorization.text.reveal().components(separatedBy: "secret=").dropFirst().first ?? "").prefix(43))
                let open = authorization.capabilities.map(\.scope) + [authorization.clientID ?? ""]
                let back = authorization.callbacks
                let isOpen = (open + [back.source, back.success, back.error, back.cancel].compactMap(\.self))
                    .contains { $0.contains(own) }
                if !isOpen, "\(authorization)".contains(own) { return "a secret is printed" }
                let again = (try? PaymentLink(authorization.text.reveal())).flatMap { try? PubkyAuthorizationLink($0) }
                guard again == authorization else { return "an authorisation is another when written" }
            case .keyManager(let question):
                counts["questions", default: 0] += 1
                let again = (try? PaymentLink(question.text)).flatMap { try? KeyManagerLink($0) }
                guard again == question else { return "a question is another when written" }
            case .invoice(let endpoint):
                counts["invoices", default: 0] += 1
                if !PaykitEndpoint.isMethod(endpoint.methodID) { return "an invoice of no method" }
            case .some: counts["users, requests and other generations", default: 0] += 1
            }
        } catch {
            counts["refused", default: 0] += 1
            if "\(error)".contains(Self.secret) { return "a secret is in an error" }
        }
        return nil
    }
}
