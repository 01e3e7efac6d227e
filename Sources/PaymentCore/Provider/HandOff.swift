#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// Actions of a payer outside of the application: each is a value, so that an app can present it in its own way.

/// A page that the payer has to see.
public struct PageRequest: Sendable, Hashable {
    /// The page.
    public let url: HTTPURL
    /// The URLs, without their queries, by which the payer returns; empty when the page does not lead back.
    public let returnURLs: [String]

    /// Creates a request.
    public init(url: HTTPURL, returnURLs: [String] = []) {
        self.url = url
        self.returnURLs = returnURLs
    }
}

/// Another app that the payer has to confirm in.
public struct AppRequest: Sendable, Hashable {
    /// The app's name for people.
    public let name: String
    /// The URL that opens it, where one can be built; otherwise ``payload`` is for the app's own SDK.
    public let url: Redacted<String>?
    /// The input of the app's own SDK, by the names its vendor uses.
    public let payload: Redacted<[String: String]>
    /// The URLs, without their queries, by which the payer returns.
    public let returnURLs: [String]

    /// Creates a request.
    public init(
        name: String, url: Redacted<String>?, payload: Redacted<[String: String]> = Redacted([:]),
        returnURLs: [String] = []
    ) {
        self.name = name
        self.url = url
        self.payload = payload
        self.returnURLs = returnURLs
    }
}

/// A code that the payer has to scan with another device.
public struct CodeRequest: Sendable, Hashable {
    /// The text of the QR code.
    public let text: Redacted<String>
    /// The end of its validity.
    public let expiresAt: Date?

    /// Creates a request.
    public init(text: Redacted<String>, expiresAt: Date? = nil) {
        self.text = text
        self.expiresAt = expiresAt
    }
}
