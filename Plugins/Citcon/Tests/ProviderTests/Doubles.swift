import Dispatch
import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// The return addresses of the tests' application.
enum Shop {
    static let scheme = "com.citcon.citconpay"
    static let weChatAppID = "wxeb0650d489d69e14"
    static let universalLink = "https://dev.citconpay.com/apps/"

    static let places = CPayReturnPlaces(
        schemes: [scheme], weChatAppIDs: [weChatAppID], bundleIDs: [scheme], universalLinks: [universalLink],
        pages: ["\(scheme)://"])

    static let application = CitconConfiguration.Application(
        scheme: scheme, universalLink: universalLink, places: places)

    static func configuration(
        _ mode: CPayENVMode = .UAT, token: Redacted<String>? = Redacted("UPI_token"), baseURL: String? = nil
    ) throws -> CitconConfiguration {
        CitconConfiguration(
            endpoint: try CPayEndpoint(mode, baseURL: baseURL), accessToken: token, application: application)
    }

    static func provider(
        _ token: Redacted<String>? = Redacted("UPI_token"), _ mode: CPayENVMode = .UAT, baseURL: String? = nil
    ) throws -> CitconProvider {
        CitconProvider(configuration: try configuration(mode, token: token, baseURL: baseURL))
    }

    /// A router over the shop's provider.
    static func router(
        _ transport: any HTTPTransport, _ journal: InMemoryJournal = InMemoryJournal()
    ) throws -> PaymentRouter {
        try PaymentRouter(try provider(), over: transport, journal: journal)
    }

    /// A payer whose wallets and pages count in `opened`, and bring nothing back.
    static func payer(_ opened: Mutexed<Int> = Mutexed(0)) -> Payer {
        @Sendable func open() -> PaymentLink? {
            opened.change { $0 += 1 }
            return nil
        }
        return Payer(browser: { _ in open() }, appLauncher: { _ in open() }, policy: .firstWhateverItCosts)
    }

    /// An order with a card whose owner has consented.
    static func card() -> CPayRequest {
        let order = order("card")
        order.payment?.nonce = "n"
        return order
    }

    /// An order with all fields that any method requires.
    static func order(
        _ method: String = "wechatpay", reference: String = "order-1", amount: Int = 1250, currency: String = "USD",
        token: String = "62d5c1e0242011eda300f59379b812ce"
    ) -> CPayRequest {
        let order = CPayRequest()
        order.transaction.reference = reference
        order.transaction.amount = amount
        order.transaction.currency = currency
        order.transaction.country = "US"
        order.payment = CPayPayment()
        order.payment?.method = method
        order.urls.ipn = "https://ipn.example/"
        order.urls.success = "\(scheme)://"
        order.urls.cancel = "\(scheme)://"
        order.urls.fail = "\(scheme)://"
        order.scheme = scheme
        order.universalLink = universalLink
        order.chargeToken = token
        return order
    }
}

/// The main thread's queue. On Linux another thread than the first one may drain it, so a check for the main thread
/// proves nothing.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isHere: Bool { DispatchQueue.getSpecific(key: key) == true }
}

/// A service that answers by script and keeps every request.
final class ScriptedCitcon: HTTPTransport {
    enum Answer: Sendable {
        case json(Int, String)
        case failure(TransportError.Phase, TransportError.Reason)

        /// A successful answer with this `data`.
        static func ok(_ data: String) -> Answer {
            .json(200, #"{"status":"success","app":"citcon_upi","version":"v1.0.0","data":\#(data)}"#)
        }

        static func fail(_ status: Int, _ code: String, _ message: String) -> Answer {
            .json(
                status,
                #"{"status":"fail","app":"citcon_upi","version":"v1.0.0","data":{"code":"\#(code)","message":"\#(message)"}}"#
            )
        }
    }

    struct Seen: Sendable {
        /// `POST config`, `POST charges/…`, `GET transactions/…?type=reference`.
        let call: String
        let headers: HTTPHeaders
        let body: JSONValue?
        let replay: HTTPRequest.Replay
    }

    private let answer: @Sendable (_ call: String, _ count: Int) -> Answer
    private let state = Mutex<[Seen]>([])

    /// Answers by the call and the number of earlier calls with the same method and path.
    init(_ answer: @escaping @Sendable (_ call: String, _ count: Int) -> Answer) { self.answer = answer }

    /// A service with this gateway, these launch entries and this state afterwards.
    ///
    /// - Parameter before: the answer to inquiries until the charge is confirmed; nil if it is the same.
    convenience init(
        gateway: String = "wechatpay", confirm: Answer = .ok(ScriptedCitcon.charge()),
        inquiry: Answer = .ok(ScriptedCitcon.transaction()), before: Answer? = nil
    ) {
        let isConfirmed = Mutex(false)
        self.init { call, _ in
            if call == "POST config" { return .ok(#"{"object":"config","gateway":"\#(gateway)","config":{}}"#) }
            if call.hasPrefix("POST charges/") {
                isConfirmed.withLock { $0 = true }
                return confirm
            }
            return isConfirmed.withLock { $0 } ? inquiry : before ?? inquiry
        }
    }

    /// A service with this gateway, whose charges are in `state` whenever they are asked about.
    convenience init(
        gateway: String = "wechatpay", confirm: Answer = .ok(ScriptedCitcon.charge()), state: Mutexed<String>
    ) {
        self.init { call, _ in
            if call == "POST config" { return .ok(#"{"gateway":"\#(gateway)","config":{}}"#) }
            return call.hasPrefix("POST") ? confirm : .ok(ScriptedCitcon.transaction(state.value))
        }
    }

    /// A charge that is not yet paid.
    static let waiting = Answer.ok(ScriptedCitcon.transaction("initiated"))

    var seen: [Seen] { state.withLock { $0 } }
    var calls: [String] { seen.map(\.call) }
    var confirmations: Int { calls.count { $0.hasPrefix("POST charges") } }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let path = request.url.path.split(separator: "/").dropFirst().joined(separator: "/")
        let call = "\(request.method.rawValue) \(path)" + (request.url.query.map { "?\($0)" } ?? "")
        let count = state.withLock { seen in
            defer {
                seen.append(
                    Seen(
                        call: call, headers: request.headers, body: try? JSONValue(parsing: request.body),
                        replay: request.replay))
            }
            return seen.count { $0.call == call }
        }
        switch answer(call, count) {
        case .json(let status, let text): return HTTPResponse(status: status, body: Array(text.utf8))
        case .failure(let phase, let reason):
            throw TransportError(phase, reason, origin: request.url.origin)
        }
    }

    static let weChatPayload =
        #"{"appid":"wxeb0650d489d69e14","partnerid":"1900000109","prepayid":"wx20","noncestr":"n1","timestamp":"1700000000","package":"Sign=WXPay","sign":"5577"}"#

    /// `data` of a confirmed charge with one launch entry.
    static func charge(
        _ content: String = weChatPayload, format: String = "json", status: String = "initiated", amount: Int = 1250
    ) -> String {
        let text = JSONValue.string(content).text
        return #"""
            {"object":"charge","charge_token":"62d5","id":"2000470537596802752517","reference":"order-1",\#
            "amount":\#(amount),"amount_captured":null,"amount_refunded":null,"currency":"USD",\#
            "time_created":1762594912,"time_captured":null,"auto_capture":true,"status":"\#(status)","country":"US",\#
            "payment":{"method":"wechatpay","client":[{"client":"mobile_native","format":"\#(format)",\#
            "method":"GET","content":\#(text)}]}}
            """#
    }

    /// `data` of an inquiry.
    static func transaction(_ status: String = "succeeded", amount: Int = 1250) -> String {
        #"""
        {"id":"2000470537596802752517","object":"charge","amount":\#(amount),"currency":"USD","status":"\#(status)",\#
        "time_canceled":"","expiry":null,"time_created":1762594912,"country":"US","reference":"order-1",\#
        "amount_captured":null,"amount_refunded":null,"time_captured":null,"auto_capture":true,\#
        "payment":{"method":"wechatpay","token":null,"type":"","data":{"pan":"","expiry":""}}}
        """#
    }
}

/// The reports of a client, in order: results and events.
final class Heard: Sendable {
    private let lines = Mutex<[String]>([])
    private let waiters = Mutex<[(Int, CheckedContinuation<Void, Never>)]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) {
        let count = lines.withLock {
            $0.append(line)
            return $0.count
        }
        let ready = waiters.withLock { waiters in
            let ready = waiters.filter { $0.0 <= count }
            waiters.removeAll { $0.0 <= count }
            return ready
        }
        for waiter in ready { waiter.1.resume() }
    }

    /// Waits until there are `count` lines, and returns them.
    func first(_ count: Int) async -> [String] {
        await withCheckedContinuation { continuation in
            let isThere = waiters.withLock { waiters in
                if lines.withLock({ $0.count }) >= count { return true }
                waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
        return all
    }

    func result(_ result: CPayResult?) {
        let data = result?.data
        add("result \(result?.status ?? "-") \(data?.code ?? "-") \(data?.status ?? "-")")
    }

    func event(_ event: CPayEvent) {
        switch event {
        case .orderConfirmed(let result): add("confirmed \(result.data.status ?? "-")")
        case .returnRefused(let error): add("refused \(error)")
        case .checked(let check):
            add("check \(check.status ?? "-") \(check.data.code ?? "-") \(check.data.status ?? "-")")
        }
    }
}

extension CPayClient {
    /// A client of the tests' shop.
    convenience init(
        _ transport: any HTTPTransport, clock: any PaymentClock = SystemPaymentClock(), launcher: CPayLauncher? = nil,
        order: CPayClientConfiguration.ResultOrder = .inquiryFirst, returnTimeout: Duration? = nil, heard: Heard? = nil,
        token: String = "UPI_token", baseURL: String? = nil
    ) throws {
        let configuration = CPayClientConfiguration(
            endpoint: try CPayEndpoint(.UAT, baseURL: baseURL), accessToken: Redacted(token), places: Shop.places,
            resultOrder: order, returnTimeout: returnTimeout)
        self.init(
            configuration: configuration, transport: transport, clock: clock, launcher: launcher,
            observer: { heard?.event($0) })
    }
}
