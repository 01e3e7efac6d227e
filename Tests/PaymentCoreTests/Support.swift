import Foundation
import PaymentCore

/// Every text that reflection, printing and dumping make of a value.
func everyPrint(of value: Any) -> String {
    var text = ""
    print(value, to: &text)
    debugPrint(value, to: &text)
    dump(value, to: &text)
    text += "\(value)" + String(describing: value) + String(reflecting: value)
    text += describeMirror(Mirror(reflecting: value), depth: 0)
    return text
}

private func describeMirror(_ mirror: Mirror, depth: Int) -> String {
    guard depth < 6 else { return "" }
    return mirror.children.map { child in
        "\(child.label ?? "-"): \(child.value)" + describeMirror(Mirror(reflecting: child.value), depth: depth + 1)
    }.joined()
}
