import Foundation
import PaymentCore

/// axe-core's rules, all that it runs by itself. It is not a part of this repository: `.ci/axe` downloads it for
/// `make browser-test`, and reports a failure to do so.
enum Axe {
    /// Its script; nil if it is missing.
    static let source: String? = ProcessInfo.processInfo.environment["PAYROUTE_AXE"].flatMap {
        $0.isEmpty ? nil : try? String(contentsOfFile: $0, encoding: .utf8)
    }

    /// Adds it to every page that the browser opens from now on. The pages' policies do not apply to it.
    static func prepare(_ driver: WebDriver) async throws {
        guard let source else {
            print("axe-core is not there; the pages are checked by our own rules only. `make browser-test` fetches it.")
            return
        }
        try await driver.runInEveryPage(source)
    }

    /// Returns the rules that the page breaks, each with its place; empty if there are none, or without axe-core.
    static func run(_ driver: WebDriver) async throws -> [String] {
        guard source != nil else { return [] }
        return try await driver.runToTheEnd(script).array?.compactMap(\.string) ?? ["axe-core did not run"]
    }

    private static let script = """
        const done = arguments[arguments.length - 1];
        // Long tables take it minutes; one row is like the others of its table.
        for (const table of document.querySelectorAll("tbody"))
          for (const row of [...table.rows].slice(4))
            if (row.id !== "shown" && row.previousElementSibling?.id !== "shown") row.remove();
        axe.run(document, {resultTypes: ["violations"]}).then(
            (found) => done(found.violations.map((rule) => "axe " + rule.id + " (" + rule.help + "): "
                + rule.nodes.slice(0, 5).map((one) => one.html.slice(0, 150)).join(" | "))
                .concat(found.passes.length ? [] : ["axe-core looked at nothing"])),
            (error) => done(["axe-core failed: " + error]));
        """
}
