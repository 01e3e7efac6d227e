public import Foundation

// Sizes in the system's own type, as the vendor's guide writes them.

extension StyleSize {
    /// Creates a size from the system's.
    public init(_ size: CGSize) { self.init(width: Double(size.width), height: Double(size.height)) }
}

extension DeleteButtonStyle {
    /// Creates a style with a size in the system's own type.
    public init(
        backgroundColor: StyleColor = .systemRed, textColor: StyleColor = .white,
        font: StyleFont = .systemFont(ofSize: 14), cornerRadius: Double = 4, size: CGSize
    ) {
        self.init(
            backgroundColor: backgroundColor, textColor: textColor, font: font, cornerRadius: cornerRadius,
            size: StyleSize(size))
    }
}

extension UpdateButtonStyle {
    /// Creates a style with a size in the system's own type.
    public init(
        backgroundColor: StyleColor = .systemBlue, textColor: StyleColor = .white,
        font: StyleFont = .systemFont(ofSize: 14), cornerRadius: Double = 4, size: CGSize
    ) {
        self.init(
            backgroundColor: backgroundColor, textColor: textColor, font: font, cornerRadius: cornerRadius,
            size: StyleSize(size))
    }
}
