import Foundation
import PaymentCore
import PaymentTransport
import TestSupport

/// A browser steered over the WebDriver protocol (W3C Recommendation of 5 June 2018): real key strokes and clicks.
actor WebDriver {
    /// A command that the browser refused.
    struct Failure: Error, CustomStringConvertible {
        let command: String
        let message: String
        var description: String { "\(command): \(message)" }
    }

    /// An element of the page.
    struct Element: Sendable {
        fileprivate let id: String
    }

    private let driver: Program
    private let transport = StandardTransport()
    private let profile = ScratchFolder()
    private let base: HTTPURL
    private var session = ""

    /// Starts a driver and a browser window of a phone's width.
    ///
    /// - Parameter scripts: true if pages may run scripts.
    init(scripts: Bool = true) async throws {
        guard let executable = Self.executable else { throw Failure(command: "start", message: "no chromedriver") }
        driver = try Self.start(executable)
        var port: String?
        for await line in driver.lines {
            if let match = line.firstMatch(of: /started successfully on port ([0-9]+)/) {
                port = String(match.output.1)
                break
            }
        }
        guard let port else { throw Failure(command: "start", message: await driver.end().errors) }
        base = try HTTPURL("http://127.0.0.1:\(port)")
        var arguments = [
            "--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=520,900",
            "--force-device-scale-factor=1", "--user-data-dir=\(profile.path)", "--lang=en-US",
        ]
        // The browser's sandbox cannot be set up by the superuser, who runs most builds.
        if getuid() == 0 { arguments.append("--no-sandbox") }
        var options: JSONValue = ["args": .array(arguments.map(JSONValue.string))]
        if !scripts { options["prefs"] = ["profile.managed_default_content_settings.javascript": 2] }
        let answer = try await command(
            .post, "session",
            ["capabilities": ["alwaysMatch": ["browserName": "chrome", "goog:chromeOptions": options]]])
        guard let id = answer["sessionId"]?.string else { throw Failure(command: "session", message: "no session") }
        session = "session/\(id)"
        // A search for an element waits for it to appear.
        _ = try await command(.post, session + "/timeouts", ["implicit": 10_000, "pageLoad": 30_000, "script": 80_000])
    }

    /// Starts the driver with no signal blocked. The threads that run tasks block nearly all of them, children inherit
    /// that, and a browser without signals does not start.
    private static func start(_ executable: URL) throws -> Program {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return try Program(["--port=0"], executable: executable)
    }

    /// The chromedriver of this machine.
    static var executable: URL? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { URL(filePath: String($0)).appending(path: "chromedriver") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// Closes the browser and ends the driver.
    func quit() async {
        _ = try? await command(.delete, session)
        driver.signal(SIGTERM)
        _ = await driver.end()
    }

    // MARK: Pages

    func open(_ url: String) async throws {
        _ = try await command(.post, session + "/url", ["url": .string(url)])
    }

    func back() async throws {
        _ = try await command(.post, session + "/back", [:])
    }

    var url: String {
        get async throws { try await command(.get, session + "/url").string ?? "" }
    }

    /// A picture of the window as PNG.
    func screenshot() async throws -> Data {
        let text = try await command(.get, session + "/screenshot").string ?? ""
        return Data(base64Encoded: text) ?? Data()
    }

    @discardableResult
    func run(_ script: String, _ arguments: JSONValue...) async throws -> JSONValue {
        try await command(
            .post, session + "/execute/sync", ["script": .string(script), "args": .array(arguments)])
    }

    /// Runs a script that calls its last argument with its answer.
    func runToTheEnd(_ script: String, _ arguments: JSONValue...) async throws -> JSONValue {
        try await command(
            .post, session + "/execute/async", ["script": .string(script), "args": .array(arguments)])
    }

    /// Runs a script in every page before its own.
    func runInEveryPage(_ source: String) async throws {
        try await tools("Page.addScriptToEvaluateOnNewDocument", ["source": .string(source)])
    }

    /// Makes the page as wide as a device, and light or dark.
    func look(width: Int, isDark: Bool = false) async throws {
        try await tools(
            "Emulation.setDeviceMetricsOverride",
            ["width": .number(JSONNumber(width)), "height": 900, "deviceScaleFactor": 1, "mobile": false])
        try await tools(
            "Emulation.setEmulatedMedia",
            ["features": [["name": "prefers-color-scheme", "value": .string(isDark ? "dark" : "light")]]])
    }

    private func tools(_ name: String, _ parameters: JSONValue) async throws {
        _ = try await command(.post, session + "/goog/cdp/execute", ["cmd": .string(name), "params": parameters])
    }

    // MARK: Elements

    /// The first element that `selector` (CSS) selects; waits for it.
    func find(_ selector: String) async throws -> Element {
        try await find("css selector", selector)
    }

    /// The first element whose text, or whose accessible label, contains `text`; waits for it.
    func find(text: String, in tag: String = "*") async throws -> Element {
        try await find(
            "xpath", "//\(tag)[contains(normalize-space(.),\"\(text)\") or contains(@aria-label,\"\(text)\")]")
    }

    private func find(_ strategy: String, _ value: String) async throws -> Element {
        let answer = try await command(
            .post, session + "/element", ["using": .string(strategy), "value": .string(value)])
        return try element(answer)
    }

    /// The number of elements that `selector` selects at this moment.
    func count(_ selector: String) async throws -> Int {
        try await run("return document.querySelectorAll(arguments[0]).length", .string(selector)).int64.map(Int.init)
            ?? 0
    }

    var focused: Element {
        get async throws { try element(try await command(.get, session + "/element/active")) }
    }

    func click(_ element: Element) async throws {
        _ = try await command(.post, "\(session)/element/\(element.id)/click", [:])
    }

    func clear(_ element: Element) async throws {
        _ = try await command(.post, "\(session)/element/\(element.id)/clear", [:])
    }

    func type(_ text: String, into element: Element) async throws {
        _ = try await command(.post, "\(session)/element/\(element.id)/value", ["text": .string(text)])
    }

    func text(of element: Element) async throws -> String {
        try await command(.get, "\(session)/element/\(element.id)/text").string ?? ""
    }

    func property(_ name: String, of element: Element) async throws -> JSONValue {
        try await command(.get, "\(session)/element/\(element.id)/property/\(name)")
    }

    /// The accessible name of an element.
    func name(of element: Element) async throws -> String {
        try await command(.get, "\(session)/element/\(element.id)/computedlabel").string ?? ""
    }

    func isShown(_ element: Element) async throws -> Bool {
        try await command(.get, "\(session)/element/\(element.id)/displayed").bool ?? false
    }

    /// Presses keys one after the other, at the current focus.
    func press(_ keys: String...) async throws { try await press(keys) }

    /// Presses keys one after the other, at the current focus.
    func press(_ keys: [String]) async throws {
        let strokes: [JSONValue] = keys.flatMap { key -> [JSONValue] in
            [["type": "keyDown", "value": .string(key)], ["type": "keyUp", "value": .string(key)]]
        }
        let source: JSONValue = ["type": "key", "id": "keyboard", "actions": .array(strokes)]
        _ = try await command(.post, session + "/actions", ["actions": [source]])
    }

    // MARK: Protocol

    private func element(_ answer: JSONValue) throws -> Element {
        guard let id = answer["element-6066-11e4-a52e-4f735466cecf"]?.string else {
            throw Failure(command: "element", message: "the answer names none")
        }
        return Element(id: id)
    }

    private func command(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil
    ) async throws -> JSONValue {
        let request = HTTPRequest(
            method, try HTTPURL("\(base.text)/\(path)"), headers: ["Content-Type": "application/json"],
            body: body?.serialized() ?? [], timeout: .seconds(90), responseLimit: 16 << 20)
        let response = try await transport.send(request)
        let value = try JSONValue(parsing: response.body)["value"] ?? .null
        guard response.status == 200 else {
            let words = [value["error"]?.string, value["message"]?.string].compactMap { $0 }
            throw Failure(
                command: "\(method.rawValue) \(path.split(separator: "/").dropFirst(2).joined(separator: "/"))",
                message: words.joined(separator: ": "))
        }
        return value
    }
}

/// Keys without a character, as WebDriver writes them.
enum Key {
    static let enter = "\u{E007}"
    static let escape = "\u{E00C}"
    static let space = " "
    static let tab = "\u{E004}"
    static let shift = "\u{E008}"
    static let down = "\u{E015}"
}
