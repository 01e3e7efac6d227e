import Foundation
import PaymentCore
import PaymentLoopback
import PaymentTesting
import PayrailsSandbox
import Testing

/// A browser at the checkout of a new session.
struct Browser: Sendable {
    let driver: WebDriver
    let sandbox: PayrailsSandbox
    let session: PayrailsSandbox.Session
    let address: String
    private let wire: FaultInjector

    /// Set by `make browser-test`; without it these tests are skipped, with or without a driver.
    static let isWanted = ProcessInfo.processInfo.environment["PAYROUTE_BROWSER_TESTS"] != nil

    /// Opens the checkout of a new session, passes it to `work` and closes the browser afterwards.
    static func visit(
        _ scenario: PayrailsSandbox.Scenario, scripts: Bool = true, _ work: (Browser) async throws -> Void
    ) async throws {
        let sandbox = PayrailsSandbox()
        let wire = FaultInjector(PayrailsCheckout(sandbox))
        let server = try LoopbackServer(wire)
        let session = await sandbox.createSession(scenario, base: server.baseURL)
        let driver = try await WebDriver(scripts: scripts)
        let browser = Browser(
            driver: driver, sandbox: sandbox, session: session,
            address: "\(server.baseURL.origin)/checkout/\(session.id)", wire: wire)
        do {
            try await driver.open(browser.address)
            try await work(browser)
        } catch {
            try? await browser.shoot("failure-\(scenario.rawValue)")
            await driver.quit()
            throw error
        }
        await driver.quit()
    }

    // MARK: The backend

    var captures: Int { get async { await sandbox.ledger.captures(of: session.id) } }
    var requests: Int { get async { await sandbox.ledger.confirmRequests(of: session.id) } }

    /// The bodies of the requests that the browser sent.
    var sent: [String] { wire.requests.map { String(decoding: $0.body, as: UTF8.self) } }

    // MARK: The page

    /// Waits until the page shows `text` as its message.
    func sees(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        do {
            _ = try await driver.find(text: text, in: "*[@id='result']")
        } catch {
            let told = try await driver.text(of: try await driver.find("#result"))
            Issue.record("the page tells '\(told)' and not '\(text)'", sourceLocation: sourceLocation)
        }
    }

    /// Waits until `condition` holds, for as long as a page may take.
    func waits(
        sourceLocation: SourceLocation = #_sourceLocation, for condition: () async throws -> Bool
    ) async throws {
        // Every look is a request to the browser, so this waits about ten seconds at most.
        for _ in 0..<2000 where try await condition() { return }
        Issue.record("the page did not change", sourceLocation: sourceLocation)
    }

    func payButton(row: Int) async throws -> WebDriver.Element {
        try await driver.find(".row:has(#instrument-\(row)) button.pay")
    }

    /// Replaces the text of fields.
    func fill(_ values: KeyValuePairs<String, String>) async throws {
        for (name, value) in values {
            let field = try await driver.find("#\(name)")
            try await driver.clear(field)
            try await driver.type(value, into: field)
        }
    }

    /// Presses the tab key until the element that `selector` selects has the focus.
    func tab(to selector: String) async throws {
        for _ in 0..<40 {
            try await driver.press(Key.tab)
            if try await driver.run(
                "return document.activeElement.matches(arguments[0])", .string(selector)) == true
            {
                return
            }
        }
        Issue.record("the keyboard does not reach \(selector)")
    }

    func payUntilChallenge(isNewCard: Bool) async throws {
        if isNewCard {
            try await fill([
                "card_number": "4111111111111111", "security_code": "123", "expiry_date": "12/40",
            ])
            try await driver.click(try await driver.find("#card button.pay"))
        } else {
            try await driver.click(try await payButton(row: 0))
        }
        _ = try await driver.find("a.open")
    }

    /// Saves a picture of the window in the folder `PAYROUTE_SCREENSHOTS`, if it is set.
    func shoot(_ name: String) async throws {
        guard let folder = ProcessInfo.processInfo.environment["PAYROUTE_SCREENSHOTS"] else { return }
        let url = URL(filePath: folder)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try await driver.screenshot().write(to: url.appending(path: name + ".png"))
    }
}
