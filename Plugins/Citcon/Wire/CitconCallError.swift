import PaymentCore

/// Why a call to the service has no result. The client and the provider turn it into their own words.
enum CitconCallError: Error, Sendable, Hashable {
    /// The service answered and refused, or has a fault.
    case refused(CitconRefusal)
    /// There is no complete answer.
    case transport(TransportError)
    /// The answer cannot be understood; the text says where.
    case unusableAnswer(String)
    /// The call cannot be sent as it is.
    case invalidRequest(String)
}

/// An answer that is not a result.
struct CitconRefusal: Sendable, Hashable {
    /// The HTTP status.
    let status: Int
    /// The service's code, when it gave one that looks like a code.
    let code: String?
    /// The service's own text. Shown to the merchant's application only, as the vendor's SDK does: it may repeat what was
    /// sent.
    let message: String?
    /// How long to wait, as the service wrote it.
    let retryAfter: String?

    init(_ response: HTTPResponse, _ envelope: Envelope?) {
        status = response.status
        retryAfter = response.headers["Retry-After"]
        let fields = envelope.map { TransactionFields($0.data) }
        let code = fields?.code ?? ""
        let isPlain = code.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x5F || $0 == 0x2D }
        self.code = !code.isEmpty && code.utf8.count <= 32 && isPlain ? code : nil
        message = fields?.message
    }

    /// Whether the service looked at the request and did not carry it out; false for faults on its side, after which
    /// nobody knows.
    var isRefusal: Bool {
        (400..<500).contains(status) && status != 408
    }
}

extension CitconCallError {
    /// Whether the request may have been carried out, were it a mutation.
    var leavesFateOpen: Bool {
        switch self {
        case .refused(let refusal): !refusal.isRefusal
        case .transport(let error): error.phase == .maybeSent
        case .unusableAnswer: true
        case .invalidRequest: false
        }
    }

    /// The code that the vendor's client hands out.
    var clientCode: String {
        switch self {
        case .refused(let refusal): refusal.code ?? CPayCode.failure
        case .unusableAnswer: CPayCode.cancelled
        case .transport, .invalidRequest: CPayCode.failure
        }
    }

    /// The message that the vendor's client hands out.
    var clientMessage: String {
        switch self {
        case .refused(let refusal): refusal.message ?? CPayMessage.unknown
        case .unusableAnswer(let text): CPayMessage.undecodable + text
        case .transport(let error): "\(CPayMessage.unknown): \(error)"
        case .invalidRequest(let text): "\(CPayMessage.unknown): \(text)"
        }
    }
}
