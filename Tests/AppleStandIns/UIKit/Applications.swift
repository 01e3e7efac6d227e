// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

@MainActor open class UIViewController: UIResponder {
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    public override convenience init() { fatalError() }
    open var view: UIView!
    open func viewDidLoad() { fatalError() }
    open func viewDidDisappear(_ animated: Bool) { fatalError() }
    open var isBeingDismissed: Bool { fatalError() }
    open var isMovingFromParent: Bool { fatalError() }
    open var presentingViewController: UIViewController? { fatalError() }
    open var navigationController: UINavigationController? { fatalError() }
    open func present(
        _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil
    ) { fatalError() }
    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) { fatalError() }
}

@MainActor open class UINavigationController: UIViewController {}

@MainActor open class UIAlertAction: NSObject {
    public enum Style: Int, Sendable { case `default`, cancel, destructive }
    public convenience init(
        title: String?, style: Style, handler: (@MainActor (UIAlertAction) -> Void)? = nil
    ) { fatalError() }
}

@MainActor open class UIAlertController: UIViewController {
    public enum Style: Int, Sendable { case actionSheet, alert }
    public convenience init(title: String?, message: String?, preferredStyle: Style) { fatalError() }
    open func addAction(_ action: UIAlertAction) { fatalError() }
}

@MainActor open class UIApplication: UIResponder {
    public struct OpenURLOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { fatalError() }
    }

    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { fatalError() }
    }

    public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { fatalError() }
    }

    open class var shared: UIApplication { fatalError() }
    open func open(
        _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) { fatalError() }
    @discardableResult
    open func open(_ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:]) async -> Bool { fatalError() }
}

@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {}

@MainActor open class UIScene: UIResponder {}

@MainActor open class UIOpenURLContext: NSObject {
    open var url: URL { fatalError() }
}

open class NSUserActivity: NSObject {
    open var webpageURL: URL?
}

public protocol UIUserActivityRestoring: NSObjectProtocol {}
