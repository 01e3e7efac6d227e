/// A font without a platform.
public struct StyleFont: Sendable, Hashable {
    /// The weight of the strokes. The raw value is the weight of CSS and OpenType.
    public enum Weight: Int, Sendable, Hashable, CaseIterable {
        /// 100.
        case ultraLight = 100
        /// 200.
        case thin = 200
        /// 300.
        case light = 300
        /// 400, that of running text.
        case regular = 400
        /// 500.
        case medium = 500
        /// 600.
        case semibold = 600
        /// 700.
        case bold = 700
        /// 800.
        case heavy = 800
        /// 900.
        case black = 900
    }

    /// The family's name; nil is the system's font.
    public let family: String?
    /// The size in points; in HTML, in pixels of CSS.
    public let size: Double
    /// The weight of the strokes.
    public let weight: Weight

    /// Creates a font.
    public init(family: String? = nil, size: Double, weight: Weight = .regular) {
        self.family = family
        self.size = size
        self.weight = weight
    }

    /// Returns the system's font, named as in UIKit.
    public static func systemFont(ofSize size: Double, weight: Weight = .regular) -> StyleFont {
        StyleFont(size: size, weight: weight)
    }
}

/// Distances from the four edges, in points, ordered as UIKit's.
public struct StyleInsets: Sendable, Hashable {
    /// The distance in points.
    public let top, left, bottom, right: Double

    /// Creates insets.
    public init(top: Double, left: Double, bottom: Double, right: Double) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }

    /// Creates insets of the same distance on all sides.
    public init(all distance: Double) {
        self.init(top: distance, left: distance, bottom: distance, right: distance)
    }

    /// No distance.
    public static let zero = StyleInsets(all: 0)

    /// Returns the space inside a card field, by default 6 points left and right.
    public static func fieldInsets(
        top: Double = 0, left: Double = 6, bottom: Double = 0, right: Double = 6
    ) -> StyleInsets {
        StyleInsets(top: top, left: left, bottom: bottom, right: right)
    }
}

/// A width and a height, in points.
public struct StyleSize: Sendable, Hashable {
    /// The extent in points.
    public let width, height: Double

    /// Creates a size.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}

#if !canImport(UIKit)
    /// The name that the vendor's guide uses, on platforms without UIKit.
    public typealias UIEdgeInsets = StyleInsets
#endif
