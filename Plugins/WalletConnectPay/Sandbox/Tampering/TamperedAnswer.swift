import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension WalletConnectPaySandbox {
    /// A dishonest gateway's request to a wallet: one honest option, changed so that its signature would do something
    /// other than the payer was shown.
    ///
    /// A wallet must sign none of it. If it signs and confirms, the sandbox accepts any results.
    public struct TamperedAnswer: Sendable {
        /// The option before it is changed.
        enum Base: Sendable {
            /// A Permit2 permit for USDT on Ethereum.
            case permit
            /// The same, behind an approval.
            case approval
            /// An authorisation (EIP-3009) for USDC on Base.
            case authorization
            /// Ether on Optimism through the settlement contract.
            case coin
            /// SOL.
            case solana
        }

        /// The name on the command line.
        public let name: String
        /// A short human-readable description of the change.
        public let summary: String
        /// The text that the rejection has to contain: the code of the rule that stops it, or a part of the message if
        /// no rule of the review is needed.
        public let rejection: String

        let base: Base
        let edits: [Edit]
        /// True if the calls arrive only when the wallet fetches them.
        var isFetched = false

        init(
            _ name: String, _ base: Base, _ summary: String, rejection: String, isFetched: Bool = false,
            _ edits: Edit...
        ) {
            self.init(name, base, summary, rejection: rejection, isFetched: isFetched, all: edits)
        }

        init(
            _ name: String, _ base: Base, _ summary: String, rejection: String, isFetched: Bool = false,
            all edits: [Edit]
        ) {
            self.name = name
            self.base = base
            self.summary = summary
            self.rejection = rejection
            self.isFetched = isFetched
            self.edits = edits
        }

        /// Every tampered answer, by the changed part.
        public static let all =
            options + lists + messages + authorizations + transactions + approvals + settlements
            + solana
    }

    /// Creates a payment whose only options are tampered.
    public func createPayment(tampered answer: TamperedAnswer, cents: UInt128 = 1250) -> Payment {
        let payment = createPayment(.paidAtOnce, cents: cents)
        payments[payment.id]?.tampered = answer
        return payment
    }
}

extension WalletConnectPaySandbox.TamperedAnswer: Hashable, CustomStringConvertible {
    /// Compares the names.
    public static func == (left: Self, right: Self) -> Bool { left.name == right.name }
    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    /// The name.
    public var description: String { name }
}

extension WalletConnectPaySandbox.TamperedAnswer {
    var asset: Asset {
        switch base {
        case .permit: .tether
        case .approval: .tetherWithApproval
        case .authorization: .usdCoin
        case .coin: .readyEther
        case .solana: .solana
        }
    }

    /// Returns the options, as the dishonest gateway states them.
    func applied(to options: [JSONValue], payer: String, now: Int64) -> [JSONValue] {
        // One option is enough. The others would be honest.
        var changed = JSONValue.array(Array(options.prefix(1)))
        for edit in edits { edit.apply(to: &changed, payer: payer.lowercased(), now: now) }
        return changed.array ?? []
    }
}

// MARK: - Edits

extension WalletConnectPaySandbox.TamperedAnswer {
    /// One change of a list of options. Places are JSON pointers (RFC 6901); a pointer into a text continues in the
    /// JSON that the text holds.
    ///
    /// In texts, `{payer}` stands for the payer's address and `{now+60}` for the time a minute from now in Unix
    /// seconds.
    enum Edit: Sendable {
        /// Sets a value at a place. `-` at the end of a place appends to a list.
        case set(String, JSONValue)
        /// Removes the value.
        case remove(String)
        /// Copies the value at the first place to the second one.
        case copy(String, to: String)
        /// Replaces a word, counted from 0 behind the selector, in hexadecimal calldata.
        case word(String, Int, String)
        /// Changes the bytes of a text in base64.
        case bytes(String, @Sendable (inout [UInt8]) -> Void)

        func apply(to json: inout JSONValue, payer: String, now: Int64) {
            switch self {
            case .set(let place, let value):
                json.change(at: Pointer(place)) { $0 = Self.filled(value, payer, now) }
            case .remove(let place): json.change(at: Pointer(place)) { $0 = nil }
            case .copy(let place, let other):
                var found: JSONValue?
                json.change(at: Pointer(place)) { found = $0 }
                json.change(at: Pointer(other)) { $0 = found }
            case .word(let place, let index, let digits):
                let digits = Self.filled(digits, payer, now)
                json.change(at: Pointer(place)) { value in
                    guard var text = value?.string.map({ Array($0.utf8) }), text.count >= 10 + 64 * (index + 1) else {
                        return
                    }
                    let word = String(repeating: "0", count: max(0, 64 - digits.count)) + digits
                    text.replaceSubrange(10 + 64 * index..<10 + 64 * (index + 1), with: word.utf8)
                    value = .string(String(decoding: text, as: UTF8.self))
                }
            case .bytes(let place, let change):
                json.change(at: Pointer(place)) { value in
                    guard var bytes = value?.string.flatMap({ Data(base64Encoded: $0) }).map(Array.init) else { return }
                    change(&bytes)
                    value = .string(Data(bytes).base64EncodedString())
                }
            }
        }

        private static func filled(_ value: JSONValue, _ payer: String, _ now: Int64) -> JSONValue {
            switch value {
            case .string(let text): .string(filled(text, payer, now))
            case .array(let elements): .array(elements.map { filled($0, payer, now) })
            case .object(let members): .object(members.mapValues { filled($0, payer, now) })
            default: value
            }
        }

        private static func filled(_ text: String, _ payer: String, _ now: Int64) -> String {
            var text = text.replacing("{payer}", with: payer)
                .replacing("{payer word}", with: String(payer.dropFirst(2)))
            if let start = text.firstRange(of: "{now+"), let end = text[start.upperBound...].firstIndex(of: "}"),
                let seconds = Int64(text[start.upperBound..<end])
            {
                text.replaceSubrange(start.lowerBound...end, with: String(now + seconds))
            }
            return text
        }
    }
}

/// The steps of a JSON pointer.
private struct Pointer {
    let steps: ArraySlice<Substring>

    init(_ text: String) { steps = text.split(separator: "/")[...] }
    init(_ steps: ArraySlice<Substring>) { self.steps = steps }

    var rest: Pointer { Pointer(steps.dropFirst()) }
}

extension JSONValue {
    /// Lets `body` change the value at `place`; nil removes it. A place that does not exist has no effect.
    fileprivate mutating func change(at place: Pointer, _ body: (inout JSONValue?) -> Void) {
        guard let step = place.steps.first else {
            var value: JSONValue? = self
            body(&value)
            self = value ?? .null
            return
        }
        switch self {
        case .string(let text):
            guard var inner = try? JSONValue(parsing: text) else { return }
            inner.change(at: place, body)
            self = .string(inner.text)
        case .array(var elements):
            let index = step == "-" ? elements.count : Int(step) ?? elements.count
            guard index <= elements.count else { return }
            var element: JSONValue? = index < elements.count ? elements[index] : nil
            Self.descend(&element, place.rest, body)
            elements.replaceSubrange(index..<min(index + 1, elements.count), with: element.map { [$0] } ?? [])
            self = .array(elements)
        case .object(var members):
            var member = members[String(step)]
            Self.descend(&member, place.rest, body)
            members[String(step)] = member
            self = .object(members)
        default: return
        }
    }

    private static func descend(_ value: inout JSONValue?, _ rest: Pointer, _ body: (inout JSONValue?) -> Void) {
        if rest.steps.isEmpty { return body(&value) }
        value?.change(at: rest, body)
    }
}
