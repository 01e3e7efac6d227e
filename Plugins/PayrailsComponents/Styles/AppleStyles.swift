// Written for Apple platforms and never compiled where the rest is tested: conversions and nothing else.

#if canImport(CoreGraphics)
    public import CoreGraphics

    extension StyleSize {
        /// Creates a size from the system's.
        public init(_ size: CGSize) { self.init(width: Double(size.width), height: Double(size.height)) }
    }
#endif

#if canImport(SwiftUI)
    public import SwiftUI

    extension StyleColor.Components {
        /// The colour for SwiftUI.
        public var color: Color {
            Color(
                .sRGB, red: Double(red) / 255, green: Double(green) / 255, blue: Double(blue) / 255, opacity: alpha)
        }
    }

    extension StyleColor {
        /// Returns the colour as it is on the ground that `scheme` names.
        public func color(in scheme: ColorScheme) -> Color { scheme == .dark ? dark.color : light.color }
    }

    extension StyleFont {
        /// The font for SwiftUI.
        public var font: Font {
            if let family { return Font.custom(family, size: size).weight(weight.swiftUI) }
            return Font.system(size: size, weight: weight.swiftUI)
        }
    }

    extension StyleFont.Weight {
        fileprivate var swiftUI: Font.Weight {
            switch self {
            case .ultraLight: .ultraLight
            case .thin: .thin
            case .light: .light
            case .regular: .regular
            case .medium: .medium
            case .semibold: .semibold
            case .bold: .bold
            case .heavy: .heavy
            case .black: .black
            }
        }
    }

    extension StyleInsets {
        /// The insets for SwiftUI, read from left to right.
        public var edgeInsets: EdgeInsets { EdgeInsets(top: top, leading: left, bottom: bottom, trailing: right) }
    }
#endif

#if canImport(UIKit) && !os(watchOS)
    public import UIKit

    extension StyleColor {
        /// Creates a colour from the system's, with its light and its dark appearance.
        @MainActor public init(_ color: UIColor) {
            func components(_ style: UIUserInterfaceStyle) -> Components {
                let resolved = color.resolvedColor(with: UITraitCollection(userInterfaceStyle: style))
                var (red, green, blue, alpha) = (CGFloat(0), CGFloat(0), CGFloat(0), CGFloat(1))
                resolved.getRed(&red, green: &green, blue: &blue, alpha: &alpha)
                // Wide-gamut colours lie outside 0…1.
                func byte(_ value: CGFloat) -> UInt8 { UInt8(min(max(value, 0), 1) * 255) }
                return Components(red: byte(red), green: byte(green), blue: byte(blue), alpha: Double(alpha))
            }
            self.init(light: components(.light), dark: components(.dark))
        }

        /// The colour for UIKit.
        public var uiColor: UIColor {
            UIColor { traits in
                let one = traits.userInterfaceStyle == .dark ? dark : light
                return UIColor(
                    red: CGFloat(one.red) / 255, green: CGFloat(one.green) / 255, blue: CGFloat(one.blue) / 255,
                    alpha: CGFloat(one.alpha))
            }
        }
    }

    extension StyleInsets {
        /// Creates insets from UIKit's.
        public init(_ insets: UIEdgeInsets) {
            self.init(
                top: Double(insets.top), left: Double(insets.left), bottom: Double(insets.bottom),
                right: Double(insets.right))
        }
    }
#endif

#if canImport(CoreGraphics)
    extension DeleteButtonStyle {
        /// Creates a style with a size in the system's own type, as the vendor's guide writes it.
        public init(
            backgroundColor: StyleColor = .systemRed, textColor: StyleColor = .white,
            font: StyleFont = .systemFont(ofSize: 14), cornerRadius: Double = 4, size: CGSize
        ) {
            self.init(
                backgroundColor: backgroundColor, textColor: textColor, font: font, cornerRadius: cornerRadius,
                size: StyleSize(size))
        }
    }
#endif

#if canImport(UIKit) && !os(watchOS)
    extension StoredInstrumentsStyle {
        /// Creates a style with insets in the system's own type, as the vendor's guide writes it.
        public init(
            backgroundColor: StyleColor = .clear, itemBackgroundColor: StyleColor = .systemBackground,
            selectedItemBackgroundColor: StyleColor = .systemGray6, labelTextColor: StyleColor = .label,
            labelFont: StyleFont = .systemFont(ofSize: 16), itemCornerRadius: Double = 8, itemSpacing: Double = 8,
            itemPadding: UIEdgeInsets, buttonStyle: StoredInstrumentButtonStyle = .defaultStyle,
            deleteButtonStyle: DeleteButtonStyle = .defaultStyle, updateButtonStyle: UpdateButtonStyle = .defaultStyle
        ) {
            self.init(
                backgroundColor: backgroundColor, itemBackgroundColor: itemBackgroundColor,
                selectedItemBackgroundColor: selectedItemBackgroundColor, labelTextColor: labelTextColor,
                labelFont: labelFont, itemCornerRadius: itemCornerRadius, itemSpacing: itemSpacing,
                itemPadding: StyleInsets(itemPadding), buttonStyle: buttonStyle, deleteButtonStyle: deleteButtonStyle,
                updateButtonStyle: updateButtonStyle)
        }
    }
#endif
