import Testing

@testable import PayrouteCommands

@Suite("Arguments")
struct ArgumentsTests {
    static let syntax = CommandSyntax(
        path: "tool do",
        overview: "Do something with things, at some length, so that the overview takes more than one line of eighty.",
        arguments: [.init(name: "thing", help: "What to do it with.", isRepeating: true)],
        options: [
            .init(name: "level", value: "number", help: "How much."),
            .init(name: "json", help: "Print JSON."),
            .init(name: "a-name-too-long-for-its-column", help: "Explained on a line of its own."),
        ])

    @Test("The help screen has swift-argument-parser's layout")
    func help() {
        #expect(
            HelpText.of(Self.syntax) == """
                OVERVIEW: Do something with things, at some length, so that the overview takes
                more than one line of eighty.

                USAGE: tool do [--level <number>] [--json] [--a-name-too-long-for-its-column]
                  <thing> ...

                ARGUMENTS:
                  <thing>                 What to do it with.

                OPTIONS:
                  --level <number>        How much.
                  --json                  Print JSON.
                  --a-name-too-long-for-its-column
                                          Explained on a line of its own.
                  --version               Show the version.
                  -h, --help              Show help information.

                """)
    }

    @Test(
        "Arguments are sorted into flags, values and positionals",
        arguments: [
            (["a"], ["a"], nil, false),
            (["--level", "3", "a"], ["a"], "3", false),
            (["a", "--level=3", "--json"], ["a"], "3", true),
            (["a", "--level="], ["a"], "", false),
            (["--level=a=b", "x"], ["x"], "a=b", false),
            (["--level=-1", "x"], ["x"], "-1", false),
            (["--level", "1", "--level", "2", "x"], ["x"], "2", false),
            (["--", "--json", "-h", "--"], ["--json", "-h", "--"], nil, false),
            (["-", "--json"], ["-"], nil, true),
            (["--level", "-", "x"], ["x"], "-", false),
            ([""], [""], nil, false),
        ] as [([String], [String], String?, Bool)])
    func accepts(words: [String], positionals: [String], level: String?, json: Bool) throws {
        let arguments = try ParsedArguments(words, for: Self.syntax)
        #expect(arguments.positionals == positionals)
        #expect(arguments.value("level") == level)
        #expect(arguments.has("json") == json)
    }

    @Test(
        "Arguments that make no sense are named",
        arguments: [
            ([], "Missing expected argument '<thing> ...'"),
            (["--json"], "Missing expected argument '<thing> ...'"),
            (["x", "--jsn"], "Unknown option '--jsn'. Did you mean '--json'?"),
            (["x", "--zzzzzz"], "Unknown option '--zzzzzz'"),
            (["x", "--jsn=3"], "Unknown option '--jsn'. Did you mean '--json'?"),
            (["x", "-j"], "Unknown option '-j'"),
            (["x", "--level"], "Missing value for '--level <number>'"),
            (["x", "--level", "--json"], "Missing value for '--level <number>'"),
            (["x", "--json=yes"], "The option '--json' takes no value"),
        ] as [([String], String)])
    func refuses(words: [String], message: String) throws {
        let error = try #require(throws: UsageError.self) { try ParsedArguments(words, for: Self.syntax) }
        #expect(error.message == message)
        #expect(error.hint.hasPrefix("Usage: tool do [--level <number>]"))
        #expect(error.hint.hasSuffix("\n  See 'tool help do' for more information."))
    }

    @Test("Surplus arguments are refused where only some fit")
    func surplus() throws {
        let syntax = CommandSyntax(path: "tool one", overview: "", arguments: [.init(name: "only", help: "")])
        let one = try #require(throws: UsageError.self) { try ParsedArguments(["a", "b"], for: syntax) }
        #expect(one.message == "Unexpected argument 'b'")
        let two = try #require(throws: UsageError.self) { try ParsedArguments(["a", "b", "c"], for: syntax) }
        #expect(two.message == "2 unexpected arguments: 'b', 'c'")
    }

    @Test("A value that does not convert is refused")
    func conversion() throws {
        let arguments = try ParsedArguments(["--level", "many", "x"], for: Self.syntax)
        let error = try #require(throws: UsageError.self) { try arguments.value("level") { Int($0) } }
        #expect(error.message == "The value 'many' is invalid for '--level <number>'")
    }

    @Test("Help wins over everything behind it and over what is missing", arguments: ["-h", "--help"])
    func helpFlag(flag: String) throws {
        #expect(try ParsedArguments([flag, "--nonsense"], for: Self.syntax).request == .help)
    }

    @Test(
        "Distances count insertions, removals and replacements",
        arguments: [("", "", 0), ("a", "", 1), ("kitten", "sitting", 3), ("route", "rout", 1), ("ab", "ba", 2)])
    func distance(left: String, right: String, distance: Int) {
        #expect(UsageError.distance(left, right) == distance)
        #expect(UsageError.distance(right, left) == distance)
    }
}
