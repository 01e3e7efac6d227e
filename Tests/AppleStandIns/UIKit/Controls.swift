// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

@MainActor open class UIAction: NSObject {
    public convenience init(title: String = "", handler: @escaping @MainActor (UIAction) -> Void) { fatalError() }
}

@MainActor open class UIControl: UIView {
    public struct State: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static let normal = State([])
    }

    public struct Event: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { fatalError() }
        public static let touchUpInside = Event(rawValue: 1)
        public static let valueChanged = Event(rawValue: 2)
        public static let editingChanged = Event(rawValue: 4)
        public static let editingDidBegin = Event(rawValue: 8)
        public static let editingDidEnd = Event(rawValue: 16)
    }

    public enum ContentHorizontalAlignment: Int, Sendable { case center, left, right, fill, leading, trailing }

    open var isEnabled = true
    open var isSelected = false
    open var state: State { fatalError() }
    open var contentHorizontalAlignment: ContentHorizontalAlignment = .center
    open func addAction(_ action: UIAction, for controlEvents: Event) { fatalError() }
}

@MainActor open class UIButton: UIControl {
    public enum ButtonType: Int, Sendable { case custom, system }

    public override init(frame: CGRect) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    public convenience init(type buttonType: ButtonType) { fatalError() }
    open func setTitle(_ title: String?, for state: UIControl.State) { fatalError() }
    open func setTitleColor(_ color: UIColor?, for state: UIControl.State) { fatalError() }
    open var titleLabel: UILabel? { fatalError() }
}

@MainActor open class UISwitch: UIControl {
    open var isOn = false
}

public struct UITextContentType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { fatalError() }
    public static let name = UITextContentType(rawValue: "")
    public static let creditCardNumber = UITextContentType(rawValue: "")
}

public enum UIKeyboardType: Int, Sendable { case `default`, numberPad }
public enum UITextAutocorrectionType: Int, Sendable { case `default`, no, yes }

@MainActor open class UITextField: UIControl {
    public enum BorderStyle: Int, Sendable { case none, line, bezel, roundedRect }

    open var text: String?
    open var placeholder: String?
    open var textColor: UIColor?
    open var font: UIFont?
    open var borderStyle: BorderStyle = .none
    open var keyboardType: UIKeyboardType = .default
    open var autocorrectionType: UITextAutocorrectionType = .default
    open var textContentType: UITextContentType!
}
