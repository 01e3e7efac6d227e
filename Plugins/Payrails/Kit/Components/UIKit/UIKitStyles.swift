// Only conversions.

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
                func byte(_ value: CGFloat) -> UInt8 { UInt8((min(max(value, 0), 1) * 255).rounded()) }
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

    extension StyleFont {
        /// Creates a font from the system's. Its size is the present one; it does not follow the payer's text size.
        @MainActor public init(_ font: UIFont) {
            let traits = font.fontDescriptor.object(forKey: .traits) as? [UIFontDescriptor.TraitKey: Any]
            let weight = UIFont.Weight(rawValue: traits?[.weight] as? CGFloat ?? UIFont.Weight.regular.rawValue)
            // The name of the system's own font starts with a full stop, and cannot be used to request it.
            self.init(
                family: font.familyName.hasPrefix(".") ? nil : font.familyName, size: Double(font.pointSize),
                weight: Weight.allCases.min {
                    abs($0.uiKit.rawValue - weight.rawValue) < abs($1.uiKit.rawValue - weight.rawValue)
                } ?? .regular)
        }

        /// The font for UIKit.
        public var uiFont: UIFont {
            guard let family else { return .systemFont(ofSize: CGFloat(size), weight: weight.uiKit) }
            let traits: [UIFontDescriptor.TraitKey: Any] = [.weight: weight.uiKit.rawValue]
            return UIFont(
                descriptor: UIFontDescriptor(fontAttributes: [.family: family, .traits: traits]), size: CGFloat(size))
        }
    }

    extension StyleFont.Weight {
        fileprivate var uiKit: UIFont.Weight {
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
#endif
