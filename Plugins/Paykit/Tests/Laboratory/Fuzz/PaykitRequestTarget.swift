import FuzzModel
import PaykitProvider
import PaymentCore
import PaymentStandards

/// Links to requests of a private link: a router's payment must be the same for every spelling.
struct PaykitRequestTarget: FuzzTarget {
    static let name = "Paykit's links to private requests"
    static let share = 4

    private static let key = "yg4gxe7z1r7mr6orids9fh95y7gxhdsxjqi6nngsxxtakqaxr5no"
    private static let id = "8a0d8b4c-913f-4e31-9f2c-2a6f5bb4d103"
    /// A stranger's text in a link, which must never be shown.
    private static let secret = "Kqnce-EMgrNQM_xi06oQX"

    let corpus = Corpus(
        [
            "paykit:request?request_id=\(id)&from=pubky://\(key)&app=shop/server",
            "paykit:request?request_id=\(id)&from=pubky://\(key)&app=bitkit/wallet&recurs=true",
            "PAYKIT:request?app=shop%2Fserver&recurs=false&from=pubky%3A%2F%2F\(key)&request_id=\(id.uppercased())",
            "paykit:request?request_id=\(id)&from=pubky://\(key)&app=shop/server&key=\(secret)#\(secret)",
            "paykit:request?request_id=\(id)&from=pubky://\(key)",
        ],
        pieces: [
            key, "pubky://", "pubky", "paykit:request", "paykit:", "?", "&", "=", "/", "//", "..", "%2F", "%00", ".",
            "#", "+", "%2B", "request_id=", "from=", "app=", "&app=", "recurs=", "&recurs=true", "&recurs=false",
            "&recurs=", id, "00000000-0000-4000-8000-000000000000", "-", "shop/server", "shop", "server", "wallet",
            "private/wallet", "SHOP/server", "shop/server/x", "&x=\(secret)", "#\(secret)", "\u{130}", "\u{202E}",
            "%e2%80%ae", "e", "E",
        ])
    private(set) var counts: [String: Int] = [:]
    private let provider: PaykitProvider

    init() throws {
        provider = PaykitProvider(network: try .sandbox(HTTPURL("http://localhost:6286")), reader: StandardsReader())
    }

    mutating func violation(_ input: [UInt8]) -> String? {
        guard let link = try? PaymentLink(String(decoding: input, as: UTF8.self)) else { return nil }
        let match = provider.recognize(link)
        let request: PaykitRequestURL
        do {
            guard case .privateRequest(let found)? = try PaykitLink.read(link) else {
                counts["others", default: 0] += 1
                return nil
            }
            request = found
        } catch {
            counts["refused", default: 0] += 1
            if "\(error)".contains(Self.secret) { return "what a link holds is in an error" }
            return match == nil ? nil : "a link that cannot be read is recognised"
        }
        counts[request.recurs ? "recurring" : "once", default: 0] += 1
        // A text that a payment standard knows to be unsound is not recognised.
        guard let match else { return wrongSpelling(of: request, nil) }
        guard let name = match.reference, match.role == .payment, (match.payee != nil) == request.recurs else {
            return "a request is not a payment"
        }
        if "\(request.text) \(name) \(match)".contains(Self.secret) { return "what is no part of a request is shown" }
        if !name.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) || name.utf8.count > 300 { return "a request has an odd name" }
        return wrongSpelling(of: request, name)
    }

    /// Every spelling of a request is the same request with the same name; and a written request can be read again.
    ///
    /// - Parameter name: the name under which it was recognised; nil if it was not.
    private func wrongSpelling(of request: PaykitRequestURL, _ name: String?) -> String? {
        let (id, app) = (request.id, request.app.text)
        guard let own = (try? PaymentLink(request.text)).flatMap({ provider.recognize($0)?.reference }),
            name == nil || name == own
        else { return "a request has another name when written" }
        let spellings = [
            request.text,
            "paykit:request?request_id=\(id.uppercased())&from=pubky://\(request.payee)&app=\(app)"
                + "&recurs=\(request.recurs)",
            "Paykit:request?\(request.recurs ? "recurs=true&" : "")app=\(app.replacing("/", with: "%2f"))"
                + "&from=pubky%3A%2F%2F\(request.payee)&x=1&request_id=\(id.replacing("-", with: "%2D"))#y",
        ]
        for spelling in spellings {
            guard let again = try? PaymentLink(spelling), case .privateRequest(let read)? = try? PaykitLink.read(again)
            else { return "a request cannot be read when written" }
            if read != request { return "a request is another when written" }
            if provider.recognize(again)?.reference != own { return "a request has two names" }
        }
        // Another app, another payment: two requests never share a name.
        guard let other = PaykitReceiverPath(app.hasSuffix("/server") ? "other/wallet" : "other/server"),
            let elsewhere = PaykitRequestURL(id, from: request.payee, app: other, recurs: request.recurs),
            let link = try? PaymentLink(elsewhere.text)
        else { return "a request of another app cannot be written" }
        return provider.recognize(link)?.reference == own ? "two requests have one name" : nil
    }
}
