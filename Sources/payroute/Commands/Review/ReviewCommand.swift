import Foundation
import PaymentCore
import PaymentReview

/// `payroute review`: the effects of lists of wallet calls, or the reasons why they are refused.
enum ReviewCommand: Command {
    static let name = "review"
    static let summary = "Show what wallet calls would do, or why they are refused."
    static let syntax = CommandSyntax(
        path: "payroute review",
        overview: "Show what a list of wallet calls would do, or why it is refused. Nothing is signed or sent.",
        discussion: """
            A case is a JSON object with 'option' and 'calls' as a WalletConnect Pay service sends them, 'payer' (the account that would pay, CAIP-10) and 'now' (Unix seconds); 'allow' may list tokens as --allow-token does. A file holds one case, a list of cases, or one case on each line; '-' reads one case on each line.

            Ends with 0 when no case is refused, otherwise with 1.
            """,
        arguments: [.init(name: "file", help: "A file of cases, or '-' for standard input.", isRepeating: true)],
        options: [
            .init(name: "known", value: "accounts", help: "Recipients that count as known: CAIP-10, by commas."),
            AllowTokenOption.syntax,
            .init(name: "json", help: "Print one JSON object for each case, on a line of its own."),
        ])

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
        try LineReader.read(console.input) { line in
            guard !line.bytes.isEmpty else { return true }
            isClean = context.answer(line.isCut ? nil : try? JSONValue(parsing: line.bytes)) && isClean
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
        let cases: [JSONValue?] =
            if let whole = try? JSONValue(parsing: data) {
                whole.array ?? [whole]
            } else {
                data.split(separator: UInt8(ascii: "\n")).map { try? JSONValue(parsing: $0) }
            }
        return cases.map(context.answer).allSatisfy(\.self)
    }

    /// Reviews cases and prints the results.
    private struct ReviewContext {
        let reviewer: SigningReviewer
        let isJSON: Bool
        let console: Console

        /// - Returns: True if the calls may be signed.
        func answer(_ json: JSONValue?) -> Bool {
            let name = json?["name"]?.string
            guard let json else { return show(name, unreadable: "the case is not JSON") }
            let example: ReviewCase
            do { example = try ReviewCase(json) } catch { return show(name, unreadable: "\(error)") }
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
                console.output.line("  " + reason)
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
