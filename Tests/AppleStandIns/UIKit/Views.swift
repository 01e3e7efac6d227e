// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

public final class CALayer: NSObject {
    public var cornerRadius: CGFloat = 0
    public var borderWidth: CGFloat = 0
    public var borderColor: CGColor?
}

@MainActor public final class NSLayoutConstraint: NSObject {
    public class func activate(_ constraints: [NSLayoutConstraint]) { fatalError() }
}

@MainActor public class NSLayoutAnchor<AnchorType: AnyObject>: NSObject {
    public func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>) -> NSLayoutConstraint { fatalError() }
    public func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>, constant c: CGFloat) -> NSLayoutConstraint {
        fatalError()
    }
}

@MainActor public final class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {}
@MainActor public final class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {}
@MainActor public final class NSLayoutDimension: NSLayoutAnchor<NSLayoutDimension> {
    public func constraint(equalToConstant c: CGFloat) -> NSLayoutConstraint { fatalError() }
}

public struct UIAccessibilityTraits: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { fatalError() }
    public static let button = UIAccessibilityTraits(rawValue: 1)
    public static let selected = UIAccessibilityTraits(rawValue: 2)
}

@MainActor open class UIResponder: NSObject {
    @discardableResult open func becomeFirstResponder() -> Bool { fatalError() }
}

@MainActor open class UIView: UIResponder {
    public init(frame: CGRect) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    public override convenience init() { fatalError() }

    open var layer: CALayer { fatalError() }
    open var backgroundColor: UIColor?
    open var isHidden = false
    open var traitCollection: UITraitCollection { fatalError() }
    open var translatesAutoresizingMaskIntoConstraints = true
    open var accessibilityLabel: String?
    open var accessibilityTraits: UIAccessibilityTraits = .button
    open var intrinsicContentSize: CGSize { fatalError() }
    open func invalidateIntrinsicContentSize() { fatalError() }
    open func addSubview(_ view: UIView) { fatalError() }
    open func removeFromSuperview() { fatalError() }
    open var topAnchor: NSLayoutYAxisAnchor { fatalError() }
    open var bottomAnchor: NSLayoutYAxisAnchor { fatalError() }
    open var centerYAnchor: NSLayoutYAxisAnchor { fatalError() }
    open var leftAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var rightAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var centerXAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var widthAnchor: NSLayoutDimension { fatalError() }
    open var heightAnchor: NSLayoutDimension { fatalError() }
}

@MainActor open class UILabel: UIView {
    open var text: String?
    open var font: UIFont!
    open var textColor: UIColor!
    open var numberOfLines = 1
}

@MainActor open class UIStackView: UIView {
    public enum Alignment: Int, Sendable { case fill, leading, top, center }
    public enum Distribution: Int, Sendable { case fill, fillEqually }

    public override init(frame: CGRect) { fatalError() }
    public required init(coder: NSCoder) { fatalError() }
    public convenience init(arrangedSubviews views: [UIView]) { fatalError() }
    open var axis: NSLayoutConstraint.Axis = .horizontal
    open var alignment: Alignment = .fill
    open var distribution: Distribution = .fill
    open var spacing: CGFloat = 0
    open func addArrangedSubview(_ view: UIView) { fatalError() }
}

extension NSLayoutConstraint {
    public enum Axis: Int, Sendable { case horizontal, vertical }
}

@MainActor open class UIActivityIndicatorView: UIView {
    public enum Style: Int, Sendable { case medium, large }
    public init(style: Style) { fatalError() }
    public required init(coder: NSCoder) { fatalError() }
    open var color: UIColor!
    open func startAnimating() { fatalError() }
    open func stopAnimating() { fatalError() }
}
