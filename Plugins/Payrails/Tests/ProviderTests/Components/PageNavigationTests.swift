import PaymentCore
import Testing

@testable import PayrailsKit

/// The decisions of a web view with a payment's page, without a web view.
struct PageNavigationTests {
    private static func navigation(
        _ url: String = "https://bank.example/3ds?id=1",
        returns: [String] = ["https://assets.payrails.io/html/payrails-success.html", "shop-app://back/paid"]
    ) throws -> PageNavigation {
        PageNavigation(PageRequest(url: try HTTPURL(url), returnURLs: returns))
    }

    @Test(
        "The way back ends the visit, whatever is in its query",
        arguments: [
            "https://assets.payrails.io/html/payrails-success.html", "shop-app://back/paid",
            "https://assets.payrails.io/html/payrails-success.html?executionId=7#x", "shop-app://back/paid?ok=1",
            "HTTPS://Assets.Payrails.io/html/payrails-success.html",
        ])
    func returned(_ address: String) throws {
        #expect(
            try Self.navigation().decide(address, isMainFrame: true) == .returned(try PaymentLink(address)))
        #expect(
            try Self.navigation().decide(address, isMainFrame: false) != .returned(try PaymentLink(address)),
            "a frame inside the page ends nothing")
    }

    @Test(
        "What only looks like the way back does not end the visit",
        arguments: [
            "https://assets.payrails.io.evil.example/html/payrails-success.html",
            "https://assets.payrails.io/html/payrails-success.html/x",
            "https://evil.example/?u=https://assets.payrails.io/html/payrails-success.html",
            "https://assets.payrails.io:444/html/payrails-success.html",
        ])
    func lookAlikes(_ address: String) throws {
        #expect(try Self.navigation().decide(address, isMainFrame: true) == .stay)
    }

    @Test("Encrypted pages may be shown, apps open outside, and the rest is kept from loading")
    func others() throws {
        let navigation = try Self.navigation()
        #expect(navigation.decide("https://acs.issuer.example/challenge", isMainFrame: true) == .stay)
        #expect(navigation.decide("https://acs.issuer.example/challenge", isMainFrame: false) == .stay)
        #expect(navigation.decide("about:blank", isMainFrame: false) == .stay)
        #expect(navigation.decide("bank-app://confirm?id=1", isMainFrame: true) == .openOutside)
        for address in [
            "http://acs.issuer.example/", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd",
            "about:blank",
            "blob:https://bank.example/1", "", "no address", "ftp://bank.example/", "shop-app://back/other\u{0}",
        ] {
            #expect(navigation.decide(address, isMainFrame: true) == .block, "\(address)")
        }
        #expect(navigation.decide("bank-app://confirm", isMainFrame: false) == .block)
    }

    @Test("A page on this machine may be unencrypted, and lead to others on it")
    func loopback() throws {
        let local = try Self.navigation("http://127.0.0.1:8080/pay")
        #expect(local.decide("http://127.0.0.1:8080/next", isMainFrame: true) == .stay)
        #expect(local.decide("http://shop.example/", isMainFrame: true) == .block)
        #expect(try Self.navigation().decide("http://127.0.0.1:8080/", isMainFrame: true) == .block)
    }
}
