import PaymentCore
import Testing

@testable import WalletConnectPayKit
@testable import WalletConnectPayProvider

/// The messages of the form's page through the script bridge, and their accepted senders (Protocol 5.3).
@Suite struct BridgeTests {
    typealias Verdict = DataCollectionBridge.Verdict

    static func bridge(_ page: String = "https://pay.walletconnect.com/collect/") throws -> DataCollectionBridge {
        DataCollectionBridge(for: try DataCollectionPage(page, allowsLoopback: true))
    }

    static let own = WebOrigin(scheme: "https", host: "pay.walletconnect.com", port: 0)
    static let malformed = Verdict.failed("Invalid message format")

    static let messages: [(String, Verdict)] = [
        (#"{"type":"IC_COMPLETE","success":true}"#, .completed),
        (#"{"type":"IC_COMPLETE"}"#, .completed),
        (#"{"type":"IC_COMPLETE","success":null}"#, .completed),
        (#" {"success":true,"type":"IC_COMPLETE","more":[{}]} "#, .completed),
        (#"{"type":"IC_COMPLETE","success":false}"#, .failed("Unknown error")),
        (#"{"type":"IC_COMPLETE","success":false,"error":"Too young"}"#, .failed("Too young")),
        (#"{"type":"IC_COMPLETE","success":"true"}"#, malformed),
        (#"{"type":"IC_COMPLETE","success":1}"#, malformed),
        (#"{"type":"IC_COMPLETE","success":true,"success":false}"#, malformed),
        (#"{"type":"IC_ERROR","error":"Try again"}"#, .failed("Try again")),
        (#"{"type":"IC_ERROR"}"#, .failed("Unknown error")),
        (#"{"type":"IC_ERROR","error":null}"#, .failed("Unknown error")),
        (#"{"type":"IC_ERROR","error":""}"#, .failed("Unknown error")),
        (#"{"type":"IC_ERROR","error":" \n\u0000 "}"#, .failed("Unknown error")),
        (#"{"type":"IC_ERROR","error":{"a":1}}"#, .failed("Unknown error")),
        (#"{"type":"IC_ERROR","error":"a\u001b[31m\nb\u202ec\u200b\td\u0085\u2028e"}"#, .failed("a[31m bc d e")),
        (#"{"type":"IC_PROGRESS"}"#, .ignored(.unknownType)),
        (#"{"type":"ic_complete","success":true}"#, .ignored(.unknownType)),
        (#"{"type":"IC_COMPLETE ","success":true}"#, .ignored(.unknownType)),
        (#"{"type":"PAY_SUCCESS"}"#, .ignored(.unknownType)),
        (#"{"type":7}"#, malformed),
        (#"{"success":true}"#, malformed),
        (#"{}"#, malformed),
        (#"[{"type":"IC_COMPLETE"}]"#, malformed),
        (#""IC_COMPLETE""#, malformed),
        (#"IC_COMPLETE"#, malformed),
        (#"{"type":"IC_COMPLETE""#, malformed),
        (#"{"type":"IC_COMPLETE"} x"#, malformed),
        (#"null"#, malformed),
        ("", malformed),
    ]

    @Test("Messages are read from text", arguments: messages)
    func readsText(_ text: String, _ verdict: Verdict) throws {
        var bridge = try Self.bridge()
        #expect(bridge.receive(.string(text), from: Self.own, isMainFrame: true) == verdict)
        #expect(bridge.isCompleted == (verdict == .completed))
    }

    /// The same messages as objects, if they are objects.
    @Test("Messages are read from objects", arguments: messages)
    func readsObjects(_ text: String, _ verdict: Verdict) throws {
        guard let value = try? JSONValue(parsing: text), value.object != nil else { return }
        var bridge = try Self.bridge()
        #expect(bridge.receive(value, from: Self.own, isMainFrame: true) == verdict)
    }

    @Test("A string in a string is no message")
    func aStringInAStringIsNoMessage() throws {
        let inner = JSONValue.string(#"{"type":"IC_COMPLETE"}"#).text
        #expect(DataCollectionBridge.read(.string(inner)) == Self.malformed)
        for body: JSONValue in [nil, true, 1, [], ["IC_COMPLETE"]] {
            #expect(DataCollectionBridge.read(body) == Self.malformed)
        }
    }

    // MARK: Native bodies

    @Test("What web views hand over is taken")
    func takesWhatWebViewsHand() {
        let bodies: [(Any, Verdict)] = [
            (#"{"type":"IC_COMPLETE"}"#, .completed),
            (["type": "IC_COMPLETE", "success": true] as [String: Any], .completed),
            (["type": "IC_COMPLETE"] as [String: Any], .completed),
            (["type": "IC_COMPLETE", "success": false] as [String: Any], .failed("Unknown error")),
            (["type": "IC_COMPLETE", "success": "false"] as [String: Any], Self.malformed),
            (["type": "IC_COMPLETE", "success": [Int]()] as [String: Any], Self.malformed),
            (["type": "IC_ERROR", "error": "No"] as [String: Any], .failed("No")),
            (["type": "IC_ERROR", "error": 3] as [String: Any], .failed("Unknown error")),
            (["type": 3] as [String: Any], Self.malformed),
            (42, Self.malformed),
            ([1, 2], Self.malformed),
        ]
        for (raw, verdict) in bodies {
            #expect(DataCollectionBridge.read(DataCollectionBridge.body(from: raw)) == verdict, "\(raw)")
        }
    }

    // MARK: Senders

    static let senders: [(page: String, scheme: String, host: String, port: Int, isBelieved: Bool)] = [
        ("https://pay.walletconnect.com/c", "https", "pay.walletconnect.com", 0, true),
        ("https://pay.walletconnect.com/c", "https", "pay.walletconnect.com", 443, true),
        ("https://pay.walletconnect.com/c", "HTTPS", "PAY.walletconnect.com", 0, true),
        ("https://staging.pay.walletconnect.com/c", "https", "staging.pay.walletconnect.com", 0, true),
        ("https://dev.pay.walletconnect.com/c", "https", "dev.pay.walletconnect.com", 0, true),
        ("https://pay.walletconnect.com/c", "https", "staging.pay.walletconnect.com", 0, false),
        ("https://pay.walletconnect.com/c", "https", "pay.walletconnect.com", 8443, false),
        ("https://pay.walletconnect.com/c", "https", "pay.walletconnect.com", 80, false),
        ("https://pay.walletconnect.com/c", "http", "pay.walletconnect.com", 0, false),
        ("https://pay.walletconnect.com/c", "http", "pay.walletconnect.com", 443, false),
        ("https://pay.walletconnect.com/c", "https", "pay.walletconnect.com.evil.example", 0, false),
        ("https://pay.walletconnect.com/c", "https", "evilpay.walletconnect.com", 0, false),
        ("https://pay.walletconnect.com/c", "https", "x.pay.walletconnect.com", 0, false),
        ("https://pay.walletconnect.com/c", "https", "pay.walletconnect.com.", 0, false),
        ("https://pay.walletconnect.com/c", "https", " pay.walletconnect.com", 0, false),
        ("https://pay.walletconnect.com/c", "https", "pay.walletconnect.com\0", 0, false),
        ("https://pay.walletconnect.com/c", "https", "", 0, false),
        ("https://pay.walletconnect.com/c", "", "", 0, false),
        ("https://pay.walletconnect.com/c", "file", "", 0, false),
        ("https://pay.walletconnect.com/c", "about", "pay.walletconnect.com", 0, false),
        ("https://pay.walletconnect.com/c", "http", "127.0.0.1", 8080, false),
        ("http://127.0.0.1:8080/c", "http", "127.0.0.1", 8080, true),
        ("http://127.0.0.1:8080/c", "http", "127.0.0.1", 8081, false),
        ("http://127.0.0.1:8080/c", "http", "localhost", 8080, false),
        ("http://127.0.0.1:8080/c", "https", "127.0.0.1", 8080, false),
        ("http://127.0.0.1:8080/c", "https", "pay.walletconnect.com", 0, false),
        ("http://localhost/c", "http", "localhost", 0, true),
    ]

    @Test("Only the page itself is believed", arguments: senders)
    func believesItsPageOnly(_ row: (page: String, scheme: String, host: String, port: Int, isBelieved: Bool)) throws {
        var bridge = try Self.bridge(row.page)
        let sender = WebOrigin(scheme: row.scheme, host: row.host, port: row.port)
        let done = JSONValue.string(#"{"type":"IC_COMPLETE","success":true}"#)
        #expect(bridge.receive(done, from: sender, isMainFrame: false) == .ignored(.notMainFrame))
        #expect(
            bridge.receive(done, from: sender, isMainFrame: true)
                == (row.isBelieved ? .completed : .ignored(.otherOrigin)))
        #expect(bridge.isCompleted == row.isBelieved)
    }

    // MARK: Once

    @Test("A form is completed once")
    func completesOnce() throws {
        var bridge = try Self.bridge()
        func tell(_ text: String) -> Verdict { bridge.receive(.string(text), from: Self.own, isMainFrame: true) }
        let done = #"{"type":"IC_COMPLETE","success":true}"#
        #expect(tell(#"{"type":"IC_ERROR","error":"again"}"#) == .failed("again"))
        #expect(tell(#"{"type":"IC_COMPLETE","success":false}"#) == .failed("Unknown error"))
        #expect(tell("garbage") == Self.malformed)
        #expect(tell(done) == .completed)
        for late in [done, #"{"type":"IC_ERROR","error":"late"}"#, "garbage", #"{"type":"x"}"#] {
            #expect(tell(late) == .ignored(.alreadyCompleted))
        }
        #expect(bridge.isCompleted)
    }

    // MARK: Hostile bodies

    @Test("What is read is bounded")
    func boundsWhatItReads() throws {
        let text = String(repeating: "x", count: 1_000_000)
        let nested = String(repeating: "[", count: 500_000) + String(repeating: "]", count: 500_000)
        #expect(DataCollectionBridge.read(.string(nested)) == Self.malformed)
        #expect(DataCollectionBridge.read(.string(#"{"type":"IC_COMPLETE","x":\#(nested)}"#)) == Self.malformed)
        let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
        #expect(DataCollectionBridge.read(.string(#"{"type":"IC_COMPLETE","x":\#(deep)}"#)) == Self.malformed)
        #expect(DataCollectionBridge.read(.string(#"{"type":"IC_COMPLETE","x":"\#(text)"}"#)) == Self.malformed)
        let long = DataCollectionBridge.read(["type": "IC_ERROR", "error": .string(text)])
        #expect(long == .failed(String(repeating: "x", count: 200) + "…"))
        let controls = DataCollectionBridge.read(
            ["type": "IC_ERROR", "error": .string(String(repeating: "\u{200B}", count: 1_000_000) + "x")])
        #expect(controls == .failed("Unknown error"))
        guard
            case .failed(let marks) = DataCollectionBridge.read(
                ["type": "IC_ERROR", "error": .string("a" + String(repeating: "\u{301}", count: 100_000))])
        else { return #expect(Bool(false)) }
        #expect(marks.unicodeScalars.count == 201)
    }

    @Test("The longest message is read, and none that is longer")
    func longestMessageIsRead() {
        let frame = #"{"type":"IC_COMPLETE","x":""}"#
        let room = DataCollectionBridge.maximumMessageLength - frame.utf8.count
        for (extra, verdict) in [(0, Verdict.completed), (1, Self.malformed)] {
            let text = #"{"type":"IC_COMPLETE","x":"\#(String(repeating: "x", count: room + extra))"}"#
            #expect(DataCollectionBridge.read(.string(text)) == verdict)
        }
    }
}
