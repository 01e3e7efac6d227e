import ServiceSupport
import Testing

@Suite("Names of callers at services")
struct ServiceNameTests {
    private static func isSound(_ name: String) -> Bool {
        (1...80).contains(name.utf8.count) && name.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }

    private static func make(_ name: String, _ turn: Int = 0) -> String {
        ServiceName.make(name, turn: turn, limit: 80, isSound: isSound)
    }

    private static let short = [
        "credit-7", "CN 2024/117", "", " ", "caf\u{E9}", "cafe\u{301}", "line\nfeed", "~", "~~", "~0~",
        "~0~Y3JlZGl0LTc",
        "~1~Y3JlZGl0LTc", "~0~~00", "\u{1F600}", String(repeating: "x", count: 57),
    ]
    private static let long = [
        String(repeating: "x", count: 81), String(repeating: "x", count: 82), String(repeating: "\u{E9}", count: 40),
    ]

    @Test("A name that the service takes stays, and every other one is spelled so that it takes it")
    func spelling() {
        #expect(Self.make("credit-7") == "credit-7")
        #expect(Self.make("caf\u{E9}") == "~0~Y2Fmw6k")
        #expect(Self.make("credit-7", 2) == "~2~Y3JlZGl0LTc")
        for name in Self.short + Self.long {
            for turn in 0...2 { #expect(Self.isSound(Self.make(name, turn)), "\(name)") }
        }
        #expect(Self.make(String(repeating: "x", count: 80)) == String(repeating: "x", count: 80))
    }

    @Test("No two names, and no two turns of one, are spelled alike")
    func injective() {
        var seen: [[UInt8]: String] = [:]
        for name in Self.short + Self.long {
            for turn in 0...2 {
                let spelled = Self.make(name, turn)
                let other = seen.updateValue("\(turn) \(name)", forKey: Array(spelled.utf8))
                #expect(other == nil, "\(spelled)")
            }
        }
    }

    @Test("A spelled name is read back, and a digest or another text is not")
    func reading() {
        for name in Self.short {
            for turn in 0...2 {
                #expect(ServiceName.read(Self.make(name, turn)).map { Array($0.utf8) } == Array(name.utf8), "\(name)")
            }
        }
        for name in Self.long { #expect(ServiceName.read(Self.make(name)) == nil) }
        for text in ["~", "~~", "~0", "~0~Y", "~x~YQ", "~00~YQ", "~+0~YQ", "~0~YQ~", "~0~YQ==", "~0~_w", "~0~ YQ"] {
            #expect(ServiceName.read(text) == nil, "\(text)")
        }
    }
}
