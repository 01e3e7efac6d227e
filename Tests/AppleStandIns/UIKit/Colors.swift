// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in of Apple's module: declarations that our code and the guides use, without bodies.

@_exported public import Foundation

public final class CGColor: Sendable {}

public enum UIUserInterfaceStyle: Int, Sendable {
    case unspecified = 0
    case light = 1
    case dark = 2
}

public final class UITraitCollection: NSObject, Sendable {
    public convenience init(userInterfaceStyle: UIUserInterfaceStyle) { fatalError() }
    public var userInterfaceStyle: UIUserInterfaceStyle { fatalError() }
}

public final class UIColor: NSObject, Sendable {
    public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) { fatalError() }
    public convenience init(dynamicProvider: @escaping @Sendable (UITraitCollection) -> UIColor) { fatalError() }
    public func resolvedColor(with traitCollection: UITraitCollection) -> UIColor { fatalError() }
    @discardableResult public func getRed(
        _ red: UnsafeMutablePointer<CGFloat>?, green: UnsafeMutablePointer<CGFloat>?,
        blue: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?
    ) -> Bool { fatalError() }
    public func withAlphaComponent(_ alpha: CGFloat) -> UIColor { fatalError() }
    public var cgColor: CGColor { fatalError() }

    public class var clear: UIColor { fatalError() }
    public class var white: UIColor { fatalError() }
    public class var label: UIColor { fatalError() }
    public class var systemBackground: UIColor { fatalError() }
    public class var systemBlue: UIColor { fatalError() }
    public class var systemGray6: UIColor { fatalError() }
    public class var systemOrange: UIColor { fatalError() }
    public class var systemRed: UIColor { fatalError() }
}

public struct UIEdgeInsets: Equatable, Sendable {
    public var top, left, bottom, right: CGFloat
    public init(top: CGFloat, left: CGFloat, bottom: CGFloat, right: CGFloat) { fatalError() }
    public static let zero = UIEdgeInsets(top: 0, left: 0, bottom: 0, right: 0)
}

public final class UIFontDescriptor: NSObject, @unchecked Sendable {
    public struct AttributeName: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { fatalError() }
        public static let family = AttributeName(rawValue: "")
        public static let traits = AttributeName(rawValue: "")
    }

    public struct TraitKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { fatalError() }
        public static let weight = TraitKey(rawValue: "")
    }

    public init(fontAttributes: [AttributeName: Any] = [:]) { fatalError() }
    public func object(forKey key: AttributeName) -> Any? { fatalError() }
}

public final class UIFont: NSObject, Sendable {
    public struct Weight: RawRepresentable, Hashable, Sendable {
        public let rawValue: CGFloat
        public init(rawValue: CGFloat) { fatalError() }
        public init(_ rawValue: CGFloat) { fatalError() }
        public static let ultraLight = Weight(0)
        public static let thin = Weight(0)
        public static let light = Weight(0)
        public static let regular = Weight(0)
        public static let medium = Weight(0)
        public static let semibold = Weight(0)
        public static let bold = Weight(0)
        public static let heavy = Weight(0)
        public static let black = Weight(0)
    }

    public struct TextStyle: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { fatalError() }
        public static let footnote = TextStyle(rawValue: "")
    }

    public convenience init(descriptor: UIFontDescriptor, size pointSize: CGFloat) { fatalError() }
    public class func systemFont(ofSize fontSize: CGFloat) -> UIFont { fatalError() }
    public class func systemFont(ofSize fontSize: CGFloat, weight: Weight) -> UIFont { fatalError() }
    public class func preferredFont(forTextStyle style: TextStyle) -> UIFont { fatalError() }
    public var familyName: String { fatalError() }
    public var pointSize: CGFloat { fatalError() }
    public var fontDescriptor: UIFontDescriptor { fatalError() }
}
