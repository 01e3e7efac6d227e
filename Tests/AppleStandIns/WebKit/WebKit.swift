// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in of Apple's module: declarations that our code and the guides use, without bodies.

@_exported public import Foundation
@_exported public import FoundationNetworking
public import UIKit

@MainActor open class WKWebsiteDataStore: NSObject {
    open class func nonPersistent() -> WKWebsiteDataStore { fatalError() }
}

@MainActor open class WKUserContentController: NSObject {
    open func add(_ scriptMessageHandler: any WKScriptMessageHandler, name: String) { fatalError() }
    open func removeScriptMessageHandler(forName name: String) { fatalError() }
}

@MainActor open class WKWebViewConfiguration: NSObject {
    nonisolated public override init() { fatalError() }
    open var websiteDataStore: WKWebsiteDataStore {
        get { fatalError() }
        set { fatalError() }
    }
    open var userContentController: WKUserContentController {
        get { fatalError() }
        set { fatalError() }
    }
}

@MainActor open class WKSecurityOrigin: NSObject {
    open var `protocol`: String { fatalError() }
    open var host: String { fatalError() }
    open var port: Int { fatalError() }
}

@MainActor open class WKFrameInfo: NSObject {
    open var isMainFrame: Bool { fatalError() }
    open var securityOrigin: WKSecurityOrigin { fatalError() }
}

@MainActor open class WKScriptMessage: NSObject {
    open var body: Any { fatalError() }
    open var frameInfo: WKFrameInfo { fatalError() }
}

@MainActor public protocol WKScriptMessageHandler: NSObjectProtocol {
    func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage)
}

public enum WKNavigationType: Int, Sendable {
    case linkActivated = 0
    case formSubmitted = 1
    case other = -1
}

public enum WKNavigationActionPolicy: Int, Sendable {
    case cancel = 0
    case allow = 1
    case download = 2
}

@MainActor open class WKNavigationAction: NSObject {
    open var request: URLRequest { fatalError() }
    open var targetFrame: WKFrameInfo? { fatalError() }
    open var navigationType: WKNavigationType { fatalError() }
}

@MainActor open class WKNavigation: NSObject {}

/// Its methods are optional, which Linux cannot express: here they have bodies.
@MainActor public protocol WKNavigationDelegate: NSObjectProtocol {
    func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction
    ) async -> WKNavigationActionPolicy
    func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
        decisionHandler: @escaping @MainActor (WKNavigationActionPolicy) -> Void)
    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error)
}

extension WKNavigationDelegate {
    public func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction
    ) async -> WKNavigationActionPolicy { fatalError() }
    public func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
        decisionHandler: @escaping @MainActor (WKNavigationActionPolicy) -> Void
    ) { fatalError() }
    public func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
    ) { fatalError() }
}

@MainActor open class WKWebView: UIView {
    public init(frame: CGRect, configuration: WKWebViewConfiguration) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open weak var navigationDelegate: (any WKNavigationDelegate)?
    open var configuration: WKWebViewConfiguration { fatalError() }
    @discardableResult open func load(_ request: URLRequest) -> WKNavigation? { fatalError() }
    open func stopLoading() { fatalError() }
}
