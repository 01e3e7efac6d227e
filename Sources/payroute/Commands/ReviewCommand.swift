import Foundation
import PaymentCore
import PaymentReview
import SandboxSupport

/// `payroute review`: the effects of lists of wallet calls, or the reasons why they are refused.
enum ReviewCommand: Command {
    static let name = "review"
    static let summary = "Show the effects of wallet calls, or why they are refused."
    static let syntax = CommandSyntax(
        path: "payroute review",
        overview: "Show the effects of a list of wallet calls, or why it is refused. Nothing is signed or sent.",
        discussion: """
            A case is a JSON object with 'option' and 'calls' as a WalletConnect Pay service sends them, 'payer' (the account that would pay, CAIP-10) and 'now' (Unix seconds); 'allow' may list tokens as --allow-token does. A file holds one case, a list of cases, or one case on each line; '-' reads one case on each line.

            Exits with 0 if no case is refused, otherwise with 1.
            """,
        arguments: [.init(name: "file", help: "A file of cases, or '-' for standard input.", isRepeating: true)],
        options: [
            .init(
                name: "known", value: "accounts", help: "Recipients that count as known: CAIP-10, comma-separated.",
                form: "CAIP-10 accounts, comma-separated: eip155:1:0x..."),
            AllowTokenOption.syntax,
            .init(name: "json", help: "Print one JSON object for each case, one line each."),
        ],
        examples: [.init("payroute review calls.json", "the effects of each case in the file")])

    /// The largest file that is read.
    private static let longestFile = 64 << 20

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let known = try arguments.value("known") { text in
            let accounts = text.split(separator: ",").map { try? AccountID(String($0)) }
            return accounts.contains(nil) ? nil : accounts.compactMap(\.self)
        }
        let context = ReviewContext(
            reviewer: SigningReviewer(
                knownRecipients: known ?? [], allowedTokens: try AllowTokenOption.read(arguments)),
            isJSON: arguments.has("json"), console: console)
        var isClean = true
        for name in arguments.positionals {
            let good = try name == "-" ? readLines(context, console) : readFile(name, context)
            isClean = isClean && good
        }
        return isClean ? .done : .failed
    }

    private static func readLines(_ context: ReviewContext, _ console: Console) throws -> Bool {
        var isClean = true
        var number = 0
        try LineReader.read(console.input) { line in
            number += 1
            guard !line.bytes.isEmpty else { return true }
            let place = "standard input, line \(number)"
            let example: Case =
                line.isCut ? .unreadable(place, "the line is too long") : Case(parsing: Array(line.bytes), at: place)
            isClean = context.answer(example) && isClean
            return !console.output.isClosed
        } pause: { _ in
            console.output.flush()
            return !console.output.isClosed
        }
        return isClean
    }

    private static func readFile(_ name: String, _ context: ReviewContext) throws -> Bool {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: name))
        } catch {
            // Opened again, because Foundation's error is not fit for people: opening reports a reason that checking
            // permissions does not.
            let descriptor = open(name, O_RDONLY)
            let reason = descriptor < 0 ? ": " + String(cString: strerror(errno)) : ""
            if descriptor >= 0 { close(descriptor) }
            throw CommandError(description: "the file '\(name)' cannot be read\(reason)")
        }
        guard data.count <= longestFile else {
            throw CommandError(
                description: "the file '\(name)' is larger than 64 MiB; pass its cases line by line to '-'")
        }
        if let whole = try? JSONValue(parsing: data) {
            let cases = whole.array ?? [whole]
            return cases.enumerated().map { index, json in
                context.answer(.json(cases.count == 1 ? name : "\(name), case \(index + 1)", json))
            }.allSatisfy(\.self)
        }
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.enumerated().filter { !$0.element.isEmpty }.map { index, line in
            context.answer(Case(parsing: Array(line), at: "\(name), line \(index + 1)"))
        }.allSatisfy(\.self)
    }

    /// One case, with its place for errors.
    private enum Case {
        case json(String, JSONValue)
        case unreadable(String, String)

        init(parsing bytes: [UInt8], at place: String) {
            do { self = .json(place, try JSONValue(parsing: bytes)) } catch {
                self = .unreadable(place, "\(error)")
            }
        }
    }

    /// Reviews cases and prints the results.
    private struct ReviewContext {
        let reviewer: SigningReviewer
        let isJSON: Bool
        let console: Console

        /// - Returns: True if the calls may be signed.
        func answer(_ found: Case) -> Bool {
            guard case .json(let place, let json) = found else {
                guard case .unreadable(let place, let reason) = found else { return false }
                return show(nil, unreadable: "\(place): \(reason)")
            }
            let name = json["name"]?.string
            let example: ReviewCase
            do { example = try ReviewCase(json) } catch { return show(name, unreadable: "\(place): \(error)") }
            let verdict = example.verdict(of: reviewer)
            if isJSON {
                print(name, verdict.json)
            } else {
                show(name, verdict)
            }
            if case .approved = verdict { return true }
            return false
        }

        private func show(_ name: String?, _ verdict: ReviewVerdict) {
            switch verdict {
            case .approved(let review):
                let tone: Style.Tone = review.warnings.isEmpty ? .good : .doubtful
                let warnings = review.warnings.map(\.rawValue).joined(separator: ", ")
                head(name, verdict.name + (warnings.isEmpty ? "" : ": \(warnings)"), tone)
                for line in review.lines { console.output.line("  " + Printable.text(line)) }
            case .refused(let refusal):
                head(name, "\(verdict.name): \(refusal.code.rawValue)", .bad)
                console.output.line("  " + Printable.text("\(refusal.reason) (\(refusal.member))"))
            }
        }

        private func show(_ name: String?, unreadable reason: String) -> Bool {
            if isJSON {
                print(name, ["verdict": "unreadable", "text": .string(reason)])
            } else {
                head(name, "unreadable", .bad)
                console.output.line("  " + Printable.text(reason))
            }
            return false
        }

        private func head(_ name: String?, _ verdict: String, _ tone: Style.Tone) {
            let name = name.map { Printable.short($0, 100) + "  " } ?? ""
            console.output.line(name + console.style(tone, verdict))
        }

        private func print(_ name: String?, _ json: JSONValue) {
            var json = json
            json["name"] = name.map { .string(Printable.short($0, 100)) }
            console.output.line(json.text)
        }
    }
}

/// The `--allow-token` option: tokens that may be paid although no table knows them.
enum AllowTokenOption {
    static let syntax = CommandSyntax.Option(
        name: "allow-token", value: "tokens",
        help:
            "Pay these tokens although no table knows them: CAIP-19, comma-separated (eip155:1/erc20:0x...). Their names and decimals are then the service's claims.",
        form: "CAIP-19 ids, comma-separated: eip155:1/erc20:0x...")

    static func read(_ arguments: ParsedArguments) throws(UsageError) -> [AssetID] {
        try arguments.value(syntax.name) { text in
            let tokens = text.split(separator: ",", omittingEmptySubsequences: false).map { try? AssetID(String($0)) }
            return tokens.contains(nil) ? nil : tokens.compactMap(\.self)
        } ?? []
    }
}
