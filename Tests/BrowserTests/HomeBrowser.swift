import Foundation
import PaymentCore
import PaymentTransport
import TestSupport
import Testing

/// The sandbox as `payroute sandbox` serves it, and a browser at its home.
struct HomeBrowser: Sendable {
    let driver: WebDriver
    let base: String

    /// Starts both, passes them to `work` and ends them afterwards.
    static func visit(scripts: Bool = true, _ work: (HomeBrowser) async throws -> Void) async throws {
        let folder = ScratchFolder()
        let file = folder.path + "/ready.json"
        let program = try Program(["sandbox", "--port", "0", "--ready-file", file])
        for await line in program.lines where line == "Ctrl-C stops it." { break }
        let driver = try await WebDriver(scripts: scripts)
        do {
            let ready = try await Program.ready(in: file)
            let browser = HomeBrowser(driver: driver, base: try #require(ready["url"]?.string))
            try await work(browser)
        } catch {
            await driver.quit()
            program.signal(SIGTERM)
            _ = await program.end()
            throw error
        }
        await driver.quit()
        program.signal(SIGTERM)
        #expect(await program.end().code == 0)
    }

    func open(_ path: String) async throws { try await driver.open(base + path) }

    /// Waits until the element that `selector` selects shows `text`.
    func sees(_ text: String, in selector: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        var told = ""
        for _ in 0..<2000 {
            told =
                try await driver.run(
                    "return document.querySelector(arguments[0])?.textContent ?? \"\"", .string(selector)
                ).string ?? ""
            if told.contains(text) { return }
        }
        Issue.record("the page tells '\(told)' and not '\(text)'", sourceLocation: sourceLocation)
    }

    func press(_ selector: String) async throws { try await driver.click(try await driver.find(selector)) }

    /// Presses a button of a scenario such as `citcon/toss`, found by the search.
    func scenario(_ name: String, _ verb: String) async throws {
        try await open("/scenarios?search=" + PercentCoding.encode(name))
        let row = "li:has([value='\(name)'])"
        if verb != "pay" { try await press("\(row) .more summary") }
        try await press("\(row) button[name=\(verb)]")
    }

    /// Presses the tab key until the element that `selector` selects has the focus.
    func tab(to selector: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for _ in 0..<60 {
            try await driver.press(Key.tab)
            if try await driver.run("return document.activeElement.matches(arguments[0])", .string(selector)) == true {
                return
            }
        }
        Issue.record("the keyboard does not reach \(selector)", sourceLocation: sourceLocation)
    }

    /// Makes a payment of a scenario.
    ///
    /// - Returns: its name.
    func make(_ service: String, _ scenario: String) async throws -> String {
        let made = try await call("/_sandbox/payments", ["service": .string(service), "scenario": .string(scenario)])
        return try #require(made["id"]?.string, "\(made.text)")
    }

    /// Calls the interface for programs.
    func call(_ path: String, _ body: JSONValue, headers: HTTPHeaders = [:]) async throws -> JSONValue {
        var headers = headers
        headers["Content-Type"] = "application/json"
        let answer = try await StandardTransport().send(
            HTTPRequest(.post, try HTTPURL(base + path), headers: headers, body: body.serialized()))
        return try JSONValue(parsing: answer.body)
    }

    func shoot(_ name: String) async throws {
        guard let folder = ProcessInfo.processInfo.environment["PAYROUTE_SCREENSHOTS"] else { return }
        let url = URL(filePath: folder)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try await driver.screenshot().write(to: url.appending(path: name + ".png"))
    }
}
